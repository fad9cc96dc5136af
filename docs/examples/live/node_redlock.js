// A leader by node-redlock's using() on one Redis (npm: redlock, ioredis), with the journal that
// docs/reference/journal.md describes: a client for `tenure live`.
//
//     tenure live FILE --store 127.0.0.1:PORT -- node node_redlock.js {node} {store} {journal}
//
// It leads from when using() calls its function until the signal is aborted. A belief that no look has renewed within
// PERIOD is over, so that one of a killed process ends.
const { createHash } = require("crypto");
const fs = require("fs");
const Redis = require("ioredis");
const Redlock = require("redlock").default;

const DURATION = 2000, PERIOD = 250;  // milliseconds
const [node, store, path] = process.argv.slice(2);

class Journal {
  constructor() {
    this.life = Math.floor(Math.random() * 2 ** 31) + 1;
    this.seq = 0;
    this.prev = "0".repeat(32);
    this.file = fs.openSync(path, "wx");  // `tenure live` names a new one for each life
    // Nanoseconds that the machine was suspended for: whole centiseconds, and so zero where it never was.
    const uptime = BigInt(fs.readFileSync("/proc/uptime", "utf8").split(" ")[0].replace(".", "")) * 10000000n;
    const suspended = uptime - process.hrtime.bigint();
    this.suspended = suspended > 20000000n ? suspended : 0n;
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    this.write("started", { boot, settings: { "election.lease_duration": DURATION * 1e6 }, election: "node-redlock" });
  }
  // Numbers of nanoseconds are put in as text: they need more digits than a double has.
  write(event, fields = {}, until = null) {
    const mono = process.hrtime.bigint();
    const rest = JSON.stringify({ node: Number(node), life: this.life, seq: ++this.seq, event, ...fields });
    const line = `{"v":5,"prev":"${this.prev}","at":${mono + this.suspended},"mono":${mono},` + rest.slice(1, -1) +
                 (until === null ? "}" : `,"until_mono":${mono + until}}`);
    this.prev = createHash("sha256").update(line).digest("hex").slice(0, 32);
    fs.writeSync(this.file, line + "\n");
  }
}

const journal = new Journal();
const [host, port] = store.split(":");
const client = new Redis({ host, port: Number(port) });
client.on("error", () => {});
const redlock = new Redlock([client]);
let stop;
const stopped = new Promise((resolve) => (stop = resolve));
let stopping = false;
process.on("SIGTERM", () => {
  if (!stopping) journal.write("stop-heard");
  stopping = true;
  stop();
});

async function lead(signal) {
  const believe = () => {
    journal.write("believes", { resource: 0 }, BigInt(2 * PERIOD) * 1000000n);
    journal.write("checked", { resource: 0 });
  };
  believe();
  const look = setInterval(believe, PERIOD);
  await Promise.race([new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true })), stopped]);
  clearInterval(look);
  journal.write("steps-down", { resource: 0, why: signal.aborted ? "the signal is aborted" : "it stops" });
}

(async () => {
  while (!stopping) {
    try {
      await redlock.using(["leader"], DURATION, lead);
    } catch {
      // Another instance has the lock, or the release found none.
    }
  }
  journal.write("stopped");
  journal.write("died", { how: "stopped" });
  process.exit(0);
})();
