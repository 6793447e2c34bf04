"""A quadruped from a URDF trots: drives with feedback, and ground contact of the feet as a user-defined force."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib.resources import as_file, files
from typing import Any

from sharnir.app.demos.demo import Demo
from sharnir.model import Body, Box, Fixed, JointForce, Model, UserForce
from sharnir.model.urdf import load_urdf
from sharnir.results import Result

LEGS = {"front_left": 0.0, "front_right": math.pi, "rear_left": math.pi, "rear_right": 0.0}  # phase of the trot [rad]
FOOT, STIFFNESS, DAMPING, FRICTION, SLIP = 0.022, 2.5e4, 250.0, 0.8, 0.04
RATE = 12.0  # rad/s
SWING, KNEE = 0.80, -1.55  # mean angles [rad]


def ground_contact(t, r, R, v, w, force, torque):  # type: ignore[no-untyped-def]
    """Feet push back where they dip into the ground; friction grows with the slip and is limited by Coulomb's law."""
    for k in range(r.shape[0]):
        depth = FOOT - r[k, 2]
        if depth > 0.0:
            normal = max(0.0, STIFFNESS * depth - DAMPING * v[k, 2])
            slip = math.sqrt(v[k, 0] ** 2 + v[k, 1] ** 2 + SLIP**2)
            force[k, 0] = -FRICTION * normal * v[k, 0] / slip
            force[k, 1] = -FRICTION * normal * v[k, 1] / slip
            force[k, 2] = normal
        else:
            force[k, 0], force[k, 1], force[k, 2] = 0.0, 0.0, 0.0
        torque[k, 0], torque[k, 1], torque[k, 2] = 0.0, 0.0, 0.0


def model() -> Model:
    """The robot of the file on a floating base, standing, with drives and floor.

    >>> model()
    Model('quadruped': 18 bodies, 18 joints, 13 forces)
    """
    with as_file(files("sharnir.app.demos.vehicles") / "quadruped.urdf") as path:
        robot = load_urdf(path, floating_base=True)
    m = Model("quadruped", parameters={"kp": 90.0, "kd": 2.5, "w": RATE})
    m.add(*robot.bodies.values())
    for joint in robot.joints.values():
        start: Any = {"swing": SWING, "knee": KNEE, "trunk": (0, 0, 0.33, 1, 0, 0, 0)}.get(joint.name.rpartition("_")[2])
        m.add(joint if start is None else replace(joint, q=start))
    for leg, phase in LEGS.items():
        for part, target in targets(phase).items():
            m.add(JointForce(f"{leg}_{part}", f"{leg}_{part}", f"kp*({target} - q) - kd*v"))
    m.add(UserForce("ground_contact", [f"{leg}_foot" for leg in LEGS], ground_contact))
    tiles = [Box((0.3, 0.9, 0.02), (0.3 * k - 0.3, 0, -0.01), color=("#adb5bd", "#868e96")[k % 2]) for k in range(8)]
    m.add(Fixed("floor", m.ground, m.add(Body("floor", mass=0, shape=tiles))))
    return m


def targets(phase: float) -> dict[str, str]:
    """Where the drives of a leg want to be: standing for half a second, then a trot that starts gently."""
    s = f"sin(w*t + {phase:.6f})"
    c = f"cos(w*t + {phase:.6f})"
    gait = "(1 + tanh(6*(t - 0.8)))/2"
    return {
        "abduction": "0",
        "swing": f"{SWING} + 0.22*{gait}*{s}",
        "knee": f"{KNEE} - 0.5*{gait}*max(0, -{c})",
    }


def finding(result: Result) -> str:
    """How far and how fast it goes."""
    x, late = result["trunk.position.x"], result.t > 0.5 * result.t[-1]
    speed = (x[-1] - x[late][0]) / (0.5 * result.t[-1])
    height = 100 * result["trunk.position.z"][late].mean()
    return f"it trots {x[-1]:.2f} m in {result.t[-1]:g} s, at the end with {speed:.2f} m/s; its trunk is {height:.0f} cm high"


QUADRUPED = Demo(
    name="quadruped",
    story="A quadruped from a URDF file trots; the floor is a user-defined Python function.",
    model=model,
    settings={"t_end": 5.0, "step": 0.01, "tolerance": 1e-6},
    plots=("trunk.position.x", "trunk.position.z", "front_left_swing.q", "front_left_knee.q"),
    finding=finding,
    traces=("trunk",),
)
