"""A robot from a URDF file stands on its feet: feedback in the joints, the floor as a force of one's own."""

import os
import tempfile
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

import sharnir as sr

LEGS = ("front_left", "front_right", "rear_left", "rear_right")


def floor(t, r, R, v, w, force, torque):
    """Feet of 22 mm radius on an elastic floor with viscous friction."""
    for k in range(r.shape[0]):
        push = max(0.0, 2.5e4 * (0.022 - r[k, 2]) - 250.0 * v[k, 2]) if r[k, 2] < 0.022 else 0.0
        force[k, 0], force[k, 1], force[k, 2] = -2.0 * push * v[k, 0], -2.0 * push * v[k, 1], push
        torque[k, 0] = torque[k, 1] = torque[k, 2] = 0.0


with as_file(files("sharnir.app.demos.vehicles") / "quadruped.urdf") as path:  # a robot that comes with the package
    robot = sr.load_urdf(path, floating_base=True)
start = {"swing": 0.8, "knee": -1.55, "trunk": (0, 0, 0.33, 1, 0, 0, 0)}
m = sr.Model("quadruped")
m.add(*robot.bodies.values())
for joint in robot.joints.values():
    m.add(replace(joint, q=start.get(joint.name.rpartition("_")[2])))
for leg in LEGS:
    for joint, angle in (("abduction", 0.0), ("swing", 0.8), ("knee", -1.55)):
        m.add(sr.JointForce(f"{leg}_{joint}", f"{leg}_{joint}", f"90*({angle} - q) - 2.5*v"))
m.add(sr.UserForce("floor", [f"{leg}_foot" for leg in LEGS], floor))

result = m.simulate(1.5, step=0.005, tolerance=1e-6)

names = [f"floor.force_{leg}_foot.fz" for leg in LEGS]
load, weight = sum(result[name][-1] for name in names), 9.81 * sum(body.mass for body in m.bodies.values())
print(f"at rest the floor carries {load:.3f} N; the robot weighs {weight:.3f} N")

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("trunk.position.z", *names, path=folder / "quadruped.png")
print(f"picture: {folder / 'quadruped.png'}")
