// Colours: the palette of bodies (results/figure.py has the same) and the light and dark looks.

export const PALETTE = ["#2f6fde", "#e8590c", "#2b9348", "#c2255c", "#7048e8", "#0c8599", "#b08900", "#868e96"];
export const AXIS_COLORS = { x: "#e03131", y: "#2f9e44", z: "#1c7ed6" };

export const LOOKS = {
  light: { edge: "#16202c", edgeOpacity: 0.55, grid: "#5c6b7d", gridOpacity: 0.34, shadow: 0.26, pin: "#8d99a6", still: "#a6b0bb", light: 2.2, sky: 0.8 },
  dark: { edge: "#05080c", edgeOpacity: 0.6, grid: "#8fa3ba", gridOpacity: 0.3, shadow: 0.5, pin: "#aab4bf", still: "#77828e", light: 2.0, sky: 0.6 },
};

// A colour for the k-th of `count` items that move; things that stand still are grey, long chains run through the hues.
export function itemColor(item, k, count) {
  if (item.color) return item.color;
  if (item.still) return "#9aa5b1";
  return count > 2 * PALETTE.length ? `hsl(${Math.round(215 + (165 * k) / (count - 1)) % 360}, 68%, 50%)` : PALETTE[k % PALETTE.length];
}
