// Edges of a surface where its facets meet at an angle or end, as pairs of nodes: they bend with it.

const SHARP = Math.cos((25 * Math.PI) / 180);

function facetNormal(nodes, faces, f, out) {
  const [a, b, c] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
  const [ux, uy, uz] = [nodes[b] - nodes[a], nodes[b + 1] - nodes[a + 1], nodes[b + 2] - nodes[a + 2]];
  const [vx, vy, vz] = [nodes[c] - nodes[a], nodes[c + 1] - nodes[a + 1], nodes[c + 2] - nodes[a + 2]];
  const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.hypot(x, y, z) || 1;
  out[f] = x / length;
  out[f + 1] = y / length;
  out[f + 2] = z / length;
}

export function featureEdges(nodes, faces) {
  const normals = new Float32Array(faces.length);
  const n = nodes.length / 3;
  const seen = new Map(); // edge -> face that has it
  const sharp = [];
  for (let f = 0; f < faces.length; f += 3) {
    facetNormal(nodes, faces, f, normals);
    for (let k = 0; k < 3; k++) {
      const [a, b] = [faces[f + k], faces[f + ((k + 1) % 3)]];
      const key = a < b ? a * n + b : b * n + a;
      const other = seen.get(key);
      if (other === undefined) {
        seen.set(key, f);
        continue;
      }
      seen.delete(key);
      const cosine = normals[f] * normals[other] + normals[f + 1] * normals[other + 1] + normals[f + 2] * normals[other + 2];
      if (cosine < SHARP) sharp.push(a, b);
    }
  }
  for (const key of seen.keys()) sharp.push(Math.floor(key / n), key % n);
  return Uint32Array.from(sharp);
}
