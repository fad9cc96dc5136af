// Which run is shown: the only one, or the one that the address names, like #case=2. Without a name, a page of many
// shows what was found in all of them.
const caseOf = () => new URLSearchParams(location.hash.slice(1)).get("case");
const shownCase = caseOf();
const block = document.getElementById("data") ?? document.getElementById("case-" + shownCase);
if (block !== null) {
  const all = document.getElementById("cases");
  if (all !== null) {
    all.hidden = true;
    document.getElementById("back").hidden = false;
  }
  document.getElementById("run").hidden = false;
  showRun(JSON.parse(block.textContent));
}
// The scripts above show one run; another one needs the page anew.
window.addEventListener("hashchange", () => {
  if (caseOf() !== shownCase) location.reload();
});
