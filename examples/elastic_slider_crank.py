"""A slider-crank with an elastic rod (Gevorkian 2020): force of the drive and displacement of the rod, exact and approximate."""

import math
import os
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import sharnir as sr
from sharnir.flexible import Material, Section, reduce, straight_beam

ROD, CRANK, RADIUS, DENSITY, PERIOD = 0.35, 0.15, 3e-3, 7800.0, 2 * math.pi / 100

# where the loop closes at q₁ = 0, and speeds for 12 m/s of the slider
theta = math.acos((0.35**2 + ROD**2 - CRANK**2) / (2 * 0.35 * ROD))
end = np.array([ROD * math.cos(theta), ROD * math.sin(theta), 0.0])
psi = math.atan2(-end[1], 0.35 - end[0])
arms = [[-ROD * math.sin(theta), -CRANK * math.sin(psi)], [ROD * math.cos(theta), CRANK * math.cos(psi)]]
rod_speed, crank_speed = np.linalg.solve(arms, (-12.0, 0.0))

# one shape, seen from the tangent at A2: a beam under an even load; its coordinate is the displacement of A3
steel = Material(200e9, 0.3, DENSITY)
beam = straight_beam((0, 0, 0), (ROD, 0, 0), Section.round(RADIUS), steel, elements=40, theory="euler", rotary=False)
shape = ("-y*(6*x^2/l^3 - 4*x^3/l^4)", "2*x^3/l^3 - x^4/l^4", "0")
reduced = reduce(beam, interfaces={"A2": 0, "A3": 40}, shapes=[shape], parameters={"l": ROD})

m = sr.Model("slider-crank with an elastic rod", gravity=(0, 0, 0))
m.add(sr.Body("slider", mass=0.1, inertia=(1e-5, 1e-5, 1e-5)))
m.add(sr.Prismatic("slide", "ground", "slider", axis="x", motion="0.12*sin(100*t)"))
m.add(sr.FlexibleBody("rod", reduced=reduced, rotation=sr.rotation_about("z", theta)))
m.add(sr.Revolute("A2", "slider", "rod:A2", at=(0, 0, 0), axis="z", v=rod_speed))
mass = DENSITY * math.pi * RADIUS**2 * CRANK
inertia = (mass * RADIUS**2 / 2, mass * CRANK**2 / 12, mass * CRANK**2 / 12)
place = {"position": tuple(end), "rotation": sr.rotation_about("z", psi)}
m.add(sr.Body("crank", mass=mass, com=(CRANK / 2, 0, 0), inertia=inertia, **place))
m.add(sr.Revolute("A3", "rod:A3", "crank", at=tuple(end), axis="z", v=crank_speed - rod_speed))
m.add(sr.Revolute("A4", "ground", "crank", at=(0.35, 0, 0), axis="z"))

exact = m.simulate(0.07, output=1e-4, tolerance=1e-9)
published = sr.approximate_cycle(m, PERIOD, 0.07, output=1e-4)
held = sr.approximate_cycle(m, PERIOD, 0.07, output=1e-4, hold=2000.0)
long = m.simulate(2.0, output=5e-4)
work = np.trapezoid(exact["slide.drive"] * exact["slide.v"], exact.t)
gained = exact.energy.total[-1] - exact.energy.total[0]
print(f"work of the drive {work:.4f} J, energy gained {gained:.4f} J")
print(f"published method: {published.estimate}")
print(f"held by springs of 2 kHz: {held.estimate}")

figure, panels = plt.subplots(2, 2, figsize=(12, 7), layout="constrained")
ms, u = 1e3 * exact.t, "rod:A3.displacement"
panels[0, 0].plot(ms, exact["slide.drive"], label="elastic rod")
panels[0, 0].plot(1e3 * published.rigid.t, published.rigid["slide.drive"], "--", label="rigid rod")
panels[0, 0].set(title="force of the drive", xlabel="t [ms]", ylabel="N")
panels[0, 1].plot(ms, 1e3 * exact[u][:, 1], label="exact")
panels[0, 1].plot(ms, 1e3 * published.result[u][:, 1], "--", label="approximate")
panels[0, 1].plot(ms, 1e3 * held.result[u][:, 1], ":", label="approximate, held")
panels[0, 1].set(title="displacement of A3", xlabel="t [ms]", ylabel="mm", ylim=(-30, 55))
panels[1, 0].plot(long.t, 1e3 * long[u][:, 1], linewidth=0.4)
panels[1, 0].set(title="displacement of A3 over 2 s", xlabel="t [s]", ylabel="mm")
window = np.hanning(len(long.t))
spectrum = np.abs(np.fft.rfft(long[u][:, 1] * window)) * 2e3 / window.sum()
hertz = np.fft.rfftfreq(len(long.t), 5e-4)
panels[1, 1].semilogy(hertz[hertz < 250], spectrum[hertz < 250], linewidth=0.7)
panels[1, 1].set(title="its amplitudes", xlabel="Hz", ylabel="mm", ylim=(1e-3, None))
for panel in panels[0]:
    panel.legend()
folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
figure.savefig(folder / "elastic_slider_crank.png", dpi=100)
print(f"picture: {folder / 'elastic_slider_crank.png'}")
