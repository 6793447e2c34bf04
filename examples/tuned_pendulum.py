"""A pendulum tuned to beat seconds: its length is a parameter, turned like a knob; then a family of lengths at once."""

import math
import os
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import sharnir as sr

m = sr.Model("seconds pendulum", gravity=(0, 0, "-g"), parameters={"g": 9.81})
l = m.parameter("l", 1.0, unit="m", description="length of the rod", range=(0.1, 5))
rho = m.parameter("rho", 2.0, unit="kg/m", description="mass per length")
m.add(sr.Body("rod", mass=rho * l, inertia=(rho * l**3 / 12, rho * l**3 / 12, 0), position=(0, 0, -l / 2)))
m.add(sr.Revolute("pivot", "ground", "rod", at=(0, 0, 0), axis="y", q=0.01))

# bisection: the period of small swings is to be 2 s; every step only fills in other numbers
system, low, high = m.compile(), 0.1, 5.0
while high - low > 1e-10:
    length = 0.5 * (low + high)
    rest = system.with_parameters(l=length)
    stiffness = (rest.accelerations([-1e-4], [0.0])[0] - rest.accelerations([1e-4], [0.0])[0]) / 2e-4
    low, high = (length, high) if 2 * math.pi / math.sqrt(stiffness) < 2.0 else (low, length)
exact = 1.5 * 9.81 / math.pi**2  # T = 2 pi sqrt(2 l / (3 g))
print(f"length of a rod that swings in 2 s: {length:.8f} m; by the formula {exact:.8f} m")

lengths = np.linspace(0.5, 3.0, 40)
runs = sr.simulate_many(m, 4.0, step=0.01, tolerance=1e-10, parameters={"l": lengths})
angles = runs["pivot.q"]
periods = []
for angle in angles:  # four times the time until it hangs vertically
    k = int(np.argmax(angle < 0.0))
    periods.append(4 * float(np.interp(0.0, -angle[k - 1 : k + 1], runs.t[k - 1 : k + 1])))
error = float(np.abs(np.array(periods) / (2 * np.pi * np.sqrt(2 * lengths / (3 * 9.81))) - 1).max())
print(f"{len(runs)} lengths: periods within {error:.1e} of the formula")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
figure = Figure(figsize=(7, 3), layout="constrained")
axes = figure.subplots()
axes.plot(lengths, periods, "o", color="#e8590c", markersize=3)
axes.axhline(2.0, color="#868e96", linewidth=0.8)
axes.axvline(length, color="#868e96", linewidth=0.8)
axes.set(xlabel="length [m]", ylabel="period [s]", title="A rod that swings: one parameter, forty runs")
figure.savefig(folder / "tuned_pendulum.png")
print(f"picture: {folder / 'tuned_pendulum.png'}")
