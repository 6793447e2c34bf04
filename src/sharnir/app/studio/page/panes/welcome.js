// What an empty model shows: three beginnings, and the demos.

import { fill, h } from "../dom.js";
import { pictureAddress } from "../server/client.js";

export class Welcome {
  constructor(root, studio) {
    Object.assign(this, { root, studio });
  }

  // The whole middle belongs to the beginnings until there is something to run.
  begin() {
    if (this.root.hidden || !this.began) this.studio.root.classList.add("beginning");
    this.began = true;
    this.root.hidden = false;
  }

  leave() {
    this.root.hidden = true;
    this.studio.root.classList.remove("beginning");
  }

  async draw() {
    const { document } = this.studio;
    const empty = !document.names("bodies").length;
    if (empty) this.begin();
    else this.leave();
    if (!empty || this.drawn) return;
    this.drawn = true;
    const start = (title, text, act) => h("button", { type: "button", class: "start", onclick: act }, h("b", {}, title), h("span", {}, text));
    const demos = h("div", { class: "demos" });
    fill(this.root, h("h2", {}, "A new mechanism"), h("div", { class: "starts" },
      start("Draw bars in a plane", "Drag from point to point; a hinge appears where ends meet.", () => this.studio.command("draw")),
      start("Add a body", "A box to begin with; every number can be changed.", () => this.studio.command("add-body")),
      start("Open a file", "A model file or a robot in this folder.", () => this.studio.command("open"))), h("h3", {}, "Or begin with an example"), demos);
    const found = await this.studio.gallery();
    fill(demos, found.map((demo) => h("button", { type: "button", class: "demo", "aria-label": `Open the example ${demo.name}`, onclick: () => this.studio.leave(() => this.studio.openDemo(demo.name)) },
      h("i", { class: "thumb", role: "img", "aria-label": `Picture of ${demo.name}`, style: { "background-image": `url("${pictureAddress("gallery.webp")}")`, "background-size": `${100 * found.length}% 100%`, "background-position": `${found.length > 1 ? (100 * demo.picture) / (found.length - 1) : 0}% 0` } }),
      h("b", {}, demo.name), h("span", {}, demo.story))));
  }
}
