// Copies in a row or around an axis: bodies, and the points and axes of what is copied with them.

import { pasted } from "./commands.js";

const POINTS = new Set(["position", "at", "at_a", "at_b", "through", "tank"]);
const AXES = new Set(["axis", "axis2", "x_axis", "normal", "direction"]);
const LETTERS = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1], "-x": [-1, 0, 0], "-y": [0, -1, 0], "-z": [0, 0, -1] };

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const rounded = (x) => Number(x.toFixed(12)) + 0;

// A vector turned about a unit axis.
export function turnedVector(v, axis, angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const side = cross(axis, v);
  return v.map((x, k) => rounded(c * x + s * side[k] + (1 - c) * dot(axis, v) * axis[k]));
}

// Copies along a line: each one further by a shift.
export function alongLine(document, parts, copies, shift) {
  return repeated(document, parts, copies, `${copies} copies in a row`, (part, k) => moved(part, (p) => p.map((x, n) => rounded(x + k * shift[n])), (a) => a, (body) => body));
}

// Copies around an axis through the origin: each one further by an angle.
export function aroundAxis(document, parts, copies, angle, axis) {
  const length = Math.hypot(...axis);
  const unit = axis.map((x) => x / length);
  return repeated(document, parts, copies, `${copies} copies around an axis`, (part, k) => {
    const turn = (v) => turnedVector(v, unit, k * angle);
    return moved(part, turn, turn, (body) => ({ ...body, rotation: turnedRotation(body.rotation, unit, k * angle) }));
  });
}

function repeated(document, parts, copies, label, change) {
  let { data } = document;
  const ids = [];
  for (let k = 1; k <= copies; k++) {
    const result = pasted(data, parts.map((part) => change(part, k)));
    data = result.data;
    ids.push(...result.made.map(([section, name]) => `${section}/${name}`));
  }
  document.put(data, label);
  return ids;
}

const numeric = (value) => Array.isArray(value) && value.length === 3 && value.every((x) => typeof x === "number");

function moved({ section, name, entry }, point, axis, body) {
  if (section === "parameters") return { section, name, entry };
  let next = Object.fromEntries(Object.entries(entry).map(([key, value]) => {
    if (POINTS.has(key) && numeric(value)) return [key, point(value)];
    if (AXES.has(key) && (numeric(value) || value in LETTERS)) return [key, word(axis(numeric(value) ? value : LETTERS[value]))];
    return [key, value];
  }));
  if (section === "bodies") {
    if (!("position" in next)) next.position = point([0, 0, 0]);
    next = body(next);
  }
  return { section, name, entry: next };
}

function word(v) {
  const found = Object.entries(LETTERS).find(([, unit]) => v.every((x, k) => Math.abs(x - unit[k]) < 1e-12));
  return found ? found[0] : v;
}

// A rotation after which a turn about an axis is made, as a quaternion.
function turnedRotation(rotation, axis, angle) {
  const turn = [Math.cos(angle / 2), ...axis.map((x) => x * Math.sin(angle / 2))];
  const [a, b] = [turn, quaternion(rotation)];
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ].map(rounded);
}

function quaternion(rotation) {
  if (rotation === undefined) return [1, 0, 0, 0];
  if (Array.isArray(rotation) && rotation.length === 4) return rotation;
  if (Array.isArray(rotation)) return fromRows(rotation);
  const axis = LETTERS[rotation.axis] ?? rotation.axis;
  const half = 0.5 * (rotation.angle ?? (rotation.degrees * Math.PI) / 180);
  const length = Math.hypot(...axis);
  return [Math.cos(half), ...axis.map((x) => (x / length) * Math.sin(half))];
}

function fromRows(r) {
  const w = Math.sqrt(Math.max(0, 1 + r[0][0] + r[1][1] + r[2][2])) / 2;
  if (w > 1e-6) return [w, (r[2][1] - r[1][2]) / (4 * w), (r[0][2] - r[2][0]) / (4 * w), (r[1][0] - r[0][1]) / (4 * w)];
  const k = [0, 1, 2].reduce((best, n) => (r[n][n] > r[best][best] ? n : best), 0);
  const v = [0, 1, 2].map((n) => (n === k ? Math.sqrt(Math.max(0, (1 + r[k][k]) / 2)) : 0));
  return [0, ...v.map((x, n) => (n === k ? x : r[n][k] / (2 * v[k])))];
}
