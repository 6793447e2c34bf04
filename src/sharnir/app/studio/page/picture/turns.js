// Rotations as quaternions (w, x, y, z).

import { MathUtils, Quaternion, Vector3 } from "three";

const AXES = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];

// A rotation followed by turns about the body's own axes, in degrees.
export function turnedBy([w, x, y, z], degrees) {
  const q = new Quaternion(x, y, z, w);
  degrees.forEach((angle, k) => q.multiply(new Quaternion().setFromAxisAngle(AXES[k], MathUtils.degToRad(angle))));
  return [q.w, q.x, q.y, q.z];
}
