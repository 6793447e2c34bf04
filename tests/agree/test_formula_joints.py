"""Joints by formulas against the joints of the package, against differences, and against what does not change."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import sharnir as sr
import zoo
from agree.by_hand import body_poses, coordinates_of
from sharnir.dynamics.methods.all_methods import ALL_METHODS

ANGLE, SHIFT = {"q": "rad"}, {"q": "m"}
COS, SIN = "cos(q)", "sin(q)"
# built-in joint, the same by formulas
REWRITTEN = {
    "revolute": (sr.Revolute, {"axis": "y"}, {"variables": ANGLE, "position": (0, 0, 0), "rotation": ("y", "q")}),
    "revolute by a matrix": (
        sr.Revolute,
        {"axis": "z"},
        {"variables": ANGLE, "position": (0, 0, 0), "rotation": ((COS, "-sin(q)", 0), (SIN, COS, 0), (0, 0, 1))},
    ),
    "revolute by an axis of formulas": (
        sr.Revolute,
        {"axis": (1, 2, 2)},
        {"variables": ANGLE, "position": (0, 0, 0), "rotation": (("1 + q^2", "2 + 2*q^2", "2 + 2*q^2"), "q")},
    ),
    "prismatic": (sr.Prismatic, {"axis": (0.6, 0, 0.8)}, {"variables": SHIFT, "position": ("0.6*q", 0, "0.8*q")}),
    "revolute the other way round": (
        sr.Revolute,
        {"axis": (0, -0.6, -0.8)},
        {"variables": ANGLE, "position": (0, 0, 0), "rotation": ((0, 0.6, 0.8), "-q")},
    ),
    "slide along -y": (sr.Prismatic, {"axis": "-y"}, {"variables": SHIFT, "position": (0, "-q", 0)}),
    "universal": (
        sr.Universal,
        {"axis": "x", "axis2": "z"},
        {"variables": {"a": "rad", "b": "rad"}, "position": (0, 0, 0), "rotation": (("x", "a"), ("z", "b"))},
    ),
    "cylindrical": (
        sr.Cylindrical,
        {"axis": "y"},
        {"variables": {"s": "m", "q": "rad"}, "position": (0, "s", 0), "rotation": ("y", "q")},
    ),
    "screw": (
        sr.Screw,
        {"axis": "z", "pitch": 0.2},
        {"variables": ANGLE, "position": (0, 0, "0.2*q"), "rotation": ("z", "q")},
    ),
    "planar": (
        sr.Planar,
        {"axis": "z"},
        {"variables": {"x": "m", "y": "m", "q": "rad"}, "position": ("x", "y", 0), "rotation": ("z", "q")},
    ),
}


def joint(**entries):
    return sr.FormulaJoint("j", "ground", "b", **{"position": (0, 0, 0)} | entries)


def test_formulas_of_a_hinge_or_a_slide_are_computed_as_that():
    assert joint(variables=ANGLE, rotation=("y", "q"), q=0.3, damping=2).built_in == sr.Revolute(
        "j", "ground", "b", axis="y", q=0.3, damping=2
    )
    assert joint(variables=SHIFT, position=(0, " - q", 0)).built_in == sr.Prismatic("j", "ground", "b", axis="-y")
    for other in (
        joint(variables=ANGLE, rotation=("y", "2*q")),
        joint(variables=SHIFT, rotation=("y", "q")),
        joint(variables=ANGLE, rotation=("y", "q"), position=(0, "q", 0)),
        joint(variables=ANGLE, rotation=("y", "q"), position=("t", 0, 0)),
        joint(variables=SHIFT, position=("q", "q", 0)),
        joint(variables=SHIFT, position=("q", 0.5, 0)),
        joint(variables=SHIFT, position=("q", 0, 0), rotation=("x", 0.3)),
        joint(variables=ANGLE, rotation=(("y", "q"), ("x", "0.1*q"))),
    ):
        assert other.built_in is other


def pair(name, style="at", **entries):
    """A body on a joint on a body that turns: with the built-in joint, and with the same by formulas."""
    kind, own, formulas = REWRITTEN[name]
    found = []
    for made, words in ((kind, own), (sr.FormulaJoint, formulas)):
        rng = np.random.default_rng(5)
        m = sr.Model(name, gravity=(0.5, 1.0, -9.0))
        hand = zoo.body(rng, "hand")
        m.add(zoo.body(rng, "arm"), zoo.by_frames(hand) if style == "frames" else hand)
        m.add(zoo.joint(sr.Ball, rng, "shoulder", "ground", "arm", at=(0, 0, 0)))
        ends = ("hand", "arm") if style == "far" else ("arm", "hand")
        joint = made("wrist", *ends, **words, **zoo.place("at" if style == "far" else style, rng))
        q, v = rng.uniform(-1, 1, joint.n_v), rng.uniform(-1, 1, joint.n_v)
        given = {"q": tuple(q), "v": tuple(v)} | entries
        m.add(dataclasses.replace(joint, **{k: x for k, x in given.items() if x is not None}))
        found.append(m)
    return found


def close(a, b, digits=1e-11):
    assert np.asarray(b) == pytest.approx(np.asarray(a), abs=digits * (1.0 + np.abs(a).max()))


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("name", REWRITTEN)
def test_rewritten_joints_have_the_same_accelerations(name, method):
    one, other = (m.compile(method=method) for m in pair(name))
    for seed in range(3):
        q, v = zoo.state(one, seed)
        close(one.accelerations(q, v), other.accelerations(q, v))


@pytest.mark.parametrize("style", ["origin", "frames", "far"])
@pytest.mark.parametrize("name", ["revolute", "universal", "screw", "planar"])
def test_however_they_are_declared(name, style):
    """Declared from the far side, the child moves by the inverse: also then the formulas are those of the declared child."""
    if style == "far" and name in ("universal", "planar"):
        pytest.skip("built-in joints of several freedoms run backwards in the same way; see the screw")
    one, other = (m.compile() for m in pair(name, style))
    for seed in range(2):
        q, v = zoo.state(one, seed)
        close(one.accelerations(q, v), other.accelerations(q, v))
        close(one.jacobian("hand", q, (0.1, 0.2, 0.3)), other.jacobian("hand", q, (0.1, 0.2, 0.3)))


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("name", REWRITTEN)
def test_rewritten_joints_move_in_the_same_way(name, formulation):
    """Springs, dampers and a torque act in the joint; reactions and coordinates of the runs are the same."""
    words = {"stiffness": 3.0, "damping": 0.2, "formulation": formulation}
    runs = [
        m.simulate(0.2, output=0.05, tolerance=1e-11, formulation=words["formulation"])
        for m in pair(name, stiffness=words["stiffness"], damping=words["damping"])
    ]
    for channel in ("wrist.q", "wrist.v", "wrist.a", "wrist.reaction", "wrist.reaction_local", "hand.position", "energy.kinetic"):
        close(runs[0][channel], runs[1][channel], 1e-8)


def slider_crank(by_formulas, **entries):
    m = sr.Model()
    m.add(
        sr.Body("crank", mass=1, com=(0.1, 0, 0), inertia=(0.01, 0.02, 0.02)),
        sr.Body("rod", mass=1, com=(0.3, 0, 0), inertia=(0.01, 0.06, 0.06), position=(0.2, 0, 0)),
        sr.Body("slide", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0.8, 0, 0)),
    )

    def turning(name, a, b, at, **more):
        if name in by_formulas:
            return sr.FormulaJoint(name, a, b, at=at, **REWRITTEN["revolute"][2], **more)
        return sr.Revolute(name, a, b, at=at, axis="y", **more)

    m.add(turning("O", "ground", "crank", (0, 0, 0), **entries), turning("A", "crank", "rod", (0.2, 0, 0)))
    m.add(turning("B", "rod", "slide", (0.8, 0, 0)))
    if "C" in by_formulas:
        return m, sr.FormulaJoint("C", "ground", "slide", at=(0.8, 0, 0), variables={"x": "m"}, position=("x", 0, 0), damping=0.3)
    return m, sr.Prismatic("C", "ground", "slide", at=(0.8, 0, 0), axis="x", damping=0.3)


def crank(by_formulas, **entries):
    m, last = slider_crank(by_formulas, **entries)
    m.add(last)
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("names", ["C", "OABC"])
def test_loops(names, formulation):
    """Of four joints by formulas one is cut, and in absolute coordinates all are."""
    one, other = (crank(x, v=3.0).simulate(0.3, output=0.05, tolerance=1e-11, formulation=formulation) for x in ("", names))
    assert [j.name for j in crank(names).compile().tree.cuts] == ["B"]
    assert [j.name for j in crank("B").compile().tree.cuts] != ["B"]  # rather one without formulas
    for channel in ("A.q", "B.q", "B.v", "C.q", "C.v", "O.reaction", "B.reaction"):
        close(one[channel], other[channel], 1e-8)


@pytest.mark.parametrize("method", [name for name in ALL_METHODS if name != "symbolic"])
def test_every_method_closes_loops_with_them(method):
    one, other = crank("", v=3.0).compile(), crank("OABC", v=3.0).compile(method=method)
    close(one.accelerations(one.q0, one.v0), other.accelerations(other.q0, other.v0), 1e-10)


def test_symbolic_in_loops():
    """As derived code where another joint is cut; where the joint itself closes the loop, the method says that it does not."""
    one, other = crank("OAC", v=3.0).compile(method="symbolic"), crank("OAC", v=3.0).compile(method="articulated")
    for seed in range(3):
        v = np.random.default_rng(seed).uniform(-1, 1, one.n_v)
        close(other.accelerations(one.q0, v), one.accelerations(one.q0, v))
    with pytest.raises(sr.ModelError, match=r"method .symbolic."):
        crank("OABC").compile(method="symbolic")


def test_drives():
    one, other = (crank(x, motion="5*t + 0.2*sin(3*t)").simulate(0.3, output=0.05, tolerance=1e-11) for x in ("", "OABC"))
    for channel in ("O.q", "O.drive", "C.q", "B.reaction"):
        close(one[channel], other[channel], 1e-8)


def test_torques_stops_events_and_inverse_dynamics():
    found = []
    for m in pair("revolute", torque="-2*q - 0.1*v^3", limits=(-1.2, 1.2), v=(2.0,)):
        m.add(sr.JointLimit("stop", "wrist", -1.2, 1.0, restitution=0.5))
        m.add(sr.Event("lost", at=0.3, actions=sr.Release("wrist")))
        run = m.simulate(0.4, output=0.05, tolerance=1e-10)
        s = m.compile()
        q, v = zoo.state(s, 4)
        close(s.inverse_dynamics(q, v, s.accelerations(q, v)), np.zeros(s.n_v), 1e-9)
        assert np.isnan(run["wrist.q"][-1])  # it has come apart
        found.append((run["wrist.q"][:6], run["shoulder.reaction"], run["hand.position"]))
    for a, b in zip(*found, strict=True):
        close(a, b, 1e-6)


@pytest.mark.parametrize("law", ["coulomb", "lugre"])
def test_friction_under_load(law):
    """The guide along x against a prismatic joint; on a ring the load is that of the reaction across the way."""
    runs = []
    for m in pair("prismatic", v=(2.0,)):
        m.add(sr.JointFriction("rub", "wrist", 0.02, length=2.0, width=1.0, law=law))
        runs.append(m.simulate(0.1, output=0.02, tolerance=1e-9))
    for channel in ("wrist.q", "rub.load", "rub.force", "rub.slip", "wrist.reaction"):
        close(runs[0][channel], runs[1][channel], 1e-6)


def test_friction_on_a_ring():
    """Without gravity v̇ = -μ v²/r: the speed falls as 1/(1/v₀ + μ t/r)."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("bead", mass=2.0))
    ring = {"variables": {"s": "m"}, "position": ("0.5*sin(s/0.5)", "0.5*(1 - cos(s/0.5))", 0), "rotation": ("z", "s/0.5")}
    m.add(sr.FormulaJoint("ring", "ground", "bead", v=3.0, **ring))
    m.add(sr.JointFriction("rub", "ring", 0.2, smoothing=1e-6))
    run = m.simulate(1.0, output=0.1, tolerance=1e-10)
    close(1 / (1 / 3.0 + 0.2 * run.t / 0.5), run["ring.v"], 1e-7)
    close(2.0 * run["ring.v"] ** 2 / 0.5, run["rub.load"], 1e-6)
    m.add(sr.FormulaJoint("w", "ground", "bead", variables={"q": "rad"}, position=(0, 0, 0), rotation=("z", "q")))
    with pytest.raises(sr.ModelError, match="guide"):
        m.add(sr.JointFriction("rub2", "w", 0.2))


