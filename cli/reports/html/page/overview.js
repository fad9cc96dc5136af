// The whole run as a strip, with what is wrong marked red, and the window of the timeline in it.
const overview = document.getElementById("overview");
const stripHeight = 9;
const overviewHeight = 12 + byNode.length * stripHeight + 4;

// All but the window is drawn once for each width and palette.
const strip = document.createElement("canvas");
let stripFor = "";

function drawOverview() {
  const pen = contextOf(overview, overviewHeight);
  const x = d3.scaleLinear([0, endOfRun], [gutter, overview.clientWidth - 8]);
  const wanted = [overview.width, palette.paper].join();
  if (wanted !== stripFor) {
    drawStrip(pen, x);
    strip.width = overview.width;
    strip.height = overview.height;
    strip.getContext("2d").drawImage(overview, 0, 0);
    stripFor = wanted;
  } else {
    pen.drawImage(strip, 0, 0, overview.clientWidth, overviewHeight);
  }
  pen.strokeStyle = palette.ink;
  pen.strokeRect(x(view.from) + 0.5, 0.5, Math.max(x(view.to) - x(view.from) - 1, 2), overviewHeight - 1);
}

function drawStrip(pen, x) {
  byNode.forEach((node, place) => {
    const top = 12 + place * stripHeight;
    pen.strokeStyle = palette.line;
    for (const life of node.lives) line(pen, x(life.from), top + 3.5, x(endOf(life)), top + 3.5);
    pen.setLineDash([1, 5]);
    for (const silence of node.silences) line(pen, x(silence.from), top + 3.5, x(silence.to), top + 3.5);
    pen.setLineDash([]);
    pen.fillStyle = palette.leads;
    for (const belief of node.beliefs) pen.fillRect(x(belief.from), top, Math.max(x(endOf(belief)) - x(belief.from), 1), 7);
    // A leadership that was lost shows as a notch, however soon there was another.
    pen.fillStyle = palette.paper;
    for (const belief of node.beliefs) if (belief.to !== null) pen.fillRect(x(belief.to) - 1, top, 2, 7);
    pen.fillStyle = palette.paused;
    for (const pause of node.pauses) pen.fillRect(x(pause.from), top + 2, Math.max(x(endOf(pause)) - x(pause.from), 1), 3);
  });
  pen.fillStyle = palette.wrong;
  for (const mark of marks) {
    const at = x(mark.to);
    pen.beginPath();
    pen.moveTo(at - 4, 1);
    pen.lineTo(at + 4, 1);
    pen.lineTo(at, 9);
    pen.fill();
    pen.fillRect(at - 0.5, 8, 1, overviewHeight - 8);
  }
  const strip = (row) => pen.fillRect(x(row.from), overviewHeight - 4, Math.max(x(endOf(row)) - x(row.from), 2), 3);
  tables.overlaps.forEach(strip);
  for (const overlap of tables.overlaps) markSmall(pen, x, overlap, overviewHeight - 12);
  pen.fillStyle = palette.cut;
  leaderlessSpans().forEach(strip);
}

function moveWindow(event) {
  const box = overview.getBoundingClientRect();
  const x = d3.scaleLinear([0, endOfRun], [gutter, overview.clientWidth - 8]);
  const at = x.invert(event.clientX - box.left);
  const half = (view.to - view.from) / 2;
  show(at - half, at + half);
}
d3.select(overview).call(
  d3
    .drag()
    .on("start", () => moveWindow(d3.event.sourceEvent))
    .on("drag", () => moveWindow(d3.event.sourceEvent)),
);
