// Runs: started, watched while they go on, paused, stepped, changed, kept by letters, compared.

import { floats } from "../../../viewer/motion.js";
import { readView, sceneOfView } from "../picture/picture.js";
import { ask, forget, stream } from "../server/client.js";

const LETTERS = "ABCDEFGH";

export class Runs {
  constructor(studio) {
    Object.assign(this, { studio, runs: new Map(), shown: null, inView: false, going: null, reference: null });
  }

  // Whether the picture belongs to a run, not to the drawing.
  playing() {
    return this.inView || (this.going !== null && this.going.t !== undefined);
  }

  // The picture shows the model as it is drawn: it has changed, or somebody works on it. The curves stay.
  leave() {
    if (!this.inView) return;
    const { picture, timeline, found, layout } = this.studio;
    this.inView = false;
    timeline.toggle(false);
    timeline.drawRuns();
    layout.inPicture();
    picture.play(null);
    picture.showGhosts([]);
    if (found) picture.show(found.scene, found.poses, found.joints);
  }

  // The picture shows the run that the time line belongs to.
  enter() {
    if (this.inView || !this.runs.has(this.shown)) return;
    const { studio } = this;
    const { view, scenes } = this.runs.get(this.shown);
    studio.analyses.stopSwinging();
    this.inView = true;
    studio.picture.play(view, scenes);
    studio.picture.show(sceneOfView(view), studio.picture.posesAt(studio.picture.motion.start), studio.found?.joints);
    this.ghosts();
    studio.timeline.drawRuns();
    studio.layout.inPicture();
    studio.correction.draw();
  }

  // The document has been looked over: a run that goes on may take it over.
  follow() {
    if (this.going?.auto && this.changed()) this.apply();
    this.studio.runBar.draw();
  }

  // Whether the model differs from that of the run that goes on.
  changed() {
    return Boolean(this.going) && this.going.applied !== this.studio.document.data;
  }

  clear() {
    if (this.going) this.order("stop");
    this.runs.clear();
    this.studio.plots.channels = [];
    this.leave();
    this.shown = this.reference = null;
    this.studio.picture.play(null);
    this.studio.timeline.load(0, 0);
    this.draw();
  }

  draw() {
    this.studio.timeline.drawRuns();
    this.studio.runTable.draw();
    this.studio.plots.load();
    this.studio.analyses.drawTrust();
    this.studio.correction.draw();
  }

  channelNames() {
    const run = this.runs.get(this.shown);
    return run ? [...run.channels] : null;
  }

  nextName() {
    return [...LETTERS].find((letter) => !this.runs.has(letter)) ?? [...this.runs.keys()].find((name) => name !== this.shown && name !== this.reference) ?? "A";
  }

  async start(kind = "motion") {
    if (this.going) return;
    const { studio } = this;
    const errors = studio.problems.filter((p) => p.kind === "error");
    if (errors.length) {
      studio.layout.show("messages");
      return studio.messages.note("The model has problems; they are listed here.", "error", "run", errors[0].place);
    }
    if (!studio.document.names("bodies").length) return studio.messages.note("There is nothing to run yet: the model has no bodies.", "note", "run");
    const [name, document] = [this.nextName(), studio.document.data];
    this.leave();
    this.going = { name, document, applied: document, state: "running", marks: [], kind };
    studio.analyses.stopSwinging();
    this.state("running");
    studio.messages.clear("run");
    if (!studio.plots.channels.length) studio.plots.channels = this.firstChannels();
    studio.plots.begin();
    try {
      for await (const message of stream("run", { document, name, kind, channels: studio.plots.channels })) this.take(name, message);
    } catch (error) {
      studio.messages.note(error.message, "error", "run");
    }
    this.going = null;
    if (!this.inView && studio.found) studio.picture.show(studio.found.scene, studio.found.poses, studio.found.joints); // it has no motion to show
    studio.plots.end();
    this.state("");
    studio.root.dataset.runs = String(this.runs.size);
  }

  // What is plotted as long as nobody has chosen anything: some coordinates.
  firstChannels() {
    const single = Object.entries(this.studio.found?.joints ?? {}).filter(([, joint]) => joint.units.length === 1);
    return single.slice(0, 3).map(([name]) => `${name}.q`);
  }

  state(word, fraction) {
    if (this.going) Object.assign(this.going, { state: word, fraction: fraction ?? this.going.fraction ?? 0 });
    this.studio.layout.running(word, this.going?.fraction ?? 0);
    this.studio.runBar.draw();
  }

  take(name, message) {
    const { studio, going } = this;
    if (message.error !== undefined) return studio.messages.note(message.error, "error", "run");
    if (message.kind === "progress") this.state(going.state, message.fraction);
    else if (message.kind === "paused") this.state("paused");
    else if (message.kind === "running") this.state("running");
    else if (message.kind === "frames") this.showFrames(message);
    else if (message.kind === "curves") studio.plots.follow(message.curves, true);
    else if (message.kind === "changed") this.tookOver(message);
    else if (message.kind === "refused") this.refused(message.message);
    else if (message.kind === "end") this.finish(name, message);
  }

