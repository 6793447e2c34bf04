// The clock of the page: time, playing or not, speed, repetition.

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Player {
  constructor(start, end, speed) {
    Object.assign(this, { start, end, time: start, speed, playing: false, repeat: true });
    this.span = end - start;
    this.last = null;
  }

  seek(t) {
    this.time = Math.min(Math.max(t, this.start), this.end);
  }

  toggle(on = !this.playing) {
    this.playing = on && this.span > 0;
    this.last = null;
    if (this.playing && this.time >= this.end) this.time = this.start;
  }

  faster(steps) {
    const place = SPEEDS.findIndex((s) => s >= this.speed * 0.999);
    this.speed = SPEEDS[Math.min(Math.max((place < 0 ? SPEEDS.length - 1 : place) + steps, 0), SPEEDS.length - 1)];
  }

  // Go on to the wall-clock time `now` in milliseconds; whether the time changed.
  advance(now) {
    if (!this.playing) return false;
    const passed = this.last === null ? 0 : Math.min(now - this.last, 200) / 1000;
    this.last = now;
    let t = this.time + this.speed * passed;
    if (t >= this.end) {
      if (this.repeat) t = this.start + ((t - this.start) % this.span);
      else {
        t = this.end;
        this.playing = false;
      }
    }
    this.time = t;
    return true;
  }
}
