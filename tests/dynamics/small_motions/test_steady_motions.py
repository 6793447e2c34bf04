"""Small motions about steady motions: closed forms, in both formulations. The axes of the motion go round, so must the bases."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from rolling_mechanisms import bicycle, rolling_disc
from sharnir.dynamics.mobility.state_steps import speed_scales
from sharnir.dynamics.small_motions.steady_axes import Tangents, steady_axes

BOTH = ("joint", "absolute")
G = 9.81


def frequencies(model, formulation):
    """Imaginary parts of the modes that something holds, in ascending order; the motion must be steady and not grow."""
    modes = model.modes(equilibrium=False, formulation=formulation)
    assert modes.linearization.steady
    assert np.abs(modes.eigenvalues.real).max() < 1e-6
    return [float(x.imag) for x in modes.eigenvalues if x != 0.0]


def turntable(omega, J=2e-3, mass=0.1, place=0.0, name="", table=1.0, **drive):
    """A pendulum of length 1 on a hinge that goes round the vertical, where centrifugal force and weight balance."""
    angle = math.acos(G / omega**2)
    m = sr.Model("turntable")
    m.add(sr.Body("table" + name, mass=1, inertia=(table, table, table), position=(place, 0, 0)))
    m.add(sr.Body("bob" + name, mass=mass, inertia=(J, J, J), position=(place + math.sin(angle), 0, -math.cos(angle))))
    m.add(sr.Revolute("shaft" + name, "ground", "table" + name, at=(place, 0, 0), axis="z", **drive))
    m.add(sr.Revolute("hinge" + name, "table" + name, "bob" + name, at=(place, 0, 0), axis="y"))
    return m, angle


@pytest.mark.parametrize("formulation", BOTH)
def test_pendulum_on_a_driven_turntable(formulation):
    """(m + J) θ̈ = m Ω² sin θ cos θ - m g sin θ: ω² = Ω² sin²θ m/(m + J)."""
    m, angle = turntable(5.0, motion="5*t")
    assert frequencies(m, formulation) == pytest.approx([5.0 * math.sin(angle) * math.sqrt(0.1 / 0.102)], rel=1e-8)


def test_a_bob_of_almost_no_inertia_on_a_turntable():
    """Its turns weigh 10⁻⁶ of its shifts: a third of the digits of accelerations are lost in absolute coordinates."""
    m, angle = turntable(5.0, J=1e-7, motion="5*t")
    assert frequencies(m, "absolute") == pytest.approx([5.0 * math.sin(angle)], rel=2e-5)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("heavy", [1.0, 0.05])
def test_pendulum_on_a_free_turntable(formulation, heavy):
    """L = (I + m sin²θ) Ω is kept: ω² (m + J) = m Ω² sin²θ + 4 m² Ω² sin²θ cos²θ/(I + m sin²θ), I = heavy + J."""
    omega, mass, J = 5.0, 0.1, 2e-3
    m, angle = turntable(omega, J, mass, table=heavy, v=omega)
    s, c = math.sin(angle), math.cos(angle)
    exact = mass * omega**2 * s * s * (1.0 + 4.0 * mass * c * c / (heavy + J + mass * s * s)) / (mass + J)
    assert frequencies(m, formulation) == pytest.approx([math.sqrt(exact)], rel=1e-8)


@pytest.mark.parametrize("formulation", BOTH)
def test_two_turntables_of_different_speeds(formulation):
    m, slow = turntable(4.0, J=1e-2, motion="4*t")
    other, fast = turntable(5.0, J=1e-2, place=3.0, name="2", motion="5*t")
    m.add(*other.bodies.values(), *other.joints.values())
    exact = np.array([4.0 * math.sin(slow), 5.0 * math.sin(fast)]) * math.sqrt(0.1 / 0.11)
    assert frequencies(m, formulation) == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("formulation", BOTH)
def test_governor_with_loops(formulation):
    """Arms with balls, rods (distances) of the same length a to a sleeve:

    (m a² + J + 2 M a² sin²θ) ω² = m a² Ω² sin²θ at cos θ = (m + M) g/(m a Ω²).
    """
    ball, sleeve, J, a, omega = 0.5, 0.8, 3e-3, 0.3, 14.0
    angle = math.acos((ball + sleeve) * G / (ball * a * omega**2))
    s, c = math.sin(angle), math.cos(angle)
    m = sr.Model("governor")
    m.add(sr.Body("spindle", mass=1, inertia=(0.1, 0.1, 0.1)))
    m.add(sr.Revolute("shaft", "ground", "spindle", at=(0, 0, 0), axis="z", motion=f"{omega}*t"))
    m.add(sr.Body("sleeve", mass=sleeve, inertia=(0.01, 0.01, 0.01), position=(0, 0, -2 * a * c)))
    m.add(sr.Prismatic("slide", "spindle", "sleeve", axis="z"))
    for k in (1, -1):
        m.add(sr.Body(f"arm{k}", mass=ball, inertia=(J, J, J), position=(k * a * s, 0, -a * c)))
        m.add(sr.Revolute(f"top{k}", "spindle", f"arm{k}", at=(0, 0, 0), axis="y"))
        m.add(sr.Distance(f"rod{k}", f"arm{k}", "sleeve"))
    exact = ball * a**2 * omega**2 * s**2 / (ball * a**2 + J + 2 * sleeve * a**2 * s**2)
    assert frequencies(m, formulation) == pytest.approx([math.sqrt(exact)], rel=1e-7)


@pytest.mark.parametrize("formulation", BOTH)
def test_conical_pendulum_on_a_wire(formulation):
    """ω² = Ω² (1 + 3 cos²θ), cos θ = g/Ω² l; a free body whose position goes round while its axes do not."""
    omega = 5.0
    c = G / omega**2
    s = math.sqrt(1.0 - c * c)
    m = sr.Model("conical pendulum")
    m.add(sr.Body("bob", mass=2, inertia=(0.1, 0.2, 0.3), position=(s, 0, -c), velocity=(0, omega * s, 0)))
    m.add(sr.Distance("wire", "ground", "bob", at_a=(0, 0, 0)))
    assert frequencies(m, formulation) == pytest.approx([omega * math.sqrt(1 + 3 * c * c)], rel=1e-8)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("case", ["slow precession", "fast precession", "hanging", "conical"])
def test_steady_precession(formulation, case):
    """A tilted symmetric top on a ball: A ω² = V''(θ), V = (b - p cos θ)²/2A sin²θ + m g l cos θ with b, p kept."""
    A, C, mass, arm = 0.3, 0.1, 1.0, 0.4
    tilt, omega = {"slow precession": (0.7, 0.9), "fast precession": (0.7, 9.0), "hanging": (2.2, 3.0)}.get(case, (2.4, None))
    s, c, weight = math.sin(tilt), math.cos(tilt), mass * G * arm
    omega = omega or math.sqrt(-weight / ((A - C) * c))  # conical: it does not spin about its own axis
    spin = (A * omega**2 * c + weight) / (C * omega)
    m = sr.Model("top")
    side = A - mass * arm**2
    turn = sr.rotation_about("y", tilt)
    m.add(sr.Body("top", mass=mass, inertia=(side, side, C), position=(arm * s, 0, arm * c), rotation=turn))
    m.add(sr.Ball("tip", "ground", "top", at=(0, 0, 0), v=(-omega * s, 0, spin)))
    b, p, h = A * s * s * omega + C * spin * c, C * spin, 1e-3

    def potential(x):
        return (b - p * math.cos(x)) ** 2 / (2 * A * math.sin(x) ** 2) + weight * math.cos(x)

    V = [potential(tilt + k * h) for k in (-2, -1, 0, 1, 2)]
    second = (-V[0] + 16 * V[1] - 30 * V[2] + 16 * V[3] - V[4]) / (12 * h * h)
    assert frequencies(m, formulation) == pytest.approx([math.sqrt(second / A)], rel=1e-6)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_body_on_a_curve_that_goes_round(formulation):
    """Held by constraints only, no joint leads to it: a point on a circular wire that turns about the vertical."""
    omega = 5.0
    angle = math.acos(G / omega**2)
    m = sr.Model("hoop")
    m.add(sr.Body("hoop", mass=1, inertia=(1, 1, 1)), sr.Revolute("shaft", "ground", "hoop", axis="z", motion="5*t"))
    m.add(sr.Body("bead", mass=0.1, inertia=(0.1, 0.1, 0.1), position=(math.sin(angle), 0, -math.cos(angle))))
    m.add(sr.PointOnCurve("wire", "hoop", "bead", curve=("sin(s)", "0", "-cos(s)"), s=angle))
    assert frequencies(m, formulation) == pytest.approx([omega * math.sin(angle)], rel=1e-8)


@pytest.mark.parametrize("formulation", BOTH)
def test_an_asymmetric_rotor_is_seen_from_its_own_axes(formulation):
    """ω² = Ω² (C - A)(C - B)/AB; a tilt of the axis that the rotor does not follow goes round with -Ω."""
    A, B, C, omega = 0.2, 0.3, 0.4, 7.0
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("rotor", mass=1, inertia=(A, B, C)), sr.Ball("pivot", "ground", "rotor", v=(0, 0, omega)))
    exact = omega * math.sqrt((C - A) * (C - B) / (A * B))
    assert frequencies(m, formulation) == pytest.approx(sorted([exact, omega]), rel=1e-7)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_disc_rolls_round_a_circle(formulation):
    """Equations of the tilt θ, the yaw p and the spin n (Neimark and Fufaev), I = m r²/4, m r²/2; the place goes round with p."""
    A, C, r, tilt, own = 0.25, 0.5, 0.5, 1.2, -6.0

    def balance(x, n, p):
        return (A * p * p * math.sin(x) * math.cos(x) - (C + 1) * n * p * math.sin(x) - G / r * math.cos(x)) / (A + 1)

    low, high = 0.0, 3.0
    for _ in range(60):
        yaw = 0.5 * (low + high)
        low, high = (yaw, high) if balance(tilt, own + yaw * math.cos(tilt), yaw) < 0.0 else (low, yaw)
    n, h = own + yaw * math.cos(tilt), 1e-4
    dn, dp = yaw * math.sin(tilt) / (C + 1), (C * n / A - 2 * yaw * math.cos(tilt)) / math.sin(tilt)
    slope = [balance(tilt + k * h, n + k * h * dn, yaw + k * h * dp) for k in (-1, 1)]
    exact = math.sqrt((slope[0] - slope[1]) / (2 * h))
    found = frequencies(rolling_disc(tilt, own, yaw=yaw), formulation)
    assert found == pytest.approx([yaw, exact], rel=1e-6)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("speed", [2.0, 5.0])
def test_bicycle(formulation, speed):
    """Weave, capsize and castering of the benchmark bicycle, M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = 0."""
    digits = json.loads((Path(__file__).parents[2] / "reference" / "loop_digits.json").read_text())["bicycle"]
    M, C1, K0, K2 = (np.array(digits[key]) for key in ("M", "C1", "K0", "K2"))
    K, D = np.linalg.solve(M, G * K0 + speed**2 * K2), np.linalg.solve(M, speed * C1)
    exact = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -D]]))
    modes = bicycle(speed, 0.0).modes(equilibrium=False, formulation=formulation)
    assert modes.linearization.steady
    found = [x for x in modes.eigenvalues if x != 0.0]
    wanted = [x for x in exact if x.imag >= 0.0]
    order = [sorted(x, key=lambda z: (round(z.real, 4), z.imag)) for x in (found, wanted)]
    assert order[0] == pytest.approx(order[1], rel=1e-6)


def test_a_motion_that_is_not_steady_is_told():
    assert not mechanisms.slider_crank(v=5.0).compile().linearize().steady
    shaken = sr.Model()
    shaken.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Body("bob", mass=1, inertia=(0.1,) * 3, position=(0, 0, -1)))
    shaken.add(sr.Prismatic("lift", "ground", "cart", axis="z", motion="0.1*sin(3*t)"))
    shaken.add(sr.Revolute("O", "cart", "bob", at=(0, 0, 0), axis="y"))
    assert not shaken.compile().linearize().steady
    assert mechanisms.planar_parallelogram().modes().linearization.steady


@pytest.mark.parametrize("formulation", BOTH)
def test_linearization_follows_the_difference_of_two_motions(formulation):
    """About any motion: d/dt (ξ, η) = A (ξ, η) for the difference of neighbouring motions in the reduced coordinates."""
    m, h, dt = mechanisms.slider_crank(v=5.0), 1e-3, 2e-4
    system = m.compile()
    linear = system.linearize()
    scale = speed_scales(system)
    reduce = np.linalg.pinv(linear.basis * scale[:, None]) * scale  # ξ: least squares, angles as arcs

    def states(dq, dv):
        start = sr.Initial(q={"O": dq}, v={"O": 5.0 + dv})
        r = m.simulate(2 * dt, output=dt, initial=start, tolerance=1e-12, formulation=formulation)
        names = [joint.split(".")[0] for joint in system.coordinates]
        return np.array([[r[f"{name}.{letter}"] for name in names] for letter in "qv"])

    for dq, dv in ((h, 0.0), (0.0, h)):
        change = (states(dq, dv) - states(-dq, -dv)) / (2 * h)
        x = np.concatenate([reduce @ change[0], reduce @ change[1]])
        rate = (-3 * x[:, 0] + 4 * x[:, 1] - x[:, 2]) / (2 * dt)
        assert rate == pytest.approx(linear.A @ x[:, 0], rel=1e-3, abs=1e-3)


def test_equations_that_change_in_all_axes_are_not_constant():
    """The rate of a neighbouring motion along x grows with time: no axes, however they turn, make that constant."""

    def at(t):
        x = np.array([[1.0], [0.0], [0.0]])
        return Tangents(x, 0 * x, (1.0 + t) * x, 0 * x)

    w, constant = steady_axes(at(0.0), at(0.5), np.ones(3), 1.0, 0.5, np.array([0]))
    assert not constant and not w.any()
