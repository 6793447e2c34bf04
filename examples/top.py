"""A heavy top in steady precession: started with the right speed, its axis keeps its tilt."""

import math
import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

mass, l, J1, J3 = 0.5, 0.08, 6e-4, 8e-4  # moments of inertia about the centre of mass
tilt, turn = 0.5, 3.0  # rad, and rad/s of the axis around the vertical
across = J1 + mass * l**2
# J3 n Ω = m g l + (J1 + m l²) Ω² cos θ, with n the angular velocity about the axis
n = (mass * 9.81 * l + across * turn**2 * math.cos(tilt)) / (J3 * turn)

m = sr.Model("top")
shape = (sr.Cylinder(0.06, 0.02, center=(0, 0, l)), sr.Rod((0, 0, 0), (0, 0, 0.14), 0.004))
top = sr.Body("top", mass=mass, com=(0, 0, l), inertia=(J1, J1, J3), rotation=sr.rotation_about("y", tilt), shape=shape)
m.add(top)
m.add(sr.Ball("tip", m.ground, top, at=(0, 0, 0), v=(-turn * math.sin(tilt), 0, n)))  # angular velocity in the top's axes

result = m.simulate(2 * math.pi / turn, step=0.01, tolerance=1e-11)

w, x, y, z = result["top.rotation"].T
tilts = np.arccos(w**2 - x**2 - y**2 + z**2)
print(f"the tilt of {math.degrees(tilt):.3f} degrees changes by {math.degrees(np.ptp(tilts)):.1e} degrees in one turn")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("top.angular_velocity", "tip.reaction.fx", "tip.reaction.fy", "tip.reaction.fz", path=folder / "top.png")
print(f"picture: {folder / 'top.png'}")
