// Traces: the path of a body, faint as a whole and strong up to the present.

import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Quaternion, Vector3 } from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";

export class Traces {
  constructor(motion, objects) {
    Object.assign(this, { motion, objects, group: new Group(), lines: new Map() });
    this.count = Math.min(Math.max(2 * motion.times.length, 400), 4000);
  }

  path(k) {
    const numbers = [];
    const position = new Vector3();
    const rotation = new Quaternion();
    const point = new Vector3();
    const span = this.motion.end - this.motion.start;
    for (let f = 0; f <= this.count; f++) {
      this.motion.pose(k, this.motion.start + (span * f) / this.count, position, rotation);
      point.copy(this.objects[k].userData.handle).applyQuaternion(rotation).add(position);
      numbers.push(point.x, point.y, point.z);
    }
    return numbers;
  }

  show(k, on) {
    if (on === this.lines.has(k)) return;
    if (!on) {
      this.lines.get(k).forEach((line) => {
        line.geometry.dispose();
        this.group.remove(line);
      });
      this.lines.delete(k);
      return;
    }
    const numbers = this.path(k);
    const color = this.objects[k].userData.color;
    const whole = new BufferGeometry();
    whole.setAttribute("position", new BufferAttribute(new Float32Array(numbers), 3));
    const pair = [
      new Line(whole, new LineBasicMaterial({ color, opacity: 0.35, transparent: true, depthWrite: false })),
      new Line2(new LineGeometry().setPositions(numbers), new LineMaterial({ color, linewidth: 2.6 })),
    ];
    for (const line of pair) {
      line.frustumCulled = false;
      this.group.add(line);
    }
    this.lines.set(k, pair);
  }

  update(t) {
    const span = this.motion.end - this.motion.start;
    const past = span > 0 ? Math.round((this.count * (t - this.motion.start)) / span) : 0;
    for (const [, present] of this.lines.values()) present.geometry.instanceCount = past;
  }
}
