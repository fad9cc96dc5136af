// The keyboard and the buttons do the same things.
function nextMark(direction) {
  const times = [...new Set(marks.map((mark) => mark.to))].sort((a, b) => a - b);
  const at = view.cursor ?? (direction > 0 ? -1 : endOfRun + 1);
  const next = direction > 0 ? times.find((time) => time > at) : times.reverse().find((time) => time < at);
  if (next !== undefined) goTo(next);
}

const centre = () => (view.from + view.to) / 2;
const zoomCentre = () => (view.cursor !== null && view.cursor >= view.from && view.cursor <= view.to ? view.cursor : centre());
const acts = {
  "zoom-in": () => zoomAround(zoomCentre(), 0.5),
  "zoom-out": () => zoomAround(zoomCentre(), 2),
  "zoom-all": () => show(0, endOfRun),
  first: firstWindow,
  next: () => nextMark(1),
  previous: () => nextMark(-1),
  "copy-link": (button) => {
    const link = location.href.split("#")[0] + linkText();
    history.replaceState(null, "", linkText());
    copy(link, button);
  },
  "copy-picture": copyPicture,
  "copy-reproduce": (button) => copy(run.reproduce, button),
};
for (const [id, act] of Object.entries(acts)) {
  const button = document.getElementById(id);
  button.addEventListener("click", () => act(button));
}
for (const id of ["next", "previous"]) document.getElementById(id).hidden = marks.length === 0;

const keys = {
  "+": acts["zoom-in"], "=": acts["zoom-in"], "-": acts["zoom-out"], 0: acts["zoom-all"],
  ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), n: acts.next, p: acts.previous,
  ",": () => setCursor((view.cursor ?? centre()) - (view.to - view.from) / 200),
  ".": () => setCursor((view.cursor ?? centre()) + (view.to - view.from) / 200),
  m: () => setCursor(view.cursor ?? centre(), true),
  "/": () => searchBox.focus(),
  Escape: () => {
    setCursor(null);
    view.node = null;
  },
};
document.addEventListener("keydown", (event) => {
  const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (typing && event.key === "Escape") return event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = keys[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
});