  // The newest picture of a run that goes on.
  showFrames(message) {
    const { bodies, t, poses, curves } = message;
    const numbers = floats(poses.bytes);
    if (this.inView) return this.studio.plots.follow(curves); // somebody looks at another run meanwhile
    this.studio.picture.place(Object.fromEntries(bodies.map((body, k) => [body, [...numbers.subarray(7 * k, 7 * k + 7)]])));
    this.studio.picture.render();
    this.studio.plots.follow(curves);
    const end = Number(this.going.document.simulation?.t_end ?? 5);
    this.going.t = t;
    this.studio.correction.draw();
    this.studio.timeline.follow(t, end, this.going.marks);
    this.state(this.going.state, t / end);
  }

  // ---- changes on the way ----

  apply() {
    const { studio, going } = this;
    if (!this.changed()) return;
    const errors = studio.problems.filter((p) => p.kind === "error");
    if (errors.length) return studio.messages.note("The run goes on with the old values, as the model has problems.", "warning", "change", errors[0].place);
    going.before = going.applied;
    going.applied = studio.document.data;
    studio.messages.clear("change");
    this.order("change", { document: going.applied });
    studio.runBar.draw();
  }

  tookOver({ t, words }) {
    const { studio, going } = this;
    going.marks.push({ t, name: words, change: true });
    studio.messages.note(`Run ${going.name} goes on from t = ${t.toFixed(4)} s with ${words}.`, "note");
    if (studio.found && !this.inView) studio.picture.show(studio.found.scene, studio.picture.poses, studio.found.joints);
  }

  refused({ text, place }) {
    if (this.going?.before) this.going.applied = this.going.before;
    this.studio.layout.show("messages");
    this.studio.messages.note(`The run goes on with the old values: ${text}`, "warning", "change", place);
    this.studio.runBar.draw();
  }

  // ---- a run that has ended ----

  finish(name, message) {
    const { studio, going } = this;
    for (const { text, kind, place } of message.messages) studio.messages.note(text, kind, kind === "error" ? "run" : null, place);
    if (message.messages.some((one) => one.kind === "error")) studio.layout.show("messages");
    if (!message.view) return;
    const changed = new Set(message.changes.map((change) => change.t));
    const events = message.events.map((event) => ({ ...event, change: changed.has(event.t) }));
    const channels = new Set(message.channels.flatMap((channel) => (channel.components.length > 1 ? channel.components : [channel.name])));
    const view = readView(message.view);
    const { scenes, report, known, doubts, trust, complete, seconds, changes } = message;
    this.runs.set(name, { name, title: `run ${name}: ${seconds.toFixed(2)} s`, document: going.applied, began: going.document, kind: going.kind, view, scenes, events, report, known, doubts, trust, complete, seconds, changes, channels, ghost: false });
    studio.messages.note(`Run ${name} ${complete ? "is complete" : "was stopped; what was computed is kept"} (${seconds.toFixed(2)} s). Trust: ${trust || "unknown"}`, trust.startsWith("good") || !trust ? "note" : "warning", `run ${name}`);
    if (!studio.plots.channels.length) studio.plots.channels = [...channels].filter((channel) => /\.q(\.|$)/.test(channel)).slice(0, 3);
    this.show(name);
    if (this.runs.size === 1) studio.picture.refit();
    studio.timeline.slowDown(studio.timeline.player.span);
    studio.timeline.toggle(true);
  }

  show(name) {
    const run = this.runs.get(name);
    if (!run) return;
    const { studio } = this;
    Object.assign(this, { shown: name, inView: false });
    this.enter();
    studio.plots.setNames([...run.channels]);
    studio.timeline.load(studio.picture.motion.start, studio.picture.motion.end, run.events);
    this.draw();
  }

  compare(name, on) {
    this.runs.get(name).ghost = on;
    this.enter();
    this.ghosts();
    this.draw();
  }

  // One run is the reference: always in the plots, and what others are compared with.
  pin(name) {
    this.reference = this.reference === name ? null : name;
    if (this.reference) this.runs.get(name).ghost = true;
    this.ghosts();
    this.draw();
  }

  forget(name) {
    this.runs.delete(name);
    forget(`run/${name}`).catch(() => null);
    if (this.reference === name) this.reference = null;
    if (this.shown === name) {
      this.leave();
      this.shown = null;
      const next = [...this.runs.keys()].at(-1);
      if (next) return this.show(next);
      this.studio.timeline.load(0, 0);
      this.studio.check();
    }
    this.ghosts();
    this.draw();
  }

  ghosts() {
    const others = this.inView ? [...this.runs.values()].filter((run) => run.ghost && run.name !== this.shown) : [];
    this.studio.picture.showGhosts(others.map((run) => run.view));
  }

  plotted() {
    return [...this.runs.values()].filter((run) => run.name === this.shown || run.ghost);
  }

  pause() {
    if (!this.going) return this.studio.timeline.toggle();
    this.order(this.going.state === "paused" ? "continue" : "pause");
  }

  step() {
    if (this.going) this.order(this.going.state === "paused" ? "step" : "pause");
  }

  async order(word, given = {}) {
    if (!this.going) return;
    await ask(`run/${this.going.name}/${word}`, given).catch((error) => this.studio.messages.note(error.message, "error", "run"));
  }
}
