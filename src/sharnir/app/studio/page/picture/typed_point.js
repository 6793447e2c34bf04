// Numbers for the mouse: while a tool is used, a point, a shift or an angle can be typed instead.

import { fill, h } from "../dom.js";
import { parseList, parseNumber } from "../fields/units.js";

export class TypedPoint {
  constructor(root) {
    this.root = root;
    this.text = h("p", { class: "hint" });
    this.form = h("form", { class: "typed", hidden: true, onsubmit: (event) => {
      event.preventDefault();
      this.submit();
    } });
    fill(root, this.form, this.text);
    this.tell("");
  }

  tell(text) {
    this.text.textContent = text;
    this.text.hidden = !text;
  }

  // Ask for numbers: `labels` of the fields, what they hold at first, and what to do with them.
  ask(labels, values, act, unit = "m") {
    this.act = act;
    this.inputs = labels.map((label, k) => h("input", { type: "text", "aria-label": label, placeholder: label, value: values[k] ?? "", autocomplete: "off", spellcheck: "false" }));
    fill(this.form, labels.map((label, k) => h("label", {}, h("small", {}, label), this.inputs[k])), h("small", {}, unit), h("button", { type: "submit", class: "small" }, "OK"));
    this.form.hidden = false;
  }

  // Show where the mouse is, unless somebody is typing.
  follow(values) {
    if (this.form.hidden || this.form.contains(document.activeElement)) return;
    this.inputs.forEach((input, k) => (input.value = values[k] ?? ""));
  }

  // A digit was pressed: it goes into the first field.
  begin(key) {
    if (this.form.hidden || this.form.contains(document.activeElement)) return false;
    this.inputs[0].focus();
    this.inputs[0].value = key;
    return true;
  }

  submit() {
    const pasted = parseList(this.inputs[0].value);
    const values = pasted?.length === this.inputs.length ? pasted : this.inputs.map((input) => parseNumber(input.value) ?? 0);
    if (values.every(Number.isFinite)) this.act?.(values);
  }

  close() {
    if (this.form.contains(document.activeElement)) document.activeElement.blur(); // keys are for the page again
    this.form.hidden = true;
    this.act = null;
  }
}
