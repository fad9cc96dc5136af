// The state at the cursor: each node, the lease, the faults that last, and the requests that are under way.
const stateBox = document.getElementById("state");

// An element with text in it; never markup.
function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}

function stateOf(node, at) {
  const belief = node.beliefs.find((row) => lasts(row, at));
  if (node.silences.some((row) => lasts(row, at))) {
    const until = belief === undefined ? "" : belief.to === null ? "beyond the end" : `until ${timeText(belief.to)}`;
    const last = until === "" ? "" : `; it had said that it believes ${until}`;
    return `not known: nothing is written${last}`;
  }
  if (!node.lives.some((row) => lasts(row, at))) return "down";
  const paused = node.pauses.some((row) => lasts(row, at));
  const cut = node.cuts.some((row) => lasts(row, at));
  let text = belief === undefined ? "standby" : `leads ${belief.token}`.trim();
  if (belief !== undefined && paused) text = `believes ${belief.token}`.trim();
  // What came after is known here: a belief that was renewed lasts until its very end.
  if (belief !== undefined && belief.to !== null) text += `, until ${timeText(belief.to)}`;
  if (paused) text += ", paused";
  if (cut) text += ", cut off";
  return text;
}

function openRequests(at) {
  const open = [];
  for (let i = firstAfter(tables.requests, "decided", at - 60); i < tables.requests.length; ++i) {
    const request = tables.requests[i];
    if (request.decided > at) break;
    if (request.heard === null || request.heard > at) open.push(request);
  }
  return open;
}

function rowsOfState(at) {
  const rows = byNode.map((node) => [node.name, stateOf(node, at)]);
  const hold = tables.holds.find((row) => lasts(row, at));
  const holder = hold === undefined ? "nobody" : `${recording.nodes[hold.node] ?? ""} ${hold.token}`.trim();
  const store = storeFaults.filter((row) => lasts(row, at)).map((row) => row.action);
  rows.push(["lease", holder + (store.length > 0 ? ` (${store.join(", ")})` : "")]);
  for (const fault of tables.faults) if (lasts(fault, at) && fault.to !== fault.from) rows.push(["fault", fault.text]);
  for (const request of openRequests(at).slice(0, 8))
    rows.push(["request", `${recording.nodes[request.node]} ${request.what}: ${request.fate}`]);
  return rows;
}

function drawState() {
  const at = view.cursor;
  stateBox.replaceChildren();
  if (at === null) {
    stateBox.append(element("p", "Click into the timeline to see who believed what at that moment.", "soft"));
    return;
  }
  const head = element("h3", `At ${timeText(at)}`);
  if (view.other !== null) head.textContent += `, ${lengthText(Math.abs(view.other - at))} from the other cursor`;
  const list = element("dl");
  for (const [name, text] of rowsOfState(at)) list.append(element("dt", name), element("dd", text));
  stateBox.append(head, list);
}
