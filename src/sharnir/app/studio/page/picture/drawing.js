// Tools of the mouse: selecting, drawing bars in a plane, placing joints, dragging the mechanism. Points can be typed as well.

import { Plane, Vector3 } from "three";
import { add } from "../document/commands.js";
import { shown, withUnit } from "../dom.js";
import { starting } from "../fields/editors.js";
import { Latest } from "../server/client.js";
import { axisWord, jointTurn } from "./axes.js";
import { TypedPoint } from "./typed_point.js";

const HINTS = {
  bars: "Drag from point to point to draw a bar, or type its ends. Ends that meet are hinged; Alt holds a point to the ground; the buttons of the views choose the plane. Esc ends.",
  joint: "Click the point of the joint on a body, then the other body (or empty space for the ground). Esc ends.",
  drag: "Drag a body or the sign of a joint: the mechanism follows as far as it can. Enter keeps the position, Esc lets it go back.",
};
const NORMALS = { y: [0, 1, 0], x: [1, 0, 0], z: [0, 0, 1] }; // of the plane in which bars are drawn
const FROM = { front: "y", side: "x", top: "z" };
const SLIDING = new Set(["prismatic", "cylindrical", "screw"]);
const CLICK = 4; // pixels
const TURN = Math.PI / 24; // of the view, with one key

export class Drawing {
  constructor(studio) {
    Object.assign(this, { studio, tool: null, pressed: null, first: null, kind: null, normal: "y" });
    this.puller = new Latest("drag");
    this.typed = new TypedPoint(studio.layout.overlay);
  }

  get picture() {
    return this.studio.picture;
  }

  listen() {
    const { canvas } = this.picture;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("keydown", (event) => event.key === "Enter" && this.tool === "drag" && this.keepDragged());
    canvas.addEventListener("keydown", (event) => this.turn(event));
    window.addEventListener("keydown", (event) => {
      if (!this.tool && this.typed.form.hidden) return;
      if (/^[-\d.]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.target.matches?.("input, textarea, select") && this.typed.begin(event.key)) event.preventDefault();
    }, true);
  }

