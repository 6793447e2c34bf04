"use strict";
// The page of a study: parallel coordinates whose axes filter, a scatter plot, a histogram, and the runs that remain.
const study = JSON.parse(document.getElementById("study").textContent);
const names = study.columns.map((column) => column.name);
const values = study.columns.map((column) => decoded(column.values));
const count = study.shown;
const ranges = names.map(() => null); // chosen part of each axis
let chosen = { x: 0, y: names.length - 1, colour: names.length - 1, histogram: names.length - 1 };

function decoded(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

function extent(column) {
  let low = Infinity, high = -Infinity;
  for (const value of column) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
  if (low > high) return [0, 1];
  return low === high ? [low - 0.5 * (Math.abs(low) || 1), high + 0.5 * (Math.abs(high) || 1)] : [low, high];
}

const extents = values.map(extent);
const part = (k, value) => (value - extents[k][0]) / (extents[k][1] - extents[k][0]);
const label = (k) => names[k] + (study.columns[k].unit ? ` [${study.columns[k].unit}]` : "");
const short = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4))));

function kept(run) {
  return ranges.every((range, k) => range === null || (values[k][run] >= range[0] && values[k][run] <= range[1]));
}

function colour(run, alpha) {
  const place = part(chosen.colour, values[chosen.colour][run]);
  if (!Number.isFinite(place)) return `rgba(140,140,140,${alpha})`;
  return `hsla(${265 - 210 * place},${62 + 18 * place}%,${38 + 14 * place}%,${alpha})`;
}

function sheet(id) {
  const canvas = document.getElementById(id), scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  return { pen, width, height, ink: getComputedStyle(document.body).color };
}

function words(pen, text, x, y, align, most) {
  pen.textAlign = align;
  let shown = text;
  while (shown.length > 3 && pen.measureText(shown).width > most) shown = `${shown.slice(0, -2)}…`;
  pen.fillText(shown, x, y);
}

const axisAt = (k, width) => 60 + (names.length > 1 ? (k * (width - 120)) / (names.length - 1) : 0);
const TOP = 34, BOTTOM = 26;

function drawParallel() {
  const { pen, width, height, ink } = sheet("parallel");
  const span = height - TOP - BOTTOM, y = (k, run) => TOP + span * (1 - part(k, values[k][run]));
  const alpha = Math.max(0.04, Math.min(0.8, 120 / count));
  const line = (run, style) => {
    pen.strokeStyle = style;
    pen.beginPath();
    let down = false;
    for (let k = 0; k < names.length; k++) {
      if (!Number.isFinite(values[k][run])) { down = false; continue; }
      down ? pen.lineTo(axisAt(k, width), y(k, run)) : pen.moveTo(axisAt(k, width), y(k, run));
      down = true;
    }
    pen.stroke();
  };
  for (let run = 0; run < count; run++) if (!kept(run)) line(run, "rgba(140,140,140,0.05)");
  for (let run = 0; run < count; run++) if (kept(run)) line(run, colour(run, alpha));
  for (let k = 0; k < names.length; k++) {
    const x = axisAt(k, width), room = (width - 120) / Math.max(1, names.length - 1) - 8;
    pen.strokeStyle = pen.fillStyle = ink;
    pen.strokeRect(x, TOP, 0.5, span);
    words(pen, label(k), x, 14, "center", Math.min(room, k % (names.length - 1) ? room : 116));
    words(pen, short(extents[k][1]), x, TOP - 6, "center", room);
    words(pen, short(extents[k][0]), x, height - 10, "center", room);
    if (ranges[k] !== null) {
      const [low, high] = ranges[k].map((value) => TOP + span * (1 - part(k, value)));
      pen.fillStyle = "rgba(31,111,178,0.35)";
      pen.fillRect(x - 7, high, 14, Math.max(2, low - high));
    }
  }
}

function drawScatter() {
  const { pen, width, height, ink } = sheet("scatter"), [left, right, top, bottom] = [62, 14, 14, 40];
  const at = (k, value, low, high) => low + (high - low) * part(k, value);
  const size = count > 3000 ? 1.2 : 2.4;
  for (const inside of [false, true]) {
    for (let run = 0; run < count; run++) {
      if (kept(run) !== inside) continue;
      const a = values[chosen.x][run], b = values[chosen.y][run];
      if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
      pen.fillStyle = inside ? colour(run, 0.75) : "rgba(140,140,140,0.12)";
      pen.beginPath();
      pen.arc(at(chosen.x, a, left, width - right), at(chosen.y, b, height - bottom, top), size, 0, 7);
      pen.fill();
    }
  }
  pen.fillStyle = pen.strokeStyle = ink;
  pen.strokeRect(left - 6, top - 6, width - left - right + 12, height - top - bottom + 12);
  words(pen, label(chosen.x), (left + width - right) / 2, height - 6, "center", width - 120);
  words(pen, short(extents[chosen.x][0]), left, height - 20, "left", 80);
  words(pen, short(extents[chosen.x][1]), width - right, height - 20, "right", 80);
  words(pen, short(extents[chosen.y][0]), left - 10, height - bottom, "right", 50);
  words(pen, short(extents[chosen.y][1]), left - 10, top + 8, "right", 50);
  pen.save();
  pen.translate(13, height / 2);
  pen.rotate(-Math.PI / 2);
  words(pen, label(chosen.y), 0, 0, "center", height - 90);
  pen.restore();
}

