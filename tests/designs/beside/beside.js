// A real client on real servers beside the design that models it: the leader is paused, cut off, and asked to stop, and
// servers hang. For how long two led must lie in the model's spread.
//
//     node beside.js DESIGN TENURE SOURCES FOLDER    FOLDER: where beside.sh has put what the client needs
const { spawn, spawnSync } = require("child_process");
const fs = require("fs");
const net = require("net");
const os = require("os");
const path = require("path");

const [design, tenure, sources, built] = process.argv.slice(2);
const INSTANCES = 3, SECONDS = 12;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "beside-"));
const children = [];
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const now = () => Number(process.hrtime.bigint() / 1000n) / 1e6;

const SYSTEMS = {
  // Five Redis servers, at sockets in files.
  "node-redlock": {
    servers: 5,
    server: (i) => {
      const at = path.join(folder, `server-${i}`);
      const args = ["--port", "0", "--unixsocket", at, "--dir", folder, "--save", ""];
      return { at, command: ["redis-server", args], is_up: () => fs.existsSync(at) };
    },
    near: (name) => path.join(folder, name),
    candidate: (nears) => ["node", [path.join(__dirname, "node-redlock.js"), ...nears]],
    hang: { servers: 3, target: `target = "majority"` },
    election: `resend_most = "200ms"   # what a link has held back arrives as soon as it heals`,
  },
  // One etcd, at a port of this machine.
  "etcd-election": {
    servers: 1,
    server: async () => {
      const [at, peers] = [await free_port(), await free_port()];
      const args = ["--data-dir", path.join(folder, "etcd"), "--log-level", "error"];
      for (const [kind, port] of [["client", at], ["peer", peers]])
        args.push(`--listen-${kind}-urls`, `http://127.0.0.1:${port}`);
      args.push("--advertise-client-urls", `http://127.0.0.1:${at}`);
      args.push("--initial-advertise-peer-urls", `http://127.0.0.1:${peers}`);
      args.push("--initial-cluster", `default=http://127.0.0.1:${peers}`);
      const health = ["-s", "--max-time", "1", `http://127.0.0.1:${at}/health`];
      return { at, command: ["etcd", args], is_up: () => spawnSync("curl", health).stdout.includes("true") };
    },
    near: () => free_port(),
    candidate: (nears) => [path.join(built, "etcd-election"), nears.map((port) => `http://127.0.0.1:${port}`)],
    hang: { servers: 1, target: "" },
    election: `session_ttl = "5s"`,
  },
};
const system = SYSTEMS[design];

