// The file of the document: saved, kept beside the file while it is not, and compared with what others write into it.

import { ask } from "../server/client.js";

const KEEP = 2000; // ms after an edit

// The name of a model as that of a file, in whatever letters.
export const fileWord = (name) => (name ?? "").replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^-+|-+$/g, "") || "model";

export class ModelFile {
  constructor(studio) {
    this.studio = studio;
    window.addEventListener("focus", () => this.look());
  }

  get document() {
    return this.studio.document;
  }

  async open(name) {
    const found = await ask("files/open", { name });
    this.studio.load(found.document, name, found.changed);
    if (!found.unsaved) return;
    this.document.put(found.unsaved, "edits that were not saved");
    this.studio.messages.note("Edits that had not been saved are back; undo takes them away.", "note", "file");
  }

  // Save, `over`: whatever the file holds by now; otherwise it must be as it was when it was opened or saved.
  async save(then = null, over = false) {
    const { document, studio } = this;
    if (!document.name) return this.saveAs(then);
    return this.write(document.name, then, over, () => [
      { title: "Load it; undo brings these edits back", sign: "open", act: () => this.reload() },
      { title: "Save these edits under another name …", sign: "save", act: () => this.saveAs(then) },
      { title: "Replace it by these edits", sign: "delete", act: () => this.save(then, true) },
    ], `Another program has changed ${studio.document.name}`);
  }

  saveAs(then = null) {
    const { document } = this;
    this.studio.askText("File name", document.name || `${fileWord(document.data.model?.name)}.toml`, (text) => {
      const name = text.endsWith(".toml") ? text : `${text}.toml`;
      if (name === document.name) return this.save(then);
      const replace = { title: `Replace ${name}`, sign: "save", act: () => this.write(name, then, true) };
      return this.write(name, then, false, () => [{ title: "Choose another name …", sign: "rename", act: () => this.saveAs(then) }, replace], `There is a file ${name} already`);
    });
  }

  // Write the file if it is as old as we know, or not there, or in any case (`over`); otherwise `choices` are offered.
  async write(name, then, over, choices, title) {
    const { document, studio } = this;
    const last = this.writing; // one after the other
    let done;
    this.writing = new Promise((end) => (done = end));
    await last;
    const [data, before, changed] = [document.data, document.name, name === document.name ? document.changed : 0];
    try {
      const answer = await ask("files/save", { name, document: data, ...(over ? {} : { changed }) });
      if (answer.conflict) return studio.palette.open(choices(), title);
      if (!before) ask("files/forget", { name: "" }).catch(() => null);
      document.markSaved(answer.name, data, answer.changed);
      if (document.data === data) {
        clearTimeout(this.keeping); // nothing is left to keep
        this.keeping = null;
      }
      studio.messages.note(`Saved as ${answer.name}.`, "note", "file");
      then?.();
    } catch (error) {
      studio.messages.note(error.message, "error", "file");
    } finally {
      done();
    }
  }

  // What the file holds by now takes the place of the document; undo gives the document back.
  async reload() {
    const { document, studio } = this;
    try {
      const found = await ask("files/open", { name: document.name });
      document.put(found.document, `load ${document.name} again`);
      document.markSaved(document.name, document.data, found.changed);
      studio.messages.note(`${document.name} has been changed by another program and was loaded again; undo gives the former state back.`, "note", "file");
    } catch (error) {
      studio.messages.note(error.message, "error", "file");
    }
  }

  // Somebody comes back to the page: has the file been changed meanwhile?
  async look() {
    const { document, studio } = this;
    if (!document.name) return;
    const files = await ask("files").catch(() => []);
    const file = files.find(({ name }) => name === document.name);
    if (!file || file.changed === document.changed || file.changed === this.told) return;
    this.told = file.changed;
    if (!document.dirty) return this.reload();
    studio.layout.show("messages");
    studio.messages.note(`${document.name} has been changed by another program. Saving asks what shall become of it.`, "warning", "file");
  }

  // Keep what is not saved, a moment after the first edit that is not kept yet, however many follow.
  keep() {
    this.keeping ??= setTimeout(() => {
      this.keeping = null;
      ask("files/autosave", { name: this.document.name, document: this.document.data }).catch(() => null);
    }, KEEP);
  }
}
