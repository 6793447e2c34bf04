// The graph of the mechanism: bodies by their distance from the ground, joints between them, cut joints dashed; its loops by name.

import { fill, h } from "../dom.js";

const [BOX, HIGH] = [84, 52];
const [NARROW, WIDE, LETTER] = [46, 88, 6.2]; // the gap between two columns, as wide as the longest name in it
const LEAST = 0.75; // of the natural size, before one has to scroll
const MOST = 60; // loops that are listed
const NS = "http://www.w3.org/2000/svg";

function svg(tag, given, ...children) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(given)) if (value !== undefined) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

export class Graph {
  constructor(root, studio) {
    Object.assign(this, { root, studio });
  }

  draw() {
    if (this.root.hidden) return (this.stale = true); // it is drawn when it is shown
    this.stale = false;
    const focus = this.root.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const { graph, freedoms, redundant, graph_problem: problem } = this.studio.found ?? {};
    if (!graph) return fill(this.root, h("p", { class: "empty" }, problem ?? "There is no graph yet."));
    const words = freedoms === null || freedoms === undefined ? "" : `${many(freedoms, "degree")} of freedom`;
    fill(this.root, h("p", { class: "count" }, words), h("div", { class: "graph-view" }, this.picture(graph)), h("p", { class: "graph-note" }, graph.text.split("\n").at(-1)), this.loops(graph.loops), this.redundant(redundant ?? []));
    if (focus) this.root.querySelector(`[data-key="${CSS.escape(focus)}"]`)?.focus();
  }

  picture(graph) {
    const levels = new Map([["ground", 0], ...Object.entries(graph.bodies)]);
    const columns = [];
    for (const [name, level] of levels) (columns[level] ??= []).push(name);
    const place = new Map();
    const gap = Math.min(Math.max(NARROW, LETTER * Math.max(0, ...graph.joints.map(({ joint }) => joint.length)) + 18), WIDE);
    columns.forEach((names, level) => names.forEach((name, k) => place.set(name, [level * (BOX + gap) + 4, k * HIGH + 24])));
    const [width, height] = [columns.length * (BOX + gap) - gap + 8, Math.max(...columns.map((c) => c?.length ?? 0)) * HIGH + 20];
    const picture = svg("svg", { style: `min-width: ${LEAST * width}px; max-width: ${width}px`, viewBox: `0 0 ${width} ${height}`, class: "graph", role: "group", "aria-label": "Graph of bodies and joints" });
    picture.append(...graph.joints.map((joint) => this.edge(joint, place)), ...[...place].map(([name, at]) => this.node(name, at)));
    return picture;
  }

  node(name, [x, y]) {
    const ground = name === "ground";
    const box = svg("g", { class: `node${this.studio.selection.has(`bodies/${name}`) ? " selected" : ""}`, "data-body": name, "aria-label": ground ? "Ground" : `Body ${name}`, role: ground ? "img" : "button", tabindex: ground ? undefined : "0" },
      svg("rect", { x, y: y - 13, width: BOX, height: 26, rx: 6 }), svg("text", { x: x + BOX / 2, y: y + 4, "text-anchor": "middle" }, name.length > 12 ? `${name.slice(0, 11)}…` : name));
    if (!ground) this.pressed(box, `bodies/${name}`);
    return box;
  }

  edge(joint, place) {
    const [x1, y1] = place.get(joint.parent) ?? [0, 0];
    const [x2, y2] = place.get(joint.child) ?? [0, 0];
    const group = svg("g", { class: `edge${joint.cut ? " cut" : ""}${this.studio.selection.has(`joints/${joint.joint}`) ? " selected" : ""}`, "data-joint": joint.joint, tabindex: "0", role: "button", "aria-label": `Joint ${joint.joint}${joint.cut ? ", cut" : ""}` });
    const [a, b] = x1 === x2 ? [[x1 + BOX, y1], [x2 + BOX, y2]] : [[x1 + (x2 > x1 ? BOX : 0), y1], [x2 + (x2 > x1 ? 0 : BOX), y2]];
    const bend = x1 === x2 ? `Q ${a[0] + 40} ${(a[1] + b[1]) / 2} ${b[0]} ${b[1]}` : `L ${b[0]} ${b[1]}`;
    group.append(svg("path", { d: `M ${a[0]} ${a[1]} ${bend}` }), this.label(joint, a, b, x1 === x2));
    this.pressed(group, `joints/${joint.joint}`);
    return group;
  }

