// Problems and messages, each with a link to its element and field.

import { fill, h } from "../dom.js";

export class Messages {
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    this.notes = [];
    this.list = h("ol", { "aria-label": "Messages", "aria-live": "polite" });
    fill(root, this.list);
  }

  // Something worth knowing; errors stay until the next note of the same kind.
  note(text, kind = "note", topic = null, place = []) {
    if (topic) this.notes = this.notes.filter((note) => note.topic !== topic);
    this.notes = [{ text, kind, topic, place, time: new Date() }, ...this.notes].slice(0, 60);
    this.draw();
    this.studio.layout.flash(text, kind);
    if (kind === "error" && topic !== "check") this.studio.layout.show("messages"); // what went wrong must not be missed
  }

  clear(topic) {
    this.notes = this.notes.filter((note) => note.topic !== topic);
    this.draw();
  }

  draw() {
    const { problems } = this.studio;
    const rows = problems.map((p) => h("li", { class: p.kind }, p.place.length
      ? h("button", { type: "button", class: "link", onclick: () => this.studio.reveal(p.place) }, p.path) : null, h("span", {}, p.message)));
    rows.push(...this.notes.map((note) => h("li", { class: note.kind }, h("time", {}, note.time.toTimeString().slice(0, 8)),
      note.place.length ? h("button", { type: "button", class: "link", onclick: () => this.studio.reveal(note.place) }, note.place.join(".")) : null, h("span", {}, note.text))));
    fill(this.list, rows.length ? rows : h("li", { class: "note" }, h("span", {}, "No problems.")));
    const errors = problems.filter((p) => p.kind === "error").length;
    this.studio.badge("messages", errors);
  }
}
