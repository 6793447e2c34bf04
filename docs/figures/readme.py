"""The picture of the README: a tower crane turns, its trolley runs out, the load swings on a rope of ball joints.

Run it in the source tree, with the viewer bundled, Chromium on the search path and Pillow installed:

    PYTHONPATH=src:tests/app/animation python docs/figures/readme.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import sharnir as sr

YELLOW, GREY, BLUE, RED, GREEN, BLACK = "#f2b705", "#868e96", "#2f6fde", "#c2255c", "#2b9348", "#343a40"


def crane() -> sr.Model:
    """Tower, trolley, ten links of rope, load; slewing and running are prescribed motions without a jerk at the ends."""
    m = sr.Model("tower crane")
    frame = (
        sr.Box((0.9, 0.9, 12), center=(0, 0, 6)),
        sr.Box((16, 0.7, 0.8), center=(5.2, 0, 12.4)),
        sr.Box((1.6, 1.2, 1.6), center=(-2.2, 0, 11.4), color=GREY),
        sr.Box((1.1, 1.1, 1.3), center=(0.9, 0, 11.2), color=BLUE),
    )
    tower = m.add(sr.Body("tower", mass=4000, shape=frame, color=YELLOW))
    trolley = m.add(sr.Body("trolley", mass=150, position=(3, 0, 11.8), shape=sr.Box((0.9, 1.0, 0.4)), color=RED))
    m.add(sr.Revolute("slew", m.ground, tower, at=(0, 0, 0), axis="z", motion="0.9*pi*(t/14 - sin(2*pi*t/14)/(2*pi))"))
    m.add(sr.Prismatic("run", tower, trolley, axis="x", motion="7*(t/14 - sin(2*pi*t/14)/(2*pi))"))
    above, z = trolley, 11.6
    for k in range(10):
        shape = sr.Rod((0, 0, 0), (0, 0, -0.7), radius=0.05)
        link = m.add(sr.Body(f"rope{k}", mass=4, position=(3, 0, z), shape=shape, color=BLACK))
        m.add(sr.Ball(f"b{k}", above, link, damping=2.0))
        above, z = link, z - 0.7
    box = sr.Box((1.4, 1.0, 0.9), center=(0, 0, -0.8))
    load = m.add(sr.Body("load", mass=600, position=(3, 0, z), shape=box, color=GREEN))
    m.add(sr.Ball("hook", above, load, damping=20.0))
    return m


def main() -> None:
    """Simulate, photograph the animation, and put the plot beside it."""
    from browser import Browser
    from PIL import Image

    from sharnir.app.animation.page import animate

    result = crane().simulate(14.0, step=0.01)
    folder = Path(tempfile.mkdtemp())
    animate(result, folder / "crane.html", plots=(), traces=["load"], look="light", autoplay=False)
    browser = Browser(folder / "profile", (900, 700))
    browser.open(folder / "crane.html")
    browser.evaluate("sharnir.viewer.act('axes'), sharnir.viewer.scrub(7.1), sharnir.viewer.render(), 1")
    browser.picture(folder / "left.png")
    browser.close()
    figure = result.plot("load.position", "slew.drive", "hook.reaction.fz")
    figure.set_size_inches(6.4, 5.6)
    figure.savefig(folder / "right.png", dpi=125)
    parts = [Image.open(folder / name).convert("RGB") for name in ("left.png", "right.png")]
    whole = Image.new("RGB", (sum(part.width for part in parts), 700), "white")
    whole.paste(parts[0], (0, 0))
    whole.paste(parts[1], (parts[0].width, 0))
    whole.save(Path(__file__).with_name("readme.png"), optimize=True)


if __name__ == "__main__":
    main()
