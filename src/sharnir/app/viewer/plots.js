// The strip of small plots with a cursor at the present time: one canvas for each unit; click or drag to go there. Which curves are
// shown is chosen in a menu.

import { doubles, floats, interval } from "./motion.js";
import { PALETTE } from "./theme.js";
import { prefixed } from "./units.js";

const short = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(3))));

export class Plots {
  constructor(root, data, seek) {
    Object.assign(this, { seek, panels: [] });
    this.strip = root.querySelector(".plots");
    this.times = data.plots.length ? doubles(data.plot_times) : [];
    const values = data.plots.length ? floats(data.plot_values) : [];
    const n = this.times.length;
    let offset = 0;
    this.groups = data.plots.map(({ quantity, unit, curves, shown }) => ({
      quantity, unit, curves: curves.map((name, k) => ({ name, shown: shown[k], numbers: values.subarray(offset, (offset += n)) })),
    }));
    this.build();
  }

  get any() {
    return this.panels.length > 0;
  }

  show(curve, on) {
    curve.shown = on;
    this.build();
  }

  // A panel for every unit of which curves are shown.
  build() {
    this.strip.replaceChildren();
    this.panels = this.groups.filter(({ curves }) => curves.some((curve) => curve.shown)).map((group) => this.panel(group));
  }

  panel({ quantity, unit, curves: all }) {
    const curves = all.filter((curve) => curve.shown);
    curves.forEach((curve, k) => (curve.color = PALETTE[k % PALETTE.length]));
    let low = Infinity;
    let high = -Infinity;
    for (const curve of curves) for (const x of curve.numbers) if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
    // numbers come in single precision: what varies by its rounding only is drawn as a line through the middle
    if (!(high - low > 3e-7 * Math.max(Math.abs(low), Math.abs(high)))) [low, high] = Number.isFinite(low) ? [low - 0.5 * (Math.abs(low) || 1), low + 0.5 * (Math.abs(low) || 1)] : [0, 1];
    const scale = prefixed(Math.max(Math.abs(low), Math.abs(high)), unit);
    const element = document.createElement("figure");
    element.innerHTML = "<figcaption></figcaption><canvas></canvas>";
    const caption = element.querySelector("figcaption");
    const label = document.createElement("i");
    label.textContent = unit ? `${quantity} [${scale.unit}]` : quantity;
    caption.append(label);
    for (const curve of curves) {
      const key = document.createElement("span");
      key.style.setProperty("--color", curve.color);
      const name = document.createElement("b");
      name.textContent = curve.name;
      curve.readout = document.createElement("output");
      key.append(name, curve.readout);
      caption.append(key);
    }
    const canvas = element.querySelector("canvas");
    const go = (event) => {
      if (!(event.buttons & 1)) return;
      const box = canvas.getBoundingClientRect();
      const s = (event.clientX - box.left - 44) / (box.width - 50);
      this.seek(this.times[0] + s * (this.times[this.times.length - 1] - this.times[0]));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    canvas.addEventListener("pointermove", go);
    this.strip.append(element);
    return { curves, canvas, low, high, factor: scale.factor };
  }

  // Draw everything anew: after a change of size, look or time.
  draw(t) {
    if (this.strip.hidden) return;
    for (const panel of this.panels) this.drawPanel(panel, t);
  }

  drawPanel({ curves, canvas, low, high, factor }, t) {
    const ratio = window.devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(canvas);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const [first, last] = [this.times[0], this.times[this.times.length - 1]];
    const x = (time) => 44 + ((width - 50) * (time - first)) / (last - first || 1);
    const y = (value) => 6 + (height - 12) * (1 - (value - low) / (high - low));
    this.drawFrame(pen, style, width, y, low, high, factor);
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    for (const curve of curves) {
      pen.strokeStyle = curve.color;
      pen.beginPath();
      curve.numbers.forEach((value, k) => (k ? pen.lineTo(x(this.times[k]), y(value)) : pen.moveTo(x(this.times[k]), y(value))));
      pen.stroke();
    }
    this.drawCursor(pen, style, curves, t, x, y, height, { factor, least: 1e-10 * Math.max(Math.abs(low), Math.abs(high)) });
  }

  drawFrame(pen, style, width, y, low, high, factor) {
    pen.font = `10px ${style.fontFamily}`;
    pen.fillStyle = style.color;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.strokeStyle = style.borderTopColor;
    pen.lineWidth = 1;
    const lines = low < 0 && high > 0 && Math.min(-low, high) > 0.2 * (high - low) ? [low, 0, high] : [low, high];
    for (const value of lines) {
      const level = Math.round(y(value)) + 0.5;
      pen.fillText(short(value / factor), 38, level);
      pen.beginPath();
      pen.moveTo(44, level);
      pen.lineTo(width - 6, level);
      pen.stroke();
    }
  }

  // Numbers that are rounding errors beside the others of their panel are written as zero.
  drawCursor(pen, style, curves, t, x, y, height, { factor, least }) {
    pen.strokeStyle = style.color;
    pen.beginPath();
    pen.moveTo(x(t), 2);
    pen.lineTo(x(t), height - 2);
    pen.stroke();
    const k = this.times.length > 1 ? interval(this.times, t) : 0;
    const s = this.times.length > 1 ? (t - this.times[k]) / (this.times[k + 1] - this.times[k] || 1) : 0;
    for (const curve of curves) {
      const value = this.times.length > 1 ? curve.numbers[k] + s * (curve.numbers[k + 1] - curve.numbers[k]) : curve.numbers[0];
      curve.readout.textContent = (Math.abs(value) < least ? 0 : value / factor).toPrecision(4);
      pen.fillStyle = curve.color;
      pen.beginPath();
      pen.arc(x(t), y(value), 3.2, 0, 2 * Math.PI);
      pen.fill();
    }
  }
}
