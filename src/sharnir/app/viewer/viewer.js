// The viewer: puts the parts together, and moves them to the present time.

import { Group, Quaternion, Raycaster, Vector2, Vector3 } from "three";
import { bodyObject, edge, pinSurface, stillSurface } from "./bodies.js";
import { Deformation } from "./flexible/deformation.js";
import { ghostEdge, ghostSurface } from "./flexible/elastic.js";
import { fit, sweep, viewDirection } from "./framing.js";
import { Gizmo } from "./gizmo.js";
import { makeGround } from "./ground.js";
import { Labels } from "./labels.js";
import { Legend } from "./flexible/legend.js";
import { Motion } from "./motion.js";
import { PAGE, Panel } from "./panel.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { withMeshes } from "./shapes.js";
import { Springs } from "./springs.js";
import { Stage } from "./stage.js";
import { LOOKS } from "./theme.js";
import { Traces } from "./traces.js";

const VIEWS = { front: [0, -1, 0.0001], side: [1, 0, 0.0001], top: [0, -0.0001, 1] };
const UP = new Vector3(0, 0, 1);

// The rotation that lets the scene's upward axis point along our z.
function uprighting(up) {
  return { z: new Quaternion(), y: new Quaternion(0.5 ** 0.5, 0, 0, 0.5 ** 0.5), x: new Quaternion(-0.5, -0.5, -0.5, 0.5) }[up];
}

