// The studio: one document, one selection, the panes that show them, and the commands that change them.

import { shown } from "./dom.js";
import { alongLine, aroundAxis } from "./document/patterns.js";
import { Document, SECTIONS, valueAt, withValue } from "./document/document.js";
import { fileWord, ModelFile } from "./document/model_file.js";
import { add, copied, newElement, paste, remove } from "./document/commands.js";
import { filesOf, hasEnding } from "./fields/files.js";
import { formulaNames } from "./fields/formula_names.js";
import { turnedBy } from "./picture/turns.js";
import { Drawing } from "./picture/drawing.js";
import { Picture } from "./picture/picture.js";
import { SectionBar } from "./picture/section_bar.js";
import { CommandPalette } from "./panes/command_palette.js";
import { Analyses } from "./panes/analyses.js";
import { Correction } from "./panes/correction.js";
import { Following } from "./panes/following.js";
import { Graph } from "./panes/graph.js";
import { Layout } from "./panes/layout.js";
import { Library } from "./panes/library.js";
import { Messages } from "./panes/messages.js";
import { Plots } from "./panes/plots.js";
import { Properties } from "./panes/properties.js";
import { RunBar } from "./panes/run_bar.js";
import { RunTable } from "./panes/run_table.js";
import { Runs } from "./panes/runs.js";
import { Sweep } from "./panes/sweep.js";
import { Timeline } from "./panes/timeline.js";
import { Tree } from "./panes/tree.js";
import { Welcome } from "./panes/welcome.js";
import { ask, Latest, onConnection } from "./server/client.js";

const EMPTY = { model: { name: "model" }, simulation: { t_end: 5 } };

