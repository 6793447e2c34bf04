// Parts with fields of their own: shapes, laws, tyres, sensors, actions, FE models; one of them, several, or some by name.

import { h } from "../dom.js";
import { fileName } from "./files.js";
import { json, numbers, textInput } from "./inputs.js";
import { tableOf } from "./curves.js";
import { coordinate } from "./references.js";

const STARTING = {
  size: [0.1, 0.1, 0.1], radius: 0.05, length: 0.2, start: [0, 0, 0], end: [0.2, 0, 0], stiffness: 1000, damping: 1, ratio: 1, axis: "z", axis2: "x", limits: [-1, 1],
  time_constant: 0.1, period: 0.01, span: [0, 1], inner: 0.04, area: 1e-3, Iy: 1e-6, Iz: 1e-6, J: 1e-6, E: 2.1e11, nu: 0.3, density: 7850, width: 0.02, height: 0.02, restitution: 0.5, speed: 1,
  longitudinal: 60000, cornering: 50000, x: [10, 1.6, 1, 0.9], y: [10, 1.6, 1, 0.9], nodes: [[0, 0, 0], [1, 0, 0]], elements: [[0, 1]], interfaces: { root: 0, tip: 10 },
};
const STARTING_KINDS = { number: 1, vector: [0, 0, 0], axis: "z", value: 0, function: 0, list: [0, 1], text: "", formula: "0", integer: 1, "three functions": [0, 0, 0], profile: "s", freedoms: [{ rotation: "z" }], units: { q1: "rad" }, "three formulas": ["0", "0", "0"], "list of text": ["t"], texts: { u: "t" }, table: { x: [0, 1], y: [0, 1] }, matrix: [[0]] };
// What elements need beyond their required fields.
const SPECIAL = {
  "formula-joint": { variables: { q1: "m" }, position: ["q1", "0", "0"] }, "force-output": { output: "force" }, cam: { profile: "0.1*sin(q)" }, drag: { area: 0.1, coefficient: 1 }, "joint-limit": { lower: -1, upper: 1, law: { type: "linear-law", stiffness: 1e4, damping: 10 } },
};
const BEAM = { type: "straight-beam", start: [0, 0, 0], end: [1, 0, 0], elements: 10, section: { type: "round", radius: 0.02 } };
const LAW = { type: "hunt-crossley", stiffness: 1e6, damping: 0.2 };

// Sensible values for the required fields of a new element or part.
export function starting(record) {
  const found = {};
  for (const field of record.fields) {
    if (!field.required) continue;
    const whole = { "contact law": LAW, tyre: { type: "linear-tyre", longitudinal: 60000, cornering: 50000 }, section: { type: "round", radius: 0.02 }, reduced: { fe: BEAM, interfaces: { root: 0, tip: 10 }, modes: 4 }, fe: BEAM }[field.kind];
    const named = ["number", "vector", "axis", "list", "rows", "integer"].includes(field.kind) || field.name === "interfaces" || field.kind === "function" ? STARTING[field.name] : undefined;
    const fits = named === undefined || field.kind !== "function" || typeof named === "number" ? named : undefined;
    const value = whole ?? fits ?? STARTING_KINDS[field.kind];
    if (value !== undefined) found[field.name] = structuredClone(value);
  }
  if (record.type === "straight-beam") return { ...found, elements: 10, end: [1, 0, 0] };
  if (record.type === "profile") return { x: "0.1*cos(s)", y: "0.1*sin(s)", span: [0, 6.283185307179586] };
  return { ...found, ...structuredClone(SPECIAL[record.type]) };
}

// The fields of a part, as rows of the form.
function fieldsOf(context, record, value) {
  return record.fields.filter((field) => !field.refused || value[field.name] !== undefined).map((field) =>
    context.row({ ...context, field, host: value, path: [...context.path, field.name], label: `${context.label} ${field.name}`, put: (x) => {
      const next = { ...value };
      if (x === undefined) delete next[field.name];
      else next[field.name] = x;
      context.put(next);
    } }, value[field.name]));
}

// A part with a type of its own.
export function part(context, value) {
  const kinds = context.studio.catalogue.parts[context.field.kind] ?? [];
  const none = context.field.required ? "choose …" : "none";
  const select = h("select", { ...context.names }, context.listed ? null : new Option(none, ""), kinds.map((kind) => Object.assign(new Option(kind.title, kind.type), { title: kind.about })));
  select.value = value?.type ?? "";
  const record = kinds.find((kind) => kind.type === value?.type);
  select.addEventListener("change", () => {
    const chosen = kinds.find((kind) => kind.type === select.value);
    context.put(chosen ? { type: chosen.type, ...starting(chosen), ...firstNames(context.studio, chosen) } : undefined);
  });
  return h("div", { class: "part" }, select, record ? h("small", { class: "about" }, record.about) : null, record ? fieldsOf(context, record, value) : []);
}

