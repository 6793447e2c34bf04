// The section's axis and place: chosen, pulled along a slider, or typed.

import { fill, h, shown } from "../dom.js";
import { parseNumber } from "../fields/units.js";
import { icon } from "../icons.js";

const STEPS = 200; // of the slider

export class SectionBar {
  constructor(root, studio) {
    Object.assign(this, { root, studio, section: studio.picture.section });
    const button = (sign, title, act) => h("button", { type: "button", title, "aria-label": title, onclick: act }, icon(sign));
    this.axes = h("select", { "aria-label": "Axis of the section", title: "Cut across this axis", onchange: () => this.across(this.axes.value) }, ["x", "y", "z"].map((axis) => new Option(axis, axis)));
    this.slider = h("input", { type: "range", min: "0", max: String(STEPS), step: "1", "aria-label": "Place of the section", oninput: () => this.moveTo(this.low + (Number(this.slider.value) / STEPS) * (this.high - this.low)) });
    this.number = h("input", { type: "text", "aria-label": "Place of the section in metres", autocomplete: "off", spellcheck: "false", onchange: () => this.type() });
    fill(root, h("b", {}, "Section"), this.axes, this.slider, this.number, h("small", {}, "m"), button("flip", "Show the other half", () => this.section.flip()), button("close", "End the section (C)", () => this.toggle()));
    root.addEventListener("keydown", (event) => event.key === "Escape" && this.toggle());
    root.hidden = true;
  }

  toggle() {
    const { picture, layout } = this.studio;
    const had = this.root.contains(document.activeElement);
    this.root.hidden = !this.section.toggle();
    layout.press("section", this.section.on);
    picture.select(picture.selected);
    if (this.section.on) {
      this.draw();
      this.slider.focus();
    } else if (had) picture.canvas.focus();
  }

  across(axis) {
    this.section.across(axis);
    this.draw();
  }

  moveTo(at) {
    this.section.moveTo(at);
    this.draw();
  }

  // What is no number leaves the section where it is, and the field says where that is.
  type() {
    const at = parseNumber(this.number.value, "m");
    if (Number.isFinite(at)) this.section.moveTo(at);
    this.draw();
  }

  draw() {
    const { axis, at } = this.section;
    [this.low, this.high] = this.section.span(axis);
    this.axes.value = axis;
    this.slider.value = String(Math.round((STEPS * (at - this.low)) / (this.high - this.low || 1)));
    this.slider.setAttribute("aria-valuetext", `${axis} = ${shown(at)} m`);
    this.number.value = shown(Number(at.toPrecision(3)));
  }
}
