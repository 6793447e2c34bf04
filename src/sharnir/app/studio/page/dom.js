// Elements of the page: h("button", { class: "run", onclick }, "Run").

export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const NUMBER = new Intl.NumberFormat("en", { maximumSignificantDigits: 6, useGrouping: false });

// A number as people write it.
export function shown(x) {
  if (typeof x !== "number") return String(x);
  if (x !== 0 && (Math.abs(x) >= 1e6 || Math.abs(x) < 1e-4)) return String(Number(x.toPrecision(6)));
  return NUMBER.format(x);
}

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

// A number with its unit and a prefix of the SI: 1.2e-5 m is 12 µm.
export function withUnit(x, unit) {
  if (!Number.isFinite(x)) return "–";
  if (!unit || x === 0 || /[\/²³]|^(kg|rad|1)/.test(unit)) return `${shown(x)}${unit ? ` ${unit}` : ""}`;
  if (Math.abs(x) < 1e-9) return `${shown(Number(x.toPrecision(3)))} ${unit}`;
  const [factor, letter] = PREFIXES.find(([size]) => Math.abs(x) >= size) ?? PREFIXES.at(-1);
  return `${shown(x / factor)} ${letter}${unit}`;
}
