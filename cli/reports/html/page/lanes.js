// The timeline: faults above, then a lane for each store, then one for each process (nodes.js).
const gutter = 72;
const heights = { axis: 22, fault: 18, store: 26, node: 50, edge: 6 };
const timeline = document.getElementById("timeline");

// Faults that overlap get lines of their own, as far as four go.
const faultLines = 4;
const faultRows = [];
{
  const free = [];
  for (const fault of tables.faults) {
    let line = free.findIndex((at) => at <= fault.from);
    if (line < 0) line = free.length < faultLines ? free.length : faultLines - 1;
    free[line] = endOf(fault);
    faultRows.push({ fault, line });
  }
}
const faultsHeight = (Math.max(...faultRows.map((row) => row.line), 0) + 1) * heights.fault + heights.edge;
const storesTop = heights.axis + faultsHeight;
const storeTop = (store) => storesTop + store * heights.store;
const nodesTop = storeTop(byStore.length) + heights.edge;
const timelineHeight = nodesTop + byNode.length * heights.node + heights.edge;
const nodeTop = (node) => nodesTop + node * heights.node;

function scaleOf(canvas) {
  return d3.scaleLinear([view.from, view.to], [gutter, canvas.clientWidth - 8]);
}

function drawTimeline() {
  const pen = contextOf(timeline, timelineHeight);
  const x = scaleOf(timeline);
  const width = timeline.clientWidth;
  drawLabels(pen);
  pen.save();
  pen.beginPath();
  pen.rect(gutter, 0, width - gutter, timelineHeight);
  pen.clip();
  drawAxis(pen, x, width);
  drawFaults(pen, x);
  byStore.forEach((store, place) => drawStore(pen, x, store, storeTop(place)));
  drawRequests(pen, x);
  byNode.forEach((node, place) => drawNode(pen, x, node, nodeTop(place)));
  drawWrongs(pen, x);
  byNode.forEach((node, place) => drawWords(pen, x, node, nodeTop(place)));
  drawCursors(pen, x);
  pen.restore();
}

function drawLabels(pen) {
  pen.fillStyle = palette.soft;
  pen.textAlign = "left";
  if (audit === null) pen.fillText("faults", 8, heights.axis + heights.fault / 2);
  byStore.forEach((store, place) => pen.fillText(store.name, 8, storeTop(place) + heights.store / 2));
  pen.fillStyle = palette.ink;
  byNode.forEach((node, place) => {
    pen.fillText(shortened(pen, node.name, gutter - 14), 8, nodeTop(place) + 20);
  });
}

function shortened(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let length = text.length;
  while (length > 0 && pen.measureText(text.slice(0, length) + "…").width > width) --length;
  return length > 0 ? text.slice(0, length) + "…" : "";
}

function drawAxis(pen, x, width) {
  const ticks = x.ticks(Math.max(2, Math.floor(width / 130)));
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  pen.textAlign = "left";
  for (const tick of ticks) {
    pen.strokeStyle = palette.line;
    line(pen, x(tick), heights.axis - 4, x(tick), timelineHeight);
    pen.fillStyle = palette.soft;
    pen.fillText(tickText(tick, step), x(tick) + 3, heights.axis / 2);
  }
  if (recording.healed === null) return;
  pen.setLineDash([2, 4]);
  pen.strokeStyle = palette.soft;
  line(pen, x(recording.healed), heights.axis, x(recording.healed), timelineHeight);
  pen.setLineDash([]);
}

