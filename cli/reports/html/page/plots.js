// Distributions as pictures: how large a share of the samples is at most how much, with what was demanded of it. Every
// sample is a step of the line: nothing is hidden in a bin.
const svgElement = (name, attributes = {}, text = "") => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};

const wordsOf = (metric) => metric.replace(/_seconds$/, "").replaceAll("_", " ");

function plotOf(distribution) {
  const [width, height, left, right, top, bottom] = [460, 240, 44, 448, 30, 200];
  const last = distribution.steps[distribution.steps.length - 1];
  const bounds = distribution.thresholds.map((threshold) => threshold.bound);
  const from = Math.min(distribution.steps[0][0], ...bounds);
  const to = Math.max(last[0], ...bounds);
  const room = Math.max((to - from) * 0.05, to * 0.01, 1e-6);
  const x = d3.scaleLinear([from - room, to + room], [left, right]);
  const y = d3.scaleLinear([0, 1], [bottom, top]);
  const title = `${wordsOf(distribution.metric)}: ${distribution.count} ${distribution.count === 1 ? "sample" : "samples"}`;
  const picture = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "plot" });
  picture.append(svgElement("title", {}, `${title}; the table below says the same`));
  picture.append(svgElement("text", { x: left, y: 16, class: "heading" }, title));
  for (const share of [0, 0.5, 0.9, 1]) {
    picture.append(svgElement("path", { d: `M${left} ${y(share)}H${right}`, class: "grid" }));
    picture.append(svgElement("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, `${share * 100}%`));
  }
  for (const tick of x.ticks(5)) {
    picture.append(svgElement("path", { d: `M${x(tick)} ${bottom}V${bottom + 4}`, class: "grid" }));
    picture.append(svgElement("text", { x: x(tick), y: bottom + 17, "text-anchor": "middle" }, lengthText(tick)));
  }
  let path = `M${x(distribution.steps[0][0])} ${y(0)}`;
  for (const [value, count] of distribution.steps) path += `H${x(value).toFixed(2)}V${y(count / distribution.count).toFixed(2)}`;
  picture.append(svgElement("path", { d: path, class: "measured" }));
  distribution.thresholds.forEach((threshold, place) => {
    const at = x(threshold.bound);
    const before = at > (left + right) / 2;
    picture.append(svgElement("path", { d: `M${at} ${top}V${bottom}`, class: "threshold" }));
    picture.append(svgElement("text", { x: at + (before ? -5 : 5), y: bottom - 8 - 14 * place, class: "threshold",
      "text-anchor": before ? "end" : "start" }, threshold.text));
  });
  picture.append(svgElement("text", { x: right, y: height - 6, "text-anchor": "end" }, "cumulative share of samples"));
  return picture;
}

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
  const plots = data.distributions.map(plotOf);
  const causes = Object.entries(run.metrics.leaderless_by_cause).sort((a, b) => b[1] - a[1]);
  if (causes.length > 0 && causes[0][1] > 0) plots.push(plotOfCauses(causes));
  if (plots.length === 0) return;
  const row = element("div", "", "plots");
  row.append(...plots);
  box.append(row);
}
