// Editors of fields, one for each kind of value. An editor shows a value, and calls `put(value)` when a person has changed it;
// undefined means that the field is left out, and the default holds.

import { h } from "../dom.js";
import { parseList, parseNumber, textOf } from "./units.js";

const AXES = ["x", "y", "z", "-x", "-y", "-z"];

function input(context, value, parse, extra = {}) {
  const element = h("input", { type: "text", value: textOf(value), spellcheck: "false", autocomplete: "off", ...context.names, ...extra });
  const commit = () => {
    const found = parse(element.value);
    if (JSON.stringify(found) !== JSON.stringify(value)) context.put(found);
  };
  element.addEventListener("change", commit);
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      element.value = textOf(value);
      element.blur();
    }
  });
  return element;
}

function numberInput(context, value) {
  const placeholder = context.field.default === null || context.field.default === undefined ? "" : textOf(context.field.default);
  const element = input(context, value, parseNumber, { placeholder, list: context.field.variables ? null : "parameter-names" });
  if (typeof value === "string") element.classList.add("formula");
  return element;
}

function textInput(context, value) {
  return input(context, value, (text) => text.trim() || undefined, { placeholder: context.field.default ?? "" });
}

function choice(context, value, options, empty = true) {
  const known = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  const element = h("select", { ...context.names }, empty ? new Option("", "") : null, known.map(([word, text]) => new Option(text, word)));
  if (value !== undefined && !known.some(([word]) => word === value)) element.append(new Option(`${value} (missing)`, value));
  element.value = value ?? "";
  element.addEventListener("change", () => context.put(element.value === "" ? undefined : element.value));
  return element;
}

const COMPONENTS = ["x", "y", "z"];

function vector(context, value) {
  const fallback = Array.isArray(context.field.default) ? context.field.default : [];
  const given = Array.isArray(value) ? value : [];
  const inputs = COMPONENTS.map((letter, k) => {
    const element = h("input", {
      type: "text", value: textOf(given[k]), placeholder: textOf(fallback[k] ?? (context.field.required ? "" : "–")), spellcheck: "false", autocomplete: "off",
      list: "parameter-names", "aria-label": `${context.label} ${letter}`, "aria-invalid": context.names["aria-invalid"],
    });
    if (typeof given[k] === "string") element.classList.add("formula");
    element.addEventListener("change", () => {
      const pasted = parseList(element.value);
      if (pasted && pasted.length === 3) return context.put(pasted);
      const texts = inputs.map((one) => one.value);
      if (texts.every((text) => text.trim() === "")) return context.put(undefined);
      context.put(texts.map((text, n) => parseNumber(text) ?? fallback[n] ?? 0));
    });
    return element;
  });
  return h("span", { class: "vector" }, inputs);
}

function axis(context, value) {
  const word = typeof value === "string" ? value : value === undefined ? "" : "other";
  const select = h("select", { ...context.names }, context.field.required ? null : new Option("", ""), AXES.map((a) => new Option(a, a)), new Option("other …", "other"));
  select.value = word;
  const numbers = h("input", { type: "text", value: Array.isArray(value) ? value.join(", ") : "", placeholder: "x, y, z", "aria-label": `${context.label}, three numbers`, hidden: word !== "other" });
  select.addEventListener("change", () => {
    if (select.value === "other") {
      numbers.hidden = false;
      numbers.focus();
    } else context.put(select.value || undefined);
  });
  numbers.addEventListener("change", () => context.put(parseList(numbers.value)));
  return h("span", { class: "pair" }, select, numbers);
}

