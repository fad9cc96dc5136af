// Distributions, which the program has drawn, and the causes of leaderless time.
const svgElement = (name, attributes = {}, text = "") => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};

const wordsOf = (metric) => metric.replace(/_seconds$/, "").replaceAll("_", " ");

// Without a leader, by what began it: bars with the longest first.
function plotOfCauses(causes) {
  const [left, width] = [150, 460];
  const longest = Math.max(...causes.map(([, time]) => time));
  const picture = svgElement("svg", { viewBox: `0 0 ${width} ${34 + causes.length * 22}`, role: "img", class: "plot" });
  picture.append(svgElement("title", {}, "Leaderless, by cause; the table below says the same"));
  picture.append(svgElement("text", { x: 4, y: 16, class: "heading" }, "leaderless, by cause"));
  causes.forEach(([cause, time], place) => {
    const top = 26 + place * 22;
    const length = ((width - left - 80) * time) / longest;
    picture.append(svgElement("text", { x: left - 8, y: top + 13, "text-anchor": "end" }, cause));
    picture.append(svgElement("rect", { x: left, y: top, width: Math.max(length, 1), height: 16, class: "bar" }));
    picture.append(svgElement("text", { x: left + length + 6, y: top + 13 }, lengthText(time)));
  });
  return picture;
}

function fillPlots(box) {
  if (audit !== null) return;
  const plots = data.pictures.map((svg) => new DOMParser().parseFromString(svg, "image/svg+xml").documentElement);
  const causes = causesOf();
  if (causes.length > 0) plots.push(plotOfCauses(causes));
  if (plots.length === 0) return;
  const row = element("div", "", "plots");
  row.append(...plots);
  box.append(row);
}
