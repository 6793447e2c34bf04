"""A suspension tuned for comfort: spring and damper for which a car feels a bump least, but does not bounce long after it."""

import os
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import sharnir as sr

# heights are measured from rest, so that weights and the springs that carry them cancel
m = sr.Model("quarter car", gravity=(0, 0, 0), parameters={"tyre": 150e3})
k = m.parameter("k", 30e3, unit="N/m", description="stiffness of the spring")
c = m.parameter("c", 3e3, unit="N s/m", description="damping")
m.add(sr.Body("wheel", mass=40.0), sr.Body("chassis", mass=300.0, position=(0, 0, 0.5)))
bump = "0.04*exp(-((t - 0.3)/0.04)^2)"
m.add(sr.Prismatic("axle", "ground", "wheel", axis="z", torque=f"-tyre*(q - {bump})"))
m.add(sr.Prismatic("strut", "wheel", "chassis", axis="z", stiffness=k, damping=c))

study = sr.Study(
    m,
    parameters={"k": np.linspace(10e3, 40e3, 7), "c": np.geomspace(600.0, 6e3, 9)},
    outputs={
        "discomfort": "rms(chassis.acceleration.z)",
        "bounce": "max(abs(if(t > 1, strut.q, 0)))",
    },
    t_end=2.0,
    step=0.005,
)
sweep = study.run()
bounds = {"k": (10e3, 40e3), "c": (600.0, 6e3)}
limit = 0.002  # m
best = study.minimize("discomfort", bounds=bounds, constraints={"bounce": (None, limit)})
free = study.minimize("discomfort", bounds=bounds)
kept = sweep["bounce"] <= limit
print(
    f"best of {len(sweep)} runs of a grid: {sweep['discomfort'][kept].min():.4f} m/s² that bounce by at most {1e3 * limit:.0f} mm"
)
for name, found in (("with the limit", best), ("without", free)):
    values = ", ".join(f"{key} = {value:.0f}" for key, value in found.parameters.items())
    bounce = 1e3 * found.outputs["bounce"]
    print(
        f"{name}: {found.value:.4f} m/s², {values}, bounce {bounce:.2f} mm; {len(found.runs)} runs, {found.gradients} gradients"
    )

figure = Figure(figsize=(7, 3), layout="constrained")
left, right = figure.subplots(1, 2)
shape = (7, 9)
K, C = (sweep[name].reshape(shape) / 1e3 for name in ("k", "c"))
lines = left.contour(C, K, sweep["discomfort"].reshape(shape), 12, cmap="viridis")
left.clabel(lines, fontsize=6)
left.contour(C, K, sweep["bounce"].reshape(shape), [limit], colors="#e03131", linewidths=1.2)
for found, color in ((best, "#e03131"), (free, "#868e96")):
    left.plot(found.parameters["c"] / 1e3, found.parameters["k"] / 1e3, "o", color=color)
left.set(xlabel="damping [kN s/m]", ylabel="stiffness [kN/m]", title="rms acceleration [m/s²]")
for values, color, label in ((None, "#868e96", "before"), (best.parameters, "#e03131", "tuned")):
    run = m.simulate(1.2, step=0.005, parameters=values)
    right.plot(run.t, run["chassis.acceleration.z"], color=color, label=label)
right.set(xlabel="time [s]", ylabel="acceleration [m/s²]", title="chassis")
right.legend()
folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
figure.savefig(folder / "tuned_suspension.png")
print(f"picture: {folder / 'tuned_suspension.png'}")
