"""A two-link arm from an MJCF file of MuJoCo: its rotors are a part of the inertia, and its servos hold a position."""

import os
import tempfile
from pathlib import Path

import numpy as np

import sharnir as sr

MJCF = """
<mujoco model="arm">
  <default>
    <joint axis="0 1 0" damping="0.5" armature="0.1"/>
    <geom type="capsule" size="0.04" contype="0" conaffinity="0"/>
  </default>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" range="-120 120"/><geom fromto="0 0 0 0 0 -0.4" rgba="0.2 0.4 0.7 1"/>
      <body name="fore" pos="0 0 -0.4">
        <joint name="elbow" range="0 150"/><geom fromto="0 0 0 0 0 -0.3" rgba="0.8 0.4 0.2 1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="lift" joint="shoulder" kp="80" kv="8"/><position name="bend" joint="elbow" kp="40" kv="4"/>
  </actuator>
  <keyframe><key name="raised" qpos="0 0.2" ctrl="-1 0.8"/></keyframe>
</mujoco>
"""
arm = sr.load_mjcf(MJCF, keyframe="raised")
system = arm.compile()
rotors = np.diag([joint.armature[0] for joint in arm.joints.values()])
share = np.trace(rotors) / np.trace(system.mass_matrix(system.q0))
result = arm.simulate(3.0, output=0.01)

# servos are springs: where they come to rest, their torque carries the weight
end = np.array([result["shoulder.q"][-1], result["elbow.q"][-1]])
weight = system.bias(end, np.zeros(2))
springs = np.array([80.0, 40.0]) * (np.array([-1.0, 0.8]) - end)
error = np.abs(springs - weight).max()
print(
    f"rotors are {100 * share:.0f} % of the inertia; servos carry {springs.round(3)} N m, the weight needs {weight.round(3)} N m"
)

folder = Path(os.environ.get("SHARNIR_EXAMPLES_DIR") or tempfile.mkdtemp())
result.plot("shoulder.q", "elbow.q", path=folder / "mujoco_arm.png")
print(f"picture: {folder / 'mujoco_arm.png'}")
