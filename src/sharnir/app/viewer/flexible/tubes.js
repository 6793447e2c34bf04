// Tubes along the lines of a flexible body, bent anew for every frame.
// Rings at the two ends of a line stand across it; where two lines go on nearly straight, across their mean direction.
// Other ends carry blunt tips, which also fill the corners of frames.

import { BufferAttribute, BufferGeometry } from "three";

const STRAIGHT = 0.87; // cosine of the angle up to which two lines share a ring
const TIP = 0.55; // height of a tip, in radii

export class Tubes {
  constructor(nodes, lines, radius) {
    Object.assign(this, { lines, radius });
    this.sides = lines.length / 2 > 4000 ? 6 : 12;
    const rings = lines.length; // two for each line
    const vertices = rings * this.sides + rings; // and a tip on each end
    this.position = new Float32Array(3 * vertices);
    this.normal = new Float32Array(3 * vertices);
    this.value = new Float32Array(vertices);
    this.tangents = new Float32Array(3 * rings);
    this.partner = partners(lines);
    this.goesOn = new Uint8Array(rings); // which ends go on nearly straight
    this.across = acrossLines(nodes, lines);
    this.ring = Array.from({ length: this.sides }, (_, k) => [Math.cos((2 * Math.PI * k) / this.sides), Math.sin((2 * Math.PI * k) / this.sides)]);
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute("position", new BufferAttribute(this.position, 3));
    this.geometry.setAttribute("normal", new BufferAttribute(this.normal, 3));
    this.geometry.setAttribute("value", new BufferAttribute(this.value, 1));
    this.turnTangents(nodes);
    this.geometry.setIndex(this.triangles());
  }

  triangles() {
    const index = [];
    const { sides } = this;
    for (let line = 0; line < this.lines.length / 2; line++) {
      const [a, b] = [2 * line * sides, (2 * line + 1) * sides];
      for (let k = 0; k < sides; k++) {
        const n = (k + 1) % sides;
        index.push(a + k, a + n, b + k, b + k, a + n, b + n);
        const tips = this.lines.length * sides + 2 * line;
        if (!this.goesOn[2 * line]) index.push(tips, a + n, a + k);
        if (!this.goesOn[2 * line + 1]) index.push(tips + 1, b + k, b + n);
      }
    }
    return index;
  }

  // Bend along the places (3n) of the nodes and colour by their values (n).
  update(places, values) {
    this.turnTangents(places);
    const { lines, sides, radius, tangents, position, normal, value, across, ring } = this;
    for (let r = 0; r < lines.length; r++) {
      const node = lines[r];
      const [tx, ty, tz] = [tangents[3 * r], tangents[3 * r + 1], tangents[3 * r + 2]];
      const l = 3 * (r >> 1);
      let [ex, ey, ez] = [across[l], across[l + 1], across[l + 2]];
      let along = ex * tx + ey * ty + ez * tz;
      if (Math.abs(along) > 0.95) {
        // bent until it points along its own cross direction: take another one
        [ex, ey, ez] = [across[l + 1], across[l + 2], across[l]];
        along = ex * tx + ey * ty + ez * tz;
      }
      [ex, ey, ez] = [ex - along * tx, ey - along * ty, ez - along * tz];
      const length = Math.hypot(ex, ey, ez) || 1;
      [ex, ey, ez] = [ex / length, ey / length, ez / length];
      const [fx, fy, fz] = [ty * ez - tz * ey, tz * ex - tx * ez, tx * ey - ty * ex];
      const [px, py, pz] = [places[3 * node], places[3 * node + 1], places[3 * node + 2]];
      for (let k = 0; k < sides; k++) {
        const [c, s] = ring[k];
        const v = 3 * (r * sides + k);
        const [nx, ny, nz] = [c * ex + s * fx, c * ey + s * fy, c * ez + s * fz];
        normal[v] = nx; normal[v + 1] = ny; normal[v + 2] = nz;
        position[v] = px + radius * nx; position[v + 1] = py + radius * ny; position[v + 2] = pz + radius * nz;
        value[v / 3] = values[node];
      }
      const tip = lines.length * sides + r;
      const out = r % 2 ? 1 : -1;
      const high = out * TIP * radius;
      position[3 * tip] = px + high * tx; position[3 * tip + 1] = py + high * ty; position[3 * tip + 2] = pz + high * tz;
      normal[3 * tip] = out * tx; normal[3 * tip + 1] = out * ty; normal[3 * tip + 2] = out * tz;
      value[tip] = values[node];
    }
    for (const name of ["position", "normal", "value"]) this.geometry.attributes[name].needsUpdate = true;
  }

  // Directions of the rings: of the line, or the mean of two lines that go on nearly straight.
  turnTangents(places) {
    const { lines, tangents, partner } = this;
    const own = new Float32Array(tangents.length / 2);
    for (let l = 0; l < lines.length / 2; l++) {
      const [a, b] = [3 * lines[2 * l], 3 * lines[2 * l + 1]];
      const d = [places[b] - places[a], places[b + 1] - places[a + 1], places[b + 2] - places[a + 2]];
      const length = Math.hypot(...d) || 1;
      for (let k = 0; k < 3; k++) own[3 * l + k] = d[k] / length;
    }
    for (let r = 0; r < lines.length; r++) {
      const l = 3 * (r >> 1);
      const other = partner[r];
      let [x, y, z] = [own[l], own[l + 1], own[l + 2]];
      if (other >= 0) {
        const m = 3 * (other >> 1);
        const sign = other % 2 === r % 2 ? -1 : 1; // both lines begin (or end) here: they run against each other
        this.goesOn[r] = sign * (x * own[m] + y * own[m + 1] + z * own[m + 2]) > STRAIGHT ? 1 : 0;
        if (this.goesOn[r]) [x, y, z] = [x + sign * own[m], y + sign * own[m + 1], z + sign * own[m + 2]];
      }
      const length = Math.hypot(x, y, z) || 1;
      tangents[3 * r] = x / length; tangents[3 * r + 1] = y / length; tangents[3 * r + 2] = z / length;
    }
  }
}

// For each end of a line the end of the one other line at this node, or -1 if there are none or several.
function partners(lines) {
  const ends = new Map();
  lines.forEach((node, r) => (ends.has(node) ? ends.get(node).push(r) : ends.set(node, [r])));
  return Int32Array.from(lines, (node, r) => {
    const here = ends.get(node);
    return here.length === 2 ? here.find((e) => e !== r) ?? -1 : -1;
  });
}

// A direction across each line at rest: that coordinate axis which is least along it, made perpendicular.
function acrossLines(nodes, lines) {
  const out = new Float32Array((3 * lines.length) / 2);
  for (let l = 0; l < lines.length / 2; l++) {
    const [a, b] = [3 * lines[2 * l], 3 * lines[2 * l + 1]];
    const d = [0, 1, 2].map((k) => nodes[b + k] - nodes[a + k]);
    const length = Math.hypot(...d) || 1;
    const t = d.map((x) => x / length);
    const axis = [0, 1, 2].reduce((best, k) => (Math.abs(t[k]) < Math.abs(t[best]) - 1e-6 ? k : best), 0);
    const e = t.map((x, k) => (k === axis ? 1 : 0) - t[axis] * x);
    const size = Math.hypot(...e);
    for (let k = 0; k < 3; k++) out[3 * l + k] = e[k] / size;
  }
  return out;
}
