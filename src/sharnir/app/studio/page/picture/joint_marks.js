// Signs of joints: a ring for a rotation, an arrow for a translation, a ball where all directions are free; below those that hold
// something to the ground the textbook's sign of a support.

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, SphereGeometry, TorusGeometry, Vector3 } from "three";
import { stillSurface } from "../../../viewer/bodies.js";

const DOWN = 0.95; // from the joint to the middle of its support, in radii of its ring
const Y = new Vector3(0, 1, 0);
const Z = new Vector3(0, 0, 1);
const COLOR = "#f08c00";

// `up`: the upward direction in the axes of what the sign stands on.
export function jointMark(joint, size, up) {
  const group = new Group();
  const r = 0.028 * size;
  const material = new MeshBasicMaterial({ color: COLOR, toneMapped: false, depthTest: false, transparent: true, opacity: 0.85 });
  const add = (geometry, from, axis) => {
    const mesh = new Mesh(geometry, material);
    mesh.renderOrder = 5;
    if (axis) mesh.quaternion.setFromUnitVectors(from, new Vector3(...axis).normalize());
    group.add(mesh);
    return mesh;
  };
  for (const { kind, axis } of joint.freedoms) {
    if (kind !== "translation") add(new TorusGeometry(r, 0.12 * r, 8, 40), Z, axis);
    if (kind !== "rotation") {
      add(new CylinderGeometry(0.09 * r, 0.09 * r, 3 * r, 8), Y, axis);
      for (const sign of [1, -1]) {
        const head = add(new ConeGeometry(0.32 * r, 0.8 * r, 16), Y, axis.map((x) => sign * x));
        head.position.set(...axis).normalize().multiplyScalar(sign * 1.8 * r);
      }
    }
  }
  if (!joint.freedoms.length) add(new SphereGeometry((joint.kind === "Fixed" ? 0.35 : 0.6) * r, 24, 16));
  if (joint.on === "ground" && joint.freedoms.length && joint.freedoms.every(({ kind }) => kind === "rotation")) group.add(support(0.85 * r, up));
  return group;
}

// A pyramid whose tip is in the joint.
function support(r, up) {
  const mesh = new Mesh(new ConeGeometry(1.1 * r, 1.7 * r, 4).rotateY(Math.PI / 4), stillSurface);
  mesh.quaternion.setFromUnitVectors(Y, up);
  mesh.position.copy(up).multiplyScalar(-DOWN * r);
  return mesh;
}
