// The form of what is selected: every field with its unit, default, help, and the problem beside it.

import { fill, h } from "../dom.js";
import { editorOf } from "../fields/editors.js";
import { isTable, rangeOf, valueAt, withValue } from "../document/document.js";
import { foreignUnit } from "../fields/units.js";

const USUAL = 8; // fields that are shown at once; the rest is folded unless it is given

export class Properties {
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    this.all = false;
    root.addEventListener("focusin", (event) => this.explain(event.target.closest(".field")));
    root.addEventListener("keydown", (event) => event.key === "Tab" && this.wait(), true);
    root.addEventListener("change", ({ target }) => (target.taken = target.value), true);
    root.addEventListener("focusout", () => this.waits && setTimeout(() => this.draw()));
    root.addEventListener("keydown", (event) => event.key === "Escape" && event.target.matches("input, textarea") && studio.tree.focus()); // a list that is open closes with it
  }

  // The first field, for the keyboard; Escape leads back to the tree.
  focus() {
    const first = this.root.querySelector(":is(.field input, .field select, .field textarea)");
    first?.focus();
    if (first?.matches("input[type=text]")) first.select(); // as Tab does: what is typed takes its place
  }

  // What a field means, below the form: where it moves nothing.
  explain(row) {
    if (!row) return;
    const { field, help } = row.dataset;
    fill(this.studio.layout.help, h("b", {}, field.split(".").slice(2).join(" ") || field.split(".").pop()), help ? ` ${help}` : "");
  }

  explainNothing() {
    fill(this.studio.layout.help, "The meaning of a field is shown here while it has the focus.");
  }

  // Tab has been pressed: what it leads to must be there until the focus has arrived.
  wait() {
    this.moving = true;
    setTimeout(() => {
      this.moving = false;
      if (this.waits) this.draw();
    });
  }

  // Whether somebody is in the middle of something that another form would take away: a text that is not given yet, a key, a button.
  busy() {
    const element = window.document.activeElement;
    const writing = this.shown === this.chosen() && this.root.contains(element) && element.matches("input[type=text], textarea") && element.value !== (element.taken ?? element.defaultValue);
    return this.moving || this.studio.pressing || writing;
  }

  chosen() {
    return [...this.studio.selection].join("\n");
  }

  draw() {
    this.waits = this.busy();
    if (this.waits) return;
    this.shown = this.chosen();
    const focus = this.focused();
    if (!focus) this.explainNothing();
    const ids = [...this.studio.selection].filter((id) => id !== "");
    if (!ids.length) fill(this.root, nothing(this.studio));
    else if (ids.length > 1) this.several(ids);
    else this.form(ids[0]);
    if (focus) this.restore(focus);
    if (focus && !this.focused()) this.explainNothing();
  }

  // Several elements: what can be done with them, and a form for all if they are of one kind.
  several(ids) {
    const kinds = new Set(ids.map((id) => {
      const [section, name] = id.split(/\/(.*)/s);
      return `${section}/${this.studio.recordOf(section, name)?.type}`;
    }));
    const record = kinds.size === 1 ? this.studio.records.get([...kinds][0]) : null;
    const head = h("header", {}, h("h2", {}, `${ids.length} elements`), h("p", {}, record ? `${record.title}: what is changed here is changed in all of them.` : "Of different kinds."),
      h("div", { class: "actions" }, this.action("Duplicate", () => this.studio.duplicate()), this.action("Along a line", () => this.studio.command("along-line")), this.action("Around an axis", () => this.studio.command("around-axis")), this.action("Delete", () => this.studio.remove())));
    if (!record) return fill(this.root, head, h("ul", {}, ids.map((id) => h("li", {}, id.split(/\/(.*)/s)[1] ?? id))));
    const first = ids[0].split(/\/(.*)/s);
    const put = (field) => (x) => this.studio.document.put(ids.reduce((data, id) => withValue(data, [...id.split(/\/(.*)/s).slice(0, 2), field.name], x), this.studio.document.data), `set ${field.name} of ${ids.length}`);
    fill(this.root, head, record.fields.filter((field) => !field.refused).map((field) => {
      const values = ids.map((id) => JSON.stringify(valueAt(this.studio.document.data, [...id.split(/\/(.*)/s).slice(0, 2), field.name])));
      const same = values.every((value) => value === values[0]);
      return this.fieldRow(same ? field : { ...field, default: "different", differs: true }, [first[0], first[1], field.name], same ? undefined : null, put(field));
    }));
  }

  focused() {
    const element = window.document.activeElement;
    return this.root.contains(element) ? { label: element.getAttribute("aria-label"), start: element.selectionStart, end: element.selectionEnd } : null;
  }

  restore({ label, start, end }) {
    const element = label && [...this.root.querySelectorAll("[aria-label]")].find((one) => one.getAttribute("aria-label") === label);
    element?.focus();
    if (element?.setSelectionRange && typeof start === "number" && element.type === "text") element.setSelectionRange(start, end);
  }

  form(id) {
    const [section, name] = id.split(/\/(.*)/s);
    if (section === "model") return this.sectionForm("Model", ["model"], MODEL_FIELDS);
    if (section === "simulation") return this.sectionForm("Run settings", ["simulation"], this.studio.catalogue.settings);
    if (section === "base_motion") return this.sectionForm("Motion of the ground", ["base_motion"], this.studio.catalogue.base_motion.fields, this.studio.catalogue.base_motion.about);
    if (section === "parameters") return this.parameterForm(name);
    const record = this.studio.recordOf(section, name);
    const entry = this.studio.document.data[section]?.[name];
    if (name === undefined) return this.stray([section], section, "There is no such section in a model.");
    if (entry === undefined) return fill(this.root);
    const head = h("header", {}, h("h2", {}, name), h("p", {}, record ? `${record.title}. ${record.about}` : `unknown type ${entry.type}`),
      h("div", { class: "actions" }, this.action("Rename", () => this.studio.rename(id)), this.action("Duplicate", () => this.studio.duplicate()), this.action("Delete", () => this.studio.remove())));
    if (!isTable(entry)) return this.stray([section, name], name, "An element is a table of fields.", head);
    if (!record) return fill(this.root, head, this.general([section, name]), this.fieldRow({ name: "type", kind: "choice", choices: this.studio.catalogue.sections[section].map((kind) => kind.type), required: true, help: "what the element is" }, [section, name, "type"]));
    const fields = record.fields.filter((field) => !field.refused || field.name in entry);
    const given = fields.filter((field) => field.name in entry || field.required);
    const others = fields.filter((field) => !given.includes(field));
    const few = fields.length <= USUAL;
    const open = this.all || few;
    fill(this.root, head, this.general([section, name]), (open ? fields : given).map((field) => this.fieldRow(field, [section, name, field.name])), this.unknown([section, name], fields),
      few || !others.length ? null : h("button", { type: "button", class: "more", "aria-expanded": String(open), onclick: () => {
        this.all = !this.all;
        this.draw();
      } }, open ? "Fewer fields" : `More fields (${others.length})`));
  }

  action(text, act) {
    return h("button", { type: "button", class: "small", onclick: act }, text);
  }

  sectionForm(title, path, fields, about = "") {
    fill(this.root, h("header", {}, h("h2", {}, title), about ? h("p", {}, about) : null), this.general(path), fields.map((field) => this.fieldRow(field, [...path, field.name])), this.unknown(path, fields));
  }

  // What a file holds and no form knows: it can be looked at, changed and taken away.
  unknown(path, fields) {
    const given = valueAt(this.studio.document.data, path);
    const known = new Set(["type", ...fields.map((field) => field.name)]);
    return isTable(given) ? Object.keys(given).filter((key) => !known.has(key)).map((key) => this.fieldRow({ name: key, kind: "json", help: STRAY }, [...path, key])) : [];
  }

  stray(path, title, about, head = h("header", {}, h("h2", {}, title), h("p", {}, about))) {
    fill(this.root, head, this.fieldRow({ name: title, kind: "json", help: STRAY }, path));
  }

  parameterForm(name) {
    const value = this.studio.document.data.parameters?.[name];
    const table = typeof value === "object" ? value : { value };
    const put = (key, x) => {
      const next = { ...table, [key]: x };
      if (x === undefined || x === "") delete next[key];
      this.studio.document.set(["parameters", name], Object.keys(next).length === 1 ? next.value : next, `set ${name}`, key === "value" ? `slide ${name}` : null);
    };
    const [low, high] = rangeOf(table) ?? guessedRange(table.value);
    const slider = h("input", { type: "range", min: String(low), max: String(high), step: "any", value: String(table.value), "aria-label": `${name}, slider`, oninput: (event) => put("value", Number(Number(event.target.value).toPrecision(4))) });
    const row = (key, kind) => this.fieldRow({ name: key, kind, default: key === "range" ? "least, greatest" : undefined, help: PARAMETER_HELP[key], unit: key === "value" ? table.unit ?? "" : "" }, ["parameters", name, key], table[key], (x) => put(key, x));
    fill(this.root, h("header", {}, h("h2", {}, name), h("p", {}, "A parameter: formulas of other elements use it by its name."), h("div", { class: "actions" }, this.action("Rename", () => this.studio.rename(`parameters/${name}`)), this.action("Delete", () => this.studio.remove()))),
      this.general(["parameters", name]), row("value", "number"), h("div", { class: "slide" }, slider, this.studio.following.box()), row("unit", "text"), row("description", "text"), row("range", "list"));
  }

  // Problems of the element as a whole.
  general(path) {
    const own = this.studio.problems.filter((p) => p.place.length <= path.length && p.place.every((part, k) => part === path[k]) && p.place.length === path.length);
    return own.map((p) => problemText(p));
  }

  // The row of a field; `value` undefined: as the document has it, null: none.
  fieldRow(field, path, value, put = null) {
    const { document } = this.studio;
    const shown = value === undefined ? valueAt(document.data, path) : value ?? undefined;
    const context = {
      studio: this.studio, field, path, label: field.name, host: valueAt(document.data, path.slice(0, -1)), row: (inner, x) => this.nested(inner, x),
      put: put ?? ((x) => document.set(path, x, `set ${path.slice(1).join(" ")}`)),
    };
    return this.nested(context, shown);
  }

  nested(context, value) {
    const { field, path } = context;
    const problems = this.studio.problems.filter((p) => isAt(p.place, path));
    context.names = { "aria-label": context.label, "aria-invalid": problems.length ? "true" : undefined, title: field.help || undefined };
    context.draft = (x) => this.studio.draft(path, x, (found) => this.showDraft(path, found, foreignUnit(x, field.unit)));
    const editor = editorOf(field.kind)(context, value);
    const resolved = typeof value === "string" && NUMERIC.has(field.kind) ? this.studio.resolved(value) : null;
    const wide = WIDE.has(field.kind) || (FUNCTIONS.has(field.kind) && value && typeof value === "object");
    return h("div", { class: `field${wide ? " wide" : ""}${problems.length ? " wrong" : ""}${value === undefined ? " default" : ""}`, data: { field: path.join("."), help: field.help ?? "" } },
      h("span", { class: "label", title: field.help || undefined }, breakable(field.name), field.required ? h("sup", { title: "required" }, "•") : null, field.differs ? h("small", { class: "differs", title: "not the same in all of them; a value that is given here goes to all" }, " differs") : null),
      h("span", { class: "editor" }, editor), h("span", { class: "unit", title: field.unit === "–" ? "a number without a unit" : field.unit || undefined }, resolved ?? field.unit ?? ""),
      problems.map((p) => problemText(p, foreignUnit(value, field.unit))));
  }

  // What is wrong with what is being typed, below its field.
  showDraft(path, problems, foreign) {
    const row = this.root.querySelector(`[data-field="${CSS.escape(path.join("."))}"]`);
    if (!row) return;
    row.querySelectorAll(":scope > .problem").forEach((old) => old.remove());
    const own = problems.filter((p) => isAt(p.place, path));
    row.append(...own.map((p) => problemText(p, foreign)));
    row.classList.toggle("wrong", own.length > 0);
    const element = row.querySelector("input, textarea, select");
    if (own.length) element?.setAttribute("aria-invalid", "true");
    else element?.removeAttribute("aria-invalid");
  }
}

