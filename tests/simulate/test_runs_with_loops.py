"""Runs with loops: the same channels in both formulations, residuals, energy, drift, and many runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mechanisms
import sharnir as sr
import zoo

LOOPS = {
    "parallelogram": (mechanisms.planar_parallelogram, 0.6),
    "closed pendulum": (mechanisms.closed_pendulum, 0.6),
    "slider-crank": (lambda: mechanisms.slider_crank(1.0, v=8.0), 0.6),
    "spatial slider-crank": (mechanisms.spatial_slider_crank, 0.4),
    "driven crank-rocker": (mechanisms.crank_rocker, 0.6),
    "Andrews": (mechanisms.andrews, 0.01),
}
TREES = [
    "tree 0",
    "tree 3",
    "one Free",
    "one Ball",
    "humanoid",
    "floating",
    "forces",
    "joint forces",
    "prescribed",
    "moving base",
]


def both(m, t_end, **options):
    return [m.simulate(t_end, step=t_end / 4, formulation=f, **options) for f in ("joint", "absolute")]


def difference(a, b, name):
    """Largest difference of a channel, relative to its size; a quaternion and its opposite are the same rotation."""
    x, y = a[name], b[name]
    if name.endswith(".rotation"):
        y = y * np.sign((x * y).sum(axis=1, keepdims=True))
    return np.abs(x - y).max() / (1.0 + np.abs(x).max())


def unique(name):
    """Reactions are unique where no constraint is redundant; elsewhere only their sum on a body is."""
    return not name.endswith((".reaction", ".reaction_local"))


@pytest.mark.parametrize("name", LOOPS)
def test_same_channels_in_both_formulations(name):
    make, t_end = LOOPS[name]
    a, b = both(make(), t_end, tolerance=1e-11)
    assert set(a.channels) == set(b.channels)
    planar = name != "spatial slider-crank"  # planar loops of spatial hinges hold some forces twice
    for channel in a.channels:
        if unique(channel) or not planar:
            assert difference(a, b, channel) < 1e-8, channel
    assert (a.stats["formulation"], b.stats["formulation"]) == ("joint", "absolute")


@pytest.mark.parametrize("name", TREES)
def test_absolute_coordinates_of_trees_know_the_same_channels(name):
    a, b = both(zoo.model(name), 0.3, tolerance=1e-10)
    assert set(a.channels) == set(b.channels)
    for channel in a.channels:
        assert difference(a, b, channel) < 1e-7, channel


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_default_settings_keep_loops_closed_and_energy(name, formulation):
    make, t_end = LOOPS[name]
    m = make()
    r = m.simulate(t_end, formulation=formulation)
    assert r.stats["position_residual"] <= 1e-9
    assert r.stats["speed_residual"] <= 1e-9 * (1.0 + max(np.abs(r[c]).max() for c in r.channels if c.endswith(".v")))
    assert r.stats.get("position_residual_before", 0.0) < 1e-5  # a driven mechanism is not integrated
    if not any(any(j.driven) for j in m.joints.values()) and not any(isinstance(f, sr.JointForce) for f in m.forces.values()):
        assert r.stats["energy_change"] < 1e-6 * (1e-3 + r.energy.kinetic.max())


def in_plane(reaction):
    """Fx, Fy and Tz: what a planar mechanism determines uniquely."""
    return reaction[:, [0, 1, 5]]


@pytest.mark.parametrize("name", ["parallelogram", "closed pendulum", "Andrews"])
def test_reactions_in_the_plane_are_unique(name):
    make, t_end = LOOPS[name]
    m = make()
    a, b = both(m, t_end, tolerance=1e-11)
    for joint in m.joints.values():
        if isinstance(joint, sr.Revolute):
            x, y = (in_plane(r[f"{joint.name}.reaction"]) for r in (a, b))
            assert np.abs(x - y).max() < 1e-8 * (1.0 + np.abs(x).max()), joint.name


def test_reactions_of_a_system_name_every_joint():
    m = mechanisms.closed_pendulum()
    s, absolute = m.compile(), m.compile("absolute")
    found, other = s.reactions(s.q0, s.v0), absolute.reactions(absolute.q0, absolute.v0)
    assert set(found) == set(other) == set(m.joints)
    weight = sum(body.mass for body in m.bodies.values()) * mechanisms.G
    r = m.simulate(0.01)
    for reactions in (found, other):
        # C leads from rod3 to the ground: what it does to the ground is minus what carries the rods
        carried = reactions["O"][:2] - reactions["C"][:2]
        acceleration = sum(body.mass * r[f"{name}.acceleration"][0] for name, body in m.bodies.items())
        turn = sum(
            body.mass * np.cross(r[f"{name}.angular_acceleration"][0], rotated(r[f"{name}.rotation"][0], body.com))
            for name, body in m.bodies.items()
        )
        assert carried == pytest.approx((acceleration + turn)[:2] + (0.0, weight), abs=1e-8 * weight)


def rotated(quaternion, x):
    w, u = quaternion[0], quaternion[1:]
    return x + 2.0 * (w * np.cross(u, x) + np.cross(u, np.cross(u, x)))


def test_reactions_in_joint_axes():
    """A crank that turns: along and across it, the force is known in its own axes; both formulations agree."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("arm", mass=2, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)), sr.Revolute("O", "ground", "arm", axis="z", v=3.0))
    for r in both(m, 1.0):
        assert r["O.reaction_local"] == pytest.approx(np.tile([-2 * 0.5 * 9.0, 0, 0, 0, 0, 0], (5, 1)), abs=1e-6)
        size = np.linalg.norm(r["O.reaction"][:, :3], axis=1)
        assert size == pytest.approx(np.full(5, 9.0), rel=1e-7)


