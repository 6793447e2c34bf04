// Commands on the document: adding, removing, duplicating, copying. Each is one step of undo.

import { starting } from "../fields/editors.js";
import { withValue } from "./document.js";

const SOLID = new Set(["box", "cylinder", "sphere", "mesh"]);
const WORDS = { "p-i-d": "pid" };

// What a new element begins with, so that it can be seen and run at once.
export function newElement(document, section, record, at = [0, 0, 0]) {
  const bodies = document.names("bodies");
  const joints = document.names("joints");
  const entry = section === "bodies" || section === "events" ? {} : { type: record.type };
  if (record.type === "flexible-body") return { type: record.type, reduced: { fe: { type: "straight-beam", start: [0, 0, 0], end: [1, 0, 0], elements: 10, section: { type: "round", radius: 0.02 } }, interfaces: { root: 0, tip: 10 }, modes: 4 }, frame_at: "root", position: at };
  if (section === "bodies" && record.type === "body") Object.assign(entry, { mass: 1, shape: { type: "box", size: [0.2, 0.05, 0.05] }, position: at });
  if (section === "events") Object.assign(entry, { at: 1, actions: [{ type: "stop" }] });
  const given = starting(record);
  for (const field of record.fields) {
    if (!field.required) continue;
    if (field.of === "body") entry[field.name] = pickBody(field.name, bodies);
    else if (field.of === "joint" || field.kind === "coordinate") entry[field.name] = joints.find((name) => !Object.values(entry).includes(name)) ?? joints[0] ?? "";
    else if (field.kind === "joined" || field.kind === "variable") entry[field.name] = joints[0] ?? "";
    else if (field.kind === "name") entry[field.name] = document.names({ parameter: "parameters", signal: "signals", event: "events", force: "forces" }[field.name] ?? "joints")[0] ?? "";
  }
  return { ...entry, ...given, ...entry, ...fitting(document, record, entry) };
}

// What depends on the bodies and joints that are there.
function fitting(document, record, entry) {
  const { bodies = {}, joints = {} } = document.data;
  if (record.type === "constraint") return { formula: `${Object.keys(joints)[0] ?? "joint"}.q` };
  if (record.type === "coupler") return { terms: [{ joint: Object.keys(joints)[0] ?? "", coefficient: 1 }] };
  if (record.type === "joint-friction") return joints[entry.joint]?.type === "prismatic" ? {} : { radius: 0.01 };
  if (record.type !== "contact") return {};
  const plain = (name) => SOLID.has([bodies[name]?.shape].flat()[0]?.type); // a shape that bodies and contacts share
  return { ...(entry.a === "ground" ? { shape_a: { type: "plane" } } : {}), ...(plain(entry.b) ? {} : { shape_b: { type: "sphere", radius: 0.05 } }) };
}

// The ground first for parents and first bodies, the newest body for children.
function pickBody(name, bodies) {
  if (name === "parent" || name === "a" || name === "surface") return "ground";
  return bodies.at(-1) ?? "";
}

export function add(document, section, record, entry, name = null) {
  const free = name ?? document.freeName(section, (WORDS[record?.type] ?? record?.type ?? "parameter").replace(/-/g, "_"));
  document.put({ ...document.data, [section]: { ...(document.data[section] ?? {}), [free]: entry } }, `add ${free}`);
  return `${section}/${free}`;
}

export function remove(document, ids) {
  let data = document.data;
  for (const id of ids) {
    const [section, name] = id.split(/\/(.*)/s);
    if (name !== undefined && data[section]?.[name] !== undefined) data = withValue(data, [section, name], undefined);
    if (data[section] && !Object.keys(data[section]).length) data = withValue(data, [section], undefined);
  }
  document.put(data, ids.length === 1 ? `delete ${ids[0].split("/").pop()}` : `delete ${ids.length} elements`);
}

export function copied(document, ids) {
  return ids.map((id) => {
    const [section, name] = id.split(/\/(.*)/s);
    return { section, name, entry: document.data[section]?.[name] };
  }).filter((part) => part.entry !== undefined);
}

const OF_BODIES = new Set(["parent", "child", "a", "b", "body", "wheel", "ball", "surface", "relative_to", "axes_of", "walls_of", "bodies"]);
const OF_JOINTS = new Set(["joint", "joint_a", "joint_b", "pinion", "rack", "cam", "follower", "coordinate"]);
const WORDS_ONLY = new Set(["type", "name", "unit", "color", "message", "mesh", "file"]);

// Put copies in; references among the copies follow the new names, those in formulas, too.
export function pasted(data, parts) {
  const names = { bodies: new Map(), joints: new Map(), others: new Map() };
  const made = [];
  for (const { section, name, entry } of parts) {
    const free = freeIn(data, section, name);
    (names[section] ?? names.others).set(name, free);
    data = { ...data, [section]: { ...(data[section] ?? {}), [free]: entry } };
    made.push([section, free]);
  }
  for (const [section, free] of made) data = withValue(data, [section, free], followed(data[section][free], "", names));
  return { data, made };
}

// A value in which names of copied elements are those of their copies.
function followed(value, key, names) {
  if (Array.isArray(value)) return value.map((entry) => followed(entry, key, names));
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, followed(entry, name, names)]));
  if (typeof value !== "string" || WORDS_ONLY.has(key)) return value;
  const [body, node] = value.split(":");
  if (OF_BODIES.has(key) && names.bodies.has(body)) return node === undefined ? names.bodies.get(body) : `${names.bodies.get(body)}:${node}`;
  if (OF_JOINTS.has(key) && names.joints.has(value)) return names.joints.get(value);
  if (["signal", "event", "force"].includes(key) && names.others.has(value)) return names.others.get(value);
  if (OF_BODIES.has(key) || OF_JOINTS.has(key)) return value;
  const all = new Map([...names.bodies, ...names.joints, ...names.others]);
  return value.replace(/[A-Za-z_]\w*/g, (word, at) => (all.has(word) && value[at - 1] !== "." && (names.others.has(word) || value[at + word.length] === ".") ? all.get(word) : word));
}

export function paste(document, parts) {
  const { data, made } = pasted(document.data, parts);
  document.put(data, made.length === 1 ? `paste ${made[0][1]}` : `paste ${made.length} elements`);
  return made.map(([section, free]) => `${section}/${free}`);
}

function freeIn(data, section, name) {
  const taken = new Set([...Object.keys(data[section] ?? {}), "ground"]);
  if (!taken.has(name)) return name;
  const base = name.replace(/\d+$/, "") || name;
  for (let k = 2; ; k++) if (!taken.has(`${base}${k}`)) return `${base}${k}`;
}