// A name that may go on in the next line after an underscore.
const breakable = (name) => name.split("_").flatMap((word, k) => (k ? ["_", h("wbr", {}), word] : [word]));

// A message; lines below the first are a formula with a caret at its fault.
function problemText(p, foreign = null) {
  const [first, ...rest] = (foreign && p.message.includes("unexpected") ? foreign : besideField(p)).split("\n");
  return h("div", { class: `problem ${p.kind}`, role: "alert" }, first, rest.length ? h("pre", {}, rest.map((line) => line.replace(/^ {4}/, "")).join("\n")) : null);
}

// What a message says without its beginning that names the element and field: it stands beside them.
function besideField({ message, place }) {
  const [, name, field] = place;
  const named = message.startsWith("\n") ? -1 : message.indexOf(`'${name}': `);
  let text = name !== undefined && named >= 0 && named < 40 ? message.slice(named + String(name).length + 4) : message;
  if (field !== undefined && text.startsWith(`${field}: `)) text = text.slice(field.length + 2);
  return text.replace(" (parameters: Model(parameters={…}), or [parameters] in a file)", ", and parameters");
}

// Nothing selected: what is next.
function nothing(studio) {
  const { document } = studio;
  const next = !document.names("bodies").length ? ["There are no bodies yet.", "Press B to add one, or P to draw bars in a plane."]
    : !document.names("joints").length ? ["No joints yet: every body falls freely.", "Press J, click a point of a body, then the other body or the ground."]
    : studio.problems.some((p) => p.kind === "error") ? ["Something is not right yet.", "The messages below link to the fields they are about."]
    : ["Nothing is selected.", "Click an element in the tree or in the picture; F5 runs the model, T lets you pull it."];
  return h("div", { class: "empty" }, h("b", {}, next[0]), h("p", {}, next[1]));
}

