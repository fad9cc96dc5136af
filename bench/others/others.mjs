// 100 schedules at `* * * * *` on another scheduler; prints when each start of a job was, in milliseconds since the epoch.
// Started by others.py, which ends it.
//
//   node others.mjs croner|graphile-worker|pg-boss|pg-boss-quick CONNECTION
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const [system, connectionString] = process.argv.slice(2);
const COUNT = 100;

const began = () => console.log((performance.timeOrigin + performance.now()).toFixed(3));

// In this process, and kept nowhere.
function croner() {
  const { Cron } = require("croner");
  for (let i = 0; i < COUNT; i++) new Cron("* * * * *", began);
}

// Rows of Postgres, which notifies the worker.
async function graphileWorker() {
  const { Logger, run } = require("graphile-worker");
  await run({
    connectionString,
    concurrency: 10,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: { job: began },
    crontab: Array.from({ length: COUNT }, (_, i) => `* * * * * job ?id=job-${i}`).join("\n"),
  });
}

// Rows of Postgres, which are polled.
async function pgBoss(options, polling) {
  const PgBoss = require("pg-boss");
  const boss = new PgBoss({ connectionString, ...options });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  for (let i = 0; i < COUNT; i++) {
    await boss.createQueue(`job-${i}`);
    await boss.work(`job-${i}`, polling, began);
    await boss.schedule(`job-${i}`, "* * * * *");
  }
}

const systems = {
  croner,
  "graphile-worker": graphileWorker,
  "pg-boss": () => pgBoss({}, {}),
  "pg-boss-quick": () =>
    pgBoss({ cronMonitorIntervalSeconds: 1, cronWorkerIntervalSeconds: 1 }, { pollingIntervalSeconds: 0.5 }),
};
await systems[system]();
console.log("ready");
