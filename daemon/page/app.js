// The page of `tenured`: what is wrong, who leads, what is due, late, missed and dead; and what one can do about it.
// Whatever the server sends is shown as text (textContent), so a name is never markup.
"use strict";

const REFRESH_MS = 5000;
const SOON_MS = 10 * 60 * 1000;
const LATE_MS = 60 * 1000;  // how long an event may wait before it is late
const SOON_EVERY_MS = 20 * 1000;
const SHOWN = 200;          // rows of a table, at most

const $ = (id) => document.getElementById(id);

// ---- the server ----

let clockOffset = 0;  // the server's clock minus this machine's
let token = sessionStorage.getItem("tenure-token") || "";
const now = () => Date.now() + clockOffset;

// What a request came to: {status, body}; status 0 if there was no answer.
async function ask(method, path, body, headers = {}) {
  const all = { Accept: "application/json", ...headers };
  if (token) all.Authorization = `Bearer ${token}`;
  if (body !== undefined) all["Content-Type"] = "application/json";
  try {
    const answer = await fetch(path, {
      method, headers: all, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store", redirect: "error",
    });
    const date = Date.parse(answer.headers.get("date") || "");
    if (!Number.isNaN(date)) {
      // A date has whole seconds: smaller differences are none.
      const offset = date + 500 - Date.now();
      clockOffset = Math.abs(offset) > 1500 ? offset : 0;
    }
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  } catch (error) {
    return { status: 0, body: null, why: String(error.message || error) };
  }
}
const ok = (answer) => answer.status >= 200 && answer.status < 300;

function wordsOf(answer) {
  if (answer.status === 0) return `no answer: ${answer.why}`;
  const problem = answer.body || {};
  const words = [problem.title, problem.detail].filter(Boolean).join(": ");
  return words || `the server answered ${answer.status}`;
}

// ---- words ----

function length(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
// The reader's own time, and beside it UTC, as logs and schedules have it.
function timeOf(text) {
  if (!text) return "";
  const utc = `${text.slice(0, 19).replace("T", " ")} UTC`;
  const time = new Date(text);
  return time.getTimezoneOffset() === 0 ? utc : `${time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" })} (${utc})`;
}
function recurrence(schedule) {
  if (schedule.cron) return schedule.cron + (schedule.timezone ? ` ${schedule.timezone}` : "");
  if (schedule.every) return `every ${schedule.every}`;
  if (schedule.once) return `once, ${timeOf(schedule.once)}`;
  return schedule.at ? `at ${schedule.at.length} times` : "unreadable";
}
// "9.8s", "1m30s" in milliseconds.
function durationOf(text) {
  let ms = 0;
  for (const [, number, unit] of String(text || "").matchAll(/([0-9.]+)(ms|us|ns|h|m|s)/g))
    ms += Number(number) * { h: 3600000, m: 60000, s: 1000, ms: 1, us: 0.001, ns: 0.000001 }[unit];
  return ms;
}
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

// ---- elements ----

function element(kind, text, className) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
// Only what has changed is written: a reader's place and a screen reader's words stay.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Makes the rows of a table those of `items`, in order. A row stays the same element as long as its key is there, so
// that the focus stays in it. `cells` are texts, or {text, note}; `buttons` are [label, name for a screen reader, action].
function showRows(id, items, keyOf, cellsOf, buttonsOf) {
  const body = $(id).tBodies[0];
  const old = new Map([...body.rows].map((row) => [row.dataset.key, row]));
  const kept = items.slice(0, SHOWN).map((item) => {
    const key = keyOf(item);
    const row = old.get(key) || element("tr");
    row.dataset.key = key;
    old.delete(key);
    cellsOf(item).forEach((cell, at) => fillCell(row, at, cell));
    if (buttonsOf) fillButtons(row, cellsOf(item).length, buttonsOf(item));
    return row;
  });
  for (const row of old.values()) row.remove();
  kept.forEach((row, at) => {
    if (body.rows[at] !== row) body.insertBefore(row, body.rows[at] || null);
  });
  $(id).hidden = kept.length === 0;
  $(`${id}-none`).hidden = kept.length > 0;
}
// That there are no rows is known only from an answer.
function showWhetherKnown(id, answer) {
  setText($(`${id}-none`), ok(answer) ? "none" : `unknown: ${wordsOf(answer)}`);
}
function fillCell(row, at, cell) {
  const { text, note } = typeof cell === "string" ? { text: cell } : cell;
  const place = row.cells[at] || row.appendChild(element("td"));
  if (!place.firstChild) place.append(element("span"));
  setText(place.firstChild, text);
  if (note && !place.children[1]) place.append(element("span", "", "note"));
  if (place.children[1]) setText(place.children[1], note || "");
}
function fillButtons(row, at, buttons) {
  const place = row.cells[at] || row.appendChild(element("td"));
  buttons.forEach(([label, name, action], index) => {
    const button = place.children[index] || place.appendChild(element("button"));
    setText(button, label);
    button.type = "button";
    button.setAttribute("aria-label", name);
    button.onclick = action;
  });
  while (place.children.length > buttons.length) place.lastChild.remove();
}

// ---- what one can do: each asks first ----

function confirmed(title, text, yes, withWhy) {
  const dialog = $("confirm");
  $("confirm-title").textContent = title;
  $("confirm-text").textContent = text;
  $("confirm-yes").textContent = yes;
  $("confirm-why").hidden = !withWhy;
  $("why").value = "";
  dialog.returnValue = "no";
  dialog.showModal();
  // A stray Enter does no harm.
  (withWhy ? $("why") : $("confirm-no")).focus();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "yes" ? { why: $("why").value } : null);
  });
}
async function act(done, method, path, body, headers) {
  const answer = await ask(method, path, body, headers);
  $("said").textContent = ok(answer) ? done : `Not done: ${wordsOf(answer)}`;
  soonAt = 0;
  await refresh();
}
const pathOf = (name, verb) => `/v1/schedules/${encodeURIComponent(name)}/${verb}`;