const WIDE = new Set(["shape", "contact shape", "contact shapes", "contact law", "tyre", "actions", "variables", "texts", "values", "tables", "mimic", "limits", "frame", "freedoms", "terms", "units", "whole numbers", "three functions", "three formulas", "curve", "reduced", "fe", "section", "ties", "joined", "variable", "six", "names", "table", "rows", "matrix"]);
const FUNCTIONS = new Set(["function", "functions", "motion", "profile", "friction", "material", "fe damping"]);
const NUMERIC = new Set(["number", "value", "integer"]);
const MODEL_FIELDS = [
  { name: "name", kind: "text", help: "name of the model" },
  { name: "gravity", kind: "vector", help: "acceleration of gravity in world axes", unit: "m/s²", default: [0, 0, -9.81] },
];
const PARAMETER_HELP = { value: "the number that formulas use", unit: "for people and plots", description: "what it means", range: "least and greatest value" };

const STRAY = "not known here; an empty field takes it away";

const guessedRange = (x) => (typeof x !== "number" || x === 0 ? [-1, 1] : [Math.min(0, 2 * x), Math.max(0, 2 * x)]);

// A problem belongs to a field if its place is that of the field, or lies inside it and no inner field shows it.
function isAt(place, path) {
  return place.length >= path.length && place.length - path.length < 3 && path.every((part, k) => String(place[k]) === String(part));
}

