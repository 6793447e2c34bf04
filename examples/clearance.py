"""A slider-crank at 5000 rpm whose rod holds the slider by a bearing with clearance: impacts, flights, peaks of the force."""

import math
import os
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import sharnir as sr

SPEED, RADIUS, CLEARANCE = 5000 * math.pi / 30, 0.01, 0.2e-3

m = sr.Model("slider-crank with clearance", gravity=(0, 0, 0))
m.add(sr.Body("crank", mass=0.3, inertia=(1e-4, 1e-4, 1e-4), position=(0.025, 0, 0)))
m.add(sr.Body("rod", mass=0.21, inertia=(2.5e-4, 2.5e-4, 2.5e-4), position=(0.11, 0, 0)))
m.add(sr.Body("slider", mass=0.14, inertia=(1e-4, 1e-4, 1e-4), position=(0.17, 0, 0)))
m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", motion=f"{SPEED!r}*t"))
m.add(sr.Revolute("A", "crank", "rod", at=(0.05, 0, 0), axis="y", v=-SPEED * (1 + 5 / 12)))
m.add(sr.Prismatic("rail", "ground", "slider", axis="x"))
journal = sr.Cylinder(RADIUS - CLEARANCE, 0.02, axis="y", center=(0.06, 0, 0))  # in axes of the rod
law = sr.LankaraniNikravesh(sr.hertz_stiffness(RADIUS - CLEARANCE, 207e9, 0.3, -RADIUS), restitution=0.9, speed=1.0)
m.add(sr.Contact("B", "rod", "slider", journal, sr.Bore(RADIUS, axis="y"), law=law, friction=sr.Friction(0.03, speed=0.05)))

result = m.simulate(0.036, output=2e-6, tolerance=1e-7)

late = result.t > 0.012
force, a = result["B.force"], result["rail.a"]
free = 100 * (force[late] == 0).mean()
peak = np.abs(a[late]).max() / (0.05 * SPEED**2 * (1 + 5 / 12))
print(
    f"{result.stats['steps']} steps; apart {free:.0f} % of the time; largest acceleration {peak:.1f} times that of an ideal joint"
)

end = result["A.q"] + SPEED * result.t  # angle of the rod, about y
tip = np.array([0.05 * np.cos(SPEED * result.t) + 0.12 * np.cos(end), -0.05 * np.sin(SPEED * result.t) - 0.12 * np.sin(end)])
offset = 1e3 * (tip - [0.17 + result["rail.q"], np.zeros(len(end))])

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(2, 1))
left.plot(1e3 * result.t[late], force[late] / 1e3, lw=0.7)
left.set(xlabel="t [ms]", ylabel="force in the bearing [kN]")
right.plot(*offset[:, late], lw=0.6)
turn = np.linspace(0, 2 * np.pi, 200)
right.plot(1e3 * CLEARANCE * np.cos(turn), 1e3 * CLEARANCE * np.sin(turn), "k--", lw=0.8)
right.set(xlabel="centre of the journal, x [mm]", ylabel="z [mm]", aspect="equal")
figure.tight_layout()
figure.savefig(folder / "clearance.png", dpi=120)
print(f"picture: {folder / 'clearance.png'}")
