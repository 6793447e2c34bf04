// Names of files: typed, or chosen from a list of those in the folder that have the right endings.

import { h } from "../dom.js";
import { icon } from "../icons.js";
import { ask } from "../server/client.js";
import { input } from "./inputs.js";

const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

export const hasEnding = (name, endings) => endings.some((ending) => name.toLowerCase().endsWith(ending));

// The files of the folder that have one of some endings, newest first, as entries of a list to choose from.
export async function filesOf(endings, act) {
  const files = await ask("files");
  return files.filter((file) => hasEnding(file.name, endings)).map((file) => ({ title: file.name, about: size(file.size), sign: "open", act: () => act(file.name) }));
}

export function fileName(context, value) {
  const { studio, field, label } = context;
  const { endings } = field;
  const element = input(context, value, (text) => text.trim() || undefined, { placeholder: `file (${endings.slice(0, 3).join(", ")}${endings.length > 3 ? ", …" : ""})` });
  const choose = async () => {
    try {
      const found = await filesOf(endings, (name) => context.put(name));
      element.focus(); // where the list leaves the focus
      studio.palette.open(found, found.length ? `File for ${label}` : `No file of this folder ends with ${endings.join(", ")}`);
    } catch (error) {
      studio.messages.note(error.message, "error", "file", context.path);
    }
  };
  element.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    choose();
  });
  return h("span", { class: "pair" }, element, h("button", { type: "button", class: "small", title: "Choose a file of this folder (arrow down)", "aria-label": `Choose a file for ${label}`, onclick: choose }, icon("open")));
}
