// A section: bodies are cut by a plane across an axis of the drawing, and the half on its near side is left out. Where the plane
// cuts a solid one looks onto its back faces from inside; they are painted plainly, with hatching, so that the cut looks filled.

import { BackSide, FrontSide, Mesh, MeshBasicMaterial, Plane, Vector3 } from "three";

const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
const HATCHING = "if (mod(gl_FragCoord.x + gl_FragCoord.y, 9.0) < 1.4) outgoingLight *= 0.62;\n#include <opaque_fragment>";
const DARKER = 0.72;

// The painted inside of bodies of one colour.
function filling(color, planes) {
  const material = new MeshBasicMaterial({ color: color.clone().multiplyScalar(DARKER), side: BackSide, clippingPlanes: planes });
  material.onBeforeCompile = (shader) => (shader.fragmentShader = shader.fragmentShader.replace("#include <opaque_fragment>", HATCHING));
  return material;
}

export class Section {
  constructor(picture) {
    Object.assign(this, { picture, on: false, axis: "y", at: 0, flipped: false, plane: new Plane(), fillings: [] });
  }

  // Cut across the axis along which one looks, through the middle; or no longer.
  toggle(on = !this.on) {
    this.on = on;
    if (on) this.across("xyz"[this.picture.viewAxis().indexOf(1)]);
    this.apply();
    return on;
  }

  // Another axis: the cut goes through the middle, and what is nearer than it is left out.
  across(axis) {
    const [low, high] = this.span(axis);
    const towards = this.outward(axis).dot(this.picture.stage.camera.position.clone().sub(this.picture.stage.controls.target));
    Object.assign(this, { axis, at: 0.5 * (low + high), flipped: towards < 0 });
    this.place();
  }

  moveTo(at) {
    this.at = at;
    this.place();
  }

  flip() {
    this.flipped = !this.flipped;
    this.place();
  }

  // From where to where bodies reach along an axis.
  span(axis) {
    const box = this.picture.swept ?? this.picture.box;
    return box ? [box.min[axis], box.max[axis]] : [-1, 1];
  }

  // An axis of the drawing in the picture.
  outward(axis) {
    return new Vector3(...AXES[axis]).applyQuaternion(this.picture.world.quaternion);
  }

  // What has a negative distance from the plane is left out.
  place() {
    const outward = this.outward(this.axis);
    const sign = this.flipped ? 1 : -1;
    this.plane.normal.copy(outward).multiplyScalar(sign);
    this.plane.constant = -sign * this.at;
    this.picture.render();
  }

  // As materials take them.
  get planes() {
    return this.on ? [this.plane] : null;
  }

  leavesOut(point) {
    return this.on && this.plane.distanceToPoint(point) < 0;
  }

  // Where a ray meets the plane: the place of what is seen of a cut.
  onPlane(ray) {
    return ray.intersectPlane(this.plane, new Vector3());
  }

  // Cut what is drawn now; called again when other bodies are drawn.
  apply() {
    const { picture } = this;
    picture.stage.renderer.localClippingEnabled = this.on;
    for (const mesh of this.fillings) {
      mesh.removeFromParent();
      mesh.material.dispose();
    }
    this.fillings = [];
    const { planes } = this;
    const solids = [];
    for (const root of [...picture.objects, picture.springs?.group]) root?.traverse((o) => {
      if (!o.material || belongsToJoint(o)) return;
      for (const material of [o.material].flat()) Object.assign(material, { clippingPlanes: planes, clipShadows: true, needsUpdate: true });
      if (this.on && o.isMesh && o.material.side === FrontSide && !o.userData.mark) solids.push(o);
    });
    for (const solid of solids) {
      const mesh = new Mesh(solid.geometry, filling(solid.material.color, planes));
      mesh.userData.filling = true;
      solid.add(mesh);
      this.fillings.push(mesh);
    }
    this.place();
  }
}

function belongsToJoint(o) {
  for (let at = o; at; at = at.parent) if (at.userData.joint) return true;
  return false;
}
