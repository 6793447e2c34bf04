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
    fill(root, h("div", { class: "pane-head" }, this.search), this.list);
  }

  draw() {
    const { document, problems } = this.studio;
    const wanted = this.search.value.trim().toLowerCase();
    const bad = new Map();
    for (const problem of problems) if (problem.place.length >= 1) bad.set(problem.place.slice(0, 2).join("/"), problem.kind);
    const rows = [this.row("model", document.data.model?.name ?? "model", [], "model"), this.row("simulation", "Run settings", [], "simulation"), this.row("base_motion", "Motion of the ground", document.data.base_motion ? ["given"] : [], "base_motion", bad.get("base_motion"))];
    for (const section of SECTIONS) {
      const names = document.names(section).filter((name) => !wanted || `${name} ${this.kind(section, name)}`.toLowerCase().includes(wanted));
      if (wanted && !names.length) continue;
      const open = !this.closed.has(section) || wanted;
      rows.push(h("li", { role: "treeitem", "aria-level": "1", "aria-expanded": String(Boolean(open)), class: "section", tabindex: "-1", data: { section }, "aria-label": TITLES[section] },
        h("span", { class: "fold", "aria-hidden": "true", onclick: () => this.fold(section) }, open ? "▾" : "▸"), h("span", { class: "title", onclick: () => this.fold(section) }, TITLES[section]), h("small", {}, String(document.names(section).length)),
        h("button", { type: "button", class: "plus", title: `Add to ${TITLES[section].toLowerCase()}`, "aria-label": `Add to ${TITLES[section].toLowerCase()}`, onclick: (event) => this.studio.offer(section, event.currentTarget) }, "+")));
      if (open) for (const name of names) rows.push(this.row(section, name, [this.kind(section, name)], `${section}/${name}`, bad.get(`${section}/${name}`)));
    }
    const focused = this.list.contains(window.document.activeElement) ? window.document.activeElement.dataset.id : null;
    fill(this.list, rows);
    const first = this.list.querySelector(".selected") ?? this.list.querySelector("[data-id]");
    if (first) first.tabIndex = 0;
    if (focused) this.list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }

  // Other rows are selected; nothing else has changed.
  mark() {
    const { selection } = this.studio;
    for (const row of this.list.querySelectorAll(".selected, [tabindex='0']")) {
      row.classList.remove("selected");
      if (row.hasAttribute("aria-selected")) row.setAttribute("aria-selected", "false");
      row.tabIndex = -1;
    }
    let first = true;
    for (const id of selection) {
      const row = this.list.querySelector(`[data-id="${CSS.escape(id)}"]`);
      if (!row) {
        if (id.includes("/") && !this.search.value) return this.draw(); // it stands in a section that is closed, or is new
        continue;
      }
      row.classList.add("selected");
      row.setAttribute("aria-selected", "true");
      if (first) {
        row.tabIndex = 0;
        row.scrollIntoView({ block: "nearest" });
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
    return h("li", { role: "treeitem", "aria-level": id.includes("/") ? "2" : "1", draggable: id.includes("/") ? "true" : undefined, ondragstart: (event) => event.dataTransfer.setData("text/plain", id), class: `element${selected ? " selected" : ""}${bad ? ` ${bad}` : ""}`, "aria-selected": String(selected), tabindex: "-1", data: { id },
      "aria-label": bad ? `${name}, has a problem` : name, onclick: (event) => this.click(event, id), ondblclick: () => this.studio.rename(id), oncontextmenu: (event) => this.studio.menu(event, id) },
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