async function pause(name) {
  const yes = await confirmed(`Pause ${name}?`, "It fires no more until somebody resumes it. Slots meanwhile are recorded as suppressed.", "Pause", true);
  if (yes) await act(`${name} is paused`, "POST", pathOf(name, "pause"), yes.why ? { why: yes.why } : {});
}
async function resume(name) {
  const yes = await confirmed(`Resume ${name}?`, "It fires again from its next slot on.", "Resume", true);
  if (yes) await act(`${name} runs again`, "POST", pathOf(name, "resume"), yes.why ? { why: yes.why } : {});
}
async function trigger(name) {
  const yes = await confirmed(`Trigger ${name}?`, "It runs once, now, besides its slots.", "Trigger");
  // If the answer is lost, the browser may ask again: still one run.
  if (yes) await act(`${name} is to run once`, "POST", pathOf(name, "trigger"), {}, { "Idempotency-Key": crypto.randomUUID() });
}
async function replay(event) {
  const yes = await confirmed(`Replay ${event.schedule}?`, `The event of ${timeOf(event.slot)} is delivered again, under the same id.`, "Replay");
  if (yes) await act(`The event of ${event.schedule} is to be delivered again`, "POST", "/v1/events:replay", { keys: [event.key] });
}

// Those that are shown.
async function replayAll() {
  const keys = deadShown.map((event) => event.key);
  const yes = await confirmed(`Replay ${counted(keys.length, "event")}?`, "All dead events that are shown are delivered again, under the same ids.", "Replay all");
  if (yes) await act(`${counted(keys.length, "event")} are to be delivered again`, "POST", "/v1/events:replay", { keys });
}
async function discardAll() {
  const keys = deadShown.map((event) => event.key);
  const yes = await confirmed(`Discard ${counted(keys.length, "event")}?`, "None of the dead events that are shown is delivered. They stay in the store as discarded until they are too old, and count no more.", "Discard all");
  if (yes) await act(`${counted(keys.length, "event")} are discarded`, "POST", "/v1/events:discard", { keys });
}

async function discard(event) {
  const yes = await confirmed(`Discard ${event.schedule}?`, `The event of ${timeOf(event.slot)} is not delivered. It stays in the store as discarded until it is too old, and counts no more.`, "Discard");
  if (yes) await act(`The event of ${event.schedule} is discarded`, "POST", "/v1/events:discard", { keys: [event.key] });
}

// ---- what is shown ----

// Whether the reader's token allows it: what would be refused is not offered. The server judges each request anyway.
const may = (scope) => ((leaders && leaders.caller && leaders.caller.scopes) || []).includes(scope);

let leaders = null;  // as read last, and when
let readAt = 0;

// From the commit, not from the slot: a backfill fires slots of long ago.
const waitOf = (event) => now() - Date.parse(event.fired);
// The oldest first. Somebody is at those that are claimed.
const lateOf = (waiting) => waiting.filter((event) => waitOf(event) > LATE_MS && !event.claimed).sort((a, b) => waitOf(b) - waitOf(a));
function waitsFor(event) {
  if (event.destination) return `${event.destination} has not taken it`;
  if (!event.attempts) return "nobody has taken it";
  return `${event.worker || "a worker"} failed; ${counted(event.attempts, "attempt")}, the next from ${timeOf(event.until)}`;
}

