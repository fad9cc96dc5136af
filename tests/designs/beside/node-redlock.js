// One instance: node-redlock's using(), again and again, on the five servers whose sockets are its arguments. It prints
// when it leads and when it steps down, by the machine's monotonic clock.
const Redis = require("ioredis");
const Redlock = require("redlock").default;

const clients = process.argv.slice(2).map((path) => new Redis({ path }));
for (const client of clients) client.on("error", () => {});
const redlock = new Redlock(clients);
let stop;
const stopped = new Promise((resolve) => (stop = resolve));
let stopping = false;
process.on("SIGTERM", () => {
  stopping = true;
  stop();
});

const say = (leads) => console.log(JSON.stringify({ leads, at: Number(process.hrtime.bigint() / 1000n) / 1e6 }));

(async () => {
  while (!stopping) {
    try {
      await redlock.using(["leader"], 5000, async (signal) => {
        say(true);
        const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        await Promise.race([aborted, stopped]);
        say(false);
      });
    } catch {
      // Another instance has the lock, or the release found none.
    }
  }
  process.exit(0);
})();
