// Icons: strokes in a box of 24 by 24; those of the viewer, and the studio's own.

import { ICONS } from "../../viewer/icons.js";
import { h } from "./dom.js";
import { ELEMENT_ICONS } from "./element_icons.js";

const stroke = (path) => `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${path}</svg>`;
const filled = (path) => `<svg viewBox="0 0 24 24" fill="currentColor">${path}</svg>`;

const OWN = {
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

export function icon(name) {
  const span = h("span", { class: "icon", "aria-hidden": "true" });
  const own = ELEMENT_ICONS[name];
  span.innerHTML = own ? stroke(own) : OWN[name] ?? ICONS[name] ?? OWN[name.split("/")[0]] ?? "";
  return span;
}
