// The picture of the mechanism: bodies, springs and joints where they are at one moment; what is picked, dragged and snapped to.

import {
  Box3, BufferAttribute, BufferGeometry, Color, Group, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Plane, Points, PointsMaterial, Quaternion, Raycaster, SphereGeometry, Vector2, Vector3,
} from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { bodyObject, edge, pinSurface, stillSurface } from "../../../viewer/bodies.js";
import { Deformation } from "../../../viewer/flexible/deformation.js";
import { fit, shapePoints } from "../../../viewer/framing.js";
import { makeAxes, makeGround, roundLength } from "../../../viewer/ground.js";
import { Gizmo } from "../../../viewer/gizmo.js";
import { Motion } from "../../../viewer/motion.js";
import { Springs } from "../../../viewer/springs.js";
import { withMeshes } from "../../../viewer/shapes.js";
import { Stage } from "../../../viewer/stage.js";
import { AXIS_COLORS, itemColor, LOOKS } from "../../../viewer/theme.js";
import { ColourLegend } from "./colour_legend.js";
import { drawnGhost } from "./drawn_ghost.js";
import { jointMark } from "./joint_marks.js";
import { nearestLetter } from "./axes.js";
import { PlaneGrid } from "./plane_grid.js";
import { outlineOf, outlineSize } from "./outline.js";
import { Section } from "./section.js";
import { setThrough } from "./see_through.js";
import { nearest, snapPoints } from "./snap_points.js";
import { surfaceUnder } from "./surfaces.js";

const TURNS = { z: new Quaternion(), y: new Quaternion(0.5 ** 0.5, 0, 0, 0.5 ** 0.5), x: new Quaternion(-0.5, -0.5, -0.5, 0.5) };
const VIEWS = { best: [0.62, -1, 0.46], front: [0, -1, 0.0001], side: [1, 0, 0.0001], top: [0, -0.0001, 1] };
const HIGHLIGHT = new MeshBasicMaterial({ color: "#ffb300", transparent: true, opacity: 0.18, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2, toneMapped: false });
const GHOST = new MeshBasicMaterial({ color: "#868e96", transparent: true, opacity: 0.22, depthWrite: false });
const MANY = 300; // bodies
const PLAIN = { ranges: { magnitude: [0, 1], x: [0, 1], y: [0, 1], z: [0, 1] }, colors: ["#adb5bd", "#adb5bd"], scale: 1 }; // before a run
const INSETS = { top: 46, bottom: 10, left: 0 };

// The motion of a run as the server sends it: meshes that many items share are put back into their shapes.
export const readView = (view) => view && { ...view, items: withMeshes(view.items, view.meshes) };

// What is drawn of a run.
export const sceneOfView = (view) => ({ items: view.items.map(({ still, ...item }) => item), displacement: view.displacement, springs: view.springs, up: view.up, title: "" });

