// The document: the data of a model file, as an immutable tree. Every change makes a new root that shares what stays the same,
// so undo is a list of roots and gives back the same bytes.

const MOST_UNDO = 1000;

export const SECTIONS = ["parameters", "bodies", "joints", "forces", "constraints", "signals", "events"];

// A copy of `tree` in which `path` holds `value`; undefined removes the key. Orders of keys stay.
export function withValue(tree, path, value) {
  if (!path.length) return value;
  const [key, ...rest] = path;
  const list = Array.isArray(tree);
  const copy = list ? [...tree] : { ...tree };
  const inner = rest.length ? withValue(copy[key] ?? (typeof rest[0] === "number" ? [] : {}), rest, value) : value;
  if (inner !== undefined) copy[key] = inner;
  else if (list) copy.splice(key, 1);
  else delete copy[key];
  return copy;
}

export const valueAt = (tree, path) => path.reduce((at, key) => at?.[key], tree);

// The range of a parameter, if it has a right one.
export const rangeOf = (parameter) => (Array.isArray(parameter?.range) && parameter.range.length === 2 && parameter.range.every(Number.isFinite) ? parameter.range : null);

export const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

export class Document {
  constructor(data = {}, name = "") {
    this.listeners = new Set();
    this.load(data, name);
  }

  // `changed`: when its file was written last, in seconds; 0 without one.
  load(data, name, changed = 0) {
    this.data = data;
    this.name = name;
    this.changed = changed;
    this.saved = data;
    this.past = [];
    this.future = [];
    this.revision = (this.revision ?? 0) + 1;
    this.tell("load");
  }

  get dirty() {
    return this.data !== this.saved;
  }

  // Put another root in place; changes with the same `merge` word that follow each other are one step of undo.
  put(data, label, merge = null) {
    if (data === this.data) return;
    const last = this.past.at(-1);
    if (!(merge && last?.merge === merge && !this.future.length)) this.past.push({ data: this.data, label, merge });
    if (this.past.length > MOST_UNDO) this.past.shift();
    this.future = [];
    this.data = data;
    this.revision++;
    this.tell(label);
  }

  set(path, value, label, merge) {
    if (JSON.stringify(valueAt(this.data, path)) === JSON.stringify(value)) return;
    this.put(withValue(this.data, path, value), label ?? `set ${path.at(-1)}`, merge);
  }

  undo() {
    const step = this.past.pop();
    if (!step) return null;
    this.future.push({ ...step, data: this.data });
    this.data = step.data;
    this.revision++;
    this.tell(`undo ${step.label}`);
    return step.label;
  }

  redo() {
    const step = this.future.pop();
    if (!step) return null;
    this.past.push({ ...step, data: this.data });
    this.data = step.data;
    this.revision++;
    this.tell(`redo ${step.label}`);
    return step.label;
  }

  markSaved(name, data = this.data, changed = this.changed) {
    this.name = name;
    this.changed = changed;
    this.saved = data;
    this.tell("saved");
  }

  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(label) {
    for (const listener of this.listeners) listener(label);
  }

  // Names of a section, for references and for new names.
  names(section) {
    return isTable(this.data[section]) ? Object.keys(this.data[section]) : []; // a file may hold anything
  }

  // A name that is free: "body", "body2", …
  freeName(section, word) {
    const taken = new Set([...this.names(section), "ground"]);
    if (section === "signals" || section === "parameters") for (const other of ["signals", "parameters"]) this.names(other).forEach((n) => taken.add(n));
    const base = word.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(\d)/, "_$1");
    for (let k = 1; ; k++) {
      const name = k === 1 ? base : `${base}${k}`;
      if (!taken.has(name)) return name;
    }
  }

  // What refers to an element: places whose value is its name.
  dependents(section, name) {
    const found = [];
    const look = (value, path) => {
      if (value === name && path.length > 2) found.push(path);
      else if (typeof value === "string" && path.length > 2 && formulaNames(value, section, name)) found.push(path);
      else if (value && typeof value === "object") for (const [key, entry] of Object.entries(value)) look(entry, [...path, key]);
    };
    for (const other of SECTIONS) for (const [key, entry] of Object.entries(this.data[other] ?? {})) if (other !== section || key !== name) look(entry, [other, key]);
    return found;
  }
}

// Whether a formula uses an element: "O.q" a joint, "k*x" a parameter or signal.
export function formulaNames(text, section, name) {
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const end = section === "signals" || section === "parameters" ? "(?![\\w.(])" : "(?=\\.)";
  return new RegExp(`(?<![\\w.])${word}${end}`).test(text);
}