function rotation(context, value) {
  const about = value && !Array.isArray(value) && typeof value === "object";
  const select = h("select", { "aria-label": `${context.label}: about` }, ["", ...AXES].map((a) => new Option(a, a)));
  select.value = about && typeof value.axis === "string" ? value.axis : "";
  const degrees = h("input", { type: "text", value: about ? textOf(value.degrees ?? (value.angle === undefined ? "" : typeof value.angle === "number" ? (value.angle * 180) / Math.PI : value.angle)) : Array.isArray(value) ? JSON.stringify(value) : "", placeholder: "degrees, or w, x, y, z", ...context.names });
  const commit = () => {
    const text = degrees.value.trim();
    if (text.startsWith("[[")) return context.put(jsonOr(text));
    const list = parseList(text);
    if (!list) return context.put(undefined);
    if (list.length === 4) return context.put(list);
    if (select.value) context.put({ axis: select.value, degrees: parseNumber(text.replace(/(deg|°)\s*$/, "")) });
  };
  select.addEventListener("change", commit);
  degrees.addEventListener("change", commit);
  return h("span", { class: "pair" }, select, degrees);
}

function colour(context, value) {
  const picker = h("input", { type: "color", value: /^#[0-9a-f]{6}$/i.test(value ?? "") ? value : "#4682b4", "aria-label": `${context.label}, pick` });
  picker.addEventListener("change", () => context.put(picker.value));
  return h("span", { class: "pair" }, picker, textInput(context, Array.isArray(value) ? value.join(", ") : value));
}

function flag(context, value) {
  const element = h("input", { type: "checkbox", checked: value ?? context.field.default ?? false, ...context.names });
  element.addEventListener("change", () => context.put(element.checked));
  return element;
}

const list = (context, value) => input(context, Array.isArray(value) ? value.map(textOf).join(", ") : value, parseList, { placeholder: "a, b, …" });

// A number, or several of them, one per freedom.
const numbers = (context, value) =>
  input(context, Array.isArray(value) ? value.map(textOf).join(", ") : value, (text) => {
    const found = parseList(text);
    return found && found.length === 1 && !text.includes(",") ? found[0] : /[,;]/.test(text) || !found ? found : parseNumber(text);
  }, { placeholder: textOf(context.field.default ?? ""), list: "parameter-names" });

function jsonOr(text) {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (/^[[{"]|^(true|false)$/.test(trimmed)) {
    try {
      return JSON.parse(trimmed);
    } catch {
      return trimmed;
    }
  }
  return parseNumber(trimmed);
}

// Anything else, as JSON: the server says what is wrong with it.
const raw = (context, value) => input(context, value === undefined ? undefined : typeof value === "object" ? JSON.stringify(value) : value, jsonOr, { class: "raw", placeholder: "…" });

// A formula, a number, or a table of points.
function functionOf(context, value) {
  if (value && typeof value === "object" && !Array.isArray(value) && Array.isArray(value.x)) return table(context, value);
  const element = raw(context, value);
  element.classList.toggle("formula", typeof value === "string");
  element.placeholder = context.field.variables ? `number, or formula of ${context.field.variables.join(", ")}` : "number or formula";
  const make = h("button", { type: "button", class: "small", title: "Give it by points of a table", onclick: () => context.put({ x: [0, 1], y: [0, typeof value === "number" ? value : 1] }) }, "table");
  return h("span", { class: "pair" }, element, make);
}

// Points of a curve: two columns, and a small picture.
function table(context, value) {
  const lines = value.x.map((x, k) => `${textOf(x)}  ${textOf(value.y?.[k])}`).join("\n");
  const area = h("textarea", { rows: Math.min(8, value.x.length + 1), spellcheck: "false", ...context.names }, lines);
  area.addEventListener("change", () => {
    const rows = area.value.split("\n").map((line) => parseList(line.replace(/\s+/g, ","))).filter((row) => row && row.length >= 2);
    context.put(rows.length ? { ...value, x: rows.map((row) => row[0]), y: rows.map((row) => row[1]) } : undefined);
  });
  const kind = choice({ ...context, names: { "aria-label": `${context.label}, between points` }, put: (word) => context.put({ ...value, kind: word }) }, value.kind ?? "linear", ["linear", "cubic"], false);
  const remove = h("button", { type: "button", class: "small", onclick: () => context.put(undefined) }, "no table");
  return h("div", { class: "table" }, area, sketch(value), h("span", { class: "pair" }, kind, remove));
}

function sketch({ x, y }) {
  const [w, t] = [120, 48];
  const numbersOnly = x.map((a, k) => [a, y?.[k]]).filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));
  if (numbersOnly.length < 2) return "";
  const [x0, x1] = [Math.min(...numbersOnly.map((p) => p[0])), Math.max(...numbersOnly.map((p) => p[0]))];
  const [y0, y1] = [Math.min(...numbersOnly.map((p) => p[1])), Math.max(...numbersOnly.map((p) => p[1]))];
  const points = numbersOnly.map(([a, b]) => `${(2 + ((a - x0) / (x1 - x0 || 1)) * (w - 4)).toFixed(1)},${(t - 3 - ((b - y0) / (y1 - y0 || 1)) * (t - 6)).toFixed(1)}`);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${w} ${t}`);
  svg.setAttribute("class", "sketch");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = `<polyline points="${points.join(" ")}" fill="none" stroke="currentColor" stroke-width="1.5"/>`;
  return svg;
}

function name(context, value) {
  const { document } = context.studio;
  const of = context.field.of;
  const options = of === "body" ? ["ground", ...document.names("bodies")] : of === "joint" ? document.names("joints") : [...document.names("joints"), ...document.names("constraints"), ...document.names("bodies"), ...document.names("forces"), ...document.names("events")];
  return choice(context, value, options, !context.field.required || value === undefined);
}

const coordinate = (context, value) => (value && typeof value === "object" ? raw(context, value) : choice(context, value, context.studio.document.names("joints")));

function mimic(context, value) {
  const given = value ?? {};
  const part = (key, editor, field) => h("label", {}, h("small", {}, key), editor({ ...context, field, label: `${context.label} ${key}`, names: { "aria-label": `${context.label} ${key}` }, put: (x) => {
    const next = { ...given, [key]: x };
    if (x === undefined) delete next[key];
    context.put(next.joint ? next : undefined);
  } }, given[key]));
  return h("span", { class: "parts" }, part("joint", name, { of: "joint" }), part("multiplier", numberInput, { default: 1 }), part("offset", numberInput, { default: 0 }));
}

// A part with a type of its own: a shape, a law, a tyre, an action.
function part(context, value) {
  const kinds = context.studio.catalogue.parts[context.field.kind] ?? [];
  const select = h("select", { ...context.names }, context.listed ? null : new Option(context.field.required ? "choose …" : "", ""), kinds.map((kind) => new Option(kind.title, kind.type)));
  select.value = value?.type ?? "";
  const record = kinds.find((kind) => kind.type === value?.type);
  select.addEventListener("change", () => {
    const chosen = kinds.find((kind) => kind.type === select.value);
    context.put(chosen ? { type: chosen.type, ...starting(chosen) } : undefined);
  });
  const inner = record
    ? record.fields.map((field) =>
        context.row({ ...context, field, path: [...context.path, field.name], label: `${context.label} ${field.name}`, put: (x) => {
          const next = { ...value };
          if (x === undefined) delete next[field.name];
          else next[field.name] = x;
          context.put(next);
        } }, value[field.name]))
    : [];
  return h("div", { class: "part" }, select, inner);
}

// Sensible numbers for the required fields of a new part.
export function starting(record) {
  const found = {};
  for (const field of record.fields) {
    if (!field.required) continue;
    const value = STARTING[field.name] ?? STARTING_KINDS[field.kind];
    if (value !== undefined) found[field.name] = structuredClone(value);
  }
  return found;
}

const STARTING = { size: [0.1, 0.1, 0.1], radius: 0.05, length: 0.2, start: [0, 0, 0], end: [0.2, 0, 0], stiffness: 1000, damping: 1, ratio: 1, axis: "z", limits: [-1, 1], time_constant: 0.1, period: 0.01 };
const STARTING_KINDS = { number: 1, vector: [0, 0, 0], axis: "z", value: 0, function: 0, list: [0, 1], text: "0", integer: 1, "three functions": [0, 0, 0] };

// One part or several of them.
function parts(context, value) {
  const all = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const single = context.field.kind === "shape";
  const put = (next) => context.put(next.length === 0 ? undefined : single && next.length === 1 ? next[0] : next);
  const kinds = context.studio.catalogue.parts[context.field.kind] ?? [];
  const rows = all.map((entry, k) =>
    h("div", { class: "entry" },
      part({ ...context, listed: true, label: `${context.label} ${k + 1}`, names: { "aria-label": `${context.label} ${k + 1}` }, path: single && all.length === 1 ? context.path : [...context.path, k], put: (x) => put(x === undefined ? all.filter((_, n) => n !== k) : all.map((old, n) => (n === k ? x : old))) }, entry),
      h("button", { type: "button", class: "small", "aria-label": `Remove ${context.label} ${k + 1}`, onclick: () => put(all.filter((_, n) => n !== k)) }, "✕")));
  const add = h("select", { "aria-label": `Add to ${context.label}`, class: "adder" }, new Option(`+ ${context.field.name.replace(/s$/, "")}`, ""), kinds.map((kind) => new Option(kind.title, kind.type)));
  add.addEventListener("change", () => {
    const chosen = kinds.find((kind) => kind.type === add.value);
    if (chosen) put([...all, { type: chosen.type, ...starting(chosen) }]);
  });
  return h("div", { class: "list" }, rows, add);
}

// Tables of things by name: variables, tables, formulas.
function named(context, value) {
  const given = value ?? {};
  const inner = context.field.kind === "variables" ? (c, v) => part({ ...c, field: { ...c.field, kind: "variable" } }, v) : raw;
  const rows = Object.entries(given).map(([key, entry]) =>
    h("div", { class: "entry" }, h("b", {}, key), inner({ ...context, label: `${context.label} ${key}`, names: { "aria-label": `${context.label} ${key}` }, path: [...context.path, key], put: (x) => {
      const next = { ...given, [key]: x };
      if (x === undefined) delete next[key];
      context.put(Object.keys(next).length ? next : undefined);
    } }, entry)));
  const add = h("input", { type: "text", placeholder: "+ name", "aria-label": `Add to ${context.label}`, class: "adder" });
  add.addEventListener("change", () => {
    const key = add.value.trim();
    if (key && !(key in given)) context.put({ ...given, [key]: context.field.kind === "texts" ? "0" : context.field.kind === "values" ? 0 : {} });
  });
  return h("div", { class: "list" }, rows, add);
}

const friction = (context, value) => (value && typeof value === "object" ? raw(context, value) : numberInput(context, value));

export const EDITORS = {
  number: numberInput, value: numberInput, integer: numberInput, text: textInput, flag, vector, axis, rotation, color: colour, name, numbers, list,
  choice: (context, value) => choice(context, value, context.field.choices),
  names: (context, value) => input(context, Array.isArray(value) ? value.join(", ") : value, (text) => (text.trim() ? text.split(",").map((part) => part.trim()).filter(Boolean) : undefined), { placeholder: "names, …" }),
  inertia: (context, value) => input(context, Array.isArray(value) && !Array.isArray(value[0]) ? value.map(textOf).join(", ") : value, (text) => (text.trim().startsWith("[[") ? jsonOr(text) : parseList(text)), { placeholder: "Jxx, Jyy, Jzz" }),
  function: functionOf, functions: functionOf, motion: functionOf, profile: functionOf,
  coordinate, mimic, shape: parts, "contact shapes": parts, actions: parts, "contact shape": part, "contact law": part, tyre: part, friction,
  variable: (context, value) => (value && typeof value === "object" && value.type ? part(context, value) : coordinate(context, value)),
  variables: named, texts: named, values: named, tables: named,
  limits: (context, value) => (value && !Array.isArray(value) ? raw(context, value) : list(context, value)),
};

export const editorOf = (kind) => EDITORS[kind] ?? raw;