function troublesOf(ready, led, waiting, dead, unread) {
  const troubles = [];
  if (ready.status === 0) troubles.push(`tenured does not answer: ${ready.why}. What is below is old.`);
  else if (ready.status !== 200) troubles.push(`Not ready: ${((ready.body || {}).reasons || []).join("; ") || `the server answered ${ready.status}`}`);
  if (led && !ok(led)) troubles.push(`Who leads is not known: ${wordsOf(led)}`);
  if (led && ok(led)) {
    const hold = led.body.hold;
    if (hold) troubles.push(`Firing is held since ${timeOf(hold.since)}: the store's clock jumped by ${hold.jump}`);
    const parts = led.body.leaders || [];
    const without = parts.filter((part) => !part.led);
    if (parts.length === 0 || without.length === parts.length) troubles.push("Nobody leads: nothing fires");
    else if (without.length > 0) troubles.push(`Nobody leads ${counted(without.length, "resource")}`);
  }
  for (const warning of (ready.body || {}).warnings || []) if (!warning.startsWith("nothing fires")) troubles.push(warning);
  const late = lateOf(waiting);
  if (late.length > 0) troubles.push(`${counted(late.length, "event")}${late.length >= SHOWN ? " or more" : ""} late, the oldest by ${length(waitOf(late[0]))}`);
  if (unread && ready.status !== 0) troubles.push(`Which events wait, or are dead, is not known: ${wordsOf(unread)}`);
  if (dead.length > 0) troubles.push(`${counted(dead.length, "event")}${dead.length >= SHOWN ? " or more" : ""} given up`);
  return troubles;
}

function showTroubles(troubles) {
  const list = $("trouble-list");
  const text = troubles.join("\n");
  if (list.dataset.text !== text) {
    list.dataset.text = text;
    list.replaceChildren(...troubles.map((trouble) => element("li", trouble)));
  }
  $("trouble").hidden = troubles.length === 0;
  $("calm").hidden = troubles.length > 0;
  document.title = troubles.length > 0 ? `(${troubles.length}) Tenure` : "Tenure";
}

function showLeader() {
  if (!leaders) return;
  const facts = [];
  const left = (text) => length(durationOf(text) - (Date.now() - readAt));
  for (const part of leaders.leaders || []) {
    const which = part.resource === 0 ? "Leader" : `Leader of resource ${part.resource}`;
    facts.push([which, part.led ? `node ${part.node}${part.is_this ? " (this instance)" : ""}, epoch ${part.epoch}` : "nobody"]);
    if (part.led) facts.push(["Lease ends in", left(part.expires_in)]);
  }
  const self = leaders.this;
  if (self) {
    facts.push(["This instance", `node ${self.node}, ${self.role}`]);
    if (self.belief_left) facts.push(["It believes for", left(self.belief_left)]);
  }
  const list = $("leader");
  while (list.children.length > facts.length * 2) list.lastChild.remove();
  facts.forEach(([name, value], at) => {
    const term = list.children[at * 2] || list.appendChild(element("dt"));
    const detail = list.children[at * 2 + 1] || list.appendChild(element("dd"));
    setText(term, name);
    setText(detail, value);
  });
}

let due = [];
function showDue() {
  showRows("due", due, (schedule) => schedule.name, (schedule) => {
    const left = Date.parse(schedule.status.next) - now();
    return [schedule.name, timeOf(schedule.status.next), left > 0 ? length(left) : "now"];
  });
}

let deadShown = [];
function showEvents(waiting, dead) {
  deadShown = dead.slice(0, SHOWN);
  showRows("late", lateOf(waiting), (event) => event.key, (event) =>
    [event.schedule, timeOf(event.slot), length(waitOf(event)), waitsFor(event)]);
  showRows("dead", dead, (event) => event.key, (event) =>
    [event.schedule, timeOf(event.slot),
     { text: event.why || `failed ${counted(event.attempts || 1, "time")}`, note: event.since ? `since ${timeOf(event.since)}` : "" }],
    (event) => (may("admin") ? [["Replay", `Replay ${event.schedule}, ${timeOf(event.slot)}`, () => replay(event)],
                                ["Discard", `Discard ${event.schedule}, ${timeOf(event.slot)}`, () => discard(event)]] : []));
  $("dead-admin").hidden = dead.length === 0 || may("admin");
  for (const all of ["replay-all", "discard-all"]) $(all).hidden = dead.length < 2 || !may("admin");
}

