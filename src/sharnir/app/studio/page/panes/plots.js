// Curves of channels over time, one plot for each unit, cursors and zoom linked with each other and with the time line.

import uPlot from "uplot";
import { fill, h, shown as digits } from "../dom.js";
import { PALETTE } from "../../../viewer/theme.js";
import { chartFrame, download } from "./charts.js";

const MOST_NEAR = 4; // channels of what is selected
const MOST_OFFERED = 200; // channels that are listed while one types
const PATIENCE = 120; // ms after a zoom before finer curves are asked for
const LEGEND = 4; // px below the legend of a chart
const LIVE = 250; // ms between two drawings of a run that goes on
const few = (x) => (x === null || x === undefined ? "" : digits(Number(x.toPrecision(6))));

export class Plots {
  constructor(root, studio) {
    Object.assign(this, { studio, channels: [], charts: [], curves: [], names: [], known: null, zoom: null, live: null, asked: 0 });
    this.picker = h("input", { type: "text", list: "channel-names", placeholder: "+ channel, such as O.q", "aria-label": "Add a channel to the plots", oninput: () => this.offer(), onchange: () => this.pick() });
    this.offered = h("datalist", { id: "channel-names" });
    this.list = h("div", { class: "chips" });
    this.near = h("div", { class: "chips offers", role: "group", "aria-label": "Channels of what is selected" });
    this.area = h("div", { class: "charts", role: "group", tabindex: "0", "aria-label": "Curves", "aria-description": "Arrow keys move the time, plus and minus zoom, Home shows the whole run", onkeydown: (event) => this.key(event) });
    const button = (text, label, act) => h("button", { type: "button", class: "small", title: label, "aria-label": label, onclick: act }, text);
    this.whole = button("Whole run", "Show the whole run", () => this.setZoom(null));
    this.whole.hidden = true;
    fill(root, h("div", { class: "pane-head" }, this.picker, this.offered, this.list, this.near, this.whole, button("PNG", "Save the plots as an image", () => this.savePicture()), button("CSV", "Save the curves as CSV", () => this.saveCurves())), this.area);
    for (const over of ["dragenter", "dragover"]) root.addEventListener(over, (event) => {
      event.preventDefault();
      root.classList.add("target");
    });
    for (const end of ["dragleave", "drop"]) root.addEventListener(end, (event) => root.classList.toggle("target", end === "dragleave" && root.contains(event.relatedTarget)));
    root.addEventListener("drop", (event) => this.drop(event));
    new ResizeObserver(() => this.resize()).observe(this.area);
    this.empty();
  }

  empty() {
    if (!this.channels.length) fill(this.area, h("p", { class: "empty" }, "Curves of a run appear here. Select an element, or drag it here from the tree, to plot its channels; or type a part of a channel’s name: a joint’s q, v, reaction; a body’s position; forces, signals, energies."));
  }

  setNames(names) {
    this.names = names;
    this.known = new Set(names);
    this.offer();
    this.offerSelected();
  }

  // Channels of an element, vectors as one: q, v and reactions of a joint, the position of a body, a signal itself.
  channelsOf(id) {
    const name = id.split(/\/(.*)/s)[1];
    if (name === undefined) return [];
    const inside = `${name}.`;
    const own = this.names.filter((one) => one.startsWith(inside)).map((one) => inside + one.slice(inside.length).split(".")[0]);
    return [...new Set(this.known?.has(name) ? [name, ...own] : own)];
  }

  // What is selected offers its channels: one click plots them.
  offerSelected() {
    const [id] = this.studio.selection.size === 1 ? this.studio.selection : [];
    const plotted = (name) => this.channels.includes(name) || this.channels.some((one) => one.startsWith(`${name}.`));
    const found = id && this.known ? this.channelsOf(id).filter((name) => !plotted(name)).slice(0, MOST_NEAR) : [];
    fill(this.near, found.map((name) => h("button", { type: "button", class: "offer", "aria-label": `Plot ${name}`, title: `Plot ${name}`, onclick: () => this.add(name) }, `+ ${name}`)));
  }

  // An element that is dropped here from the tree is plotted: its first channel.
  drop(event) {
    event.preventDefault();
    const id = event.dataTransfer.getData("text/plain");
    const [name] = this.channelsOf(id);
    if (name) this.add(name);
    else if (id.includes("/")) this.studio.messages.note(`${id.split(/\/(.*)/s)[1]} has no channel that could be plotted.`, "note", "plots");
  }

  // The channels that fit what is being typed; a model of a thousand bodies has tens of thousands.
  offer() {
    const wanted = this.picker.value.trim().toLowerCase();
    const fitting = wanted ? this.names.filter((name) => name.toLowerCase().includes(wanted)) : this.names;
    fill(this.offered, fitting.slice(0, MOST_OFFERED).map((name) => h("option", { value: name })));
  }

  pick() {
    const name = this.picker.value.trim();
    if (name) this.add(name);
    this.picker.value = "";
    this.offer();
  }

