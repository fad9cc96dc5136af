// The run's data: every table as a list of objects, and every list by time.
const run = data.run;
const recording = data.recording;

function objectsOf(table) {
  return table.rows.map((row) => Object.fromEntries(table.columns.map((column, i) => [column, row[i]])));
}

const tables = {};
for (const [name, table] of Object.entries(recording))
  if (table !== null && table.columns !== undefined) tables[name] = objectsOf(table);
for (const work of tables.work) {
  work.what = recording.texts[work.what];
  work.token = recording.texts[work.token];
}
for (const request of tables.requests)
  for (const column of ["what", "fate", "reply"]) request[column] = recording.texts[request[column]];
for (const row of [...tables.late, ...tables.skipped]) row.what = recording.texts[row.what];
for (const link of tables.links) link.text = recording.texts[link.text];
for (const name of ["overlaps", "faults", "violations", "broken"])
  for (const row of tables[name]) row.nodes = row.nodes === "" ? [] : row.nodes.split(" ").map(Number);

// An audit draws what journals know: no scenario, and nothing measured.
const audit = data.audit ?? null;
const silences = audit === null ? [] : audit.silences;

const endOfRun = recording.end;
const endOf = (row) => (row.to === null ? endOfRun : row.to);
const lasts = (row, at) => row.from <= at && at < endOf(row) + (row.to === null ? 1 : 0);

const byNode = recording.nodes.map((name, node) => ({
  name,
  lives: tables.lives.filter((row) => row.node === node),
  pauses: tables.pauses.filter((row) => row.node === node),
  silences: silences.filter((row) => row.node === node),
  beliefs: tables.beliefs.filter((row) => row.node === node),
  work: tables.work.filter((row) => row.node === node),
  clocks: tables.clocks.filter((row) => row.node === node),
  startups: tables.startups.filter((row) => row.node === node),
  sends: tables.links.filter((row) => row.sender === node),
  hears: tables.links.filter((row) => row.receiver === node),
  late: tables.late.filter((row) => row.node === node),
  skipped: tables.skipped.filter((row) => row.node === node),
  remarks: tables.story.filter((row) => row.node === node && row.kind === "remark"),
  buckets: tables.buckets.filter((row) => row.node === node),
}));
const byStore = recording.stores.map((name, store) => ({
  name,
  holds: tables.holds.filter((row) => row.store === store),
  troubles: tables.troubles.filter((row) => row.store === store),
}));

// A new leader is of no use before it has warmed up.
const warmupOf = (belief) => ({ from: belief.from, to: Math.min(belief.from + recording.warmup, endOf(belief)) });

// What goes wrong for certain, and what is only reported.
const wrongs = tables.violations.filter((row) => row.demanded);
const marks = wrongs.length > 0 ? wrongs : tables.violations;

// The first of a list sorted by `key` at or after `at`.
function firstAfter(list, key, at) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][key] < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