// Bodies, joints and others for required names of a new part.
function firstNames(studio, record) {
  const { document } = studio;
  const [bodies, joints] = [document.names("bodies"), document.names("joints")];
  const found = {};
  for (const field of record.fields.filter((one) => one.required)) {
    if (field.of === "body") found[field.name] = field.name === "a" ? "ground" : bodies.at(-1) ?? "ground";
    else if (field.of === "joint" || field.kind === "coordinate" || field.kind === "joined" || field.kind === "variable") found[field.name] = joints[0] ?? "";
    else if (field.kind === "name") found[field.name] = document.names({ parameter: "parameters", signal: "signals", event: "events", force: "forces" }[field.name] ?? "joints")[0] ?? "";
  }
  return found;
}

// One part or several of them.
export function parts(context, value) {
  const all = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const single = context.field.kind === "shape";
  const put = (next) => context.put(next.length === 0 ? undefined : single && next.length === 1 ? next[0] : next);
  const kinds = context.studio.catalogue.parts[context.field.kind] ?? [];
  const entries = all.map((entry, k) =>
    h("div", { class: "entry" },
      part({ ...context, listed: true, label: `${context.label} ${k + 1}`, names: { "aria-label": `${context.label} ${k + 1}` }, path: single && all.length === 1 && !Array.isArray(value) ? context.path : [...context.path, k], put: (x) => put(x === undefined ? all.filter((_, n) => n !== k) : all.map((old, n) => (n === k ? x : old))) }, entry),
      h("button", { type: "button", class: "small", "aria-label": `Remove ${context.label} ${k + 1}`, onclick: () => put(all.filter((_, n) => n !== k)) }, "✕")));
  const add = h("select", { "aria-label": `Add to ${context.label}`, class: "adder" }, new Option(`+ ${context.field.name.replace(/s$/, "")}`, ""), kinds.map((kind) => Object.assign(new Option(kind.title, kind.type), { title: kind.about })));
  add.addEventListener("change", () => {
    const chosen = kinds.find((kind) => kind.type === add.value);
    if (chosen) put([...all, { type: chosen.type, ...starting(chosen), ...firstNames(context.studio, chosen) }]);
  });
  return h("div", { class: "list" }, entries, add);
}

// Things by name: variables, tables, formulas, numbers, units.
export function named(context, value) {
  const given = value ?? {};
  const { kind } = context.field;
  const inner = { variables: (c, v) => part({ ...c, field: { ...c.field, kind: "variable" } }, v), tables: tableOf, texts: textInput, units: unit }[kind] ?? json;
  const fresh = { texts: "0", values: 0, "whole numbers": 0, units: "rad", tables: { x: [0, 1], y: [0, 1] } }[kind] ?? { type: "joint-coordinate", joint: context.studio.document.names("joints")[0] ?? "" };
  const entries = Object.entries(given).map(([key, entry]) =>
    h("div", { class: "entry lettered" }, h("b", {}, key), inner({ ...context, draft: null, field: { ...context.field, default: null }, label: `${context.label} ${key}`, names: { "aria-label": `${context.label} ${key}` }, path: [...context.path, key], put: (x) => {
      const next = { ...given, [key]: x };
      if (x === undefined) delete next[key];
      context.put(Object.keys(next).length ? next : undefined);
    } }, entry), h("button", { type: "button", class: "small", "aria-label": `Remove ${context.label} ${key}`, onclick: () => {
      const next = Object.fromEntries(Object.entries(given).filter(([name]) => name !== key));
      context.put(Object.keys(next).length ? next : undefined);
    } }, "✕")));
  const add = h("input", { type: "text", placeholder: "+ name", "aria-label": `Add to ${context.label}`, class: "adder", autocomplete: "off" });
  add.addEventListener("change", () => {
    const key = add.value.trim();
    if (key && !(key in given)) context.put({ ...given, [key]: fresh });
  });
  return h("div", { class: "list" }, entries, add);
}

function unit(context, value) {
  const element = h("select", { ...context.names }, [["rad", "rad"], ["m", "m"], ["1", "1"]].map(([word, text]) => new Option(text, word)));
  element.value = value;
  element.addEventListener("change", () => context.put(element.value));
  return element;
}

// A part without a type: its fields at once.
function record(context, value, kind) {
  const found = context.studio.catalogue.parts[kind][0];
  return h("div", { class: "part" }, fieldsOf({ ...context, field: {} }, found, value));
}

