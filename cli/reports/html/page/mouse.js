// The mouse: wheel to zoom, drag to move, click for the cursor, a name for that node alone.
d3.select(timeline)
  .on("wheel", () => {
    const event = d3.event;
    event.preventDefault();
    const at = scaleOf(timeline).invert(Math.max(event.offsetX, gutter));
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / 1000);
    else zoomAround(at, Math.exp(event.deltaY * 0.002));
  })
  .on("dblclick", () => zoomAround(scaleOf(timeline).invert(d3.event.offsetX), 0.25));

let dragged = false;
d3.select(timeline).call(
  d3
    .drag()
    .on("start", () => (dragged = false))
    .on("drag", () => {
      dragged = true;
      const x = scaleOf(timeline);
      const by = x.invert(x(view.from) - d3.event.dx) - view.from;
      show(view.from + by, view.to + by);
    })
    .on("end", () => {
      if (!dragged) clickTimeline(d3.event.sourceEvent);
    }),
);

function clickTimeline(event) {
  const box = timeline.getBoundingClientRect();
  const at = scaleOf(timeline).invert(event.clientX - box.left);
  const lane = Math.floor((event.clientY - box.top - nodesTop) / heights.node);
  if (event.clientX - box.left < gutter) {
    const node = lane >= 0 && lane < byNode.length ? lane : null;
    view.node = view.node === node ? null : node;
    return changed();
  }
  setCursor(at, event.shiftKey);
}
