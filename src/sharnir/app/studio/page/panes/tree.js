// The model tree: all elements by section; select, search, add.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";
import { SECTIONS } from "../document/document.js";

const ICON_OF = { simulation: "play", model: "model", base_motion: "move" };

const TITLES = { parameters: "Parameters", bodies: "Bodies", joints: "Joints", forces: "Forces and contacts", constraints: "Constraints", signals: "Signals and control", events: "Events" };

export class Tree {
  constructor(root, studio) {
    this.studio = studio;
    this.closed = new Set();
    this.search = h("input", { type: "search", placeholder: "Search the model", "aria-label": "Search the model", oninput: () => this.draw() });
    this.list = h("ul", { role: "tree", "aria-label": "Model" });
    this.list.addEventListener("keydown", (event) => this.key(event));
    const on = (name, act) => this.list.addEventListener(name, (event) => {
      const id = event.target.closest("[data-id]")?.dataset.id;
      if (id !== undefined) act(event, id);
    });
    on("click", (event, id) => this.click(event, id));
    on("dblclick", (event, id) => studio.rename(id));
    on("contextmenu", (event, id) => studio.menu(event, id));
    on("dragstart", (event, id) => event.dataTransfer.setData("text/plain", id));
    fill(root, h("div", { class: "pane-head" }, this.search), this.list);
  }

  draw() {
    const { document, problems } = this.studio;
    const wanted = this.search.value.trim().toLowerCase();
    const bad = new Map();
    for (const problem of problems) if (problem.place.length >= 1) bad.set(problem.place.slice(0, 2).join("/"), problem.kind);
    const plan = SECTIONS.map((section) => [section, Boolean(wanted || !this.closed.has(section)), document.names(section).length, document.names(section).map((name) => [name, this.kind(section, name), this.sign(section, name), bad.get(`${section}/${name}`)]).filter(([name, kind]) => !wanted || `${name} ${kind}`.toLowerCase().includes(wanted))]);
    const text = JSON.stringify([wanted, document.data.model?.name, Boolean(document.data.base_motion), bad.get("base_motion"), plan]);
    if (text === this.drawn) return this.mark(false); // thousands of rows stay as they are
    this.drawn = text;
    const rows = [this.row("model", document.data.model?.name ?? "model", [], "model"), this.row("simulation", "Run settings", [], "simulation"), this.row("base_motion", "Motion of the ground", document.data.base_motion ? ["given"] : [], "base_motion", bad.get("base_motion"))];
    for (const [section, open, count, entries] of plan) {
      if (wanted && !entries.length) continue;
      rows.push(h("li", { role: "treeitem", "aria-level": "1", "aria-expanded": String(Boolean(open)), class: "section", tabindex: "-1", data: { section }, "aria-label": TITLES[section] },
        h("span", { class: "fold", "aria-hidden": "true", onclick: () => this.fold(section) }, open ? "▾" : "▸"), h("span", { class: "title", onclick: () => this.fold(section) }, TITLES[section]), h("small", {}, String(count)),
        h("button", { type: "button", class: "plus", title: `Add to ${TITLES[section].toLowerCase()}`, "aria-label": `Add to ${TITLES[section].toLowerCase()}`, onclick: (event) => this.studio.offer(section, event.currentTarget) }, "+")));
      if (open) for (const [name, kind, , wrong] of entries) rows.push(this.row(section, name, [kind], `${section}/${name}`, wrong));
    }
    const focused = this.list.contains(window.document.activeElement) ? window.document.activeElement.dataset.id : null;
    fill(this.list, rows);
    const first = this.list.querySelector(".selected") ?? this.list.querySelector("[data-id]");
    if (first) first.tabIndex = 0;
    if (focused) this.list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }

