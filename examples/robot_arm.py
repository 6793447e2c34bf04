"""A robot arm with six axes follows prescribed motions: which torques do its drives need?"""

import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

# hinge in the drawing, axis, end of the link, radius [m], mass [kg], motion
AXES = [
    ((0.00, 0, 0.10), "z", (0.08, 0, 0.50), 0.12, 30, "1.1*sin(w*t)"),
    ((0.08, 0, 0.50), "y", (0.08, 0, 1.15), 0.09, 22, "0.25 - 0.35*cos(w*t)"),
    ((0.08, 0, 1.15), "y", (0.39, 0, 1.19), 0.08, 14, "0.25 + 0.4*cos(2*w*t)"),
    ((0.39, 0, 1.19), "x", (0.86, 0, 1.19), 0.06, 8, "0.9*sin(w*t)"),
    ((0.86, 0, 1.19), "y", (0.99, 0, 1.19), 0.05, 3, "0.5 - 0.5*cos(2*w*t)"),
    ((0.99, 0, 1.19), "x", (1.15, 0, 1.19), 0.04, 4, "1.5*sin(2*w*t)"),
]
m = sr.Model("robot arm", parameters={"w": 1.0})
previous = m.ground
for k, (hinge, axis, end, radius, mass, motion) in enumerate(AXES):
    link = m.add(sr.Body(f"link{k + 1}", mass=mass, shape=sr.Rod(hinge, end, radius)))
    m.add(sr.Revolute(f"axis{k + 1}", previous, link, at=hinge, axis=axis, motion=motion))
    previous = link

result = m.simulate(4.0, step=0.005)

torques = np.array([result[f"axis{k}.drive"] for k in range(1, 7)])
speeds = np.array([result[f"axis{k}.v"] for k in range(1, 7)])
work = np.trapezoid((torques * speeds).sum(axis=0), result.t)  # of all drives: it becomes energy
gained = result.energy.total[-1] - result.energy.total[0]
print(f"largest torque: {np.abs(torques).max():.0f} N m; work of the drives {work:.4f} J, energy gained {gained:.4f} J")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot(*(f"axis{k}.drive" for k in range(1, 7)), path=folder / "robot_arm.png")
print(f"picture: {folder / 'robot_arm.png'}")
