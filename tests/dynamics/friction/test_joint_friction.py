"""Friction in joints: loads and reactions solved together, against closed forms and in all formulations and methods."""

import numpy as np
import pytest
from scipy.optimize import brentq

import constrained_mechanisms
import flexible_mechanisms
import sharnir as sr
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.errors import ModelError, SimulationError
from sharnir.model.files.model_file import run_from_text, text_of

FORMULATIONS = ("joint", "absolute")
G = 9.81


def accelerations_of(system, y=None, t=0.0):
    """v̇ at a state."""
    y = system.y0 if y is None else y
    return system.observe_rates(np.array([t]), y[None])[0, system.n_q : system.n_q + system.n_v]


def slider(v=1.0, com=0.0, gravity=(0, 0, -G), axis="x", **friction):
    """A block of 2 kg on a straight guide; its centre of mass is above the guide."""
    m = sr.Model("slider", gravity=gravity)
    m.add(sr.Body("block", mass=2, inertia=(0.1, 0.1, 0.1), com=(0, 0, com)))
    m.add(sr.Prismatic("P", "ground", "block", axis=axis, v=v))
    m.add(sr.JointFriction("f", "P", **friction))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_block_on_an_incline(formulation):
    s = slider(axis=(np.cos(0.5), 0, -np.sin(0.5)), coefficient=0.2).compile(formulation=formulation)
    assert np.linalg.norm(accelerations_of(s)) == pytest.approx(G * (np.sin(0.5) - 0.2 * np.cos(0.5)), rel=1e-14)


def test_coulomb_creeps_as_its_smoothing_says():
    m = slider(v=0.0, axis=(np.cos(0.1), 0, -np.sin(0.1)), coefficient=0.2, smoothing=0.01)
    r = m.simulate(2.0, output=1.0, tolerance=1e-9)
    assert r["P.v"][-1] == pytest.approx(0.01 * np.arctanh(np.tan(0.1) / 0.2), rel=1e-6)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("com", [0.3, -0.3, -4.0])
def test_moments_of_a_guide(formulation, com):
    """A push at height h on a guide of length l, centre of mass at c: m a = F (1 - 2 μ h/l)/(1 - 2 μ c/l), by hand."""
    mu, length, h, push = 0.25, 0.8, 0.5, 30.0
    m = slider(com=com, gravity=(0, 0, 0), coefficient=mu, length=length)
    m.add(sr.Force("push", "block", (push, 0, 0), at=(0, 0, h)))
    a = push * (1 - 2 * mu * h / length) / (2 * (1 - 2 * mu * com / length))
    s = m.compile(formulation=formulation)
    assert np.linalg.norm(accelerations_of(s)) == pytest.approx(a, rel=1e-13)
    r = m.simulate(0.01, output=0.01, formulation=formulation)
    assert r["f.load"][0] == pytest.approx((push - 2 * a) / mu, rel=1e-12)
    assert r["f.power"][0] == pytest.approx(-(push - 2 * a) * 1.0, rel=1e-12)


def test_moment_about_the_guide():
    m = slider(gravity=(0, 0, 0), coefficient=0.25, width=0.2)
    m.add(sr.Torque("twist", "block", (3.0, 0, 0)))
    assert accelerations_of(m.compile())[0] == pytest.approx(-0.25 * 2 * 3.0 / 0.2 / 2, rel=1e-13)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_jam_is_an_error(formulation):
    """2 μ c/l = 1.5 > 1: every bit of friction asks for more; there is no motion with finite forces."""
    m = slider(com=0.6, gravity=(0, 0, 0), coefficient=1.0, length=0.8)
    m.add(sr.Force("push", "block", ("30*step(t - 0.1)", 0, 0), at=(0, 0, 0.7)))
    with pytest.raises(SimulationError, match=r"JointFriction 'f' \(joint 'P', coefficient 1\) jams at t = 0.1"):
        m.simulate(0.2, output=0.01, formulation=formulation)


def pendulum(**friction):
    m = sr.Model("pendulum")
    m.add(sr.Body("rod", mass=3, inertia=(0.25, 0.25, 0.01), position=(0, 0, -0.5)))
    m.add(sr.Revolute("O", "ground", "rod", at=(0, 0, 0), axis="y", q=1.0, v=2.0))
    m.add(sr.JointFriction("f", "O", **friction))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(("q", "v"), [(1.0, 2.0), (-0.7, 5.0), (2.5, -3.0)])
