// Icons: strokes in a box of 24 by 24; those of the viewer, and the studio's own.

import { ICONS } from "../../viewer/icons.js";
import { h } from "./dom.js";
import { ELEMENT_ICONS } from "./element_icons.js";

const stroke = (path) => `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${path}</svg>`;
const filled = (path) => `<svg viewBox="0 0 24 24" fill="currentColor">${path}</svg>`;

const OWN = {
  run: filled('<path d="M7 5l12 7-12 7z"/>'),
  pause: filled('<path d="M7 5h4v14H7zM13 5h4v14h-4z"/>'),
  apply: stroke('<path d="M5 12l5 5 9-11"/>'),
  save: stroke('<path d="M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6"/>'),
  open: stroke('<path d="M3 19V6h6l2 2h9v3M3 19l3-8h16l-3 8z"/>'),
  new: stroke('<path d="M6 3h8l4 4v14H6zM14 3v4h4M12 11v6M9 14h6"/>'),
  copy: stroke('<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V4H4v12h4"/>'),
  paste: stroke('<path d="M9 4h6v3H9zM9 5H5v16h14V5h-4"/>'),
  delete: stroke('<path d="M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5"/>'),
  rename: stroke('<path d="M4 20l1-5L16 4l4 4L9 19zM14 6l4 4"/>'),
  compare: stroke('<circle cx="9" cy="12" r="6"/><circle cx="15" cy="12" r="6" stroke-dasharray="2 3"/>'),
  "along-line": stroke('<rect x="3" y="9" width="5" height="6"/><rect x="10" y="9" width="5" height="6"/><rect x="17" y="9" width="4" height="6"/>'),
  "around-axis": stroke('<circle cx="12" cy="12" r="1.5"/><rect x="10" y="2" width="4" height="4"/><rect x="17" y="14" width="4" height="4"/><rect x="3" y="14" width="4" height="4"/>'),
  "select-all": stroke('<rect x="4" y="4" width="16" height="16" rx="1" stroke-dasharray="3 3"/><path d="M9 12l2 2 4-4"/>'),
  equilibrium: stroke('<path d="M12 4v13M6 7h12M6 7l-3 6h6zM18 7l-3 6h6zM8 20h8"/>'),
  modes: stroke('<path d="M3 12c2-8 4-8 6 0s4 8 6 0 4-8 6 0M3 12h18"/>'),
  linear: stroke('<path d="M6 4H4v16h2M18 4h2v16h-2M8 9h3M13 9h3M8 15h3M13 15h3"/>'),
  kinematics: stroke('<circle cx="5" cy="18" r="2"/><path d="M6.5 16.5L12 6l6 9"/><circle cx="19" cy="16" r="2"/>'),
  sweep: stroke('<path d="M3 18c5 0 5-3 18-3M3 18c5 0 5-7 18-7M3 18c5 0 5-11 18-11"/>'),
  trust: stroke('<path d="M12 3l7 3v6c0 4-3 7-7 9-4-2-7-5-7-9V6zM9 12l2 2 4-4"/>'),
  equations: stroke('<path d="M4 8h7M4 12h7M14 7l6 10M20 7l-6 10"/>'),
  export: stroke('<path d="M12 4v11M8 8l4-4 4 4M4 15v5h16v-5"/>'),
  "next-event": stroke('<path d="M5 5l8 7-8 7zM18 5v14"/>'),
  "last-event": stroke('<path d="M19 5l-8 7 8 7zM6 5v14"/>'),
  help: stroke('<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1 .9-1 1.7M12 17v.1"/>'),
  stop: filled('<rect x="6" y="6" width="12" height="12" rx="1.5"/>'),
  step: stroke('<path d="M6 5l9 7-9 7zM18.5 5v14"/>'),
  undo: stroke('<path d="M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3"/>'),
  redo: stroke('<path d="M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3"/>'),
  draw: stroke('<path d="M6 18L18 6"/><circle cx="5" cy="19" r="2.4"/><circle cx="19" cy="5" r="2.4"/>'),
  joint: stroke('<circle cx="12" cy="12" r="3"/><path d="M12 3v6M4.5 18l5-3.8M19.5 18l-5-3.8"/>'),
  drag: stroke('<path d="M8 13V6.5a1.5 1.5 0 0 1 3 0V11V4.5a1.5 1.5 0 0 1 3 0V11V6a1.5 1.5 0 0 1 3 0v8.5a6 6 0 0 1-6 6c-2.5 0-3.8-1-5-3L4.3 14a1.5 1.5 0 0 1 2.6-1.4z"/>'),
  move: stroke('<path d="M12 3v18M3 12h18M9.5 5.5L12 3l2.5 2.5M9.5 18.5L12 21l2.5-2.5M5.5 9.5L3 12l2.5 2.5M18.5 9.5L21 12l-2.5 2.5"/>'),
  turn: stroke('<path d="M20 12a8 8 0 1 1-2.4-5.7M20 3v4.5h-4.5"/>'),
  front: stroke('<path d="M4 8l8-4 8 4v8l-8 4-8-4z"/><path d="M4 8l8 4 8-4M12 12v8" opacity=".35"/><path d="M4 8v8l8 4v-8z" fill="currentColor" fill-opacity=".5"/>'),
  side: stroke('<path d="M4 8l8-4 8 4v8l-8 4-8-4z"/><path d="M4 8l8 4 8-4M12 12v8" opacity=".35"/><path d="M20 8v8l-8 4v-8z" fill="currentColor" fill-opacity=".5"/>'),
  top: stroke('<path d="M4 8l8-4 8 4v8l-8 4-8-4z"/><path d="M4 8l8 4 8-4M12 12v8" opacity=".35"/><path d="M4 8l8-4 8 4-8 4z" fill="currentColor" fill-opacity=".5"/>'),
  joints: stroke('<circle cx="12" cy="12" r="8"/><circle cx="12" cy="12" r="2.5"/>'),
  through: stroke('<path d="M4 8l8-4 8 4v8l-8 4-8-4z" stroke-dasharray="2.6 2.2"/><circle cx="12" cy="12" r="2.8"/>'),
  section: stroke('<path d="M4 8l8-4 8 4v8l-8 4-8-4z" opacity=".35"/><path d="M8 6v12l8 0V6z" fill="currentColor" fill-opacity=".35"/><path d="M8 13l5-7M8 18l8-11M12 18l4-6"/>'),
  flip: stroke('<path d="M12 3v18M9 7l-5 10h5zM15 7l5 10h-5z"/>'),
  close: stroke('<path d="M6 6l12 12M18 6L6 18"/>'),
  "pane-left": stroke('<rect x="3" y="4.5" width="18" height="15" rx="2"/><path d="M9 4.5v15"/>'),
  "pane-right": stroke('<rect x="3" y="4.5" width="18" height="15" rx="2"/><path d="M15 4.5v15"/>'),
  "pane-bottom": stroke('<rect x="3" y="4.5" width="18" height="15" rx="2"/><path d="M3 14h18"/>'),
  model: stroke('<path d="M4 11l8-7 8 7v9H4z"/>'),
  parameters: stroke('<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>'),
  bodies: stroke('<path d="M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8"/>'),
  forces: stroke('<path d="M5 19L19 5M11 5h8v8"/>'),
  constraints: stroke('<path d="M6 9h12M6 15h12"/>'),
  signals: stroke('<path d="M3 12c3-9 6-9 9 0s6 9 9 0"/>'),
  variable: stroke('<path d="M3 17a9 9 0 0 1 18 0zM12 17l4-6"/>'),
  actions: stroke('<path d="M13 3L6 13h5l-1 8 7-11h-5z"/>'),
  events: stroke('<path d="M6 21V4h11l-2.5 4L17 12H6"/>'),
};

const ALIKE = { "gizmo-axes": "move", duplicate: "copy", "add-body": "bodies", "add-parameter": "parameters", exports: "export", "save-as": "save" };

const made = new Map(); // a tree of thousands of rows has few different ones

export function icon(name) {
  if (!made.has(name)) {
    const span = h("span", { class: "icon", "aria-hidden": "true" });
    const own = ELEMENT_ICONS[name];
    span.innerHTML = own ? stroke(own) : OWN[name] ?? ICONS[name] ?? OWN[ALIKE[name]] ?? OWN[name.split(/[/-]/)[0]] ?? "";
    made.set(name, span);
  }
  return made.get(name).cloneNode(true);
}
