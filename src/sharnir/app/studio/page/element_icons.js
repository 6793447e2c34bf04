// A sign for every kind of element: strokes in a box of 24 by 24. Kinds without one have the sign of their section.

const dot = (x, y, r = 1.6) => `<circle cx="${x}" cy="${y}" r="${r}" fill="currentColor"/>`;
const ring = (x, y, r) => `<circle cx="${x}" cy="${y}" r="${r}"/>`;
const line = (d) => `<path d="${d}"/>`;
const coil = (x, y) => line(`M${x} ${y}l1.5-3 2.5 6 2.5-6 2.5 6 2.5-6 1.5 3`);
const block = (inner) => `<rect x="3" y="5" width="18" height="14" rx="2"/>${inner}`;
const word = (text, size = 8.5) => `<text x="12" y="${12 + 0.36 * size}" text-anchor="middle" font-size="${size}" fill="currentColor" stroke="none">${text}</text>`;
const arrow = (x, y, dx, dy) => {
  const [l, n] = [Math.hypot(dx, dy), 3];
  const [u, v] = [dx / l, dy / l];
  const [a, b] = [x + dx, y + dy];
  return line(`M${x} ${y}L${a} ${b}M${a - n * (u - 0.6 * v)} ${b - n * (v + 0.6 * u)}L${a} ${b}L${a - n * (u + 0.6 * v)} ${b - n * (v - 0.6 * u)}`);
};
const gauge = (inner) => line("M3 17a9 9 0 0 1 18 0z") + inner;
const flash = line("M13 3L6 13h5l-1 8 7-11h-5z");

