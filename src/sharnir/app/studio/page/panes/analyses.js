// Analyses of the model as it is: equilibrium, modes, linear equations; and the trust report of a run.

import { fill, h, shown as digits, withUnit } from "../dom.js";
import { ask } from "../server/client.js";
import { withValue } from "../document/document.js";
import { readView, sceneOfView } from "../picture/picture.js";

const KINDS = [["equilibrium", "Equilibrium"], ["modes", "Modes"], ["linear", "Linear equations"], ["kinematics", "Kinematics"], ["sweep", "Sweep"], ["trust", "Trust"]];
const SPAN = 0.96; // of the time of a mode in the view of all: from the first of its pictures to the last
const TINY = 1e-9; // of what it is a part of: rounding
const ratio = (x) => `${few(Math.abs(x) < TINY ? 0 : 100 * x)} %`;
const few = (x) => digits(Number(x.toPrecision(5)));

function complex({ re, im }) {
  const [a, b] = [re, im].map((part) => (Math.abs(part) < TINY * Math.hypot(re, im) ? 0 : part));
  return b === 0 ? few(a) : `${a === 0 ? "" : `${few(a)} `}${b < 0 ? "−" : a === 0 ? "" : "+"} ${few(Math.abs(b))} i`.trim();
}

function table(label, heads, rows) {
  return h("table", { class: "data", "aria-label": label }, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows.map(([first, ...others]) => h("tr", {}, h("th", { scope: "row" }, first), others.map((other) => h("td", { class: "number" }, other))))));
}

const empty = () => h("p", { class: "empty" }, "Choose an analysis. It looks at the model as it is now; linear equations and modes are those about the initial position.");

export class Analyses {
  constructor(root, studio) {
    Object.assign(this, { studio, amplitude: 0.15 });
    this.result = h("div", { class: "result", "aria-live": "polite" }, empty());
    this.stale = h("p", { class: "stale", hidden: true }, "The model has changed since. ", h("button", { type: "button", class: "link", onclick: () => this.ask(this.shows, this.shows === "modes" ? { amplitude: this.amplitude } : {}) }, "Compute again"));
    fill(root, h("nav", { class: "analyses", "aria-label": "Analyses" }, KINDS.map(([name, title]) => h("button", { type: "button", class: "small", onclick: () => studio.command(name) }, title))), this.stale, this.result);
  }

  // Results belong to the model as it was: they are gone with it, and marked once it is another.
  forget() {
    this.stopSwinging();
    this.shows = this.of = this.derived = null;
    fill(this.result, empty());
    fill(this.studio.layout.panes.equations);
    this.stale.hidden = true;
  }

  changed() {
    const { document, layout } = this.studio;
    this.stale.hidden = !this.of || !["equilibrium", "modes", "linear"].includes(this.shows) || this.of === document.data;
    if (!this.stale.hidden) this.stopSwinging();
    if (!layout.panes.equations.hidden) this.offerEquations();
  }

  async ask(kind, given = {}) {
    const { studio } = this;
    studio.layout.show("analysis");
    this.stopSwinging();
    Object.assign(this, { shows: kind, of: studio.document.data });
    this.stale.hidden = true;
    const wrong = studio.problems.find((p) => p.kind === "error");
    if (wrong) return fill(this.result, h("p", { class: "problem", role: "alert" }, "The model has problems: ", h("button", { type: "button", class: "link", onclick: () => studio.reveal(wrong.place) }, wrong.path || "model"), ` ${wrong.message}`));
    fill(this.result, h("p", { class: "empty" }, "Computing …"));
    try {
      const found = await ask("analysis", { document: studio.document.data, kind, ...given });
      studio.messages.clear("analysis");
      ({ equilibrium: () => this.showEquilibrium(found), modes: () => this.showModes(found), linear: () => this.showLinear(found) })[kind]();
    } catch (error) {
      fill(this.result, h("p", { class: "problem", role: "alert" }, error.message));
      studio.messages.note(error.message, "error", "analysis", error.place);
    }
    studio.root.dataset.analysis = kind;
  }

  // ---- equilibrium ----

