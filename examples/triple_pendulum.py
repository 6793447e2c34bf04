"""The planar pendulum of three rods of the literature for 100 s; two integrators of different kind agree."""

import math
import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

m = sr.Model("triple pendulum")
previous = m.ground
for k, (name, angle) in enumerate({"O": 0.0, "B": 0.0, "D": math.pi / 6}.items()):
    rod = m.add(sr.Body(f"rod{k + 1}", mass=1, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0), position=(0, 0, -k)))
    m.add(sr.Revolute(name, previous, rod, axis="-y", q=angle))
    previous = rod

result = m.simulate(100.0, step=0.01, tolerance=1e-12)
other = m.simulate(100.0, step=0.01, tolerance=1e-12, integrator="abm", order=12)

difference = max(np.abs(result[f"{name}.q"] - other[f"{name}.q"]).max() for name in "OBD")
print(f"largest difference of an angle between the two runs: {difference:.1e} rad")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("O.q", "B.q", "D.q", path=folder / "triple_pendulum.png")
print(f"picture: {folder / 'triple_pendulum.png'}")
