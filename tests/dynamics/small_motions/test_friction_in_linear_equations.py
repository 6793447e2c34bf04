"""Friction in linear equations, modes and statics: slopes at rest, bristles as states, against equations written by hand."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import SimulationError

G = 9.81
BOTH = pytest.mark.parametrize("formulation", ["joint", "absolute"])
LUGRE = {"coefficient": 0.3, "static": 0.45, "stribeck_speed": 0.05, "law": "lugre", "stiffness": 1e4, "damping": 30.0}


def block(spring=50.0, tilt=0.0, **friction):
    m = sr.Model("block", gravity=(G * np.sin(tilt), 0, -G * np.cos(tilt)))
    m.add(sr.Body("block", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "ground", "block", axis="x", stiffness=spring))
    m.add(sr.JointFriction("f", "P", **friction))
    return m


@BOTH
@pytest.mark.parametrize("smoothing", [1e-4, 1e-3, 0.1])
def test_smoothed_friction_at_rest_is_a_damper(formulation, smoothing):
    """D = μ g/smoothing, however fine the smoothing is."""
    linear = block(coefficient=0.3, smoothing=smoothing).compile(formulation).linearize()
    assert linear.D[0, 0] == pytest.approx(0.3 * G / smoothing, rel=1e-6)
    assert linear.K[0, 0] == pytest.approx(25.0)


def test_friction_of_a_contact_at_rest_is_a_damper():
    """D = μ N/(m speed)."""
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "ground", "ball", axis="x"))
    plane = sr.Plane(point=(0, 0, -0.09), normal="z")
    law = sr.HuntCrossley(1e5, exponent=1.5, damping=0.0)
    m.add(sr.Contact("floor", "ball", "ground", sr.Sphere(0.1), plane, law=law, friction=sr.Friction(0.4, speed=1e-3)))
    linear = m.compile().linearize()
    assert linear.D[0, 0] == pytest.approx(0.4 * 1e5 * 0.01**1.5 / 2 / 1e-3, rel=1e-5)


@BOTH
def test_bristles_at_rest_are_a_spring_and_a_damper(formulation):
    """m λ² + (σ₁ P + c) λ + k + σ₀ P = 0, P = m g, and λ = 0: it stays wherever it stands."""
    s = block(viscous=2.0, **LUGRE).compile(formulation)
    linear, P = s.linearize(), 2 * G
    exact = np.roots([2.0, 30 * P + 2, 50 + 1e4 * P])
    assert linear.states == ("f.z",)
    found = sorted(linear.eigenvalues, key=lambda x: (x.real, x.imag))
    assert found == pytest.approx([*sorted(exact, key=lambda x: (x.real, x.imag)), 0.0], rel=1e-6, abs=1e-6)
    modes = s.modes()
    assert modes.frequencies == pytest.approx([0.0, abs(exact[0]) / (2 * np.pi)], rel=1e-6)


def test_bearing_of_a_pendulum():
    """J λ² + σ₁ P r² λ + m g l + σ₀ P r² = 0."""
    m = sr.Model("pendulum")
    m.add(sr.Body("rod", mass=3, inertia=(0.25, 0.25, 0.01), position=(0, 0, -0.5)))
    m.add(sr.Revolute("O", "ground", "rod", at=(0, 0, 0), axis="y"), sr.JointFriction("f", "O", radius=0.05, **LUGRE))
    exact = np.roots([0.25 + 0.75, 30 * 3 * G * 0.05**2, 3 * G * 0.5 + 1e4 * 3 * G * 0.05**2])
    modes = m.modes()
    assert modes.frequencies == pytest.approx([0.0, abs(exact[0]) / (2 * np.pi)], rel=1e-6)
    assert modes.damping_ratios[1] == pytest.approx(-exact[0].real / abs(exact[0]), rel=1e-6)


@pytest.mark.parametrize(("speed", "stable"), [(0.04, False), (0.4, True)])
def test_sliding_on_a_belt(speed, stable):
    """ẋ = v, m v̇ = -k x - c v - φ(s, z) P, ż = s - σ₀|s| z/g(s), s = v - belt: eigenvalues of its Jacobian, by differences."""
    k, c, s0, s1, P = 40.0, 1.0, 1e4, 30.0, 2 * G

    def rates(y):
        x, v, z = y
        s = v - speed
        peak = np.exp(-((s / 0.05) ** 2))
        bend = s - s0 * abs(s) / (0.3 + 0.15 * peak) * z
        return np.array([v, (-k * x - c * v - (s0 * z + s1 * peak * bend) * P) / 2, bend])

    g = 0.3 + 0.15 * np.exp(-((speed / 0.05) ** 2))
    at, sizes = np.array([g * P / k, 0.0, -g / s0]), np.array([1e-3, 1e-5, 1e-8])
    J = np.array([(rates(at + h) - rates(at - h)) / (2 * h.sum()) for h in np.diag(sizes)]).T
    assert np.abs(rates(at)).max() < 1e-12
    m = sr.Model("belt")
    m.add(sr.Body("belt", mass=1, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("B", "ground", "belt", axis="x", motion=f"{speed}*t"))
    m.add(sr.Body("block", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "belt", "block", axis="x", q=at[0], v=-speed))
    m.add(
        sr.Spring("s", "ground", "block", stiffness=k, damping=c, length=99, at_a=(-99, 0, 0)),
        sr.JointFriction("f", "P", **LUGRE),
    )
    linear = m.compile().linearize()
    assert np.abs(linear.acceleration).max() < 1e-9
    key = {"key": lambda x: (x.real, x.imag)}
    assert sorted(linear.eigenvalues, **key) == pytest.approx(sorted(np.linalg.eigvals(J), **key), rel=1e-4)
    assert m.modes(equilibrium=False).stable is stable  # the falling curve makes it squeal


@BOTH
def test_statics_leaves_bristles_upright(formulation):
    """As with smoothed friction: the middle of all positions that friction would hold; a run that begins there stays."""
    m = block(tilt=0.2, **LUGRE)
    rest = m.statics(formulation=formulation)
    assert rest["P.q"] == pytest.approx(2 * G * np.sin(0.2) / 50.0, rel=1e-9)
    assert rest.stiffness == pytest.approx([25.0])
    assert rest.stable
    r = m.simulate(0.5, output=0.1, initial="equilibrium", formulation=formulation)
    assert np.abs(r["P.q"] - rest["P.q"]).max() < 1e-9


def test_what_only_friction_holds_is_told():
    with pytest.raises(
        SimulationError, match="JointFriction 'f' stay constant in statics; an equilibrium held only by friction is found by"
    ):
        block(spring=0.0, tilt=0.2, **LUGRE).statics()


@BOTH
def test_bristles_beside_a_filter(formulation):
    """A filter that looks on adds its own eigenvalue, -1/T, and changes none of those of the bristles."""
    plain, watched = block(viscous=2.0, **LUGRE), block(viscous=2.0, **LUGRE)
    watched.add(sr.LowPass("seen", "P.q", time_constant=0.5))
    linear = watched.compile(formulation).linearize()
    assert set(linear.states) == {"f.z", "seen.s"}
    expected = [*plain.compile(formulation).linearize().eigenvalues, -2.0]
    assert np.sort_complex(linear.eigenvalues) == pytest.approx(np.sort_complex(expected), rel=1e-6, abs=1e-6)
