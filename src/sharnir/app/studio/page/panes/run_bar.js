// What goes on: the run that is under way, how far it is, and whether it uses the model as it is now.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";

export class RunBar {
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    this.pauseButton = this.button("pause", "pause", "Pause or continue the run (F6)");
    this.stepButton = this.button("step", "step", "Make one step (F7)");
    this.stopButton = this.button("stop", "stop", "Stop the run (Shift F5)");
    this.words = h("output", { class: "words", "aria-label": "Run under way" });
    this.progress = h("progress", { max: "1", value: 0, "aria-label": "Part of the run that is done" });
    this.applyButton = h("button", { type: "button", class: "apply", title: "Go on with the model as it is now (F8)", onclick: () => studio.command("apply") }, "Apply changes");
    this.auto = h("input", { type: "checkbox", "aria-label": "Apply edits at once", onchange: () => {
      if (studio.running.going) studio.running.going.auto = this.auto.checked;
      if (this.auto.checked) studio.command("apply");
    } });
    this.changes = h("span", { class: "changes" }, this.applyButton, h("label", { title: "Every edit is applied to the run as soon as it has been checked" }, this.auto, "at once"));
    fill(root, this.words, this.progress, this.pauseButton, this.stepButton, this.stopButton, this.changes);
    root.hidden = true;
  }

  button(sign, command, title) {
    return h("button", { type: "button", title, "aria-label": title, onclick: () => this.studio.command(command) }, icon(sign));
  }

  draw() {
    const { going } = this.studio.running;
    if (this.root.hidden && going) this.auto.checked = false;
    this.root.hidden = !going;
    if (!going) return;
    const paused = going.state === "paused";
    fill(this.pauseButton, icon(paused ? "play" : "pause"));
    this.stepButton.disabled = !paused;
    this.progress.value = going.fraction ?? 0;
    this.words.textContent = `Run ${going.name} ${paused ? "is paused" : "goes on"}${going.t === undefined ? "" : ` · t = ${going.t.toFixed(3)} s`}`;
    this.applyButton.disabled = !this.studio.running.changed();
    this.root.classList.toggle("differs", this.studio.running.changed());
  }
}
