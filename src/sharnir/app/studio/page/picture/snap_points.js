// Points of inference: corners, middles of edges, centres of faces and circles, ends of rods, centres of mass, joints, the grid.

import { Quaternion, Vector3 } from "three";

const ORIGIN = [0, 0, 0];

// Points of a shape in the axes of its body, each with a name.
export function shapePoints(shape) {
  if (shape.kind === "rod") {
    const middle = shape.start.map((x, k) => 0.5 * (x + shape.end[k]));
    return [["end", shape.start], ["end", shape.end], ["middle", middle]];
  }
  const turn = shape.rotation ? new Quaternion(shape.rotation[1], shape.rotation[2], shape.rotation[3], shape.rotation[0]) : null;
  const place = (name, p) => {
    const v = new Vector3(...p);
    if (turn) v.applyQuaternion(turn);
    return [name, v.add(new Vector3(...(shape.center ?? ORIGIN))).toArray()];
  };
  const found = [place("centre", ORIGIN)];
  if (shape.kind === "box") {
    const names = { 1: "centre of a face", 2: "middle of an edge", 3: "corner" };
    for (const x of [-0.5, 0, 0.5]) for (const y of [-0.5, 0, 0.5]) for (const z of [-0.5, 0, 0.5]) {
      const count = [x, y, z].filter((c) => c !== 0).length;
      if (count) found.push(place(names[count], [x * shape.size[0], y * shape.size[1], z * shape.size[2]]));
    }
  } else if (shape.kind === "cylinder") {
    const axis = new Vector3(...(shape.axis ?? [0, 0, 1])).normalize();
    for (const end of [-0.5, 0.5]) found.push(place("centre of a circle", axis.clone().multiplyScalar(end * shape.length).toArray()));
  }
  return found;
}

// All points of a picture in world axes: name, body, place.
export function snapPoints(items, objects, joints, world) {
  const found = [];
  items.forEach((item, k) => {
    const object = objects[k];
    const add = (name, p) => found.push({ name, body: item.name, local: p, place: object.localToWorld(new Vector3(...p)) });
    for (const shape of item.shapes) for (const [name, p] of shapePoints(shape)) add(name, p);
    for (const p of item.lines.flat()) add("end", p);
    if (item.name !== "ground") add("origin", ORIGIN);
    if (item.com) add("centre of mass", item.com);
  });
  for (const [name, joint] of Object.entries(joints ?? {})) {
    const k = items.findIndex((item) => item.name === joint.parent);
    const object = k < 0 ? world : objects[k];
    found.push({ name: `joint ${name}`, body: joint.parent, local: joint.at, place: object.localToWorld(new Vector3(...joint.at)) });
  }
  return found;
}

// The point that is nearest to a place on the screen, within some pixels.
export function nearest(points, camera, width, height, x, y, reach = 14) {
  const p = new Vector3();
  let best = null;
  let least = reach;
  for (const point of points) {
    p.copy(point.place).project(camera);
    if (p.z > 1) continue;
    const distance = Math.hypot(((p.x + 1) * width) / 2 - x, ((1 - p.y) * height) / 2 - y);
    if (distance < least) [best, least] = [point, distance];
  }
  return best;
}
