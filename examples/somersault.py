"""A somersault: legs and arms of a jumping figure move as prescribed, the free body turns as momentum tells."""

import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

TUCK = "(tanh(16*(t - 0.2)) - tanh(16*(t - 0.75)))/2"  # 0 stretched, 1 tucked
m = sr.Model("somersault")
trunk = m.add(sr.Body("trunk", mass=35, position=(0, 0, 1), shape=sr.Rod((0, 0, 0), (0, 0, 0.5), 0.13)))
m.add(sr.Free("flight", m.ground, trunk, v=(0, 0, 4.3, 0, -3.5, 0)))  # jumps up, turns backwards
# name, parent, mass [kg], joint in the drawing, end of the limb, tucked angle [rad]
for name, parent, mass, start, end, angle in (
    ("arms", "trunk", 8, (0, 0, 1.5), (0, 0, 2.1), 2.3),
    ("thighs", "trunk", 18, (0, 0, 1.0), (0, 0, 0.55), -2.1),
    ("shins", "thighs", 9, (0, 0, 0.55), (0, 0, 0.05), 2.3),
):
    limb = sr.Body(name, mass=mass, position=start, shape=sr.Rod((0, 0, 0), (0, 0, end[2] - start[2]), 0.06))
    m.add(limb, sr.Revolute(name, parent, limb, axis="y", motion=f"{angle}*{TUCK}"))

result = m.simulate(0.9, step=0.005)

L, r, p = (result[f"system.{name}"] for name in ("angular_momentum", "center_of_mass", "momentum"))
momentum = (L - np.cross(r, p))[:, 1]  # about the centre of mass
spin = np.abs(result["trunk.angular_velocity.y"])
drift = float(np.ptp(momentum) / np.abs(momentum).max())
print(f"tucked, the trunk turns {spin.max() / spin[0]:.2f} times as fast; relative change of angular momentum {drift:.1e}")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("trunk.angular_velocity.y", "thighs.q", "shins.q", "thighs.drive", path=folder / "somersault.png")
print(f"picture: {folder / 'somersault.png'}")
