// Commands on the document: adding, removing, duplicating, copying. Each is one step of undo.

import { starting } from "../fields/editors.js";
import { withValue } from "./document.js";

const WORDS = { "p-i-d": "pid" };

// What a new element begins with, so that it can be seen and run at once.
export function newElement(document, section, record, at = [0, 0, 0]) {
  const bodies = document.names("bodies");
  const joints = document.names("joints");
  const entry = section === "bodies" || section === "events" ? (record.type === "flexible-body" ? { type: record.type } : {}) : { type: record.type };
  if (section === "bodies" && record.type === "body") Object.assign(entry, { mass: 1, shape: { type: "box", size: [0.2, 0.05, 0.05] }, position: at });
  if (section === "events") Object.assign(entry, { at: 1, actions: [{ type: "stop" }] });
  const given = starting(record);
  for (const field of record.fields) {
    if (!field.required) continue;
    if (field.of === "body") entry[field.name] = pickBody(field.name, bodies);
    else if (field.of === "joint" || field.kind === "coordinate") entry[field.name] = joints.find((name) => !Object.values(entry).includes(name)) ?? joints[0] ?? "";
    else if (field.kind === "contact law") entry[field.name] = { type: "hunt-crossley", stiffness: 1e6, damping: 0.2 };
    else if (field.name in given && !(field.name in entry)) entry[field.name] = given[field.name];
  }
  return entry;
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

// Put copies in; references among the copies follow the new names.
export function paste(document, parts) {
  const names = new Map();
  let data = document.data;
  const made = [];
  for (const { section, name, entry } of parts) {
    const free = freeIn(data, document, section, name);
    names.set(`${section}/${name}`, free);
    data = { ...data, [section]: { ...(data[section] ?? {}), [free]: entry } };
    made.push([section, free]);
  }
  const bodies = new Map([...names].filter(([id]) => id.startsWith("bodies/")).map(([id, free]) => [id.slice(7), free]));
  const joints = new Map([...names].filter(([id]) => id.startsWith("joints/")).map(([id, free]) => [id.slice(7), free]));
  for (const [section, free] of made) {
    const entry = { ...data[section][free] };
    for (const [key, value] of Object.entries(entry)) {
      if (typeof value !== "string") continue;
      if (["parent", "child", "a", "b", "body", "wheel", "surface"].includes(key) && bodies.has(value)) entry[key] = bodies.get(value);
      if (["joint", "joint_a", "joint_b"].includes(key) && joints.has(value)) entry[key] = joints.get(value);
    }
    data = withValue(data, [section, free], entry);
  }
  document.put(data, made.length === 1 ? `paste ${made[0][1]}` : `paste ${made.length} elements`);
  return made.map(([section, free]) => `${section}/${free}`);
}

function freeIn(data, document, section, name) {
  const taken = new Set([...Object.keys(data[section] ?? {}), "ground"]);
  if (!taken.has(name)) return name;
  const base = name.replace(/\d+$/, "") || name;
  for (let k = 2; ; k++) if (!taken.has(`${base}${k}`)) return `${base}${k}`;
}