def test_bearing_of_a_pendulum(formulation, q, v):
    """J α = -m g l sin φ - μ r |F(α)| sgn ω, its root found by itself."""
    mu, r, mass, l = 0.6, 0.3, 3.0, 0.5

    def moment(alpha):
        force = mass * np.array([l * (alpha * np.cos(q) - v**2 * np.sin(q)), l * (alpha * np.sin(q) + v**2 * np.cos(q)) + G])
        return (0.25 + mass * l * l) * alpha + mass * G * l * np.sin(q) + mu * r * np.linalg.norm(force) * np.sign(v)

    m = pendulum(coefficient=mu, radius=r)
    start = sr.Initial(q={"O": q}, v={"O": v})
    s = m.compile(formulation=formulation, initial=start)
    alpha = s.observe(np.zeros(1), s.y0[None], np.array([s.number("rod")]))[0][0, 0, 17]
    assert alpha == pytest.approx(brentq(moment, -500, 500, xtol=1e-13), rel=1e-11)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_swings_decay_by_a_constant(formulation):
    """A disc on a torsion spring, axis vertical: the load m g + preload is constant, every half swing loses 2 τ/k."""
    m = sr.Model("disc")
    m.add(sr.Body("disc", mass=2, inertia=(0.1, 0.1, 0.2)), sr.Revolute("O", "ground", "disc", axis="z", q=1.0))
    m.add(sr.TorsionSpring("s", "O", 5.0))
    m.add(sr.JointFriction("f", "O", coefficient=0.2, radius=0.01, axial_radius=0.02, preload=30.0, smoothing=1e-5))
    r = m.simulate(3 * np.pi * np.sqrt(0.2 / 5), output=0.01, tolerance=1e-8, formulation=formulation, integrator="radau5")
    torque = 0.2 * 0.01 * (2 * 2 * G + 30.0)
    assert r["O.q"][-1] == pytest.approx(-(1.0 - 3 * 2 * torque / 5), abs=2e-4)


def test_inverse_dynamics_knows_friction():
    m = pendulum(coefficient=0.6, radius=0.3, viscous=2.0)
    s = m.compile()
    a = s.accelerations([1.0], [2.0])
    assert np.abs(s.inverse_dynamics([1.0], [2.0], a)).max() < 1e-12
    assert np.abs(s.inverse_dynamics([1.0], [2.0], a, elements=False)).max() > 1.0
    with pytest.raises(ModelError, match="depends on reactions that the drives change"):
        s.mixed_dynamics([1.0], [2.0], accelerations={"O": 1.0})


def rod(name, a, b, mass):
    a, b = np.array(a, float), np.array(b, float)
    moment = mass * ((b - a) @ (b - a)) / 12
    return sr.Body(name, mass=mass, inertia=(moment, moment, moment), position=tuple((a + b) / 2))


def four_bar(**friction):
    m = sr.Model("four-bar")
    m.add(rod("crank", (0, 0, 0), (0, 0, 1), 1))
    m.add(rod("coupler", (0, 0, 1), (2, 0, 1.5), 2), rod("rocker", (2, 0, 1.5), (2, 0, 0), 1.5))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=2.0))
    m.add(sr.Revolute("A", "coupler", "crank", at=(0, 0, 1), axis="y"))
    m.add(sr.Revolute("B", "coupler", "rocker", at=(2, 0, 1.5), axis="y"))
    m.add(sr.Revolute("C", "ground", "rocker", at=(2, 0, 0), axis="y"))
    m.add(*(sr.JointFriction(f"f{joint}", joint, **{"coefficient": 0.15, "radius": 0.05, **friction}) for joint in "OABC"))
    m.add(sr.Integral("loss", " + ".join(f"f{joint}.power" for joint in "OABC")))
    return m


def test_four_bar_in_both_formulations():
    a, b = (four_bar(static=0.2).simulate(0.5, output=0.01, tolerance=1e-12, formulation=f) for f in FORMULATIONS)
    assert np.abs(a["O.q"] - b["O.q"]).max() < 1e-8
    for r in (a, b):
        assert np.abs(r["energy.total"] - r["energy.total"][0] - r["loss"]).max() < 1e-8
        for joint in "OABC":
            assert (r[f"f{joint}.power"] <= 0.0).all()
            load = np.linalg.norm(r[f"{joint}.reaction"][:, [0, 2]], axis=1)
            assert np.abs(r[f"f{joint}.load"] - load).max() < 1e-8 * load.max()
    assert a["loss"][-1] < -1.0


