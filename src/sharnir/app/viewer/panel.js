// What a person presses: buttons, slider, menus and keys. Every action is a method of the viewer.

import { ICONS } from "./icons.js";
import { SPEEDS } from "./player.js";

const BUTTONS = [
  ["fit", "Fit view", "F"], ["follow", "Follow the motion", "C"], ["labels", "Names of bodies", "L"], ["trace", "Trace of a body", "T"], ["grid", "Floor", "G"],
  ["axes", "Axes", "A"], ["plots", "Plots", "P"], ["curves", "Choose curves", "V"], ["look", "Light or dark", "D"], ["picture", "Save a picture", "S"], ["help", "Keys", "?"],
];
const ELASTIC = ["colors", "Colours of displacements", "E"];
const ELASTIC_KEYS = [
  ["E", "colours of displacements"], ["M", "colour by magnitude, x, y, z"], ["[ ]", "deformation drawn smaller / larger"], ["U", "undeformed bodies"],
];
const KEYS = [
  ["Space", "play / pause"], ["← →", "one frame back / on (with Shift: ten)"], ["↑ ↓", "faster / slower"], ["Home End", "first / last frame"],
  ["1 2 3 4", "view: best, front, side, top"], ["R", "repeat"], ...BUTTONS.map(([, text, key]) => [key, text.toLowerCase()]),
  ["Drag", "turn; right button: move; wheel: zoom"], ["Click on a body", "its trace"],
];

const keyRow = ([key, text]) => `<dt>${key}</dt><dd>${text}</dd>`;
const button = (name, text, key) => `<button data-do="${name}" title="${text} (${key})" aria-label="${text}">${ICONS[name]}</button>`;

export const PAGE = `
  <canvas class="picture" aria-label="3D view"></canvas>
  <div class="labels"></div>
  <header><h1></h1><p class="clock"></p></header>
  <nav class="tools" aria-label="View">${BUTTONS.map(([name, text, key]) => `${button(name, text, key)}`).join("")}</nav>
  <div class="menu" data-of="trace" hidden></div>
  <div class="menu" data-of="curves" hidden></div>
  <aside class="legend" aria-label="Displacements" hidden></aside>
  <div class="help" hidden><h2>Keys</h2><dl>${KEYS.map(keyRow).join("")}</dl></div>
  <footer>
    <div class="plots"></div>
    <div class="bar">
      <button data-do="play" class="play" title="Play or pause (Space)" aria-label="Play or pause"></button>
      <div class="track"><input type="range" min="0" max="1" step="any" value="0" aria-label="Time"><div class="events"></div></div>
      <output class="time"></output>
      <select class="speed" title="Speed (↑ ↓)" aria-label="Speed"></select>
      <button data-do="repeat" title="Repeat (R)" aria-label="Repeat">${ICONS.repeat}</button>
    </div>
  </footer>`;

export class Panel {
  constructor(root, viewer) {
    Object.assign(this, { root, viewer });
    this.find = (name) => root.querySelector(name);
    this.slider = this.find(".track input");
    this.speed = this.find(".speed");
    const data = viewer.data;
    this.find("h1").textContent = data.title;
    this.digits = 3 + Math.min(Math.max(-Math.floor(Math.log10(viewer.player.span || 1)), 0), 4);
    this.addSpeeds();
    this.addEvents(data.events);
    this.addTraceMenu(data.items);
    this.addCurveMenu(viewer.plots);
    if (viewer.deformation.active) {
      this.find(".tools [data-do=look]").insertAdjacentHTML("beforebegin", button(...ELASTIC));
      this.find(".help dl").insertAdjacentHTML("beforeend", ELASTIC_KEYS.map(keyRow).join(""));
    }
    root.addEventListener("click", (event) => {
      const action = event.target.closest("[data-do]")?.dataset.do;
      if (!action) return;
      viewer.act(action);
      if (event.detail) event.target.closest("button").blur(); // pressed with the mouse: keys belong to the page again
    });
    this.slider.addEventListener("input", () => viewer.scrub(viewer.player.start + this.slider.value * viewer.player.span));
    this.speed.addEventListener("change", () => viewer.setSpeed(Number(this.speed.value)));
    window.addEventListener("keydown", (event) => this.key(event));
  }

  addSpeeds() {
    const speeds = [...new Set([...SPEEDS, this.viewer.player.speed])].sort((a, b) => a - b);
    this.speed.append(...speeds.map((s) => new Option(`${s}×`, s)));
  }

