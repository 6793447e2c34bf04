"""A box in free flight, spun about its middle axis, turns over and over (the Dzhanibekov effect)."""

import math
import os
import tempfile
from pathlib import Path

import numpy as np
from scipy.special import ellipk

import sharnir as sr

m = sr.Model("tumbling box", gravity=(0, 0, 0))
box = m.add(sr.Body("box", mass=2, shape=sr.Box((0.3, 0.2, 0.1)), angular_velocity=(0, 6, 0.01)))

result = m.simulate(20.0, step=0.005, tolerance=1e-11)

# the angular velocity about the middle axis changes its sign every 2 K(k) / p (Landau & Lifshitz, Mechanics, § 37)
A, B, C = box.inertia[:3]
_, w2, w3 = box.angular_velocity
E2, L2 = B * w2**2 + C * w3**2, (B * w2) ** 2 + (C * w3) ** 2  # twice the energy, squared angular momentum
rate = math.sqrt((C - B) * (L2 - E2 * A) / (A * B * C))
k2 = (B - A) * (E2 * C - L2) / ((C - B) * (L2 - E2 * A))
expected = 2 * ellipk(k2) / rate

spin = result["box.v.ry"]
k = np.flatnonzero(spin[:-1] * spin[1:] < 0)
flips = result.t[k] + (result.t[k + 1] - result.t[k]) * spin[k] / (spin[k] - spin[k + 1])
period = float(np.diff(flips).mean())
print(f"it turns over every {period:.5f} s; theory says {expected:.5f} s")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("box.v.rx", "box.v.ry", "box.v.rz", path=folder / "tumbling_box.png")
print(f"picture: {folder / 'tumbling_box.png'}")
