// What is shown: a window of the run, up to two cursors, and what the story is filtered by. Whoever draws, listens.
const view = { from: 0, to: endOfRun, cursor: null, other: null, node: null, listeners: [] };

function onChange(listener) {
  view.listeners.push(listener);
}

let waiting = false;
function changed() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    for (const listener of view.listeners) listener();
  });
}

const shortestWindow = 1e-6;

function show(from, to) {
  const length = Math.min(Math.max(to - from, shortestWindow), endOfRun);
  view.from = Math.min(Math.max(from, 0), endOfRun - length);
  view.to = view.from + length;
  changed();
}

function zoomAround(at, factor) {
  const length = Math.max((view.to - view.from) * factor, shortestWindow);
  const share = (at - view.from) / (view.to - view.from);
  show(at - length * share, at + length * (1 - share));
}

function pan(share) {
  const by = (view.to - view.from) * share;
  show(view.from + by, view.to + by);
}

function setCursor(at, isOther = false) {
  view[isOther ? "other" : "cursor"] = at === null ? null : Math.min(Math.max(at, 0), endOfRun);
  if (!isOther && at === null) view.other = null;
  changed();
}

// Brings a moment into the window, with what is around it.
function goTo(at, length = null) {
  setCursor(at);
  if (length !== null) return show(at - length / 2, at + length / 2);
  if (at < view.from || at > view.to) show(at - (view.to - view.from) / 2, at + (view.to - view.from) / 2);
}

// A window for a span, with a margin on both sides.
function showSpan(from, to) {
  const margin = Math.max((to - from) * 0.3, 0.5);
  show(from - margin, to + margin);
}

// Where a reader should look first: the first violation that counts; else two who believed; else the whole run.
function firstWindow() {
  if (marks.length > 0) return showMark(marks.reduce((a, b) => (b.to < a.to ? b : a)));
  if (tables.overlaps.length > 0) return showSpan(tables.overlaps[0].from, endOf(tables.overlaps[0]));
  return show(0, endOfRun);
}

// A violation with what led to it: the last fault before it, and the two who believed.
const longestBefore = 120;
function showMark(mark) {
  setCursor(mark.to);
  const two = overlapsAround(mark.to);
  const fault = tables.faults.filter((row) => row.from <= mark.to).pop();
  const begins = [mark.from, ...two.map((row) => row.from), fault === undefined ? mark.to : fault.from];
  const from = Math.max(Math.min(...begins), mark.to - longestBefore);
  const to = Math.max(mark.to, ...two.map(endOf));
  // Two who believed for so short a time that nobody would see it: that time alone. The strip above has the rest.
  const length = two.length === 0 ? 0 : Math.max(...two.map(endOf)) - two[0].from;
  if (length > 0 && length < (to - from) / 100) return show(two[0].from - 10 * length, two[0].from + 10 * length);
  showSpan(from, to);
}

// The time of two who believe at a moment, whether both act or not: overlaps that touch each other.
function overlapsAround(at) {
  const all = tables.overlaps;
  let first = all.findIndex((row) => row.from <= at && at <= endOf(row));
  if (first < 0) return [];
  let last = first;
  while (first > 0 && endOf(all[first - 1]) >= all[first].from) --first;
  while (last + 1 < all.length && all[last + 1].from <= endOf(all[last])) ++last;
  return all.slice(first, last + 1);
}

// When nobody led, after somebody first did.
function leaderlessSpans() {
  const spans = [];
  let reached = null;
  for (const belief of [...tables.beliefs].sort((a, b) => a.from - b.from)) {
    if (reached !== null && belief.from > reached) spans.push({ from: reached, to: belief.from });
    reached = Math.max(reached ?? 0, endOf(belief));
  }
  if (reached !== null && reached < endOfRun) spans.push({ from: reached, to: endOfRun });
  return spans;
}
