// Requests as arrows between a process and a store, coloured and dashed by their fate.
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
    return `Not every request in this window is recorded here; of the others there are sums. To record them: ${run.reproduce} --report FILE --report-window ${window}`;
  }
  return requests === null ? "Zoom in to see the requests to the store." : "";
}

function drawRequests(pen, x) {
  const requests = requestsShown();
  requestsNote.textContent = noteOnRequests(requests);
  for (const request of requests ?? []) {
    const look = looks[request.fate];
    const nodeY = nodeTop(request.node) + 8;
    const storeY = storeTop(request.store) + heights.store;
    pen.setLineDash(look.dash);
    pen.globalAlpha = request.fate === "answered" ? 0.45 : 1;
    pen.strokeStyle = pen.fillStyle = palette[look.colour];
    // A journal knows when it was asked and heard, and not its way.
    if (audit !== null) line(pen, x(request.decided), nodeY - 4, x(request.heard ?? endOfRun), nodeY - 4);
    if (request.left !== null && request.arrived !== null) line(pen, x(request.left), nodeY, x(request.arrived), storeY);
    if (request.applied !== null && request.returned !== null) line(pen, x(request.applied), storeY, x(request.returned), nodeY);
    if (request.left !== null && request.arrived === null) line(pen, x(request.left), nodeY, x(request.left) + 4, (nodeY + storeY) / 2);
    pen.setLineDash([]);
    if (request.applied !== null) triangle(pen, x(request.applied), storeY - 3, 5, true);
    if (request.applied !== null && request.returned !== null && x(request.returned) - x(request.applied) > 12)
      triangle(pen, x(request.returned), nodeY - 5, 5);
  }
  pen.globalAlpha = 1;
  drawBuckets(pen, x);
}

// Where requests are not recorded one by one: a step for each stretch of time, the higher the more there were.
const bucketMost = Math.max(...tables.buckets.map((row) => row.count), 1);
function drawBuckets(pen, x) {
  for (const bucket of tables.buckets) {
    const bar = extent(x, bucket);
    if (bar === null || bucket.node >= byNode.length) continue;
    const height = 1 + (6 * bucket.count) / bucketMost;
    pen.fillStyle = bucket.unanswered > 0 ? palette.late : palette.soft;
    pen.globalAlpha = 0.35;
    pen.fillRect(bar.left, nodeTop(bucket.node) + 7 - height, bar.width, height);
  }
  pen.globalAlpha = 1;
}