  add(name) {
    if (this.known && !this.known.has(name)) {
      const parts = this.names.filter((one) => one.startsWith(`${name}.`));
      if (!parts.length) return this.studio.messages.note(`There is no channel ${name} in this run.`, "warning", "plots");
      this.channels.push(...parts.filter((part) => !this.channels.includes(part)));
    } else if (!this.channels.includes(name)) this.channels.push(name);
    this.studio.messages.clear("plots");
    this.changed();
  }

  remove(name) {
    this.channels = this.channels.filter((one) => one !== name);
    this.changed();
  }

  changed() {
    if (this.live) this.studio.running.order("watch", { channels: this.channels });
    return this.load();
  }

  chips() {
    this.offerSelected();
    fill(this.list, this.channels.map((name) => h("span", { class: "chip" }, name, h("button", { type: "button", "aria-label": `Remove ${name} from the plots`, onclick: () => this.remove(name) }, "✕"))));
  }

  // Ask for the curves of all runs that are plotted, as fine as the part of them that is shown.
  async load() {
    this.chips();
    if (this.live) return this.drawLive(true);
    const number = ++this.asked;
    const runs = this.studio.plottedRuns();
    const answers = await Promise.all(runs.map(async (run) => {
      const names = this.channels.filter((name) => run.channels.has(name));
      if (!names.length) return [];
      try {
        return (await this.studio.curves(run.name, names, this.zoom)).curves.map((curve) => ({ ...curve, run: run.name, label: runs.length > 1 ? `${run.name}: ${curve.name}` : curve.name }));
      } catch (error) {
        this.studio.messages.note(error.message, "error", "plots", error.place);
        return [];
      }
    }));
    if (number === this.asked) this.draw(answers.flat()); // else something newer has been asked for
  }

  draw(curves) {
    this.curves = curves;
    for (const { chart } of this.charts) chart.destroy();
    fill(this.area);
    this.charts = [...grouped(curves)].map(([unit, members]) => this.chart(unit, members));
    this.empty();
    this.resize();
    this.studio.root.dataset.plotted = String(curves.length);
  }

  chart(unit, members) {
    const root = h("div", { class: "chart", role: "img", "aria-label": `Plot of ${members.map((curve) => curve.label).join(", ")}` });
    this.area.append(root);
    const reference = this.studio.running.reference;
    const color = (curve) => PALETTE[this.channels.indexOf(curve.name) % PALETTE.length];
    const dash = (curve) => (curve.run === undefined || curve.run === this.studio.shown ? undefined : curve.run === reference ? [2, 3] : [7, 4]);
    const series = members.map((curve) => ({ label: curve.label, stroke: color(curve), width: 1.6, pxAlign: 0, spanGaps: true, dash: dash(curve), value: (u, x) => few(x) }));
    const options = { ...chartFrame(root, unit || "1"), legend: { live: true, markers: { width: 2, dash: (u, k) => (u.series[k].dash ? "dashed" : "solid") } }, series: [{ label: "t [s]", value: (u, x) => few(x) }, ...series], hooks: { draw: [(u) => this.mark(u)], setSelect: [(u) => this.selected(u)] } };
    options.cursor.drag.setScale = false;
    const chart = new uPlot(options, uPlot.join(members.map((curve) => [curve.t, curve.values])), root);
    if (this.zoom) chart.setScale("x", { min: this.zoom[0], max: this.zoom[1] });
    chart.over.addEventListener("click", () => {
      if (chart.cursor.left >= 0 && !this.live && chart.select.width < 3) this.studio.timeline.seek(chart.posToVal(chart.cursor.left, "x"));
    });
    chart.over.addEventListener("dblclick", () => this.setZoom(null));
    chart.over.addEventListener("wheel", (event) => this.wheel(event, chart), { passive: false });
    return { chart, root, labels: members.map((curve) => curve.label).join() };
  }

