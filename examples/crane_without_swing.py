"""A crane that sets down its load without swing: two numbers shape the motion of the trolley so that the load ends at rest."""

import os
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import sharnir as sr

T = 6.0  # s for 10 m; the load on its rope of 8 m swings with a period of 5.7 s
m = sr.Model("crane", parameters={"a": 0.0, "b": 0.0})
m.add(sr.Body("trolley", mass=200.0), sr.Body("load", mass=500.0, position=(0, 0, -8.0)))
s = f"min(t/{T}, 1)"
plain = f"10*{s}^3*(10 - 15*{s} + 6*{s}^2)"  # smooth from rest to rest
shape = f"{s}^3*(1 - {s})^3*(a*({s} - 0.5) + b*({s} - 0.5)^2)"  # changes neither end
m.add(sr.Prismatic("rail", "ground", "trolley", axis="x", motion=f"{plain} + {shape}"))
m.add(sr.Revolute("rope", "trolley", "load", at=(0, 0, 0), axis="y"))

study = sr.Study(
    m,
    parameters={},
    outputs={"swing": f"rms(if(t > {T}, rope.q, 0))", "angle": "max(abs(rope.q))"},
    t_end=12.0,
    step=0.05,
    tolerance=1e-7,
)
best = study.minimize("swing", bounds={"a": (-2000, 2000), "b": (-2000, 2000)})
moved = {"smooth": m.simulate(12.0, step=0.02), "shaped": m.simulate(12.0, step=0.02, parameters=best.parameters)}
left = {name: float(np.degrees(np.abs(run["rope.q"][run.t > T]).max())) for name, run in moved.items()}
print(f"swing after {T:g} s: {left['smooth']:.3f}° with a smooth motion, {left['shaped']:.5f}° with a shaped one")
print(f"a = {best.parameters['a']:.2f} m, b = {best.parameters['b']:.2f} m; {len(best.runs)} runs, {best.gradients} gradients")

figure = Figure(figsize=(7, 3), layout="constrained")
first, second = figure.subplots(1, 2)
for (name, run), color in zip(moved.items(), ("#868e96", "#e8590c"), strict=True):
    first.plot(run.t, run["rail.q"], color=color, label=name)
    second.plot(run.t, np.degrees(run["rope.q"]), color=color, label=name)
second.axvline(T, color="#ced4da", linewidth=0.8)
first.set(xlabel="time [s]", ylabel="trolley [m]")
second.set(xlabel="time [s]", ylabel="swing [°]")
first.legend()
folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
figure.savefig(folder / "crane_without_swing.png")
print(f"picture: {folder / 'crane_without_swing.png'}")
