"""An inverted pendulum on a cart, balanced by a sampled controller that is designed from the model's own linear equations."""

import os
import tempfile
from pathlib import Path

import numpy as np
from scipy.linalg import expm, solve_discrete_are

import sharnir as sr

PERIOD = 0.02  # s, of the controller
STATES = ("rail.q", "hinge.q", "rail.v", "hinge.v")


def pendulum(*elements):
    """A cart on a rail and a pole on the cart."""
    m = sr.Model("inverted pendulum")
    m.add(sr.Body("cart", mass=1.5, shape=sr.Box((0.3, 0.2, 0.1))))
    m.add(sr.Body("pole", mass=0.4, shape=sr.Rod((0, 0, 0), (0, 0, 0.9), 0.015)))
    m.add(sr.Prismatic("rail", "ground", "cart", axis="x", damping=0.2))
    m.add(sr.Revolute("hinge", "cart", "pole", at=(0, 0, 0), axis="y", q=0.2))
    m.add(*elements, sr.JointForce("motor", "rail", "push"))
    return m


plant = pendulum(sr.Input("push"), *(sr.Signal(f"s{k}", text) for k, text in enumerate(STATES)))
linear = plant.compile().linearize([0, 0], [0, 0], outputs=[f"s{k}" for k in range(4)])
A = linear.C @ linear.A @ np.linalg.inv(linear.C)  # in the coordinates of the joints
B = linear.C @ linear.B
whole = expm(PERIOD * np.block([[A, B], [np.zeros((1, 5))]]))  # exact over one period with the push held
F, G = whole[:4, :4], whole[:4, 4:]
X = solve_discrete_are(F, G, np.diag([4.0, 1.0, 0.1, 0.1]), np.array([[0.02]]))
gains = np.linalg.solve(G.T @ X @ G + 0.02, G.T @ X @ F)[0]
print("gains:", gains.round(2), " poles |z|:", np.abs(np.linalg.eigvals(F - G @ gains[None])).round(3))

m = pendulum(sr.Sampled("push", lambda t, *x: float(-gains @ x), STATES, period=PERIOD, unit="N"))
result = m.simulate(5.0, output=PERIOD, tolerance=1e-9)

small, predicted = np.array([0.0, 0.2, 0.0, 0.0]), []
for _ in result.t:
    predicted.append(small[1])
    small = F @ small - G[:, 0] * (gains @ small)
difference = np.abs(result["hinge.q"] - predicted).max()  # of the motion from the linear one
print(f"after 5 s: pole {result['hinge.q'][-1]:.1e} rad, cart {result['rail.q'][-1]:.1e} m")
print(f"largest difference from the linear prediction: {difference:.4f} rad of 0.2 rad")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("hinge.q", "rail.q", "push", path=folder / "inverted_pendulum.png")
print(f"picture: {folder / 'inverted_pendulum.png'}")
