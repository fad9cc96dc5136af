// dynalite on loopback alone, and on a port that is free: its own command listens to everybody.
const server = require('dynalite')({createTableMs: 0}).listen(0, '127.0.0.1', () => {
  console.log(`listens on http://127.0.0.1:${server.address().port}`);
});
