// Bodies: their shapes, or a stick figure of bars, pins and a ball at the centre of mass.

import { Color, ConeGeometry, Group, LineBasicMaterial, Mesh, MeshStandardMaterial, Vector3 } from "three";
import { bar, pin, shapeObject, solid } from "./shapes.js";
import { itemColor } from "./theme.js";

const surfaces = new Map();

function surface(color, metal = 0.08, rough = 0.46) {
  const key = `${color} ${metal}`;
  if (!surfaces.has(key)) {
    surfaces.set(key, new MeshStandardMaterial({ color: new Color(color), metalness: metal, roughness: rough, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
  }
  return surfaces.get(key);
}

export const edge = new LineBasicMaterial({ transparent: true, depthWrite: false });
export const pinSurface = surface("pin", 0.35, 0.38);
export const stillSurface = surface("still", 0.05, 0.7);

const longest = (item) => Math.max(0, ...item.lines.map(([p, q]) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])));

// Radius of sticks: from the whole scene, but slender for short sticks, and never invisible.
function stickRadius(item, size) {
  const length = longest(item) || size;
  return Math.min(Math.max(0.1 * length, 0.0035 * size), 0.0115 * size);
}

function stickFigure(item, r, size, materials) {
  const group = new Group();
  const ends = [];
  for (const [p, q] of item.lines) {
    const length = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    if (length > 0) group.add(bar(p, q, r, materials));
    ends.push(p, q);
  }
  const center = item.com ?? (item.lines.length ? null : [0, 0, 0]);
  if (center && !item.still && item.name !== "ground") {
    // a centre of mass at the end of a stick is the bob of a pendulum
    const atEnd = ends.length === 0 || ends.some((p) => Math.hypot(...p.map((c, k) => c - center[k])) < 1e-9 * size);
    if (atEnd) {
      const ball = solid("sphere", { radius: 2.6 * r }, materials);
      ball.position.set(...center);
      group.add(ball);
    }
  }
  return group;
}

// The textbook sign of a fixed support: a pyramid below the pin, at its end behind the mechanism.
function support(point, axis, frame, r, materials) {
  const { up, view } = frame;
  const group = new Group();
  const apex = new Vector3(...point);
  if (axis && Math.abs(new Vector3(...axis).normalize().dot(up)) < 0.9) {
    const away = new Vector3(...axis).normalize();
    if (away.dot(view) > 0) away.negate();
    group.add(pin(apex.clone().addScaledVector(away, 1.6 * r).toArray(), axis, 1.3 * r, 8.4 * r, materials));
    apex.addScaledVector(away, 4.4 * r);
  } else group.add(joint(point, axis, r, materials));
  const cone = new Mesh(new ConeGeometry(4.6 * r, 6.2 * r, 4), stillSurface);
  cone.castShadow = cone.receiveShadow = true;
  cone.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), up);
  cone.rotateY(Math.PI / 4);
  cone.position.copy(apex).addScaledVector(up, -2.6 * r);
  return group.add(cone);
}

// A pin for a joint with an axis, a ball for one without.
function joint(point, axis, r, materials) {
  if (axis) return pin(point, axis, 1.3 * r, 5.2 * r, materials);
  const ball = solid("sphere", { radius: 1.7 * r }, materials);
  ball.position.set(...point);
  return ball;
}

// The object of one item, the k-th of `count` that move; `frame` holds the upward axis and the direction
// to the first camera, in the scene's axes; `isMark`: an interface node of a flexible body.
export function bodyObject(item, k, count, size, frame, isMark) {
  const group = new Group();
  const color = isMark ? "#8d99a6" : itemColor(item, k, count);
  const r = isMark ? 0.0075 * size : stickRadius(item, size);
  const body = item.still && !item.color ? stillSurface : surface(color);
  for (const shape of item.shapes) {
    group.add(shapeObject(shape, size, { surface: shape.color ? surface(shape.color) : body, edge }));
  }
  if (isMark) group.add(interfaceMark(size));
  else if (!item.shapes.length && !item.elastic && item.drawn !== false) group.add(stickFigure(item, r, size, { surface: body, edge }));
  // pins would hide links that are shorter than they are
  const pins = item.lines.length && longest(item) < 6 * r ? [] : item.pins;
  for (const [point, axis] of pins) {
    const materials = { surface: pinSurface, edge };
    group.add(item.still && !item.shapes.length ? support(point, axis, frame, r, materials) : joint(point, axis, r, materials));
  }
  group.userData = { name: item.name, color, handle: handle(item) };
  return group;
}

// An interface node: a small ball, grey, as colours belong to displacements.
function interfaceMark(size) {
  return solid("sphere", { radius: 0.0105 * size }, { surface: pinSurface, edge });
}

// The point of a body that labels and traces follow: centre of mass, else the end of the longest stick, else the origin.
function handle(item) {
  if (item.com) return new Vector3(...item.com);
  let best = new Vector3();
  for (const point of item.lines.flat()) {
    const v = new Vector3(...point);
    if (v.length() > best.length()) best = v;
  }
  if (best.length() === 0 && item.shapes[0]?.center) best.set(...item.shapes[0].center);
  return best;
}
