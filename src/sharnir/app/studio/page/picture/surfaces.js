// What of a body's surface lies under the mouse where no point of inference is near: an edge, the axis of a cylinder, or a face.

import { Quaternion, Vector3 } from "three";

const ORIGIN = [0, 0, 0];
const REACH = 8; // pixels from an edge

// { name, place, axis } in the axes of the picture. `hit`: of a ray of three.js with the body's object; `pixels` (place) on the screen.
export function surfaceUnder(item, object, hit, ray, pixels, x, y) {
  const local = object.worldToLocal(hit.point.clone());
  const outward = hit.face ? hit.face.normal.clone().transformDirection(hit.object.matrixWorld) : null;
  for (const shape of item.shapes) {
    const found = shape.kind === "box" ? edgeUnder(shape, object, hit, ray, pixels, x, y) : axisAround(shape, local, outward, object);
    if (found) return found;
  }
  return { name: "face", place: hit.point.clone(), axis: outward };
}

// The edge of a box that is nearest to the mouse, if it is near enough.
function edgeUnder(shape, object, hit, ray, pixels, x, y) {
  let [best, least] = [null, REACH];
  for (const [start, end] of edges(shape)) {
    const [a, b] = [object.localToWorld(start.clone()), object.localToWorld(end.clone())];
    const place = new Vector3();
    ray.distanceSqToSegment(a, b, undefined, place);
    if (place.distanceTo(ray.origin) > 1.02 * hit.distance) continue; // it is on the other side
    const [px, py] = pixels(place);
    const distance = Math.hypot(px - x, py - y);
    if (distance < least) [best, least] = [{ name: "edge", place, axis: b.clone().sub(a).normalize() }, distance];
  }
  return best;
}

function edges({ size, center = ORIGIN, rotation }) {
  const turn = rotation ? new Quaternion(rotation[1], rotation[2], rotation[3], rotation[0]) : new Quaternion();
  const corner = (...signs) => new Vector3(...signs.map((sign, k) => 0.5 * sign * size[k])).applyQuaternion(turn).add(new Vector3(...center));
  const found = [];
  for (const a of [-1, 1]) for (const b of [-1, 1]) found.push([corner(-1, a, b), corner(1, a, b)], [corner(a, -1, b), corner(a, 1, b)], [corner(a, b, -1), corner(a, b, 1)]);
  return found;
}

// The axis of a cylinder or rod whose round side was hit: the point of the axis beside the hit.
function axisAround(shape, local, outward, object) {
  const line = lineOf(shape);
  if (!line || !outward) return null;
  const [origin, direction] = line;
  const along = object.localToWorld(origin.clone().add(direction)).sub(object.localToWorld(origin.clone())).normalize();
  if (Math.abs(along.dot(outward)) > 0.5) return null; // one of its ends
  const foot = origin.clone().addScaledVector(direction, local.clone().sub(origin).dot(direction));
  if (Math.abs(foot.distanceTo(local) - shape.radius) > 0.1 * shape.radius) return null; // another shape of the body
  return { name: "axis", place: object.localToWorld(foot), axis: along };
}

function lineOf(shape) {
  if (shape.kind === "rod" && shape.radius) return [new Vector3(...shape.start), new Vector3(...shape.end).sub(new Vector3(...shape.start)).normalize()];
  if (shape.kind !== "cylinder") return null;
  const { rotation, center = ORIGIN } = shape;
  const direction = new Vector3(...(shape.axis ?? [0, 0, 1])).normalize();
  if (rotation) direction.applyQuaternion(new Quaternion(rotation[1], rotation[2], rotation[3], rotation[0]));
  return [new Vector3(...center), direction];
}
