// Entry: reads the data of the page, opens the viewer, and offers `window.sharnir` to scripts.
// The address may end in "#t=1.5" (start there, paused) or "#paused".

import style from "./style.css";
import { Viewer } from "./viewer.js";

function start() {
  const root = document.querySelector("#sharnir");
  document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
  const data = JSON.parse(document.querySelector("#sharnir-data").textContent);
  let viewer;
  try {
    viewer = new Viewer(root, data);
  } catch (error) {
    root.innerHTML = '<p class="sorry"></p>';
    root.firstChild.textContent = `The 3D view could not start (${error.message}). It needs a browser with WebGL.`;
    throw error;
  }
  const hash = new URLSearchParams(location.hash.slice(1));
  if (hash.has("t")) viewer.scrub(Number(hash.get("t")));
  else if (!hash.has("paused") && data.autoplay && !matchMedia("(prefers-reduced-motion: reduce)").matches) viewer.player.toggle(true);
  viewer.render();
  return viewer;
}

const api = { ready: false };
window.sharnir = api;
const viewer = start();
Object.assign(api, {
  ready: true,
  viewer,
  setTime(t) {
    viewer.scrub(t);
    viewer.render();
  },
  play: () => viewer.player.toggle(true),
  pause: () => viewer.player.toggle(false),
  act: (name) => viewer.act(name),
  state() {
    const { player, options, objects, look } = viewer;
    return {
      time: player.time, start: player.start, end: player.end, playing: player.playing, speed: player.speed, repeat: player.repeat, look,
      frames: viewer.motion.times.length, rendered: viewer.rendered, options: { ...options },
      displacement: viewer.deformation.active ? viewer.deformation.state() : null,
      traces: [...viewer.traces.lines.keys()].map((k) => viewer.data.items[k].name),
      bodies: Object.fromEntries(objects.map((o) => [o.userData.name, { position: o.position.toArray(), rotation: [o.quaternion.w, o.quaternion.x, o.quaternion.y, o.quaternion.z] }])),
    };
  },
});
