// A result that follows the model: after a change of a parameter the model is run again, if one wants.

import { h } from "../dom.js";

const PAUSE = 400; // ms after the last change

export class Following {
  constructor(studio) {
    Object.assign(this, { studio, on: false });
  }

  box() {
    return h("label", { class: "check", title: "After a change the model is run again, and plots and motion follow" },
      h("input", { type: "checkbox", checked: this.on, "aria-label": "Run again after a change", onchange: (event) => this.set(event.target.checked) }), "run again after a change");
  }

  set(on) {
    this.on = on;
    if (on && !this.studio.runs.size) this.studio.command("run");
  }

  changed(label) {
    clearTimeout(this.waiting);
    if (!this.on || label === "load" || label === "saved") return;
    this.waiting = setTimeout(() => this.run(), PAUSE);
  }

  // Once the model has been looked over and no run is under way.
  run() {
    const { studio } = this;
    const checked = studio.root.dataset.checked === String(studio.document.revision);
    if (!checked || studio.running.going) this.waiting = setTimeout(() => this.run(), PAUSE / 4);
    else if (!studio.problems.some((p) => p.kind === "error")) studio.command("run");
  }
}
