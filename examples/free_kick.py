"""A football with drag and spin: a force of one's own, written in Python and compiled into the step loop."""

import math
import os
import tempfile
from pathlib import Path

import sharnir as sr

RADIUS, MASS = 0.11, 0.43
AIR = 0.5 * 1.2 * math.pi * RADIUS**2  # ρ A / 2


def air(t, r, R, v, w, force, torque):
    """Drag against the velocity v, lift along w × v."""
    speed = math.sqrt(v[0, 0] ** 2 + v[0, 1] ** 2 + v[0, 2] ** 2)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        force[0, k] = AIR * (0.9 * RADIUS * (w[0, i] * v[0, j] - w[0, j] * v[0, i]) - 0.22 * speed * v[0, k])
        torque[0, k] = 0.0


m = sr.Model("free kick")
ball = sr.Body("ball", mass=MASS, shape=sr.Sphere(RADIUS), velocity=(24.5, -7.2, 6.6), angular_velocity=(0, 12, 62))
m.add(ball)
m.add(sr.UserForce("air", ball, air))

result = m.simulate(0.8, step=0.01)

x, y, z = result["ball.position"][-1]
bend = y - x * -7.2 / 24.5
work = result.energy.total[-1] - result.energy.total[0]
print(f"after {x:.1f} m the ball is {bend:.2f} m beside the straight line; the air took {-work:.1f} J")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("ball.position", "ball.velocity", path=folder / "free_kick.png")
print(f"picture: {folder / 'free_kick.png'}")
