// Inputs for single values: numbers, formulas, words, vectors, axes, rotations, colours. An editor shows a value, and calls
// `put(value)` when a person has changed it; `draft(value)` while they type. undefined means that the field is left out.

import { h } from "../dom.js";
import { completion } from "./completion.js";
import { parseList, parseNumber, textOf } from "./units.js";

export const AXES = ["x", "y", "z", "-x", "-y", "-z"];
const PAUSE = 250; // ms after a key, before what is typed is looked over

// A line of text; `names()` gives what may be completed in formulas.
export function input(context, value, parse, extra = {}, names = null) {
  const element = h("input", { type: "text", value: textOf(value), spellcheck: "false", autocomplete: "off", ...context.names, ...extra });
  let waiting = null;
  element.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => context.draft?.(parse(element.value)), PAUSE);
  });
  element.addEventListener("change", () => {
    clearTimeout(waiting);
    if (element.value === textOf(value)) return;
    const found = parse(element.value);
    if (JSON.stringify(found) !== JSON.stringify(value)) context.put(found);
  });
  if (names) completion(element, names);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    clearTimeout(waiting);
    element.value = textOf(value);
    element.blur();
  });
  return element;
}

export function numberInput(context, value) {
  const { field } = context;
  const placeholder = field.default === null || field.default === undefined ? "" : textOf(field.default);
  const element = input(context, value, (text) => parseNumber(text, field.unit), { placeholder }, () => context.studio.formulaNames(field, false));
  if (typeof value === "string") element.classList.add("formula");
  return element;
}

export const textInput = (context, value) => input(context, value, (text) => text.trim() || undefined, { placeholder: context.field.default ?? "" });

// A formula of sensors, signals, parameters and time.
export function formula(context, value) {
  const words = context.field.variables ? `formula of ${context.field.variables.join(", ")}` : "formula";
  return input(context, value, (text) => text.trim() || undefined, { placeholder: context.field.default || words, class: "formula" }, () => context.studio.formulaNames(context.field, true));
}

export function choice(context, value, options, empty = true) {
  const known = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  const none = context.field?.default ? `${context.field.default} (default)` : "";
  const element = h("select", { ...context.names }, empty ? new Option(none, "") : null, known.map(([word, text]) => new Option(text, word)));
  if (value !== undefined && !known.some(([word]) => word === value)) element.append(new Option(`${value} (missing)`, value));
  element.value = value ?? "";
  element.addEventListener("change", () => context.put(element.value === "" ? undefined : element.value));
  return element;
}

// Several numbers side by side; a list that is pasted into one of them fills all.
export function several(context, value, letters) {
  const fallback = Array.isArray(context.field.default) ? context.field.default : [];
  const given = Array.isArray(value) ? value : [];
  const number = (text) => parseNumber(text, context.field.unit);
  const inner = (k, put) => ({ ...context, put, draft: null, field: { ...context.field, default: null }, names: { "aria-label": `${context.label} ${letters[k]}`, "aria-invalid": context.names["aria-invalid"], title: context.field.help } });
  const inputs = letters.map((letter, k) => {
    const element = input(inner(k, () => null), given[k], number, { placeholder: textOf(fallback[k] ?? (context.field.required ? "" : "–")) }, () => context.studio.formulaNames(context.field, false));
    if (typeof given[k] === "string") element.classList.add("formula");
    const read = () => {
      const pasted = parseList(element.value, context.field.unit);
      if (pasted && pasted.length === letters.length) return pasted;
      const texts = inputs.map((one) => one.value);
      return texts.every((text) => text.trim() === "") ? undefined : texts.map((text, n) => number(text) ?? fallback[n] ?? 0);
    };
    element.addEventListener("change", () => JSON.stringify(read()) !== JSON.stringify(value) && context.put(read()));
    element.addEventListener("input", () => {
      clearTimeout(context.waiting);
      context.waiting = setTimeout(() => context.draft?.(read()), PAUSE);
    });
    return element;
  });
  return h("span", { class: letters.length > 3 ? "vector six" : "vector" }, inputs);
}

export const vector = (context, value) => several(context, value, ["x", "y", "z"]);
export const six = (context, value) => several(context, value, ["x", "y", "z", "rx", "ry", "rz"]);

