"""Small motions against closed forms, and both formulations against each other."""

import math

import numpy as np
import pytest

import mechanisms
import sharnir as sr

BOTH = ("joint", "absolute")
G = 9.81


@pytest.mark.parametrize("formulation", BOTH)
def test_double_pendulum(formulation):
    m = sr.Model(gravity=(0, 0, -G))
    m.add(sr.Body("a", mass=1, inertia=(0.01,) * 3, position=(0, 0, -1)))
    m.add(sr.Body("b", mass=2, inertia=(0.02,) * 3, position=(0, 0, -2)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y"), sr.Revolute("B", "a", "b", at=(0, 0, -1), axis="y"))
    M = np.array([[3.01, 2.0], [2.0, 2.02]])  # of the angles from the vertical
    w2, shapes = np.linalg.eig(np.linalg.solve(M, np.diag([3 * G, 2 * G])))
    order = np.argsort(w2)
    modes = m.compile(formulation).modes()
    assert modes.frequencies == pytest.approx(np.sqrt(w2[order]) / (2 * math.pi), rel=1e-8)
    assert np.abs(modes.damping_ratios).max() < 1e-8
    ratio = shapes[1, order] / shapes[0, order] - 1.0  # the second joint's angle is relative
    assert modes.joint_shapes["B.q"] / modes.joint_shapes["A.q"] == pytest.approx(ratio, rel=1e-7)


@pytest.mark.parametrize("formulation", BOTH)
def test_hanging_parallelogram(formulation):
    """Both cranks swing alike, the coupler does not turn: one pendulum."""
    m = sr.Model(gravity=(0, 0, -G))
    length, crank, coupler, J = 0.7, 0.5, 1.5, 0.02
    for k in (0, 1):
        m.add(sr.Body(f"crank{k}", mass=crank, inertia=(J, J, J), com=(0, 0, -length / 2), position=(k, 0, 0)))
        m.add(sr.Revolute(f"O{k}", "ground", f"crank{k}", at=(k, 0, 0), axis="y"))
    m.add(sr.Body("coupler", mass=coupler, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0), position=(0, 0, -length)))
    m.add(sr.Revolute("A", "crank0", "coupler", at=(0, 0, -length), axis="y"))
    m.add(sr.Revolute("B", "crank1", "coupler", at=(1, 0, -length), axis="y"))
    inertia = 2 * (J + crank * length**2 / 4) + coupler * length**2
    stiffness = G * length * (crank + coupler)
    modes = m.modes(formulation=formulation)
    assert modes.frequencies == pytest.approx([math.sqrt(stiffness / inertia) / (2 * math.pi)], rel=1e-9)
    assert np.abs(modes.linearization.M - np.eye(1)).max() < 1e-15


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("joint", ["ball", "angles"])
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_sleeping_top(formulation, joint, share):
    """A upright top of moments A (about the tip), C: λ = i (C Ω ± √(C²Ω² - 4 A m g l))/2A; it sleeps above a speed."""
    A, C, mass, arm = 0.3, 0.1, 1.0, 0.4
    spin = share * 2.0 * math.sqrt(A * mass * G * arm) / C
    m = sr.Model(gravity=(0, 0, -G))
    m.add(sr.Body("top", mass=mass, inertia=(A - mass * arm**2, A - mass * arm**2, C), position=(0, 0, arm)))
    if joint == "ball":
        m.add(sr.Ball("O", "ground", "top", at=(0, 0, 0), v=(0, 0, spin)))
    else:
        turns = (sr.Rotation("x"), sr.Rotation("y"), sr.Rotation("z"))
        m.add(sr.FreedomSequence("O", "ground", "top", at=(0, 0, 0), freedoms=turns, v=(0, 0, spin)))
    modes = m.modes(formulation=formulation, equilibrium=False)
    root = np.sqrt(complex((C * spin) ** 2 - 4 * A * mass * G * arm))
    exact = 1j * (C * spin + np.array([root, -root])) / (2 * A)
    assert modes.eigenvalues[0] == 0.0  # its own spin
    found, wanted = (sorted(x, key=lambda c: (round(c.real, 6), c.imag)) for x in (modes.eigenvalues[1:], exact))
    assert found == pytest.approx(wanted, abs=1e-8)
    assert modes.stable == (share > 1.0)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("damping", [4.0, 40.0, 100.0])
def test_spring_mass_damper(formulation, damping):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("x", mass=2.0, inertia=(1, 1, 1)), sr.Prismatic("p", "ground", "x", axis="x", stiffness=200.0, damping=damping))
    modes, ratio = m.compile(formulation).modes(), damping / 40.0
    if ratio < 1.0:
        assert modes.frequencies * 2 * math.pi == pytest.approx([10.0], rel=1e-12)
        assert modes.damping_ratios == pytest.approx([ratio], rel=1e-12)
    elif ratio > 1.0:
        s = math.sqrt(ratio**2 - 1.0)
        assert modes.eigenvalues == pytest.approx([-10.0 * (ratio - s), -10.0 * (ratio + s)], rel=1e-10)
    else:
        assert modes.eigenvalues[0] == pytest.approx(-10.0, abs=1e-5)  # a double root, so half of the digits
    linear = modes.linearization
    assert (linear.K[0, 0], linear.D[0, 0]) == pytest.approx((100.0, damping / 2.0), rel=1e-10)


