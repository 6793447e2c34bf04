// Completion of names in formulas: a list below the input, walked with the arrow keys, taken with Tab or Enter.

import { fill, h } from "../dom.js";

const WORD = /[A-Za-z_][\w.:]*$/;
const MOST = 9;
let count = 0;

export function completion(element, names) {
  const id = `completion-${++count}`;
  const list = h("ul", { class: "completion", role: "listbox", id, hidden: true, "aria-label": "Names" });
  let [found, at] = [[], -1];
  element.setAttribute("aria-autocomplete", "list");
  element.setAttribute("aria-controls", id);
  const close = () => {
    list.hidden = true;
    [found, at] = [[], -1];
    element.removeAttribute("aria-activedescendant");
  };
  const word = () => WORD.exec(element.value.slice(0, element.selectionStart ?? element.value.length))?.[0] ?? "";
  const draw = () => {
    fill(list, found.map(({ name, about }, k) => h("li", { role: "option", id: `${id}-${k}`, "aria-selected": String(k === at), onpointerdown: (event) => {
      event.preventDefault();
      take(k);
    } }, h("b", {}, name), h("small", {}, about))));
    const box = element.getBoundingClientRect();
    Object.assign(list.style, { left: `${box.left}px`, top: `${box.bottom + 2}px` });
    list.hidden = !found.length;
    if (at >= 0) element.setAttribute("aria-activedescendant", `${id}-${at}`);
  };
  const take = (k) => {
    const [start, end] = [element.selectionStart - word().length, element.selectionStart];
    const { name, call } = found[k];
    element.setRangeText(call ? `${name}(` : name, start, end, "end");
    close();
    element.dispatchEvent(new Event("input", { bubbles: true }));
  };
  element.addEventListener("input", () => {
    const begun = word();
    found = begun ? names().filter((one) => one.name.startsWith(begun) && one.name !== begun).slice(0, MOST) : [];
    at = -1;
    if (!list.isConnected) element.closest("#studio")?.append(list);
    draw();
  });
  element.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") at = (at + (event.key === "ArrowDown" ? 1 : -1) + found.length) % found.length;
    else if (event.key === "Tab" || (event.key === "Enter" && at >= 0)) take(Math.max(at, 0));
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (found.length) draw();
  });
  element.addEventListener("blur", () => {
    close();
    list.remove();
  });
}
