"""A person at the studio's page: finds things by role and name, and uses mouse and keyboard only."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from tests.app.animation.browser import Browser

FIND = """((role, name, exact) => {
  const tags = { BUTTON: "button", SELECT: "combobox", TEXTAREA: "textbox", CANVAS: "canvas", SUMMARY: "button" };
  const implicit = (e) => e.getAttribute("role") ?? (tags[e.tagName]
    ?? (e.tagName === "INPUT" ? ({ checkbox: "checkbox", range: "slider", search: "searchbox" }[e.type] ?? "textbox") : ""));
  const named = (e) => (e.getAttribute("aria-label") ?? e.textContent ?? "").trim();
  const same = (found) => found === name || (role === "treeitem" && found === `${name}, has a problem`);
  const fits = (e) => (exact ? same(named(e)) : named(e).startsWith(name));
  const found = [...document.querySelectorAll("*")].find((e) => implicit(e) === role && fits(e) && e.getClientRects().length);
  if (!found) return null;
  found.scrollIntoView({ block: "center" });
  const box = found.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
})"""
KEYS = {
    "Enter": (13, "\r"),
    "Tab": (9, ""),
    "Escape": (27, ""),
    "F2": (113, ""),
    "F5": (116, ""),
    "F6": (117, ""),
    "F7": (118, ""),
    "F8": (119, ""),
    "Delete": (46, ""),
    "ArrowDown": (40, ""),
    "ArrowUp": (38, ""),
    "Home": (36, ""),
}
SHIFT, CTRL, ALT = 8, 2, 1


class Person:
    """Somebody who uses the page."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        browser.call("Page.navigate", url=address)
        browser.wait_for('document.querySelector("#studio[data-ready]") && window.studio?.found')

    def place(self, role: str, name: str, exact: bool = True) -> tuple[float, float]:
        """Where something is on the screen; waits until it is there and has come to rest."""
        end, before = time.monotonic() + 240, None
        while time.monotonic() < end:
            found = self.browser.evaluate(f"{FIND}({json.dumps(role)}, {json.dumps(name)}, {json.dumps(exact)})")
            if found and found == before:
                return found[0], found[1]
            before = found
            time.sleep(0.02)
        raise AssertionError(f"there is no {role} {name!r} on the page")

    def mouse(self, kind: str, x: float, y: float, modifiers: int = 0, buttons: int = 1) -> None:
        """One event of the mouse."""
        button = "none" if kind == "mouseMoved" and not buttons else "left"
        given = {"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1, "modifiers": modifiers}
        self.browser.call("Input.dispatchMouseEvent", **given)

    def click(self, role: str, name: str, exact: bool = True, modifiers: int = 0) -> None:
        """Press and release on something, once the page shows what the server says about the last edit."""
        self.settled()
        self.click_at(*self.place(role, name, exact), modifiers)

    def click_at(self, x: float, y: float, modifiers: int = 0) -> None:
        """Press and release at a place."""
        self.mouse("mouseMoved", x, y, modifiers, 0)
        self.mouse("mousePressed", x, y, modifiers)
        self.mouse("mouseReleased", x, y, modifiers)

    def double_click_at(self, x: float, y: float) -> None:
        """Press and release twice at a place."""
        self.mouse("mouseMoved", x, y, 0, 0)
        for count in (1, 2):
            for kind in ("mousePressed", "mouseReleased"):
                given = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": count}
                self.browser.call("Input.dispatchMouseEvent", **given)

    def drag(self, start: tuple[float, float], end: tuple[float, float], modifiers: int = 0, steps: int = 6) -> None:
        """Press, move, release."""
        self.mouse("mouseMoved", *start, modifiers, 0)
        self.mouse("mousePressed", *start, modifiers)
        for k in range(1, steps + 1):
            s = k / steps
            self.mouse("mouseMoved", start[0] + s * (end[0] - start[0]), start[1] + s * (end[1] - start[1]), modifiers)
        self.mouse("mouseReleased", *end, modifiers)

    def carry(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag something that the browser carries, and let it fall once the place under the mouse shows that it takes it."""
        self.mouse("mouseMoved", *start, 0, 0)
        self.mouse("mousePressed", *start)
        for k in range(1, 6):
            self.mouse("mouseMoved", *(a + (b - a) * k / 5 for a, b in zip(start, end, strict=True)))
        self.browser.wait_for("document.querySelector('.target')")
        self.mouse("mouseMoved", end[0] + 1, end[1])
        self.browser.evaluate("new Promise((done) => setTimeout(done, 200))")
        self.mouse("mouseReleased", *end)

    def press(self, key: str, modifiers: int = 0) -> None:
        """One key."""
        plain = key if not modifiers & (CTRL | ALT) else ""
        code, text = KEYS[key] if key in KEYS else (ord(key.upper()), plain)
        given: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.browser.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **given)
        self.browser.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def write(self, text: str) -> None:
        """Text into what has the focus, instead of what is there."""
        self.press("a", CTRL)
        self.browser.call("Input.insertText", text=text)

    def fill(self, name: str, text: str) -> None:
        """A field of the form."""
        self.click("textbox", name)
        self.write(text)
        self.press("Enter")

    def choose(self, name: str, option: str) -> None:
        """An entry of a list, with the arrow keys."""
        self.click("combobox", name)  # opens the list, Escape closes it and leaves the focus
        self.press("Escape")
        self.press("Home")
        for _ in range(60):
            focus = "document.activeElement"
            if self.browser.evaluate(
                f"{focus}.tagName === 'SELECT' && {focus}.selectedOptions[0]?.text === {json.dumps(option)}"
            ):
                return
            self.press("ArrowDown")
        raise AssertionError(f"the list {name!r} has no entry {option!r}")

    def add(self, section: str, kind: str, name: str) -> None:
        """An element by the tree's plus, with a name of its own."""
        self.click("button", f"Add to {section}")
        if kind:
            self.browser.wait_for('!document.querySelector(".palette").hidden')
            self.write(kind)
            self.press("Enter")
        self.rename(name)

    def rename(self, name: str) -> None:
        """What is selected gets another name."""
        self.click("button", "Rename")
        self.browser.wait_for('!document.querySelector(".prompt").hidden')
        self.write(name)
        self.press("Enter")
        self.place("treeitem", name)

    def settled(self) -> None:
        """Wait until the server has looked over the newest edit."""
        self.browser.wait_for("document.querySelector('#studio').dataset.checked === String(window.studio.document.revision)")

    def picture(self, path: Path) -> None:
        """What the page looks like."""
        self.browser.picture(path)
