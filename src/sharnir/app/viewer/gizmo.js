// The axes of the world in a corner of the picture: they turn with the view and cover nothing.

import { CanvasTexture, OrthographicCamera, Scene, Sprite, SpriteMaterial, SRGBColorSpace } from "three";
import { makeAxes } from "./ground.js";
import { AXIS_COLORS } from "./theme.js";

const SIDE = 92; // pixels

function letter(name) {
  const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
  const pen = canvas.getContext("2d");
  pen.font = "italic 600 46px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = AXIS_COLORS[name];
  pen.fillText(name, 32, 32);
  const sprite = new Sprite(new SpriteMaterial({ map: Object.assign(new CanvasTexture(canvas), { colorSpace: SRGBColorSpace }), depthTest: false, toneMapped: false }));
  sprite.scale.setScalar(0.62);
  return sprite;
}

export class Gizmo {
  constructor(turn) {
    this.scene = new Scene();
    this.camera = new OrthographicCamera(-1.6, 1.6, 1.6, -1.6, 0.1, 10);
    const axes = makeAxes(1.0, 2.2);
    axes.quaternion.copy(turn);
    for (const { name, point } of axes.userData.tips) {
      const sprite = letter(name);
      sprite.position.copy(point).multiplyScalar(1.12);
      axes.add(sprite);
    }
    this.scene.add(axes);
  }

  // Over the finished picture, at the right above what covers the lower edge and beside what covers the right one.
  draw({ renderer, camera }, width, height, bottom, right = 0) {
    this.camera.quaternion.copy(camera.quaternion);
    this.camera.position.set(0, 0, 5).applyQuaternion(camera.quaternion);
    const side = Math.min(SIDE, 0.3 * width, 0.3 * height);
    renderer.autoClear = false;
    renderer.clearDepth();
    renderer.setViewport(width - right - side - 12, bottom, side, side);
    renderer.render(this.scene, this.camera);
    renderer.setViewport(0, 0, width, height);
    renderer.autoClear = true;
  }
}
