// The floor: a grid that fades into the distance, and a plane that only shows shadows; arrows along the axes of the world.

import {
  Color, ConeGeometry, CylinderGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3,
} from "three";
import { AXIS_COLORS } from "./theme.js";

const VERTEX = `
varying vec3 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

// Lines of constant width in pixels at every distance; fades where cells get smaller than pixels.
const FRAGMENT = `
uniform vec3 color; uniform float opacity; uniform float cell; uniform float reach; uniform vec3 middle;
varying vec3 place;
float lines(float width, float thickness) {
  vec2 c = place.xy / width;
  vec2 w = fwidth(c);
  vec2 d = abs(fract(c - 0.5) - 0.5) / w;
  vec2 fade = 1.0 - smoothstep(0.25, 0.6, w);
  vec2 a = (1.0 - smoothstep(thickness - 0.5, thickness + 0.5, d)) * fade;
  return max(a.x, a.y);
}
void main() {
  float far = 1.0 - smoothstep(0.15, 1.0, distance(place.xy, middle.xy) / reach);
  float a = max(0.45 * lines(cell, 0.6), lines(5.0 * cell, 0.9)) * far * opacity;
  if (a < 0.003) discard;
  gl_FragColor = vec4(color, a);
  #include <colorspace_fragment>
}`;

// A round length (1, 2 or 5 times a power of ten) near x.
export function roundLength(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5].reduce((best, m) => (Math.abs(m * power - x) < Math.abs(best * power - x) ? m : best), 10);
}

// `size` is what the eye sees at once, the box may be much larger.
export function makeGround(box, size) {
  const level = floorLevel(box, size);
  const whole = box.getSize(new Vector3()).length();
  const cell = roundLength(Math.max(size / 13, whole / 60));
  const reach = Math.max(2.1 * size, 1.4 * whole);
  const plane = new PlaneGeometry(1, 1);
  const grid = new Mesh(plane, new ShaderMaterial({
    vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, side: DoubleSide,
    uniforms: { color: { value: new Color() }, opacity: { value: 0.3 }, cell: { value: cell }, reach: { value: reach }, middle: { value: new Vector3() } },
  }));
  const shade = new Mesh(plane, new ShadowMaterial({ opacity: 0.25, depthWrite: false }));
  shade.receiveShadow = true;
  grid.renderOrder = -1;
  const center = box.getCenter(new Vector3());
  for (const mesh of [grid, shade]) {
    mesh.scale.setScalar(2.4 * reach);
    mesh.position.set(center.x, center.y, level);
  }
  grid.position.z -= 1e-3 * size;
  grid.material.uniforms.middle.value.copy(grid.position);
  const move = (x, y) => {
    for (const mesh of [grid, shade]) mesh.position.set(x, y, mesh.position.z);
    grid.material.uniforms.middle.value.copy(grid.position);
  };
  return { grid, shade, level, cell, move };
}

// Height zero if the motion stays above it and near it, else just below the lowest point.
function floorLevel(box, size) {
  const low = box.min.z;
  return low > -0.01 * size && low < 0.6 * size ? Math.min(0, low) : low - 0.04 * size;
}

export function makeAxes(length, thickness = 1) {
  const group = new Group();
  const r = 0.018 * length * thickness;
  const shaft = new CylinderGeometry(r, r, 0.84 * length, 16).translate(0, 0.42 * length, 0);
  const head = new ConeGeometry((3.2 * r) / thickness ** 0.5, 0.2 * length, 24).translate(0, 0.9 * length, 0);
  const directions = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };
  for (const [name, direction] of Object.entries(directions)) {
    const material = new MeshBasicMaterial({ color: AXIS_COLORS[name], toneMapped: false });
    const arrow = new Group();
    arrow.add(new Mesh(shaft, material), new Mesh(head, material));
    arrow.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), direction);
    group.add(arrow);
  }
  group.userData.tips = Object.entries(directions).map(([name, d]) => ({ name, point: d.clone().multiplyScalar(1.14 * length) }));
  return group;
}