  // Other rows are selected; nothing else has changed.
  mark(anew = true) {
    const { selection } = this.studio;
    for (const row of this.list.querySelectorAll(".selected, [tabindex='0']")) {
      row.classList.remove("selected");
      if (row.hasAttribute("aria-selected")) row.setAttribute("aria-selected", "false");
      row.tabIndex = -1;
    }
    let first = true;
    const rows = new Map([...this.list.querySelectorAll("[data-id]")].map((row) => [row.dataset.id, row]));
    for (const id of selection) {
      const row = rows.get(id);
      if (!row) {
        if (anew && id.includes("/") && !this.search.value) return this.draw(); // it stands in a section that is closed, or is new
        continue;
      }
      row.classList.add("selected");
      row.setAttribute("aria-selected", "true");
      if (first) {
        row.tabIndex = 0;
        if (anew) row.scrollIntoView({ block: "nearest" });
      }
      first = false;
    }
    if (first) this.list.querySelector("[data-id]")?.setAttribute("tabindex", "0");
  }

  kind(section, name) {
    if (section === "parameters") {
      const value = this.studio.document.data.parameters[name];
      return typeof value === "object" ? `${value.value} ${value.unit ?? ""}`.trim() : String(value);
    }
    return this.studio.titleOf(section, name);
  }

  sign(section, name) {
    const type = this.studio.recordOf(section, name)?.type;
    return type ? `${section}/${type}` : section;
  }

  row(section, name, words, id, bad) {
    const selected = this.studio.selection.has(id);
    return h("li", { role: "treeitem", "aria-level": id.includes("/") ? "2" : "1", draggable: id.includes("/") ? "true" : undefined, class: `element${selected ? " selected" : ""}${bad ? ` ${bad}` : ""}`, "aria-selected": String(selected), tabindex: "-1", data: { id },
      "aria-label": bad ? `${name}, has a problem` : name },
      h("i", { "aria-hidden": "true" }, icon(ICON_OF[section] ?? this.sign(section, name))), h("span", { class: "name" }, name), words.map((word) => h("small", {}, word)), bad ? h("b", { class: "bad", title: "has a problem" }, "!") : null);
  }

  // Ctrl adds to the selection or takes from it, Shift selects all rows from the last one that was clicked.
  click(event, id) {
    const rows = [...this.list.querySelectorAll("[data-id]")].map((row) => row.dataset.id);
    const [from, to] = [rows.indexOf(this.last), rows.indexOf(id)];
    if (!event.shiftKey || from < 0 || !id.includes("/")) {
      this.last = id;
      return this.studio.select(id, event.ctrlKey || event.metaKey);
    }
    this.studio.selectAll(rows.slice(Math.min(from, to), Math.max(from, to) + 1).filter((one) => one.includes("/")));
  }

  fold(section) {
    if (this.closed.has(section)) this.closed.delete(section);
    else this.closed.add(section);
    this.draw();
  }

  // The row of what is selected, for the keyboard.
  focus() {
    this.list.querySelector("[tabindex='0']")?.focus();
  }

  // Arrow keys walk through the tree, Enter selects and then goes on to the form, F2 renames, Delete removes.
  key(event) {
    if (event.target.closest("button")) return; // that of a section's plus
    const rows = [...this.list.querySelectorAll("[role=treeitem]")];
    const at = rows.indexOf(event.target.closest("[role=treeitem]"));
    if (at < 0) return;
    const { id, section } = rows[at].dataset;
    const go = (k) => {
      const row = rows[Math.min(Math.max(k, 0), rows.length - 1)];
      row.focus();
      if (row.dataset.id) this.studio.select(row.dataset.id, event.shiftKey);
    };
    const actions = {
      ArrowDown: () => go(at + 1), ArrowUp: () => go(at - 1), Home: () => go(0), End: () => go(rows.length - 1), F2: () => id && this.studio.rename(id),
      ArrowLeft: () => section && !this.closed.has(section) && this.fold(section), ArrowRight: () => section && this.closed.has(section) && this.fold(section),
      Enter: () => (!id ? this.fold(section) : this.studio.selection.has(id) ? this.studio.properties.focus() : this.studio.select(id)), Delete: () => id && this.studio.remove(),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }
}
