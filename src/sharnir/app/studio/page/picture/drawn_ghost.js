// Where bodies were drawn before the assembly moved them: translucent copies, and arrows to where they are now.

import { ArrowHelper, Group, MeshBasicMaterial, Vector3 } from "three";
import { bodyObject } from "../../../viewer/bodies.js";

const COLOR = "#e8590c";
const DRAWN = new MeshBasicMaterial({ color: COLOR, transparent: true, opacity: 0.28, depthWrite: false, toneMapped: false });
const LEAST = 0.004; // length of an arrow, part of the size of the mechanism

// `poses`: where the moved bodies were drawn; `objects`: the bodies where they are.
export function drawnGhost(items, objects, poses, size, frame) {
  const group = new Group();
  items.forEach((item, k) => {
    const pose = poses[item.name];
    if (!pose) return;
    const copy = bodyObject(item, 0, 1, size, frame, false);
    copy.traverse((o) => {
      if (o.isMesh) Object.assign(o, { material: DRAWN, castShadow: false, receiveShadow: false });
      if (o.isLineSegments) o.visible = false;
    });
    copy.position.set(pose[0], pose[1], pose[2]);
    copy.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
    const com = new Vector3(...(item.com ?? [0, 0, 0]));
    const [from, to] = [copy, objects[k]].map((o) => com.clone().applyQuaternion(o.quaternion).add(o.position));
    const way = to.clone().sub(from);
    const length = way.length();
    group.add(copy);
    if (length > LEAST * size) {
      const arrow = new ArrowHelper(way.normalize(), from, length, COLOR, Math.min(0.03 * size, 0.5 * length), Math.min(0.018 * size, 0.3 * length));
      for (const part of [arrow.line, arrow.cone]) Object.assign(part.material, { depthTest: false, transparent: true, toneMapped: false });
      arrow.traverse((o) => (o.renderOrder = 6));
      group.add(arrow);
    }
  });
  return group;
}
