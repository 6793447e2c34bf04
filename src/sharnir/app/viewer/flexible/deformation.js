// All flexible bodies of a scene: their common range of colours, how much larger deformations are drawn, the undeformed ghosts.

import { Quaternion, Vector3 } from "three";
import { makeColoring } from "./coloring.js";
import { COMPONENTS, ElasticBody, ElasticShape } from "./elastic.js";

export const LARGEST = 1000;

export class Deformation {
  constructor(data, motion) {
    Object.assign(this, { data, motion, bodies: [], component: "magnitude", scale: data.displacement?.scale ?? 1, colors: true, ghost: false });
    this.active = Boolean(data.displacement);
    if (!this.active) return;
    this.shapes = data.items.map((item) => item.elastic && new ElasticShape(item.elastic));
    this.coloring = makeColoring(data.displacement.colors);
    this.frameRows = this.shapes.map((shape) => shape?.outermost());
    this.setComponent(this.component);
  }

  // The nodes of an item that have names of their own: [number of the flexible item, row].
  mark(name) {
    if (!this.active) return null;
    for (const [k, shape] of this.shapes.entries()) if (shape && Object.hasOwn(shape.marks, name)) return [k, shape.marks[name]];
    return null;
  }

  // Put a body's surface, tubes or points into its group.
  addBody(k, group, size, edge) {
    const body = new ElasticBody(this.shapes[k], size, this.coloring, group.userData.color, edge);
    group.add(body.group);
    this.bodies.push(Object.assign(body, { item: k, name: this.data.items[k].name }));
  }

  // Places of some nodes of an item at time t, in its axes: what framing needs.
  framePoints(k, t) {
    const shape = this.shapes[k];
    const w = this.motion.coordinates(k, t);
    return this.frameRows[k].map((row) => shape.modes.reduce((place, mode, i) => {
      const x = this.scale * w[i];
      return place.set(place.x + x * mode[3 * row], place.y + x * mode[3 * row + 1], place.z + x * mode[3 * row + 2]);
    }, new Vector3(...shape.nodes.subarray(3 * row, 3 * row + 3))));
  }

  get range() {
    return this.data.displacement.ranges[this.component];
  }

  setComponent(name) {
    this.component = name;
    this.coloring.colorRange.value.set(...this.range);
    this.shown = null;
  }

  nextComponent() {
    this.setComponent(COMPONENTS[(COMPONENTS.indexOf(this.component) + 1) % COMPONENTS.length]);
  }

  setScale(scale) {
    if (!(scale > 0 && Number.isFinite(scale))) return;
    this.scale = scale;
    this.shown = null;
  }

  // One step of 1, 2, 5, 10 … up or down, within 1 … 1000.
  step(direction) {
    const steps = [0, 1, 2, 3].flatMap((p) => [1, 2, 5].map((m) => m * 10 ** p)).filter((s) => s <= LARGEST);
    const next = direction > 0 ? steps.find((s) => s > 1.001 * this.scale) : steps.findLast((s) => s < 0.999 * this.scale);
    this.setScale(next ?? (direction > 0 ? Math.max(LARGEST, this.scale) : Math.min(1, this.scale)));
  }

  // Deform all bodies for time t, unless they are there already.
  update(t) {
    if (!this.active || this.shown === t) return;
    this.shown = t;
    for (const body of this.bodies) body.deform(this.motion.coordinates(body.item, t));
    const repairs = this.keepTogether(t);
    for (const body of this.bodies) body.update(this.scale, this.component, repairs?.get(body.item));
  }

  // Enlarged deformations carry along what is attached: shifts of all items, chosen so that joints stay closed (kept_together.py).
  // What loops do not permit is taken back from the deformations: per flexible body, the shift of every node with a name.
  keepTogether(t) {
    const { together } = this.data.displacement ?? {};
    this.shifts = null;
    if (!together || this.scale === 1) return null;
    const position = new Vector3();
    const rotations = new Map();
    const extra = together.marks.map(([k, row]) => {
      if (!rotations.has(k)) {
        rotations.set(k, new Quaternion());
        this.motion.pose(k, t, position, rotations.get(k));
      }
      const { shift } = this.bodies.find((body) => body.item === k);
      return new Vector3().fromArray(shift, 3 * row).multiplyScalar(this.scale - 1).applyQuaternion(rotations.get(k));
    });
    const shifts = together.weights.map((row) => row.reduce((sum, x, m) => sum.addScaledVector(extra[m], x), new Vector3()));
    this.shifts = together.groups.map((group) => (group < 0 ? null : shifts[group]));
    if (!together.loops) return null;
    const repairs = new Map();
    together.marks.forEach(([k, row, item], m) => {
      const miss = (this.shifts[item]?.clone() ?? new Vector3()).sub(this.shifts[k] ?? new Vector3()).sub(extra[m]);
      if (!repairs.has(k)) repairs.set(k, []);
      repairs.get(k).push([row, miss.applyQuaternion(rotations.get(k).clone().invert())]);
    });
    return repairs;
  }

  // Move the items by these shifts; call after poses are set.
  shiftParts(objects) {
    this.shifts?.forEach((shift, k) => shift && objects[k].position.add(shift));
  }

  apply() {
    this.coloring.colorOn.value = this.colors ? 1 : 0;
    for (const body of this.bodies) body.ghost.visible = this.ghost;
  }

  // The largest magnitude (or, of a component, the extremes) at the present time.
  present() {
    let [low, high] = [Infinity, -Infinity];
    for (const { value } of this.bodies) for (const x of value) [low, high] = [x < low ? x : low, x > high ? x : high];
    return high >= low ? [low, high] : [0, 0];
  }

  // What scripts may ask.
  state() {
    const { component, scale, colors, ghost, range } = this;
    return { component, scale, colors, ghost, range, present: this.present() };
  }

  // Let items that are nodes follow the drawn deformation; call after poses are set and bodies deformed.
  moveMarks(objects) {
    for (const body of this.bodies) {
      const carrier = objects[body.item];
      for (const [name, row] of Object.entries(body.shape.marks)) {
        const object = objects.find((o) => o.userData.name === name);
        object?.position.fromArray(body.place, 3 * row).applyQuaternion(carrier.quaternion).add(carrier.position);
      }
    }
  }
}
