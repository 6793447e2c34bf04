"""LuGre friction in joints: bristles that stick, slide and let go, against closed forms and an integration of one's own."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sharnir as sr
from sharnir.errors import ModelError

G = 9.81
LAW = {"coefficient": 0.3, "static": 0.45, "stribeck_speed": 0.05, "law": "lugre"}


def block(friction, v=0.0, force=0.0):
    m = sr.Model("block")
    m.add(sr.Body("block", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "ground", "block", axis="x", v=v))
    m.add(sr.JointFriction("f", "P", **friction), sr.Force("push", "block", (force, 0, 0)))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_presliding_is_a_spring(formulation):
    """Below the breakaway force the block comes to rest where the bristles carry the push: σ₀ x = -g log(1 - F/(g N))."""
    m = block({**LAW, "stiffness": 1e4, "damping": 300.0}, force=3.0)
    r = m.simulate(2.0, output=0.5, tolerance=1e-8, integrator="radau5", formulation=formulation)
    assert r["P.q"][-1] == pytest.approx(-0.45 / 1e4 * np.log(1 - 3.0 / (0.45 * 2 * G)), rel=2e-3)
    assert abs(r["P.v"][-1]) < 1e-9  # it sticks: no creep
    assert r["f.force"][-1] == pytest.approx(-3.0, rel=1e-6)


@pytest.mark.parametrize("speed", [0.01, 0.05, 0.3])
def test_steady_sliding_follows_the_stribeck_curve(speed):
    m = sr.Model("belt")
    m.add(sr.Body("belt", mass=1, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("B", "ground", "belt", axis="x", motion=f"{speed}*t"))
    m.add(sr.Body("block", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "belt", "block", axis="x"))
    m.add(sr.Spring("holder", "ground", "block", stiffness=1e5, damping=2e3, at_a=(-1, 0, 0)))
    m.add(sr.JointFriction("f", "P", viscous=4.0, stiffness=1e4, damping=100.0, **LAW))
    r = m.simulate(1.5, output=0.5, tolerance=1e-8, integrator="radau5")
    g = 0.3 + 0.15 * np.exp(-((speed / 0.05) ** 2))
    assert r["f.slip"][-1] == pytest.approx(-speed, rel=1e-4)
    assert r["f.force"][-1] == pytest.approx(g * 2 * G + 4.0 * speed, rel=1e-4)


def test_stick_and_slip_on_a_belt():
    speed, k, s0, s1 = 0.05, 40.0, 1e4, 100.0
    m = sr.Model("belt")
    m.add(sr.Body("belt", mass=1, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("B", "ground", "belt", axis="x", motion=f"{speed}*t"))
    m.add(sr.Body("block", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "belt", "block", axis="x", v=-speed))
    m.add(sr.Spring("s", "ground", "block", stiffness=k, at_a=(-100, 0, 0)))
    m.add(sr.JointFriction("f", "P", stiffness=s0, damping=s1, **LAW))
    r = m.simulate(6.0, output=0.02, tolerance=1e-9, integrator="radau5")

    def rates(t, y):
        x, v, z = y
        slip = v - speed
        bend = slip - s0 * abs(slip) / (0.3 + 0.15 * np.exp(-((slip / 0.05) ** 2))) * z
        damping = s1 * np.exp(-((slip / 0.05) ** 2))
        return [v, (-k * x - (s0 * z + damping * bend) * 2 * G) / 2, bend]

    bent = -(1 - np.exp(-1)) * (0.3 + 0.15 * np.exp(-1)) / s0  # bristles begin as sliding leaves them
    exact = solve_ivp(rates, (0, 6), [0, 0, bent], method="Radau", rtol=1e-10, atol=1e-12, t_eval=r.t).y
    position = r["block.position"][:, 0]
    assert np.abs(position - exact[0]).max() < 1e-5
    assert np.abs(r["block.velocity"][:, 0] - exact[1]).max() < 2e-4
    sticks = np.abs(r["f.slip"]) < 1e-3
    assert 0.3 < sticks.mean() < 0.97  # it sticks most of the time and slips in between
    assert position.max() > 0.1  # torn off near static friction: x = 0.45 m g/k


def test_a_bearing_that_sticks():
    """A pendulum released within the cone of friction stays; one that swings comes to rest off the vertical."""
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 0, -1)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", q=0.02))
    m.add(sr.JointFriction("f", "O", coefficient=0.4, radius=0.1, law="lugre", stiffness=1e4, damping=100.0))
    r = m.simulate(3.0, output=0.5, tolerance=1e-8, integrator="radau5")
    assert r["O.q"][-1] == pytest.approx(0.02, abs=1e-3)
    assert abs(r["O.v"][-1]) < 1e-6
    assert r["f.torque"][-1] == pytest.approx(G * np.sin(r["O.q"][-1]), rel=1e-5)


def test_ball_and_cylinder_have_bristles_too():
    m = sr.Model("two")
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), com=(0.2, 0, 0)), sr.Ball("S", "ground", "a", v=(0.5, -0.2, 1.0)))
    m.add(sr.Body("b", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.4, 0, 0)))
    m.add(sr.Cylindrical("C", "a", "b", at=(0.4, 0, 0), axis="x", v=(0.3, -1.0)))
    m.add(sr.JointFriction("s", "S", coefficient=0.3, radius=0.1, law="lugre", stiffness=2e3, damping=50.0))
    m.add(sr.JointFriction("c", "C", coefficient=0.3, radius=0.1, law="lugre", stiffness=2e3, damping=50.0, preload=30.0))
    a, b = (m.simulate(0.3, output=0.05, tolerance=1e-9, integrator="radau5", formulation=f) for f in ("joint", "absolute"))
    for name in ("s.load", "c.load", "c.force", "c.torque", "s.torque"):
        assert np.abs(a[name] - b[name]).max() < 1e-5 * np.abs(a[name]).max(), name
    assert a["energy.total"][-1] < a["energy.total"][0] - 0.1


def test_prescribed_mechanisms_integrate_bristles():
    m = sr.Model("driven")
    m.add(sr.Body("block", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "ground", "block", axis="x", motion="t"))
    m.add(sr.JointFriction("f", "P", coefficient=0.3))
    r = m.simulate(1.0, output=0.5)
    assert r["P.drive"] == pytest.approx(0.3 * 2 * G)
    m.add(sr.JointFriction("g", "P", coefficient=0.2, static=0.4, stribeck_speed=1.0, law="lugre"))
    r = m.simulate(1.0, output=0.5, integrator="radau5")
    assert r["P.drive"][-1] == pytest.approx((0.3 + 0.2 + 0.2 * np.exp(-1)) * 2 * G, rel=1e-6)
    with pytest.raises(ModelError, match="kinematics integrates nothing"):
        m.kinematics([0.0, 1.0])


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_bristles_stay_when_the_structure_changes(formulation):
    """A block held by its bristles on a slope goes on as it was when something else comes off."""
    m = sr.Model("slope")
    m.add(sr.Body("block", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "ground", "block", axis=(1, 0, -0.1)))
    m.add(sr.JointFriction("f", "P", coefficient=0.3, law="lugre", stiffness=1e4, damping=300.0))
    m.add(sr.Body("bolt", mass=1e-6, inertia=(1e-9, 1e-9, 1e-9), position=(0, 1, 0)), sr.Fixed("B", "ground", "bolt"))
    alone = m.copy()
    m.add(sr.Event("off", at=0.5, actions=sr.Release("B")))
    r = m.simulate(1.0, output=0.1, tolerance=1e-9, integrator="radau5", formulation=formulation)
    same = alone.simulate(1.0, output=0.1, tolerance=1e-9, integrator="radau5", formulation=formulation)
    assert np.abs(r["P.q"] - same["P.q"]).max() < 1e-8
    assert np.abs(r["f.force"] - same["f.force"]).max() < 1e-4
    assert r["f.force"][-1] == pytest.approx(-2 * G * 0.1 / np.sqrt(1.01), rel=1e-4)


def test_a_joint_with_friction_breaks():
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
    m.add(sr.JointFriction("f", "O", coefficient=0.1, radius=0.1))
    m.add(sr.Event("break", "O.reaction.force > 20", sr.Release("O")))
    r = m.simulate(1.5, output=0.05, tolerance=1e-9)
    assert [event["name"] for event in r.events] == ["break"]
    assert r["bob.acceleration"][-1] == pytest.approx([0, 0, -G], abs=1e-9)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_joints_with_friction_are_locked_and_unlocked(formulation):
    m = sr.Model("arms")
    m.add(
        sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1)),
        sr.Revolute("O", "ground", "a", at=(0, 0, 0), axis="y", v=1),
    )
    m.add(
        sr.Body("b", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, -2)), sr.Ball("S", "a", "b", at=(0, 0, -1.5), v=(1, 2, 0))
    )
    m.add(sr.JointFriction("f", "O", coefficient=0.2, radius=0.05, law="lugre", stiffness=1e4, damping=100))
    m.add(sr.JointFriction("g", "S", coefficient=0.2, radius=0.05, law="lugre", stiffness=1e4, damping=100))
    m.add(sr.Event("lock", at=0.1, actions=(sr.Lock("O"), sr.Lock("S"))))
    m.add(sr.Event("unlock", at=0.2, actions=(sr.Unlock("O"), sr.Unlock("S"))))
    r = m.simulate(0.3, output=0.02, tolerance=1e-8, integrator="radau5", formulation=formulation)
    assert [event["name"] for event in r.events] == ["lock", "unlock"]
    assert r["energy.total"][-1] < r["energy.total"][0]
    held = (r.t > 0.1) & (r.t < 0.2)
    assert np.ptp(r["O.q"][held]) < 1e-12
