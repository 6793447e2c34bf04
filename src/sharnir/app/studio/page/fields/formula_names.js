// Names that formulas may contain, for completion.

const OF_JOINTS = [["q", "coordinate"], ["v", "speed"]];
const OF_BODIES = [["x", "position"], ["y", "position"], ["z", "position"], ["vx", "velocity"], ["vy", "velocity"], ["vz", "velocity"]];

export function formulaNames(studio, field, sensors) {
  const { document, catalogue } = studio;
  const of = (names, about, call = false) => names.map((name) => ({ name, about, call }));
  const found = [...of(field.variables ?? [], "variable"), ...of(document.names("parameters"), "parameter")];
  if (sensors) {
    found.push(...of(["t"], "time"), ...of(document.names("signals"), "signal"));
    if (!field.variables) for (const name of document.names("joints")) for (const [word, about] of OF_JOINTS) found.push({ name: `${name}.${word}`, about: `${about} of ${name}` });
    if (!field.variables) for (const name of document.names("bodies")) for (const [word, about] of OF_BODIES) found.push({ name: `${name}.${word}`, about: `${about} of ${name}` });
  }
  const seen = new Set();
  return [...found, ...of(catalogue.functions ?? [], "function", true)].filter(({ name }) => !seen.has(name) && seen.add(name));
}