@pytest.mark.parametrize("gravity", [(0, 0, 0), (0, 0, -G)])
def test_a_free_body_has_six_motions_that_nothing_holds(gravity):
    m = sr.Model(gravity=gravity)
    m.add(sr.Body("stone", mass=2, inertia=(1, 2, 3)))
    modes = m.modes(equilibrium=False)
    assert modes.frequencies.tolist() == [0.0] * 6
    assert np.linalg.matrix_rank(modes.shapes) == 6


def test_two_bodies_on_a_spring_swing_against_each_other():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=3, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(sr.Prismatic("A", "ground", "a", axis="x"), sr.Prismatic("B", "ground", "b", axis="x"))
    m.add(sr.Spring("k", "a", "b", stiffness=12.0, length=1.0))
    modes = m.modes()
    assert modes.frequencies == pytest.approx([0.0, 4.0 / (2 * math.pi)], abs=1e-9)
    assert modes.joint_shapes["A.q"][1] / modes.joint_shapes["B.q"][1] == pytest.approx(-3.0, abs=1e-8)


@pytest.mark.parametrize("build", [mechanisms.planar_parallelogram, mechanisms.closed_pendulum, mechanisms.andrews])
def test_both_formulations_have_the_same_modes(build):
    joint, absolute = (build().modes(formulation=formulation).eigenvalues for formulation in BOTH)
    assert absolute == pytest.approx(joint, rel=1e-7, abs=1e-7)


def test_a_spinning_rotor_on_springs_splits_into_two_whirls():
    """Both formulations: λ = i ω of A ω² ∓ C Ω ω - k = 0 for a symmetric disc on equal springs about two axes."""
    A, C, k, spin = 0.2, 0.3, 50.0, 40.0
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("ring", mass=1e-6, inertia=(1e-9,) * 3), sr.Body("disc", mass=1, inertia=(A, A, C)))
    m.add(sr.Universal("gimbal", "ground", "ring", axis="x", axis2="y", stiffness=k))
    m.add(sr.Revolute("spin", "ring", "disc", axis="z", v=spin))
    root = math.sqrt((C * spin) ** 2 + 4 * A * k)
    exact = np.array([root - C * spin, root + C * spin]) / (2 * A)
    for formulation in BOTH:
        modes = m.modes(formulation=formulation, equilibrium=False)
        assert modes.eigenvalues[1:].imag == pytest.approx(exact, rel=1e-6)


def test_a_mode_is_what_a_small_motion_does():
    """The period of a swing of 10⁻⁴ rad of a mechanism with a loop."""
    m = mechanisms.planar_parallelogram()
    rest = m.statics()
    frequency = m.modes().frequencies[0]
    start = sr.Initial(q={"O": rest["O.q"] + 1e-4})
    angle = m.simulate(1.0 / frequency, output=[0.25 / frequency, 0.5 / frequency], initial=start, tolerance=1e-11)["O.q"]
    assert angle - rest["O.q"] == pytest.approx([1e-4, 0.0, -1e-4, 1e-4], abs=1e-10)


@pytest.mark.parametrize("formulation", BOTH)
def test_prescribed_motions_stand_still_in_an_equilibrium(formulation):
    """A pendulum on a turntable that passes with 6 rad/s: its modes about the equilibrium are those of the table at rest."""
    m = sr.Model(gravity=(0, 0, -G))
    m.add(sr.Body("table", mass=1, inertia=(1, 1, 1)), sr.Revolute("shaft", "ground", "table", axis="z", motion="0.3 + 6*t"))
    m.add(sr.Body("bob", mass=2, inertia=(0.1, 0.1, 0.1), position=(0.2, 0, -1)))
    m.add(sr.Revolute("hinge", "table", "bob", at=(0.2, 0, 0), axis="y"))
    assert m.modes(formulation=formulation).frequencies == pytest.approx([math.sqrt(2 * G / 2.1) / (2 * math.pi)], rel=1e-8)
    turning = m.modes(formulation=formulation, equilibrium=False)  # centrifugal force: it leaves the vertical
    assert turning.eigenvalues[0] == pytest.approx(-math.sqrt((2 * 36 - 2 * G) / 2.1), rel=1e-8)


