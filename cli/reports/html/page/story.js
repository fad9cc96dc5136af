// What happened, line by line: filtered by node, kind and words, and linked with the timeline both ways.
const storyList = document.getElementById("story");
const kindBox = document.getElementById("kind");
const nodeBox = document.getElementById("node");
const searchBox = document.getElementById("search");
const linesMax = 400;
let lines = [];

function fillFilters() {
  const option = (value, text) => {
    const made = element("option", text);
    made.value = value;
    return made;
  };
  const kinds = [...new Set(tables.story.map((row) => row.kind))].sort();
  kindBox.append(option("", "every kind"), ...kinds.map((kind) => option(kind, kind)));
  nodeBox.append(option("", "every node"), ...recording.nodes.map((name, node) => option(String(node), name)));
}

function matches(row) {
  const words = searchBox.value.trim().toLowerCase();
  if (kindBox.value !== "" && row.kind !== kindBox.value) return false;
  if (view.node !== null && row.node !== null && row.node !== view.node) return false;
  return words === "" || `${row.who} ${row.text}`.toLowerCase().includes(words);
}

// As many lines as a page can hold, around the window.
function fillStory() {
  nodeBox.value = view.node === null ? "" : String(view.node);
  const all = tables.story.filter(matches);
  const first = Math.max(0, Math.min(firstAfter(all, "at", view.from) - 40, all.length - linesMax));
  lines = all.slice(first, first + linesMax);
  document.getElementById("story-count").textContent = `${all.length} of ${tables.story.length} lines`;
  storyList.replaceChildren(...lines.map(lineOf));
}

function lineOf(row) {
  const item = element("li");
  const button = element("button", "", row.kind);
  button.type = "button";
  button.append(element("time", timeText(row.at)), element("b", row.who), element("span", row.text));
  button.addEventListener("click", () => goTo(row.at));
  item.append(button);
  return item;
}

// The lines in the window, and the one at the cursor. The list follows the timeline.
function markStory() {
  const first = lines.findIndex((row) => row.at >= view.from);
  if (view.cursor === null && first >= 0) scrollInto(storyList.children[first]);
  const near = view.cursor === null ? -1 : firstAfter(lines, "at", view.cursor - 1e-9);
  [...storyList.children].forEach((item, i) => {
    item.classList.toggle("outside", lines[i].at < view.from || lines[i].at > view.to);
    item.firstChild.toggleAttribute("aria-current", i === near);
    if (i === near) scrollInto(item);
  });
}

function scrollInto(item) {
  const top = item.offsetTop - storyList.offsetTop;
  if (top < storyList.scrollTop || top > storyList.scrollTop + storyList.clientHeight - 30)
    storyList.scrollTop = top - storyList.clientHeight / 3;
}

// What is asked for is there at once. A long story follows the window when that rests: hundreds of lines in every frame
// would be slow.
let filledFor = "";
let resting = null;
function drawStory() {
  const wanted = [kindBox.value, view.node, searchBox.value].join();
  if (wanted !== filledFor) fillStory();
  filledFor = wanted;
  if (tables.story.length <= linesMax) return markStory();
  clearTimeout(resting);
  resting = setTimeout(() => {
    fillStory();
    markStory();
  }, 100);
}

kindBox.addEventListener("change", changed);
searchBox.addEventListener("input", changed);
nodeBox.addEventListener("change", () => {
  view.node = nodeBox.value === "" ? null : Number(nodeBox.value);
  changed();
});
// Enter goes to the next line that matches.
searchBox.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  const all = tables.story.filter(matches);
  const next = all.find((row) => row.at > (view.cursor ?? -1)) ?? all[0];
  if (next !== undefined) goTo(next.at);
});
