// The run's data: every table as a list of objects, and every list by time.
const run = data.run;
const recording = data.recording;

function objectsOf(table) {
  return table.rows.map((row) => Object.fromEntries(table.columns.map((column, i) => [column, row[i]])));
}

const tables = {};
for (const name of ["lives", "pauses", "beliefs", "overlaps", "holds", "faults", "work", "requests", "detail", "story", "violations"])
  tables[name] = objectsOf(recording[name]);
for (const work of tables.work) {
  work.what = recording.texts[work.what];
  work.token = recording.texts[work.token];
}
for (const request of tables.requests)
  for (const column of ["what", "fate", "reply"]) request[column] = recording.texts[request[column]];
for (const name of ["overlaps", "faults", "violations"])
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
  requests: tables.requests.filter((row) => row.node === node),
  // Faults on links cut a node off; those on processes are in its lane as pauses and deaths.
  cuts: tables.faults.filter((row) => row.nodes.includes(node) && isCut(row.action)),
}));
const storeFaults = tables.faults.filter((row) => row.nodes.length === 0);

function isCut(action) {
  return ["partition", "loss", "delay", "duplicate", "reorder"].includes(action);
}

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