def test_statics_and_modes():
    one, other = pair("universal", stiffness=50.0, q=(0.1, 0.2), v=None)
    for m in (one, other):
        m._joints["shoulder"] = sr.Fixed("shoulder", "ground", "arm", at=(0, 0, 0))
    for a, b in (("angle1", "a"), ("angle2", "b")):
        close(one.statics()[f"wrist.q.{a}"], other.statics()[f"wrist.q.{b}"], 1e-8)
    close(np.sort(np.abs(one.modes().eigenvalues)), np.sort(np.abs(other.modes().eigenvalues)), 1e-6)


# ---- joints that have no built-in counterpart ----------------------------------------------------------------------------------

MOVING = {
    "variables": {"s": "m", "b": "rad"},
    "position": ("0.5*cos(s) + 0.1*t^2", "0.5*sin(s)*b", "h(s) + 0.2*sin(3*t)"),
    "rotation": (("z", "s + 0.3*t"), (("1", "b", "0.2*s"), "0.5*b*t + 0.1*s")),
    "q": (0.4, 0.3),
    "tables": {"h": sr.Table((-3, -1, 0, 1, 3), (0.1, 0.2, 0, -0.1, 0.3), kind="cubic", outside="extend")},
}


def moving(parameters=None, **entries):
    """A joint that moves with time, on a body that turns."""
    rng = np.random.default_rng(5)
    m = sr.Model(gravity=(0.5, 1.0, -9.0), parameters=parameters or {})
    m.add(zoo.body(rng, "arm"), zoo.body(rng, "hand"), zoo.joint(sr.Ball, rng, "shoulder", "ground", "arm", at=(0, 0, 0)))
    m.add(sr.FormulaJoint("wrist", "arm", "hand", at=(0.2, 0.1, 0), **(MOVING | entries)))
    return m


