// Points of inference: corners, middles of edges, centres of faces and circles, ends of rods, centres of mass, joints, nodes.

import { Quaternion, Vector3 } from "three";

const ORIGIN = [0, 0, 0];

// Points of a shape in the axes of its body: name, place, and an axis where the shape has one.
export function shapePoints(shape) {
  if (shape.kind === "rod") {
    const middle = shape.start.map((x, k) => 0.5 * (x + shape.end[k]));
    return [["end", shape.start], ["end", shape.end], ["middle", middle]];
  }
  const turn = shape.rotation ? new Quaternion(shape.rotation[1], shape.rotation[2], shape.rotation[3], shape.rotation[0]) : null;
  const turned = (p) => {
    const v = new Vector3(...p);
    return turn ? v.applyQuaternion(turn) : v;
  };
  const place = (name, p, axis = null) => [name, turned(p).add(new Vector3(...(shape.center ?? ORIGIN))).toArray(), axis && turned(axis).toArray()];
  const found = [place("centre", ORIGIN)];
  if (shape.kind === "box") {
    const names = { 1: "centre of a face", 2: "middle of an edge", 3: "corner" };
    for (const x of [-0.5, 0, 0.5]) for (const y of [-0.5, 0, 0.5]) for (const z of [-0.5, 0, 0.5]) {
      const signs = [x, y, z];
      const count = signs.filter((c) => c !== 0).length;
      const axis = count === 1 ? signs.map((c) => Math.sign(c)) : count === 2 ? signs.map((c) => Number(c === 0)) : null;
      if (count) found.push(place(names[count], signs.map((c, k) => c * shape.size[k]), axis));
    }
  } else if (shape.kind === "cylinder") {
    const axis = new Vector3(...(shape.axis ?? [0, 0, 1])).normalize();
    for (const end of [-0.5, 0.5]) found.push(place("centre of a circle", axis.clone().multiplyScalar(end * shape.length).toArray(), axis.toArray()));
    found[0][2] = turned(axis.toArray()).toArray();
  } else if (shape.kind === "mesh" && shape.vertices.length < 200) for (const p of shape.vertices) found.push(place("corner", p));
  return found;
}

// All points of a picture in world axes: name, body, place, axis.
export function snapPoints(items, objects, joints, world) {
  const found = [];
  items.forEach((item, k) => {
    const object = objects[k];
    const add = (name, p, axis = null) => found.push({ name, body: item.name, local: p, place: object.localToWorld(new Vector3(...p)), axis: axis && new Vector3(...axis).applyQuaternion(object.quaternion).toArray() });
    for (const shape of item.shapes) for (const [name, p, axis] of shapePoints(shape)) add(name, p, axis);
    for (const p of item.lines.flat()) add("end", p);
    if (item.name !== "ground") add(item.name.includes(":") ? "node" : "origin", ORIGIN);
    if (item.com && !item.elastic) add("centre of mass", item.com);
  });
  for (const [name, joint] of Object.entries(joints ?? {})) {
    const k = items.findIndex((item) => item.name === joint.on);
    const object = k < 0 ? world : objects[k];
    const axis = joint.freedoms[0]?.axis;
    const moving = joint.parent === "ground" && joint.freedoms[0]?.kind === "translation"; // what slides along the ground is meant, not the ground
    found.push({ name: `joint ${name}`, body: moving ? joint.child : joint.parent, local: joint.at, place: object.localToWorld(new Vector3(...joint.at)), axis: axis ? new Vector3(...axis).applyQuaternion(k < 0 ? new Quaternion() : object.quaternion).toArray() : null });
  }
  return found;
}

const [REACH, HIDDEN] = [14, 4]; // pixels from a point that is in sight, and from one behind the surface under the mouse

// The point that is nearest to a place on the screen, within some pixels; nodes and bodies before the ground. `hit`: the surface there.
export function nearest(points, camera, width, height, x, y, hit = null) {
  const p = new Vector3();
  let best = null;
  let least = REACH;
  const sight = hit ? 1.02 * camera.position.distanceTo(hit) : Infinity;
  for (const point of points) {
    p.copy(point.place).project(camera);
    if (p.z > 1) continue;
    const preferred = point.name === "node" ? 2 : point.axis ? 0.5 : 0; // of several at one place
    const distance = Math.hypot(((p.x + 1) * width) / 2 - x, ((1 - p.y) * height) / 2 - y) - preferred;
    if (distance > HIDDEN && camera.position.distanceTo(point.place) > sight) continue;
    if (distance < least) [best, least] = [point, distance];
  }
  return best;
}
