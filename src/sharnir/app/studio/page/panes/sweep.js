// A sweep: the model is run for many values of one parameter; curves over each other, numbers in a table.

import { rangeOf } from "../document/document.js";
import uPlot from "uplot";
import { fill, h, shown as digits } from "../dom.js";
import { ask, stream } from "../server/client.js";
import { chartFrame, download } from "./charts.js";

const NUMBERS = [["last", "Last"], ["least", "Least"], ["largest", "Largest"], ["mean", "Mean"]];
const few = (x) => (x === null || x === undefined ? "–" : digits(Number(x.toPrecision(5))));

// A colour between dark violet and yellow for a part of the way, 0 … 1.
const COLORS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [220, 190, 40]];
export function shade(part) {
  const x = Math.min(Math.max(part, 0), 1) * (COLORS.length - 1);
  const k = Math.min(Math.floor(x), COLORS.length - 2);
  return `rgb(${COLORS[k].map((c, i) => Math.round(c + (x - k) * (COLORS[k + 1][i] - c))).join(" ")})`;
}

export class Sweep {
  constructor(root, studio) {
    Object.assign(this, { studio, members: [], going: false, charts: [] });
    const field = (label, given) => h("input", { type: "text", inputmode: "decimal", "aria-label": label, ...given });
    this.parameter = h("select", { "aria-label": "Parameter of the sweep", onchange: () => this.suggest() });
    this.low = field("Sweep from");
    this.high = field("Sweep to");
    this.count = field("Number of runs", { value: "11" });
    this.spacing = h("select", { "aria-label": "Spacing of the sweep" }, new Option("linear", "linear"), new Option("logarithmic", "logarithmic"));
    this.channels = field("Channels of the sweep", { list: "channel-names", placeholder: "channels, such as O.q, O.v" });
    this.run = h("button", { type: "submit", class: "go" }, "Sweep");
    this.stop = h("button", { type: "button", disabled: true, onclick: () => ask("sweep/stop", {}).catch(() => null) }, "Stop");
    this.state = h("output", { class: "state", "aria-label": "State of the sweep" });
    this.form = h("form", { class: "pane-head", "aria-label": "Sweep of a parameter", onsubmit: (event) => {
      event.preventDefault();
      this.start();
    } }, this.parameter, "from", this.low, "to", this.high, h("span", {}, "runs"), this.count, this.spacing, this.channels, this.run, this.stop,
      h("button", { type: "button", title: "Save the table of the sweep as CSV", "aria-label": "Save the table of the sweep", onclick: () => this.save() }, "CSV"), this.state);
    this.area = h("div", { class: "sweep-area" });
    fill(root, this.form, this.area);
    new ResizeObserver(() => this.resize()).observe(this.area);
    this.offer();
  }

  // The parameters of the model, to choose from.
  offer() {
    const names = this.studio.document.names("parameters");
    const before = this.parameter.value;
    fill(this.parameter, names.length ? names.map((name) => new Option(name, name)) : new Option("no parameters", ""));
    if (names.includes(before)) this.parameter.value = before;
    if (this.parameter.value !== before) this.suggest();
    if (!this.members.length && !this.going) fill(this.area, h("p", { class: "empty" }, names.length ? "Choose a parameter, its range and channels, and press Sweep. Every run has a process of its own; the picture and other runs are not touched." : "A sweep varies a parameter of the model. Add one (Ctrl K, “Add a parameter”) and use its name in a field."));
  }

  suggest() {
    const given = this.studio.document.data.parameters?.[this.parameter.value];
    const value = typeof given === "object" ? given.value : given;
    const [low, high] = rangeOf(given) ?? (typeof value === "number" && value ? [0.5 * value, 1.5 * value] : ["", ""]);
    this.low.value = low === "" ? "" : String(Number(low.toPrecision(6)));
    this.high.value = high === "" ? "" : String(Number(high.toPrecision(6)));
  }

  question() {
    const number = (field) => {
      const value = Number(field.value.replace(",", "."));
      field.setAttribute("aria-invalid", String(!field.value.trim() || !Number.isFinite(value)));
      return value;
    };
    const [low, high, count] = [this.low, this.high, this.count].map(number);
    const channels = this.channels.value.split(/[,;\s]+/).filter(Boolean);
    if (![low, high, count].every(Number.isFinite) || !this.parameter.value) throw new Error("A sweep needs a parameter, two numbers and a number of runs.");
    if (!channels.length) throw new Error("Choose at least one channel for the sweep, such as those of the plots.");
    return { document: this.studio.document.data, parameter: this.parameter.value, low, high, count: Math.round(count), spacing: this.spacing.value, channels };
  }