// A flexible body's reduced model: its file, or the FE model and how it is reduced.
export function reduced(context, value) {
  const select = h("select", { ...context.names }, new Option("choose …", ""), new Option("FE model, reduced here", "table"), new Option("file of a reduced model", "file"));
  select.value = value === undefined ? "" : typeof value === "object" ? "table" : "file";
  select.addEventListener("change", () => context.put({ table: { fe: structuredClone(BEAM), interfaces: { root: 0, tip: 10 }, modes: 4 }, file: "body.npz" }[select.value]));
  if (value === undefined) return select;
  if (typeof value !== "object") return h("div", { class: "part" }, select, fileName({ ...context, label: `${context.label} file`, names: { "aria-label": `${context.label} file` }, field: { ...context.field, endings: context.studio.catalogue.endings.reduced } }, value));
  return h("div", { class: "part" }, select, record(context, value, "reduction"));
}

export function material(context, value) {
  const select = h("select", { ...context.names }, new Option("steel (default)", ""), new Option("steel", "steel"), new Option("aluminium", "aluminium"), new Option("other …", "own"));
  select.value = value === undefined ? "" : typeof value === "object" ? "own" : value;
  select.addEventListener("change", () => context.put({ "": undefined, steel: "steel", aluminium: "aluminium", own: { E: 2.1e11, nu: 0.3, density: 7850 } }[select.value]));
  return typeof value === "object" ? h("div", { class: "part" }, select, record(context, value, "material")) : select;
}

export function damping(context, value) {
  const kind = value === undefined ? "" : typeof value !== "object" || Array.isArray(value) ? "ratio" : "ratio" in value ? "modal" : "rayleigh";
  const select = h("select", { "aria-label": `${context.label} kind` }, [["", "none"], ["ratio", "part of critical damping"], ["rayleigh", "Rayleigh"], ["modal", "of clamped modes"]].map(([word, text]) => new Option(text, word)));
  select.value = kind;
  select.addEventListener("change", () => context.put({ "": undefined, ratio: 0.01, rayleigh: { stiffness: 1e-5 }, modal: { ratio: 0.01 } }[select.value]));
  if (kind === "") return select;
  if (kind === "ratio") return h("span", { class: "pair" }, select, numbers(context, value));
  const found = context.studio.catalogue.parts["fe damping"][kind === "modal" ? 1 : 0];
  return h("div", { class: "part" }, select, fieldsOf({ ...context, field: {} }, found, value));
}

// A coefficient, or all numbers of Coulomb's law with Stribeck's peak.
export function friction(context, value) {
  const table = value && typeof value === "object";
  const more = h("button", { type: "button", class: "small", "aria-label": table ? `${context.label} as one coefficient` : `${context.label} with more numbers`, onclick: () => context.put(table ? value.kinetic : { kinetic: typeof value === "number" ? value : 0.3 }) }, table ? "less" : "more");
  if (!table) return h("span", { class: "pair" }, numbers(context, value), more);
  return h("div", { class: "part" }, more, record(context, value, "friction"));
}

// A joint or constraint by its name, or a joint that is not there from the beginning.
export function joined(context, value) {
  const { document } = context.studio;
  const known = [...document.names("joints"), ...document.names("constraints")];
  const isNew = value && typeof value === "object";
  const select = h("select", { ...context.names }, known.map((one) => new Option(one, one)), new Option("a new joint …", "*"));
  if (!isNew && value && !known.includes(value)) select.append(new Option(`${value} (missing)`, value));
  select.value = isNew ? "*" : value ?? "";
  const bodies = document.names("bodies");
  select.addEventListener("change", () => context.put(select.value === "*" ? { name: document.freeName("joints", "latch"), joint: { type: "fixed", parent: "ground", child: bodies.at(-1) ?? "" } } : select.value));
  if (!isNew) return select;
  const title = textInput({ ...context, draft: null, names: { "aria-label": `${context.label} name` }, put: (x) => context.put({ ...value, name: x ?? "latch" }) }, value.name);
  return h("div", { class: "part" }, select, title, part({ ...context, listed: true, label: `${context.label} joint`, names: { "aria-label": `${context.label} joint` }, field: { ...context.field, kind: "joined" }, path: [...context.path, "joint"], put: (x) => context.put({ ...value, joint: x }) }, value.joint));
}

// A coordinate of a joint, or something that is measured.
export function variable(context, value) {
  const measured = value && typeof value === "object" && value.type;
  const swap = h("button", { type: "button", class: "small", "aria-label": measured ? `${context.label} by a joint` : `${context.label} by a sensor`, onclick: () => context.put(measured ? context.studio.document.names("joints")[0] ?? "" : { type: "point-coordinate", body: context.studio.document.names("bodies")[0] ?? "" }) }, measured ? "joint" : "sensor");
  return h("span", { class: "pair" }, measured ? part(context, value) : coordinate(context, value), swap);
}