@pytest.mark.parametrize("formulation", BOTH)
def test_stiffness_and_damping_about_a_motion(formulation):
    """A sleeping top in axes that do not spin with it: A ẍ + C Ω ẏ - m g l x = 0, A ÿ - C Ω ẋ - m g l y = 0."""
    A, C, mass, arm, spin = 0.3, 0.1, 1.0, 0.4, 26.0
    m = sr.Model(gravity=(0, 0, -G))
    m.add(sr.Body("top", mass=mass, inertia=(A - mass * arm**2, A - mass * arm**2, C), position=(0, 0, arm)))
    m.add(sr.Ball("O", "ground", "top", at=(0, 0, 0), v=(0, 0, spin)))
    linear = m.modes(formulation=formulation, equilibrium=False).linearization
    assert np.abs(linear.A[:3, :3]).max() > 1.0  # η is not ξ̇: speeds are counted in axes of the top
    tilt = np.linalg.svd(linear.basis[:2] if formulation == "joint" else linear.basis[3:5])[2][:2]  # without its own turn
    D, K = tilt @ linear.D @ tilt.T, tilt @ linear.K @ tilt.T
    np.testing.assert_allclose(K, -mass * G * arm / A * np.eye(2), atol=1e-6)
    np.testing.assert_allclose(np.abs(D), C * spin / A * np.array([[0, 1], [1, 0]]), atol=1e-6)
    np.testing.assert_allclose(D + D.T, 0.0, atol=1e-6)
    pencil = np.block([[np.zeros((3, 3)), np.eye(3)], [-linear.K, -linear.D]])
    found, wanted = (np.sort(np.abs(np.linalg.eigvals(x))) for x in (pencil, linear.A))
    np.testing.assert_allclose(found, wanted, atol=1e-4)


@pytest.mark.parametrize("stiffness", [1.0, 20.0, 4000.0])
def test_mode_shapes_of_lengths_and_angles(stiffness):
    """A cart with a pendulum, 2.5 m wide: shapes by hand; the larger of the shift and of the arc at 2.5 m is 1 m or 1 rad."""
    cart, bob, length, J, size = 3.0, 2.0, 0.5, 0.04, 2.5
    m = sr.Model(gravity=(0, 0, -G))
    m.add(sr.Body("cart", mass=cart, inertia=(1, 1, 1), position=(size, 0, 0)))
    m.add(sr.Prismatic("X", "ground", "cart", axis="x", stiffness=stiffness))
    m.add(sr.Body("bob", mass=bob, inertia=(J, J, J), position=(size, 0, -length)))
    m.add(sr.Revolute("P", "cart", "bob", at=(size, 0, 0), axis="-y"))
    M = np.array([[cart + bob, bob * length], [bob * length, J + bob * length**2]])
    squares, shapes = np.linalg.eig(np.linalg.solve(M, np.diag([stiffness, bob * G * length])))
    order = np.argsort(squares)
    shapes = shapes[:, order]
    first = np.where(np.abs(shapes[0]) > size * np.abs(shapes[1]), shapes[0], shapes[1])
    assert (first == shapes[1]).any() and ((first == shapes[0]).any() or stiffness > 1.0)
    for formulation in BOTH:
        modes = m.compile(formulation).modes()
        assert modes.frequencies == pytest.approx(np.sqrt(squares[order]) / (2 * math.pi), rel=1e-8)
        found = np.array([modes.joint_shapes["X.q"], modes.joint_shapes["P.q"]])
        assert found[0] / found[1] == pytest.approx(shapes[0] / shapes[1], rel=1e-7)
        if formulation == "joint":
            assert found == pytest.approx(shapes / first, rel=1e-7)


def test_shapes_of_shifts_do_not_depend_on_the_place():
    """Two masses on springs between walls 40 m away: (1, 1) and (1, -1) metres."""
    m = sr.Model(gravity=(0, 0, 0))
    for k, name in enumerate("ab"):
        m.add(sr.Body(name, mass=2, inertia=(1, 1, 1), position=(40 + k, 0, 0)))
        m.add(sr.Prismatic(name.upper(), "ground", name, axis="x", stiffness=7.0))
    m.add(sr.Spring("between", "a", "b", stiffness=3.0, length=1.0))
    for formulation in BOTH:
        shapes = m.compile(formulation).modes().joint_shapes
        assert np.abs(shapes["A.q"]) == pytest.approx([1.0, 1.0], rel=1e-7)
        assert shapes["B.q"] / shapes["A.q"] == pytest.approx([1.0, -1.0], rel=1e-7)