function showMissed(answer) {
  $("missed-section").hidden = !ok(answer);
  if (!ok(answer)) return;
  showRows("missed", answer.body.fires || [], (fire) => String(fire.seq), (fire) =>
    [fire.schedule, { text: timeOf(fire.from), note: fire.slots > 1 ? `and ${fire.slots - 1} more, before ${timeOf(fire.to)}` : "" },
     `too late when it was found, ${timeOf(fire.at)}`]);
}

function showSchedules(answer) {
  const schedules = answer.body.schedules || [];
  showRows("schedules", schedules, (schedule) => schedule.name, (schedule) => {
    const { state, paused, next } = schedule.status;
    const note = paused ? `by ${paused.by || "?"}, ${timeOf(paused.since)}${paused.why ? `: ${paused.why}` : ""}` : "";
    return [schedule.name, recurrence(schedule), { text: state, note }, timeOf(next)];
  }, (schedule) => {
    const { name, status } = schedule;
    if (!may("write")) return [];
    const turn = status.state === "paused" ? ["Resume", `Resume ${name}`, () => resume(name)] : ["Pause", `Pause ${name}`, () => pause(name)];
    return [turn, ["Trigger", `Trigger ${name}`, () => trigger(name)]];
  });
  $("schedules-more").hidden = !answer.body.cursor;
  $("schedules-more").textContent = `These are the first ${SHOWN}. A name above, or \`tenure schedule list\`, shows others.`;
}

// ---- from time to time ----

let reading = null;
let soonAt = 0;  // when what is due soon was asked for: to sort, the server reads every schedule
let knowsMissed = true;  // the server has a list of what was missed
let again = false;  // it was asked for while it was being read

async function read() {
  const query = new URLSearchParams({ limit: String(SHOWN) });
  if ($("prefix").value) query.set("prefix", $("prefix").value);
  if ($("state").value) query.set("state", $("state").value);
  const [ready, led, schedules, soon, pulled, pushed, dead, missed] = await Promise.all([
    ask("GET", "/readyz"), ask("GET", "/v1/leaders"), ask("GET", `/v1/schedules?${query}`),
    Date.now() - soonAt < SOON_EVERY_MS ? null : ask("GET", `/v1/schedules?order=next&state=active&limit=${SHOWN}`),
    ask("GET", `/v1/events?limit=${SHOWN}`), ask("GET", `/v1/events?kind=push&limit=${SHOWN}`),
    ask("GET", `/v1/events/dead?limit=${SHOWN}`), knowsMissed ? ask("GET", `/v1/fires?outcome=missed&limit=${SHOWN}`) : { status: 404 }]);
  if (missed.status === 404) knowsMissed = false;
  if (led.status === 401) askForToken();
  const eventsOf = (answer) => (ok(answer) ? answer.body.events || [] : []);
  if (ok(led)) [leaders, readAt] = [led.body, Date.now()];
  if (soon && ok(soon)) [due, soonAt] = [soon.body.schedules.filter((each) => each.status.next && Date.parse(each.status.next) - now() <= SOON_MS), Date.now()];
  if (soon) showWhetherKnown("due", soon);
  showWhetherKnown("late", ok(pulled) ? pushed : pulled);
  showWhetherKnown("dead", dead);
  showWhetherKnown("schedules", schedules);
  if (ok(schedules)) showSchedules(schedules);
  const waiting = [...eventsOf(pulled), ...eventsOf(pushed)];
  showEvents(waiting, eventsOf(dead));
  showMissed(missed);
  showTroubles(troublesOf(ready, ready.status === 0 ? null : led, waiting, eventsOf(dead), [pulled, pushed, dead].find((answer) => !ok(answer))));
  if (ready.status !== 0) setText($("freshness"), `as of ${new Date().toLocaleTimeString()}`);
  tick();
}
function refresh() {
  if (reading) {
    again = true;
    return reading;
  }
  reading = read().finally(() => {
    reading = null;
    if (again) {
      again = false;
      refresh();
    }
  });
  return reading;
}
function tick() {
  showLeader();
  showDue();
}

function askForToken() {
  const dialog = $("ask-token");
  if (dialog.open) return;
  dialog.showModal();
  dialog.onclose = () => {
    token = $("token").value.trim();
    sessionStorage.setItem("tenure-token", token);
    $("token").value = "";
    refresh();
  };
}

$("replay-all").addEventListener("click", replayAll);
$("discard-all").addEventListener("click", discardAll);
$("filter").addEventListener("submit", (event) => event.preventDefault());
$("prefix").addEventListener("input", refresh);
$("state").addEventListener("change", refresh);
document.addEventListener("visibilitychange", () => document.hidden || refresh());
setInterval(() => document.hidden || tick(), 1000);
setInterval(() => document.hidden || refresh(), REFRESH_MS);
refresh();