def arm():
    """All four joints with friction, one of them against the tree."""
    m = sr.Model("arm", gravity=(1, -2, -9))
    bodies = ["ground", "a", "b", "c", "d"]
    at = [(0.3 * k, 0.1 * k, -0.2 * k) for k in range(5)]
    for k in range(1, 5):
        m.add(sr.Body(bodies[k], mass=0.5 + k, inertia=(0.11, 0.12, 0.13, 0.01, 0, 0), com=(0.1, 0.05, 0.02), position=at[k]))
    m.add(sr.Revolute("R", "ground", "a", at=at[0], axis=(1, 0, 1), v=1.0))
    m.add(sr.Cylindrical("C", "b", "a", at=at[1], axis=(0, 1, 1), v=(0.4, -2.0)))
    m.add(sr.Ball("S", "b", "c", at=at[2], v=(1.0, 2.0, -0.5)))
    m.add(sr.Prismatic("P", "c", "d", at=at[3], axis="z", v=-0.6))
    m.add(sr.JointFriction("r", "R", coefficient=0.3, radius=0.1, axial_radius=0.2, length=0.4))
    m.add(sr.JointFriction("c", "C", coefficient=0.2, static=0.5, radius=0.05, length=0.3))
    m.add(sr.JointFriction("s", "S", coefficient=0.4, radius=0.08, preload=20, viscous=3.0))
    m.add(sr.JointFriction("p", "P", coefficient=0.2, length=0.5, width=0.4))
    return m


def test_every_method_and_every_cut():
    m = arm()
    s = m.compile()
    exact = accelerations_of(s)
    assert np.abs(s.inverse_dynamics(s.q0, s.v0, exact)).max() < 1e-8  # another way to loads and friction
    for method in ALL_METHODS:
        assert np.abs(accelerations_of(m.compile(method=method)) - exact).max() < 1e-8 * np.abs(exact).max(), method
    names = ("a", "b", "c", "d")
    bodies = s.bodies(s.q0, s.v0)
    other = m.compile(formulation="absolute")
    moved = other.bodies(other.q0, other.v0)
    for name in names:
        assert np.abs(moved[name].acceleration - bodies[name].acceleration).max() < 1e-8


def random_tree(rng):
    """A tree of random joints, all with strong friction, some joints against the tree."""
    m, names = sr.Model("random", gravity=tuple(5 * rng.normal(size=3))), ["ground"]
    for k in range(rng.integers(1, 6)):
        given = {"mass": rng.uniform(0.3, 3), "inertia": rng.uniform(0.2, 0.39, 3), "com": 0.3 * rng.normal(size=3)}
        m.add(sr.Body(f"b{k}", position=rng.normal(size=3), **given))
        ends, kind = (names[rng.integers(len(names))], f"b{k}"), rng.integers(4)
        if rng.random() < 0.3 and ends[0] != "ground" and kind != 3:
            ends = ends[::-1]
        where, speeds = {"at": rng.normal(size=3)}, 2 * rng.normal(size=3)
        if kind == 3:
            m.add(sr.Ball(f"j{k}", *ends, v=speeds, **where))
        else:
            joint, n = ((sr.Revolute, 1), (sr.Prismatic, 1), (sr.Cylindrical, 2))[kind]
            m.add(joint(f"j{k}", *ends, axis=rng.normal(size=3), v=speeds[:n], **where))
        size = {"radius": rng.uniform(0.02, 0.3), "length": rng.uniform(0.3, 2), "preload": 5.0 * rng.integers(2)}
        m.add(sr.JointFriction(f"f{k}", f"j{k}", coefficient=rng.choice([0.1, 0.3, 1.0]) * rng.random(), **size))
        names.append(f"b{k}")
    return m


def test_random_trees():
    rng, jams = np.random.default_rng(7), 0
    for _ in range(30):
        m = random_tree(rng)
        s, other = m.compile(), m.compile(formulation="absolute")
        a, b = accelerations_of(s), accelerations_of(other)
        assert np.isfinite(a).all() == np.isfinite(b).all()
        if not np.isfinite(a).all():
            jams += 1
            continue
        need = s.inverse_dynamics(s.q0, s.v0, a, elements=False)
        assert np.abs(s.inverse_dynamics(s.q0, s.v0, a)).max() < 1e-8 * np.abs(need).max()
        ours, theirs = s.bodies(s.q0, s.v0), other.bodies(other.q0, other.v0)
        for name, body in ours.items():
            assert np.abs(theirs[name].acceleration - body.acceleration).max() < 1e-9 * (1 + np.abs(body.acceleration).max())
    assert 0 < jams < 20