export class Picture {
  constructor(canvas, layer) {
    Object.assign(this, { canvas, layer, size: 1, items: [], objects: [], marks: new Map(), joints: {}, selected: new Set(), ghosts: [] });
    const box = new Box3(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 0.6));
    this.stage = new Stage(canvas, box, 1);
    this.world = new Group();
    this.stage.scene.add(this.world);
    this.hint = new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ color: "#f03e3e", depthTest: false, toneMapped: false }));
    this.hint.visible = false;
    this.hint.renderOrder = 9;
    this.line = new Line(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(6), 3)), new LineBasicMaterial({ color: "#f03e3e", depthTest: false }));
    this.line.visible = false;
    this.axisLine = new Line(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(6), 3)), new LineBasicMaterial({ color: "#1c7ed6", depthTest: false }));
    this.axisLine.visible = false;
    this.stage.scene.add(this.hint, this.line, this.axisLine);
    this.legend = new ColourLegend(canvas.parentElement, this);
    this.section = new Section(this);
    this.addGizmo();
    this.addFloor(box);
    this.stage.controls.addEventListener("change", () => this.render());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.view("best");
  }

  addGizmo() {
    this.gizmo = new TransformControls(this.stage.camera, this.canvas);
    this.gizmo.size = 0.8;
    this.gizmo.setColors(AXIS_COLORS.x, AXIS_COLORS.y, AXIS_COLORS.z, "#f08c00");
    this.stage.scene.add(this.gizmo.getHelper());
    this.canvas.addEventListener("pointermove", (event) => this.step(event.ctrlKey || event.metaKey), true); // before the gizmo has it
    this.gizmo.addEventListener("dragging-changed", ({ value }) => {
      this.stage.controls.enabled = !value;
      if (!value && this.gizmo.object) this.onMoved?.(this.gizmo.object.userData.name, this.gizmo.object.position.toArray(), this.quaternionOf(this.gizmo.object));
    });
    this.gizmo.addEventListener("change", () => {
      if (this.gizmo.dragging) this.onMoving?.(this.gizmo.object.position.toArray(), this.quaternionOf(this.gizmo.object));
      this.render();
    });
  }

  // With Ctrl the gizmo moves from one line of the grid to the next, or by 15 degrees.
  step(on) {
    this.gizmo.setTranslationSnap(on ? this.ground.cell / 5 : null);
    this.gizmo.setRotationSnap(on ? Math.PI / 12 : null);
  }

  // The gizmo stands along the axes of the world, or those of the body; which of the two.
  turnGizmo() {
    this.gizmo.setSpace(this.gizmo.space === "world" ? "local" : "world");
    this.render();
    return this.gizmo.space;
  }

  quaternionOf(object) {
    const { w, x, y, z } = object.quaternion;
    return [w, x, y, z];
  }

  addFloor(box) {
    if (this.ground) this.stage.scene.remove(this.ground.grid, this.ground.shade);
    if (this.axes) this.world.remove(this.axes);
    this.ground = makeGround(box, this.size);
    this.axes = makeAxes(roundLength(0.09 * this.size));
    this.stage.scene.add(this.ground.grid, this.ground.shade);
    this.world.add(this.axes);
    this.look(this.lookName ?? "light");
  }

  look(name) {
    this.lookName = name;
    const look = LOOKS[name];
    this.stage.setLook(look);
    edge.color.set(look.edge);
    edge.opacity = look.edgeOpacity;
    pinSurface.color.set(look.pin);
    stillSurface.color.set(look.still);
    this.ground.grid.material.uniforms.color.value.set(look.grid);
    this.ground.grid.material.uniforms.opacity.value = look.gridOpacity;
    this.ground.shade.material.opacity = look.shadow;
    this.render();
  }

  // Draw a scene; `poses` are (x, y, z, qw, qx, qy, qz) by the names of bodies.
  show(scene, poses, joints) {
    const text = JSON.stringify([scene.items, scene.springs, scene.up]);
    const first = !this.items.length || this.items.length <= 1;
    if (text !== this.sceneText) {
      this.sceneText = text;
      this.build(scene, poses);
    }
    this.joints = joints ?? {};
    this.place(poses);
    const marks = JSON.stringify([text.length, this.size, joints]);
    if (marks !== this.marksText || !this.marksDrawn) this.drawJoints();
    this.marksText = marks;
    if (first && scene.items.length > 1 && !this.keepView) this.refit();
    else if (!this.keepView && !this.motion && this.outgrown()) this.refit("present");
    this.select(this.selected);
    this.render();
  }

  build(scene, poses) {
    this.gizmo.detach();
    for (const object of this.objects) this.world.remove(object);
    if (this.springs) this.world.remove(this.springs.group);
    this.world.quaternion.copy(TURNS[scene.up] ?? TURNS.z);
    this.items = scene.items.map((item) => ({ ...item, still: item.name === "ground", elastic: item.elastic ?? null }));
    const elastic = this.items.some((item) => item.elastic);
    this.deformation = elastic ? new Deformation({ items: this.items, displacement: scene.displacement ?? PLAIN }, { coordinates: (k, t) => this.elasticAt(k, t) }) : null;
    this.size = this.extent(poses);
    const back = this.world.quaternion.clone().invert();
    const frame = (this.frame = { up: new Vector3(0, 0, 1).applyQuaternion(back), view: new Vector3(...VIEWS.best).applyQuaternion(back) });
    const moving = this.items.filter((item) => !item.still);
    const places = this.places(moving);
    this.colours = new Map(moving.map((item) => [item.name, `#${new Color(itemColor(item, places.get(item), moving.length)).getHexString()}`]));
    this.objects = this.items.map((item) => bodyObject(item, places.get(item) ?? -1, moving.length, this.size, frame, Boolean(this.deformation?.mark(item.name))));
    this.items.forEach((item, k) => item.elastic && this.deformation.addBody(k, this.objects[k], this.size, edge));
    if (this.deformation && !scene.displacement) this.deformation.colors = false;
    this.deformation?.apply();
    this.springs = new Springs({ items: this.items, springs: scene.springs }, this.size);
    this.world.add(...this.objects, this.springs.group);
    this.hint.scale.setScalar(0.012 * this.size);
    this.marksDrawn = false;
    this.simplify(this.items.length > MANY);
    if (this.through) this.seeThrough(true);
    if (this.section.on) this.section.apply();
  }

  // The place of each item among those of the document, so that a body keeps its colour whatever order a run has them in.
  places(moving) {
    const ranks = this.rankOf?.() ?? new Map();
    const sorted = [...moving].sort((a, b) => (ranks.get(a.name) ?? Infinity) - (ranks.get(b.name) ?? Infinity) || 0);
    return new Map(sorted.map((item, k) => [item, k]));
  }

  // Thousands of bodies are drawn without shadows and edges, which cost more than the bodies themselves.
  simplify(on) {
    this.stage.renderer.shadowMap.autoUpdate = !on;
    this.stage.sun.castShadow = !on;
    if (on) for (const object of this.objects) object.traverse((o) => o.isLineSegments && (o.visible = false));
  }

  // How large the mechanism is, from shapes and places.
  extent(poses) {
    const box = new Box3();
    const moments = this.motion ? [...Array(40).keys()].map((k) => this.posesAt(this.motion.start + ((this.motion.end - this.motion.start) * k) / 39)) : [poses];
    for (const item of this.items) {
      const points = item.shapes.flatMap(shapePoints);
      const bare = [...item.lines.flat(), ...(item.name === "ground" ? [] : [item.com ?? [0, 0, 0]])].map((p) => new Vector3(...p));
      if (item.elastic) bare.push(...this.deformation.framePoints(this.items.indexOf(item), null));
      points.push(...bare.map((point) => ({ point, radius: 0 })));
      for (const moment of moments) {
        const pose = moment[item.name] ?? [0, 0, 0, 1, 0, 0, 0];
        const turn = new Quaternion(pose[4], pose[5], pose[6], pose[3]);
        for (const { point, radius } of points) {
          const place = point.clone().applyQuaternion(turn).add(new Vector3(...pose));
          box.expandByPoint(place.clone().addScalar(radius)).expandByPoint(place.addScalar(-radius));
        }
      }
    }
    if (!box.isEmpty() && box.getSize(new Vector3()).length() < 1e-9) box.expandByPoint(new Vector3()); // a point mass, seen from the origin
    if (!box.isEmpty() && box.getSize(new Vector3()).length() < 1e-9) box.expandByScalar(0.2);
    this.swept = box.isEmpty() ? null : box; // the floor lies below it
    this.box = box.isEmpty() ? new Box3(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 0.6)) : box.clone().expandByScalar(0.02 * box.getSize(new Vector3()).length() + 1e-6);
    return Math.max(this.box.getSize(new Vector3()).length(), 1e-3);
  }

  place(poses) {
    this.poses = poses;
    this.items.forEach((item, k) => {
      const pose = poses[item.name];
      if (!pose) return;
      this.objects[k].position.set(pose[0], pose[1], pose[2]);
      this.objects[k].quaternion.set(pose[4], pose[5], pose[6], pose[3]);
    });
    this.deform(null);
    this.springs?.update(this.objects);
  }

  // Elastic coordinates of an item in the run at a time; zero without one.
  elasticAt(k, t) {
    const row = this.motionNames?.get(this.items[k].name);
    const { count } = this.items[k].elastic;
    return t === null || row === undefined || !this.motion?.elastic[row] ? new Float32Array(count) : this.motion.coordinates(row, t);
  }

  deform(t) {
    this.time = t;
    if (!this.deformation) return this.legend.update();
    this.deformation.shown = undefined;
    this.deformation.update(t);
    this.deformation.moveMarks(this.objects);
    this.legend.update();
  }

  drawJoints() {
    this.marksDrawn = true;
    for (const mark of this.marks.values()) mark.removeFromParent();
    this.marks.clear();
    for (const [name, joint] of Object.entries(this.joints)) {
      const mark = jointMark(joint, this.size, this.frame.up);
      mark.userData = { joint: name };
      mark.position.set(...joint.at);
      const k = this.items.findIndex((item) => item.name === joint.on);
      (k < 0 ? this.world : this.objects[k]).add(mark);
      mark.visible = this.showsJoints;
      this.marks.set(name, mark);
    }
  }

  // Signs of joints are drawn unless there are many, or somebody wants it otherwise.
  get showsJoints() {
    return this.jointsVisible ?? this.items.length <= MANY;
  }

  showJoints(on) {
    this.jointsVisible = on;
    for (const mark of this.marks.values()) mark.visible = on;
    this.render();
  }

  seeThrough(on = !this.through) {
    this.through = on;
    setThrough(this.objects, this.glows ?? [], on);
    this.select(this.selected);
  }

  // Mark elements: bodies have an outline, the signs of joints grow.
  select(names) {
    this.selected = names;
    for (const glow of this.glows ?? []) glow.removeFromParent();
    this.glows = [];
    HIGHLIGHT.clippingPlanes = this.section.planes;
    this.items.forEach((item, k) => {
      if (!names.has(`bodies/${item.name}`)) return;
      const meshes = [];
      this.objects[k].traverse((o) => o.isMesh && !o.parent.userData.joint && !o.userData.filling && meshes.push(o));
      for (const mesh of meshes) {
        const glow = new Mesh(mesh.geometry, HIGHLIGHT);
        const outline = outlineOf(mesh);
        outline.visible = !this.through && !this.section.on; // it would be seen through the body, or where it is cut away
        glow.userData.mark = outline.userData.mark = true;
        mesh.add(glow, outline);
        this.glows.push(glow, outline);
      }
    });
    for (const [name, mark] of this.marks) mark.scale.setScalar(names.has(`joints/${name}`) ? 1.8 : 1);
    this.render();
  }

  attachGizmo(name, mode) {
    const k = this.items.findIndex((item) => item.name === name);
    if (k < 0 || !mode) this.gizmo.detach();
    else {
      this.gizmo.setMode(mode);
      this.gizmo.attach(this.objects[k]);
    }
    this.render();
  }

  // The grid to which points snap while bars are drawn, in the plane with a normal; null: none.
  showPlane(normal) {
    this.planeGrid ??= new PlaneGrid(this.stage.scene);
    this.planeGrid.show(normal, this.world.quaternion, this.ground.cell / 5, this.size, LOOKS[this.lookName]);
    this.render();
  }

  // Whether the mechanism reaches far out of what was last brought into view.
  outgrown() {
    const { fitted } = this;
    return Boolean(fitted && this.box) && !fitted.clone().expandByScalar(0.4 * fitted.getSize(new Vector3()).length()).containsBox(this.box);
  }

  // The poses of a run.
  play(view, scenes = []) {
    this.scenes = scenes;
    this.sceneAt = null;
    this.motion = view ? new Motion(view) : null;
    this.motionNames = view ? new Map(view.items.map((item, k) => [item.name, k])) : null;
  }

  // Where the bodies of the run are at a time.
  posesAt(t) {
    const [position, rotation] = [new Vector3(), new Quaternion()];
    return Object.fromEntries([...this.motionNames].map(([name, row]) => {
      this.motion.pose(row, t, position, rotation);
      return [name, [...position.toArray(), rotation.w, rotation.x, rotation.y, rotation.z]];
    }));
  }

  // Bodies have other shapes from some moments on, if the model was changed during the run.
  showSceneAt(t) {
    const scene = this.scenes?.findLast((one) => one.t <= t) ?? this.scenes?.[0];
    if (!scene || scene === this.sceneAt) return;
    this.sceneAt = scene;
    const { size, box } = this;
    this.build(scene, this.poses ?? {});
    Object.assign(this, { size, box });
    this.drawJoints();
    this.select(this.selected);
  }

  seek(t) {
    if (!this.motion) return;
    this.showSceneAt(t);
    this.items.forEach((item, k) => {
      const row = this.motionNames.get(item.name);
      if (row !== undefined) this.motion.pose(row, t, this.objects[k].position, this.objects[k].quaternion);
    });
    for (const ghost of this.ghosts) ghost.update(t);
    this.deform(t);
    this.springs?.update(this.objects);
    this.render();
  }

  // Another run as a shadow of this one.
  showGhosts(views) {
    for (const ghost of this.ghosts) ghost.group.removeFromParent();
    this.ghosts = views.map((view) => {
      const motion = new Motion(view);
      const group = new Group();
      const copies = [];
      view.items.forEach((item, row) => {
        if (item.still) return;
        const copy = bodyObject(item, 0, 1, this.size, this.frame, false);
        copy.traverse((o) => o.isMesh && ((o.material = GHOST), (o.castShadow = false)));
        group.add(copy);
        copies.push([row, copy]);
      });
      this.world.add(group);
      return { group, update: (t) => copies.forEach(([row, copy]) => motion.pose(row, Math.min(t, motion.end), copy.position, copy.quaternion)) };
    });
    this.render();
  }

  // Where bodies were drawn before the assembly, or nothing.
  showDrawn(poses) {
    this.drawnBodies?.removeFromParent();
    this.drawnBodies = poses ? drawnGhost(this.items, this.objects, poses, this.size, this.frame) : null;
    if (this.drawnBodies) this.world.add(this.drawnBodies);
    this.render();
  }

  // The picture as a PNG file, with the colour of the page behind it.
  image(use) {
    this.draw();
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [this.canvas.width, this.canvas.height];
    const context = copy.getContext("2d");
    context.fillStyle = this.lookName === "dark" ? "#232c37" : "#f4f6f8";
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(this.canvas, 0, 0);
    copy.toBlob(use, "image/png");
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    [this.width, this.height] = [clientWidth || 1, clientHeight || 1];
    this.stage.resize(this.width, this.height, this.insets());
    outlineSize(this.width, this.height);
    this.render();
  }

  // What covers the sides of the picture, in pixels.
  insets() {
    return { ...INSETS, right: this.legend?.width() ?? 0 };
  }

  refit(name = "best") {
    this.size = this.extent(this.poses ?? {});
    this.stage.camera.near = 0.01 * this.size;
    this.stage.camera.far = 60 * this.size;
    this.stage.controls.minDistance = 0.05 * this.size;
    this.stage.controls.maxDistance = 20 * this.size;
    this.stage.light(this.size);
    this.addFloor((this.swept ?? this.box).clone().applyMatrix4(this.world.matrixWorld));
    this.view(name);
  }

  view(name) {
    if (this.width) this.stage.resize(this.width, this.height, this.insets()); // a legend may have come or gone
    else this.resize();
    const corners = [];
    const box = this.box ?? new Box3(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 0.6));
    this.world.updateMatrixWorld();
    for (const x of [box.min.x, box.max.x]) for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z]) corners.push({ place: this.world.localToWorld(new Vector3(x, y, z)), radius: 0 });
    const direction = name === "present" ? this.stage.camera.position.clone().sub(this.stage.controls.target) : new Vector3(...VIEWS[name]);
    fit(this.stage.camera, this.stage.controls, corners, direction, { width: this.width, height: this.height }, this.insets());
    this.fitted = this.items.length > 1 ? box.clone() : null;
    this.stage.aim(box.getCenter(new Vector3()));
    this.stage.camera.updateMatrixWorld(true); // what is under the mouse is asked for before the next picture
    this.render();
  }

  // Turn the view about its centre by angles, or go nearer by a factor.
  turnView(about, over, nearer = 1) {
    const { camera, controls } = this.stage;
    const offset = camera.position.clone().sub(controls.target).multiplyScalar(1 / nearer);
    const polar = offset.angleTo(camera.up);
    const side = new Vector3().crossVectors(camera.up, offset).normalize();
    offset.applyAxisAngle(side, Math.min(Math.max(polar + over, 0.05), Math.PI - 0.05) - polar).applyAxisAngle(camera.up, about);
    camera.position.copy(controls.target).add(offset);
    controls.update();
    this.render();
  }

  ray(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height), this.stage.camera);
    return { ray, x, y };
  }

  // What lies under the mouse: a joint, or a body with the point that was hit.
  pick(event) {
    const { ray } = this.ray(event);
    const marks = [...this.marks.values()].filter((mark) => mark.visible);
    const onMark = ray.intersectObjects(marks, true)[0];
    if (onMark) {
      let o = onMark.object;
      while (!o.userData.joint) o = o.parent;
      return { kind: "joint", name: o.userData.joint, place: onMark.point };
    }
    const hit = ray.intersectObjects(this.objects, true).find((h) => h.object.isMesh && h.object.material !== HIGHLIGHT && !this.section.leavesOut(h.point));
    if (!hit) return null;
    if (hit.object.userData.filling) Object.assign(hit, { point: this.section.onPlane(ray.ray) ?? hit.point, face: null }); // what is seen lies on the cut
    const k = this.objects.findIndex((o) => o === hit.object || o.getObjectById(hit.object.id));
    return { kind: "body", name: this.items[k].name, hit, ray: ray.ray, place: hit.point, local: this.objects[k].worldToLocal(hit.point.clone()).toArray() };
  }

  // The point of inference under the mouse, or what of a body's surface has been hit, or a point of the grid in the working plane.
  snap(event, plane, free = false, hit = null) {
    const { ray, x, y } = this.ray(event);
    this.world.updateMatrixWorld(true);
    const found = free ? null : nearest(snapPoints(this.items, this.objects, this.joints, this.world), this.stage.camera, this.width, this.height, x, y, hit?.kind === "body" && hit.name !== "ground" ? hit.place : null);
    let place = found?.place;
    if (!place && hit?.kind === "body" && hit.name !== "ground") return this.onSurface(hit, free, x, y);
    if (!place) {
      place = ray.ray.intersectPlane(plane ?? new Plane(new Vector3(0, 1, 0), 0), new Vector3());
      if (!place) return null;
      const cell = this.ground.cell / 5;
      if (!free) place.set(...place.toArray().map((c) => Math.round(c / cell) * cell));
    }
    const world = this.world.worldToLocal(place.clone()).toArray().map((c) => Number(c.toFixed(9)));
    return { place, world, name: found?.name ?? "grid", body: found?.body ?? null, axis: found?.axis ?? null };
  }

  // A point of a body's surface with the axis there: along an edge, of a cylinder, across a face.
  onSurface({ name: body, hit, ray }, free, x, y) {
    const k = this.items.findIndex((item) => item.name === body);
    const pixels = (place) => {
      const p = place.clone().project(this.stage.camera);
      return [((p.x + 1) * this.width) / 2, ((1 - p.y) * this.height) / 2];
    };
    const { name, place, axis } = free ? { name: "point", place: hit.point, axis: null } : surfaceUnder(this.items[k], this.objects[k], hit, ray, pixels, x, y);
    const back = this.world.quaternion.clone().invert();
    const tidy = (v) => v.toArray().map((c) => Number(c.toFixed(6)) + 0);
    return { place, world: tidy(this.world.worldToLocal(place.clone())), name, body, axis: axis ? tidy(axis.clone().applyQuaternion(back)) : null };
  }

  // The point of inference at a place that was typed.
  known(world) {
    const place = this.world.localToWorld(new Vector3(...world));
    this.world.updateMatrixWorld(true);
    const found = snapPoints(this.items, this.objects, this.joints, this.world).find((point) => point.body !== "ground" && point.place.distanceTo(place) < 1e-6 * this.size);
    return { place, name: found?.name ?? "typed", body: found?.body ?? this.onlySelected(), axis: found?.axis ?? null };
  }

  // The body that is selected, if it is one: a typed point belongs to it.
  onlySelected() {
    const bodies = [...this.selected].filter((id) => id.startsWith("bodies/"));
    return bodies.length === 1 ? bodies[0].slice(7) : null;
  }

  // The axis of the drawing along which one looks most.
  viewAxis() {
    const back = this.world.quaternion.clone().invert();
    return nearestLetter(this.stage.camera.getWorldDirection(new Vector3()).applyQuaternion(back).toArray());
  }

  // The axis of the drawing that points sideways on the screen.
  sideAxis() {
    const back = this.world.quaternion.clone().invert();
    return nearestLetter(new Vector3(1, 0, 0).applyQuaternion(this.stage.camera.quaternion).applyQuaternion(back).toArray());
  }

  // Show the points of inference of a body.
  showPoints(name) {
    if (name === this.pointsOf) return;
    this.pointsOf = name;
    this.dots?.removeFromParent();
    this.dots = null;
    if (name) {
      const places = snapPoints(this.items, this.objects, this.joints, this.world).filter((point) => point.body === name).flatMap((point) => point.place.toArray());
      this.dots = new Points(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(places), 3)), new PointsMaterial({ color: "#f03e3e", size: 5, sizeAttenuation: false, depthTest: false, transparent: true, opacity: 0.75, toneMapped: false }));
      this.dots.renderOrder = 8;
      this.stage.scene.add(this.dots);
    }
    this.render();
  }

  // The point that the mouse would take, a line from another one, and the axis there.
  showHint(place, from = null, axis = null) {
    this.axisLine.visible = Boolean(place && axis);
    if (place && axis) {
      const half = new Vector3(...axis).applyQuaternion(this.world.quaternion).multiplyScalar(0.12 * this.size);
      this.axisLine.geometry.attributes.position.array.set([...place.clone().sub(half).toArray(), ...place.clone().add(half).toArray()]);
      this.axisLine.geometry.attributes.position.needsUpdate = true;
      this.axisLine.frustumCulled = false;
    }
    this.hint.visible = Boolean(place);
    if (place) {
      this.hint.position.copy(place);
      this.hint.scale.setScalar(0.006 * this.stage.camera.position.distanceTo(place)); // as large on the screen from near and far
    }
    this.line.visible = Boolean(place && from);
    if (place && from) {
      this.line.geometry.attributes.position.array.set([...from.toArray(), ...place.toArray()]);
      this.line.geometry.attributes.position.needsUpdate = true;
      this.line.frustumCulled = false;
    }
    this.render();
  }

  // The point of a plane through `place`, facing the camera, that is under the mouse.
  inPlaneOf(event, place) {
    const { ray } = this.ray(event);
    const normal = this.stage.camera.getWorldDirection(new Vector3());
    const found = ray.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, place), new Vector3());
    return found ? this.world.worldToLocal(found) : null;
  }

  // Where a point is on the screen, in pixels of the window: for tests, and for tips.
  onScreen(point) {
    const box = this.canvas.getBoundingClientRect();
    const p = this.world.localToWorld(new Vector3(...point)).project(this.stage.camera);
    return [box.left + ((p.x + 1) * box.width) / 2, box.top + ((1 - p.y) * box.height) / 2];
  }

  // The mechanism, and the axes of the world in the corner that a legend leaves free.
  draw() {
    this.stage.render();
    if (!this.corner?.turn.equals(this.world.quaternion)) this.corner = { turn: this.world.quaternion.clone(), axes: new Gizmo(this.world.quaternion) };
    if (this.axes.visible) this.corner.axes.draw(this.stage, this.width ?? 1, this.height ?? 1, 4, this.legend.width());
  }

  render() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
      this.rendered = (this.rendered ?? 0) + 1;
    });
  }
}
