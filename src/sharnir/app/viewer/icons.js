// Icons: strokes in a box of 24 by 24.

const stroke = (path) =>
  `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${path}</svg>`;
const filled = (path) => `<svg viewBox="0 0 24 24" fill="currentColor">${path}</svg>`;

export const ICONS = {
  play: filled('<path d="M8 5.2v13.6a.8.8 0 0 0 1.2.7l10.6-6.8a.8.8 0 0 0 0-1.4L9.2 4.5a.8.8 0 0 0-1.2.7z"/>'),
  pause: filled('<rect x="6.5" y="5" width="4" height="14" rx="1"/><rect x="13.5" y="5" width="4" height="14" rx="1"/>'),
  repeat: stroke('<path d="M17 3l3 3-3 3M20 6H8a4 4 0 0 0-4 4v1M7 21l-3-3 3-3M4 18h12a4 4 0 0 0 4-4v-1"/>'),
  fit: stroke('<path d="M4 9V5a1 1 0 0 1 1-1h4M15 4h4a1 1 0 0 1 1 1v4M20 15v4a1 1 0 0 1-1 1h-4M9 20H5a1 1 0 0 1-1-1v-4"/><circle cx="12" cy="12" r="2.5"/>'),
  follow: stroke('<circle cx="12" cy="12" r="6"/><path d="M12 2v5M12 17v5M2 12h5M17 12h5"/>'),
  labels: stroke('<path d="M4 5h9l7 7-7 7H4z"/><circle cx="8.5" cy="12" r="1.2"/>'),
  trace: stroke('<path d="M3 18c4-12 7 4 10-4s4-7 8-8"/><circle cx="20" cy="6" r="1.6" fill="currentColor"/>'),
  grid: stroke('<path d="M9 5L5 20M15 5l4 15M6.6 10h10.8M5 16h14"/>'),
  axes: stroke('<path d="M11 13V4M11 13l8 4M11 13l-7 5M9 6l2-2.4L13 6"/>'),
  plots: stroke('<path d="M4 4v16h16M7 14l4-5 3 3 5-6"/>'),
  curves: stroke('<path d="M4 6h2M4 12h2M4 18h2M9 7c4-4 6 3 11-1M9 12h11M9 18c3-3 7 2 11-1"/>'),
  colors: stroke('<rect x="5" y="3.5" width="5.5" height="17" rx="1.4"/><path d="M14 5h5M14 12h5M14 19h5"/>'),
  look: stroke('<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z"/>'),
  picture: stroke('<path d="M4 8h3l2-3h6l2 3h3v11H4z"/><circle cx="12" cy="13" r="3.4"/>'),
  help: stroke('<path d="M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.1-1.5 2.4M12 17.6v.1"/><circle cx="12" cy="12" r="9.2"/>'),
};
