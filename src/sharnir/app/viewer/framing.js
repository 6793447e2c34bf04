// Where to look from: the places the motion sweeps, the plane it stays in, and the camera that shows all of it.

import { Box3, Quaternion, Vector3 } from "three";

const FRAMES = 90;
const ORIGIN = [0, 0, 0];

const STEPS = [-1, 0, 1];
const DIRECTIONS = STEPS.flatMap((x) => STEPS.flatMap((y) => STEPS.map((z) => [x, y, z]))).filter((d) => d.some(Boolean));

// The vertices of a mesh; of many those that are farthest in 26 directions.
function enclosing(vertices) {
  if (vertices.length <= 50) return vertices;
  return DIRECTIONS.map(([x, y, z]) => vertices.reduce((best, p) => (x * p[0] + y * p[1] + z * p[2] > x * best[0] + y * best[1] + z * best[2] ? p : best)));
}

// Points, each with a radius around it, that enclose a shape, in the axes of its body.
export function shapePoints(shape) {
  const turn = shape.rotation ? new Quaternion(shape.rotation[1], shape.rotation[2], shape.rotation[3], shape.rotation[0]) : null;
  const place = (p, radius = 0) => {
    const v = new Vector3(...p);
    if (turn) v.applyQuaternion(turn);
    return { point: v.add(new Vector3(...(shape.center ?? ORIGIN))), radius };
  };
  const signs = [-0.5, 0.5];
  if (shape.kind === "rod") return [shape.start, shape.end].map((p) => ({ point: new Vector3(...p), radius: shape.radius ?? 0 }));
  if (shape.kind === "mesh") return enclosing(shape.vertices).map((p) => place(p));
  if (shape.kind === "box") return signs.flatMap((x) => signs.flatMap((y) => signs.map((z) => place([x * shape.size[0], y * shape.size[1], z * shape.size[2]]))));
  if (shape.kind === "sphere") return [place(ORIGIN, shape.radius)];
  const axis = new Vector3(...(shape.axis ?? [0, 0, 1])).normalize();
  const across = new Vector3(axis.z, axis.x, axis.y).cross(axis).normalize();
  return signs.flatMap((end) => [...Array(16).keys()].map((k) => {
    const rim = across.clone().applyAxisAngle(axis, (k * Math.PI) / 8).multiplyScalar(shape.radius);
    return place(rim.addScaledVector(axis, end * shape.length).toArray());
  }));
}

function itemPoints(item) {
  if (item.elastic) return []; // its nodes move: see `sweep`
  const points = item.shapes.flatMap(shapePoints);
  const bare = [...item.lines.flat(), ...item.pins.map(([p]) => p), ...(item.com ? [item.com] : [])];
  points.push(...bare.map((p) => ({ point: new Vector3(...p), radius: 0 })));
  if (!points.length && !item.still) points.push({ point: new Vector3(), radius: 0 });
  return points;
}

// Items that move freely while others are joined to something: they may leave, and the picture stays with the mechanism.
function freeItems(data, still) {
  const joined = new Set(data.items.flatMap((item) => (item.joined?.length ? [item.name, ...item.joined] : [])));
  const free = new Set([...data.items.keys()].filter((k) => !still(k) && !joined.has(data.items[k].name) && !data.items[k].elastic));
  const moving = data.items.filter((item, k) => !still(k)).length;
  return free.size < moving ? free : new Set();
}

// The places the whole motion sweeps, their box, and the largest extent at one moment of what moves (all after `turn`).
export function sweep(data, motion, turn, deformation) {
  const local = data.items.map(itemPoints);
  const index = new Map(data.items.map((item, k) => [item.name, k]));
  for (const { a, b, point_a, point_b } of data.springs) {
    local[index.get(a)].push({ point: new Vector3(...point_a), radius: 0 });
    local[index.get(b)].push({ point: new Vector3(...point_b), radius: 0 });
  }
  const total = local.reduce((n, points, k) => n + points.length + (deformation.frameRows?.[k]?.length ?? 0), 0);
  const count = Math.max(2, Math.min(FRAMES, motion.times.length, Math.ceil(40000 / Math.max(total, 1))));
  const places = [];
  const box = new Box3();
  let moment = 0;
  const still = (k) => data.items[k].still && !data.items[k].elastic;
  const alone = local.every((points, k) => still(k));
  const free = freeItems(data, still);
  const position = new Vector3();
  const rotation = new Quaternion();
  for (let f = 0; f < count; f++) {
    const now = new Box3(); // of what moves, which may leave the rest far behind
    const rest = new Box3();
    local.forEach((points, k) => {
      if (free.has(k) && f) return;
      const part = still(k) && !alone ? rest : now;
      const t = motion.start + ((motion.end - motion.start) * f) / (count - 1);
      motion.pose(k, t, position, rotation);
      const bent = data.items[k].elastic ? deformation.framePoints(k, t).map((point) => ({ point, radius: 0 })) : [];
      for (const { point, radius } of [...points, ...bent]) {
        const place = point.clone().applyQuaternion(rotation).add(position).applyQuaternion(turn);
        part.expandByPoint(place.clone().addScalar(radius)).expandByPoint(place.clone().addScalar(-radius));
        places.push({ place, radius });
      }
    });
    box.union(now).union(rest);
    if (!now.isEmpty()) moment = Math.max(moment, now.getSize(new Vector3()).length());
  }
  const home = box.clone().expandByScalar(0.5 * box.getSize(new Vector3()).length());
  for (const k of free) {
    for (let f = 1; f < count; f++) {
      motion.pose(k, motion.start + ((motion.end - motion.start) * f) / (count - 1), position, rotation);
      for (const { point, radius } of local[k]) {
        const place = point.clone().applyQuaternion(rotation).add(position).applyQuaternion(turn);
        if (!home.containsPoint(place)) continue;
        box.expandByPoint(place.clone().addScalar(radius)).expandByPoint(place.clone().addScalar(-radius));
        places.push({ place, radius });
      }
    }
  }
  if (box.isEmpty() || box.getSize(position).length() === 0) {
    box.expandByPoint(new Vector3()).expandByScalar(0.5);
    places.push({ place: box.getCenter(new Vector3()), radius: 0.5 });
  }
  return { places, box, moment };
}

