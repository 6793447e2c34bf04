// Runs: started, watched while they go on, kept by letters, compared; analyses beside them.

import { fill, h, shown as digits } from "../dom.js";
import { ask, stream } from "../server/client.js";
import { floats } from "../../../viewer/motion.js";

const LETTERS = "ABCDEFGH";

export class Runs {
  constructor(studio) {
    Object.assign(this, { studio, runs: new Map(), shown: null, going: null });
  }

  playing() {
    return this.shown !== null && this.runs.get(this.shown)?.document === this.studio.document.data;
  }

  // The document has changed: the picture shows it, not a run of an earlier one.
  follow() {
    if (this.shown !== null && !this.playing() && !this.going) this.studio.layout.status(this.studio.found);
  }

  clear() {
    this.runs.clear();
    this.shown = null;
    this.studio.picture.play(null);
    this.studio.picture.showGhosts([]);
    this.studio.timeline.load(0, 0);
    this.studio.timeline.drawRuns();
    this.studio.plots.load();
  }

  channelNames() {
    const run = this.runs.get(this.shown);
    return run ? [...run.channels] : null;
  }

  nextName() {
    return [...LETTERS].find((letter) => !this.runs.has(letter)) ?? [...this.runs.keys()].find((name) => name !== this.shown) ?? "A";
  }

  async start() {
    if (this.going) return;
    const { studio } = this;
    const errors = studio.problems.filter((p) => p.kind === "error");
    if (errors.length) {
      studio.layout.show("messages");
      return studio.messages.note("The model has problems; they are listed here.", "error", "run");
    }
    const [name, document] = [this.nextName(), studio.document.data];
    this.going = { name, document, frames: 0 };
    studio.layout.running("running");
    studio.messages.clear("run");
    try {
      for await (const message of stream("run", { document, name })) this.take(name, document, message);
    } catch (error) {
      studio.messages.note(error.message, "error", "run");
    }
    this.going = null;
    studio.layout.running("");
    studio.root.dataset.runs = String(this.runs.size);
  }

  take(name, document, message) {
    const { studio } = this;
    if (message.error !== undefined) return studio.messages.note(message.error, "error", "run");
    if (message.kind === "progress") studio.layout.running(this.paused ? "paused" : "running", message.fraction);
    else if (message.kind === "paused") studio.layout.running("paused");
    else if (message.kind === "running") studio.layout.running("running");
    else if (message.kind === "frames") this.showFrames(message);
    else if (message.kind === "end") this.finish(name, document, message);
  }

  // The newest picture of a run that goes on.
  showFrames(message) {
    const { bodies, t, poses } = message;
    const numbers = floats(poses.bytes);
    this.studio.picture.place(Object.fromEntries(bodies.map((body, k) => [body, [...numbers.subarray(7 * k, 7 * k + 7)]])));
    this.studio.picture.render();
    const end = this.going?.document.simulation?.t_end ?? 5;
    this.studio.timeline.clock.textContent = `${t.toFixed(3)} / ${Number(end).toFixed(3)} s`;
    this.studio.layout.running(this.paused ? "paused" : "running", t / end);
  }

  finish(name, document, message) {
    const { studio } = this;
    this.paused = false;
    for (const { text, kind, place } of message.messages) studio.messages.note(text, kind, kind === "error" ? "run" : null, place);
    if (!message.view) return;
    const title = `run ${name}: ${message.seconds.toFixed(2)} s`;
    this.runs.set(name, { name, title, document, view: message.view, events: message.events, report: message.report, ghost: false, channels: new Set(message.channels.flatMap((channel) => [channel.name, ...channel.components])) });
    studio.messages.note(`Run ${name} ${message.complete ? "is complete" : "was stopped; what was computed is kept"} (${message.seconds.toFixed(2)} s). Trust: ${message.trust || "unknown"}`, message.trust.startsWith("good") || !message.trust ? "note" : "warning", `run ${name}`);
    this.show(name);
    if (this.runs.size === 1) studio.picture.refit();
    if (!studio.plots.channels.length) {
      const first = [...this.runs.get(name).channels].filter((channel) => channel.endsWith(".q"));
      studio.plots.channels = first.slice(0, 3);
    }
    studio.plots.load();
    studio.timeline.toggle(true);
  }

