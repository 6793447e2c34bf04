"""The picture of the guide on flexible bodies: a bracket swings with a load, coloured by displacement.

Run it in the source tree, with the viewer bundled, Chromium on the search path and Pillow installed:

    PYTHONPATH=src:tests/app/animation:tests/flexible python docs/figures/deformation.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import sharnir as sr
from sharnir.flexible import RigidTie, reduce, solid


def bracket() -> sr.Model:
    """An angle of steel of 20-node bricks on a shaft that turns to and fro, with 60 kg at its end."""
    from boxes import HEX_EDGES, bricks, with_mids

    points, cells = bricks((14, 4, 12), (0.28, 0.08, 0.24))
    x, _, z = points[cells].mean(axis=1).T
    points, cells = with_mids(points, cells[(z < 0.04) | (x < 0.04) | (x + z < 0.14)], HEX_EDGES)
    part = solid((points, {"hexahedron20": cells}), name="bracket")
    top = RigidTie(part.select(z=0.24), at=(0.02, 0.04, 0.24), label=100_000)
    end = RigidTie(part.select(x=0.28), at=(0.28, 0.04, 0.02), label=100_001)
    reduced = reduce(part.with_ties(top, end), interfaces={"shaft": 100_000, "end": 100_001}, modes=6)
    m = sr.Model("bracket")
    m.add(sr.FlexibleBody("bracket", reduced=reduced, position=(0, 0, 0.3)))
    m.add(sr.Body("load", mass=60, position=(0.33, 0.04, 0.32), shape=sr.Sphere(0.05)))
    m.add(sr.Revolute("shaft", "ground", "bracket:shaft", at=(0.02, 0.04, 0.54), axis="y", motion="0.3*sin(6*pi*t)"))
    m.add(sr.Fixed("flange", "bracket:end", "load"))
    return m


def main() -> None:
    """Simulate and photograph the animation."""
    from browser import Browser
    from PIL import Image

    result = bracket().simulate(0.2, step=0.004, integrator="radau5")
    folder = Path(tempfile.mkdtemp())
    result.animate(folder / "bracket.html", plots=(), look="light", scale=100)
    browser = Browser(folder / "profile", (860, 520))
    browser.open(folder / "bracket.html", "#t=0.12")
    browser.evaluate("sharnir.act('ghost'), sharnir.act('axes'), sharnir.viewer.render(), 1")
    browser.picture(folder / "bracket.png")
    browser.close()
    picture = Image.open(folder / "bracket.png").convert("RGB").crop((0, 0, 860, 450))
    picture.save(Path(__file__).with_name("deformation.png"), optimize=True)


if __name__ == "__main__":
    main()
