// Labels: names that float beside bodies and at the tips of the axes, as crisp text over the picture.

import { Vector3 } from "three";
import { AXIS_COLORS } from "./theme.js";

export class Labels {
  constructor(root, objects, axes) {
    this.layer = root.querySelector(".labels");
    this.visible = false;
    this.bodies = objects.filter((o) => !o.userData.still).map((object) => this.make(object.userData.name, object.userData.color, "label", object, object.userData.handle));
    this.tips = axes.userData.tips.map((tip) => this.make(tip.name, AXIS_COLORS[tip.name], "tip", axes, tip.point));
    this.point = new Vector3();
  }

  make(text, color, kind, object, point) {
    const element = document.createElement("span");
    element.className = kind;
    element.textContent = text;
    element.style.setProperty("--color", color);
    this.layer.append(element);
    return { element, object, point };
  }

  update(camera, width, height, axesVisible) {
    this.place(this.bodies, this.visible, camera, width, height);
    this.place(this.tips, axesVisible, camera, width, height);
  }

  place(entries, visible, camera, width, height) {
    for (const { element, object, point } of entries) {
      element.hidden = !visible;
      if (!visible) continue;
      const p = object.localToWorld(this.point.copy(point)).project(camera);
      element.hidden = p.z > 1 || Math.abs(p.x) > 1.05 || Math.abs(p.y) > 1.05;
      element.style.transform = `translate(${(((p.x + 1) * width) / 2).toFixed(1)}px, ${(((1 - p.y) * height) / 2).toFixed(1)}px)`;
    }
  }
}
