// The outline of what is selected, a few pixels wide at every distance: the back faces of a surface, pushed outward on the screen.

import { BackSide, BufferAttribute, Color, Mesh, ShaderMaterial, Vector2 } from "three";

const FINE = 60000; // vertices above which the normals of the surface are taken as they are

const VERTEX = `
attribute vec3 outward; uniform vec2 size; uniform float width;
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  vec2 aside = (projectionMatrix * vec4(normalMatrix * outward, 0.0)).xy * size;
  if (dot(aside, aside) > 0.0) gl_Position.xy += normalize(aside) * 2.0 * width / size * gl_Position.w;
}`;
const FRAGMENT = `
uniform vec3 color;
void main() {
  gl_FragColor = vec4(color, 1.0);
  #include <colorspace_fragment>
}`;

const MATERIAL = new ShaderMaterial({
  vertexShader: VERTEX, fragmentShader: FRAGMENT, side: BackSide, toneMapped: false,
  uniforms: { color: { value: new Color("#ff8800") }, size: { value: new Vector2(1, 1) }, width: { value: 2.5 } },
});

export const outlineSize = (width, height) => MATERIAL.uniforms.size.value.set(width, height);

export function outlineOf({ geometry }) {
  if (!geometry.attributes.outward) geometry.setAttribute("outward", outward(geometry));
  const outline = new Mesh(geometry, MATERIAL);
  outline.raycast = () => null;
  return outline;
}

// Normals that are one at each corner: those of the faces that meet there, added up, so that the outline of a box has no gaps.
function outward({ attributes: { position, normal } }) {
  if (position.count > FINE) return normal;
  const sums = new Map();
  const keys = Array.from({ length: position.count }, (_, k) => [position.getX(k), position.getY(k), position.getZ(k)].map((x) => x.toPrecision(5)).join());
  keys.forEach((key, k) => {
    const sum = sums.get(key) ?? [0, 0, 0];
    [normal.getX(k), normal.getY(k), normal.getZ(k)].forEach((x, c) => (sum[c] += x));
    sums.set(key, sum);
  });
  return new BufferAttribute(new Float32Array(keys.flatMap((key) => sums.get(key))), 3);
}