  async start() {
    if (this.going) return;
    const { messages, problems } = this.studio;
    const wrong = problems.find((p) => p.kind === "error");
    if (wrong) return messages.note(`Sweep: the model has problems: ${wrong.message}`, "error", "sweep", wrong.place);
    if (!this.channels.value.trim()) this.channels.value = this.studio.plots.channels.join(", ");
    messages.clear("sweep");
    try {
      this.asked = this.question();
    } catch (error) {
      this.state.textContent = error.message;
      return;
    }
    this.members = [];
    this.going = true;
    this.running();
    try {
      for await (const message of stream("sweep", this.asked)) {
        if (message.kind === "member") this.take(message);
        else if (message.error) throw new Error(message.error);
      }
    } catch (error) {
      messages.note(`Sweep: ${error.message}`, "error", "sweep", error.place);
      this.state.textContent = error.message;
    }
    this.going = false;
    this.running();
    this.draw();
    this.studio.root.dataset.sweep = String(this.members.length);
  }

  take(member) {
    this.members.push(member);
    this.members.sort((a, b) => a.number - b.number);
    if (member.failure) this.studio.messages.note(`Sweep, ${this.asked.parameter} = ${few(member.value)}: ${member.failure.text}`, "warning", null, member.failure.place);
    this.running();
    clearTimeout(this.drawing);
    this.drawing = setTimeout(() => this.draw(), this.members.length < 3 ? 0 : 150);
  }

  running() {
    const failed = this.members.filter((member) => member.failure).length;
    this.run.disabled = this.going;
    this.stop.disabled = !this.going;
    const count = this.asked?.count ?? 0;
    this.state.textContent = !this.asked ? "" : `${this.members.length} of ${count} runs${failed ? `, ${failed} failed` : ""}${!this.going && this.members.length < count ? ", stopped" : ""}`;
  }

  draw() {
    for (const { chart } of this.charts) chart.destroy();
    this.charts = [];
    const names = this.asked?.channels ?? [];
    const plots = h("div", { class: "charts" });
    fill(this.area, plots, this.table(names));
    for (const name of names) {
      const members = this.members.filter((member) => member.curves.some((curve) => curve.name === name));
      if (members.length) this.charts.push(this.chart(plots, name, members));
    }
    this.resize();
  }

  chart(root, name, members) {
    const curves = members.map((member) => ({ member, ...member.curves.find((curve) => curve.name === name) }));
    const place = h("div", { class: "chart", role: "img", "aria-label": `Sweep of ${name}: ${members.length} curves` });
    root.append(place);
    const values = members.map((member) => member.value);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const series = curves.map(({ member }) => ({ label: `${few(member.value)}`, stroke: shade(high > low ? (member.value - low) / (high - low) : 0.3), width: 1.3, spanGaps: true }));
    const data = uPlot.join(curves.map((curve) => [curve.t, curve.values]));
    const chart = new uPlot({ ...chartFrame(place, `${name} [${curves[0].unit || "1"}]`), legend: { show: false }, series: [{ label: "t [s]" }, ...series] }, data, place);
    return { chart, root: place };
  }

  table(names) {
    const { parameter } = this.asked ?? {};
    const heads = names.flatMap((name) => NUMBERS.map(([, title]) => `${title} ${name}`));
    const rows = this.members.map((member) => h("tr", {}, h("th", { scope: "row" }, h("button", { type: "button", class: "link", title: "Take this value for the model", onclick: () => this.adopt(member.value) }, few(member.value))),
      member.failure ? h("td", { colspan: String(heads.length), class: "failed" }, member.failure.text)
        : names.flatMap((name) => NUMBERS.map(([key]) => h("td", { class: "number" }, few(member.curves.find((curve) => curve.name === name)?.[key]))))));
    return h("div", { class: "sweep-table" }, h("table", { class: "data", "aria-label": "Results of the sweep" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, parameter ?? ""), heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows)));
  }

  // A value of the sweep becomes that of the model.
  adopt(value) {
    const { document } = this.studio;
    const given = document.data.parameters?.[this.asked.parameter];
    document.set(["parameters", this.asked.parameter], typeof given === "object" ? { ...given, value } : value, `set ${this.asked.parameter}`);
  }

  save() {
    if (!this.members.length) return;
    const names = this.asked.channels;
    const head = [this.asked.parameter, ...names.flatMap((name) => NUMBERS.map(([key]) => `${key} ${name}`)), "failure"];
    const rows = this.members.map((member) => [member.value, ...names.flatMap((name) => NUMBERS.map(([key]) => member.curves.find((curve) => curve.name === name)?.[key] ?? "")), member.failure ? `"${member.failure.text.replaceAll('"', '""')}"` : ""]);
    download(`sweep-${this.asked.parameter}.csv`, [head, ...rows].map((row) => row.join(",")).join("\n"), "text/csv");
  }

  resize() {
    for (const { chart, root } of this.charts) {
      const width = root.parentElement.clientWidth / Math.min(this.charts.length, Math.max(1, Math.floor(root.parentElement.clientWidth / 320))) - 12;
      if (width > 60) chart.setSize({ width, height: Math.max(120, this.area.clientHeight - 12) });
    }
  }
}
