// The screen: title bar, panes that can be resized and hidden, status line.

import { fill, h } from "../dom.js";
import { icon } from "../icons.js";

const SIZES = { left: [200, 250, 520], right: [240, 340, 620], bottom: [90, 230, 900] }; // least, to begin with, greatest [px]
const SHARES = { left: 0.13, right: 0.17, bottom: 0.27 }; // of the window, to begin with
const LARGEST = 440; // to begin with

const FLASH = 8000; // ms

export class Layout {
  constructor(root, studio) {
    Object.assign(this, { root, studio, handles: {} });
    this.kept = JSON.parse(localStorage.getItem("studio-layout") ?? "{}");
    this.panes = Object.fromEntries(["tree", "library", "properties", "graph", "equations", "analysis", "timeline", "plots", "runs", "sweep", "messages"].map((name) => [name, h("section", { class: `pane ${name}`, "aria-label": TITLES[name] })]));
    this.canvas = h("canvas", { class: "picture", "aria-label": "3D view", "aria-description": "Arrow keys turn the view, plus and minus zoom", tabindex: "0" });
    this.overlay = h("div", { class: "overlay", "aria-live": "polite" });
    this.welcome = h("div", { class: "welcome", role: "region", "aria-label": "Beginnings" });
    this.runBar = h("div", { class: "run-bar", role: "group", "aria-label": "Run under way", hidden: true });
    this.correction = h("div", { class: "correction", role: "group", "aria-label": "Assembly", hidden: true });
    this.sectionBar = h("div", { class: "section-bar", role: "group", "aria-label": "Section", hidden: true });
    this.view = h("main", { class: "view" }, this.canvas, this.overlay, this.tools(), this.sectionBar, this.correction, this.welcome, this.runBar);
    this.left = this.tabs(["tree", "library"], "left");
    this.right = this.tabs(["properties", "graph", "equations", "analysis"], "right");
    this.help = this.right.root.appendChild(h("p", { class: "help-line", "aria-live": "polite" }));
    this.bottom = this.tabs(["plots", "runs", "sweep", "messages"], "bottom");
    this.newest = h("span", { class: "newest" });
    this.state = h("footer", { class: "status", role: "status" }, this.newest);
    fill(root, this.head(), this.left.root, this.view, this.panes.timeline, this.bottom.root, this.right.root, this.state,
      ...["left", "right", "bottom"].map((side) => this.handle(side)), this.prompt());
    for (const side of Object.keys(SIZES)) this.size(side, this.kept[side] ?? firstSize(side));
    for (const side of this.kept.hidden ?? []) root.classList.add(`no-${side}`);
  }

  head() {
    const button = (text, name, title, extra = {}) => h("button", { type: "button", title, "aria-label": title, onclick: () => this.studio.command(name), ...extra }, text);
    this.heading = h("h1", {});
    this.runButton = button([icon("play"), "Run"], "run", "Run (F5)", { class: "run" });
    this.pauseButton = button(icon("pause"), "pause", "Pause or continue (F6)", { disabled: true });
    this.stopButton = button(icon("stop"), "stop", "Stop (Shift F5)", { disabled: true });
    this.progress = h("progress", { max: "1", value: 0, "aria-label": "Progress of the run", hidden: true });
    return h("header", { class: "head" }, h("strong", { class: "brand" }, "sharnir"), this.heading,
      h("nav", { "aria-label": "File" }, button("New", "new", "New model"), button("Open", "open", "Open a file (Ctrl O)"), button("Save", "save", "Save (Ctrl S)"), button(icon("undo"), "undo", "Undo (Ctrl Z)"), button(icon("redo"), "redo", "Redo (Ctrl Shift Z)")),
      h("nav", { "aria-label": "Run", class: "runner" }, this.runButton, this.pauseButton, this.stopButton, this.progress),
      h("nav", { "aria-label": "Analysis and export" }, h("button", { type: "button", title: "Equilibrium, modes, linear equations, kinematics, sweep, trust", onclick: () => this.studio.offerCommands("analysis", "Analyse") }, "Analyse ▾"), h("button", { type: "button", title: "Export (Ctrl E)", onclick: () => this.studio.command("exports") }, "Export ▾")),
      h("button", { type: "button", class: "search", onclick: () => this.studio.openPalette(), "aria-label": "Commands (Ctrl K)" }, "Commands ", h("kbd", {}, "Ctrl K")),
      h("nav", { "aria-label": "Panes" }, ["left", "bottom", "right"].map((side) => h("button", { type: "button", title: `Show or hide the ${side} pane`, "aria-label": `Show or hide the ${side} pane`, onclick: () => this.toggle(side) }, icon(`pane-${side}`))),
        h("button", { type: "button", title: "Light or dark", "aria-label": "Light or dark", class: "icon", onclick: () => this.studio.command("look") }, icon("look"))));
  }

