"""A four-bar: which joint is cut in its loop, which constraints say nothing new, and the same motion in both formulations."""

import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

m = sr.Model("four-bar")
crank = m.add(sr.Body("crank", mass=1, shape=sr.Rod((0, 0, 0), (0.3, 0, 0.4))))
coupler = m.add(sr.Body("coupler", mass=2, shape=sr.Rod((0, 0, 0), (1.2, 0, 0.2)), position=(0.3, 0, 0.4)))
rocker = m.add(sr.Body("rocker", mass=1, shape=sr.Rod((0, 0, 0), (0.2, 0, 0.6)), position=(1.3, 0, 0)))
m.add(sr.Revolute("O", m.ground, crank, at=(0, 0, 0), axis="y", v=6.0))  # the other speeds follow from this one
m.add(sr.Revolute("A", crank, coupler, at=(0.3, 0, 0.4), axis="y"))
m.add(sr.Revolute("B", coupler, rocker, at=(1.5, 0, 0.6), axis="y"))
m.add(sr.Revolute("C", m.ground, rocker, at=(1.3, 0, 0), axis="y"))

print(m.topology())
result = m.simulate(5.0, step=0.01)
absolute = m.simulate(5.0, step=0.01, formulation="absolute")
difference = np.abs(result["coupler.position"] - absolute["coupler.position"]).max()
gap = result.stats["position_residual"]
print(f"redundant: {', '.join(result.stats['redundant'])}")
print(f"joint and absolute coordinates differ by {difference:.1e} m after {result.t[-1]:g} s; the loop is closed to {gap:.0e}")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("O.q", "C.q", "B.reaction.fx", "B.reaction.fz", path=folder / "four_bar.png")
print(f"picture: {folder / 'four_bar.png'}")
