"""Friction does not depend on how a joint is placed, nor on a ground that moves; ensembles have it too."""

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from sharnir.model.forces.joint_friction import JOINTS


def arm(frames, base):
    m = sr.Model("arm", base_motion=base)
    body = {"mass": 1, "inertia": (0.1, 0.12, 0.13), "com": (0.2, 0.1, 0.3)}
    m.add(sr.Body("a", position=(0.5, 0.2, 0.1), **body), sr.Body("b", position=(1.5, 0.2, 0.1), **body))
    first = {"parent_frame": sr.Frame((0.5, 0.2, 0.1)), "child_frame": sr.Frame()} if frames else {"at": (0.5, 0.2, 0.1)}
    second = {"parent_frame": sr.Frame((1, 0, 0))} if frames else {"at": (1.5, 0.2, 0.1)}
    m.add(sr.Revolute("R", "ground", "a", axis="y", v=2.0, **first))
    m.add(sr.Cylindrical("C", "a", "b", axis="x", v=(1, -2), **second))
    m.add(sr.JointFriction("r", "R", coefficient=0.3, radius=0.1, length=0.5))
    m.add(sr.JointFriction("c", "C", coefficient=0.3, radius=0.1, length=0.5, preload=3))
    return m


@pytest.mark.parametrize("base", [None, {"x": "0.3*sin(3*t)", "rz": "0.5*t"}])
def test_frames_and_a_moving_ground(base):
    given = {"output": 0.1, "tolerance": 1e-10}
    runs = [arm(frames, base).simulate(0.3, formulation=f, **given) for frames in (False, True) for f in ("joint", "absolute")]
    for r in runs[1:]:
        for name in ("R.q", "r.load", "c.load", "c.power"):
            assert np.abs(r[name] - runs[0][name]).max() < 1e-7, name


def test_an_ensemble():
    m = arm(False, None)
    s = m.compile()
    speeds = np.outer([0.5, 1.0], s.v0)
    many = sr.simulate_many(m, 0.2, q=np.tile(s.q0, (2, 1)), v=speeds, output=0.1, tolerance=1e-9)
    one = m.simulate(0.2, output=0.1, tolerance=1e-9)
    assert np.abs(many["r.load"][1] - one["r.load"]).max() < 1e-6


@pytest.mark.parametrize("name", ["four_bar", "crank_rocker", "spatial_slider_crank"])
@pytest.mark.parametrize("length", [None, 0.3])
def test_loops_in_both_formulations(name, length):
    """Reactions of planar loops are not unique across their plane, but what makes friction is."""
    m = getattr(mechanisms, name)()
    for joint in list(m.joints.values()):
        if type(joint) in JOINTS:
            m.add(sr.JointFriction(f"f {joint.name}", joint.name, coefficient=0.1, radius=0.02, length=length))
    found = []
    for formulation in ("joint", "absolute"):
        s = m.compile(formulation=formulation)
        accelerations = [x.acceleration for x in s.bodies(s.q0, s.v0).values()]
        s.observe_rates(np.zeros(1), s.y0[None])
        loads = [s.work[s.assembly.force_outputs[force]] for force in m.forces if force.startswith("f ")]
        found.append((dict(zip(s.bodies(s.q0, s.v0), accelerations, strict=True)), np.array(loads)))
    (ours, loads), (theirs, others) = found
    assert np.abs(loads - others).max() < 1e-9 * loads.max()
    for body, value in ours.items():
        assert np.abs(value - theirs[body]).max() < 1e-9 * (1 + np.abs(value).max())


def test_loads_that_are_not_unique_are_told():
    m = mechanisms.bricard()
    m = m if isinstance(m, sr.Model) else m[0]
    joint = next(joint for joint in m.joints.values() if type(joint) in JOINTS)
    m.add(sr.JointFriction("f", joint.name, coefficient=0.1, radius=0.02, length=0.3))
    with pytest.warns(sr.ModelWarning, match="JointFriction 'f': constraints are redundant"):
        m.compile()
