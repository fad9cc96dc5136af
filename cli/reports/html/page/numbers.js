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
  document.getElementById("leaderless").textContent = lengthText(run.metrics.leaderless_seconds);
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
  const wrong = marks.length > 0 ? Math.min(...marks.map((mark) => mark.to)) : null;
  if (data.assumption !== undefined) add("assumption broken", data.assumption);
  for (const fault of faultsBefore(wrong)) add("fault", fault.text);
  if (data.price !== undefined) add("price of the fix", data.price);
  const causes = causesOf().map(([cause, time]) => `${cause} ${lengthText(time)}`);
  if (causes.length > 0) add("nobody led, by cause", causes.join(", "));
}

// Faults that lasted at a moment, and the last one that struck before it.
const faultsMax = 4;
function faultsBefore(at) {
  if (at === null) return [];
  const before = tables.faults.filter((fault) => fault.from <= at);
  return before.filter((fault, i) => i + 1 === before.length || endOf(fault) >= at).slice(-faultsMax);
}

// "kill 52s", by what began it, the longest first.
const causesOf = () => Object.entries(run.metrics.leaderless_by_cause).filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]);

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
    row.forEach((cell, i) => {
      const made = element("td", cell);
      made.dataset.label = columns[i];
      line.append(made);
    });
    table.append(line);
  }
  return table;
}

// What thresholds say of a metric.
function demandedOf(name) {
  const demanded = run.checks.filter((check) => check.kind === "threshold" && check.name === name);
  return demanded.map((check) => `${check.verdict}: ${check.detail}`).join("; ");
}

function metricRows() {
  const rows = [];
  for (const [name, value] of Object.entries(run.metrics)) {
    if (value === null || typeof value === "object") continue;
    rows.push([wordsOf(name), name.endsWith("_seconds") ? lengthText(value) : String(value), demandedOf(name)]);
  }
  return rows;
}

function distributionRows() {
  const rows = [];
  for (const [name, value] of Object.entries(run.metrics)) {
    if (value === null || typeof value !== "object" || !("p50" in value) || value.count === 0) continue;
    rows.push([wordsOf(name), String(value.count), ...["min", "p50", "p90", "p99", "max"].map((key) => lengthText(value[key])),
      demandedOf(name)]);
  }
  return rows;
}

const tableRowsMax = 200;
function fillTables() {
  const box = document.getElementById("tables");
  const name = (node) => recording.nodes[node] ?? "a client";
  fillPlots(box);
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
  add("Assumptions broken", ["assumption", "by", "of", "at", "for"],
    tables.broken.map((row) => [row.assumption, row.by, row.nodes.map(name).join(", ") || "all", timeText(row.from),
      lengthText(endOf(row) - row.from)]));
  add("Stores: what was the matter", ["store", "at", "for", "what"],
    tables.troubles.map((row) => [recording.stores[row.store], timeText(row.from), lengthText(endOf(row) - row.from), row.text]));
  add("Links: what was the matter", ["from", "to", "at", "for", "what"],
    tables.links.map((row) => [row.sender === null ? recording.stores[row.store] : name(row.sender),
      row.receiver === null ? recording.stores[row.store] : name(row.receiver), timeText(row.from),
      lengthText(endOf(row) - row.from), row.text]));
  add("To whom the lease was given", ["store", "node", "at", "for", "token"],
    tables.holds.map((row) => [recording.stores[row.store], name(row.node), timeText(row.from),
      lengthText(endOf(row) - row.from), row.token]));
  add("Late", ["slot", "node", "began", "late", "why"],
    tables.late.map((row) => [row.what, name(row.node), timeText(row.at), lengthText(row.late), row.why]));
  add("Slots left out", ["first", "node", "at", "slots", "why"],
    tables.skipped.map((row) => [row.what, name(row.node), timeText(row.at), String(row.slots), row.why]));
  if (audit !== null) {
    for (const [caption, texts] of [["Lacking: what something shows and no journal tells", audit.lacking],
      ["Left out of what was judged", audit.left_out], ["Not judged", audit.not_judged], ["Notes", audit.notes]])
      add(caption, ["what"], texts.map((text) => [text]));
    return;
  }
  add("Measured", ["metric", "value", "threshold"], metricRows());
  add("Distributions", ["metric", "count", "min", "p50", "p90", "p99", "max", "threshold"], distributionRows());
  add("Leaderless, by cause", ["cause", "for"],
    Object.entries(run.metrics.leaderless_by_cause).map(([cause, time]) => [cause, lengthText(time)]));
}
