"""A cam with a follower on a spring: the lift is a formula of the cam's angle, which the joint of the follower follows."""

import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

mass, stiffness, preload, J = 0.3, 2000.0, 60.0, 0.02  # kg, N/m, N, kg m² of the cam with its flywheel
lift = "0.012*exp(-4*(1 + cos(phi)))"  # a dwell, and a smooth rise and fall about half a turn

m = sr.Model("cam")
m.add(sr.Body("cam", shape=sr.Cylinder(0.03, 0.02, axis="y"), mass=1.0, inertia=(J, J, J)))
m.add(sr.Body("follower", mass=mass, shape=sr.Box((0.01, 0.01, 0.1)), position=(0, 0, 0.03)))
m.add(sr.Revolute("shaft", m.ground, "cam", at=(0, 0, 0), axis="y", v=60.0))
valve = sr.FormulaJoint(
    "valve",
    m.ground,
    "follower",
    variables={"phi": "rad"},
    position=(0, 0, lift),
    mimic=("shaft", 1.0, 0.0),
)
m.add(valve)
# the spring is compressed by `preload` where the lift is zero
m.add(
    sr.Spring(
        "spring",
        "ground",
        "follower",
        at_a=(0, 0, 0.2),
        at_b=(0, 0, 0.03),
        stiffness=stiffness,
        length=0.17 + preload / stiffness,
    )
)

result = m.simulate(0.25, output=2.5e-4, tolerance=1e-10)

phi, omega = result["shaft.q"], result["shaft.v"]
h = 0.012 * np.exp(-4 * (1 + np.cos(phi)))
slope = 4 * np.sin(phi) * h
energy = 0.5 * (J + mass * slope**2) * omega**2 + mass * 9.81 * h + preload * h + 0.5 * stiffness * h**2
drift = np.ptp(energy) / energy[0]
contact = result["valve.reaction.fz"]  # what the cam exerts on the follower; below zero it would lift off
print(f"the shaft runs at {omega.min():.2f} to {omega.max():.2f} rad/s; energy drifts by {drift:.1e}")
balance = np.abs(contact - mass * (result["follower.acceleration"][:, 2] + 9.81) - preload - stiffness * h).max()
print(f"the cam pushes with {contact.min():.1f} to {contact.max():.1f} N")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("follower.position.z", "shaft.v", "valve.reaction.fz", path=folder / "cam_follower.png")
print(f"picture: {folder / 'cam_follower.png'}")