def test_joint_axes_of_a_frame():
    """With frames the joint's own axes are those of the frame on the child."""
    m = sr.Model()
    m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1)))
    turn = sr.rotation_about("x", math.pi / 2)
    m.add(sr.Fixed("hook", "ground", "lamp", parent_frame=sr.Frame((0, 0, 1), turn), child_frame=sr.Frame((0, 0, 0), turn)))
    for r in both(m, 0.1):
        assert r["hook.reaction"][0, :3] == pytest.approx([0, 0, 19.62])
        assert r["hook.reaction_local"][0, :3] == pytest.approx([0, 19.62, 0], abs=1e-12)


def test_coordinates_of_cut_joints_count_turns():
    """A driven four-bar: the crank turns five times, and so does its joint, whichever joints are cut."""
    m = mechanisms.crank_rocker()
    end = math.pi
    for r in (m.simulate(end, step=end / 200, formulation=f) for f in ("joint", "absolute")):
        assert r["O.q"][-1] == pytest.approx(10 * math.pi)
        for name in ("A", "B", "C"):
            rates = np.abs(np.diff(r[f"{name}.q"])).max()
            assert rates < 0.5, name  # no jumps by a turn
        assert r["A.q"][-1] - r["A.q"][0] == pytest.approx(-10 * math.pi, abs=1e-6)  # the coupler does not turn in the end
        assert r["A.v"] == pytest.approx(np.gradient(r["A.q"], r.t, edge_order=2), abs=0.2)


def test_springs_in_cut_joints_have_the_same_energy():
    m = sr.Model("sprung")
    m.add(*(sr.Body(n, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0), position=(k, 0, 0)) for k, n in enumerate("ab")))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y", stiffness=30.0, rest=0.2, torque="4 - q^3"))
    m.add(sr.Ball("B", "a", "b", at=(1, 0, 0), stiffness=20.0), sr.TorsionSpring("coil", "A", stiffness=5.0, angle=-0.3))
    a, b = both(m, 1.0, tolerance=1e-11)
    assert a["energy.potential"] == pytest.approx(b["energy.potential"], abs=1e-9)
    for r in (a, b):
        assert r.stats["energy_change"] < 1e-8


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_stabilization_alone_bounds_the_drift(formulation):
    """Without correction the residuals grow; stabilized they stay where the integrator's errors put them."""
    m = mechanisms.closed_pendulum()
    options = {"formulation": formulation, "tolerance": 1e-6, "correction": False, "step": 0.05}
    loose = m.simulate(4.0, **options)
    held = m.simulate(4.0, stabilization=(0.1, 1.0), **options)
    assert loose.stats["corrections"] == held.stats["corrections"] == 0
    assert held.stats["stabilization"] == (0.1, 1.0) and loose.stats["stabilization"] is None
    assert held.stats["position_residual"] < 1e-6
    assert held.stats["position_residual"] < 0.1 * loose.stats["position_residual"]