  // The name of a joint stands where its line reaches the child, so that those of neighbours do not meet; of a cut joint in the middle.
  label({ joint, cut }, a, b, beside) {
    const text = joint.length > 15 ? `${joint.slice(0, 14)}…` : joint;
    const forward = b[0] > a[0];
    if (cut || beside) return svg("text", { x: (a[0] + b[0]) / 2 + (beside ? 18 : 0), y: (a[1] + b[1]) / 2 - 4, "text-anchor": "middle" }, text);
    return svg("text", { x: b[0] + (forward ? -6 : 6), y: b[1] - 5, "text-anchor": forward ? "end" : "start" }, text);
  }

  // A part of the picture that selects an element, by mouse and keyboard.
  pressed(part, id) {
    part.dataset.key = `picture ${id}`;
    part.addEventListener("click", () => this.studio.select(id));
    part.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      this.studio.select(id);
    });
  }

  // Every loop with its joints; the one under the mouse or with the focus is marked in graph and picture.
  loops(loops) {
    if (!loops.length) return h("p", { class: "graph-note" }, "There are no loops: the mechanism is a tree.");
    const rows = loops.slice(0, MOST).map((loop, k) => h("li", { class: "loop-entry", onpointerenter: () => this.mark(loop), onpointerleave: () => this.mark(null), onfocusin: () => this.mark(loop), onfocusout: () => this.mark(null) },
      loop.joints.map((joint, n) => [n ? h("i", { "aria-hidden": "true" }, "–") : null, this.link(`joints/${joint}`, `loop ${k} ${joint}`)]).flat(),
      h("small", {}, `${loop.planar ? "planar, " : ""}cut at ${loop.cut}, ${many(loop.rows, "equation")}`)));
    if (loops.length > MOST) rows.push(h("li", {}, `and ${loops.length - MOST} more`));
    return [h("h3", {}, many(loops.length, "loop")), h("ul", { class: "loops", "aria-label": "Loops" }, rows)];
  }

  mark(loop) {
    const joints = new Set(loop?.joints ?? []);
    const bodies = new Set((this.studio.found?.graph?.joints ?? []).filter((one) => joints.has(one.joint)).flatMap((one) => [one.parent, one.child]));
    for (const edge of this.root.querySelectorAll(".edge")) edge.classList.toggle("loop", joints.has(edge.dataset.joint));
    for (const node of this.root.querySelectorAll(".node")) node.classList.toggle("loop", bodies.has(node.dataset.body));
    this.studio.picture.select(loop ? new Set([...joints].map((joint) => `joints/${joint}`)) : this.studio.selection);
  }

  // Redundant equations; each begins with the name of its joint or constraint.
  redundant(names) {
    if (!names.length) return null;
    const rows = names.map((text, k) => {
      const [name, ...rest] = text.split(": ");
      const section = ["joints", "constraints", "bodies"].find((one) => this.studio.document.data[one]?.[name] !== undefined);
      return h("li", {}, section && rest.length ? [this.link(`${section}/${name}`, `redundant ${k}`), `: ${rest.join(": ")}`] : text);
    });
    return h("details", { open: true }, h("summary", {}, `${many(names.length, "redundant equation")}`), h("ul", { class: "redundant", "aria-label": "Redundant equations" }, rows));
  }

  link(id, key) {
    return h("button", { type: "button", class: "link", data: { key }, "aria-pressed": String(this.studio.selection.has(id)), onclick: () => this.studio.select(id) }, id.split(/\/(.*)/s)[1]);
  }
}
