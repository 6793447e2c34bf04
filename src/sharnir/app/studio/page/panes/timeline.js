// The time line: play, scrub, events, and the runs that are kept.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";
import { Player, SPEEDS } from "../../../viewer/player.js";
import { ICONS } from "../../../viewer/icons.js";

const SHORT = 2; // s, of a motion that can be watched

export class Timeline {
  constructor(root, studio) {
    Object.assign(this, { studio, times: [] });
    this.player = new Player(0, 0, 1);
    this.play = h("button", { type: "button", "aria-label": "Play or pause", title: "Play or pause (Space)", onclick: () => this.toggle() });
    this.slider = h("input", { type: "range", min: "0", max: "1", step: "any", value: "0", "aria-label": "Time", oninput: () => this.seek(this.player.start + Number(this.slider.value) * this.player.span) });
    this.events = h("div", { class: "events" });
    this.clock = h("output", { class: "clock", "aria-label": "Present time" }, "no run yet");
    this.speed = h("select", { "aria-label": "Speed of playing", onchange: () => this.chooseSpeed(Number(this.speed.value), true) }, SPEEDS.map((s) => new Option(`${s}×`, s)));
    this.speed.value = "1";
    this.runs = h("div", { class: "runs", role: "group", "aria-label": "Runs" });
    fill(root, this.play, h("div", { class: "track" }, this.slider, this.events), this.clock, this.speed, this.runs);
    this.drawPlay();
    const loop = (now) => {
      if (this.player.advance(now)) this.show();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  chooseSpeed(speed, byHand = false) {
    this.byHand ||= byHand;
    this.player.speed = speed;
    this.speed.value = String(speed);
  }

  // A run that would be over at once is played slowly, unless somebody has chosen a speed.
  slowDown(span) {
    if (this.byHand) return;
    this.chooseSpeed(span < SHORT ? SPEEDS.findLast((speed) => span / speed >= SHORT) ?? SPEEDS[0] : 1);
  }

  drawPlay() {
    this.play.innerHTML = this.player.playing ? ICONS.pause : ICONS.play;
  }

  // The span of a run, with its events.
  load(start, end, events = []) {
    const { speed, playing } = this.player;
    this.player = new Player(start, end, speed);
    this.player.toggle(playing);
    this.times = events.map((event) => event.t);
    fill(this.events, events.map((event) => this.sign(event, start, end)));
    this.show();
    this.drawPlay();
  }

  // An event, or a change of the model, at its place on the line; a click leads there.
  sign(event, start, end) {
    return h("i", { class: event.change ? "change" : "", title: `${event.name} at t = ${Number(event.t.toPrecision(6))} s`, onclick: () => this.seek(event.t), style: { left: `${(100 * (event.t - start)) / (end - start || 1)}%` } });
  }

  // A run that goes on: how far it is.
  follow(t, end, marks) {
    this.player.toggle(false);
    this.drawPlay();
    this.slider.value = end > 0 ? t / end : 0;
    this.slider.style.setProperty("--part", `${end > 0 ? (100 * t) / end : 0}%`);
    this.clock.textContent = `${t.toFixed(3)} / ${end.toFixed(3)} s`;
    if (marks) fill(this.events, marks.map((mark) => this.sign(mark, 0, end)));
  }

  // The event after or before the present time.
  toEvent(step) {
    const { time, span } = this.player;
    const times = this.times.filter((t) => (t - time) * step > 1e-9 * (span || 1)).sort((a, b) => (a - b) * step);
    if (times.length) this.seek(times[0]);
  }

  toggle(on) {
    this.player.toggle(on);
    this.drawPlay();
  }

  seek(t) {
    this.player.toggle(false);
    this.player.seek(t);
    this.drawPlay();
    this.show();
  }

  show() {
    const { time, start, span, end } = this.player;
    this.slider.value = span > 0 ? (time - start) / span : 0;
    this.slider.style.setProperty("--part", `${span > 0 ? (100 * (time - start)) / span : 0}%`);
    this.clock.textContent = span > 0 ? `${time.toFixed(3)} / ${end.toFixed(3)} s` : "no run yet";
    this.studio.showTime(time);
  }

  drawRuns() {
    const { runs, shown, running } = this.studio;
    const seen = (run) => run.name === shown && running.inView;
    fill(this.runs, [...runs.values()].map((run) =>
      h("span", { class: `run${run.name === shown ? " shown" : ""}${seen(run) ? " seen" : ""}` },
        h("button", { type: "button", "aria-label": `Show run ${run.name} in the picture`, "aria-pressed": String(seen(run)), title: run.title, onclick: () => this.studio.showRun(run.name) }, run.name),
        h("label", { title: "Show as a ghost and in plots" }, h("input", { type: "checkbox", checked: run.ghost, "aria-label": `Compare run ${run.name}`, onchange: (event) => this.studio.compare(run.name, event.target.checked) }), icon("compare")))));
  }
}