export function axis(context, value) {
  const word = typeof value === "string" ? value : value === undefined ? "" : "other";
  const none = context.field.default ? `${context.field.default} (default)` : "";
  const select = h("select", { ...context.names }, context.field.required && value !== undefined ? null : new Option(none, ""), AXES.map((a) => new Option(a, a)), new Option("other …", "other"));
  if (word !== "other" && word && !AXES.includes(word)) select.append(new Option(`${word} (unknown)`, word));
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

// About an axis by degrees, or a quaternion, or three rows.
export function rotation(context, value) {
  const about = value && !Array.isArray(value) && typeof value === "object";
  const select = h("select", { "aria-label": `${context.label}: about` }, ["", ...AXES].map((a) => new Option(a || "none", a)));
  select.value = about && typeof value.axis === "string" ? value.axis : "";
  if (Array.isArray(value)) {
    select.append(new Option("by numbers", "numbers"));
    select.value = "numbers";
  }
  if (about && Array.isArray(value.axis)) {
    select.append(new Option(value.axis.join(", "), "own"));
    select.value = "own";
  }
  const angle = about ? value.degrees ?? (typeof value.angle === "number" ? (value.angle * 180) / Math.PI : value.angle) : Array.isArray(value) ? JSON.stringify(value) : undefined;
  const degrees = h("input", { type: "text", value: textOf(angle), placeholder: "degrees", spellcheck: "false", autocomplete: "off", ...context.names });
  const commit = () => {
    const text = degrees.value.trim();
    if (text.startsWith("[[")) return context.put(jsonOr(text));
    const list = parseList(text);
    if (list?.length === 4 && (select.value === "numbers" || !select.value)) return context.put(list);
    if (select.value === "numbers") return list ? context.put(list) : context.put(undefined);
    if (list?.length === 4) return context.put({ axis: select.value, degrees: 90 });
    if (!select.value && !list) return context.put(undefined);
    const number = list ? parseNumber(text.replace(/(deg|°)\s*$/, "")) : 90;
    if (select.value) context.put({ axis: select.value === "own" ? value.axis : select.value, degrees: number });
    else if (list) context.put(list.length === 1 ? { axis: "z", degrees: number } : list);
  };
  select.addEventListener("change", () => (select.value === "" ? context.put(undefined) : commit()));
  degrees.addEventListener("change", commit);
  return h("span", { class: "pair" }, select, degrees);
}

export function colour(context, value) {
  const drawn = context.path?.[0] === "bodies" ? context.studio.picture.colours?.get(context.path[1]) : null; // without a colour of its own, or with one by name
  const picker = h("input", { type: "color", value: /^#[0-9a-f]{6}$/i.test(value ?? "") ? value : drawn ?? "#4682b4", "aria-label": `${context.label}, pick` });
  picker.addEventListener("change", () => context.put(picker.value));
  const text = input(context, Array.isArray(value) ? value.join(", ") : value, (typed) => (/^[\d[]/.test(typed.trim()) ? parseList(typed) : typed.trim() || undefined), { placeholder: "name or #rrggbb" });
  return h("span", { class: "pair" }, picker, text);
}

export function flag(context, value) {
  const element = h("input", { type: "checkbox", checked: value ?? context.field.default ?? false, ...context.names });
  element.addEventListener("change", () => context.put(element.checked));
  return element;
}

export const list = (context, value) => input(context, Array.isArray(value) ? value.map(textOf).join(", ") : value, (text) => parseList(text, context.field.unit), { placeholder: textOf(context.field.default ?? "") || "a, b, …" });

// A number, or several of them, one per freedom.
export const numbers = (context, value) =>
  input(context, Array.isArray(value) ? value.map(textOf).join(", ") : value, (text) => {
    const found = parseList(text, context.field.unit);
    return !found || /[,;]/.test(text) ? found : parseNumber(text, context.field.unit);
  }, { placeholder: textOf(context.field.default ?? "") }, () => context.studio.formulaNames(context.field, false));

export function jsonOr(text, unit = "") {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (/^[[{"]|^(true|false)$/.test(trimmed)) {
    try {
      return JSON.parse(trimmed);
    } catch {
      return trimmed;
    }
  }
  return parseNumber(trimmed, unit);
}

// Anything else, as JSON: the server says what is wrong with it.
export const json = (context, value) => input(context, value === undefined ? undefined : typeof value === "object" || typeof value === "boolean" ? JSON.stringify(value) : value, jsonOr, { class: "raw", placeholder: textOf(context.field.default) || "…" });

// Rows of numbers, one row per line.
export function rows(context, value) {
  const text = Array.isArray(value) ? value.map((row) => (Array.isArray(row) ? row.map(textOf).join("  ") : textOf(row))).join("\n") : "";
  const area = h("textarea", { rows: String(Math.min(8, Math.max(2, (value?.length ?? 0) + 1))), spellcheck: "false", placeholder: "one row per line", ...context.names }, text);
  area.addEventListener("change", () => {
    const found = area.value.split("\n").map((line) => parseList(line)).filter(Boolean);
    context.put(found.length ? found : undefined);
  });
  return area;
}
