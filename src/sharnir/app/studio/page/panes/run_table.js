// The runs that are kept, and what their models and settings differ in.

import { fill, h, shown as digits } from "../dom.js";

const MOST_ROWS = 60;

// All numbers and texts of a document by their paths.
function leaves(value, path = [], found = new Map()) {
  if (value !== null && typeof value === "object") for (const [key, entry] of Object.entries(value)) leaves(entry, [...path, key], found);
  else found.set(path.join("."), value);
  return found;
}

// Paths in which documents differ, with the value of each.
export function differences(documents) {
  const all = documents.map((one) => leaves(one));
  const paths = [...new Set(all.flatMap((found) => [...found.keys()]))];
  return paths.map((path) => [path, all.map((found) => found.get(path))]).filter(([, values]) => values.some((value) => value !== values[0]));
}

const worded = (value) => (value === undefined ? "–" : digits(value));

export class RunTable {
  constructor(root, studio) {
    Object.assign(this, { root, studio });
    this.draw();
  }

  draw() {
    const runs = [...(this.studio.running?.runs.values() ?? [])];
    if (!runs.length) return fill(this.root, h("p", { class: "empty" }, "No runs yet. Run the model (F5); runs are kept as A, B, C, … and can be compared here."));
    fill(this.root, h("div", { class: "columns" }, this.list(runs), this.differing(runs)));
  }

  list(runs) {
    const { running } = this.studio;
    const rows = runs.map((run) => h("tr", { class: run.name === running.shown ? "shown" : "" },
      h("th", { scope: "row" }, h("button", { type: "button", "aria-pressed": String(run.name === running.shown), title: "Show this run", "aria-label": `Show run ${run.name}`, onclick: () => running.show(run.name) }, run.name)),
      h("td", {}, h("input", { type: "checkbox", checked: run.ghost, "aria-label": `Compare with run ${run.name}`, onchange: (event) => running.compare(run.name, event.target.checked) })),
      h("td", {}, h("button", { type: "button", class: "pin", "aria-pressed": String(running.reference === run.name), "aria-label": `Pin run ${run.name} as the reference`, title: "Reference for the others", onclick: () => running.pin(run.name) }, running.reference === run.name ? "★" : "☆")),
      h("td", { class: "number" }, `${digits(Number(run.seconds.toPrecision(3)))} s`),
      h("td", {}, run.complete ? (run.kind === "kinematics" ? "kinematics" : "complete") : "stopped early"),
      h("td", { class: "number" }, run.changes.length || "–"),
      h("td", { class: "trust", title: run.trust }, h("button", { type: "button", class: `link ${run.doubts.length ? "warning" : ""}`, onclick: () => this.studio.analyses.showTrust(run.name) }, run.trust ? (run.doubts.length ? "look again" : "good") : "–")),
      h("td", {}, h("button", { type: "button", "aria-label": `Forget run ${run.name}`, title: "Forget this run", onclick: () => running.forget(run.name) }, "✕"))));
    return h("table", { class: "data", "aria-label": "Runs" }, h("thead", {}, h("tr", {}, ["Run", "Compare", "Reference", "Computed in", "State", "Changes", "Trust", ""].map((title) => h("th", { scope: "col" }, title)))), h("tbody", {}, rows));
  }

  // Rows are what differs; the reference, or the first run, is what others are compared with.
  differing(runs) {
    const { reference } = this.studio.running;
    const sorted = [...runs].sort((a, b) => (b.name === reference) - (a.name === reference));
    const found = differences(sorted.map((run) => run.began));
    const rows = found.slice(0, MOST_ROWS).map(([path, values]) => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "link", onclick: () => this.studio.reveal(path.split(".")) }, path)), values.map((value, k) => h("td", { class: `number${k && value !== values[0] ? " other" : ""}` }, worded(value)))));
    const changed = sorted.flatMap((run) => run.changes.map((change) => h("tr", {}, h("th", { scope: "row" }, `from t = ${digits(Number(change.t.toPrecision(6)))} s`), sorted.map((one) => h("td", { class: "number other" }, one === run ? change.words : "")))));
    if (!rows.length && !changed.length) return h("p", { class: "empty" }, runs.length === 1 ? "With a second run, this shows what their models and settings differ in." : "The models and settings of these runs are the same.");
    return h("table", { class: "data", "aria-label": "Differences of the runs" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Difference"), sorted.map((run) => h("th", { scope: "col" }, run.name, run.name === reference ? " ★" : "")))), h("tbody", {}, rows, changed),
      found.length > MOST_ROWS ? h("caption", {}, `and ${found.length - MOST_ROWS} more`) : null);
  }
}
