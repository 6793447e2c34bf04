// The recorded poses, and any pose in between: linear in position and elastic coordinates, spherical in rotation.

import { Quaternion } from "three";

// Bytes of a base64 text.
function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) out[k] = raw.charCodeAt(k);
  return out.buffer;
}

export const floats = (text) => new Float32Array(bytes(text));
export const integers = (text) => new Uint32Array(bytes(text));
export const doubles = (text) => new Float64Array(bytes(text));

// Index k with times[k] <= t <= times[k + 1].
export function interval(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

export class Motion {
  constructor(data) {
    this.data = data;
    this.times = doubles(data.times);
    this.poses = floats(data.poses);
    this.start = this.times[0];
    this.end = this.times[this.times.length - 1];
    this.offsets = [];
    let offset = 0;
    for (const item of data.items) {
      this.offsets.push(offset);
      offset += 7 * (item.still ? 1 : this.times.length);
    }
    this.still = data.items.map((item) => item.still);
    this.next = new Quaternion();
    this.elastic = data.items.map((item) => item.elastic && floats(item.elastic.w));
  }

  // Elastic coordinates of an item at time t.
  coordinates(item, t) {
    const table = this.elastic[item];
    const h = this.data.items[item].elastic.count;
    const last = h ? table.length / h - 1 : 0;
    const k = last > 0 ? interval(this.times, t) : 0;
    const width = last > 0 ? this.times[k + 1] - this.times[k] : 0;
    const s = width > 0 ? Math.min(Math.max((t - this.times[k]) / width, 0), 1) : last > 0 ? 1 : 0;
    const [a, b] = [k * h, Math.min(k + 1, last) * h];
    return Float64Array.from({ length: h }, (_, i) => table[a + i] + s * (table[b + i] - table[a + i]));
  }

  // Put the pose of an item at time t into a position and a quaternion.
  pose(item, t, position, rotation) {
    const p = this.poses;
    const k = this.still[item] || this.times.length < 2 ? 0 : interval(this.times, t);
    const a = this.offsets[item] + 7 * k;
    position.set(p[a], p[a + 1], p[a + 2]);
    rotation.set(p[a + 4], p[a + 5], p[a + 6], p[a + 3]);
    if (this.still[item] || this.times.length < 2) return;
    const b = a + 7;
    const width = this.times[k + 1] - this.times[k];
    const s = width > 0 ? Math.min(Math.max((t - this.times[k]) / width, 0), 1) : 1;
    position.set(p[a] + s * (p[b] - p[a]), p[a + 1] + s * (p[b + 1] - p[a + 1]), p[a + 2] + s * (p[b + 2] - p[a + 2]));
    this.next.set(p[b + 4], p[b + 5], p[b + 6], p[b + 3]);
    rotation.slerp(this.next, s);
  }
}