function drawHistogram() {
  const { pen, width, height, ink } = sheet("histogram"), k = chosen.histogram, [left, top, bottom] = [46, 16, 40];
  const groups = Math.max(5, Math.min(40, Math.round(Math.sqrt(count)))), all = new Float64Array(groups), some = new Float64Array(groups);
  for (let run = 0; run < count; run++) {
    const place = part(k, values[k][run]);
    if (!Number.isFinite(place)) continue;
    const group = Math.min(groups - 1, Math.floor(place * groups));
    all[group]++;
    if (kept(run)) some[group]++;
  }
  const most = Math.max(1, ...all), wide = (width - left - 14) / groups, tall = height - top - bottom;
  for (let group = 0; group < groups; group++) {
    for (const [heights, style] of [[all, "rgba(140,140,140,0.35)"], [some, "#1f6fb2"]]) {
      pen.fillStyle = style;
      const up = (tall * heights[group]) / most;
      pen.fillRect(left + group * wide, top + tall - up, Math.max(1, wide - 1), up);
    }
  }
  pen.fillStyle = ink;
  words(pen, label(k), (left + width) / 2, height - 6, "center", width - 120);
  words(pen, short(extents[k][0]), left, height - 22, "left", 80);
  words(pen, short(extents[k][1]), width - 14, height - 22, "right", 80);
  words(pen, String(most), left - 6, top + 8, "right", 40);
}

function drawNumbers() {
  let runs = 0;
  const sums = names.map(() => ({ n: 0, mean: 0, square: 0, low: Infinity, high: -Infinity }));
  for (let run = 0; run < count; run++) {
    if (!kept(run)) continue;
    runs++;
    sums.forEach((sum, k) => {
      const value = values[k][run];
      if (!Number.isFinite(value)) return;
      const step = value - sum.mean;
      sum.n++;
      sum.mean += step / sum.n;
      sum.square += step * (value - sum.mean);
      sum.low = Math.min(sum.low, value);
      sum.high = Math.max(sum.high, value);
    });
  }
  document.getElementById("kept").textContent = `${runs} of ${count} runs shown are inside the chosen ranges`;
  const body = document.getElementById("numbers");
  body.replaceChildren(...sums.map((sum, k) => {
    const row = document.createElement("tr");
    const deviation = sum.n > 1 ? Math.sqrt(sum.square / (sum.n - 1)) : NaN;
    for (const text of [label(k), ...[sum.mean, deviation, sum.low, sum.high].map((x) => (sum.n && Number.isFinite(x) ? short(x) : "–"))]) {
      row.append(Object.assign(document.createElement("td"), { textContent: text }));
    }
    return row;
  }));
}

function draw() {
  drawParallel();
  drawScatter();
  drawHistogram();
  drawNumbers();
}

function choices() {
  for (const key of Object.keys(chosen)) {
    const list = document.getElementById(`choose-${key}`);
    names.forEach((_, k) => list.add(new Option(label(k), String(k), false, k === chosen[key])));
    list.addEventListener("change", () => { chosen[key] = Number(list.value); draw(); });
  }
}

function brushes() {
  const canvas = document.getElementById("parallel");
  let held = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, 1 - (event.clientY - box.top - TOP) / (box.height - TOP - BOTTOM), box.width];
  };
  canvas.addEventListener("pointerdown", (event) => {
    const [x, up, width] = place(event);
    const axis = names.map((_, k) => Math.abs(axisAt(k, width) - x)).reduce((best, d, k, all) => (d < all[best] ? k : best), 0);
    if (Math.abs(axisAt(axis, width) - x) > 24) return;
    held = { axis, from: up };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [low, high] = [held.from, place(event)[1]].sort((a, b) => a - b).map((p) => Math.max(0, Math.min(1, p)));
    const [least, most] = extents[held.axis];
    ranges[held.axis] = high - low < 0.01 ? null : [least + low * (most - least), least + high * (most - least)];
    draw();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held && Math.abs(place(event)[1] - held.from) < 0.01) ranges[held.axis] = null;
    held = null;
    draw();
  });
  document.getElementById("all").addEventListener("click", () => { ranges.fill(null); draw(); });
}

choices();
brushes();
window.addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();
document.body.dataset.ready = "yes";
