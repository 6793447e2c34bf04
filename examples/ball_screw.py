"""A ball screw whose pitch grows with the angle, lifted by a constant torque: the joint is two formulas."""

import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

mass, J, torque = 20.0, 0.05, 4.0  # kg and kg m² of the nut with its load, N m
m = sr.Model("ball screw", parameters={"p": 0.005, "g": 2e-4})  # m/rad at the start, and its growth in m/rad²
m.add(sr.Body("nut", mass=mass, inertia=(0.1, 0.1, J), shape=sr.Cylinder(0.05, 0.04)))
screw = sr.FormulaJoint(
    "screw",
    m.ground,
    "nut",
    variables={"q": "rad"},
    position=(0, 0, "p*q + g*q^2/2"),
    rotation=("z", "q"),
    torque=torque,
)
m.add(screw)
result = m.simulate(1.5, output=0.01, tolerance=1e-11)

q, v, z = result["screw.q"], result["screw.v"], result["nut.position"][:, 2]
pitch = 0.005 + 2e-4 * q
work, stored = torque * q, 0.5 * (J + mass * pitch**2) * v**2 + mass * 9.81 * z
error = np.abs(work - stored).max() / work.max()
print(f"{q[-1]:.2f} rad lift the nut by {1e3 * z[-1]:.2f} mm; its pitch is {1e3 * pitch[-1]:.2f} mm/rad by then")
print(f"the work of the torque and the energy differ by {error:.1e}")
equations = m.equations()
print(equations)

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("screw.q", "nut.position.z", "screw.reaction.fz", path=folder / "ball_screw.png")
print(f"picture: {folder / 'ball_screw.png'}")
