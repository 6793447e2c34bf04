// Tools of the mouse: selecting, drawing bars in a plane, placing joints, dragging the mechanism.

import { Plane, Vector3 } from "three";
import { add } from "../document/commands.js";
import { fill, h, shown } from "../dom.js";
import { Latest } from "../server/client.js";

const HINTS = {
  bars: "Drag from point to point to draw a bar. Ends that meet are hinged; start on the cross of the grid with Alt to hold a point to the ground. Esc ends.",
  joint: "Click the point of the joint, then the second body (or empty space for the ground). Esc ends.",
  drag: "Drag a body: the mechanism follows as far as its joints allow. Enter keeps the position as the initial one, Esc lets it go back.",
};
const CLICK = 4; // pixels

export class Drawing {
  constructor(studio) {
    Object.assign(this, { studio, tool: null, pressed: null, first: null });
    this.puller = new Latest("drag");
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
  }

  start(tool) {
    this.stop();
    this.tool = tool;
    if (tool === "bars") {
      this.picture.keepView = true; // what is drawn next must not move away under the mouse
      this.picture.view("front");
      this.studio.layout.welcome.hidden = true;
    }
    if (tool === "drag") this.picture.canvas.focus();
    this.picture.stage.controls.enableRotate = tool === "joint";
    for (const button of this.studio.root.querySelectorAll("[data-tool]")) button.setAttribute("aria-pressed", String({ bars: "draw" }[tool] === button.dataset.tool || tool === button.dataset.tool));
    this.tell(HINTS[tool]);
  }

  stop() {
    if (this.tool === "drag" && this.state) this.studio.check();
    Object.assign(this, { tool: null, first: null, state: null, pulled: null });
    this.picture.showHint(null);
    this.picture.attachGizmo(null);
    this.picture.keepView = false;
    this.picture.stage.controls.enabled = true;
    this.picture.stage.controls.enableRotate = true;
    for (const button of this.studio.root.querySelectorAll("[data-tool]")) button.removeAttribute("aria-pressed");
    this.tell("");
    this.studio.welcome.draw();
  }

  tell(text) {
    fill(this.studio.layout.overlay, text ? h("p", { class: "hint" }, text) : null);
  }

  plane() {
    return new Plane(new Vector3(0, 1, 0).applyQuaternion(this.picture.world.quaternion), 0);
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
      if (hit?.kind !== "body") return;
      this.pulled = hit;
      this.picture.stage.controls.enabled = false;
    }
  }

  move(event) {
    if (this.tool === "bars" || this.tool === "joint") {
      const found = this.picture.snap(event, this.plane(), event.shiftKey);
      this.picture.showHint(found?.place ?? null, this.tool === "bars" ? this.first?.place : null);
      if (found) this.tell(`${found.name}${found.body ? ` of ${found.body}` : ""}: ${found.world.map((x) => shown(x)).join(", ")} m`);
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
    if (hit && !(hit.kind === "body" && hit.name === "ground")) this.studio.select(`${hit.kind === "body" ? "bodies" : "joints"}/${hit.name}`, event.ctrlKey || event.metaKey || event.shiftKey);
    else {
      this.studio.selection.clear();
      this.studio.redraw();
      this.picture.select(this.studio.selection);
    }
  }

  // A bar between two points, hinged to what its ends meet.
  finishBar(event) {
    const [a, b] = [this.first, this.picture.snap(event, this.plane(), event.shiftKey)];
    const grounds = [this.grounded, event.altKey];
    this.first = null;
    this.picture.showHint(null);
    if (!a || !b || Math.hypot(...a.world.map((x, k) => x - b.world[k])) < 1e-9) return;
    const { document } = this.studio;
    const name = document.freeName("bodies", "bar");
    const length = Math.hypot(...a.world.map((x, k) => x - b.world[k]));
    const local = b.world.map((x, k) => Number((x - a.world[k]).toFixed(9)));
    const body = { density: 7850, shape: { type: "rod", start: [0, 0, 0], end: local, radius: Number((0.03 * length).toPrecision(3)) }, position: a.world };
    const joints = { ...(document.data.joints ?? {}) };
    for (const [k, end] of [a, b].entries()) {
      const other = end.body && end.body !== "ground" ? end.body : grounds[k] || (end.name === "grid" && k === 0 && !Object.keys(document.data.bodies ?? {}).length) || end.body === "ground" ? "ground" : null;
      if (!other || (k === 1 && other === name)) continue;
      let free = "J";
      for (let n = 1; free in joints; n++) free = `J${n + 1}`;
      joints[free] = { type: "revolute", parent: other, child: name, at: end.world, axis: "y" };
    }
    const data = { ...document.data, bodies: { ...(document.data.bodies ?? {}), [name]: body }, ...(Object.keys(joints).length ? { joints } : {}) };
    document.put(data, `draw ${name}`);
    this.studio.select(`bodies/${name}`);
  }

  // Three clicks: the point on one body, the other body; the kind is asked for.
  placeJoint(event) {
    if (!this.first) {
      const found = this.picture.snap(event, this.plane(), event.shiftKey);
      const hit = this.picture.pick(event);
      const body = hit?.kind === "body" ? hit.name : found?.body;
      if (!found || !body || body === "ground") return this.tell("Click a point on a body first.");
      this.first = { ...found, body };
      return this.tell(`${body}: now click the other body, or empty space for the ground.`);
    }
    const hit = this.picture.pick(event);
    const parent = hit?.kind === "body" && hit.name !== this.first.body ? hit.name : "ground";
    const { world, body: child } = this.first;
    this.first = null;
    const kinds = this.studio.catalogue.sections.joints;
    this.studio.palette.open(kinds.map((record) => ({ title: record.title, about: record.about, act: () => {
      const entry = { type: record.type, parent, child, at: world };
      if (record.fields.some((field) => field.name === "axis" && field.required)) entry.axis = "y";
      const id = add(this.studio.document, "joints", record, entry);
      this.studio.select(id);
      this.stop();
    } })), `Joint between ${parent} and ${child}`);
  }

  pull(event) {
    const target = this.picture.inPlaneOf(event, this.pulled.place);
    if (!target) return;
    const question = { document: this.studio.document.data, body: this.pulled.name, point: this.pulled.local, target: target.toArray() };
    if (this.state) question.state = this.state;
    this.puller.ask(question, (answer) => {
      if (this.tool !== "drag") return;
      Object.assign(this, { state: answer.state, dragged: answer.q });
      this.picture.place(answer.poses);
      this.picture.render();
    }, (error) => this.studio.messages.note(error.message, "error", "drag"));
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