  showEquilibrium({ coordinates, reactions, stable, poses, residual }) {
    const { studio } = this;
    studio.running.leave();
    studio.picture.play(null);
    studio.picture.place(poses);
    studio.picture.render();
    const rows = coordinates.flatMap(({ name, values, units, parts }) => values.map((value, k) => [parts[k] ? `${name}.${parts[k]}` : values.length > 1 ? `${name} ${k + 1}` : name, withUnit(Number(value.toPrecision(6)), units[k])]));
    fill(this.result, h("h2", {}, "Equilibrium"), h("p", {}, h("b", { class: stable ? "good" : "bad" }, stable ? "Stable." : "Not stable."), ` Largest acceleration that is left: ${residual < TINY ? `below ${TINY}` : few(residual)} m/s².`),
      h("p", {}, h("button", { type: "button", class: "small", onclick: () => this.begin(coordinates) }, "Make it the initial position")),
      table("Coordinates of the equilibrium", ["Coordinate", "Value"], rows),
      table("Reactions in the equilibrium", ["Joint", "Force", "Torque"], reactions.map(({ name, force, torque }) => [name, withUnit(Number(force.toPrecision(5)), "N"), withUnit(Number(torque.toPrecision(5)), "N m")])));
  }

  // The equilibrium becomes the initial position of the joints.
  begin(coordinates) {
    const { document, messages } = this.studio;
    let data = document.data;
    for (const { name, values, settable } of coordinates) {
      const joint = data.joints?.[name];
      if (!joint || !settable || joint.motion !== undefined || joint.mimic !== undefined) continue;
      const { v, ...rest } = joint;
      data = withValue(data, ["joints", name], { ...rest, q: values.length === 1 ? values[0] : values });
    }
    document.put(data, "begin in the equilibrium");
    messages.note("The model begins in the equilibrium, at rest.", "note", "analysis");
  }

  // ---- modes ----

  warned({ at_rest: atRest, steady, acceleration }) {
    if (!atRest) return h("p", { class: "problem warning", role: "note" }, `The initial position is no equilibrium (accelerations up to ${few(acceleration)}): what is linear holds for a moment only. Find the equilibrium and make it the initial position first.`);
    return steady ? null : h("p", { class: "problem warning", role: "note" }, "The linear equations change along the motion; the eigenvalues are those of this moment.");
  }