@pytest.mark.parametrize(("correction", "kept"), [("position", 0), ("velocity", 1)])
def test_each_correction_alone(correction, kept):
    r = mechanisms.closed_pendulum().simulate(2.0, tolerance=1e-6, correction=correction)
    residuals = (r.stats["position_residual"], r.stats["speed_residual"])
    assert residuals[kept] < 1e-10 < residuals[1 - kept]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stabilization": (0.0, 1.0)}, "period must be positive"),
        ({"stabilization": "strong"}, "two numbers"),
        ({"correction": "speed"}, '"velocity"'),
        ({"formulation": "natural"}, "choose one of joint, absolute"),
        ({"solver": "magic"}, "solver"),
        ({"integrator": "euler"}, "unknown"),
        ({"integrator": "generalized-alpha", "options": {"rho": 2.0}}, "must lie between 0 and 1"),
        ({"integrator": "radau5", "options": {"rho": 0.5}}, "option 'rho' is unknown"),
    ],
)
def test_wrong_settings_name_the_remedy(options, words):
    with pytest.raises(sr.ModelError, match=words):
        mechanisms.slider_crank().simulate(0.1, **options)


@pytest.mark.parametrize("integrator", ["radau5", "bdf", "park", "newmark", "generalized-alpha", "hht", "implicit-euler"])
def test_implicit_integrators_by_name(integrator):
    """All reach the same state; those of low order at a loose tolerance."""
    m = mechanisms.closed_pendulum()
    reference = m.simulate(0.3, step=0.1, tolerance=1e-11)
    loose = integrator == "implicit-euler"
    r = m.simulate(0.3, step=0.1, integrator=integrator, tolerance=1e-4 if loose else 1e-7)
    assert r.stats["integrator"] == integrator and r.stats["jacobians"] > 0
    assert r["A.q"] == pytest.approx(reference["A.q"], abs=2e-2 if loose else 1e-4)
    assert r.stats["position_residual"] < 1e-9


def test_multipliers_are_channels():
    """A gear that holds a weight: its force is the torque that the held joint needs."""
    m = sr.Model("gear")
    m.add(sr.Body("big", mass=2, inertia=(1, 1, 1), com=(0.5, 0, 0)), sr.Body("small", mass=1, inertia=(0.1, 0.1, 0.1)))
    m.add(sr.Revolute("A", "ground", "big", axis="y"), sr.Revolute("B", "ground", "small", axis="y"))
    m.add(sr.Gear("gear", "A", "B", ratio=-3.0), sr.JointForce("brake", "B", 2 * 9.81 * 0.5 / 3))
    for r in both(m, 0.2):
        assert r.unit("gear.force") == "N m"
        assert np.abs(r["A.v"]).max() < 1e-9  # in balance: 3 × brake carries the weight
        assert np.abs(r["gear.force"]) == pytest.approx(np.full(5, 2 * 9.81 * 0.5 / 3), rel=1e-9)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_many_runs_with_loops(formulation):
    models = [mechanisms.slider_crank(theta) for theta in (0.6, 1.0, 1.4)]
    runs = sr.simulate_many(models, 0.3, step=0.1, formulation=formulation, tolerance=1e-10)
    for run, m in zip(runs, models, strict=True):
        alone = m.simulate(0.3, step=0.1, formulation=formulation, tolerance=1e-10)
        for name in ("O.q", "B.v", "slide.a", "slider.position", "O.reaction"):
            assert run[name] == pytest.approx(alone[name], abs=1e-8), name
        assert run.stats["position_residual"] < 1e-10
    assert runs["slide.q"].shape == (3, 4)
    assert runs.v.shape[2] == len(runs.speeds)


def test_many_starts_are_assembled():
    """Initial states that do not close the loop are corrected, run by run."""
    m = mechanisms.closed_pendulum()
    s = m.compile()
    q = s.q0 + 1e-3 * np.random.default_rng(1).normal(size=(4, s.n_q))
    runs = sr.simulate_many(m, 0.2, q=q, step=0.1)
    assert not runs.failures
    assert all(run.stats["position_residual"] < 1e-10 for run in runs)
    assert np.ptp(runs["O.q"][:, 0]) > 1e-4