function line(pen, x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

// From a row's beginning to its end, at least a pixel wide; null: not in the window.
function extent(x, row, least = 1) {
  const to = endOf(row);
  if (to < view.from || row.from > view.to) return null;
  const left = Math.max(x(row.from), gutter);
  const right = Math.min(x(to), x(view.to) + 8);
  return { left, width: Math.max(right - left, least) };
}

function drawFaults(pen, x) {
  for (const { fault, line: place } of faultRows) {
    const bar = extent(x, fault, 2);
    if (bar === null) continue;
    const top = heights.axis + place * heights.fault + 2;
    pen.fillStyle = palette.fault;
    pen.globalAlpha = 0.25;
    pen.fillRect(bar.left, top, bar.width, heights.fault - 4);
    pen.globalAlpha = 1;
    pen.fillRect(bar.left, top, 2, heights.fault - 4);
    pen.fillStyle = palette.ink;
    pen.textAlign = "left";
    if (bar.width > 30) pen.fillText(shortened(pen, fault.text, bar.width - 8), bar.left + 5, top + 7);
  }
}

// To whom the lease was given is a frame; what is the matter with the store is striped: densely where it does not answer.
function drawStore(pen, x, store, top) {
  const bottom = top + heights.store;
  for (const trouble of store.troubles) {
    const bar = extent(x, trouble, 2);
    if (bar === null) continue;
    if (trouble.to === trouble.from) {
      pen.fillStyle = palette.fault;
      triangle(pen, bar.left, top + 1, 6);
      continue;
    }
    pen.fillStyle = stripes(pen, palette.fault, trouble.answers ? 7 : 4);
    pen.fillRect(bar.left, trouble.answers ? bottom - 9 : top + 1, bar.width, trouble.answers ? 8 : heights.store - 2);
  }
  for (const hold of store.holds) {
    const bar = extent(x, hold);
    if (bar === null) continue;
    pen.strokeStyle = palette.lease;
    pen.strokeRect(bar.left + 0.5, top + 4.5, bar.width - 1, heights.store - 9);
    const text = [recording.nodes[hold.node] ?? "", hold.token].join(" ").trim();
    if (bar.width > 24) plated(pen, shortened(pen, text, bar.width - 8), bar.left + 5, top + heights.store / 2, palette.ink);
  }
  for (const trouble of store.troubles) {
    const bar = extent(x, trouble, 2);
    if (bar !== null && bar.width > 140) plated(pen, shortened(pen, trouble.text, bar.width - 64), bar.left + 60, top + heights.store / 2, palette.fault);
  }
}

function triangle(pen, x, top, height, up = false) {
  pen.beginPath();
  pen.moveTo(x - height / 2, up ? top + height : top);
  pen.lineTo(x + height / 2, up ? top + height : top);
  pen.lineTo(x, up ? top : top + height);
  pen.fill();
}

// Words over a pattern, on a plate of their own.
function plated(pen, text, x, y, colour) {
  const width = pen.measureText(text).width;
  pen.globalAlpha = 0.85;
  pen.fillStyle = palette.paper;
  if (text !== "") pen.fillRect(x - 3, y - 8, width + 6, 15);
  pen.globalAlpha = 1;
  pen.fillStyle = colour;
  pen.textAlign = "left";
  pen.fillText(text, x, y);
}

// Words over a pattern, with an edge.
function haloed(pen, text, x, y, colour, halo = palette.paper) {
  pen.textAlign = "left";
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = halo;
  pen.strokeText(text, x, y);
  pen.lineWidth = 1;
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}

// What is too short to be seen has an arrow above it that points at it. True: it has one.
function markSmall(pen, x, row, top) {
  const width = x(endOf(row)) - x(row.from);
  if (width >= 8) return false;
  triangle(pen, x(row.from) + width / 2, top, 9);
  return true;
}

// Two who believe at once, and violations: outlined and striped as well as red.
function drawWrongs(pen, x) {
  let markers = 0;
  for (const overlap of tables.overlaps) {
    const bar = extent(x, overlap, 3);
    if (bar === null) continue;
    for (const node of overlap.nodes) {
      pen.fillStyle = stripes(pen, palette.wrong, overlap.acting ? 4 : 8);
      pen.fillRect(bar.left, nodeTop(node) + 8, bar.width, 24);
      pen.strokeStyle = palette.wrong;
      pen.lineWidth = overlap.acting ? 2 : 1;
      pen.strokeRect(bar.left, nodeTop(node) + 8, bar.width, 24);
      pen.lineWidth = 1;
    }
    const text = `${overlap.acting ? "both act" : "both believe"} ${lengthText(endOf(overlap) - overlap.from)}`;
    pen.fillStyle = palette.wrong;
    const top = nodeTop(Math.min(...overlap.nodes));
    const small = markSmall(pen, x, overlap, top - 3);
    if (small) ++markers;
    if (small) haloed(pen, text, Math.min(bar.left + 9, timeline.clientWidth - 110), top + 2, palette.wrong);
    else if (bar.width > pen.measureText(text).width + 6) pen.fillText(text, bar.left + 3, top + 3);
  }
  for (const mark of marks) {
    if (mark.to < view.from || mark.to > view.to) continue;
    pen.strokeStyle = pen.fillStyle = palette.wrong;
    line(pen, x(mark.to), heights.axis, x(mark.to), timelineHeight);
    if (mark.demanded) triangle(pen, x(mark.to), heights.axis - 6, 9);
    else pen.strokeRect(x(mark.to) - 3.5, heights.axis - 5, 7, 7);
  }
  timeline.dataset.markers = markers;
}

function drawCursors(pen, x) {
  pen.strokeStyle = pen.fillStyle = palette.ink;
  for (const at of [view.cursor, view.other]) {
    if (at === null) continue;
    line(pen, x(at), 0, x(at), timelineHeight);
  }
  if (view.cursor === null || view.other === null) return;
  const middle = (x(view.cursor) + x(view.other)) / 2;
  const y = timelineHeight - 5;
  line(pen, x(view.cursor), y, x(view.other), y);
  pen.textAlign = "center";
  pen.fillText(lengthText(Math.abs(view.other - view.cursor)), middle, y - 9);
  pen.textAlign = "left";
}

// Only what is there is explained.
function fillLegend() {
  const some = (key, is = () => true) => byNode.some((node) => node[key].some(is));
  const ofStore = (is) => tables.troubles.some(is);
  const fate = (is) => tables.requests.some((request) => is(looks[request.fate].colour));
  const there = {
    fault: tables.faults.length > 0,
    gap: leaderlessSpans().length > 0,
    answered: fate((colour) => colour === "soft"),
    unheard: fate((colour) => colour !== "soft"),
    healed: recording.healed !== null,
    small: tables.overlaps.some((row) => endOf(row) - row.from < endOfRun / 100),
    warm: recording.warmup > 0 && tables.beliefs.length > 0,
    paused: some("pauses"),
    down: some("lives", (life) => life.to !== null),
    startup: some("startups"),
    cut: tables.links.some((link) => link.cut),
    slow: tables.links.some((link) => !link.cut),
    silent: some("silences"),
    lease: tables.holds.length > 0,
    dead: ofStore((row) => !row.answers),
    ill: ofStore((row) => row.answers && row.to !== row.from),
    jump: ofStore((row) => row.to === row.from),
    wrong: tables.overlaps.length > 0,
    violation: marks.some((mark) => mark.demanded),
    reported: marks.some((mark) => !mark.demanded),
    tick: tables.work.length > 0,
    late: tables.late.length > 0,
    skipped: tables.skipped.length > 0,
    odd: some("work", (fire) => fire.landing !== "begun"),
    remark: some("remarks"),
    buckets: tables.buckets.length > 0,
  };
  for (const entry of document.querySelectorAll("[data-of]")) entry.hidden = !there[entry.dataset.of];
}
