// Links to a moment, like #t=76.4s&for=10s&node=n1, and what can be copied.
function linkText() {
  const at = view.cursor ?? (view.from + view.to) / 2;
  const parts = shownCase === null ? [] : [`case=${shownCase}`];
  parts.push(`t=${+at.toFixed(9)}s`, `for=${+(view.to - view.from).toFixed(9)}s`);
  if (view.node !== null) parts.push(`node=${encodeURIComponent(recording.nodes[view.node])}`);
  return "#" + parts.join("&");
}

// False: the address names no moment.
function followLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  const at = parseFloat(link.get("t"));
  if (!Number.isFinite(at)) return false;
  const length = parseFloat(link.get("for"));
  const node = recording.nodes.indexOf(link.get("node"));
  view.node = node < 0 ? null : node;
  goTo(at, Number.isFinite(length) ? length : 20);
  return true;
}

// Says for a moment that it was done.
async function copy(text, button) {
  const was = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
  } catch {
    button.textContent = "press Ctrl+C";
    prompt("Copy this:", text);
  }
  setTimeout(() => (button.textContent = was), 1500);
}

// The timeline as it is shown, as a picture in the clipboard.
function copyPicture(button) {
  timeline.toBlob(async (blob) => {
    const was = button.textContent;
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      button.textContent = "copied";
    } catch {
      button.textContent = "the browser does not allow it";
    }
    setTimeout(() => (button.textContent = was), 1500);
  });
}

window.addEventListener("hashchange", followLink);
