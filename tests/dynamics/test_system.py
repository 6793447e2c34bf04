"""What a System says about itself, and which models it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.dynamics.methods.method_choice import choose_method
from sharnir.integrate import integrate


def solid(name, **options):
    return sr.Body(name, mass=1, inertia=(1, 1, 1), **options)


def test_names_units_and_initial_values():
    m = sr.Model()
    m.add(solid("a"), solid("b"), solid("c"), solid("d"))
    m.add(sr.Revolute("A", "ground", "a", axis="z", q=0.1, v=0.2))
    m.add(sr.Planar("B", "a", "b", axis="z", q=(1, 2, 3), v=(4, 5, 6)))
    m.add(sr.Ball("C", "b", "c", q=(0, 2, 0, 0), v=(7, 8, 9)))
    s = m.compile()
    assert s.coordinates == (
        "A.q",
        "B.q.x",
        "B.q.y",
        "B.q.angle",
        "C.q.w",
        "C.q.x",
        "C.q.y",
        "C.q.z",
        *(f"d.q.{x}" for x in ("x", "y", "z", "qw", "qx", "qy", "qz")),
    )
    assert s.speeds[:7] == ("A.v", "B.v.x", "B.v.y", "B.v.angle", "C.v.x", "C.v.y", "C.v.z")
    assert s.q0.tolist() == [0.1, 1, 2, 3, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert s.v0.tolist() == [0.2, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0]
    assert (s.n_q, s.n_v) == (15, 13)


def test_prescribed_freedoms_are_no_coordinates():
    m = sr.Model()
    m.add(solid("a"), sr.Planar("A", "ground", "a", axis="z", motion=(None, "t", None)))
    assert m.compile().coordinates == ("A.q.x", "A.q.angle")


def test_nothing_free():
    """Zero freedoms are a system too: its forces can be asked for."""
    m = sr.Model()
    m.add(solid("a", position=(1, 0, 0)), sr.Fixed("A", "ground", "a", at=(0, 0, 0)))
    for method in ALL_METHODS:
        s = m.compile(method=method)
        assert (s.n_q, s.n_v) == (0, 0)
        assert s.accelerations([], []).shape == (0,)
        assert s.accelerations(np.zeros((4, 0)), np.zeros((4, 0))).shape == (4, 0)
        assert s.inverse_dynamics([], [], []).shape == (0,)
        assert s.mass_matrix([]).shape == (0, 0)
        assert s.bodies([], [])["a"].reaction == pytest.approx([0, 0, 9.81, 0, -9.81, 0])


@pytest.mark.parametrize("method", ALL_METHODS)
def test_two_particles(method):
    """The smallest system of each method: a mass on a slider."""
    m = sr.Model(gravity=(2, 0, 0))
    m.add(sr.Body("a", mass=2, inertia=(1, 1, 1)), sr.Prismatic("A", "ground", "a", axis="x", torque=4.0))
    s = m.compile(method=method)
    assert s.accelerations([0.0], [0.0]) == pytest.approx([4.0], rel=1e-14)


MESSAGES = {
    "no bodies": (lambda m: None, "no bodies"),
    "point mass turns": (lambda m: m.add(sr.Body("a", mass=1), sr.Revolute("A", "ground", "a", axis="z")), "'A'.*inertia"),
    "no mass slides": (lambda m: m.add(sr.Body("a"), sr.Prismatic("A", "ground", "a", axis="z")), "'A'.*'a'"),
    "no mass flies": (lambda m: m.add(sr.Body("a")), "'a'"),
    "no inertia in a ball": (lambda m: m.add(sr.Body("a", mass=1, com=(1, 0, 0)), sr.Ball("A", "ground", "a")), "'A.v.x'"),
    "Euler angles at zero": (
        lambda m: m.add(solid("a"), sr.FreedomSequence("A", "ground", "a", freedoms=tuple(map(sr.Rotation, "zxz")))),
        "'A'.*initial position.*other axes",
    ),
    "velocity of a body that is held": (
        lambda m: m.add(solid("a", velocity=(1, 0, 0)), sr.Ball("A", "ground", "a")),
        "'A' holds it",
    ),
    "velocity given twice": (
        lambda m: m.add(solid("a", velocity=(1, 0, 0)), sr.Free("A", "ground", "a", v=(1, 0, 0, 0, 0, 0))),
        "both given",
    ),
    "damper along a motion": (
        lambda m: m.add(solid("a"), sr.Revolute("A", "ground", "a", axis="z", motion="t", damping=1)),
        "prescribed",
    ),
    "drive along a motion": (
        lambda m: m.add(solid("a"), sr.Revolute("A", "ground", "a", axis="z", motion="t"), sr.JointForce("f", "A", 1.0)),
        "prescribed",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_refused_before_the_run(name):
    build, message = MESSAGES[name]
    m = sr.Model()
    build(m)
    with pytest.raises(sr.ModelError, match=message):
        m.compile()


def test_unknown_words():
    m = sr.Model()
    m.add(solid("a"))
    with pytest.raises(sr.ModelError, match="articulated, composite"):
        m.compile(method="magic")
    with pytest.raises(sr.ModelError, match="joint, absolute"):
        m.compile(formulation="natural")
    with pytest.raises(sr.ModelError, match="dense, sparse, null-space"):
        m.compile(formulation="absolute", solver="magic")
    s = m.compile()
    with pytest.raises(sr.ModelError, match="'b'"):
        s.jacobian("b", s.q0)
    with pytest.raises(sr.ModelError, match="must have 7 numbers"):
        s.energy([1.0], s.v0)


def test_lagrange_wants_inertia_in_every_body():
    m = sr.Model()
    m.add(sr.Body("rod", mass=1, inertia=(0, 1, 1), com=(1, 0, 0)), sr.Revolute("A", "ground", "rod", axis="y"))
    m.compile(method="articulated")
    with pytest.raises(sr.ModelError, match=r"'rod'.*'articulated'"):
        m.compile(method="lagrange1")


def test_too_large_for_dense_matrices(monkeypatch):
    """Refused with their size, before memory is asked for."""
    monkeypatch.setattr("sharnir.dynamics.methods.all_methods.DENSE_LIMIT", 1e5)
    m = zoo.chain("ball", 100)
    for method in ("composite", "direct", "inverse-iterative", "direct-iterative"):
        with pytest.raises(sr.ModelError, match=r"GB.*'articulated'"):
            m.compile(method=method)
    assert m.compile(method="articulated").n_v == 300


def test_no_freedoms_in_a_sequence_are_a_fixed_joint():
    m = sr.Model()
    m.add(
        solid("a"),
        solid("b"),
        sr.Revolute("A", "ground", "a", axis="y", at=(1, 0, 0)),
        sr.FreedomSequence("B", "a", "b", freedoms=()),
    )
    fixed = sr.Model()
    fixed.add(solid("a"), solid("b"), sr.Revolute("A", "ground", "a", axis="y", at=(1, 0, 0)), sr.Fixed("B", "a", "b"))
    for method in ALL_METHODS:
        assert m.compile(method=method).accelerations([0.3], [2.0]) == pytest.approx(fixed.compile().accelerations([0.3], [2.0]))


def test_auto_is_one_that_can():
    for name in zoo.ZOO:
        assert zoo.model(name).compile().method in zoo.methods(name)
    assert choose_method(zoo.system("chain ball").assembly) in ALL_METHODS


def test_bodies_carry_room_for_elastic_coordinates():
    s = zoo.system("tree 0")
    rows = s.table[s.table[L.T_BODY] :][: s.assembly.count * L.T_BODY_SIZE].reshape(-1, L.T_BODY_SIZE)
    assert (rows[:, L.COUNT_ELASTIC] == 0).all()
    assert (rows[:, L.DEPTH] == s.tree.depth).all()


def test_memory_is_linear():
    """10⁵ bodies must fit in 1 GB: count bytes of a chain, twice as long is twice as much."""
    sizes = []
    for n in (500, 1000):
        s = zoo.chain("ball", n).compile(method="articulated")
        sizes.append(s.table.nbytes + s.params.nbytes + s.work.nbytes)
    assert sizes[1] < 2.02 * sizes[0]
    assert sizes[1] / 1000 * 1e5 < 0.5e9


def test_systems_do_not_share_memory():
    """Two systems of one model, and the problems made of one system, may run side by side."""
    s = zoo.system("tree 1")
    other = zoo.model("tree 1").compile(method="articulated")
    q, v = zoo.state(s, 1)
    before = s.accelerations(q, v)
    other.accelerations(*zoo.state(s, 2))
    p = s.problem()
    assert p.work is not s.work
    assert (s.accelerations(q, v) == before).all()


def test_a_flying_point_mass_is_refused_for_its_rotation():
    m = sr.Model()
    m.add(sr.Body("p", mass=1))
    with pytest.raises(sr.ModelError, match=r"'p\.v\.r"):
        m.compile()


def test_the_problem_of_a_system_holds_the_sides_of_switches():
    """Without `simulate` around it: pushed to q = 1 and pulled back from there on, exact at a coarse tolerance."""
    m = sr.Model("slider", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1), sr.Prismatic("P", "ground", "b", axis="x", torque="if(q > 1, -5, 1)"))
    s, root = m.compile(), math.sqrt(2)
    found = integrate(s.problem(), s.y0, [0.0, 1.8], "dopri5", 1e-3, 1e-3).y[-1]
    t = 1.8 - root
    assert found == pytest.approx([1 + root * t - 2.5 * t * t, root - 5 * t], abs=1e-9)
