// What people type for a number: 0.5, 5e-3, "3 mm", "90 deg", "1500 rpm", or a formula.

// Units by what they are in the SI.
const GROUPS = {
  m: { m: 1, mm: 1e-3, cm: 1e-2, km: 1e3, um: 1e-6, "µm": 1e-6, in: 0.0254, ft: 0.3048 },
  kg: { kg: 1, g: 1e-3, t: 1e3, lb: 0.45359237 },
  s: { s: 1, ms: 1e-3, us: 1e-6, "µs": 1e-6, min: 60, h: 3600 },
  rad: { rad: 1, deg: Math.PI / 180, "°": Math.PI / 180, turn: 2 * Math.PI, rev: 2 * Math.PI },
  N: { N: 1, kN: 1e3, MN: 1e6, mN: 1e-3 },
  "N m": { Nm: 1, kNm: 1e3 },
  "m/s": { "m/s": 1, "mm/s": 1e-3, "km/h": 1 / 3.6 },
  "rad/s": { "rad/s": 1, "deg/s": Math.PI / 180, rpm: Math.PI / 30, "1/min": Math.PI / 30 },
  "N/m": { "N/m": 1, "N/mm": 1e3, "kN/m": 1e3 },
  Pa: { Pa: 1, kPa: 1e3, MPa: 1e6, GPa: 1e9 },
  Hz: { Hz: 1, kHz: 1e3 },
  "kg/m³": { "kg/m³": 1, "kg/m3": 1, "g/cm³": 1e3, "g/cm3": 1e3 },
};
const UNITS = new Map(Object.entries(GROUPS).flatMap(([si, units]) => Object.entries(units).map(([word, factor]) => [word, { si, factor }])));
const plain = (unit) => unit.replace(/[\s·]/g, "");

// The factor of a unit that was typed into a field with another one, such as "m, rad"; null if it does not belong there.
function factorOf(typed, unit) {
  const known = UNITS.get(plain(typed));
  const wanted = unit.split(/, | or /).filter(Boolean);
  if (!wanted.length) return known?.factor ?? null;
  if (known && wanted.includes(known.si)) return known.factor;
  return wanted.some((one) => plain(one) === plain(typed)) ? 1 : null;
}

const WITH_UNIT = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([^\d\s.+*()^-].*?)?\s*$/i;

// The value of a text in a field with a unit: a number, a formula as text, or undefined for nothing.
export function parseNumber(text, unit = "") {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const found = WITH_UNIT.exec(trimmed);
  if (!found) return trimmed;
  const [, digits, typed] = found;
  if (!typed) return Number(digits);
  const factor = factorOf(typed, unit);
  return factor === null ? trimmed : Number((Number(digits) * factor).toPrecision(15));
}

// What is wrong with a value that is a number with a unit of something else.
export function foreignUnit(value, unit = "") {
  const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
  const typed = texts.map((text) => WITH_UNIT.exec(text.trim())?.[2]).find((word) => word && factorOf(word, unit) === null);
  if (!typed) return null;
  return `${typed} is not a unit of this field${unit && unit !== "–" ? `, which is in ${unit}` : ", which has none"}`;
}

export const textOf = (value) => (value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

// Several numbers: "1, 2, 3", "1 2 3", "[1, 2, 3]", formulas between commas.
export function parseList(text, unit = "") {
  const trimmed = text.trim().replace(/^[[(]\s*/, "").replace(/\s*[\])]$/, "");
  if (trimmed === "") return undefined;
  const parts = trimmed.includes(",") || trimmed.includes(";") ? trimmed.split(/[,;]/) : trimmed.split(/\s+/);
  return parts.map((part) => parseNumber(part, unit) ?? 0);
}