  // The keyboard moves the time and zooms about it.
  key(event) {
    const [start, end] = this.span();
    const [low, high] = this.zoom ?? [start, end];
    const { player } = this.studio.timeline;
    const zoom = (factor) => this.setZoom([Math.max(start, player.time - factor * (player.time - low)), Math.min(end, player.time + factor * (high - player.time))]);
    const move = (step) => this.studio.timeline.seek(Math.min(Math.max(player.time + step * 0.01 * (high - low), start), end));
    const act = { ArrowLeft: () => move(-1), ArrowRight: () => move(1), "+": () => zoom(0.5), "-": () => zoom(2), Home: () => this.setZoom(null) }[event.key];
    if (!act || this.live || !this.charts.length || event.target !== this.area) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  // ---- zoom: one for all charts ----

  selected(chart) {
    const { left, width } = chart.select;
    if (width < 3) return;
    this.setZoom([chart.posToVal(left, "x"), chart.posToVal(left + width, "x")]);
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  // The wheel zooms about the place of the mouse.
  wheel(event, chart) {
    event.preventDefault();
    const { min, max } = chart.scales.x;
    const at = chart.posToVal(event.offsetX, "x");
    const factor = Math.exp(0.0015 * event.deltaY);
    const [start, end] = this.span();
    const next = [Math.max(start, at - (at - min) * factor), Math.min(end, at + (max - at) * factor)];
    this.setZoom(next[0] <= start && next[1] >= end ? null : next);
  }

  span() {
    const all = this.studio.plottedRuns().map((run) => run.span).filter(Boolean);
    const known = all.length ? all : [[this.studio.timeline.player.start, this.studio.timeline.player.end]];
    return [Math.min(...known.map((one) => one[0])), Math.max(...known.map((one) => one[1]))];
  }

  setZoom(zoom) {
    if (zoom && !(zoom[1] > zoom[0])) return;
    this.zoom = zoom;
    this.whole.hidden = !zoom;
    const [min, max] = zoom ?? this.span();
    for (const { chart } of this.charts) chart.setScale("x", { min, max });
    clearTimeout(this.finer);
    this.finer = setTimeout(() => this.load(), PATIENCE);
  }

  // ---- a run that goes on ----

  begin() {
    this.live = new Map();
    this.zoom = null;
    this.whole.hidden = true;
  }

  follow(curves, anew = false) {
    if (!this.live) return;
    if (anew) this.live.clear();
    for (const { name, unit, t, values } of curves) {
      const known = this.live.get(name) ?? { name, unit, t: [], values: [], label: name };
      known.t.push(...t);
      known.values.push(...values);
      this.live.set(name, known);
    }
    if (this.drawingLive) return;
    this.drawingLive = setTimeout(() => {
      this.drawingLive = null;
      if (this.live) this.drawLive();
    }, LIVE);
  }

  // Charts of the same curves only get their new values.
  drawLive(anew = false) {
    const curves = [...this.live.values()].filter((curve) => this.channels.includes(curve.name) && curve.t.length > 1);
    const groups = [...grouped(curves).values()];
    const same = !anew && curves.length > 0 && groups.length === this.charts.length && groups.every((members, k) => members.map((curve) => curve.label).join() === this.charts[k].labels);
    if (!same) return this.draw(curves);
    this.curves = curves;
    groups.forEach((members, k) => this.charts[k].chart.setData(uPlot.join(members.map((curve) => [curve.t, curve.values]))));
  }

  end() {
    this.live = null;
    this.load();
  }

  // ---- the present time ----

  mark(u) {
    const t = this.studio.timeline.player.time;
    const x = u.valToPos(t, "x", true);
    if (this.live || !(x >= u.bbox.left && x <= u.bbox.left + u.bbox.width)) return;
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
    if (this.live || this.area.hidden || !this.area.clientWidth) return;
    for (const { chart } of this.charts) chart.redraw(false, false);
  }

  resize() {
    if (!this.charts.length) return;
    const columns = Math.max(1, Math.min(this.charts.length, Math.floor(this.area.clientWidth / 340)));
    const rows = Math.ceil(this.charts.length / columns);
    const width = this.area.clientWidth / columns - 12;
    if (width <= 60) return;
    for (const { chart, root } of this.charts) {
      root.style.width = `${width}px`; // the legend has as many lines as this leaves it
      const legend = root.querySelector(".u-legend")?.offsetHeight ?? 0;
      chart.setSize({ width, height: Math.max(90, Math.floor(this.area.clientHeight / Math.max(rows, 1)) - legend - LEGEND) });
    }
  }

  // ---- files ----

  savePicture() {
    if (!this.charts.length) return this.studio.messages.note("There are no plots to save.", "note", "plots");
    const canvases = this.charts.map(({ chart }) => chart.ctx.canvas);
    const picture = window.document.createElement("canvas");
    picture.width = Math.max(...canvases.map((one) => one.width));
    picture.height = canvases.reduce((sum, one) => sum + one.height + 26, 0);
    const context = picture.getContext("2d");
    const style = getComputedStyle(this.area);
    context.fillStyle = style.getPropertyValue("--panel").trim() || "#fff";
    context.fillRect(0, 0, picture.width, picture.height);
    let y = 0;
    canvases.forEach((canvas, k) => {
      context.drawImage(canvas, 0, y);
      y += canvas.height;
      context.font = "12px system-ui";
      let x = 60;
      for (const { label, stroke } of this.charts[k].chart.series.slice(1)) {
        context.fillStyle = typeof stroke === "function" ? stroke() : stroke;
        context.fillText(`■ ${label}`, x, y + 16);
        x += context.measureText(`■ ${label}   `).width;
      }
      y += 26;
    });
    picture.toBlob((blob) => this.studio.exportImage(blob, "plot"));
  }

  saveCurves() {
    if (!this.curves.length) return this.studio.messages.note("There are no curves to save.", "note", "plots");
    const [times, ...columns] = uPlot.join(this.curves.map((curve) => [curve.t, curve.values]));
    const head = ["t [s]", ...this.curves.map((curve) => `${curve.label}${curve.unit ? ` [${curve.unit}]` : ""}`)];
    download("curves.csv", [head, ...times.map((t, k) => [t, ...columns.map((column) => column[k] ?? "")])].map((row) => row.join(",")).join("\n"), "text/csv");
  }
}

function grouped(curves) {
  const found = new Map();
  for (const curve of curves) found.set(curve.unit, [...(found.get(curve.unit) ?? []), curve]);
  return found;
}
