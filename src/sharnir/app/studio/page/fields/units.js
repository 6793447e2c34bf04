// What people type for a number: 0.5, 5e-3, "3 mm", "90 deg", "1500 rpm", or a formula.

const UNITS = {
  m: 1, mm: 1e-3, cm: 1e-2, km: 1e3, um: 1e-6, "µm": 1e-6, in: 0.0254, ft: 0.3048,
  kg: 1, g: 1e-3, t: 1e3, lb: 0.45359237,
  s: 1, ms: 1e-3, us: 1e-6, "µs": 1e-6, min: 60, h: 3600,
  rad: 1, deg: Math.PI / 180, "°": Math.PI / 180, turn: 2 * Math.PI, rev: 2 * Math.PI,
  N: 1, kN: 1e3, MN: 1e6, mN: 1e-3, Nm: 1, "N·m": 1, kNm: 1e3,
  "m/s": 1, "mm/s": 1e-3, "km/h": 1 / 3.6, "rad/s": 1, "deg/s": Math.PI / 180, rpm: Math.PI / 30, "1/min": Math.PI / 30,
  "N/m": 1, "N/mm": 1e3, "kN/m": 1e3, Pa: 1, kPa: 1e3, MPa: 1e6, GPa: 1e9, Hz: 1, kHz: 1e3, "kg/m³": 1, "kg/m3": 1, "g/cm³": 1e3, "g/cm3": 1e3,
};
const WITH_UNIT = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([^\d\s.+*()^-].*?)?\s*$/i;

// The value of a text: a number, a formula as text, or undefined for nothing.
export function parseNumber(text) {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const found = WITH_UNIT.exec(trimmed);
  if (!found) return trimmed;
  const [, digits, unit] = found;
  if (!unit) return Number(digits);
  return unit in UNITS ? Number((Number(digits) * UNITS[unit]).toPrecision(15)) : trimmed;
}

export const textOf = (value) => (value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

// Several numbers: "1, 2, 3", "1 2 3", "[1, 2, 3]", formulas between commas.
export function parseList(text) {
  const trimmed = text.trim().replace(/^[[(]\s*/, "").replace(/\s*[\])]$/, "");
  if (trimmed === "") return undefined;
  const parts = trimmed.includes(",") || trimmed.includes(";") ? trimmed.split(/[,;]/) : trimmed.split(/\s+/);
  return parts.map((part) => parseNumber(part) ?? 0);
}