// Whether every body only moves along, and turns about, the plane normal to an axis (after `turn`).
function staysInPlane(axis, data, motion, turn, size) {
  const position = new Vector3();
  const rotation = new Quaternion();
  const normal = new Vector3();
  for (let k = 0; k < data.items.length; k++) {
    if (data.items[k].still) continue;
    let height = null;
    let inBody = null;
    for (let f = 0; f < 24; f++) {
      motion.pose(k, motion.start + ((motion.end - motion.start) * f) / 23, position, rotation);
      position.applyQuaternion(turn);
      rotation.premultiply(turn);
      height ??= position.dot(axis);
      inBody ??= axis.clone().applyQuaternion(rotation.clone().invert());
      if (Math.abs(position.dot(axis) - height) > 2e-3 * size) return false;
      if (normal.copy(inBody).applyQuaternion(rotation).dot(axis) < 0.9995) return false;
    }
  }
  return true;
}

// Whether flexible bodies are flat seen along an axis, and deform across it only.
function bendsInPlane(axis, data, motion, turn, deformation) {
  const rotation = new Quaternion();
  return data.items.every((item, k) => {
    if (!item.elastic) return true;
    motion.pose(k, motion.start, new Vector3(), rotation);
    rotation.premultiply(turn);
    const extents = (t) => {
      const box = new Box3().setFromPoints(deformation.framePoints(k, t).map((p) => p.applyQuaternion(rotation)));
      const size = box.getSize(new Vector3());
      return { along: Math.abs(size.dot(axis)), across: size.length() };
    };
    return [0, 0.25, 0.5, 0.75, 1].every((s) => {
      const { along, across } = extents(motion.start + s * (motion.end - motion.start));
      return along < 0.05 * across;
    });
  });
}

// The direction from the scene to the camera: nearly in front of a plane mechanism, oblique for a spatial one.
export function viewDirection(data, motion, turn, size, deformation) {
  const plane = (x, y, z) => {
    const axis = new Vector3(x, y, z);
    return staysInPlane(axis, data, motion, turn, size) && bendsInPlane(axis, data, motion, turn, deformation);
  };
  const moves = motion.times.length > 1 && data.items.some((item) => !item.still || item.elastic);
  if (moves && plane(0, 1, 0)) return new Vector3(0.26, -1, 0.2);
  if (moves && plane(1, 0, 0)) return new Vector3(1, 0.26, 0.2);
  if (moves && plane(0, 0, 1)) return new Vector3(0.25, -0.8, 1.1);
  return new Vector3(0.62, -1, 0.46);
}

// Put the camera so that all places fill the free part of the window (insets in pixels).
// In camera axes (x right, y up, z back) a place is inside the right plane if x + w z <= cx + w d, and so on.
export function fit(camera, controls, places, direction, window, insets) {
  const back = direction.clone().normalize();
  const right = new Vector3().crossVectors(camera.up, back).normalize();
  const above = new Vector3().crossVectors(back, right);
  const half = Math.tan((camera.fov * Math.PI) / 360);
  const tall = 0.87 * half * Math.max(1 - (insets.top + insets.bottom) / window.height, 0.3);
  const wide = (0.87 * half * Math.max(window.width - insets.left - (insets.right ?? 0), 0.3 * window.width)) / window.height;
  const most = { left: -Infinity, right: -Infinity, up: -Infinity, down: -Infinity, near: -Infinity, far: Infinity };
  for (const { place, radius } of places) {
    const [x, y, z] = [place.dot(right), place.dot(above), place.dot(back)];
    const [rx, ry] = [radius * Math.hypot(1, wide), radius * Math.hypot(1, tall)];
    most.right = Math.max(most.right, x + wide * z + rx);
    most.left = Math.max(most.left, -x + wide * z + rx);
    most.up = Math.max(most.up, y + tall * z + ry);
    most.down = Math.max(most.down, -y + tall * z + ry);
    [most.near, most.far] = [Math.max(most.near, z + radius), Math.min(most.far, z - radius)];
  }
  const depth = Math.max((most.right + most.left) / (2 * wide), (most.up + most.down) / (2 * tall));
  const eye = right.multiplyScalar((most.right - most.left) / 2).addScaledVector(above, (most.up - most.down) / 2);
  controls.target.copy(eye).addScaledVector(back, (most.near + most.far) / 2);
  camera.position.copy(eye).addScaledVector(back, depth);
  controls.update();
}