export class Viewer {
  constructor(root, page) {
    const data = { ...page, items: withMeshes(page.items, page.meshes) };
    Object.assign(this, { root, data });
    root.innerHTML = PAGE;
    this.motion = new Motion(data);
    this.player = new Player(this.motion.start, this.motion.end, data.speed);
    this.turn = uprighting(data.up);
    this.deformation = new Deformation(data, this.motion);
    const { places, box, moment } = sweep(data, this.motion, this.turn, this.deformation);
    Object.assign(this, { places, box });
    const sweptSize = box.getSize(new Vector3()).length();
    this.wanders = sweptSize > 5 * moment && moment > 0;
    this.size = this.wanders ? 2.2 * moment : sweptSize;
    this.direction = viewDirection(data, this.motion, this.turn, this.size, this.deformation);
    this.options = { labels: false, grid: data.floor !== false, axes: true, plots: data.plots.some((group) => group.shown.some(Boolean)), follow: this.wanders };
    this.stage = new Stage(root.querySelector("canvas"), box, this.size);
    this.build();
    this.plots = new Plots(root, data, (t) => this.scrub(t));
    this.legend = new Legend(root, this);
    this.panel = new Panel(root, this);
    this.listen();
    data.traces.forEach((name) => this.trace(data.items.findIndex((item) => item.name === name), true));
    this.setLook(data.look === "auto" ? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light") : data.look);
    this.applyOptions();
    this.resize();
    this.view("best");
  }

  build() {
    const world = new Group();
    world.quaternion.copy(this.turn);
    const back = this.turn.clone().invert();
    const frame = { up: UP.clone().applyQuaternion(back), view: this.direction.clone().applyQuaternion(back) };
    const marks = new Set(this.data.items.filter((item) => this.deformation.mark(item.name)));
    const moving = this.data.items.filter((item) => (!item.still || item.elastic) && !marks.has(item));
    this.objects = this.data.items.map((item) => bodyObject(item, moving.indexOf(item), moving.length, this.size, frame, marks.has(item)));
    this.data.items.forEach((item, k) => item.elastic && this.deformation.addBody(k, this.objects[k], this.size, edge));
    this.objects.forEach((object, k) => (object.userData.still = this.data.items[k].still && !this.data.items[k].elastic));
    this.springs = new Springs(this.data, this.size);
    this.traces = new Traces(this.motion, this.objects);
    this.gizmo = new Gizmo(this.turn);
    world.add(...this.objects, this.springs.group, this.traces.group);
    this.ground = makeGround(this.box, this.size);
    this.stage.scene.add(world, this.ground.grid, this.ground.shade);
    this.labels = new Labels(this.root, this.objects);
    this.center = new Vector3();
  }

  listen() {
    const canvas = this.stage.renderer.domElement;
    // in another window all is seen again, as long as nobody has turned or shifted the view
    new ResizeObserver(() => {
      if (this.root.clientWidth === this.width && this.root.clientHeight === this.height) return;
      this.resize();
      if (this.seen) this.view(this.seen);
    }).observe(this.root);
    this.stage.controls.addEventListener("start", () => (this.seen = null));
    this.stage.controls.addEventListener("change", () => (this.dirty = true));
    let pressed = null;
    canvas.addEventListener("pointerdown", (event) => {
      pressed = [event.clientX, event.clientY];
      this.panel.close();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4) this.pick(event);
    });
    const loop = (now) => {
      if (this.player.advance(now)) this.dirty = true;
      if (this.dirty) this.render();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  // A click on a body switches its trace.
  pick(event) {
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    const place = new Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    const ray = new Raycaster();
    ray.setFromCamera(place, this.stage.camera);
    const hit = ray.intersectObjects(this.objects, true).find((h) => h.object.isMesh);
    const k = hit ? this.objects.findIndex((o) => o === hit.object || o.getObjectById(hit.object.id)) : -1;
    if (k >= 0 && !this.data.items[k].still) this.trace(k, !this.traces.lines.has(k));
  }

  render() {
    this.dirty = false;
    const t = this.player.time;
    this.objects.forEach((object, k) => this.motion.pose(k, t, object.position, object.quaternion));
    this.deformation.update(t);
    this.deformation.shiftParts(this.objects);
    this.deformation.moveMarks(this.objects);
    if (this.options.follow) this.followMotion();
    this.springs.update(this.objects);
    this.traces.update(t);
    this.stage.render();
    if (this.options.axes) this.gizmo.draw(this.stage, this.width, this.height, this.insets().bottom + 4);
    this.labels.update(this.stage.camera, this.width, this.height);
    this.plots.draw(t);
    this.legend.update();
    this.panel.update();
    this.rendered = (this.rendered ?? 0) + 1;
  }

  // Mean place of what moves, in our axes.
  middle() {
    const moving = this.objects.filter((object) => !object.userData.still);
    const sum = new Vector3();
    moving.forEach((object) => sum.add(object.userData.handle.clone().applyQuaternion(object.quaternion).add(object.position)));
    return sum.divideScalar(moving.length || 1).applyQuaternion(this.turn);
  }

  followMotion() {
    const now = this.middle();
    const shift = now.clone().sub(this.center);
    this.center.copy(now);
    this.stage.camera.position.add(shift);
    this.stage.controls.target.add(shift);
    this.stage.camera.updateMatrixWorld();
    this.stage.aim(now);
    this.ground.move(now.x, now.y);
  }

  act(name) {
    const toggles = ["labels", "grid", "axes", "plots", "follow"];
    if (toggles.includes(name)) {
      this.options[name] = !this.options[name];
      this.applyOptions();
    } else if (name === "play") this.player.toggle();
    else if (name === "repeat") this.player.repeat = !this.player.repeat;
    else if (name === "fit") this.refit();
    else if (name === "look") this.setLook(this.look === "dark" ? "light" : "dark");
    else if (name === "picture") this.savePicture();
    else if (name === "trace" || name === "curves") this.panel.openMenu(name);
    else if (name === "colors" || name === "ghost") {
      this.deformation[name] = !this.deformation[name];
      this.applyOptions();
    } else if (name === "component") this.deformation.nextComponent();
    else if (name === "larger" || name === "smaller") this.deformation.step(name === "larger" ? 1 : -1);
    else if (name === "help") this.root.querySelector(".help").hidden = !this.root.querySelector(".help").hidden;
    this.dirty = true;
  }

  applyOptions() {
    const { labels, grid, plots, follow } = this.options;
    this.labels.visible = labels;
    this.ground.grid.visible = this.ground.shade.visible = grid;
    if (this.deformation.active) this.deformation.apply();
    this.legend.update();
    const strip = this.root.querySelector(".plots");
    strip.hidden = !plots || !this.plots.any;
    if (follow) this.center.copy(this.middle());
    if (this.width) this.resize();
  }

  setLook(name) {
    this.look = name;
    this.root.dataset.look = name;
    const look = LOOKS[name];
    this.stage.setLook(look);
    edge.color.set(look.edge);
    edge.opacity = look.edgeOpacity;
    pinSurface.color.set(look.pin);
    stillSurface.color.set(look.still);
    ghostSurface.color.set(look.still);
    ghostEdge.color.set(look.grid);
    this.ground.grid.material.uniforms.color.value.set(look.grid);
    this.ground.grid.material.uniforms.opacity.value = look.gridOpacity;
    this.ground.shade.material.opacity = look.shadow;
    this.dirty = true;
  }

  insets() {
    const { offsetTop, offsetWidth, offsetHeight } = this.root.querySelector(".legend");
    const bottom = this.root.querySelector("footer").offsetHeight + 8;
    // beside the legend, or below it where the window is narrow
    if (this.width <= 720 && this.height > this.width) return { top: Math.max(40, offsetTop + offsetHeight), bottom, left: 0 };
    return { top: 40, bottom, left: offsetWidth ? offsetWidth + 16 : 0 };
  }

  resize() {
    [this.width, this.height] = [this.root.clientWidth || 1, this.root.clientHeight || 1];
    this.stage.resize(this.width, this.height, this.insets());
    this.dirty = true;
  }

  // Look at all of the motion, with deformations as large as they are drawn now.
  refit() {
    if (this.deformation.active) this.places = sweep(this.data, this.motion, this.turn, this.deformation).places;
    this.view("best");
  }

  view(name) {
    this.seen = name;
    const direction = name === "best" ? this.direction : new Vector3(...VIEWS[name]);
    let places = this.places;
    if (this.options.follow) {
      this.objects.forEach((object, k) => this.motion.pose(k, this.player.time, object.position, object.quaternion));
      this.center.copy(this.middle());
      places = [{ place: this.center.clone(), radius: this.wanders ? 0.3 * this.size : 0.5 * this.size }];
    }
    fit(this.stage.camera, this.stage.controls, places, direction, { width: this.width, height: this.height }, this.insets());
    this.dirty = true;
  }

  trace(k, on) {
    if (k < 0) return;
    this.traces.show(k, on);
    this.dirty = true;
  }

  scrub(t) {
    this.player.toggle(false);
    this.player.seek(t);
    this.dirty = true;
  }

  frame(steps) {
    const width = this.player.span / Math.max(this.motion.times.length - 1, 1);
    this.scrub(this.player.time + steps * width);
  }

  setSpeed(speed) {
    this.player.speed = speed;
    this.dirty = true;
  }

  faster(steps) {
    this.player.faster(steps);
    this.dirty = true;
  }

  // The picture as it is saved: the 3D view with the legend of colours.
  picture() {
    this.render();
    const view = this.stage.renderer.domElement;
    if (!this.deformation.active) return view;
    const canvas = Object.assign(document.createElement("canvas"), { width: view.width, height: view.height });
    const pen = canvas.getContext("2d");
    pen.drawImage(view, 0, 0);
    this.legend.paint(pen, view.width / this.width);
    return canvas;
  }

  savePicture() {
    this.picture().toBlob((blob) => {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${this.data.title || "sharnir"}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }
}
