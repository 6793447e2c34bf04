// Functions: a number, a formula, or a curve through points, with a small plot in which points are dragged.

import { h, shown } from "../dom.js";
import { fileName } from "./files.js";
import { choice, input, jsonOr } from "./inputs.js";
import { parseList, textOf } from "./units.js";

const [WIDE, HIGH, MARGIN] = [240, 84, 8];
const OUTSIDE = [["constant", "constant outside"], ["extend", "goes on outside"], ["repeat", "repeats"], ["error", "error outside"]];
const isTable = (value) => value && typeof value === "object" && !Array.isArray(value);

// A number, a formula, or a curve.
export function functionOf(context, value) {
  if (isTable(value)) return curve(context, value);
  const words = context.field.variables?.length ? `number, or formula of ${context.field.variables.join(", ")}` : "number or formula";
  const text = value === undefined ? undefined : typeof value === "object" ? JSON.stringify(value) : value;
  const element = input(context, text, (typed) => jsonOr(typed, context.field.unit), { placeholder: context.field.default === null || context.field.default === undefined ? words : textOf(context.field.default) }, () => context.studio.formulaNames(context.field, true));
  element.classList.toggle("formula", typeof value === "string");
  element.title = [context.field.help, words].filter(Boolean).join("\n");
  const make = h("button", { type: "button", class: "small", title: "Give it by points of a curve", "aria-label": `${context.label} as a curve`, onclick: () => context.put(firstCurve(context.field.kind, value)) }, "curve");
  return h("span", { class: "pair" }, element, make);
}

// What a curve begins with; a prescribed motion must not have kinks.
function firstCurve(kind, value) {
  const end = typeof value === "number" && value !== 0 ? value : 1;
  return kind === "motion" ? { x: [0, 0.5, 1], y: [0, 0.5 * end, end], kind: "cubic" } : { x: [0, 1], y: [0, end] };
}

// Points in two columns, a file of them, or values on a grid.
export function curve(context, value) {
  const remove = h("button", { type: "button", class: "small", onclick: () => context.put(undefined) }, "remove");
  const part = (key, options, fallback) => choice({ ...context, field: {}, names: { "aria-label": `${context.label}, ${key}` }, put: (word) => context.put({ ...value, [key]: word }) }, value[key] ?? fallback, options, false);
  const smooth = h("label", { class: "check" }, h("input", { type: "checkbox", checked: value.smooth ?? false, "aria-label": `${context.label}, smooth`, onchange: (event) => context.put(event.target.checked ? { ...value, smooth: true } : without(value, "smooth")) }), "smooth");
  const options = h("span", { class: "pair wrap" }, part("kind", [["linear", "straight lines"], ["cubic", "cubic"]], "linear"), part("outside", OUTSIDE, "constant"), smooth, remove);
  if (value.file !== undefined) {
    const file = fileName({ ...context, draft: null, field: { ...context.field, endings: context.studio.catalogue.endings.table }, put: (name) => context.put({ ...value, file: name ?? "" }) }, value.file);
    return h("div", { class: "table" }, file, options);
  }
  if (value.axes !== undefined) return h("div", { class: "table" }, grid(context, value), options);
  const lines = (value.x ?? []).map((x, k) => `${textOf(x)}  ${textOf(value.y?.[k])}`).join("\n");
  const area = h("textarea", { rows: String(Math.min(8, (value.x?.length ?? 0) + 1)), spellcheck: "false", ...context.names, title: "x and y, one point per line" }, lines);
  area.addEventListener("change", () => {
    const found = area.value.split("\n").map((line) => parseList(line.trim().replace(/\s+/g, ","))).filter((row) => row && row.length >= 2);
    context.put(found.length ? { ...value, x: found.map((row) => row[0]), y: found.map((row) => row[1]) } : undefined);
  });
  const more = h("span", { class: "pair" },
    h("button", { type: "button", class: "small", onclick: () => context.put({ file: "curve.csv", ...withoutPoints(value) }) }, "from a file"));
  return h("div", { class: "table" }, area, plot(context, value), options, more);
}

const without = (value, key) => Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
const withoutPoints = (value) => Object.fromEntries(Object.entries(value).filter(([name]) => !["x", "y"].includes(name)));

