// The palette: every kind of body, joint, force, contact, constraint, sensor, block, event and action, with a sign and a sentence.

import { add, newElement } from "../document/commands.js";
import { fill, h } from "../dom.js";
import { starting } from "../fields/editors.js";
import { icon } from "../icons.js";

const STOP = { type: "stop" };

export class Library {
  constructor(root, studio) {
    Object.assign(this, { root, studio, closed: new Set() });
    this.search = h("input", { type: "search", placeholder: "Search the library", "aria-label": "Search the library", oninput: () => this.draw() });
    this.list = h("div", { class: "kinds" });
    this.list.addEventListener("keydown", (event) => this.key(event));
    fill(root, h("div", { class: "pane-head" }, this.search), this.list);
    this.draw();
  }

  // Groups of entries {title, about, sign, act}.
  groups() {
    const { sections, parts } = this.studio.catalogue;
    const of = (section) => sections[section].map((record) => this.entry(`${section}/${record.type}`, record, (mouse) => (section === "joints" && mouse ? this.studio.drawing.start("joint", record) : this.studio.addElement(section, record))));
    const contact = (entry) => /contact|wheel/.test(entry.sign);
    const forces = of("forces");
    return [
      ["Bodies", parts.shape.map((record) => this.entry(`shape/${record.type}`, record, () => this.body(record)))],
      ["Flexible bodies", parts.fe.map((record) => this.entry(`fe/${record.type}`, record, () => this.flexible(record)))],
      ["Joints", of("joints")],
      ["Forces", forces.filter((entry) => !contact(entry))],
      ["Contacts and wheels", forces.filter(contact)],
      ["Constraints", of("constraints")],
      ["Sensors", parts.variable.map((record) => this.entry(`variable/${record.type}`, record, () => this.sensor(record)))],
      ["Signals and blocks", of("signals")],
      ["Events", of("events")],
      ["Events with an action", parts.actions.map((record) => this.entry(`actions/${record.type}`, record, () => this.event(record)))],
      ["Parameters", [{ title: "Parameter", about: "A number with a name, for formulas; it gets a slider.", sign: "parameters", act: () => this.studio.addParameter() }]],
    ];
  }

  entry(sign, record, act) {
    return { title: record.title, about: record.library ? `${record.about} (from ${record.library})` : record.about, sign, act };
  }

  draw() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (entry) => words.every((word) => `${entry.title} ${entry.about}`.toLowerCase().includes(word));
    const groups = this.groups().map(([title, entries]) => [title, entries.filter(fits)]).filter(([, entries]) => entries.length);
    fill(this.list, groups.map(([title, entries]) => {
      const open = words.length > 0 || !this.closed.has(title);
      return h("section", { "aria-label": title },
        h("h3", {}, h("button", { type: "button", class: "fold", "aria-expanded": String(open), onclick: () => this.fold(title) }, open ? "▾ " : "▸ ", title, h("small", {}, String(entries.length)))),
        open ? h("div", { class: "kind-grid", role: "group", "aria-label": title }, entries.map((entry) => h("button", { type: "button", class: "kind", title: entry.about, "aria-label": `Add ${entry.title.toLowerCase()}`, "aria-description": entry.about, onclick: (event) => entry.act(event.detail > 0) },
          icon(entry.sign), h("span", {}, h("b", {}, entry.title), h("small", {}, entry.about))))) : null);
    }), groups.length ? null : h("p", { class: "empty" }, "Nothing here has such a name."));
  }

  fold(title) {
    if (!this.closed.delete(title)) this.closed.add(title);
    this.draw();
  }

  // Arrow keys walk through the kinds.
  key(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const all = [...this.list.querySelectorAll("button")];
    const at = all.indexOf(event.target);
    if (!step || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    all[Math.min(Math.max(at + step, 0), all.length - 1)].focus();
  }

  body(record) {
    const entry = { mass: 1, shape: { type: record.type, ...starting(record) }, position: [0, 0, 0] };
    this.added("bodies", record, entry);
  }

  flexible(record) {
    const fe = { type: record.type, ...starting(record) };
    const end = record.type === "straight-beam" ? fe.elements : 1;
    this.added("bodies", record, { type: "flexible-body", reduced: { fe, interfaces: { root: 0, tip: end }, modes: 4 }, frame_at: "root" });
  }

  sensor(record) {
    const made = newElement(this.studio.document, "variable", record);
    this.added("signals", record, { type: "signal", formula: "x", variables: { x: made } });
  }

  event(record) {
    const made = record.type === "stop" ? STOP : newElement(this.studio.document, "actions", record);
    this.added("events", record, { at: 1, actions: [made] });
  }

  added(section, record, entry) {
    const id = add(this.studio.document, section, record, entry);
    this.studio.layout.show("properties");
    this.studio.select(id);
  }
}