@pytest.mark.parametrize("method", ALL_METHODS)
def test_methods_agree_on_joints_that_move_with_time(method):
    one, other = moving().compile(method="articulated"), moving().compile(method=method)
    for seed in range(3):
        q, v = zoo.state(one, seed)
        close(one.accelerations(q, v, 0.7), other.accelerations(q, v, 0.7))


def test_velocity_and_acceleration_by_differences():
    """Along q(τ) = q + v τ + ½ a τ²: v̇ of the engine, and positions from the formulas alone."""
    m = moving(tables={}, position=("0.5*cos(s) + 0.1*t^2", "0.5*sin(s)*b", "s^2 + 0.2*sin(3*t)"))
    m._joints["shoulder"] = sr.Fixed("shoulder", "ground", "arm", at=(0, 0, 0))
    s, t, h = m.compile(), 0.4, 1e-3
    weights = np.array([1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90])
    for seed in range(4):
        q, v = zoo.state(s, seed)
        a = s.accelerations(q, v, t)
        body = s.bodies(q, v, t)["hand"]
        at = [
            body_poses(m, {**coordinates_of(s, q + v * x + a * x * x / 2, t + x), "shoulder": []}, t + x)["hand"]
            for x in h * np.arange(-3, 4)
        ]
        first = sum(c * X for c, X in zip(np.array([-1, 9, -45, 0, 45, -9, 1]) / 60 / h, at, strict=True))
        second = sum(c * X for c, X in zip(weights / h**2, at, strict=True))
        assert body.velocity == pytest.approx(first[:3, 3], abs=1e-9)
        assert body.acceleration == pytest.approx(second[:3, 3], abs=1e-7)
        spin = first[:3, :3] @ at[3][:3, :3].T
        assert body.angular_velocity == pytest.approx((spin[2, 1], spin[0, 2], spin[1, 0]), abs=1e-9)
        turn = second[:3, :3] @ at[3][:3, :3].T - spin @ spin
        assert body.angular_acceleration == pytest.approx((turn[2, 1], turn[0, 2], turn[1, 0]), abs=1e-7)


