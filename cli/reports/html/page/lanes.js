// The timeline: faults above, then the store's lease, then a lane a process. Belief is a bar, work is ticks below it.
const gutter = 72;
const heights = { axis: 22, fault: 18, lease: 26, node: 50, edge: 6 };
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
const leaseTop = heights.axis + faultsHeight;
const nodesTop = leaseTop + heights.lease + heights.edge;
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
  drawLease(pen, x);
  drawRequests(pen, x);
  byNode.forEach((node, place) => drawNode(pen, x, node, nodeTop(place)));
  drawWrongs(pen, x);
  drawCursors(pen, x);
  pen.restore();
}

function drawLabels(pen) {
  pen.fillStyle = palette.soft;
  pen.textAlign = "left";
  if (audit === null) pen.fillText("faults", 8, heights.axis + heights.fault / 2);
  pen.fillText("lease", 8, leaseTop + heights.lease / 2);
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

function drawLease(pen, x) {
  for (const fault of storeFaults) {
    const bar = extent(x, fault, 2);
    if (bar === null) continue;
    pen.fillStyle = stripes(pen, palette.fault, 4);
    pen.fillRect(bar.left, leaseTop, bar.width, heights.lease);
  }
  for (const hold of tables.holds) {
    const bar = extent(x, hold);
    if (bar === null) continue;
    pen.strokeStyle = palette.lease;
    pen.strokeRect(bar.left + 0.5, leaseTop + 4.5, bar.width - 1, heights.lease - 9);
    pen.fillStyle = palette.ink;
    const text = [recording.nodes[hold.node] ?? "", hold.token].join(" ").trim();
    if (bar.width > 24) pen.fillText(shortened(pen, text, bar.width - 8), bar.left + 5, leaseTop + heights.lease / 2);
  }
}

function drawNode(pen, x, node, top) {
  const bar = { top: top + 8, height: 24 };
  const picked = view.node === null || recording.nodes[view.node] === node.name;
  pen.globalAlpha = picked ? 1 : 0.35;
  for (const life of node.lives) {
    const alive = extent(x, life);
    if (alive === null) continue;
    pen.strokeStyle = palette.soft;
    line(pen, alive.left, bar.top + bar.height / 2, alive.left + alive.width, bar.top + bar.height / 2);
  }
  // Of these times nothing is known.
  for (const silence of node.silences) {
    const band = extent(x, silence, 2);
    if (band === null) continue;
    pen.strokeStyle = palette.soft;
    pen.setLineDash([1, 5]);
    line(pen, band.left, bar.top + bar.height / 2, band.left + band.width, bar.top + bar.height / 2);
    pen.setLineDash([]);
  }
  for (const belief of node.beliefs) {
    const led = extent(x, belief, 2);
    if (led === null) continue;
    pen.fillStyle = palette.leads;
    pen.fillRect(led.left, bar.top, led.width, bar.height);
    pen.fillStyle = palette.paper;
    if (led.width > 60) pen.fillText(shortened(pen, `leads ${belief.token}`, led.width - 10), led.left + 6, bar.top + 12);
  }
  for (const cut of node.cuts) {
    const band = extent(x, cut, 2);
    if (band === null) continue;
    pen.fillStyle = palette.cut;
    pen.fillRect(band.left, bar.top - 4, band.width, 3);
    pen.fillRect(band.left, bar.top + bar.height + 1, band.width, 3);
  }
  for (const pause of node.pauses) {
    const still = extent(x, pause, 2);
    if (still === null) continue;
    pen.fillStyle = palette.paper;
    pen.globalAlpha = picked ? 0.6 : 0.2;
    pen.fillRect(still.left, bar.top, still.width, bar.height);
    pen.globalAlpha = picked ? 1 : 0.35;
    pen.fillStyle = stripes(pen, palette.paused, 4);
    pen.fillRect(still.left, bar.top, still.width, bar.height);
  }
  for (const silence of node.silences) {
    const band = extent(x, silence, 2);
    if (band === null) continue;
    pen.save();
    pen.beginPath();
    pen.rect(band.left, bar.top, band.width, bar.height);
    pen.clip();
    for (const belief of node.beliefs) {
      const said = extent(x, belief, 2);
      if (said === null) continue;
      pen.fillStyle = palette.paper;
      pen.fillRect(said.left, bar.top, said.width, bar.height);
      pen.setLineDash([2, 3]);
      pen.strokeStyle = palette.leads;
      pen.strokeRect(said.left + 0.5, bar.top + 0.5, said.width - 1, bar.height - 1);
      pen.setLineDash([]);
    }
    pen.restore();
  }
  drawWork(pen, x, node.work, bar.top + bar.height + 5);
  pen.globalAlpha = 1;
}

// A tick a fire; so many that they touch are one mark.
function drawWork(pen, x, work, top) {
  let reached = -Infinity;
  for (let i = firstAfter(work, "from", view.from - (view.to - view.from)); i < work.length; ++i) {
    const fire = work[i];
    if (fire.from > view.to) break;
    const at = x(fire.from);
    const good = fire.landing === "begun";
    if (good && at - reached < 1) continue;
    if (good) reached = at;
    const length = Math.max(x(endOf(fire)) - at, 0);
    pen.fillStyle = good ? palette.work : palette.late;
    if (good) {
      pen.fillRect(at, top, 2, 9);
      pen.globalAlpha *= 0.35;
      pen.fillRect(at, top + 3, length, 3);
      pen.globalAlpha /= 0.35;
    } else {
      pen.beginPath();  // refused or doubled: a triangle, whatever its colour
      pen.moveTo(at - 4, top + 9);
      pen.lineTo(at + 4, top + 9);
      pen.lineTo(at, top);
      pen.fill();
    }
  }
}

// Only when few enough are in the window to tell them apart; the page says so.
const requestsMax = 100;
const requestsNote = document.getElementById("requests-note");
const looks = {
  answered: { dash: [], colour: "soft" },
  rejected: { dash: [6, 3], colour: "late" },
  "never applied": { dash: [2, 3], colour: "wrong" },
  "applied, and the node does not know": { dash: [8, 2, 2, 2], colour: "wrong" },
  "answered too late": { dash: [8, 2, 2, 2], colour: "late" },
  "no answer": { dash: [1, 4], colour: "soft" },
  "given up; the store may have applied it": { dash: [2, 3], colour: "late" },
};

function requestsShown() {
  const shown = [];
  for (let i = firstAfter(tables.requests, "decided", view.from - 10); i < tables.requests.length; ++i) {
    const request = tables.requests[i];
    if (request.decided > view.to) break;
    if ((request.heard ?? request.returned ?? request.decided) < view.from) continue;
    shown.push(request);
    if (shown.length > requestsMax) return null;
  }
  return shown;
}

// Of a long run the page has the requests only where there is news; the command records those of another window.
function noteOnRequests(requests) {
  if (audit === null && !tables.detail.some((span) => span.from <= view.from && view.to <= span.to)) {
    const window = `${view.from.toFixed(3)}s..${view.to.toFixed(3)}s`;
    return `Not every request in this window is recorded here: ${run.reproduce} --report FILE --report-window ${window}`;
  }
  return requests === null ? "Zoom in to see the requests to the store." : "";
}

function drawRequests(pen, x) {
  const requests = requestsShown();
  requestsNote.textContent = noteOnRequests(requests);
  for (const request of requests ?? []) {
    const look = looks[request.fate];
    const nodeY = nodeTop(request.node) + 8;
    const storeY = leaseTop + heights.lease;
    pen.setLineDash(look.dash);
    pen.globalAlpha = request.fate === "answered" ? 0.45 : 1;
    pen.strokeStyle = pen.fillStyle = palette[look.colour];
    // A journal knows when it was asked and heard, and not its way.
    if (audit !== null) line(pen, x(request.decided), nodeY - 4, x(request.heard ?? endOfRun), nodeY - 4);
    if (request.left !== null && request.arrived !== null) line(pen, x(request.left), nodeY, x(request.arrived), storeY);
    if (request.applied !== null && request.returned !== null) line(pen, x(request.applied), storeY, x(request.returned), nodeY);
    if (request.left !== null && request.arrived === null) line(pen, x(request.left), nodeY, x(request.left) + 4, (nodeY + storeY) / 2);
    pen.setLineDash([]);
    if (request.applied !== null) pen.fillRect(x(request.applied) - 1.5, storeY - 3, 3, 3);
  }
  pen.globalAlpha = 1;
}

// Two who believe at once, and violations: outlined and striped as well as red.
function drawWrongs(pen, x) {
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
    if (bar.width > pen.measureText(text).width + 6)
      pen.fillText(text, bar.left + 3, nodeTop(Math.min(...overlap.nodes)) + 3);
  }
  for (const mark of marks) {
    if (mark.to < view.from || mark.to > view.to) continue;
    pen.strokeStyle = pen.fillStyle = palette.wrong;
    line(pen, x(mark.to), heights.axis, x(mark.to), timelineHeight);
    pen.beginPath();
    pen.moveTo(x(mark.to) - 5, heights.axis - 6);
    pen.lineTo(x(mark.to) + 5, heights.axis - 6);
    pen.lineTo(x(mark.to), heights.axis + 2);
    pen.fill();
  }
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

// ---- the mouse ----
d3.select(timeline)
  .on("wheel", () => {
    const event = d3.event;
    event.preventDefault();
    const at = scaleOf(timeline).invert(Math.max(event.offsetX, gutter));
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / 1000);
    else zoomAround(at, Math.exp(event.deltaY * 0.002));
  })
  .on("dblclick", () => zoomAround(scaleOf(timeline).invert(d3.event.offsetX), 0.25));

let dragged = false;
d3.select(timeline).call(
  d3
    .drag()
    .on("start", () => (dragged = false))
    .on("drag", () => {
      dragged = true;
      const x = scaleOf(timeline);
      const by = x.invert(x(view.from) - d3.event.dx) - view.from;
      show(view.from + by, view.to + by);
    })
    .on("end", () => {
      if (!dragged) clickTimeline(d3.event.sourceEvent);
    }),
);

function clickTimeline(event) {
  const box = timeline.getBoundingClientRect();
  const at = scaleOf(timeline).invert(event.clientX - box.left);
  const lane = Math.floor((event.clientY - box.top - nodesTop) / heights.node);
  if (event.clientX - box.left < gutter) {
    const node = lane >= 0 && lane < byNode.length ? lane : null;
    view.node = view.node === node ? null : node;
    return changed();
  }
  setCursor(at, event.shiftKey);
}