  show(name) {
    const run = this.runs.get(name);
    if (!run) return;
    const { studio } = this;
    this.shown = name;
    studio.picture.play(run.view);
    studio.picture.show({ items: run.view.items.map(({ still, elastic, ...item }) => item), springs: run.view.springs, up: run.view.up, title: "" }, studio.picture.posesAt(studio.picture.motion.start), studio.found?.joints);
    this.ghosts();
    studio.plots.setNames([...run.channels]);
    studio.timeline.load(studio.picture.motion.start, studio.picture.motion.end, run.events);
    studio.timeline.drawRuns();
    studio.plots.load();
  }

  compare(name, on) {
    this.runs.get(name).ghost = on;
    this.ghosts();
    this.studio.plots.load();
  }

  ghosts() {
    this.studio.picture.showGhosts([...this.runs.values()].filter((run) => run.ghost && run.name !== this.shown).map((run) => run.view));
  }

  plotted() {
    return [...this.runs.values()].filter((run) => run.name === this.shown || run.ghost);
  }

  pause() {
    if (!this.going) return this.studio.timeline.toggle();
    this.paused = !this.paused;
    this.order(this.paused ? "pause" : "continue");
  }

  async order(word) {
    if (!this.going) return;
    await ask(`run/${this.going.name}/${word}`, {}).catch((error) => this.studio.messages.note(error.message, "error", "run"));
  }

  async analyse(kind) {
    const { studio } = this;
    try {
      const found = await ask("analysis", { document: studio.document.data, kind });
      if (kind === "equilibrium") this.showEquilibrium(found);
      else this.showModes(found);
      studio.layout.show("equations");
      studio.messages.clear("analysis");
    } catch (error) {
      studio.layout.show("messages");
      studio.messages.note(error.message, "error", "analysis");
    }
  }

  showEquilibrium({ coordinates, stable, poses, residual }) {
    const { studio } = this;
    this.shown = null;
    studio.picture.place(poses);
    studio.picture.render();
    fill(studio.layout.panes.equations, h("h2", {}, "Equilibrium"), h("p", {}, `${stable ? "Stable" : "Not stable"}; largest acceleration that is left ${digits(residual)}.`),
      h("table", {}, coordinates.map(({ name, value }) => h("tr", {}, h("th", {}, name), h("td", {}, digits(value))))));
  }

  showModes({ modes }) {
    const { studio } = this;
    const rows = modes.map((mode, k) => h("tr", {}, h("th", {}, h("button", { type: "button", onclick: () => this.swing(mode) }, `Mode ${k + 1}`)), h("td", {}, `${digits(mode.frequency)} Hz`), h("td", {}, `damping ${digits(mode.damping)}`)));
    fill(studio.layout.panes.equations, h("h2", {}, "Modes"), h("p", {}, modes.length ? "Press a mode to see its shape." : "There are no modes."), h("table", {}, rows));
  }

  // Let a mode swing in the picture for a while.
  swing(mode) {
    const until = performance.now() + 6000;
    const period = Math.min(Math.max(1 / Math.max(mode.frequency, 1e-9), 0.5), 2) * 1000;
    this.shown = null;
    const step = (now) => {
      const k = Math.floor(((now % period) / period) * mode.frames.length);
      this.studio.picture.place(mode.frames[k]);
      this.studio.picture.render();
      if (now < until) requestAnimationFrame(step);
      else this.studio.check();
    };
    requestAnimationFrame(step);
  }

  async equations() {
    const { studio } = this;
    studio.layout.show("equations");
    const pane = studio.layout.panes.equations;
    fill(pane, h("p", { class: "empty" }, "Deriving …"));
    try {
      const { html } = await ask("equations", { document: studio.document.data, letters: true });
      const parsed = new DOMParser().parseFromString(html, "text/html");
      fill(pane, [...parsed.body.childNodes].map((node) => window.document.importNode(node, true)));
    } catch (error) {
      fill(pane, h("p", { class: "problem" }, error.message));
    }
  }
}