function grid(context, value) {
  const area = (key, label) => {
    const text = h("textarea", { rows: "3", spellcheck: "false", "aria-label": `${context.label}, ${label}` }, JSON.stringify(value[key]).replace(/\],/g, "],\n"));
    text.addEventListener("change", () => context.put({ ...value, [key]: jsonOr(text.value) }));
    return h("label", {}, h("small", {}, label), text);
  };
  return h("div", { class: "table" }, area("axes", "axes"), area("values", "values"));
}

// The curve as a picture: its points are dragged up and down or moved with the arrow keys, a double-click adds one, Delete takes one away.
function plot(context, value) {
  const points = (value.x ?? []).map((x, k) => [x, value.y?.[k], k]).filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));
  if (points.length < 2) return "";
  const range = (n) => {
    const all = points.map((p) => p[n]);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    return low === high ? [low - 1, high + 1] : [low, high];
  };
  const [[x0, x1], [y0, y1]] = [range(0), range(1)];
  const place = ([x, y]) => [MARGIN + ((x - x0) / (x1 - x0)) * (WIDE - 2 * MARGIN), HIGH - MARGIN - ((y - y0) / (y1 - y0)) * (HIGH - 2 * MARGIN)];
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
  svg.setAttribute("class", "sketch");
  const path = value.kind === "cubic" ? smoothPath(points, place) : `M ${points.map((p) => place(p).join(" ")).join(" L ")}`;
  const zero = y0 < 0 && y1 > 0 ? `<line x1="${MARGIN}" x2="${WIDE - MARGIN}" y1="${place([x0, 0])[1]}" y2="${place([x0, 0])[1]}" class="zero"/>` : "";
  svg.innerHTML = `${zero}<path d="${path}" class="line"/><text x="2" y="9">${shown(y1)}</text><text x="2" y="${HIGH - 1}">${shown(y0)}</text><text x="${WIDE - 2}" y="${HIGH - 1}" text-anchor="end">${shown(x0)} … ${shown(x1)}</text>`;
  for (const point of points) {
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    const [cx, cy] = place(point);
    for (const [name, text] of Object.entries({ cx, cy, r: 4, tabindex: 0, role: "slider", "aria-label": `${context.label}, point ${point[2] + 1}`, "aria-valuenow": point[1] })) dot.setAttribute(name, text);
    const put = (y) => context.put({ ...value, y: value.y.map((old, k) => (k === point[2] ? Number(y.toPrecision(4)) : old)) });
    const step = (y1 - y0) / 20;
    dot.addEventListener("keydown", (event) => {
      if (!["ArrowUp", "ArrowDown", "Delete"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Delete") return points.length > 2 && context.put(withoutPoint(value, point[2]));
      put(point[1] + (event.key === "ArrowUp" ? step : -step));
    });
    dot.addEventListener("pointerdown", (event) => dot.setPointerCapture(event.pointerId));
    const height = (event) => {
      const box = svg.getBoundingClientRect();
      return y0 + ((HIGH - MARGIN - ((event.clientY - box.top) / box.height) * HIGH) / (HIGH - 2 * MARGIN)) * (y1 - y0);
    };
    dot.addEventListener("pointermove", (event) => event.buttons && dot.setAttribute("cy", String(place([point[0], height(event)])[1])));
    dot.addEventListener("pointerup", (event) => dot.getAttribute("cy") !== String(cy) && put(height(event)));
    svg.append(dot);
  }
  svg.addEventListener("dblclick", (event) => {
    const box = svg.getBoundingClientRect();
    const [part, level] = [(((event.clientX - box.left) / box.width) * WIDE - MARGIN) / (WIDE - 2 * MARGIN), (HIGH - MARGIN - ((event.clientY - box.top) / box.height) * HIGH) / (HIGH - 2 * MARGIN)];
    const added = withPoint(value, Number((x0 + part * (x1 - x0)).toPrecision(4)), Number((y0 + level * (y1 - y0)).toPrecision(4)));
    if (added) context.put(added);
  });
  svg.append(Object.assign(document.createElementNS("http://www.w3.org/2000/svg", "title"), { textContent: "Drag a point up or down; a double-click adds one, Delete removes it" }));
  return svg;
}

function withPoint(value, x, y) {
  if (value.x.includes(x)) return null;
  const at = value.x.findIndex((one) => one > x);
  const k = at < 0 ? value.x.length : at;
  return { ...value, x: value.x.toSpliced(k, 0, x), y: value.y.toSpliced(k, 0, y) };
}

const withoutPoint = (value, k) => ({ ...value, x: value.x.toSpliced(k, 1), y: value.y.toSpliced(k, 1) });

// A natural cubic spline through the points, as a line of many short pieces.
function smoothPath(points, place) {
  const [x, y, n] = [points.map((p) => p[0]), points.map((p) => p[1]), points.length];
  const m = new Array(n).fill(0);
  const [c, d] = [[0], [0]];
  for (let i = 1; i < n - 1; i++) {
    const [h0, h1] = [x[i] - x[i - 1], x[i + 1] - x[i]];
    const diagonal = 2 * (h0 + h1) - h0 * c[i - 1];
    c[i] = h1 / diagonal;
    d[i] = (6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0) - h0 * d[i - 1]) / diagonal;
  }
  for (let i = n - 2; i > 0; i--) m[i] = d[i] - c[i] * m[i + 1];
  const found = [];
  for (let i = 0; i < n - 1; i++) for (let k = 0; k <= 12; k++) {
    const [s, step] = [k / 12, x[i + 1] - x[i]];
    const value = (1 - s) * y[i] + s * y[i + 1] + (step * step / 6) * (((1 - s) ** 3 - (1 - s)) * m[i] + (s ** 3 - s) * m[i + 1]);
    found.push(place([x[i] + s * step, value]).join(" "));
  }
  return `M ${found.join(" L ")}`;
}

