// The legend of displacements: what is coloured, the bar with its ticks, how much larger deformations are drawn.

import { colorAt } from "./coloring.js";
import { COMPONENTS } from "./elastic.js";
import { LARGEST } from "./deformation.js";

const PREFIXES = { "-3": "m", "-6": "µ", "-9": "n", "-12": "p" };
const LINE = 15; // pixels between two numbers
const NAMES = { magnitude: "magnitude", x: "along x", y: "along y", z: "along z" };

export const LEGEND = `
  <h2>Displacement <span class="unit"></span></h2>
  <select class="component" title="What is coloured (M); x, y, z are axes of each body" aria-label="What is coloured">${COMPONENTS.map((c) => `<option value="${c}">${NAMES[c]}</option>`).join("")}</select>
  <div class="scalebar"><div class="colors"></div><div class="ticks"></div></div>
  <p class="present"></p>
  <label class="enlarged" title="How many times larger deformations are drawn ([ and ])"><span>drawn ×</span><input class="times" type="number" min="0" step="any" aria-label="Deformation drawn so many times larger"></label>
  <input class="zoom" type="range" min="0" max="${Math.log10(LARGEST)}" step="0.01" aria-label="Deformation drawn so many times larger">
  <label class="rest"><input class="ghost" type="checkbox"> undeformed</label>`;

const written = (x, digits) => x.toFixed(digits).replace("-", "−");

// Round ticks within a range, its unit with a prefix and the text of each: { unit, factor, digits, values }.
export function ticks(low, high, most = 8) {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const power = largest > 0 && largest < 1e-3 ? Math.max(3 * Math.floor(Math.log10(largest) / 3), -12) : 0;
  const factor = 10 ** power;
  const [a, b] = [low / factor, high / factor];
  if (!(b > a)) return { unit: `${PREFIXES[power] ?? ""}m`, factor, digits: 0, values: [a] };
  const raw = (b - a) / most;
  const ten = 10 ** Math.floor(Math.log10(raw));
  const step = ten * [1, 2, 5, 10].find((m) => m * ten >= raw * 0.999);
  const values = [];
  for (let k = Math.ceil(a / step - 1e-6); k * step <= b * (1 + 1e-9) + 1e-9 * step; k++) values.push(k * step);
  return { unit: `${PREFIXES[power] ?? ""}m`, factor, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), values };
}

export class Legend {
  constructor(root, viewer) {
    Object.assign(this, { root, viewer, deformation: viewer.deformation });
    this.box = root.querySelector(".legend");
    if (!this.deformation.active) return;
    this.box.innerHTML = LEGEND;
    this.find = (name) => this.box.querySelector(name);
    const { colors } = viewer.data.displacement;
    this.find(".colors").style.background = `linear-gradient(to top, ${colors.join(", ")})`;
    const changed = (event, act) => this.find(event).addEventListener(event === ".component" || event === ".times" || event === ".ghost" ? "change" : "input", ({ target }) => {
      act(target);
      viewer.dirty = true;
      if (target.matches("select, [type=checkbox]")) target.blur();
    });
    changed(".component", (select) => this.deformation.setComponent(select.value));
    changed(".times", (input) => this.deformation.setScale(Number(input.value)));
    changed(".zoom", (input) => this.deformation.setScale(Number((10 ** input.value).toPrecision(2))));
    changed(".ghost", (input) => {
      this.deformation.ghost = input.checked;
      viewer.applyOptions();
    });
  }

  update() {
    const { deformation } = this;
    this.box.hidden = !deformation.active || !deformation.colors;
    if (this.box.hidden) return;
    const [low, high] = deformation.range;
    const { unit, factor, digits, values } = ticks(low, high);
    this.scale = { low, high, unit, factor, digits, values };
    this.find(".unit").textContent = `[${unit}]`;
    this.find(".component").value = deformation.component;
    this.drawTicks();
    const extreme = deformation.present();
    const text = (x) => written(x / factor, digits + 1);
    this.find(".present").textContent = deformation.component === "magnitude" ? `now up to ${text(extreme[1])}` : `now ${text(extreme[0])} … ${text(extreme[1])}`;
    if (document.activeElement !== this.find(".times")) this.find(".times").value = deformation.scale;
    this.find(".zoom").value = Math.log10(deformation.scale);
    this.find(".zoom").style.setProperty("--part", `${Math.min(Math.max((100 * Math.log10(deformation.scale)) / Math.log10(LARGEST), 0), 100)}%`);
    this.find(".ghost").checked = deformation.ghost;
  }

  // Ticks, and the ends of the range where no tick stands near.
  drawTicks() {
    const { low, high } = this.scale;
    const key = [low, high].join();
    if (this.drawn === key) return;
    this.drawn = key;
    const marks = this.marks().map(({ part, text, end }) => {
      const mark = document.createElement("span");
      mark.textContent = text;
      mark.className = end ? "end" : "";
      mark.style.bottom = `${100 * part}%`;
      return mark;
    });
    this.find(".ticks").replaceChildren(...marks);
  }

  marks() {
    const { low, high, factor, digits, values } = this.scale;
    const span = (high - low) / factor || 1;
    const part = (x) => (x - low / factor) / span;
    const apart = Math.max(0.075, LINE / (this.find(".scalebar").clientHeight || 200));
    const found = values.map((x) => ({ part: part(x), text: written(x, digits) }));
    for (const end of high > low ? [low / factor, high / factor] : []) {
      if (values.some((x) => Math.abs(x - end) < 1e-6 * span)) continue;
      const kept = found.filter((mark) => mark.end || Math.abs(mark.part - part(end)) > apart);
      found.splice(0, found.length, ...kept, { part: part(end), text: written(end, digits + 1), end: true });
    }
    return found;
  }

  // The same for a saved picture.
  paint(pen, ratio) {
    if (this.box.hidden) return;
    const style = getComputedStyle(this.box);
    const [x, y, height] = [22 * ratio, 30 * ratio, 190 * ratio];
    const size = (n) => `${n * ratio}px ${style.fontFamily}`;
    pen.fillStyle = style.backgroundColor;
    pen.beginPath();
    pen.roundRect(0.5 * x, 0.2 * y, 178 * ratio, height + 92 * ratio, 10 * ratio);
    pen.fill();
    pen.fillStyle = style.color;
    pen.textBaseline = "middle";
    pen.font = `600 ${size(13)}`;
    pen.fillText(`Displacement [${this.scale.unit}]`, x, y);
    pen.font = size(12);
    pen.fillText(NAMES[this.deformation.component], x, y + 18 * ratio);
    const top = y + 38 * ratio;
    const { colors } = this.viewer.data.displacement;
    for (let k = 0; k < height; k++) {
      pen.fillStyle = `rgb(${colorAt(colors, 1 - k / (height - 1)).join()})`;
      pen.fillRect(x, top + k, 16 * ratio, 1.5);
    }
    pen.fillStyle = style.color;
    for (const { part, text } of this.marks()) {
      pen.fillRect(x + 16 * ratio, top + height * (1 - part) - 0.5 * ratio, 4 * ratio, ratio);
      pen.fillText(text, x + 25 * ratio, top + height * (1 - part));
    }
    pen.fillText(`drawn × ${this.deformation.scale}`, x, top + height + 20 * ratio);
  }
}
