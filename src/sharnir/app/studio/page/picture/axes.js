// Axes that follow from what the mouse points at: of faces, edges and cylinders, and of joints that are turned by hand.

import { Plane, Vector3 } from "three";

const LETTERS = [["x", [1, 0, 0]], ["y", [0, 1, 0]], ["z", [0, 0, 1]]];

// "x", "-z" … if a direction is one of them, else three numbers.
export function axisWord(axis) {
  const length = Math.hypot(...axis);
  for (const [letter, unit] of LETTERS) {
    const along = unit.reduce((sum, x, k) => sum + x * axis[k], 0) / length;
    if (Math.abs(Math.abs(along) - 1) < 1e-9) return letter;
  }
  return axis.map((x) => Number((x / length).toFixed(9)));
}

// The letter of the axis that a direction is nearest to.
export function nearestLetter(direction) {
  const k = direction.map(Math.abs).indexOf(Math.max(...direction.map(Math.abs)));
  return LETTERS[k][1];
}

// How far the first freedom of a joint is turned or moved while the mouse moves: a function of the event.
export function jointTurn(picture, name, event) {
  const [joint, mark] = [picture.joints[name], picture.marks.get(name)];
  const freedom = joint?.freedoms[0];
  if (!freedom || !mark) return null;
  const place = mark.getWorldPosition(new Vector3());
  const axis = new Vector3(...freedom.axis).transformDirection(mark.parent.matrixWorld);
  if (freedom.kind === "translation") {
    const along = (one) => nearestOnLine(picture.ray(one).ray.ray, place, axis);
    const first = along(event);
    return (one) => along(one) - first;
  }
  const plane = new Plane().setFromNormalAndCoplanarPoint(axis, place);
  const side = new Vector3(0, 0, 1).cross(axis).lengthSq() < 1e-6 ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1).cross(axis).normalize();
  const other = axis.clone().cross(side);
  let last = null;
  let sum = 0;
  const angle = (one) => {
    const hit = picture.ray(one).ray.ray.intersectPlane(plane, new Vector3());
    if (!hit) return last ?? 0;
    hit.sub(place);
    return Math.atan2(hit.dot(other), hit.dot(side));
  };
  return (one) => {
    const now = angle(one);
    if (last !== null) sum += Math.atan2(Math.sin(now - last), Math.cos(now - last));
    last = now;
    return sum;
  };
}

// The parameter of the point of a line that is nearest to a ray.
function nearestOnLine(ray, place, axis) {
  const w = ray.origin.clone().sub(place);
  const [b, d, e] = [ray.direction.dot(axis), ray.direction.dot(w), axis.dot(w)];
  const denominator = 1 - b * b;
  return denominator < 1e-9 ? e : (e - b * d) / denominator;
}