// Whether the field belongs to a joint of which it is known that it has one freedom only.
const hasOneFreedom = ({ path, studio }) => path?.[0] === "joints" && path.length === 3 && studio.found?.joints?.[path[1]]?.units.length === 1;

// One function per freedom, or one for all; a motion may be a triple.
export function functionsOf(context, value) {
  if (!Array.isArray(value)) {
    if (isTable(value) || hasOneFreedom(context)) return functionOf(context, value);
    const split = h("button", { type: "button", class: "small", title: "One for each freedom", "aria-label": `${context.label} for each freedom`, onclick: () => context.put([value ?? (context.field.kind === "motion" ? "free" : 0)]) }, "[ ]");
    return h("span", { class: "pair" }, functionOf(context, value), split);
  }
  const put = (next) => context.put(next.length ? next : undefined);
  const entries = value.map((entry, k) => h("div", { class: "entry" },
    functionOf({ ...context, draft: null, label: `${context.label} ${k + 1}`, names: { ...context.names, "aria-label": `${context.label} ${k + 1}` }, put: (x) => put(x === undefined ? value.filter((_, n) => n !== k) : value.map((old, n) => (n === k ? x : old))) }, entry),
    h("button", { type: "button", class: "small", "aria-label": `Remove ${context.label} ${k + 1}`, onclick: () => put(value.filter((_, n) => n !== k)) }, "✕")));
  return h("div", { class: "list" }, entries, h("button", { type: "button", class: "small adder", "aria-label": `Add to ${context.label}`, onclick: () => put([...value, context.field.kind === "motion" ? "free" : 0]) }, "+ freedom"));
}

// Three functions along x, y, z.
export function threeFunctions(context, value) {
  const given = Array.isArray(value) ? value : [undefined, undefined, undefined];
  const zero = context.field.kind === "curve" || context.field.kind === "three formulas" ? "0" : 0;
  const fallback = Array.isArray(context.field.default) ? context.field.default : [];
  return h("div", { class: "list" }, ["x", "y", "z"].map((letter, k) => h("div", { class: "entry lettered" }, h("b", {}, letter),
    functionOf({ ...context, draft: null, label: `${context.label} ${letter}`, field: { ...context.field, default: fallback[k] ?? null }, names: { ...context.names, "aria-label": `${context.label} ${letter}` }, put: (x) => {
      const next = [0, 1, 2].map((n) => (n === k ? x : given[n]) ?? fallback[n] ?? zero);
      context.put(x === undefined && [0, 1, 2].every((n) => n === k || given[n] === undefined) ? undefined : next);
    } }, given[k]))));
}

// A table by itself, as a look-up has it.
export function tableOf(context, value) {
  if (isTable(value)) return curve(context, value);
  return h("span", { class: "pair" },
    h("button", { type: "button", class: "small", "aria-label": `${context.label} of one variable`, onclick: () => context.put({ x: [0, 1], y: [0, 1] }) }, "of one variable"),
    h("button", { type: "button", class: "small", "aria-label": `${context.label} on a grid`, onclick: () => context.put({ axes: [[0, 1], [0, 1]], values: [[0, 1], [1, 2]] }) }, "on a grid"));
}