  addEvents(events) {
    const { start, span } = this.viewer.player;
    for (const event of events) {
      const mark = document.createElement("i");
      mark.style.left = `${(100 * (event.t - start)) / (span || 1)}%`;
      mark.title = `${event.name} at ${event.t} s`;
      this.find(".events").append(mark);
    }
  }

  addTraceMenu(items) {
    const menu = this.find(".menu[data-of=trace]");
    items.forEach((item, k) => {
      if (item.still) return;
      const row = document.createElement("label");
      const box = Object.assign(document.createElement("input"), { type: "checkbox" });
      box.dataset.item = k;
      box.addEventListener("change", () => this.viewer.trace(k, box.checked));
      const name = document.createElement("span");
      name.textContent = item.name;
      name.style.setProperty("--color", this.viewer.objects[k].userData.color);
      row.append(box, name);
      menu.append(row);
    });
  }

  // All curves of the page by their units.
  addCurveMenu(plots) {
    const menu = this.find(".menu[data-of=curves]");
    this.find("[data-do=curves]").hidden = !plots.groups.length;
    for (const { quantity, unit, curves } of plots.groups) {
      const head = document.createElement("h3");
      head.textContent = unit ? `${quantity} [${unit}]` : quantity;
      menu.append(head);
      for (const curve of curves) {
        const row = document.createElement("label");
        const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: curve.shown });
        box.addEventListener("change", () => {
          plots.show(curve, box.checked);
          this.viewer.options.plots = plots.any;
          this.viewer.applyOptions();
        });
        row.append(box, curve.name);
        menu.append(row);
      }
    }
  }

  openMenu(name) {
    this.root.querySelectorAll(".menu").forEach((menu) => (menu.hidden = menu.dataset.of !== name || !menu.hidden));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("select, [type=number]")) return;
    if (event.key === " " && event.target.matches?.("button")) return;
    const viewer = this.viewer;
    const step = event.shiftKey ? 10 : 1;
    const actions = {
      " ": () => viewer.act("play"), k: () => viewer.act("play"), ArrowLeft: () => viewer.frame(-step), ArrowRight: () => viewer.frame(step),
      ArrowUp: () => viewer.faster(1), ArrowDown: () => viewer.faster(-1), Home: () => viewer.scrub(viewer.player.start),
      End: () => viewer.scrub(viewer.player.end), r: () => viewer.act("repeat"), Escape: () => this.close(),
      1: () => viewer.view("best"), 2: () => viewer.view("front"), 3: () => viewer.view("side"), 4: () => viewer.view("top"),
      ...Object.fromEntries(BUTTONS.map(([name, , key]) => [key.toLowerCase(), () => viewer.act(name)])),
    };
    if (viewer.deformation.active) {
      const elastic = { e: "colors", u: "ghost", m: "component", "[": "smaller", "]": "larger" };
      for (const [key, name] of Object.entries(elastic)) actions[key] = () => viewer.act(name);
    }
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  close() {
    this.openMenu("");
    this.find(".help").hidden = true;
  }

  // Show the present state on all the buttons.
  update() {
    const { player, options } = this.viewer;
    const part = player.span > 0 ? (player.time - player.start) / player.span : 0;
    this.slider.value = part;
    this.slider.style.setProperty("--part", `${100 * part}%`);
    this.find(".time").textContent = `${player.time.toFixed(this.digits)} / ${player.end.toFixed(this.digits)} s`;
    const { active, scale, colors } = this.viewer.deformation;
    this.find(".clock").textContent = `t = ${player.time.toFixed(this.digits)} s${active && scale !== 1 ? ` · deformation × ${scale}` : ""}`;
    this.find("[data-do=colors]")?.classList.toggle("on", colors);
    const state = player.playing ? "pause" : "play";
    if (this.find(".play").dataset.state !== state) {
      this.find(".play").dataset.state = state;
      this.find(".play").innerHTML = ICONS[state];
    }
    if (Number(this.speed.value) !== player.speed) this.speed.value = player.speed;
    this.find("[data-do=repeat]").classList.toggle("on", player.repeat);
    for (const name of ["labels", "grid", "axes", "plots", "follow"]) this.find(`[data-do=${name}]`).classList.toggle("on", options[name]);
    this.find("[data-do=trace]").classList.toggle("on", this.viewer.traces.lines.size > 0);
    this.root.querySelectorAll(".menu [data-item]").forEach((box) => (box.checked = this.viewer.traces.lines.has(Number(box.dataset.item))));
  }
}
