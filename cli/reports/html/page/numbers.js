// The head of the page, and the tables: what the pictures show, for those who read.
function fillHead() {
  const verdicts = { pass: "✓ PASS", fail: "✗ FAIL", inconclusive: "? INCONCLUSIVE" };
  const badge = document.getElementById("verdict");
  badge.textContent = verdicts[run.verdict];
  badge.classList.add(run.verdict);
  document.getElementById("sentence").textContent = data.sentence;
  document.getElementById("reproduce").textContent = run.reproduce;
  if (audit !== null) return fillHeadOfAudit();
  document.getElementById("what").textContent =
    `${run.scenario}, seed ${run.seed}, ${timeText(endOfRun, 0)} simulated`;
  document.getElementById("believing").textContent = lengthText(run.metrics.believer_overlap_seconds);
  document.getElementById("acting").textContent = lengthText(run.metrics.acting_overlap_seconds);
  document.getElementById("settings").textContent = data.settings;
  document.getElementById("version").textContent =
    `tenure ${run.tenure}, trace ${run.trace_hash}, ${run.events} events` + (run.tzdb ? `, time zones ${run.tzdb}` : "");
  fillChips();
}

// What journals do not know stands above the picture that lacks it.
function fillHeadOfAudit() {
  document.getElementById("what").textContent = audit.what;
  const both = tables.overlaps.reduce((sum, row) => sum + endOf(row) - row.from, 0);
  document.getElementById("believing").textContent = lengthText(both);
  document.getElementById("acting").textContent = "not known";
  document.getElementById("version").textContent = `tenure ${run.tenure}`;
  for (const part of document.querySelectorAll(".of-runs")) part.hidden = true;
  for (const part of document.querySelectorAll(".of-audits")) part.hidden = false;
  document.getElementById("unknown").append(...audit.unknown.map((text) => element("li", text)));
}

function fillChips() {
  const chips = document.getElementById("chips");
  const add = (name, text) => {
    const chip = element("span", "", "chip");
    chip.append(element("b", name), element("span", text));
    chips.append(chip);
  };
  const excused = run.checks.find((check) => check.detail.startsWith("outside its claims: "));
  if (excused !== undefined) add("assumption broken", excused.detail.replace("outside its claims: ", ""));
  const struck = faultBefore(marks.length > 0 ? Math.min(...marks.map((mark) => mark.to)) : null);
  if (struck !== null) add("fault", struck.text);
}

// The last fault that struck before a moment.
function faultBefore(at) {
  if (at === null) return null;
  const before = tables.faults.filter((fault) => fault.from <= at);
  return before.length > 0 ? before[before.length - 1] : null;
}

function tableOf(caption, columns, rows) {
  const table = element("table");
  table.append(element("caption", caption));
  const head = element("tr");
  for (const column of columns) {
    const cell = element("th", column);
    cell.scope = "col";
    head.append(cell);
  }
  table.append(head);
  for (const row of rows) {
    const line = element("tr");
    for (const cell of row) line.append(element("td", cell));
    table.append(line);
  }
  return table;
}

function metricRows() {
  const rows = [];
  for (const [name, value] of Object.entries(run.metrics)) {
    if (value === null || typeof value === "object") continue;
    const words = name.replace(/_seconds$/, "").replaceAll("_", " ");
    rows.push([words, name.endsWith("_seconds") ? lengthText(value) : String(value)]);
  }
  return rows;
}

function distributionRows() {
  const rows = [];
  for (const [name, value] of Object.entries(run.metrics)) {
    if (value === null || typeof value !== "object" || !("p50" in value) || value.count === 0) continue;
    const words = name.replace(/_seconds$/, "").replaceAll("_", " ");
    const demanded = run.checks.filter((check) => check.kind === "threshold" && check.name === name);
    const said = demanded.map((check) => `${check.verdict}: ${check.detail}`).join("; ");
    rows.push([words, String(value.count), ...["min", "p50", "p90", "p99", "max"].map((key) => lengthText(value[key])), said]);
  }
  return rows;
}

const tableRowsMax = 200;
function fillTables() {
  const box = document.getElementById("tables");
  const name = (node) => recording.nodes[node] ?? "a client";
  const add = (caption, columns, rows) => {
    if (rows.length === 0) return;
    const more = rows.length > tableRowsMax ? ` (the first ${tableRowsMax} of ${rows.length})` : "";
    box.append(tableOf(caption + more, columns, rows.slice(0, tableRowsMax)));
  };
  add("Checks", ["check", "verdict", "examined", "what it says"],
    run.checks.map((check) => [check.name, check.demanded ? check.verdict : `${check.verdict}, only reported`,
      String(check.opportunities), check.detail || (check.violations[0]?.message ?? "")]));
  add("Violations", ["at", "check", "what"], marks.map((row) => [timeText(row.to), row.checker, row.message]));
  add("Two who believed", ["from", "for", "who", "both acted"],
    tables.overlaps.map((row) => [timeText(row.from), lengthText(endOf(row) - row.from), row.nodes.map(name).join(", "),
      audit !== null ? "not known" : row.acting ? "yes" : "no"]));
  add("Who led", ["node", "from", "for", "token", "how it ended"],
    tables.beliefs.map((row) => [name(row.node), timeText(row.from), lengthText(endOf(row) - row.from), row.token,
      row.ended || "it goes on"]));
  add("Faults", ["at", "for", "what"],
    tables.faults.map((row) => [timeText(row.from), lengthText(endOf(row) - row.from), row.text]));
  if (audit !== null) {
    for (const [caption, texts] of [["Lacking: what something shows and no journal tells", audit.lacking],
      ["Left out of what was judged", audit.left_out], ["Not judged", audit.not_judged], ["Notes", audit.notes]])
      add(caption, ["what"], texts.map((text) => [text]));
    return;
  }
  add("Measured", ["metric", "value"], metricRows());
  add("Distributions", ["metric", "count", "min", "p50", "p90", "p99", "max", "threshold"], distributionRows());
  add("Leaderless, by cause", ["cause", "for"],
    Object.entries(run.metrics.leaderless_by_cause).map(([cause, time]) => [cause, lengthText(time)]));
}
