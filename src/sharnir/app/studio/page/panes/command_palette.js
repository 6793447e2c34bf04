// All commands and elements by name (Ctrl K), and lists to choose from.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";

export class CommandPalette {
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    this.input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-label": "Command or element", oninput: () => this.draw() });
    this.list = h("ul", { id: "palette-list", role: "listbox", "aria-label": "Commands" });
    this.box = h("div", { class: "palette", role: "dialog", "aria-label": "Commands", hidden: true }, this.input, this.list);
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("focusout", (event) => {
      if (!this.box.contains(event.relatedTarget)) this.close();
    });
    root.append(this.box);
  }

  // Offer entries {title, about, key, act}.
  open(entries, placeholder = "Command or element") {
    this.entries = entries;
    this.before = document.activeElement;
    this.input.value = "";
    this.input.placeholder = placeholder;
    this.box.hidden = false;
    this.draw();
    this.input.focus();
  }

  close() {
    if (this.box.hidden) return;
    this.box.hidden = true;
    this.input.blur(); // what comes next finds the focus nowhere, or puts it where it belongs
  }

  draw() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (entry) => words.every((word) => `${entry.title} ${entry.about ?? ""}`.toLowerCase().includes(word));
    const first = (entry) => (words.length && entry.title.toLowerCase().startsWith(words[0]) ? 0 : 1);
    this.found = this.entries.filter(fits).sort((a, b) => first(a) - first(b)).slice(0, 60);
    this.at = 0;
    this.input.setAttribute("aria-activedescendant", this.found.length ? "option-0" : "");
    fill(this.list, this.found.map((entry, k) => h("li", { role: "option", id: `option-${k}`, "aria-selected": String(k === 0), onpointerdown: (event) => {
      event.preventDefault();
      this.choose(k);
    } }, icon(entry.sign ?? ""), h("span", { class: "title" }, entry.title), entry.about ? h("small", {}, entry.about) : null, entry.key ? h("kbd", {}, entry.key) : null)));
  }

  move(step) {
    const rows = this.list.children;
    if (!rows.length) return;
    rows[this.at]?.setAttribute("aria-selected", "false");
    this.at = (this.at + step + rows.length) % rows.length;
    rows[this.at].setAttribute("aria-selected", "true");
    rows[this.at].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", `option-${this.at}`);
  }

  key(event) {
    const actions = { ArrowDown: () => this.move(1), ArrowUp: () => this.move(-1), Enter: () => this.choose(this.at), Escape: () => {
      this.close();
      this.before?.focus();
    } };
    if (!actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  choose(k) {
    const entry = this.found[k];
    this.close();
    this.before?.focus?.();
    entry?.act();
  }
}
