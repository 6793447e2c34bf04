// A flexible body: nodes shifted by elastic coordinates, drawn as a surface, as tubes along lines, or as points.
// Displacements are computed here, for all nodes at once, mode by mode; a surface of 10⁵ nodes with 20 modes takes milliseconds.

import {
  BufferAttribute, BufferGeometry, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Points, PointsMaterial, Sphere, Vector3,
} from "three";
import { colored } from "./coloring.js";
import { featureEdges } from "./feature_edges.js";
import { floats, integers } from "../motion.js";
import { Tubes } from "./tubes.js";

export const COMPONENTS = ["magnitude", "x", "y", "z"];
export const ghostSurface = new MeshLambertMaterial({ transparent: true, opacity: 0.22, depthWrite: false, side: DoubleSide });
export const ghostEdge = new LineBasicMaterial({ transparent: true, opacity: 0.45, depthWrite: false });
const everywhere = new Sphere(new Vector3(), Infinity);

export class ElasticShape {
  constructor(record) {
    this.nodes = floats(record.nodes);
    this.lines = integers(record.lines);
    this.faces = integers(record.faces);
    this.marks = record.marks;
    this.n = this.nodes.length / 3;
    const all = floats(record.shapes);
    this.modes = Array.from({ length: record.count }, (_, k) => all.subarray(3 * this.n * k, 3 * this.n * (k + 1)));
  }

  // Displacements (3n) at elastic coordinates w, four modes in one pass over the nodes.
  displacements(w, out) {
    out.fill(0);
    const used = this.modes.map((mode, k) => [mode, w[k]]).filter(([, x]) => x !== 0);
    for (let k = 0; k < used.length; k += 4) {
      const [[a, x], [b, y], [c, z], [d, u]] = [0, 1, 2, 3].map((i) => used[k + i] ?? [used[k][0], 0]);
      for (let i = 0; i < out.length; i++) out[i] += x * a[i] + y * b[i] + z * c[i] + u * d[i];
    }
    return out;
  }

  // Nodes that lie outermost in some directions, and some more: enough to frame the body.
  outermost(most = 120) {
    const rows = new Set();
    for (const x of [-1, 0, 1]) for (const y of [-1, 0, 1]) for (const z of [-1, 0, 1]) {
      let best = 0;
      const along = (k) => x * this.nodes[3 * k] + y * this.nodes[3 * k + 1] + z * this.nodes[3 * k + 2];
      for (let k = 1; k < this.n; k++) if (along(k) > along(best)) best = k;
      rows.add(best);
    }
    const step = Math.max(1, Math.ceil(this.n / most));
    for (let k = 0; k < this.n; k += step) rows.add(k);
    return [...rows];
  }
}

export class ElasticBody {
  constructor(shape, size, coloring, color, edge) {
    Object.assign(this, { shape, size, coloring, color });
    const { n } = shape;
    this.shift = new Float32Array(3 * n);
    this.place = Float32Array.from(shape.nodes);
    this.value = new Float32Array(n);
    this.tubeRadius = tubeRadius(shape, size);
    this.group = new Group();
    this.ghost = new Group();
    this.ghost.visible = false;
    this.group.add(this.ghost);
    this.positions = new BufferAttribute(this.place, 3);
    this.values = new BufferAttribute(this.value, 1);
    if (shape.faces.length) this.addSurface(edge);
    if (shape.lines.length) this.addTubes();
    if (!shape.faces.length && !shape.lines.length) this.addPoints();
    this.group.traverse((object) => (object.frustumCulled = false));
  }

  material(options = {}) {
    return colored(new MeshLambertMaterial({ toneMapped: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, ...options }), this.coloring, this.color);
  }

  addSurface(edge) {
    const index = new BufferAttribute(this.shape.faces, 1);
    const rest = new BufferGeometry().setAttribute("position", new BufferAttribute(this.shape.nodes, 3)).setIndex(index);
    rest.computeVertexNormals();
    const geometry = new BufferGeometry().setAttribute("position", this.positions).setAttribute("value", this.values).setIndex(index);
    geometry.setAttribute("normal", rest.attributes.normal); // for the bias of shadows; light takes the normals of the bent facets
    geometry.boundingSphere = everywhere;
    const mesh = new Mesh(geometry, this.material({ flatShading: true, side: DoubleSide }));
    mesh.castShadow = mesh.receiveShadow = true;
    const pairs = new BufferAttribute(featureEdges(this.shape.nodes, this.shape.faces), 1);
    const lines = new LineSegments(new BufferGeometry().setAttribute("position", this.positions).setIndex(pairs), edge);
    this.group.add(mesh, lines);
    this.ghost.add(new Mesh(rest, ghostSurface), new LineSegments(new BufferGeometry().setAttribute("position", rest.attributes.position).setIndex(pairs), ghostEdge));
  }