def test_time_is_a_prescribed_coordinate():
    """The same joint with one more coordinate that is driven as t; so is its cut in absolute coordinates."""

    def with_clock(entry):
        return tuple(with_clock(x) for x in entry) if isinstance(entry, tuple) else str(entry).replace("*t", "*clock")

    words = {"variables": {"s": "m", "b": "rad", "clock": "1"}, "position": with_clock(MOVING["position"]), "q": (0.4, 0.3, 0)}
    words["rotation"] = tuple((axis, with_clock(angle)) for axis, angle in MOVING["rotation"])
    other = moving(**words, motion=(None, None, "t"))
    assert not other.joints["wrist"].depends_on_time
    runs = [m.simulate(0.3, output=0.1, tolerance=1e-10, formulation=f) for m in (moving(), other) for f in ("joint", "absolute")]
    for run in runs[1:]:
        for channel in ("hand.position", "wrist.reaction", "hand.angular_velocity"):
            close(runs[0][channel], run[channel], 1e-7)


def test_energy():
    """Without t the energy is kept; with t the balance of power closes."""
    still = moving(position=("0.5*cos(s)", "0.5*sin(s)*b", "h(s)"), rotation=("z", "s + b"))
    still._joints["wrist"] = dataclasses.replace(still.joints["wrist"], v=(1.0, 2.0))
    run = still.simulate(1.0, tolerance=1e-11)
    total = run["energy.kinetic"] + run["energy.potential"]
    assert np.ptp(total) < 1e-8 * (1 + np.abs(total).max())
    run = moving().simulate(0.5, tolerance=1e-11)
    total = run["energy.kinetic"] + run["energy.potential"]
    assert np.ptp(total) > 1e-3
    assert abs(run.stats["energy_residual"]) < 1e-8 * np.ptp(total)


