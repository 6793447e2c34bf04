// Frames, elementary freedoms, turns and limits.

import { h } from "../dom.js";
import { axis, json, numberInput, rotation, vector } from "./inputs.js";
import { parseList, textOf } from "./units.js";

const inner = (context, key, field, put) => ({ ...context, draft: null, label: `${context.label} ${key}`, names: { "aria-label": `${context.label} ${key}` }, field: { default: null, ...field, name: key }, put });

function changed(value, key, x) {
  const next = { ...value, [key]: x };
  if (x === undefined) delete next[key];
  return Object.keys(next).length ? next : undefined;
}

export function frame(context, value) {
  const given = value ?? {};
  return h("div", { class: "list" },
    h("label", {}, h("small", {}, "position [m]"), vector(inner(context, "position", {}, (x) => context.put(changed(given, "position", x))), given.position)),
    h("label", {}, h("small", {}, "rotation"), rotation(inner(context, "rotation", {}, (x) => context.put(changed(given, "rotation", x))), given.rotation)));
}

// Translations, rotations and screws, one after the other.
export function freedoms(context, value) {
  const given = Array.isArray(value) ? value : [];
  const put = (next) => context.put(next.length ? next : undefined);
  const lines = given.map((entry, k) => {
    const kind = ["rotation", "translation", "screw"].find((word) => word in entry) ?? "rotation";
    const change = (x) => put(given.map((old, n) => (n === k ? x : old)));
    const select = h("select", { "aria-label": `${context.label} ${k + 1}` }, ["rotation", "translation", "screw"].map((word) => new Option(word, word)));
    select.value = kind;
    select.addEventListener("change", () => change({ [select.value]: entry[kind], ...(select.value === "screw" ? { pitch: entry.pitch ?? 0.01 } : {}) }));
    return h("div", { class: "entry" }, select, axis(inner(context, `${k + 1} axis`, { required: true }, (x) => change({ ...entry, [kind]: x })), entry[kind]),
      kind === "screw" ? numberInput(inner(context, `${k + 1} pitch`, {}, (x) => change({ ...entry, pitch: x ?? 0.01 })), entry.pitch) : null,
      h("button", { type: "button", class: "small", "aria-label": `Remove ${context.label} ${k + 1}`, onclick: () => put(given.filter((_, n) => n !== k)) }, "✕"));
  });
  return h("div", { class: "list" }, lines, given.length < 6 ? h("button", { type: "button", class: "small adder", "aria-label": `Add to ${context.label}`, onclick: () => put([...given, { rotation: "z" }]) }, "+ freedom") : null);
}

// The least and the greatest value, with effort and speed if wanted; a list with one entry per freedom as text.
export function limits(context, value) {
  const table = value && typeof value === "object" && !Array.isArray(value);
  if (Array.isArray(value) && (value.length !== 2 || value.some((x) => typeof x === "object"))) return json(context, value);
  const given = table ? value : { lower: value?.[0], upper: value?.[1] };
  const put = (key, x) => {
    const next = changed(given, key, x);
    const plain = next && Object.keys(next).every((name) => ["lower", "upper"].includes(name)) && next.lower !== undefined && next.upper !== undefined;
    context.put(plain ? [next.lower, next.upper] : next);
  };
  return h("span", { class: "parts" }, ["lower", "upper", "effort", "velocity"].map((key) => h("label", {}, h("small", {}, key), numberInput(inner(context, key, {}, (x) => put(key, x)), given[key]))));
}

// A turn about an axis by a formula, several of them, or a matrix.
export function turns(context, value) {
  const single = Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && typeof value[1] !== "object";
  if (value !== undefined && !single) return json(context, value);
  const [about, angle] = value ?? [];
  const put = (a, b) => context.put(a === undefined && b === undefined ? undefined : [a ?? "z", b ?? "0"]);
  return h("span", { class: "pair" }, axis(inner(context, "axis", {}, (x) => put(x, angle)), about), numberInput(inner(context, "angle", {}, (x) => put(about, x)), angle));
}

// Moments of inertia: three, six, or three rows.
export const inertiaText = (value) => (Array.isArray(value) ? (Array.isArray(value[0]) ? JSON.stringify(value) : value.map(textOf).join(", ")) : value);
export const inertiaOf = (text) => (text.trim().startsWith("[[") ? JSON.parse(text) : parseList(text));
