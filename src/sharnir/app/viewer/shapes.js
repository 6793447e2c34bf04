// Geometry of the shapes a body may have, and thin lines on them that make edges and rotation visible.

import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, EdgesGeometry, Group, LineSegments, Mesh,
  Quaternion, SphereGeometry, Vector3,
} from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { floats, integers } from "./motion.js";

const FACETS = 100; // meshes with more triangles are shaded smoothly, but at edges of more than 30 degrees
const Y = new Vector3(0, 1, 0); // the axis of three's cylinders
const cache = new Map();

// Geometry is shared between equal shapes: a chain of a thousand rods needs one.
function shared(key, make) {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key);
}

function lineGeometry(numbers) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(numbers), 3));
  return geometry;
}

function circle(radius, height, place, count = 64) {
  const numbers = [];
  for (let k = 0; k < count; k++) {
    for (const a of [k, k + 1]) numbers.push(...place((2 * Math.PI * a) / count, radius, height));
  }
  return numbers;
}

const around = {
  x: (a, r, h) => [h, r * Math.cos(a), r * Math.sin(a)],
  y: (a, r, h) => [r * Math.cos(a), h, r * Math.sin(a)],
  z: (a, r, h) => [r * Math.cos(a), r * Math.sin(a), h],
};

// Rims, and a cross on both ends, so that one sees a wheel turn.
function cylinderLines(radius, length) {
  const numbers = [];
  for (const end of [-0.501 * length, 0.501 * length]) {
    numbers.push(...circle(1.001 * radius, end, around.y), -radius, end, 0, radius, end, 0, 0, end, -radius, 0, end, radius);
  }
  return lineGeometry(numbers);
}

function sphereLines(radius) {
  return lineGeometry(["x", "y", "z"].flatMap((axis) => circle(1.002 * radius, 0, around[axis])));
}

// Meshes travel once, as bytes; in their places items have numbers of rows.
export function withMeshes(items, meshes) {
  const rows = (numbers) => Array.from({ length: numbers.length / 3 }, (_, k) => [...numbers.subarray(3 * k, 3 * k + 3)]);
  const found = (meshes ?? []).map(({ vertices, faces }) => ({
    vertices: rows(floats(vertices)),
    faces: rows(integers(faces)),
  }));
  const filled = ({ mesh, ...shape }) => (mesh === undefined ? shape : { ...shape, ...found[mesh] });
  return items.map((item) => ({ ...item, shapes: item.shapes.map(filled) }));
}

function meshGeometry(shape) {
  const geometry = lineGeometry(shape.vertices.flat());
  const triangles = shape.faces.flatMap((f) => f.slice(2).flatMap((_, k) => [f[0], f[k + 1], f[k + 2]]));
  geometry.setIndex(triangles);
  if (shape.faces.length > FACETS) return toCreasedNormals(geometry, Math.PI / 6);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

// Surface and lines of each kind, in the shape's own axes.
const KINDS = {
  box: ({ size }) => {
    const surface = new BoxGeometry(...size);
    return { surface, lines: new EdgesGeometry(surface) };
  },
  cylinder: ({ radius, length }) => ({
    surface: new CylinderGeometry(radius, radius, length, 64),
    lines: cylinderLines(radius, length),
  }),
  sphere: ({ radius }) => ({ surface: new SphereGeometry(radius, 48, 32), lines: sphereLines(radius) }),
  capsule: ({ radius, length }) => ({ surface: new CapsuleGeometry(radius, length, 8, 24), lines: null }),
  mesh: (shape) => {
    const surface = meshGeometry(shape);
    return { surface, lines: shape.faces.length > FACETS ? null : new EdgesGeometry(surface, 25) };
  },
};

export function solid(kind, numbers, materials) {
  const key = kind === "mesh" ? numbers : `${kind} ${JSON.stringify(Object.values(numbers))}`;
  const { surface, lines } = shared(key, () => KINDS[kind](numbers));
  const group = new Group();
  const mesh = new Mesh(surface, materials.surface);
  mesh.castShadow = mesh.receiveShadow = true;
  group.add(mesh);
  if (lines) group.add(new LineSegments(lines, materials.edge));
  return group;
}

// A bar with round ends between two points.
export function bar(start, end, radius, materials) {
  const a = new Vector3(...start);
  const b = new Vector3(...end);
  const group = solid("capsule", { radius, length: a.distanceTo(b) }, materials);
  group.position.copy(a).add(b).multiplyScalar(0.5);
  group.quaternion.setFromUnitVectors(Y, b.sub(a).normalize());
  return group;
}

// A cylinder along an axis.
export function pin(center, axis, radius, length, materials) {
  const group = solid("cylinder", { radius, length }, materials);
  group.position.set(...center);
  group.quaternion.setFromUnitVectors(Y, new Vector3(...axis).normalize());
  return group;
}

// A shape of the scene, placed in the axes of its body.
export function shapeObject(shape, size, materials) {
  if (shape.kind === "rod") {
    const length = Math.hypot(...shape.end.map((c, k) => c - shape.start[k]));
    return bar(shape.start, shape.end, shape.radius ?? Math.min(0.06 * length, 0.012 * size), materials);
  }
  const { kind, center, rotation, axis, color, ...numbers } = shape;
  const group = solid(kind, kind === "mesh" ? shape : numbers, materials);
  if (kind === "cylinder") group.quaternion.setFromUnitVectors(Y, new Vector3(...(axis ?? [0, 0, 1])).normalize());
  if (rotation) group.quaternion.premultiply(new Quaternion(rotation[1], rotation[2], rotation[3], rotation[0]).normalize());
  if (center) group.position.set(...center);
  return group;
}
