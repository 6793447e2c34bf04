// Colours of displacements: one table and one range for all flexible bodies, looked up for every pixel.

import { ClampToEdgeWrapping, Color, DataTexture, LinearFilter, SRGBColorSpace, Vector2 } from "three";

const WIDTH = 256;

// The colour at s = 0 … 1 between stops, as [r, g, b] of 0 … 255 (mixed as screens do).
export function colorAt(stops, s) {
  const x = Math.min(Math.max(s, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(x), stops.length - 2);
  const bytes = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const [a, b] = [bytes(stops[k]), bytes(stops[k + 1])];
  return a.map((c, i) => Math.round(c + (x - k) * (b[i] - c)));
}

function colorTable(stops) {
  const data = new Uint8Array(4 * WIDTH);
  for (let k = 0; k < WIDTH; k++) data.set([...colorAt(stops, k / (WIDTH - 1)), 255], 4 * k);
  const texture = new DataTexture(data, WIDTH, 1);
  Object.assign(texture, { colorSpace: SRGBColorSpace, minFilter: LinearFilter, magFilter: LinearFilter, wrapS: ClampToEdgeWrapping, needsUpdate: true });
  return texture;
}

// Numbers that all coloured materials share: the table, the range [m], and whether colours are on.
export function makeColoring(stops) {
  return { colorTable: { value: colorTable(stops) }, colorRange: { value: new Vector2(0, 1) }, colorOn: { value: 1 } };
}

// Let a material take its colour from the attribute `value`; `plain` is its colour when colours are off.
// A part of the colour shines by itself, so that shaded sides can still be compared with the legend.
export function colored(material, coloring, plain, glow = 0.45) {
  const own = { ...coloring, plainColor: { value: new Color(plain) }, glow: { value: glow } };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, own);
    shader.vertexShader = `attribute float value;\nvarying float vValue;\n${shader.vertexShader.replace("#include <begin_vertex>", "#include <begin_vertex>\nvValue = value;")}`;
    const head = "uniform sampler2D colorTable;\nuniform vec2 colorRange;\nuniform float colorOn;\nuniform vec3 plainColor;\nuniform float glow;\nvarying float vValue;\n";
    const look = `
      float part = clamp((vValue - colorRange.x) / max(colorRange.y - colorRange.x, 1e-30), 0.0, 1.0);
      vec3 mapped = texture2D(colorTable, vec2((part * ${WIDTH - 1}.0 + 0.5) / ${WIDTH}.0, 0.5)).rgb;
      diffuseColor.rgb = mix(plainColor, (1.0 - glow) * mapped, colorOn);`;
    const shine = "totalEmissiveRadiance += colorOn * glow * mapped;";
    shader.fragmentShader = head + shader.fragmentShader
      .replace("#include <color_fragment>", look)
      .replace("#include <emissivemap_fragment>", shine);
  };
  material.customProgramCacheKey = () => `displacement ${glow}`;
  return material;
}
