// What the assembly has corrected: bodies and joints of an approximate drawing that start elsewhere than drawn.

import { fill, h, shown, withUnit } from "../dom.js";

const MOST = 12; // rows of a table
const digits = (x) => Number(x.toPrecision(3));
const angle = (x) => `${shown(digits((Math.abs(x) * 180) / Math.PI))}°`;
const change = (x, unit) => `${x < 0 ? "−" : "+"}${unit === "rad" ? angle(x) : withUnit(Math.abs(digits(x)), unit)}`;

export class Correction {
  constructor(root, studio) {
    Object.assign(this, { root, studio, open: false, ghost: true, drawn: null });
  }

  // Only while the picture shows the drawing, not a run.
  draw() {
    const found = this.studio.running.playing() ? null : this.studio.found?.correction ?? null;
    if (found === this.drawn) return;
    this.drawn = found;
    this.root.hidden = !found;
    this.studio.picture.showDrawn(found && this.ghost ? found.drawn : null);
    if (found) fill(this.root, this.details(found));
    else fill(this.root);
  }

  details({ bodies, joints }) {
    const [first] = bodies;
    const named = joints.some(({ freedom }) => freedom); // joints of one freedom do not name it
    const moved = [first.distance > 0 ? withUnit(digits(first.distance), "m") : "", first.angle > 0 ? angle(first.angle) : ""].filter(Boolean).join(" and ");
    const ghost = h("input", { type: "checkbox", checked: this.ghost, "aria-label": "Show where bodies were drawn", onchange: () => {
      this.ghost = ghost.checked;
      this.studio.picture.showDrawn(this.ghost ? this.drawn.drawn : null);
    } });
    return h("details", { open: this.open, ontoggle: (event) => (this.open = event.target.open) },
      h("summary", {}, `Assembled: ${bodies.length === 1 ? "1 body" : `${bodies.length} bodies`} moved, ${first.name} most (${moved})`),
      h("p", {}, "As drawn, with the coordinates that are given, not all loops close. A run starts from the nearest position in which they do."),
      h("label", { class: "check" }, ghost, "show where bodies were drawn"),
      this.table("Corrected bodies", ["Body", "Moved", "Turned"], bodies.map(({ name, distance, angle: turn }) => [`bodies/${name}`, withUnit(digits(distance), "m"), angle(turn)])),
      joints.length ? this.table("Corrected joints", named ? ["Joint", "Coordinate", "Change"] : ["Joint", "Change"], joints.map(({ name, freedom, change: x, unit }) => [`joints/${name}`, ...(named ? [freedom] : []), change(x, unit)])) : null);
  }

  table(label, heads, rows) {
    const lines = rows.slice(0, MOST).map(([id, ...others]) => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => this.studio.select(id) }, id.split(/\/(.*)/s)[1])), others.map((text) => h("td", { class: "number" }, text))));
    return [h("table", { class: "data", "aria-label": label }, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, lines)), rows.length > MOST ? h("p", {}, `and ${rows.length - MOST} more`) : null];
  }
}