def test_parameters():
    words = {"tables": {}}
    m = moving({"r": 0.5, "k": 1.0}, position=("r*cos(s)", "r*sin(s)*b", 0), rotation=("z", "k*s + b"), **words)
    other = moving(position=("0.7*cos(s)", "0.7*sin(s)*b", 0), rotation=("z", "2*s + b"), **words)
    one = m.compile().with_parameters(r=0.7, k=2.0)
    q, v = zoo.state(one, 2)
    close(one.accelerations(q, v), other.compile().accelerations(q, v))
    run = m.simulate(0.1, parameters={"r": 0.7, "k": 2.0})
    close(run["hand.position"], other.simulate(0.1)["hand.position"], 1e-8)


def test_many_runs():
    m = moving()
    v = np.array([[0.1, 0.2], [1.0, 0.5], [0.3, -1.0]])
    s = m.compile()
    states = [np.concatenate([s.q0, s.v0]) for _ in v]
    for state, speeds in zip(states, v, strict=True):
        state[-2:] = speeds
    q, speeds = np.array([x[: s.n_q] for x in states]), np.array([x[s.n_q :] for x in states])
    many = s.accelerations(q, speeds, 0.3)
    for k in range(3):
        close(many[k], s.accelerations(q[k], speeds[k], 0.3), 1e-13)


# ---- what is refused ---------------------------------------------------------------------------------------------------------


def alone(parameters=None, **words):
    m = sr.Model(parameters=parameters or {})
    m.add(sr.Body("car", mass=1, inertia=(1, 1, 1)))
    m.add(sr.FormulaJoint("track", "ground", "car", **words))
    return m


def test_axes_that_vanish_are_refused():
    with pytest.raises(sr.ModelError, match=r"track.*initial position"):
        alone(variables={"s": "m"}, position=("s^3", 0, 0)).compile()


def test_a_run_into_a_singular_position_says_so():
    """The parabola's parameter is such that the point stands still at s = 0."""
    m = alone(variables={"s": "m"}, position=("s^3", 0, 0), q=1.0, v=-1.0)
    with pytest.raises(sr.SimulationError, match="track"):
        m.simulate(3.0)


def test_formulas_without_a_value_are_named():
    with pytest.raises(sr.SharnirError, match="track"):
        alone(variables={"s": "m"}, position=("log(s)", 0, 0), q=-1.0).simulate(0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"position": ("abs(s)", 0, 0)}, "not smooth"),
        ({"position": ("if(s > 1, s, 1)", 0, 0)}, "not smooth"),
        ({"position": (1, 0, 0)}, "no formula contains"),
        ({"position": ("s", 0)}, "2 entries"),
        ({"position": ("s", 0, "w")}, "unknown name 'w'"),
        ({"position": ("s", 0, 0), "rotation": (("z", "s", 1),)}, "rotation"),
        ({"position": ("s", 0, 0), "variables": {"t": "m"}}, "not t"),
        ({"position": ("s", 0, 0), "variables": {"s": "kg"}}, "a coordinate is in"),
        ({"position": ("h(s)", 0, 0), "tables": {"h": sr.Table((0, 1), (0, 1))}}, "slope jumps"),
        ({"position": ("s", 0, 0), "rotation": (("cos(s)", 0, 0), (0, 1, 0), (0, 0, 1))}, "not a rotation matrix"),
    ],
)
def test_wrong_words(words, said):
    with pytest.raises(sr.ModelError, match=said):
        alone(**({"variables": {"s": "m"}} | words)).compile()


def test_files_keep_them(tmp_path):
    m = moving()
    m.save(tmp_path / "m.toml")
    assert sr.Model.load(tmp_path / "m.toml") == m


def test_equations_print_them():
    m = alone({"r": 2.0}, variables={"s": "rad"}, position=("r*cos(s)", 0, "r*sin(s)"))
    text = str(m.equations())
    assert "q_track''" in text
    assert "cos(q_track)" in text
