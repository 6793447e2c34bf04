// The colours of displacements and their scale, beside the picture of a run with flexible bodies: the viewer's legend.

import { h } from "../dom.js";
import { Legend } from "../../../viewer/flexible/legend.js";

export class ColourLegend {
  constructor(root, picture) {
    Object.assign(this, { root, picture });
    this.box = root.appendChild(h("aside", { class: "legend", hidden: true, "aria-label": "Colours of displacements" }));
  }

  // The legend of the deformation that is drawn now; none before a run.
  update() {
    const { deformation } = this.picture;
    if (deformation !== this.deformation) {
      this.deformation = deformation;
      this.legend = deformation?.active ? new Legend(this.root, this.viewer(deformation)) : null;
    }
    if (this.legend) this.legend.update();
    else this.box.hidden = true;
  }

  // How much of the right side it covers, in pixels.
  width() {
    return this.box.hidden ? 0 : this.box.offsetWidth + 10;
  }

  // What the viewer's legend asks of its viewer.
  viewer(deformation) {
    const { picture } = this;
    return {
      deformation, data: deformation.data, applyOptions: () => deformation.apply(),
      set dirty(is) {
        picture.deform(picture.time);
        picture.render();
      },
    };
  }
}
