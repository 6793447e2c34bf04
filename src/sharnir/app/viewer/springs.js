// Springs: a coil drawn once at its first length and stretched between its two ends.

import { Curve, Group, Mesh, MeshStandardMaterial, TubeGeometry, Vector3 } from "three";

const COILS = 9;
const LEAD = 0.1; // straight part at each end
const Z = new Vector3(0, 0, 1);

class Coil extends Curve {
  constructor(radius, length) {
    super();
    Object.assign(this, { radius, length });
  }

  getPoint(s, target = new Vector3()) {
    const u = Math.min(Math.max((s - LEAD) / (1 - 2 * LEAD), 0), 1);
    const swell = this.radius * Math.min(1, 14 * u, 14 * (1 - u));
    const angle = 2 * Math.PI * COILS * u;
    return target.set(swell * Math.cos(angle), swell * Math.sin(angle), s * this.length);
  }
}

export class Springs {
  constructor(data, size) {
    this.group = new Group();
    this.size = size;
    const index = new Map(data.items.map((item, k) => [item.name, k]));
    this.parts = data.springs.map((spring) => ({
      a: index.get(spring.a), b: index.get(spring.b), color: spring.color ?? "#7d8a97", mesh: null,
      pa: new Vector3(...spring.point_a), pb: new Vector3(...spring.point_b),
    }));
  }

  draw(part, length) {
    const material = new MeshStandardMaterial({ color: part.color, metalness: 0.45, roughness: 0.38 });
    part.length = length;
    part.mesh = new Mesh(new TubeGeometry(new Coil(0.019 * this.size, length), 26 * COILS, 0.0034 * this.size, 8), material);
    part.mesh.castShadow = true;
    this.group.add(part.mesh);
  }

  // Follow the bodies; call after their poses are set.
  update(objects) {
    const p = new Vector3();
    const q = new Vector3();
    for (const part of this.parts) {
      p.copy(part.pa).applyQuaternion(objects[part.a].quaternion).add(objects[part.a].position);
      q.copy(part.pb).applyQuaternion(objects[part.b].quaternion).add(objects[part.b].position).sub(p);
      const length = q.length();
      if (!part.mesh) this.draw(part, length || 0.2 * this.size);
      part.mesh.visible = length > 0;
      if (length === 0) continue;
      part.mesh.position.copy(p);
      part.mesh.quaternion.setFromUnitVectors(Z, q.divideScalar(length));
      part.mesh.scale.set(1, 1, length / part.length);
    }
  }
}
