"""What limits, efforts and friction of a URDF do when asked for, against closed forms."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError, ModelWarning

ARM = """
<robot name="arm">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0 0 {com}"/><mass value="2"/>
    <inertia ixx="0.5" iyy="0.5" izz="0.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="plate"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pan.1" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-0.4" upper="0.5" effort="3" velocity="2"/><dynamics damping="{damping}" friction="{friction}"/></joint>
  <joint name="table" type="planar"><parent link="base"/><child link="plate"/><axis xyz="0 0 1"/>
    <dynamics friction="{planar}"/></joint>
</robot>"""


def arm(com=0.0, damping=0.0, friction=0.0, planar=0.0, **options):
    return sr.load_urdf(ARM.format(com=com, damping=damping, friction=friction, planar=planar), **options)


def spinning(model, speed):
    """The same model with an initial speed of its rod, without its range."""
    joint = model.joints["pan_1"]
    model._joints["pan_1"] = sr.Revolute(
        joint.name, joint.parent, joint.child, axis=joint.axis, parent_frame=joint.parent_frame, v=speed, damping=joint.damping
    )
    return model


def test_friction_slows_evenly_and_damping_exponentially():
    """J v̇ = -F: v₀ - F t/J until it stands; J v̇ = -d v."""
    r = spinning(arm(friction=0.3, friction_speed=1e-4), 1.0).simulate(1.5, output=0.1, tolerance=1e-9)
    assert r["pan_1.v"][:16] == pytest.approx(1.0 - 0.3 / 0.5 * r.t[:16], abs=1e-6)
    late = spinning(arm(friction=0.3, friction_speed=1e-4), 1.0).simulate(2.0, output=0.5, tolerance=1e-9)
    assert abs(late["pan_1.v"][-1]) < 1e-6
    r = spinning(arm(damping=0.2), 1.0).simulate(1.5, output=0.1, tolerance=1e-9)
    assert r["pan_1.v"] == pytest.approx(np.exp(-0.2 / 0.5 * r.t), abs=1e-8)


def test_stops_hold_the_range():
    """A rod above its pin falls to the stop and rests there, deep enough to carry m g l sin φ."""
    m = arm(com=0.6, stops=sr.LinearLaw(2000.0, 200.0))
    assert list(m.forces) == ["pan_1 stop"]
    m._joints["pan_1"] = sr.Revolute("pan_1", "base", "rod", axis="y", q=0.1, limits=m.joints["pan_1"].limits)
    r = m.simulate(4.0, output=0.1)
    depth = r["pan_1.q"][-1] - 0.5
    assert 2000 * depth == pytest.approx(2 * 9.81 * 0.6 * np.sin(0.5 + depth), rel=1e-3)
    assert not arm().forces  # only where asked for
    m = arm()
    m._joints["pan_1"] = sr.Revolute("pan_1", "base", "rod", axis="y", v=1.0, limits=m.joints["pan_1"].limits)
    m.add(*sr.joint_limits(m, restitution=0.5))
    r = m.simulate(1.0, output=0.1)
    assert [(e["name"], e["t"]) for e in r.events] == [("pan_1 stop upper", pytest.approx(0.5))]
    assert r["pan_1.v"][-1] == pytest.approx(-0.5)


def test_efforts_limit_motors():
    """J v̇ = 3 while the command asks for more."""
    m = arm()
    m.add(*sr.joint_motors(m, {"pan_1": "10 - 100*v"}))
    r = m.simulate(0.01, output=0.002, tolerance=1e-10)
    assert r["pan_1.v"] == pytest.approx(3 / 0.5 * r.t, abs=1e-9)
    assert r["pan_1 motor.torque"] == pytest.approx(3.0)
    with pytest.raises(ModelError, match="there is no joint 'pan'"):
        sr.joint_motors(m, {"pan": "1"})
    with pytest.raises(ModelError, match="'table' has no effort in its limits"):
        sr.joint_motors(m, {"table": "1"})


def test_friction_that_is_not_used_is_told():
    with pytest.warns(ModelWarning, match="'pan_1': friction = 0.3 is not used; give friction_speed="):
        arm(friction=0.3)
    with pytest.warns(ModelWarning, match="'table': friction = 0.2 is not used; add a JointForce"):
        arm(planar=0.2, friction_speed=0.01)
    with pytest.raises(ModelError, match="friction_speed"):
        arm(friction=0.3, friction_speed=0.0)
