"""A robot with six axes leads its tool along a circle: computed torques at 1 kHz, against plain PD control."""

import os
import tempfile
from pathlib import Path

import matplotlib
import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

import sharnir as sr

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# hinge in the drawing, axis, end of the link, radius [m], mass [kg]
AXES = [
    ((0.00, 0, 0.10), "z", (0.08, 0, 0.50), 0.12, 30),
    ((0.08, 0, 0.50), "y", (0.08, 0, 1.15), 0.09, 22),
    ((0.08, 0, 1.15), "y", (0.39, 0, 1.19), 0.08, 14),
    ((0.39, 0, 1.19), "x", (0.86, 0, 1.19), 0.06, 8),
    ((0.86, 0, 1.19), "y", (0.99, 0, 1.19), 0.05, 3),
    ((0.99, 0, 1.19), "x", (1.15, 0, 1.19), 0.04, 4),
]
TOOL = np.array([1.15, 0, 1.19])
START, PERIOD, END = np.array([0.0, 0.3, 0.2, 0.0, 0.7, 0.0]), 1.5, 3.0  # rad; s of one round; s


def robot(q=(0,) * 6, payload=0.0):
    """The arm, with what it carries in its hand."""
    m = sr.Model("robot")
    previous = m.ground
    for k, (hinge, axis, end, radius, mass) in enumerate(AXES):
        link = m.add(sr.Body(f"link{k + 1}", mass=mass, shape=sr.Rod(hinge, end, radius)))
        m.add(sr.Revolute(f"axis{k + 1}", previous, link, at=hinge, axis=axis, q=q[k]))
        previous = link
    if payload:
        m.add(sr.Body("payload", mass=payload, position=TOOL), sr.Fixed("grip", previous, "payload"))
    return m


plan = robot().compile()  # what the controller knows; the payload it does not
local = TOOL - np.array(plan.bodies(np.zeros(6), np.zeros(6))["link6"].position)


def tool(q):
    """Position and rotation of the tool."""
    body = plan.bodies(q, np.zeros(6))["link6"]
    turn = Rotation.from_quat(np.roll(body.rotation, -1))
    return body.position + turn.apply(local), turn


def joints_on(p, turn, q):
    """Joint angles for a position and a rotation of the tool, by Newton's method."""
    for _ in range(20):
        place, now = tool(q)
        error = np.concatenate([p - place, (turn * now.inv()).as_rotvec()])
        if np.abs(error).max() < 1e-12:
            break
        q = q + np.linalg.solve(plan.jacobian("link6", q, local), error)
    return q


begin, held = tool(START)
times = np.linspace(0, END, 301)
angle = (
    2 * np.pi * (times / PERIOD - np.sin(2 * np.pi * times / END) * END / (2 * np.pi * PERIOD))
)  # two rounds, from rest to rest
path = begin + 0.15 * np.stack([0 * angle, np.sin(angle), np.cos(angle) - 1], axis=1)
way, q = [], START
for p in path:
    q = joints_on(p, held, q)
    way.append(q)
wanted = CubicSpline(times, way, bc_type="clamped")
STIFF, DAMPED = 900.0, 60.0  # 1/s², 1/s: errors die out as of a damped oscillator of 30 rad/s


def computed_torque(t, *x):
    """M(q) (wanted acceleration + feedback) + what gravity and motion take."""
    q, v = np.array(x[:6]), np.array(x[6:])
    return plan.inverse_dynamics(q, v, wanted(t, 2) + STIFF * (wanted(t) - q) + DAMPED * (wanted(t, 1) - v))


inertia = np.diag(plan.mass_matrix(START))


def plain_pd(t, *x):
    """Every joint for itself."""
    return inertia * (STIFF * (wanted(t) - np.array(x[:6])) + DAMPED * (wanted(t, 1) - np.array(x[6:])))


deviation, results = {}, {}
for name, law in (("computed torque", computed_torque), ("plain PD", plain_pd)):
    m = robot(START, payload=1.0)
    sensors = [f"axis{k}.{kind}" for kind in "qv" for k in range(1, 7)]
    m.add(sr.Sampled("controller", law, sensors, [f"torque{k}" for k in range(1, 7)], period=0.001, unit="N m"))
    m.add(*(sr.JointForce(f"motor{k}", f"axis{k}", f"torque{k}") for k in range(1, 7)))
    results[name] = m.simulate(END, output=0.01, tolerance=1e-7)
    goal = begin + 0.15 * np.stack([0 * angle, np.sin(angle), np.cos(angle) - 1], axis=1)
    deviation[name] = np.linalg.norm(results[name]["payload.position"] - goal, axis=1)
    print(f"{name}: tool at most {1e3 * deviation[name].max():.2f} mm from its path")

result = results["computed torque"]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for name, style in (("plain PD", "C1"), ("computed torque", "C0")):
    place = results[name]["payload.position"]
    left.plot(place[:, 1], place[:, 2], style, label=name)
    right.semilogy(result.t[1:], 1e3 * deviation[name][1:], style)
left.plot(path[:, 1], path[:, 2], "k:", label="wanted")
left.set(xlabel="y [m]", ylabel="z [m]", aspect="equal")
right.set(xlabel="t [s]", ylabel="distance from the path [mm]")
left.legend(loc="center", fontsize="small")
folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
figure.savefig(folder / "robot_path.png", dpi=120)
print(f"picture: {folder / 'robot_path.png'}")