export class Studio {
  constructor(root, catalogue) {
    Object.assign(this, { root, catalogue, problems: [], found: null, selection: new Set(), clipboard: [] });
    this.records = new Map(Object.entries(catalogue.sections).flatMap(([section, kinds]) => kinds.map((kind) => [`${section}/${kind.type}`, kind])));
    this.document = new Document(EMPTY);
    this.file = new ModelFile(this);
    this.layout = new Layout(root, this);
    this.picture = new Picture(this.layout.canvas, this.layout.overlay);
    this.palette = new CommandPalette(root, this);
    this.messages = new Messages(this.layout.panes.messages, this);
    this.tree = new Tree(this.layout.panes.tree, this);
    this.properties = new Properties(this.layout.panes.properties, this);
    this.graph = new Graph(this.layout.panes.graph, this);
    this.timeline = new Timeline(this.layout.panes.timeline, this);
    this.plots = new Plots(this.layout.panes.plots, this);
    this.running = new Runs(this);
    this.runBar = new RunBar(this.layout.runBar, this);
    this.runTable = new RunTable(this.layout.panes.runs, this);
    this.analyses = new Analyses(this.layout.panes.analysis, this);
    this.sweep = new Sweep(this.layout.panes.sweep, this);
    this.sectionBar = new SectionBar(this.layout.sectionBar, this);
    this.correction = new Correction(this.layout.correction, this);
    this.welcome = new Welcome(this.layout.welcome, this);
    this.drawing = new Drawing(this);
    this.library = new Library(this.layout.panes.library, this);
    this.checker = new Latest("check");
    this.drafter = new Latest("check");
    this.following = new Following(this);
    this.picture.rankOf = () => new Map(this.document.names("bodies").map((name, k) => [name, k]));
    this.picture.onMoving = (position) => this.drawing.typed.follow(position.map((x) => shown(x)));
    this.picture.onMoved = (name, position, rotation) => this.moved(name, position, rotation);
    this.document.listen((label) => this.changed(label));
    onConnection((is) => this.reconnected(is));
    this.listen();
    this.setLook(localStorage.getItem("studio-look") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    this.changed("load");
  }

  // ---- what is there ----

  recordOf(section, name) {
    const entry = this.document.data[section]?.[name];
    const type = section === "events" ? "event" : entry?.type ?? (section === "bodies" ? "body" : "");
    return this.records.get(`${section}/${type}`);
  }

  titleOf(section, name) {
    return this.recordOf(section, name)?.title ?? this.document.data[section]?.[name]?.type ?? "";
  }

  get runs() {
    return this.running.runs;
  }

  get shown() {
    return this.running.shown;
  }

  // The value of a formula, where it is a parameter's name.
  resolved(text) {
    const value = this.found?.parameters?.[text.trim()];
    return value === undefined ? null : `= ${value}`;
  }

  // What may be completed in a formula: the field's variables, parameters and functions; sensors and signals where they may be.
  formulaNames(field, sensors) {
    return formulaNames(this, field, sensors);
  }

  // ---- a change of the document ----

  changed(label) {
    for (const id of [...this.selection]) {
      const [section, name] = id.split(/\/(.*)/s);
      if (name !== undefined && this.document.data[section]?.[name] === undefined) this.selection.delete(id);
    }
    if (this.runs.get(this.shown)?.document !== this.document.data) this.running.leave();
    this.redraw();
    this.check();
    if (label !== "load" && label !== "saved") this.file.keep();
    this.layout.title();
    this.sweep.offer();
    this.analyses.changed();
    this.following.changed(label);
  }

  // Panes are drawn anew, but not under a pressed mouse button: a click or a slider would lose its element.
  redraw() {
    this.late = this.pressing;
    if (this.pressing) return;
    this.tree.draw();
    this.properties.draw();
    this.welcome.draw();
  }

  check() {
    this.layout.busy(true);
    this.checker.ask({ document: this.document.data }, (found) => this.checked(found), (error) => {
      this.layout.busy(false);
      this.messages.note(error.message, "error", "check");
    });
  }

  // What is wrong if a field held this value: looked over while it is typed, the document stays as it is.
  draft(path, value, use) {
    const before = this.document.data;
    const holder = valueAt(before, path.slice(0, -1));
    if (holder === null || typeof holder !== "object") return;
    this.drafter.ask({ document: withValue(before, path, value) }, (found) => before === this.document.data && use(found.problems));
  }

  checked(found) {
    this.found = found;
    this.messages.clear("check");
    const known = JSON.stringify(this.problems);
    this.problems = found.problems;
    this.layout.busy(false);
    if (!this.running.playing()) this.picture.show(found.scene, found.poses, found.joints);
    this.plots.setNames(this.running.channelNames() ?? found.channels.map((channel) => channel.name));
    if (JSON.stringify(found.problems) !== known) this.tree.draw();
    const told = JSON.stringify([found.problems, found.parameters, Object.keys(found.poses), Object.values(found.joints).map(({ names, units }) => [names, units]), [...(this.picture.colours ?? [])]]);
    if (told !== this.told) this.properties.draw(); // else the form shows all that it could say
    this.told = told;
    this.messages.draw();
    this.graph.draw();
    this.layout.status(found);
    this.running.follow();
    this.correction.draw();
    this.root.dataset.checked = String(this.document.revision);
  }

  // ---- selection ----

  select(id, more = false) {
    if (!more) this.selection.clear();
    if (more && this.selection.has(id)) this.selection.delete(id);
    else this.selection.add(id);
    this.layout.showForm();
    this.tree.mark();
    this.properties.draw();
    this.graph.draw();
    this.plots.offerSelected();
    this.picture.select(this.selection);
    this.picture.attachGizmo(null);
    if (this.drawing.tool === null) {
      this.drawing.typed.close();
      this.drawing.tell("");
    }
  }

  // Select the element of a problem and put the cursor into its field.
  reveal(place) {
    const id = ["model", "simulation"].includes(place[0]) ? place[0] : place.slice(0, 2).join("/");
    this.properties.all = true;
    this.layout.show("properties");
    this.select(id);
    const field = this.layout.panes.properties.querySelector(`[data-field^="${CSS.escape(place.slice(0, 3).join("."))}"] :is(input, select, textarea)`);
    field?.focus();
  }

  badge(pane, count) {
    this.layout.badge(pane, count);
  }

  // The server has gone, or is back: then it looks at the document again and keeps what is not saved.
  reconnected(is) {
    this.messages.note(is ? "The server answers again. Runs of before are gone, edits are not." : "The server does not answer; edits are kept in this page until it does.", is ? "note" : "error", "connection");
    this.root.classList.toggle("lost", !is);
    if (!is) return this.layout.show("messages");
    this.check();
    if (this.document.dirty) this.file.keep();
  }

  // ---- commands ----

  commands() {
    const run = this.running;
    const list = [
      ["run", "Run", "F5", () => run.start()], ["stop", "Stop the run", "Shift F5", () => run.order("stop")], ["pause", "Pause or continue the run", "F6", () => run.pause()],
      ["step", "Make one step of the paused run", "F7", () => run.step()], ["apply", "Apply changes of the model to the run under way", "F8", () => run.apply()],
      ["save", "Save", "Ctrl S", () => this.file.save()], ["save-as", "Save as …", "Ctrl Shift S", () => this.file.saveAs()], ["open", "Open …", "Ctrl O", () => this.open()],
      ["new", "New model", "", () => this.leave(() => this.load(EMPTY, ""))], ["undo", "Undo", "Ctrl Z", () => this.undo()], ["redo", "Redo", "Ctrl Shift Z", () => this.redo()],
      ["copy", "Copy", "Ctrl C", () => this.copy()], ["paste", "Paste", "Ctrl V", () => this.paste()], ["duplicate", "Duplicate", "Ctrl D", () => this.duplicate()], ["along-line", "Copies in a row …", "", () => this.copies("line")], ["around-axis", "Copies around an axis …", "", () => this.copies("axis")], ["delete", "Delete", "Del", () => this.remove()],
      ["rename", "Rename …", "F2", () => this.rename([...this.selection][0])], ["select-all", "Select everything", "Ctrl A", () => this.selectAll()],
      ["add-body", "Add a body", "B", () => this.addElement("bodies", this.records.get("bodies/body"))], ["add-parameter", "Add a parameter", "", () => this.addParameter()],
      ["draw", "Draw bars in a plane", "P", () => this.drawing.start("bars")], ["joint", "Place a joint with the mouse", "J", () => this.drawing.start("joint")],
      ["drag", "Try the mechanism: drag a body", "T", () => this.drawing.start("drag")], ["move", "Move with the gizmo", "G", () => this.gizmo("translate")], ["turn", "Turn with the gizmo", "R", () => this.gizmo("rotate")], ["gizmo-axes", "Gizmo along the axes of the world, or of the body", "W", () => this.turnGizmo()],
      ["fit", "Fit the view", "F", () => this.picture.refit()], ["front", "View from the front", "1", () => this.drawing.look("front")], ["side", "View from the side", "2", () => this.drawing.look("side")], ["top", "View from above", "3", () => this.drawing.look("top")],
      ["joints", "Show or hide joint symbols", "", () => this.picture.showJoints(!this.picture.showsJoints)], ["through", "See through bodies, or not", "X", () => this.picture.seeThrough()], ["section", "Cut bodies by a plane, or no longer: section", "C", () => this.sectionBar.toggle()], ["look", "Light or dark", "", () => this.setLook(this.look === "dark" ? "light" : "dark")],
      ...this.analysisCommands(),
      ["export-python", "Export as a Python script", "", () => this.export("python")], ["export-html", "Export the run as an animation", "", () => this.export("html")], ["export-csv", "Export the run as CSV", "", () => this.export("csv")],
      ["export-h5", "Export the run as HDF5", "", () => this.export("h5")], ["export-image", "Export an image of the picture", "", () => this.exportPicture()], ["export-plot", "Export an image of the plots", "", () => this.plots.savePicture()],
      ["export-glb", "Export the mechanism as GLB, with the motion of the run in view", "", () => this.export("glb")], ["export-linear", "Export the linear equations as JSON", "", () => this.export("linear")], ["exports", "Export …", "Ctrl E", () => this.offerCommands("export-", "Export")],
      ["play", "Play or pause the motion", "Space", () => this.timeline.toggle()], ["next-event", "Go to the next event", ".", () => this.timeline.toEvent(1)], ["last-event", "Go to the event before", ",", () => this.timeline.toEvent(-1)], ["help", "Commands and keys", "?", () => this.openPalette()],
    ];
    return list.map(([name, title, key, act]) => ({ name, title, key, act, sign: name }));
  }

  analysisCommands() {
    return [
      ["equilibrium", "Find the equilibrium", "", () => this.analyses.ask("equilibrium")], ["modes", "Find the modes", "", () => this.analyses.ask("modes", { amplitude: this.analyses.amplitude })], ["linear", "Linear equations: A, B, eigenvalues", "", () => this.analyses.ask("linear")],
      ["kinematics", "Kinematics of the driven mechanism", "", () => this.running.start("kinematics")], ["sweep", "Sweep a parameter", "", () => this.layout.show("sweep")], ["trust", "Trust report of the run", "", () => this.analyses.showTrust()],
      ["equations", "Show the equations of motion", "", () => this.analyses.equations()],
    ];
  }

  // Commands of one kind, to choose from.
  offerCommands(start, title) {
    const names = start === "analysis" ? this.analysisCommands().map(([name]) => name) : null;
    this.palette.open(this.commands().filter(({ name }) => (names ? names.includes(name) : name.startsWith(start))), title);
  }

  command(name) {
    this.commands().find((command) => command.name === name)?.act();
  }

  openPalette() {
    const additions = [...this.records].map(([id, record]) => ({ title: `Add ${record.title.toLowerCase()}`, about: record.about, sign: id, act: () => this.addElement(id.split("/")[0], record) }));
    const elements = SECTIONS.flatMap((section) => this.document.names(section).map((name) => ({ title: name, about: section, act: () => this.select(`${section}/${name}`) })));
    this.palette.open([...this.commands(), ...additions, ...elements]);
  }

  // Choose what to add to a section.
  offer(section) {
    if (section === "parameters") return this.addParameter();
    const kinds = this.catalogue.sections[section];
    if (kinds.length === 1) return this.addElement(section, kinds[0]);
    this.palette.open(kinds.map((record) => ({ title: record.title, about: record.about, sign: `${section}/${record.type}`, act: () => this.addElement(section, record) })), `Add to ${section}`);
  }

  addElement(section, record) {
    const id = add(this.document, section, record, newElement(this.document, section, record));
    this.layout.show("properties");
    this.select(id);
    if (window.document.activeElement === window.document.body) this.tree.focus();
    return id;
  }

  addParameter() {
    this.askText("Name of the parameter", this.document.freeName("parameters", "p"), (name) => {
      if (!/^[A-Za-z_]\w*$/.test(name)) return this.messages.note(`${name} is not a name that formulas can use; take letters, digits and _.`, "error", "name");
      this.select(add(this.document, "parameters", { type: "parameter" }, 1, name));
    });
  }

  remove() {
    const ids = [...this.selection].filter((id) => id.includes("/"));
    if (!ids.length) return;
    const users = ids.flatMap((id) => {
      const [section, name] = id.split(/\/(.*)/s);
      return this.document.dependents(section, name).filter((path) => !ids.includes(path.slice(0, 2).join("/"))).map((path) => path.slice(0, 2).join("/"));
    });
    const others = [...new Set(users)];
    const act = (all) => {
      this.selection.clear();
      remove(this.document, all);
    };
    if (!others.length) return act(ids);
    this.palette.open([
      { title: `Delete with what depends on it: ${others.map((id) => id.split("/").pop()).join(", ")}`, act: () => act([...ids, ...others]) },
      { title: "Delete only what is selected", act: () => act(ids) },
    ], "Other elements depend on it");
  }

  rename(id) {
    if (!id?.includes("/")) return;
    const [section, name] = id.split(/\/(.*)/s);
    this.askText(`New name for ${name}`, name, async (text) => {
      try {
        let before, answer;
        do { // again, if somebody has gone on editing meanwhile
          before = this.document.data;
          answer = await ask("rename", { document: before, section, old: name, new: text });
        } while (before !== this.document.data);
        this.document.put(answer.document, `rename ${name}`);
        this.select(`${section}/${text}`);
        if (window.document.activeElement === window.document.body) this.tree.focus();
      } catch (error) {
        this.messages.note(error.message, "error", "name");
      }
    });
  }

  copy() {
    this.clipboard = copied(this.document, [...this.selection]);
    if (this.clipboard.length) this.messages.note(`${this.clipboard.length} copied.`);
  }

  paste() {
    if (!this.clipboard.length) return;
    const ids = paste(this.document, this.clipboard);
    this.selection = new Set(ids);
    this.redraw();
  }

  duplicate() {
    this.copy();
    this.paste();
  }

  // Copies of what is selected, with numbers that are asked for.
  copies(how) {
    const parts = copied(this.document, [...this.selection]);
    if (!parts.length) return this.drawing.tell("Select first what is to be copied.");
    this.drawing.stop();
    const { typed } = this.drawing;
    const made = (ids) => {
      typed.close();
      this.drawing.tell("");
      this.selection = new Set(ids);
      this.redraw();
    };
    if (how === "line") typed.ask(["copies", "shift x", "shift y", "shift z"], [1, 0.2, 0, 0], ([count, ...shift]) => made(alongLine(this.document, parts, Math.min(Math.round(count), 500), shift)));
    else typed.ask(["copies", "degrees", "axis x", "axis y", "axis z"], [5, 60, 0, 0, 1], ([count, degrees, ...axis]) => made(aroundAxis(this.document, parts, Math.min(Math.round(count), 500), (degrees * Math.PI) / 180, axis)), "");
    this.drawing.tell(`${parts.length === 1 ? parts[0].name : `${parts.length} elements`}: ${how === "line" ? "how many copies, and how far each one is from the last" : "how many copies, and the angle from one to the next, about an axis through the origin"}.`);
    typed.inputs[0].focus();
    typed.inputs[0].select();
  }

  selectAll(ids = SECTIONS.flatMap((section) => this.document.names(section).map((name) => `${section}/${name}`))) {
    this.selection = new Set(ids);
    this.layout.showForm();
    this.redraw();
    this.picture.select(this.selection);
  }

  undo() {
    const label = this.document.undo();
    this.messages.note(label ? `Undone: ${label}.` : "Nothing to undo.", "note", "undo");
  }

  redo() {
    const label = this.document.redo();
    this.messages.note(label ? `Done again: ${label}.` : "Nothing to do again.", "note", "undo");
  }

  gizmo(mode) {
    const id = [...this.selection].find((one) => one.startsWith("bodies/"));
    if (!id) return this.drawing.tell("Select a body first: then it can be moved and turned.");
    const name = id.slice(7);
    this.drawing.stop();
    if (!this.drawing.begins()) return;
    this.picture.attachGizmo(name, mode);
    const body = this.document.data.bodies[name];
    const { typed } = this.drawing;
    if (mode === "translate") {
      const at = this.found?.drawn?.[name] ?? [0, 0, 0];
      typed.ask(["x", "y", "z"], at.slice(0, 3).map((x) => shown(x)), (position) => this.document.set(["bodies", name], { ...body, position }, `move ${name}`));
      this.drawing.tell(`Drag an arrow to move ${name}, or type its position; Ctrl moves in steps, W changes between axes of the world and the body.`);
    } else {
      typed.ask(["about x", "about y", "about z"], [0, 0, 0], (angles) => this.turned(name, angles), "degrees");
      this.drawing.tell(`Drag a ring to turn ${name}, or type angles about its axes; Ctrl turns in steps, W changes between axes of the world and the body.`);
    }
  }

  turnGizmo() {
    this.drawing.tell(`The gizmo stands along the axes of the ${this.picture.turnGizmo() === "world" ? "world" : "body"}.`);
  }

  // A body is turned by typed angles about its axes, one after the other.
  turned(name, angles) {
    const now = this.found?.drawn?.[name] ?? [0, 0, 0, 1, 0, 0, 0];
    this.moved(name, now.slice(0, 3), turnedBy(now.slice(3, 7), angles));
  }

  // A body was moved with the gizmo: its place in the drawing, and joints that were drawn at it by points stay where they are.
  moved(name, position, rotation) {
    const rounded = position.map((x) => Number(x.toFixed(6)));
    const body = this.document.data.bodies?.[name];
    if (!body) return;
    const next = { ...body, position: rounded };
    const turned = rotation.map((x) => Number(x.toFixed(9)));
    if (Math.abs(turned[0]) < 1 - 1e-9) next.rotation = turned;
    else delete next.rotation;
    this.document.set(["bodies", name], next, `move ${name}`);
  }

  // ---- files ----

  // Go on to another model, once it is clear what becomes of edits that are not saved.
  leave(act) {
    if (!this.document.dirty) return act();
    this.palette.open([
      { title: "Save first", sign: "save", act: () => this.file.save(() => act()) },
      { title: "Discard the edits", sign: "delete", act },
    ], `${this.document.data.model?.name ?? "The model"} has edits that are not saved`);
  }

  load(data, name, changed = 0) {
    this.selection.clear();
    if (this.picture.section.on) this.sectionBar.toggle();
    this.layout.flash("", "note"); // it was about another model
    this.analyses.forget();
    this.running.clear();
    this.picture.sceneText = null;
    this.picture.items = [];
    this.document.load(data, name, changed);
  }

  async open() {
    try {
      const { opened, bodies } = this.catalogue.endings;
      const files = await filesOf(opened, (name) => (hasEnding(name, bodies) ? this.openFile(name) : this.leave(() => this.openFile(name))));
      this.palette.open(files, files.length ? "Open a file of this folder" : "No model files in this folder");
    } catch (error) {
      this.messages.note(error.message, "error", "file");
    }
  }

  async openFile(name) {
    try {
      if (!hasEnding(name, [".toml"])) await this.importFile(name);
      else await this.file.open(name);
      this.messages.clear("file");
    } catch (error) {
      this.messages.note(error.message, "error", "file");
    }
  }

  // A robot becomes the document; an FE model becomes a body of it.
  async importFile(name) {
    const { document, body, entry } = await ask("files/import", { name });
    if (document) return this.load(document, "");
    const id = add(this.document, "bodies", { type: body }, entry);
    this.layout.show("properties");
    this.select(id);
    const place = ["bodies", id.slice(7), entry.reduced === undefined ? "shape" : "reduced"];
    if (entry.reduced === undefined) this.messages.note(`${name} is the shape of a body now, as large as the file says in metres; its scale is 0.001 for millimetres.`, "note", "file", place);
    else this.messages.note(`${name} is a flexible body now. Look over its interfaces, where joints attach, and its material.`, "note", "file", place);
  }

  async export(form, given = {}) {
    const run = this.shown;
    const path = this.document.name.replace(/\.toml$/, "") || fileWord(this.document.data.model?.name);
    try {
      const { name } = await ask("export", { form, path, document: this.document.data, run, ...given });
      this.messages.note(`Written: ${name}.`, "note", "export");
    } catch (error) {
      this.messages.note(error.message, "error", "export");
    }
  }

  // The picture as it is, without the page around it.
  exportPicture() {
    this.picture.image((blob) => this.exportImage(blob, "picture"));
  }

  async exportImage(blob, kind) {
    const image = await new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result.split(",")[1]);
      reader.readAsDataURL(blob);
    });
    this.export("image", { image, kind });
  }

  async gallery() {
    const answer = await ask("gallery").catch(() => []);
    return answer.ok ?? answer;
  }

  async openDemo(name) {
    try {
      const { document } = await ask(`gallery/${name}`);
      this.load(document, "");
      this.messages.clear("file");
    } catch (error) {
      this.messages.note(error.message, "error", "file");
    }
  }

  // ---- runs, as panes ask for them ----

  showTime(t) {
    this.running.enter();
    this.picture.seek(t);
    this.plots?.showTime(t);
  }

  showRun(name) {
    this.running.show(name);
  }

  compare(name, on) {
    this.running.compare(name, on);
  }

  plottedRuns() {
    return this.running.plotted();
  }

  async curves(run, channels, zoom = null) {
    const found = await ask(`run/${run}/curves`, zoom ? { channels, start: zoom[0], end: zoom[1] } : { channels });
    const kept = this.runs.get(run);
    if (kept) kept.span = found.span;
    return found;
  }

  // ---- the page ----

  askText(title, value, act) {
    this.layout.askText(title, value, act);
  }

  menu(event, id) {
    event.preventDefault();
    if (!this.selection.has(id)) this.select(id);
    const names = ["rename", "duplicate", "along-line", "around-axis", "copy", "delete", "move", "turn"];
    this.palette.open(this.commands().filter((command) => names.includes(command.name)), "What to do with it");
  }

  setLook(name) {
    this.look = name;
    this.root.dataset.look = name;
    localStorage.setItem("studio-look", name);
    this.picture.look(name);
    this.plots.load();
  }

  listen() {
    const released = () => {
      this.pressing = false;
      setTimeout(() => (this.late ? this.redraw() : this.properties.waits && this.properties.draw()));
    };
    window.addEventListener("pointerdown", () => (this.pressing = true), true);
    for (const name of ["pointerup", "pointercancel", "blur"]) window.addEventListener(name, (event) => event.target === window || name !== "blur" ? released() : null, true);
    window.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
    window.addEventListener("drop", (event) => this.dropped(event));
    window.addEventListener("beforeunload", (event) => this.document.dirty && event.preventDefault());
    this.drawing.listen();
  }

  // A file that is dropped onto the page would take its place.
  dropped(event) {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    this.messages.note("Put the file into the folder of the studio and open it there (Ctrl O).", "note", "file");
  }

  key(event) {
    const writing = event.target.matches?.("input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]");
    const name = `${event.ctrlKey || event.metaKey ? "Ctrl " : ""}${event.shiftKey && event.key.length > 1 ? "Shift " : event.shiftKey && (event.ctrlKey || event.metaKey) ? "Shift " : ""}${event.key === " " ? "Space" : event.key === "Delete" ? "Del" : event.key.length === 1 ? event.key.toUpperCase() : event.key}`;
    if (name === "Ctrl K") {
      event.preventDefault();
      return this.openPalette();
    }
    if (event.key === "Escape" && (!writing || this.drawing.typed.form.contains(event.target))) return this.drawing.stop();
    const always = ["Ctrl S", "Ctrl Shift S", "F5", "Shift F5", "F6", "F7", "F8", "Ctrl O", "Ctrl E"];
    if (writing && !always.includes(name)) return;
    if (name === "Space" && event.target.matches?.("button")) return;
    const command = this.commands().find((one) => one.key && one.key === name);
    if (!command) return;
    event.preventDefault();
    command.act();
  }
}