  showModes(found) {
    const { modes, count } = found;
    const rows = modes.flatMap((mode, k) => [h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "mode", "aria-pressed": "false", data: { mode: String(k) }, onclick: () => this.toggle(k) }, `Mode ${k + 1}`)),
      h("td", { class: "number" }, `${few(mode.frequency)} Hz`), h("td", { class: "number" }, ratio(mode.damping))), h("tr", {}, h("td", { class: "moves", colspan: "3" }, mode.parts.map((part) => part.name.replace(/\.v$/, "")).join(", ")))]);
    const slider = h("input", { type: "range", min: "0.02", max: "1", step: "0.01", value: String(this.amplitude), "aria-label": "Amplitude of the shapes", onchange: () => {
      this.amplitude = Number(slider.value);
      this.ask("modes", { amplitude: this.amplitude });
    } });
    Object.assign(this, { modes, view: readView(found.view) });
    fill(this.result, h("h2", {}, "Modes"), this.warned(found),
      h("p", {}, modes.length ? "Press a mode to see its shape." : "There are no modes: nothing is free to move.", count > modes.length ? ` The lowest ${modes.length} of ${count}.` : ""),
      modes.length ? h("label", { class: "amplitude" }, "Amplitude", slider) : null,
      modes.length ? h("table", { class: "data", "aria-label": "Modes" }, h("thead", {}, h("tr", {}, ["What moves most", "Frequency", "Damping"].map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows)) : null);
  }

  toggle(k) {
    const again = this.swinging === k;
    this.stopSwinging();
    if (!again) this.swing(k);
  }

  // Let a mode swing in the picture until it is stopped.
  swing(k) {
    const { picture, running, timeline } = this.studio;
    const mode = this.modes[k];
    this.swinging = k;
    running.leave();
    timeline.toggle(false);
    picture.play(this.view);
    if (this.view) picture.show(sceneOfView(this.view), picture.posesAt(k), this.studio.found?.joints);
    this.press(k);
    this.studio.layout.inPicture();
    const period = Math.min(Math.max(1 / Math.max(mode.frequency, 1e-9), 0.6), 2) * 1000;
    const began = performance.now();
    const step = (now) => {
      if (this.swinging !== k) return;
      const phase = ((((now - began) % period) + period) % period) / period;
      if (this.view) picture.seek(k + phase * SPAN);
      else picture.place(mode.frames[Math.floor(phase * mode.frames.length) % mode.frames.length]);
      picture.render();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  press(k) {
    for (const button of this.result.querySelectorAll(".mode")) button.setAttribute("aria-pressed", String(button.dataset.mode === String(k)));
  }

  stopSwinging() {
    if (this.swinging === undefined || this.swinging === null) return;
    this.swinging = null;
    this.press(null);
    const { found, picture, running } = this.studio;
    if (this.view) picture.play(null);
    if (found && !running.going) this.view ? picture.show(found.scene, found.poses, found.joints) : picture.place(found.poses);
    this.studio.picture.render();
    this.studio.layout.inPicture();
  }

  // ---- linear equations ----

  showLinear(found) {
    const { A, B, C, states, inputs, outputs, eigenvalues } = found;
    const matrix = (letter, values, rows, columns) => (values.length && values[0]?.length ? [h("h3", {}, `${letter}: ${values.length} × ${values[0].length}`), h("div", { class: "matrix" }, table(`Matrix ${letter}`, ["", ...columns], values.map((row, k) => [rows[k] ?? k + 1, ...row.map((x) => few(Math.abs(x) < 1e-12 * Math.max(...values.flat().map(Math.abs)) ? 0 : x))])))] : null);
    const values = eigenvalues.map((x) => [complex(x), few(x.frequency), ratio(x.damping)]);
    fill(this.result, h("h2", {}, "Linear equations"), this.warned(found), h("p", { class: "formula-line" }, "d/dt x = A x", inputs.length ? " + B u" : "", outputs.length ? ", y = C x + D u" : ""),
      h("p", {}, h("button", { type: "button", class: "small", onclick: () => this.studio.export("linear") }, "Export as JSON"), h("button", { type: "button", class: "small", onclick: () => navigator.clipboard?.writeText(JSON.stringify(A)).then(() => this.studio.messages.note("A is in the clipboard.", "note", "analysis")) }, "Copy A")),
      h("h3", {}, "Eigenvalues of A"), table("Eigenvalues", ["1/s", "Hz", "Damping"], values), matrix("A", A, states, states), matrix("B", B, states, inputs), matrix("C", C, outputs, states));
  }

  // ---- trust ----

  showTrust(name = this.studio.shown ?? [...this.studio.runs.keys()].at(-1)) {
    this.studio.layout.show("analysis");
    this.stopSwinging();
    this.shows = "trust";
    this.trusted = name;
    this.drawTrust();
  }

  drawTrust() {
    if (this.shows !== "trust") return;
    const run = this.studio.runs.get(this.trusted) ?? this.studio.runs.get(this.studio.shown);
    if (!run) return fill(this.result, h("p", { class: "empty" }, "Run the model first: every run checks its balance of energy, its constraints and its steps."));
    const doubts = run.doubts.map(({ text, place }) => h("li", { class: "warning" }, text, place.length ? [" ", h("button", { type: "button", class: "link", onclick: () => this.studio.reveal(place) }, place.join("."))] : null));
    fill(this.result, h("h2", {}, `Trust in run ${run.name}`), h("p", {}, h("b", { class: run.doubts.length ? "bad" : "good" }, run.doubts.length ? "Look again." : "Good."), run.doubts.length ? " What speaks against it, and what to do:" : " Nothing speaks against it."),
      doubts.length ? h("ul", { class: "checks", "aria-label": "Doubts" }, doubts) : null, h("ul", { class: "checks good", "aria-label": "Checks" }, run.known.map((text) => h("li", {}, text))),
      h("h3", {}, "Report"), h("table", { class: "data report", "aria-label": "Report of the run" }, h("tbody", {}, run.report.filter(([label]) => label !== "trust").map(([label, text]) => h("tr", {}, h("th", { scope: "row" }, label), h("td", {}, text))))));
  }

  // The pane of the equations without any, or with those of another model: a button derives them.
  offerEquations() {
    const { document, layout } = this.studio;
    if (this.derived === document.data) return;
    const none = !document.names("joints").length && !document.names("bodies").length;
    fill(layout.panes.equations, h("p", { class: "empty" }, none ? "An empty model has no equations." : "The equations of motion with the letters of the model’s parameters, as text that can be copied."),
      none ? null : h("button", { type: "button", class: "small", onclick: () => this.equations() }, "Derive the equations"));
  }

  async equations() {
    const { studio } = this;
    this.derived = studio.document.data;
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
