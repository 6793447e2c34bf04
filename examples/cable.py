"""A cable of a hundred links on ball joints, let go from the horizontal."""

import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

m = sr.Model("cable")
previous = m.ground
for k in range(100):
    link = m.add(sr.Body(f"link{k + 1}", mass=0.01, position=(0.04 * k, 0, 0), shape=sr.Rod((0, 0, 0), (0.04, 0, 0), 0.01)))
    m.add(sr.Ball(f"joint{k + 1}", previous, link))
    previous = link

result = m.simulate(2.0, step=0.01, tolerance=1e-7)

drift = np.ptp(result.energy.total) / result.energy.kinetic.max()
print(f"300 freedoms, {result.stats['steps']} steps; relative change of energy: {drift:.1e}")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("link100.position.x", "link100.position.z", "joint1.reaction.fz", path=folder / "cable.png")
print(f"picture: {folder / 'cable.png'}")