  // Arrow keys turn the view, plus and minus zoom.
  turn(event) {
    const given = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, -TURN], ArrowDown: [0, TURN], "+": [0, 0, 1.15], "-": [0, 0, 1 / 1.15] }[event.key];
    if (!given || event.ctrlKey || event.metaKey || (event.key === "-" && !this.typed.form.hidden)) return;
    event.preventDefault();
    this.picture.turnView(...given);
  }

  // Begin with a tool; `kind`: the record of the joint that is placed, else it is asked for at the end.
  start(tool, kind = null) {
    this.stop();
    if (!this.begins()) return;
    Object.assign(this, { tool, kind });
    if (tool === "bars") {
      this.picture.keepView = true; // what is drawn next must not move away under the mouse
      this.studio.welcome.leave();
      this.picture.resize(); // the picture is larger now
      this.look("front");
      this.typed.ask(["x", "y", "z"], [], (point) => this.typedPoint(point));
    }
    if (tool === "joint") this.typed.ask(["x", "y", "z"], [], (point) => this.typedPoint(point));
    if (tool === "drag") {
      this.picture.canvas.focus();
      this.puller.ask({ document: this.studio.document.data }, () => null); // its process starts and knows the mechanism
    }
    this.picture.stage.controls.enableRotate = tool === "joint";
    this.markTool();
    this.tell(kind ? `${kind.title}: ${HINTS[tool].charAt(0).toLowerCase()}${HINTS[tool].slice(1)}` : HINTS[tool]);
  }

  // Tools work on the drawing, not on a run; whether they can.
  begins() {
    const { running } = this.studio;
    running.leave();
    if (running.going) this.tell("A run is under way and in the picture: stop it (Shift F5), or let it end.");
    return !running.going;
  }

  // Another side of the mechanism; bars are drawn in the plane that one looks at.
  look(view) {
    this.picture.view(view);
    if (this.tool !== "bars") return;
    this.normal = FROM[view];
    this.picture.showPlane(this.normal);
  }

  stop() {
    if (this.tool === "drag" && this.state) this.studio.check();
    Object.assign(this, { tool: null, first: null, typedFirst: null, state: null, pulled: null, kind: null, dragged: null });
    this.typed.close();
    this.picture.showHint(null);
    this.picture.showPoints(null);
    this.picture.attachGizmo(null);
    this.picture.keepView = false;
    this.picture.showPlane(null);
    this.picture.stage.controls.enabled = true;
    this.picture.stage.controls.enableRotate = true;
    this.markTool();
    this.tell("");
    this.studio.welcome.draw();
  }

  // The button of the tool that is used looks pressed.
  markTool() {
    for (const [button, tool] of [["draw", "bars"], ["joint", "joint"], ["drag", "drag"]]) this.studio.layout.press(button, tool === this.tool);
  }

  tell(text) {
    this.typed.tell(text);
  }

  plane() {
    return new Plane(new Vector3(...NORMALS[this.normal]).applyQuaternion(this.picture.world.quaternion), 0);
  }

  down(event) {
    if (event.button !== 0) return;
    this.pressed = [event.clientX, event.clientY];
    if (this.tool === "bars") {
      this.first = this.picture.snap(event, this.plane(), event.shiftKey);
      this.grounded = event.altKey;
      this.picture.stage.controls.enabled = false;
    } else if (this.tool === "drag") {
      const hit = this.picture.pick(event);
      if (!hit || hit.name === "ground") return;
      this.pulled = hit.kind === "joint" ? { ...hit, turn: jointTurn(this.picture, hit.name, event), q: this.coordinateOf(hit.name) } : hit;
      this.picture.stage.controls.enabled = false;
    }
  }

  coordinateOf(joint) {
    const given = this.dragged?.[joint]?.[0] ?? this.studio.document.data.joints?.[joint]?.q ?? 0;
    return Number(Array.isArray(given) ? given[0] : given) || 0;
  }

  move(event) {
    if (this.tool === "bars" || this.tool === "joint") {
      const hit = this.picture.pick(event);
      const found = this.picture.snap(event, this.plane(), event.shiftKey, this.tool === "joint" ? hit : null);
      this.picture.showPoints(hit?.kind === "body" ? hit.name : null);
      this.picture.showHint(found?.place ?? null, this.tool === "bars" ? this.first?.place : null, this.tool === "joint" ? found?.axis : null);
      if (!found) return;
      this.typed.follow(found.world.map((x) => shown(x)));
      this.tell(`${found.name}${found.body ? ` of ${found.body}` : ""}: ${found.world.map((x) => shown(x)).join(", ")} m`);
    } else if (this.tool === "drag" && this.pulled) this.pull(event);
  }

  up(event) {
    const click = this.pressed && Math.hypot(event.clientX - this.pressed[0], event.clientY - this.pressed[1]) < CLICK;
    this.pressed = null;
    if (event.button !== 0) return;
    if (this.tool === "bars") return this.finishBar(event);
    if (this.tool === "drag") {
      this.pulled = null;
      this.picture.stage.controls.enabled = true;
      return;
    }
    if (!click) return;
    if (this.tool === "joint") return this.placeJoint(event);
    const hit = this.picture.pick(event);
    if (hit && !(hit.kind === "body" && hit.name === "ground")) this.studio.select(`${hit.kind === "body" ? "bodies" : "joints"}/${hit.name.split(":")[0]}`, event.ctrlKey || event.metaKey || event.shiftKey);
    else {
      this.studio.selection.clear();
      this.studio.redraw();
      this.picture.select(this.studio.selection);
    }
  }

  // A point that was typed: the next end of a bar, or the place of a joint.
  typedPoint(world) {
    const found = { ...this.picture.known(world), world };
    if (this.tool === "bars" && found.name === "typed") Object.assign(found, { name: "grid", body: null }); // a bar is hinged to what its ends meet only
    if (this.tool === "bars" && this.typedFirst) {
      const first = this.typedFirst;
      this.typedFirst = null;
      this.makeBar(first, found, [false, false]);
    } else if (this.tool === "bars") {
      this.typedFirst = found;
      this.tell(`From ${world.join(", ")} m: type the other end.`);
    } else if (this.tool === "joint") this.firstPoint(found, found.body);
    this.typed.inputs?.[0].select();
  }

  finishBar(event) {
    const [a, b] = [this.first, this.picture.snap(event, this.plane(), event.shiftKey)];
    this.first = null;
    this.picture.showHint(null);
    this.makeBar(a, b, [this.grounded, event.altKey]);
  }

  // A bar between two points, hinged to what its ends meet.
  makeBar(a, b, grounds) {
    if (!a || !b || Math.hypot(...a.world.map((x, k) => x - b.world[k])) < 1e-9) return;
    const { document } = this.studio;
    const name = document.freeName("bodies", "bar");
    const length = Math.hypot(...a.world.map((x, k) => x - b.world[k]));
    const local = b.world.map((x, k) => Number((x - a.world[k]).toFixed(9)));
    const body = { density: 7850, shape: { type: "rod", start: [0, 0, 0], end: local, radius: this.barRadius(length) }, position: a.world };
    const joints = { ...(document.data.joints ?? {}) };
    for (const [k, end] of [a, b].entries()) {
      const other = end.body && end.body !== "ground" ? end.body : grounds[k] || (end.name === "grid" && k === 0 && !Object.keys(document.data.bodies ?? {}).length) || end.body === "ground" ? "ground" : null;
      if (!other || (k === 1 && other === name)) continue;
      let free = "J";
      for (let n = 1; free in joints; n++) free = `J${n + 1}`;
      joints[free] = { type: "revolute", parent: other, child: name, at: end.world, axis: this.normal };
    }
    const data = { ...document.data, bodies: { ...(document.data.bodies ?? {}), [name]: body }, ...(Object.keys(joints).length ? { joints } : {}) };
    document.put(data, `draw ${name}`);
    this.studio.select(`bodies/${name}`);
  }

  // Bars that are drawn one after the other are equally thick.
  barRadius(length) {
    const last = Object.values(this.studio.document.data.bodies ?? {}).findLast((body) => body.shape?.type === "rod" && typeof body.shape.radius === "number");
    return last?.shape.radius ?? Number((0.05 * length).toPrecision(2));
  }

  // Three clicks: the kind (or it is asked for), the point and axis on one body, the other body.
  placeJoint(event) {
    const hit = this.picture.pick(event);
    if (!this.first) {
      const found = this.picture.snap(event, this.plane(), event.shiftKey, hit);
      const body = found?.body?.includes(":") ? found.body : hit?.kind === "body" ? hit.name : found?.body;
      return this.firstPoint(found, body);
    }
    const found = this.picture.snap(event, this.plane(), true);
    const near = this.picture.snap(event, this.plane(), event.shiftKey);
    const other = near?.body?.includes(":") ? near.body : hit?.kind === "body" ? hit.name : "ground";
    const parent = other !== this.first.body && found ? other : "ground";
    const { world, body: child, axis } = this.first;
    this.first = null;
    if (this.kind) return this.makeJoint(this.kind, parent, child, world, axis);
    const kinds = this.studio.catalogue.sections.joints;
    this.studio.palette.open(kinds.map((record) => ({ title: record.title, about: record.about, sign: `joints/${record.type}`, act: () => this.makeJoint(record, parent, child, world, axis) })), `Joint between ${parent} and ${child}`);
  }

  firstPoint(found, body) {
    if (!found || !body || body === "ground") return this.tell("Click a point on a body first.");
    this.first = { ...found, body };
    this.tell(`${body} at ${found.world.map((x) => shown(x)).join(", ")} m: now click the other body, or empty space for the ground.`);
  }

  makeJoint(record, parent, child, world, axis) {
    const entry = { type: record.type, parent, child, at: world };
    const given = starting(record);
    for (const field of record.fields) {
      if (!field.required || field.name in entry) continue;
      if (field.name === "axis") entry.axis = axisWord(axis ?? (SLIDING.has(record.type) ? this.picture.sideAxis() : this.picture.viewAxis()));
      else if (field.name in given) entry[field.name] = given[field.name];
    }
    if (entry.axis2 !== undefined && entry.axis === entry.axis2) entry.axis2 = entry.axis === "x" ? "y" : "x";
    const id = add(this.studio.document, "joints", record, entry);
    this.studio.select(id);
    this.stop();
    return id;
  }

  pull(event) {
    const question = { document: this.studio.document.data };
    if (this.pulled.kind === "joint") {
      if (!this.pulled.turn) return;
      Object.assign(question, { joint: this.pulled.name, value: this.pulled.q + this.pulled.turn(event) });
    } else {
      const target = this.picture.inPlaneOf(event, this.pulled.place);
      if (!target) return;
      Object.assign(question, { body: this.pulled.name, point: this.pulled.local, target: target.toArray() });
    }
    if (this.state) question.state = this.state;
    else this.tell("The mechanism is being prepared …");
    this.puller.ask(question, (answer) => {
      if (this.tool !== "drag") return;
      Object.assign(this, { state: answer.state, dragged: answer.q });
      this.picture.place(answer.poses);
      this.picture.render();
      const words = Object.entries(answer.q).filter(([, q]) => q.length === 1).slice(0, 5).map(([name, q]) => `${name} ${this.coordinateText(name, q[0])}`);
      this.tell(`${words.join(" · ")} – Enter keeps this position, Esc lets it go back.`);
    }, (error) => this.tell(`It cannot move: ${error.message}`));
  }

  // A coordinate of a joint with its unit.
  coordinateText(joint, q) {
    const unit = this.picture.joints[joint]?.units[0];
    return unit === "rad" ? `${shown(Number(((q * 180) / Math.PI).toFixed(1)))}°` : withUnit(Number(q.toPrecision(4)), unit);
  }

  // The position that was found by dragging becomes the initial one.
  keepDragged() {
    if (!this.dragged) return;
    const { document } = this.studio;
    const joints = { ...document.data.joints };
    for (const [name, q] of Object.entries(this.dragged)) {
      if (!joints[name] || joints[name].motion !== undefined || joints[name].mimic !== undefined) continue;
      joints[name] = { ...joints[name], q: q.length === 1 ? Number(q[0].toPrecision(12)) : q.map((x) => Number(x.toPrecision(12))) };
    }
    document.put({ ...document.data, joints }, "initial position");
    this.state = null;
    this.stop();
  }
}
