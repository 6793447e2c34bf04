// The form of what is selected: every field with its unit, default, help, and the problem beside it.

import { fill, h } from "../dom.js";
import { editorOf } from "../fields/editors.js";
import { valueAt } from "../document/document.js";

const USUAL = 8; // fields that are shown at once; the rest is folded unless it is given

export class Properties {
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    this.all = false;
  }

  draw() {
    const focus = this.focused();
    const { selection } = this.studio;
    if (selection.size === 0) fill(this.root, h("p", { class: "empty" }, "Nothing is selected. Click an element in the tree or in the picture."));
    else if (selection.size > 1) fill(this.root, h("p", { class: "empty" }, `${selection.size} elements are selected.`), h("button", { type: "button", onclick: () => this.studio.remove() }, "Delete them"));
    else this.form([...selection][0]);
    if (focus) this.restore(focus);
  }

  focused() {
    const element = window.document.activeElement;
    return this.root.contains(element) ? { label: element.getAttribute("aria-label"), start: element.selectionStart } : null;
  }

  restore({ label, start }) {
    const element = label && [...this.root.querySelectorAll("[aria-label]")].find((one) => one.getAttribute("aria-label") === label);
    element?.focus();
    if (element?.setSelectionRange && typeof start === "number" && element.type === "text") element.setSelectionRange(start, start);
  }

  form(id) {
    const [section, name] = id.split(/\/(.*)/s);
    if (section === "model") return this.sectionForm("Model", ["model"], MODEL_FIELDS);
    if (section === "simulation") return this.sectionForm("Run settings", ["simulation"], this.studio.catalogue.settings);
    if (section === "parameters") return this.parameterForm(name);
    const record = this.studio.recordOf(section, name);
    const entry = this.studio.document.data[section]?.[name];
    if (!entry) return fill(this.root);
    const head = h("header", {}, h("h2", {}, name), h("p", {}, record ? `${record.title}. ${record.about}` : `unknown type ${entry.type}`),
      h("div", { class: "actions" }, this.action("Rename", () => this.studio.rename(id)), this.action("Duplicate", () => this.studio.duplicate()), this.action("Delete", () => this.studio.remove())));
    if (!record) return fill(this.root, head);
    const given = record.fields.filter((field) => field.name in entry || field.required);
    const others = record.fields.filter((field) => !given.includes(field));
    const few = record.fields.length <= USUAL;
    const open = this.all || few;
    fill(this.root, head, this.general([section, name]), (open ? record.fields : given).map((field) => this.fieldRow(field, [section, name, field.name])),
      few || !others.length ? null : h("button", { type: "button", class: "more", "aria-expanded": String(open), onclick: () => {
        this.all = !this.all;
        this.draw();
      } }, open ? "Fewer fields" : `More fields (${others.length})`));
  }

  action(text, act) {
    return h("button", { type: "button", class: "small", onclick: act }, text);
  }

  sectionForm(title, path, fields) {
    fill(this.root, h("header", {}, h("h2", {}, title)), this.general(path), fields.map((field) => this.fieldRow(field, [...path, field.name])));
  }

  parameterForm(name) {
    const value = this.studio.document.data.parameters?.[name];
    const table = typeof value === "object" ? value : { value };
    const put = (key, x) => {
      const next = { ...table, [key]: x };
      if (x === undefined || x === "") delete next[key];
      this.studio.document.set(["parameters", name], Object.keys(next).length === 1 ? next.value : next, `set ${name}`, key === "value" ? `slide ${name}` : null);
    };
    const [low, high] = table.range ?? guessedRange(table.value);
    const slider = h("input", { type: "range", min: String(low), max: String(high), step: "any", value: String(table.value), "aria-label": `${name}, slider`, oninput: (event) => put("value", Number(Number(event.target.value).toPrecision(4))) });
    const row = (key, kind) => this.fieldRow({ name: key, kind, help: PARAMETER_HELP[key], unit: key === "value" ? table.unit ?? "" : "" }, ["parameters", name, key], table[key], (x) => put(key, x));
    fill(this.root, h("header", {}, h("h2", {}, name), h("p", {}, "A parameter: formulas of other elements use it by its name."), h("div", { class: "actions" }, this.action("Rename", () => this.studio.rename(`parameters/${name}`)), this.action("Delete", () => this.studio.remove()))),
      this.general(["parameters", name]), row("value", "number"), slider, row("unit", "text"), row("description", "text"), row("range", "list"));
  }

  // Problems of the element as a whole.
  general(path) {
    const own = this.studio.problems.filter((p) => p.place.length <= path.length && p.place.every((part, k) => part === path[k]) && p.place.length === path.length);
    return own.map((p) => h("p", { class: `problem ${p.kind}`, role: "alert" }, p.message));
  }

  fieldRow(field, path, value = valueAt(this.studio.document.data, path), put = null) {
    const context = {
      studio: this.studio, field, path, label: field.name, row: (inner, x) => this.nested(inner, x),
      put: put ?? ((x) => this.studio.document.set(path, x, `set ${path.slice(1).join(" ")}`)),
    };
    return this.nested(context, value);
  }

  nested(context, value) {
    const { field, path } = context;
    const problems = this.studio.problems.filter((p) => isAt(p.place, path));
    context.names = { "aria-label": context.label, "aria-invalid": problems.length ? "true" : undefined, title: field.help || undefined };
    const editor = editorOf(field.kind)(context, value);
    const resolved = typeof value === "string" && NUMERIC.has(field.kind) ? this.studio.resolved(value) : null;
    const wide = WIDE.has(field.kind) || (FUNCTIONS.has(field.kind) && value && typeof value === "object");
    return h("div", { class: `field${wide ? " wide" : ""}${problems.length ? " wrong" : ""}${value === undefined ? " default" : ""}`, data: { field: path.join(".") } },
      h("span", { class: "label", title: field.help || undefined }, field.name, field.required ? h("sup", { title: "required" }, "•") : null),
      h("span", { class: "editor" }, editor), h("span", { class: "unit" }, resolved ?? field.unit ?? ""),
      problems.map((p) => h("p", { class: "problem", role: "alert" }, p.message)));
  }
}

const WIDE = new Set(["shape", "contact shape", "contact shapes", "contact law", "tyre", "actions", "variables", "texts", "values", "tables", "mimic"]);
const FUNCTIONS = new Set(["function", "functions", "motion", "profile"]);
const NUMERIC = new Set(["number", "value", "integer"]);
const MODEL_FIELDS = [
  { name: "name", kind: "text", help: "name of the model" },
  { name: "gravity", kind: "vector", help: "acceleration of gravity in world axes", unit: "m/s²", default: [0, 0, -9.81] },
];
const PARAMETER_HELP = { value: "the number that formulas use", unit: "for people and plots", description: "what it means", range: "least and greatest value" };

const guessedRange = (x) => (typeof x !== "number" || x === 0 ? [-1, 1] : [Math.min(0, 2 * x), Math.max(0, 2 * x)]);

// A problem belongs to a field if its place is that of the field, or lies inside it and no inner field shows it.
function isAt(place, path) {
  return place.length >= path.length && place.length - path.length < 3 && path.every((part, k) => String(place[k]) === String(part));
}

