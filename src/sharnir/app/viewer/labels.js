// Labels: names that float beside bodies, as crisp text over the picture.

import { Vector3 } from "three";

export class Labels {
  constructor(root, objects) {
    this.layer = root.querySelector(".labels");
    this.visible = false;
    this.bodies = objects.filter((o) => !o.userData.still).map((object) => this.make(object.userData.name, object.userData.color, object, object.userData.handle));
    this.point = new Vector3();
  }

  make(text, color, object, point) {
    const element = document.createElement("span");
    element.className = "label";
    element.textContent = text;
    element.style.setProperty("--color", color);
    this.layer.append(element);
    return { element, object, point };
  }

  update(camera, width, height) {
    for (const { element, object, point } of this.bodies) {
      element.hidden = !this.visible;
      if (!this.visible) continue;
      const p = object.localToWorld(this.point.copy(point)).project(camera);
      element.hidden = p.z > 1 || Math.abs(p.x) > 1.05 || Math.abs(p.y) > 1.05;
      element.style.transform = `translate(${(((p.x + 1) * width) / 2).toFixed(1)}px, ${(((1 - p.y) * height) / 2).toFixed(1)}px)`;
    }
  }
}
