// node-redlock itself on five real servers beside its model, scenarios/designs/node-redlock: the leader is paused, cut
// off, and asked to stop, and three of the servers hang. For how long two led must lie in the model's spread.
//
//     node beside.js TENURE SOURCES
const { spawn, spawnSync } = require("child_process");
const fs = require("fs");
const net = require("net");
const os = require("os");
const path = require("path");

const [tenure, sources] = process.argv.slice(2);
const SERVERS = 5, INSTANCES = 3, SECONDS = 12;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "redlock-"));
const children = [];
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const now = () => Number(process.hrtime.bigint() / 1000n) / 1e6;

function end(code) {
  for (const child of children) child.kill("SIGKILL");
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
process.on("SIGTERM", () => end(1));
process.on("SIGINT", () => end(1));

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
  constructor(number) {
    this.beliefs = [];
    this.links = [];
    for (let i = 0; i < SERVERS; ++i) {
      const near = path.join(folder, `link-${number}-${i}`);
      this.links.push({ near, ...link(near, path.join(folder, `server-${i}`)) });
    }
  }
  start() {
    const program = path.join(__dirname, "candidate.js");
    const sockets = this.links.map((each) => each.near);
    this.process = start("node", [program, ...sockets], { stdio: ["ignore", "pipe", "inherit"] });
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
name = "beside-node-redlock"
summary = "The same situation."
[sim]
seed = 1
duration = "1m"
tail = "30s"
[cluster]
instances = ${INSTANCES}
protocol = "${sources}/scenarios/designs/node-redlock/node-redlock.lua"
[election]
resend_most = "200ms"   # what a link has held back arrives as soon as it heals
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
  "three servers hang": {
    fault: `action = "store-hang"\ntarget = "majority"`,
    do: () => servers.slice(0, 3).forEach((each) => each.kill("SIGSTOP")),
    undo: () => servers.slice(0, 3).forEach((each) => each.kill("SIGCONT")),
  },
};
// A busy machine is later than a model.
const SLACK = 1;

async function main() {
  // Before anything else: nothing goes through the links meanwhile.
  const models = Object.entries(SITUATIONS).map(([name, { fault }]) => [name, modelled(fault)]);
  for (let i = 0; i < SERVERS; ++i) {
    const socket = path.join(folder, `server-${i}`);
    servers.push(start("redis-server", ["--port", "0", "--unixsocket", socket, "--dir", folder, "--save", ""],
                       { stdio: "ignore" }));
    await until("a server", 10, () => fs.existsSync(socket));
  }
  const instances = Array.from({ length: INSTANCES }, (_, i) => new Instance(i + 1));
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
