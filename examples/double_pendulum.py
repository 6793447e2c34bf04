"""A double pendulum of two rods: chaotic, but its energy stays."""

import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

m = sr.Model("double pendulum")
upper = m.add(sr.Body("upper", mass=1, shape=sr.Rod((0, 0, 0), (0, 0, -1))))
lower = m.add(sr.Body("lower", mass=1, shape=sr.Rod((0, 0, 0), (0, 0, -1)), position=(0, 0, -1)))
m.add(sr.Revolute("shoulder", m.ground, upper, axis="y", q=2.2))
m.add(sr.Revolute("elbow", upper, lower, axis="y", q=0.4))

result = m.simulate(20.0, step=0.01, tolerance=1e-10)

drift = np.ptp(result.energy.total) / result.energy.kinetic.max()
print(f"relative change of energy over {result.stats['steps']} steps: {drift:.1e}")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("shoulder.q", "elbow.q", "energy.kinetic", "energy.potential", "energy.total", path=folder / "double_pendulum.png")
print(f"picture: {folder / 'double_pendulum.png'}")
