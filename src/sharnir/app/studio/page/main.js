// Entry: asks the server what there is, and opens the studio. `window.studio` is for tests and for the curious.

import plotStyle from "uplot/dist/uPlot.min.css";
import style from "./style.css";
import building from "./building.css";
import { ask } from "./server/client.js";
import { Studio } from "./studio.js";

async function start() {
  const root = document.querySelector("#studio");
  for (const text of [plotStyle, style, building]) document.head.append(Object.assign(document.createElement("style"), { textContent: text }));
  let catalogue;
  try {
    catalogue = await ask("catalogue");
  } catch (error) {
    root.replaceChildren(Object.assign(document.createElement("p"), { className: "sorry", textContent: error.message }));
    return;
  }
  root.replaceChildren();
  const studio = new Studio(root, catalogue);
  window.studio = studio;
  if (catalogue.opened) await studio.openFile(catalogue.opened);
  else if (catalogue.recovered) {
    studio.document.put(catalogue.recovered, "edits that were not saved");
    studio.messages.note("Edits that had not been saved are back; undo takes them away.", "note", "file");
  }
  root.dataset.ready = "true";
}

start();
