// The lane of a process. Belief is a bar, what comes between it and others is lines at its edges, work is ticks below it.
const barOf = (top) => ({ top: top + 8, height: 24 });

function drawNode(pen, x, node, top) {
  const bar = barOf(top);
  const picked = view.node === null || recording.nodes[view.node] === node.name;
  pen.globalAlpha = picked ? 1 : 0.35;
  for (const life of node.lives) {
    const alive = extent(x, life);
    if (alive === null) continue;
    pen.strokeStyle = palette.soft;
    line(pen, alive.left, bar.top + bar.height / 2, alive.left + alive.width, bar.top + bar.height / 2);
  }
  pen.setLineDash([5, 4]);
  for (const startup of node.startups) {
    const soon = extent(x, startup, 2);
    if (soon === null) continue;
    pen.strokeStyle = palette.soft;
    line(pen, soon.left, bar.top + bar.height / 2, soon.left + soon.width, bar.top + bar.height / 2);
  }
  pen.setLineDash([]);
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
    const warm = recording.warmup > 0 ? extent(x, warmupOf(belief)) : null;
    if (warm !== null) drawWarmup(pen, warm, bar);
  }
  for (const link of node.sends) drawLink(pen, x, link, bar.top - 4);
  for (const link of node.hears) drawLink(pen, x, link, bar.top + bar.height + 1);
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
  drawWork(pen, x, node, bar.top + bar.height + 5);
  pen.globalAlpha = 1;
}

// The upper half of the bar is not filled yet.
function drawWarmup(pen, warm, bar) {
  pen.fillStyle = palette.paper;
  pen.fillRect(warm.left + 1, bar.top + 1, Math.max(warm.width - 1, 0), bar.height / 2 - 1);
}

// A whole line where nothing comes through, a broken one where something is the matter.
function drawLink(pen, x, link, top) {
  const band = extent(x, link, 2);
  if (band === null) return;
  pen.fillStyle = palette.cut;
  if (link.cut) return pen.fillRect(band.left, top, band.width, 3);
  pen.strokeStyle = palette.cut;
  pen.setLineDash([3, 3]);
  pen.lineWidth = 2;
  line(pen, band.left, top + 1.5, band.left + band.width, top + 1.5);
  pen.lineWidth = 1;
  pen.setLineDash([]);
}

// What stands above all that is drawn.
function drawWords(pen, x, node, top) {
  const bar = barOf(top);
  const picked = view.node === null || recording.nodes[view.node] === node.name;
  pen.globalAlpha = picked ? 1 : 0.35;
  for (const belief of node.beliefs) {
    const led = extent(x, belief, 2);
    if (led === null || led.width <= 60) continue;
    const warm = recording.warmup > 0 ? extent(x, warmupOf(belief)) : null;  // its upper half is empty
    const y = bar.top + (warm !== null && warm.left <= led.left && warm.width > 6 ? 18.5 : 13);
    haloed(pen, shortened(pen, `leads ${belief.token}`, led.width - 10), led.left + 6, y, palette.paper, palette.leads);
  }
  for (const remark of node.remarks) {
    if (remark.at < view.from || remark.at > view.to) continue;
    pen.strokeStyle = palette.ink;
    pen.fillStyle = palette.paper;
    pen.beginPath();
    pen.arc(x(remark.at), bar.top - 3, 3, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

// A tick a fire; so many that they touch are one mark.
function drawWork(pen, x, node, top) {
  const work = node.work;
  drawSlots(pen, x, node, top);
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
      triangle(pen, at, top, 9, true);  // refused or doubled: a triangle, whatever its colour
    }
  }
}

// Late work has a dotted line from when it was due; slots that will never have work are crosses.
function drawSlots(pen, x, node, top) {
  pen.strokeStyle = palette.late;
  let reached = -Infinity;
  pen.setLineDash([1, 2]);
  for (const late of node.late) {
    if (late.at < view.from || late.at - late.late > view.to) continue;
    if (x(late.at) - reached < 1) continue;
    reached = x(late.at);
    line(pen, x(late.at - late.late), top + 8.5, x(late.at), top + 8.5);
  }
  pen.setLineDash([]);
  reached = -Infinity;
  for (const skipped of node.skipped) {
    const at = x(skipped.at);
    if (skipped.at < view.from || skipped.at > view.to || at - reached < 1) continue;
    reached = at;
    line(pen, at - 3, top + 1, at + 3, top + 7);
    line(pen, at - 3, top + 7, at + 3, top + 1);
  }
}
