"""A roller coaster: a banked track as a joint by formulas, which carries the car, and what its passengers feel."""

import math
import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

mass, start, g = 600.0, 3.0, 9.81  # kg, m/s at the top, m/s²
m = sr.Model("roller coaster", parameters={"R": 25.0, "W": 15.0, "H": 12.0})
m.add(sr.Body("car", mass=mass, shape=sr.Box((2.5, 1.2, 0.8)), inertia=(0, 0, 0)))

# an oval with two hills; u runs from 0 to 2π on each lap
x, y, z = "R*sin(u)", "W*(1 - cos(u))", "H*(1 + cos(2*u))/2"
dx, dy, dz = "R*cos(u)", "W*sin(u)", "-H*sin(2*u)"
heading, slope = f"atan2({dy}, {dx})", f"-atan({dz}/hypot({dx}, {dy}))"

# banked so that nothing pushes sideways at the speed that a car has there without friction
u = np.linspace(0.0, 2.0 * math.pi, 81)
R, W, H = 25.0, 15.0, 12.0
along = np.array([R * np.cos(u), W * np.sin(u), -H * np.sin(2 * u)])
bend = np.array([-R * np.sin(u), W * np.cos(u), -2 * H * np.cos(2 * u)])
rate = np.sqrt(start**2 + g * H * (1 - np.cos(2 * u))) / np.linalg.norm(along, axis=0)
left = np.array([-along[1], along[0], np.zeros_like(u)]) / np.hypot(along[0], along[1])
up = np.cross(along, left, axis=0) / np.linalg.norm(along, axis=0)
load = bend * rate**2 + np.array([[0.0], [0.0], [g]])
lean = -np.arctan2((load * left).sum(axis=0), (load * up).sum(axis=0))
bank = sr.Table(u, np.append(lean[:-1], lean[0]), kind="cubic", outside="repeat")

track = sr.FormulaJoint(
    "track",
    m.ground,
    "car",
    variables={"u": "rad"},
    position=(x, y, z),
    rotation=(("z", heading), ("y", slope), ("x", "bank(u)")),
    tables={"bank": bank},
    v=start / R,
)
m.add(track)
result = m.simulate(20.0, output=0.02, tolerance=1e-10)

speed = np.linalg.norm(result["car.velocity"], axis=1)
expected = np.sqrt(start**2 + 2 * g * (H - result["car.position"][:, 2]))
error = np.abs(speed - expected).max()
felt = result["track.reaction_local"][:, :3] / (mass * g)
lateral, seat = np.abs(felt[:, 1]).max(), felt[:, 2]
print(f"speed {speed.min():.2f} to {speed.max():.2f} m/s, {error:.1e} m/s away from that of free fall")
print(f"passengers feel {seat.min():.2f} to {seat.max():.2f} g on the seat and at most {lateral:.2f} g sideways")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
channels = ("car.position", "track.reaction_local.fy", "track.reaction_local.fz")
result.plot(*channels, path=folder / "roller_coaster.png")
print(f"picture: {folder / 'roller_coaster.png'}")