  addTubes() {
    this.tubes = new Tubes(this.shape.nodes, this.shape.lines, this.tubeRadius);
    this.tubes.geometry.boundingSphere = everywhere;
    const mesh = new Mesh(this.tubes.geometry, this.material());
    mesh.castShadow = mesh.receiveShadow = true;
    this.group.add(mesh);
    const rest = new Tubes(this.shape.nodes, this.shape.lines, 0.8 * this.tubeRadius);
    rest.update(this.shape.nodes, this.value);
    this.ghost.add(new Mesh(rest.geometry, ghostSurface));
  }

  addPoints() {
    const geometry = new BufferGeometry().setAttribute("position", this.positions).setAttribute("value", this.values);
    geometry.boundingSphere = everywhere;
    // three.js leaves the field of view out of the size of points: 1 / tan(15°)
    const wide = 1.9 * 3.73 * Math.min(this.tubeRadius, (0.12 * extent(this.shape.nodes)) / Math.cbrt(this.shape.n));
    const round = (material) => {
      const before = material.onBeforeCompile;
      material.onBeforeCompile = (shader) => {
        before?.call(material, shader);
        shader.fragmentShader = shader.fragmentShader.replace("#include <clipping_planes_fragment>", "#include <clipping_planes_fragment>\nif (length(gl_PointCoord - 0.5) > 0.5) discard;");
      };
      return material;
    };
    this.group.add(new Points(geometry, round(colored(new PointsMaterial({ size: wide, toneMapped: false }), this.coloring, this.color, 0))));
    const rest = new BufferGeometry().setAttribute("position", new BufferAttribute(this.shape.nodes, 3));
    this.ghost.add(new Points(rest, round(new PointsMaterial({ size: 0.8 * wide, transparent: true, opacity: 0.35, depthWrite: false, color: "#8d99a6" }))));
  }

  // True displacements in metres.
  deform(w) {
    this.shape.displacements(w, this.shift);
  }

  // Shift the nodes, `scale` times larger than they are; values are true displacements. Repairs: [row, shift] of some nodes, and
  // the others follow, the more the nearer they are.
  update(scale, component, repairs) {
    const { shift, place, value, shape } = this;
    for (let i = 0; i < place.length; i++) place[i] = shape.nodes[i] + scale * shift[i];
    if (repairs) this.repair(repairs);
    const axis = COMPONENTS.indexOf(component) - 1;
    for (let k = 0; k < value.length; k++) {
      const i = 3 * k;
      value[k] = axis < 0 ? Math.sqrt(shift[i] * shift[i] + shift[i + 1] * shift[i + 1] + shift[i + 2] * shift[i + 2]) : shift[i + axis];
    }
    this.positions.needsUpdate = this.values.needsUpdate = true;
    this.tubes?.update(place, value);
  }

  repair(repairs) {
    const { place, shape } = this;
    this.shares ??= sharesOf(shape.nodes, repairs.map(([row]) => row));
    repairs.forEach(([, { x, y, z }], m) => {
      const share = this.shares[m];
      for (let k = 0; k < shape.n; k++) {
        place[3 * k] += share[k] * x;
        place[3 * k + 1] += share[k] * y;
        place[3 * k + 2] += share[k] * z;
      }
    });
  }
}

// Weights of some nodes at all nodes, by the inverse squares of distances (Shepard): their sum is 1.
function sharesOf(nodes, rows) {
  const n = nodes.length / 3;
  const shares = rows.map((row) => Float32Array.from({ length: n }, (_, k) => {
    const d = [0, 1, 2].reduce((sum, i) => sum + (nodes[3 * k + i] - nodes[3 * row + i]) ** 2, 0);
    return 1 / Math.max(d, 1e-18);
  }));
  for (let k = 0; k < n; k++) {
    const sum = shares.reduce((total, share) => total + share[k], 0);
    for (const share of shares) share[k] /= sum;
  }
  return shares;
}

function extent(nodes) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < nodes.length; i++) {
    low[i % 3] = Math.min(low[i % 3], nodes[i]);
    high[i % 3] = Math.max(high[i % 3], nodes[i]);
  }
  return nodes.length ? Math.hypot(...low.map((x, k) => high[k] - x)) : 0;
}

// As thick as sticks are, and slender for short bodies.
function tubeRadius(shape, size) {
  return Math.min(Math.max(0.035 * extent(shape.nodes), 0.0035 * size), 0.0085 * size);
}
