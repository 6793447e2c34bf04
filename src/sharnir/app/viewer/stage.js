// The stage: renderer, camera, lights with soft shadows, and the camera controls.

import {
  DirectionalLight, HemisphereLight, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, PMREMGenerator, Scene, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";

const LIGHT_FROM = new Vector3(-0.42, -0.72, 1.15).normalize();

// Whether pictures are drawn plainly, without shadows, reflections and smoothed edges: where the browser draws without a graphics
// card (virtual machines, remote desktops) these take most of a second per picture. `?quality=full` or `plain` in the address decides otherwise.
export function drawsPlainly() {
  const wanted = new URLSearchParams(window.location.search).get("quality");
  if (wanted === "full" || wanted === "plain") return wanted === "plain";
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl?.getExtension("WEBGL_debug_renderer_info");
  const card = names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|basic render|software/i.test(card);
}

export class Stage {
  constructor(canvas, box, size) {
    this.plain = drawsPlainly();
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.plain, alpha: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = !this.plain;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(30, 1, 0.01 * size, 60 * size);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.minDistance = 0.05 * size;
    this.controls.maxDistance = 20 * size;
    this.controls.zoomToCursor = true;
    this.addLights(size);
    this.aim(box.getCenter(new Vector3()));
  }

  addLights(size) {
    if (!this.plain) {
      const room = new PMREMGenerator(this.renderer);
      this.scene.environment = room.fromScene(new RoomEnvironment(), 0.04).texture;
      room.dispose();
    }
    this.sky = new HemisphereLight("#ffffff", "#b6bec8", this.plain ? 2.0 : 0.4);
    this.sky.position.set(0, 0, 1);
    this.sun = new DirectionalLight("#fff8ee", 2.3);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.intensity = 0.85;
    this.sun.shadow.bias = -4e-4;
    this.light(size);
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  // How far light and shadows reach.
  light(size) {
    const { shadow } = this.sun;
    shadow.normalBias = 0.0025 * size;
    const reach = 0.75 * size;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * size, far: 4 * size });
    shadow.camera.updateProjectionMatrix();
    this.reach = 2 * size;
  }

  // Let the light fall onto a place.
  aim(center) {
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(LIGHT_FROM, this.reach);
  }

  setLook(look) {
    this.sun.intensity = look.light;
    this.scene.environmentIntensity = look.sky;
    if (this.plain) this.sky.intensity = 2.0 * look.sky;
  }

  resize(width, height, insets) {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    // what is centred lies in the middle of the part that no panel covers
    this.camera.setViewOffset(width, height, ((insets.right ?? 0) - insets.left) / 2, (insets.bottom - insets.top) / 2, width, height);
    this.camera.updateProjectionMatrix();
  }

  render() {
    this.renderer.render(this.scene, this.camera);
  }
}