export const ELEMENT_ICONS = {
  // bodies
  "shape/box": line("M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8"), "shape/cylinder": '<ellipse cx="12" cy="6" rx="7" ry="2.6"/>' + line("M5 6v12c0 1.5 3 2.6 7 2.6s7-1.1 7-2.6V6"),
  "shape/mesh": line("M4 16l4-10 8-2 4 8-5 8-8 0zM4 16l7-5 9 1M11 11l5-7M11 11l4 9M8 6l3 5"), "shape/sphere": ring(12, 12, 8.5) + '<ellipse cx="12" cy="12" rx="8.5" ry="3"/>', "shape/rod": line("M4.5 17.5L17 5l2.5 2.5L7 20a1.8 1.8 0 0 1-2.5-2.5z"),
  "fe/straight-beam": line("M3 9c6 0 12 1 18 5M3 13c6 0 12 1 18 5M3 9v4M9 9.6v4M15 11.3v4M21 14v4"), "fe/beam-frame": line("M4 20V6h16v14M4 6l8 14 8-14"), "fe/solid": line("M4 8l8-4 8 4v8l-8 4-8-4zM4 12l8 4 8-4M8 6l8 4v8M16 6l-8 4v8"), "fe/fe-file": line("M6 3h8l4 4v14H6zM14 3v4h4") + word("FE", 7),
  "bodies/body": line("M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8"), "bodies/flexible-body": line("M3 9c6 0 12 1 18 5M3 13c6 0 12 1 18 5M3 9v4M21 14v4"),
  // joints
  "joints/fixed": line("M4 12h16M9 7v10M15 7v10"), "joints/revolute": ring(12, 12, 3) + line("M4 18a10 10 0 0 0 16 0M20 18v-3.5M20 18h-3.5M12 3v6"), "joints/prismatic": '<rect x="7" y="8" width="10" height="8" rx="1"/>' + line("M2 12h5M17 12h5M4.5 9.5L2 12l2.5 2.5M19.5 9.5L22 12l-2.5 2.5"),
  "joints/screw": line("M7 4l10 3M7 8l10 3M7 12l10 3M7 16l10 3M12 2v20"), "joints/cylindrical": line("M3 12h18M5.5 9.5L3 12l2.5 2.5M18.5 9.5L21 12l-2.5 2.5M9 16c2 3 6 3 7 0M16 16v-3M16 16h-3"), "joints/universal": line("M3 12h5M16 12h5M12 3v5M12 16v5") + ring(12, 12, 4),
  "joints/ball": ring(12, 10, 4) + line("M5 10a7 7 0 0 0 14 0M12 17v4"), "joints/planar": line("M3 17l6-9h12l-6 9z") + arrow(11, 13, 5, 0) + arrow(11, 13, 2, -3.5), "joints/free": arrow(12, 12, 8, 0) + arrow(12, 12, -6, 6) + arrow(12, 12, 0, -9), "joints/freedom-sequence": line("M4 6h4v4h4v4h4v4h4") + dot(4, 6) + dot(20, 18), "joints/formula-joint": ring(12, 12, 9) + word("ρ(q)", 7.5),
  // forces
  "forces/spring": coil(5, 12) + line("M2 12h3M18 12h4"), "forces/bushing": ring(12, 12, 8.5) + ring(12, 12, 3.5) + line("M12 3.5v5M12 15.5v5M3.5 12h5M15.5 12h5"), "forces/torsion-spring": line("M12 12a2 2 0 1 1-2 2 5 5 0 1 1 5 5 8 8 0 1 1 4-10M19 9l1.5-4M19 9l-4-1"),
  "forces/force": arrow(4, 20, 15, -15), "forces/torque": line("M19 12a7 7 0 1 1-2-5M17 3v4h-4") + dot(12, 12), "forces/joint-force": ring(7, 16, 3) + arrow(10, 13, 9, -9), "forces/motor": ring(12, 12, 8) + word("M", 9), "forces/joint-friction": line("M3 17h18M5 11h11v6H5z") + arrow(21, 8, -8, 0), "forces/joint-limit": line("M4 4v16M20 4v16") + arrow(12, 12, 6, 0) + arrow(12, 12, -6, 0),
  "forces/contact": ring(12, 9, 5.5) + line("M3 15h18M6 15l-2 4M11 15l-2 4M16 15l-2 4M21 15l-2 4"), "forces/contact-group": ring(8, 8, 4) + ring(16, 9, 4) + ring(12, 16, 4), "forces/wheel": ring(12, 11, 8) + ring(12, 11, 2.5) + line("M2 20h20"),
  "forces/drag": line("M4 8c4 0 4-3 8-3s4 3 8 3M4 13c4 0 4-3 8-3s4 3 8 3M4 18c4 0 4-3 8-3s4 3 8 3"), "forces/aerodynamics": line("M2 15c5-8 12-8 20-3-8 3-14 4-20 3z") + arrow(11, 9, 0, -6), "forces/central-gravity": ring(12, 12, 4) + '<ellipse cx="12" cy="12" rx="10" ry="4.5" transform="rotate(-25 12 12)"/>', "forces/thrust": line("M12 2c4 4 4 9 3 12H9c-1-3-1-8 3-12zM9 17l-1 4M12 17v5M15 17l1 4"),
  // constraints
  "constraints/gear": ring(9, 12, 5) + ring(17.5, 12, 3) + line("M9 5.5v-2M9 20.5v-2M2.5 12h-1M4.5 7.5L3 6M4.5 16.5L3 18"), "constraints/rack": ring(12, 8, 5) + line("M2 16h3v-2h3v2h3v-2h3v2h3v-2h3v2h2M2 20h20"), "constraints/cam": line("M12 20a6 6 0 0 1-6-6c0-4 3-9 6-9s6 5 6 9a6 6 0 0 1-6 6z") + dot(12, 14), "constraints/coupler": ring(5, 12, 3) + ring(19, 12, 3) + line("M8 12h8") + word("+", 8),
  "constraints/point-on-curve": line("M3 18c5 0 5-12 10-12s4 6 8 6") + dot(13, 6, 2.2), "constraints/point-on-surface": line("M3 16c5-6 13-6 18 0M3 16c6 3 12 3 18 0") + dot(12, 12, 2.2), "constraints/distance": dot(4, 12, 2.2) + dot(20, 12, 2.2) + line("M6 12h12"), "constraints/point-on-plane": line("M3 17l6-9h12l-6 9z") + dot(12, 12.5, 2.2), "constraints/point-on-line": line("M3 19L21 5") + dot(12, 12, 2.4),
  "constraints/rolling-disc": '<ellipse cx="12" cy="11" rx="4" ry="8"/>' + line("M3 19h18"), "constraints/rolling-ball": ring(12, 11, 7) + line("M3 19h18"), "constraints/knife-edge": line("M3 17h18M4 15L18 6l2 3-9 6z"), "constraints/constraint": word("g = 0", 8),
  // signals and blocks
  "signals/signal": line("M3 12c3-9 6-9 9 0s6 9 9 0"), "signals/integral": block(word("∫", 11)), "signals/low-pass": block(line("M6 10h5c2 0 3 5 7 5")), "signals/derivative": block(word("d/dt", 6.5)), "signals/limit": block(line("M6 15h3l6-6h3")), "signals/p-i-d": block(word("PID", 7)), "signals/state-space": block(word("A B", 7)), "signals/transfer-function": block(word("b/a", 7.5)),
  "signals/delay": block(word("e⁻ˢᵀ", 7)), "signals/pade-delay": block(word("Padé", 6)), "signals/input": line("M3 12h11M10 8l4 4-4 4M14 5h6v14h-6"), "signals/lookup": block(line("M6 16l3-4 3 1 3-5 3 2")), "signals/dead-zone": block(line("M6 16l4-4h4l4-4")), "signals/quantizer": block(line("M6 16h3v-3h3v-3h3V8h3")), "signals/rate-limiter": block(line("M6 16L14 9h4") + word("", 1)), "signals/relay": block(line("M6 15h7V9h5M13 9H9M11 15h4")),
  "signals/sample-hold": block(line("M6 15v-3h3v-3h3v4h3v-2h3")), "signals/discrete-state-space": block(word("A B z", 6)), "signals/discrete-transfer-function": block(word("b/a z", 6)), "signals/difference": block(word("x[k]", 7)),
  // sensors
  "variable/joint-coordinate": gauge(line("M12 17l4-6") + dot(12, 17)), "variable/joint-drive": gauge(word("", 1) + line("M12 17l-3-6") + dot(12, 17) + line("M7 13l-1-1M17 13l1-1")), "variable/joint-reaction": ring(12, 12, 3) + arrow(12, 9, 0, -6) + arrow(12, 15, 0, 6), "variable/force-output": arrow(4, 12, 10, 0) + gauge(""), "variable/point-coordinate": line("M4 20V4M4 20h16M4 10h9M13 20V10") + dot(13, 10, 2), "variable/position": dot(4, 20, 2) + dot(18, 6, 2.2) + line("M5 19L16 8"),
  "variable/point-distance": line("M4 8v8M20 8v8M4 12h16M7 9.5L4 12l3 2.5M17 9.5l3 2.5-3 2.5"), "variable/direction-cosine": line("M4 19h16M4 19L16 6M10 19a7 7 0 0 0-2-5"), "variable/point-velocity": dot(5, 15, 2.2) + arrow(7, 14, 12, -6), "variable/acceleration": dot(5, 15, 2.2) + arrow(7, 14, 7, -3.5) + arrow(12, 13, 8, -4), "variable/angular-velocity": line("M19 12a7 7 0 1 1-2-5M17 3v4h-4"), "variable/angular-acceleration": line("M19 12a7 7 0 1 1-2-5M17 3v4h-4M15.5 12a3.5 3.5 0 1 1-1-2.5"), "variable/angle": line("M4 12h16M12 4v16M6 6l12 12M16 12a4 4 0 0 1-1.2 2.8"),
  // events and actions
  "events/event": line("M6 21V4h11l-2.5 4L17 12H6"), "actions/stop": '<rect x="6" y="6" width="12" height="12" rx="1.5"/>', "actions/set-parameter": line("M4 7h9M17 7h3M4 17h3M11 17h9") + ring(15, 7, 2) + ring(9, 17, 2), "actions/set-speed": gauge(line("M12 17l5-5")), "actions/rebound": line("M4 5l7 13 9-11M15 7h5v5M2 20h20"), "actions/enable": ring(12, 12, 8) + line("M8 12l3 3 5-6"), "actions/disable": ring(12, 12, 8) + line("M8 8l8 8"), "actions/set-signal": line("M3 12c2-6 4-6 6 0s4 6 6 0M17 12h4M19 10v4"),
  "actions/release": line("M8 12V8a4 4 0 0 1 8-1M5 12h14v8H5z"), "actions/lock": line("M8 12V8a4 4 0 0 1 8 0v4M5 12h14v8H5z"), "actions/unlock": line("M8 12V8a4 4 0 0 1 7-2.6M5 12h14v8H5z") + dot(12, 16), "actions/attach": line("M9 12h6M10 8H7a4 4 0 0 0 0 8h3M14 8h3a4 4 0 0 1 0 8h-3"), "actions/join": line("M10 8H7a4 4 0 0 0 0 8h3M14 8h3a4 4 0 0 1 0 8h-3") + flash, "actions/set-motion": line("M3 18c5 0 5-12 10-12") + arrow(13, 6, 8, 0),
};