def test_loads_from_reactions():
    """Channels against reactions, by vector algebra in the drawing."""
    r = arm().simulate(0.01, output=0.01, tolerance=1e-8)

    def supports(joint, axis, length):
        e = np.array(axis) / np.linalg.norm(axis)
        F, M = r[f"{joint}.reaction_local"][0, :3], r[f"{joint}.reaction_local"][0, 3:]
        turn = np.cross(M, e) / length
        F0 = F - (F @ e) * e
        return np.linalg.norm(F0 / 2 + turn) + np.linalg.norm(F0 / 2 - turn), F @ e, M @ e

    load, along, _ = supports("R", (1, 0, 1), 0.4)
    assert r["r.load"][0] == pytest.approx(load + 2 * abs(along), rel=1e-8)
    assert r["r.torque"][0] == pytest.approx(-0.3 * 0.1 * r["r.load"][0], rel=1e-8)
    load, _, _ = supports("C", (0, 1, 1), 0.3)
    assert r["c.load"][0] == pytest.approx(load, rel=1e-8)
    assert r["c.force"][0] / r["c.torque"][0] == pytest.approx(0.4 / (0.05 * 0.05 * -2.0), rel=1e-8)
    assert r["s.load"][0] == pytest.approx(np.linalg.norm(r["S.reaction"][0, :3]) + 20, rel=1e-8)
    load, _, moment = supports("P", (0, 0, 1), 0.5)
    assert r["p.load"][0] == pytest.approx(load + 2 * abs(moment) / 0.4, rel=1e-8)
    assert r["p.force"][0] == pytest.approx(0.2 * r["p.load"][0], rel=1e-8)


def test_flexible_bodies():
    m = flexible_mechanisms.tree()
    m.add(sr.JointFriction("f", "weight joint", coefficient=0.2, radius=0.02, length=0.1, preload=5.0))
    m.add(sr.JointFriction("g", "gimbal", coefficient=0.2, radius=0.02))
    a, b = (m.simulate(0.01, output=0.005, tolerance=1e-9, formulation=f) for f in FORMULATIONS)
    for name in ("f.load", "g.load", "f.power"):
        assert np.abs(a[name] - b[name]).max() < 1e-4 * np.abs(a[name]).max()
    assert np.abs(a["f.load"]).max() > 5.0


def test_what_is_wrong_is_said():
    m = pendulum(coefficient=0.1, radius=0.1)
    m.add(sr.Body("nut", mass=1, inertia=(1, 1, 1)), sr.Screw("S", "rod", "nut", axis="z", pitch=0.01))
    with pytest.raises(ModelError, match="is a Screw; friction is for Revolute, Prismatic, Cylindrical, Ball"):
        m.add(sr.JointFriction("g", "S", coefficient=0.1))
    with pytest.raises(ModelError, match="radius is missing"):
        m.add(sr.JointFriction("g", "O", coefficient=0.1))
    with pytest.raises(ModelError, match="static friction must not be smaller than kinetic friction"):
        sr.JointFriction("g", "O", coefficient=0.2, static=0.1)
    with pytest.raises(ModelError, match="has no bristles"):
        sr.JointFriction("g", "O", coefficient=0.2, stiffness=1e4)
    driven = pendulum(coefficient=0.1, radius=0.1, law="lugre")
    driven._joints["O"] = sr.Revolute("O", "ground", "rod", at=(0, 0, 0), axis="y", motion="t")
    with pytest.raises(ModelError, match="has bristles, which are states"):
        driven.kinematics(1.0)


def test_other_forces_in_joints_come_before():
    m = slider(axis=(np.cos(0.5), 0, -np.sin(0.5)), coefficient=0.2)
    other = sr.Model("slider")
    other.add(*m.bodies.values(), *m.joints.values())
    other.add(sr.JointLimit("stop", "P", lower=-5, law=sr.Hertz(1e4)), sr.JointForce("drive", "P", 0.0), *m.forces.values())
    assert accelerations_of(other.compile()) == pytest.approx(accelerations_of(m.compile()), rel=1e-14)


def test_files_hold_friction():
    m = arm()
    m.add(sr.JointFriction("l", "R", coefficient=0.1, radius=0.1, law="lugre", stiffness=1e4))
    again, _ = run_from_text(text_of(m))
    assert again.forces == m.forces


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_drives_of_a_loop_with_friction_are_found_without_it(formulation):
    """Friction depends on reactions that the drive changes, so it is refused; without the model's elements it does not count."""
    models = [constrained_mechanisms.four_bar() for _ in range(2)]
    models[1].add(sr.JointFriction("rub", "O", coefficient=0.3, radius=0.05))
    plain, rubbed = (m.compile(formulation) for m in models)
    wanted = {"O": 3.0, "P": -2.0}
    with pytest.raises(sr.ModelError, match=r"JointFriction 'rub' depends on reactions .* leave it out with elements=False"):
        rubbed.inverse_dynamics(rubbed.q0, rubbed.v0, wanted, drives=list(wanted))
    found, need = (s.inverse_dynamics(s.q0, s.v0, wanted, drives=list(wanted), elements=False) for s in (rubbed, plain))
    assert found == pytest.approx(need, rel=1e-9)
