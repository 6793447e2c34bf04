// References to other elements: bodies, joints, coordinates, freedoms, signals, events.

import { h } from "../dom.js";
import { choice, input, numberInput } from "./inputs.js";

const SECTION_OF = { joint: ["joints", "constraints"], parameter: ["parameters"], signal: ["signals"], event: ["events", "signals"], force: ["forces"] };

// Bodies, and the interfaces of flexible ones.
export function bodyNames(document) {
  const found = ["ground"];
  for (const [name, body] of Object.entries(document.data.bodies ?? {})) {
    found.push(name);
    for (const node of Object.keys(body?.reduced?.interfaces ?? {})) found.push(`${name}:${node}`);
  }
  return found;
}

// Joints that actions make: attach under a name or that of its bodies, join under the name of the new joint.
function madeJoints(document) {
  const actions = Object.values(document.data.events ?? {}).flatMap((event) => (Array.isArray(event?.actions) ? event.actions : []));
  return actions.map((action) => (action?.type === "attach" ? action.joint ?? `${action.a}_${action.b}`.replaceAll(":", "_") : action?.joint?.name)).filter(Boolean);
}

export function name(context, value) {
  const { document, found } = context.studio;
  const { of, name: field } = context.field;
  if (field === "frame_at") {
    const nodes = Object.keys(context.host?.reduced?.interfaces ?? {});
    return choice(context, value, [...nodes, "floating"]);
  }
  if (of === "body") {
    const known = [...new Set([...bodyNames(document), ...Object.keys(found?.poses ?? {})])];
    return choice(context, value, known, !context.field.required || value === undefined);
  }
  const sections = of === "joint" ? ["joints"] : SECTION_OF[field] ?? ["joints", "constraints", "bodies", "forces", "events"];
  const made = sections.includes("joints") ? madeJoints(document) : [];
  return choice(context, value, [...new Set([...sections.flatMap((section) => document.names(section)), ...made])], !context.field.required || value === undefined);
}

// Several names: those that are chosen, and one to add.
export function names(context, value) {
  const given = Array.isArray(value) ? value : [];
  const known = bodyNames(context.studio.document).filter((one) => one !== "ground" && !given.includes(one));
  const chips = given.map((one) => h("span", { class: "chip" }, one, h("button", { type: "button", "aria-label": `Remove ${one} from ${context.label}`, onclick: () => context.put(given.length > 1 ? given.filter((other) => other !== one) : undefined) }, "✕")));
  const add = h("select", { ...context.names, class: "adder" }, new Option(given.length ? "+ body" : "all (choose some …)", ""), known.map((one) => new Option(one, one)));
  add.addEventListener("change", () => add.value && context.put([...given, add.value]));
  return h("div", { class: "list" }, h("div", { class: "chips" }, chips), add);
}

// The freedoms of a joint, by number and name.
export function freedomsOf(studio, joint) {
  return studio.found?.joints?.[joint]?.names ?? [];
}

export function freedom(context, value) {
  const joint = context.host?.joint;
  const known = freedomsOf(context.studio, joint);
  if (!known.length) return input(context, value, (text) => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim() || undefined), { placeholder: String(context.field.default ?? "all") });
  const element = h("select", { ...context.names }, new Option(context.field.default === null ? "all" : `${known[context.field.default ?? 0] ?? ""} (default)`, ""), known.map((word, k) => new Option(word, String(k))));
  element.value = value === undefined ? "" : typeof value === "number" ? String(value) : String(known.indexOf(value));
  element.addEventListener("change", () => context.put(element.value === "" ? undefined : Number(element.value)));
  return element;
}

// A joint, and which of its freedoms.
export function coordinate(context, value) {
  const given = value && typeof value === "object" ? value : { joint: value };
  const put = (next) => context.put(next.joint === undefined ? undefined : next.freedom === undefined ? next.joint : next);
  const joint = choice({ ...context, put: (x) => put({ joint: x }) }, given.joint, context.studio.document.names("joints"));
  if (freedomsOf(context.studio, given.joint).length < 2 && given.freedom === undefined) return joint;
  const which = freedom({ ...context, host: given, field: { ...context.field, default: 0 }, names: { "aria-label": `${context.label} freedom` }, put: (x) => put({ joint: given.joint, freedom: x }) }, given.freedom);
  return h("span", { class: "pair" }, joint, which);
}

// Coordinates times numbers.
export function terms(context, value) {
  const given = Array.isArray(value) ? value : [];
  const put = (next) => context.put(next.length ? next : undefined);
  const lines = given.map((term, k) => {
    const inner = (word) => ({ ...context, draft: null, label: `${context.label} ${k + 1} ${word}`, names: { "aria-label": `${context.label} ${k + 1} ${word}` }, field: { name: word, default: null } });
    const change = (x) => put(given.map((old, n) => (n === k ? x : old)));
    const { coefficient, ...where } = term;
    return h("div", { class: "entry" },
      numberInput({ ...inner("coefficient"), put: (x) => change({ ...where, coefficient: x ?? 1 }) }, coefficient), h("b", {}, "×"),
      coordinate({ ...inner("joint"), put: (x) => change({ ...(typeof x === "object" ? x : { joint: x ?? "" }), coefficient }) }, where.freedom === undefined ? where.joint : where),
      h("button", { type: "button", class: "small", "aria-label": `Remove ${context.label} ${k + 1}`, onclick: () => put(given.filter((_, n) => n !== k)) }, "✕"));
  });
  const free = context.studio.document.names("joints").find((one) => !given.some((term) => term.joint === one)) ?? "";
  return h("div", { class: "list" }, lines, h("button", { type: "button", class: "small adder", "aria-label": `Add to ${context.label}`, onclick: () => put([...given, { joint: free, coefficient: 1 }]) }, "+ term"));
}

// Follow another joint.
export function mimic(context, value) {
  const given = value ?? {};
  const part = (key, editor, field) => h("label", {}, h("small", {}, key), editor({ ...context, draft: null, field: { ...field, name: key }, label: `${context.label} ${key}`, names: { "aria-label": `${context.label} ${key}` }, put: (x) => {
    const next = { ...given, [key]: x };
    if (x === undefined) delete next[key];
    context.put(next.joint ? next : undefined);
  } }, given[key]));
  return h("span", { class: "parts" }, part("joint", name, { of: "joint" }), part("multiplier", numberInput, { default: 1 }), part("offset", numberInput, { default: 0 }));
}