  tools() {
    const tool = (name, text, title) => h("button", { type: "button", title, "aria-label": title, data: { tool: name }, onclick: () => this.studio.command(name) }, text);
    return h("nav", { class: "tools", "aria-label": "Tools" }, tool("draw", icon("draw"), "Draw bars in a plane (P)"), tool("joint", icon("joint"), "Place a joint (J)"), tool("drag", icon("drag"), "Try the mechanism (T)"), tool("move", icon("move"), "Move (G)"), tool("turn", icon("turn"), "Turn (R)"),
      h("i", {}), tool("fit", icon("fit"), "Fit the view (F)"), tool("front", icon("front"), "View from the front (1)"), tool("side", icon("side"), "View from the side (2)"), tool("top", icon("top"), "View from above (3)"), tool("joints", icon("joints"), "Show or hide joint symbols"), tool("through", icon("through"), "See through bodies (X)"), tool("section", icon("section"), "Section (C)"));
  }

  // A tool that is on or off.
  press(name, on) {
    this.root.querySelector(`[data-tool="${name}"]`)?.setAttribute("aria-pressed", String(on));
  }

  // Panes that share a place, one of them shown.
  tabs(names, side) {
    const buttons = new Map(names.map((name) => [name, h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `pane-${name}`, "aria-selected": "false", onclick: () => this.show(name) }, TITLES[name])]));
    const root = h("aside", { class: `${side} tabbed` }, h("div", { role: "tablist", class: "tablist", "aria-label": `Panes on the ${side}`, onkeydown: (event) => this.walk(event, [...buttons.values()]) }, [...buttons.values()]), names.map((name) => this.panes[name]));
    for (const name of names) Object.assign(this.panes[name], { id: `pane-${name}`, role: "tabpanel" });
    const found = { names, buttons, root, side };
    queueMicrotask(() => this.show(names[0], true));
    return found;
  }

  // Arrow keys go from tab to tab.
  walk(event, buttons) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = buttons.indexOf(event.target);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = buttons[(at + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
  }

  show(name, first = false) {
    for (const group of [this.left, this.right, this.bottom]) {
      if (!group?.names.includes(name)) continue;
      this.root.classList.remove(`no-${group.side}`);
      if (group === this.bottom && !first) this.root.classList.remove("beginning");
      for (const other of group.names) {
        this.panes[other].hidden = other !== name;
        group.buttons.get(other).setAttribute("aria-selected", String(other === name));
      }
      if (name === "graph" && this.studio.graph?.stale) this.studio.graph.draw();
      if (name === "equations") this.studio.analyses?.offerEquations();
    }
  }

  // The form of what is selected, unless the graph is in view, where the selection is marked as well.
  showForm() {
    if (!this.panes.equations.hidden || !this.panes.analysis.hidden) this.show("properties");
  }

  badge(name, count) {
    for (const group of [this.left, this.right, this.bottom]) {
      const button = group?.buttons.get(name);
      if (button) fill(button, TITLES[name], count ? h("b", { class: "badge" }, String(count)) : null);
    }
  }

  toggle(side) {
    if (side === "bottom" && this.root.classList.contains("beginning")) return this.show("plots");
    this.root.classList.toggle(`no-${side}`);
    this.keep();
  }

  size(side, pixels) {
    const [least, , most] = SIZES[side];
    const value = Math.min(Math.max(pixels, least), most);
    this.root.style.setProperty(`--${side}`, `${value}px`);
    this.kept[side] = value;
    this.handles[side]?.setAttribute("aria-valuenow", String(Math.round(value)));
  }

  keep() {
    this.kept.hidden = ["left", "right", "bottom"].filter((side) => this.root.classList.contains(`no-${side}`));
    localStorage.setItem("studio-layout", JSON.stringify(this.kept));
  }

  // The line between two panes: dragged with the mouse, or moved with arrow keys.
  handle(side) {
    const element = h("div", { class: `handle ${side}`, role: "separator", tabindex: "0", "aria-label": `Size of the ${side} pane`, "aria-orientation": side === "bottom" ? "horizontal" : "vertical", "aria-valuemin": String(SIZES[side][0]), "aria-valuemax": String(SIZES[side][2]), "aria-valuenow": String(SIZES[side][1]) });
    this.handles[side] = element;
    const move = (event) => {
      const box = this.root.getBoundingClientRect();
      this.size(side, side === "left" ? event.clientX - box.left : side === "right" ? box.right - event.clientX : box.bottom - event.clientY - 26);
    };
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      element.addEventListener("pointermove", move);
    });
    element.addEventListener("pointerup", () => {
      element.removeEventListener("pointermove", move);
      this.keep();
    });
    element.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: side === "left" ? -20 : 20, ArrowRight: side === "left" ? 20 : -20, ArrowUp: 20, ArrowDown: -20 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.size(side, this.kept[side] + step);
      this.keep();
    });
    return element;
  }

  // One line of text, asked for without blocking the page.
  prompt() {
    this.asked = h("label", {});
    this.input = h("input", { type: "text", "aria-labelledby": "asked", autocomplete: "off" });
    this.asked.id = "asked";
    const box = h("form", { class: "prompt", hidden: true, role: "dialog", "aria-labelledby": "asked" }, this.asked, this.input, h("button", { type: "submit" }, "OK"));
    box.addEventListener("submit", (event) => {
      event.preventDefault();
      this.closePrompt();
      const text = this.input.value.trim();
      if (text) this.act?.(text);
    });
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.closePrompt();
    });
    this.promptBox = box;
    return box;
  }

  // The focus goes back to where it was, or to what is selected in the tree.
  closePrompt() {
    this.promptBox.hidden = true;
    if (this.before?.isConnected && this.before !== window.document.body) this.before.focus();
    else this.studio.tree.focus();
  }

  askText(title, value, act) {
    this.before = window.document.activeElement;
    this.act = act;
    this.asked.textContent = title;
    this.input.value = value;
    this.promptBox.hidden = false;
    this.input.focus();
    this.input.select();
  }

  title() {
    const { document } = this.studio;
    const name = document.name || "not saved yet";
    fill(this.heading, h("bdi", {}, document.data.model?.name ?? "model"), h("small", {}, `${name}${document.dirty ? " •" : ""}`));
    window.document.title = `${document.dirty ? "• " : ""}${document.data.model?.name ?? "model"} – sharnir studio`;
  }

  busy(is) {
    this.root.classList.toggle("checking", is);
  }

  status(found) {
    const { document } = this.studio;
    const count = (section, one, many) => `${document.names(section).length} ${document.names(section).length === 1 ? one : many}`;
    const errors = found.problems.filter((p) => p.kind === "error").length;
    const parts = [count("bodies", "body", "bodies"), count("joints", "joint", "joints")];
    if (found.freedoms !== null && found.freedoms !== undefined) parts.push(`${found.freedoms} degree${found.freedoms === 1 ? "" : "s"} of freedom`);
    if (found.redundant?.length) parts.push(`${found.redundant.length} redundant equations`);
    if (errors) parts.push(`${errors} problem${errors === 1 ? "" : "s"}`);
    if (found.redundant?.length) this.state.title = found.redundant.join("\n");
    else this.state.removeAttribute("title");
    fill(this.state, h("span", {}, parts.join(" · ")), this.newest, h("span", { class: "state" }));
    this.inPicture();
  }

  // The newest message stands in the status line for a moment.
  flash(text, kind) {
    Object.assign(this.newest, { className: `newest ${kind}`, textContent: text.split("\n")[0], title: text });
    clearTimeout(this.fading);
    this.fading = setTimeout(() => (this.newest.textContent = ""), FLASH);
  }

  // What the picture shows: a run that is under way, one that is kept, or the model as it is drawn.
  inPicture() {
    const { running, analyses } = this.studio;
    const mode = analyses?.swinging ?? null;
    const place = this.state.querySelector(".state");
    if (place) place.textContent = this.runState || (mode !== null ? `Picture: mode ${mode + 1}` : running?.inView ? `Picture: run ${running.shown}` : running?.runs.size ? "Picture: the model" : "");
  }

  running(state, fraction = 0) {
    const on = state === "running" || state === "paused";
    this.runButton.disabled = on;
    this.pauseButton.disabled = this.stopButton.disabled = !on;
    fill(this.pauseButton, icon(state === "paused" ? "play" : "pause"));
    this.progress.hidden = !on;
    this.progress.value = fraction;
    this.runState = { running: "running …", paused: "paused", "": "" }[state] ?? state;
    this.inPicture();
    this.root.dataset.run = state;
  }
}

const firstSize = (side) => Math.max(SIZES[side][1], Math.min(LARGEST, SHARES[side] * (side === "bottom" ? window.innerHeight : window.innerWidth)));

const TITLES = { tree: "Model", library: "Library", properties: "Properties", graph: "Graph", equations: "Equations", analysis: "Analysis", runs: "Runs", sweep: "Sweep", timeline: "Time line", plots: "Plots", messages: "Messages" };
