// Units with SI prefixes, so that numbers need no powers of ten.

const PREFIXES = [[1e-15, "f"], [1e-12, "p"], [1e-9, "n"], [1e-6, "µ"], [1e-3, "m"], [1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"]];
const TAKES = /^(m|N|J|W|Pa|rad|s|V|A|Hz)(?![²³⁴\w])/; // a prefix before m² would be squared

// What numbers up to `largest` are divided by, and the unit then: 1e-13 N are 0.1 pN, 0.05 m remain as they are.
export function prefixed(largest, unit) {
  if (!TAKES.test(unit) || !(largest > 0) || !Number.isFinite(largest) || (largest >= 0.01 && largest < 1e4)) return { factor: 1, unit };
  const [factor, prefix] = PREFIXES.findLast(([f]) => largest >= 0.99999 * f) ?? PREFIXES[0];
  return { factor, unit: prefix + unit };
}
