// Curves of channels over time, one plot for each unit, cursors linked with the time line.

import uPlot from "uplot";
import { fill, h } from "../dom.js";
import { PALETTE } from "../../../viewer/theme.js";

export class Plots {
  constructor(root, studio) {
    Object.assign(this, { studio, channels: [], charts: [] });
    this.picker = h("input", { type: "text", list: "channel-names", placeholder: "+ channel, such as O.q", "aria-label": "Add a channel to the plots", onchange: () => {
      const name = this.picker.value.trim();
      if (name) this.add(name);
      this.picker.value = "";
    } });
    this.names = h("datalist", { id: "channel-names" });
    this.list = h("div", { class: "chips" });
    this.area = h("div", { class: "charts" });
    fill(root, h("div", { class: "pane-head" }, this.picker, this.names, this.list), this.area);
    new ResizeObserver(() => this.resize()).observe(this.area);
  }

  setNames(names) {
    fill(this.names, names.map((name) => h("option", { value: name })));
    this.known = new Set(names);
  }

  add(name) {
    if (this.known && !this.known.has(name)) return this.studio.messages.note(`There is no channel ${name} in this run.`, "warning", "plots");
    this.studio.messages.clear("plots");
    if (!this.channels.includes(name)) this.channels.push(name);
    this.load();
  }

  remove(name) {
    this.channels = this.channels.filter((one) => one !== name);
    this.load();
  }

  async load() {
    fill(this.list, this.channels.map((name) => h("span", { class: "chip" }, name, h("button", { type: "button", "aria-label": `Remove ${name} from the plots`, onclick: () => this.remove(name) }, "✕"))));
    const runs = this.studio.plottedRuns();
    const curves = [];
    for (const run of runs) {
      const names = this.channels.filter((name) => run.channels.has(name));
      if (!names.length) continue;
      try {
        for (const curve of (await this.studio.curves(run.name, names)).curves) curves.push({ ...curve, run: run.name, label: runs.length > 1 ? `${run.name}: ${curve.name}` : curve.name });
      } catch (error) {
        this.studio.messages.note(error.message, "error", "plots");
      }
    }
    this.draw(curves);
  }

  draw(curves) {
    for (const { chart } of this.charts) chart.destroy();
    const groups = Map.groupBy ? Map.groupBy(curves, (curve) => curve.unit) : grouped(curves);
    fill(this.area);
    this.charts = [...groups].map(([unit, members]) => this.chart(unit, members));
    this.resize();
  }

  chart(unit, members) {
    const times = [...new Set(members.flatMap((curve) => curve.t))].sort((a, b) => a - b);
    const data = [times, ...members.map((curve) => {
      const values = new Map(curve.t.map((t, k) => [t, curve.values[k]]));
      return times.map((t) => values.get(t) ?? null);
    })];
    const root = h("div", { class: "chart", role: "img", "aria-label": `Plot of ${members.map((curve) => curve.label).join(", ")}` });
    this.area.append(root);
    const style = getComputedStyle(root);
    const ink = style.getPropertyValue("--soft") || "#666";
    const line = style.getPropertyValue("--line") || "#ddd";
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, font: "11px system-ui" };
    const series = members.map((curve, k) => ({ label: curve.label, stroke: PALETTE[k % PALETTE.length], width: 1.6, spanGaps: true, dash: curve.run === this.studio.shown ? undefined : [6, 4] }));
    const chart = new uPlot({
      width: 300, height: 120, cursor: { sync: { key: "time" }, drag: { x: true, y: false } }, scales: { x: { time: false } }, legend: { live: true },
      axes: [{ ...axis, size: 30 }, { ...axis, size: 62, label: unit || "1", labelSize: 16, labelFont: "11px system-ui" }],
      series: [{ label: "t [s]" }, ...series],
      hooks: { draw: [(u) => this.mark(u)] },
    }, data, root);
    chart.over.addEventListener("click", () => {
      if (chart.cursor.left >= 0) this.studio.timeline.seek(chart.posToVal(chart.cursor.left, "x"));
    });
    return { chart, root };
  }

  // The present time as a line.
  mark(u) {
    const t = this.studio.timeline.player.time;
    const x = u.valToPos(t, "x", true);
    if (!(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
    u.ctx.save();
    u.ctx.strokeStyle = "#f08c00";
    u.ctx.lineWidth = 1.5 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  showTime() {
    for (const { chart } of this.charts) chart.redraw(false, false);
  }

  resize() {
    const columns = Math.max(1, Math.min(this.charts.length, Math.floor(this.area.clientWidth / 340)));
    const rows = Math.ceil(this.charts.length / columns);
    const each = Math.max(90, this.area.clientHeight / Math.max(rows, 1) - 34);
    const width = this.area.clientWidth / columns - 12;
    for (const { chart } of this.charts) if (width > 60) chart.setSize({ width, height: each });
  }
}

function grouped(curves) {
  const found = new Map();
  for (const curve of curves) found.set(curve.unit, [...(found.get(curve.unit) ?? []), curve]);
  return found;
}
