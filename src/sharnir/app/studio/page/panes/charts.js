// What all charts share: axes in the colours of the page, and files that the browser saves.

import uPlot from "uplot";

// Values from `low` to `high` with some room; a curve that does not change lies in the middle.
function range(chart, low, high) {
  if (low === null) return [0, 1];
  const room = Math.abs(low) || 1;
  return high - low > 1e-12 * room ? uPlot.rangeNum(low, high, 0.1, true) : [low - room, high + room];
}

// Options of uPlot for a chart below `root`, with a label at its vertical axis.
export function chartFrame(root, label) {
  const style = getComputedStyle(root);
  const ink = style.getPropertyValue("--soft").trim() || "#666";
  const line = style.getPropertyValue("--line").trim() || "#ddd";
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 5 }, font: "11px system-ui" };
  return {
    width: 300, height: 120, padding: [10, 12, 0, 0], cursor: { sync: { key: "time" }, drag: { x: true, y: false, setScale: true }, points: { size: 6 } }, scales: { x: { time: false }, y: { range } },
    axes: [{ ...axis, size: 26, gap: 3 }, { ...axis, size: 58, gap: 3, space: 22, label, labelSize: 18, labelGap: 0, labelFont: "11px system-ui" }],
  };
}

export function download(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
