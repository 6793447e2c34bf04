"""Friction of a robot's joint identified from a measured motion: viscous and dry friction and the load, with their errors."""

import os
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import sharnir as sr

m = sr.Model("joint of a robot", parameters={"load": 1.0})
viscous = m.parameter("viscous", 0.5, unit="N m s/rad")
dry = m.parameter("dry", 0.5, unit="N m")
m.add(sr.Body("arm", mass=2.0, inertia=(0.0, 0.06, 0.06), position=(0.3, 0, 0)))
m.add(sr.Body("load", mass="load", position=(0.6, 0, 0)))
motor = "9*sin(3*t) + 5*sin(7.3*t)"  # N m
m.add(sr.Revolute("joint", "ground", "arm", at=(0, 0, 0), axis="z", torque=f"{motor} - viscous*v - dry*tanh(20*v)"))
m.add(sr.Fixed("grip", "arm", "load", at=(0.6, 0, 0)))

# what an encoder of 0.5 mrad would have measured on a joint whose friction nobody knows
true = {"viscous": 1.1, "dry": 2.3, "load": 1.6}
t = np.linspace(0.01, 3.0, 300)
run = m.simulate(3.0, output=t, parameters=true)
angle = np.interp(t, run.t, run["joint.q"]) + 5e-4 * np.random.default_rng(1).standard_normal(len(t))

found = sr.fit(m, {"joint.q": (t, angle)}, parameters={"viscous": (0, 5), "dry": (0, 5), "load": (0.2, 4)})
print(found.report())
print(f"true: {true}; correlation of the two kinds of friction {found.correlation('viscous', 'dry'):.2f}")
inside = {name: found.interval(name, 0.99)[0] < value < found.interval(name, 0.99)[1] for name, value in true.items()}

figure = Figure(figsize=(7, 3), layout="constrained")
left, right = figure.subplots(1, 2)
left.plot(t[::4], angle[::4], ".", color="#868e96", markersize=3, label="measured")
left.plot(found.result.t, found.result["joint.q"], color="#1971c2", linewidth=1, label="fitted")
left.set(xlabel="time [s]", ylabel="angle [rad]")
left.legend()
speed = np.linspace(-2, 2, 400)
for values, style in ((true, {"color": "#868e96", "linewidth": 3}), (found.parameters, {"color": "#e8590c", "linewidth": 1})):
    right.plot(speed, values["viscous"] * speed + values["dry"] * np.tanh(20 * speed), **style)
right.set(xlabel="speed [rad/s]", ylabel="friction [N m]", title="true (grey) and identified")
folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
figure.savefig(folder / "joint_friction.png")
print(f"picture: {folder / 'joint_friction.png'}")