function end(code) {
  for (const child of children) child.kill("SIGKILL");
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
process.on("SIGTERM", () => end(1));
process.on("SIGINT", () => end(1));

function free_port() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function until(what, seconds, holds) {
  for (const last = now() + seconds; !holds(); await sleep(0.02))
    if (now() > last) throw new Error(`${what}: not within ${seconds} s`);
}

function start(command, args, options) {
  const child = spawn(command, args, options);
  children.push(child);
  return child;
}

// What an instance sends a server goes through here. A cut holds it back.
function link(from, to) {
  const sockets = new Set();
  net.createServer((near) => {
    const far = net.connect(to);
    for (const [a, b] of [[near, far], [far, near]]) {
      sockets.add(a);
      a.on("data", (bytes) => b.write(bytes));
      a.on("close", () => b.destroy());
      a.on("error", () => {});
    }
  }).listen(from);
  return { cut: () => sockets.forEach((each) => each.pause()), heal: () => sockets.forEach((each) => each.resume()) };
}

class Instance {
  static async make(number, servers) {
    const made = new Instance();
    made.beliefs = [];
    made.links = [];
    for (const [i, { at }] of servers.entries()) {
      const near = await system.near(`link-${number}-${i}`);
      made.links.push({ near, ...link(near, at) });
    }
    return made;
  }
  start() {
    const [command, args] = system.candidate(this.links.map((each) => each.near));
    this.process = start(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    this.process.stdout.on("data", (bytes) => {
      const lines = (text + bytes).split("\n");
      text = lines.pop();
      for (const { leads, at } of lines.map((each) => JSON.parse(each))) {
        if (leads) this.beliefs.push({ from: at, to: Infinity });
        else this.beliefs.at(-1).to = at;
      }
    });
  }
  leads() {
    return this.beliefs.length > 0 && this.beliefs.at(-1).to === Infinity;
  }
}

// For how long two led, from then on.
function overlap(instances, since) {
  const edges = [];
  for (const { beliefs } of instances)
    for (const { from, to } of beliefs)
      edges.push([Math.max(from, since), 1], [Math.min(Math.max(to, since), now()), -1]);
  edges.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let leaders = 0, last = since, total = 0;
  for (const [at, change] of edges) {
    if (leaders > 1) total += at - last;
    leaders += change;
    last = at;
  }
  return total;
}

// The same in the model: the least and the most.
function modelled(fault) {
  const file = path.join(folder, "model.toml");
  fs.writeFileSync(file, `
format = 1
name = "beside-${design}"
summary = "The same situation."
[sim]
seed = 1
duration = "1m"
tail = "90s"
[cluster]
instances = ${INSTANCES}
protocol = "${sources}/scenarios/designs/${design}/${design}.lua"
[election]
${system.election}
[[fault]]
at = "20s..25s"
duration = "${SECONDS}s"
${fault}
[expect]
believer_overlap = "report"
`);
  const run = spawnSync(tenure, ["run", file, "--seeds", "1..60", "--format", "json"],
                        { maxBuffer: 1e9, encoding: "utf8" });
  const summary = run.stdout.trim().split("\n").at(-1);
  if (!summary) throw new Error(run.stderr);
  return JSON.parse(summary).metrics.believer_overlap_seconds;
}

const servers = [];
const signal_hung = (signal) => servers.slice(0, system.hang.servers).forEach((each) => each.process.kill(signal));
const SITUATIONS = {
  pause: {
    fault: `action = "pause"\ntarget = "believer"`,
    do: (leader) => leader.process.kill("SIGSTOP"),
    undo: (leader) => leader.process.kill("SIGCONT"),
  },
  cut: {
    fault: `action = "partition"\ntarget = "believer"\npeers = "store"`,
    do: (leader) => leader.links.forEach((each) => each.cut()),
    undo: (leader) => leader.links.forEach((each) => each.heal()),
  },
  stop: {
    fault: `action = "stop"\ntarget = "believer"`,
    do: (leader) => leader.process.kill("SIGTERM"),
    undo: (leader) => leader.start(),
  },
  [`servers that hang (${system.hang.servers} of ${system.servers})`]: {
    fault: `action = "store-hang"\n${system.hang.target}`,
    do: () => signal_hung("SIGSTOP"),
    undo: () => signal_hung("SIGCONT"),
  },
};
// A busy machine is later than a model.
const SLACK = 1;

async function main() {
  // Before anything else: nothing goes through the links meanwhile.
  const models = Object.entries(SITUATIONS).map(([name, { fault }]) => [name, modelled(fault)]);
  for (let i = 0; i < system.servers; ++i) {
    const { at, command, is_up } = await system.server(i);
    servers.push({ at, process: start(...command, { stdio: "ignore" }) });
    await until("a server", 20, is_up);
  }
  const instances = [];
  for (let i = 1; i <= INSTANCES; ++i) instances.push(await Instance.make(i, servers));
  for (const each of instances) each.start();

  let wrong = 0;
  for (const [name, { min, max }] of models) {
    const situation = SITUATIONS[name];
    let leader;
    await until("one leader", 120, () => {
      const all = instances.filter((each) => each.leads());
      leader = all[0];
      return all.length === 1 && leader.beliefs.at(-1).from < now() - 1;
    });
    const since = now();
    situation.do(leader);
    await sleep(SECONDS);
    situation.undo(leader);
    await sleep(10);
    const real = overlap(instances, since);
    const fits = real >= min - SLACK && real <= max + SLACK;
    wrong += fits ? 0 : 1;
    console.log(`${fits ? "ok  " : "FAIL"}  ${name}: two led for ${real.toFixed(3)} s; ` +
                `in the model for ${min.toFixed(3)} to ${max.toFixed(3)} s`);
  }
  return wrong;
}

main().then((wrong) => end(wrong ? 1 : 0), (error) => {
  console.error(error);
  end(1);
});
