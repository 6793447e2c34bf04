// The graph of the mechanism: bodies by their distance from the ground, joints between them, cut joints dashed.

import { fill, h } from "../dom.js";

const [WIDE, HIGH] = [118, 64];
const NS = "http://www.w3.org/2000/svg";

function svg(tag, given, ...children) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export class Graph {
  constructor(root, studio) {
    Object.assign(this, { root, studio });
  }

  draw() {
    if (this.root.hidden) return (this.stale = true); // it is drawn when it is shown
    this.stale = false;
    const { graph, freedoms, redundant, graph_problem: problem } = this.studio.found ?? {};
    if (!graph) return fill(this.root, h("p", { class: "empty" }, problem ?? "There is no graph yet."));
    const levels = new Map([["ground", 0]]);
    for (const [name, depth] of Object.entries(graph.bodies)) levels.set(name, depth);
    const columns = [];
    for (const [name, level] of levels) (columns[level] ??= []).push(name);
    const place = new Map();
    columns.forEach((names, level) => names.forEach((name, k) => place.set(name, [level * WIDE + 14, k * HIGH + 24])));
    const height = Math.max(...columns.map((c) => c?.length ?? 0)) * HIGH + 20;
    const picture = svg("svg", { viewBox: `0 0 ${columns.length * WIDE + 20} ${height}`, class: "graph", role: "img", "aria-label": "Graph of bodies and joints" });
    for (const joint of graph.joints) picture.append(this.edge(joint, place));
    for (const [name, [x, y]] of place) {
      const box = svg("g", { class: `node${this.studio.selection.has(`bodies/${name}`) ? " selected" : ""}`, tabindex: "0", role: "button", "aria-label": `Body ${name}` },
        svg("rect", { x, y: y - 13, width: 84, height: 26, rx: 6 }), svg("text", { x: x + 42, y: y + 4, "text-anchor": "middle" }, name.length > 12 ? `${name.slice(0, 11)}…` : name));
      box.addEventListener("click", () => name !== "ground" && this.studio.select(`bodies/${name}`));
      picture.append(box);
    }
    const words = freedoms === null || freedoms === undefined ? "" : `${freedoms} degree${freedoms === 1 ? "" : "s"} of freedom`;
    fill(this.root, h("p", { class: "count" }, words), picture, h("pre", {}, graph.text.split("\n").slice(-1)[0]),
      redundant?.length ? h("details", {}, h("summary", {}, `${redundant.length} redundant equations`), h("ul", {}, redundant.map((name) => h("li", {}, name)))) : null);
  }

  edge(joint, place) {
    const [x1, y1] = place.get(joint.parent) ?? [0, 0];
    const [x2, y2] = place.get(joint.child) ?? [0, 0];
    const group = svg("g", { class: `edge${joint.cut ? " cut" : ""}${this.studio.selection.has(`joints/${joint.joint}`) ? " selected" : ""}`, tabindex: "0", role: "button", "aria-label": `Joint ${joint.joint}` });
    const [a, b] = x1 === x2 ? [[x1 + 84, y1], [x2 + 84, y2]] : [[x1 + (x2 > x1 ? 84 : 0), y1], [x2 + (x2 > x1 ? 0 : 84), y2]];
    const bend = x1 === x2 ? `Q ${a[0] + 40} ${(a[1] + b[1]) / 2} ${b[0]} ${b[1]}` : `L ${b[0]} ${b[1]}`;
    group.append(svg("path", { d: `M ${a[0]} ${a[1]} ${bend}` }), svg("text", { x: (a[0] + b[0]) / 2 + (x1 === x2 ? 18 : 0), y: (a[1] + b[1]) / 2 - 4, "text-anchor": "middle" }, joint.joint));
    group.addEventListener("click", () => this.studio.select(`joints/${joint.joint}`));
    return group;
  }
}
