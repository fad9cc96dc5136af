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
  if (!node.lives.some((row) => lasts(row, at)))
    return node.startups.some((row) => lasts(row, at)) ? "starts up" : "down";
  const paused = node.pauses.some((row) => lasts(row, at));
  let text = belief === undefined ? "standby" : `leads ${belief.token}`.trim();
  if (belief !== undefined && paused) text = `believes ${belief.token}`.trim();
  if (belief !== undefined && at < warmupOf(belief).to) text += ", warms up and is of no use yet";
  // What came after is known here: a belief that was renewed lasts until its very end.
  if (belief !== undefined && belief.to !== null) text += `, until ${timeText(belief.to)} (${lengthText(belief.to - at)} left)`;
  if (paused) text += ", paused";
  for (const link of linksOf(node, at)) text += `; ${link}`;
  const clocks = clocksOf(node, at);
  if (clocks !== "") text += `; ${clocks}`;
  const said = node.remarks.filter((row) => row.at <= at).pop();
  if (said !== undefined) text += `; at ${timeText(said.at)} it ${said.text}`;
  return text;
}

// "sends nothing to store, n2"; "what it sends to n3: slow by 2s".
function linksOf(node, at) {
  const texts = [];
  for (const [links, other, nothing, something] of [[node.sends, "receiver", "sends nothing to", "what it sends to"],
    [node.hears, "sender", "hears nothing from", "what it hears from"]]) {
    const ends = new Map();
    for (const link of links.filter((row) => lasts(row, at))) {
      const name = link[other] === null ? recording.stores[link.store] : recording.nodes[link[other]];
      ends.set(link.text, [...(ends.get(link.text) ?? []), name]);
    }
    for (const [text, names] of ends)
      texts.push(text === "cut" ? `${nothing} ${names.join(", ")}` : `${something} ${names.join(", ")}: ${text}`);
  }
  return texts;
}

// How far a node's clocks are off, if they are.
function clocksOf(node, at) {
  const clock = node.clocks.filter((row) => row.at <= at).pop();
  if (clock === undefined) return "";
  const drifted = (clock.rate / 1e6) * (at - clock.at);
  const texts = [];
  const off = (name, seconds) => {
    if (Math.abs(seconds) >= 0.001) texts.push(`${name} clock ${lengthText(Math.abs(seconds))} ${seconds < 0 ? "behind" : "ahead"}`);
  };
  off("wall", clock.wall + drifted);
  off("monotonic", clock.mono + (clock.still ? clock.at - at : drifted));
  if (clock.still) texts.push("monotonic clock stands still");
  if (clock.rate !== 0) texts.push(`clocks run at ${clock.rate > 0 ? "+" : ""}${clock.rate} ppm`);
  return texts.join(", ");
}

function stateOfStore(store, at) {
  const hold = store.holds.find((row) => lasts(row, at));
  const texts = [];
  if (hold !== undefined) texts.push(`lease given to ${recording.nodes[hold.node] ?? ""} ${hold.token}`.trim());
  else if (store.holds.length > 0) texts.push("lease given to nobody");
  if (audit !== null) return texts.join("; ") || "not known";
  const troubles = store.troubles.filter((row) => lasts(row, at) && row.to !== row.from).map((row) => row.text);
  return [...texts, troubles.length > 0 ? troubles.join(", ") : "up"].join("; ");
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
  for (const store of byStore) rows.push([store.name, stateOfStore(store, at)]);
  for (const fault of tables.faults) if (lasts(fault, at) && fault.to !== fault.from) rows.push(["fault", fault.text]);
  for (const request of openRequests(at).slice(0, 8))
    rows.push(["request", `${recording.nodes[request.node]} ${request.what}: ${request.fate}`]);
  for (const node of byNode)
    for (const bucket of node.buckets.filter((row) => row.from <= at && at < row.to))
      rows.push(["requests", `${node.name} ${bucketText(bucket)}`]);
  return rows;
}

// Of requests that are not recorded one by one.
function bucketText(bucket) {
  const span = `from ${timeText(bucket.from, 0)} to ${timeText(bucket.to, 0)}`;
  const took = bucket.least === null ? "" : `, answered after ${lengthText(bucket.least)} to ${lengthText(bucket.most)}`;
  return `${bucket.count} ${span}${took}${bucket.unanswered > 0 ? `, ${bucket.unanswered} unanswered` : ""}`;
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
