// The grid of the plane in which bars are drawn: lines where points snap, stronger at every fifth one.

import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Quaternion, Vector3 } from "three";

const HALF = 50; // lines on each side
const Z = new Vector3(0, 0, 1);
const NORMALS = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: Z };

export class PlaneGrid {
  constructor(scene) {
    this.fine = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.16, depthWrite: false }));
    this.strong = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.4, depthWrite: false }));
    this.group = new Group().add(this.fine, this.strong);
    this.group.visible = false;
    scene.add(this.group);
  }

  // Show the plane with a normal of the drawing's axes, which `turn` puts into the picture's; null hides it.
  show(normal, turn, cell, size, look) {
    this.group.visible = normal !== null;
    if (normal === null) return;
    const count = Math.min(HALF, Math.ceil((1.5 * size) / cell));
    const lines = (wanted) => {
      const points = [];
      for (let k = -count; k <= count; k++) if (wanted(k)) points.push(-count, k, 0, count, k, 0, k, -count, 0, k, count, 0);
      return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(points.map((x) => x * cell)), 3));
    };
    for (const [mesh, wanted] of [[this.fine, (k) => k % 5 !== 0], [this.strong, (k) => k % 5 === 0]]) {
      mesh.geometry.dispose();
      mesh.geometry = lines(wanted);
      mesh.material.color.set(look.grid);
    }
    this.group.quaternion.copy(turn).multiply(new Quaternion().setFromUnitVectors(Z, NORMALS[normal]));
  }
}
