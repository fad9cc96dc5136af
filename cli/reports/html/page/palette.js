// Colours come from the style sheet, for light, dark and print; patterns say the same without colour.
const palette = {};

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "soft", "line", "paper", "leads", "paused", "cut", "wrong", "fault", "work", "late", "lease"])
    palette[name] = style.getPropertyValue("--" + name).trim();
  palette.font = "12px " + style.getPropertyValue("--font");
}
readPalette();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  readPalette();
  changed();
});

// Stripes in one colour: a square tile that repeats. A tile is made once.
const tiles = new Map();
function stripes(context, colour, gap) {
  const name = colour + gap;
  if (!tiles.has(name)) tiles.set(name, tileOf(colour, gap));
  return context.createPattern(tiles.get(name), "repeat");
}

function tileOf(colour, gap) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = gap * 2;
  const pen = tile.getContext("2d");
  pen.strokeStyle = colour;
  pen.lineWidth = gap / 2;
  pen.beginPath();
  for (const shift of [-gap * 2, 0, gap * 2]) {
    pen.moveTo(shift, gap * 2);
    pen.lineTo(shift + gap * 2, 0);
  }
  pen.stroke();
  return tile;
}

// A canvas as sharp as the screen, and its context in CSS pixels.
function contextOf(canvas, height) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = palette.font;
  context.textBaseline = "middle";
  return context;
}
