"""Linear equations with states of control against equations written by hand, modes of closed loops, statics of filters."""

import numpy as np
import pytest
from scipy import signal as scipy_signal
from scipy.linalg import solve_continuous_are

import sharnir as sr
from sharnir.dynamics.small_motions.control_linearization import Control
from sharnir.errors import ModelError

FORMULATIONS = ("joint", "absolute")
M, m, LENGTH, G = 2.0, 0.5, 0.8, 9.81  # cart, bob, rod, gravity


def cart_pole(*elements):
    """A point mass above a cart on a rail; x along the rail, q from upright."""
    model = sr.Model("cart and pole")
    model.add(sr.Body("cart", mass=M, inertia=(1, 1, 1)), sr.Body("bob", mass=m, inertia=(1e-9,) * 3, position=(0, 0, LENGTH)))
    model.add(sr.Prismatic("rail", "ground", "cart", axis="x"), sr.Revolute("O", "cart", "bob", at=(0, 0, 0), axis="y"))
    model.add(*elements)
    return model


def by_hand():
    """ẋ = A x + B u of (x, q, ẋ, q̇)."""
    A = np.zeros((4, 4))
    A[0, 2] = A[1, 3] = 1.0
    A[2, 1], A[3, 1] = -m * G / M, (M + m) * G / (M * LENGTH)
    return A, np.array([[0], [0], [1 / M], [-1 / (M * LENGTH)]])


def response(A, B, C, D, frequency):
    return C @ np.linalg.solve(1j * frequency * np.eye(len(A)) - A, B) + D


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_inputs_and_outputs(formulation):
    model = cart_pole(
        sr.Input("push"),
        sr.JointForce("motor", "rail", "push"),
        sr.Signal("tilt", "O.q"),
        sr.Signal("felt", "cart.x_ddot + 0.1*push"),
    )
    linear = model.compile(formulation).linearize(outputs=["tilt", "felt"])
    A, B = by_hand()
    assert linear.inputs == ("push",) and linear.outputs == ("tilt", "felt") and linear.states == ()
    assert np.sort(linear.eigenvalues.real) == pytest.approx(np.sort(np.linalg.eigvals(A).real), abs=1e-5)
    C = np.array([[0, 1, 0, 0], A[2]])
    for w in (0.3, 2.0, 11.0):
        exact = response(A, B, C, np.array([[0.0], [1 / M + 0.1]]), w)
        found = response(linear.A, linear.B, linear.C, linear.feedthrough, w)
        assert np.abs(found - exact).max() < 1e-6 * np.abs(exact).max()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_loop_with_a_filter_an_integral_and_a_delay(formulation):
    model = cart_pole(
        sr.Input("wanted"),
        sr.LowPass("seen", "O.q", time_constant=0.05),
        sr.Integral("sum", "rail.q - wanted"),
        sr.PadeDelay("late", "seen", time=0.02, order=2),
        sr.Signal("force", "40*late + 8*O.v + 3*rail.q + 5*rail.v + 0.5*sum"),
        sr.JointForce("motor", "rail", "force"),
    )
    system = model.compile(formulation)
    linear = system.linearize(outputs=["force", "seen"])
    assert linear.states == ("seen.s", "sum.s", "late.s0", "late.s1") and linear.A.shape == (8, 8)
    A, B = by_hand()
    late = scipy_signal.TransferFunction([-0.02 / 3, 1.0], [0.02**2 / 6, 2 * 0.02 / 3, 1.0])
    for w in (0.2, 1.5, 9.0, 60.0):
        s = 1j * w
        delay = np.polyval(late.num, s) / np.polyval(late.den, s)
        gain = np.array([3 + 0.5 / s, 40 * delay / (1 + 0.05 * s), 5, 8])  # force per (x, q, ẋ, q̇)
        x = np.linalg.solve(s * np.eye(4) - A - B @ gain[None], B * (-0.5 / s))[:, 0]
        exact = np.array([gain @ x - 0.5 / s, x[1] / (1 + 0.05 * s)])
        found = response(linear.A, linear.B, linear.C, linear.feedthrough, w)[:, 0]
        assert np.abs(found - exact).max() < 1e-5 * np.abs(exact).max()
    modes = system.modes()
    pairs = [x for x in np.linalg.eigvals(linear.A) if x.imag >= 0]
    assert np.sort_complex(modes.eigenvalues) == pytest.approx(np.sort_complex(np.array(pairs)), rel=1e-6, abs=1e-6)


def test_state_feedback_from_our_own_matrices():
    model = cart_pole(sr.Input("push"), sr.JointForce("motor", "rail", "push"))
    model.add(*(sr.Signal(name, text) for name, text in (("s0", "rail.q"), ("s1", "O.q"), ("s2", "rail.v"), ("s3", "O.v"))))
    linear = model.compile().linearize(outputs=["s0", "s1", "s2", "s3"])
    X = solve_continuous_are(linear.A, linear.B, linear.C.T @ np.diag([1, 10, 1, 1]) @ linear.C, [[0.1]])
    K = (10.0 * linear.B.T @ X @ np.linalg.inv(linear.C))[0]
    law = " ".join(f"{-k:+.17g}*{name}" for k, name in zip(K, ("rail.q", "O.q", "rail.v", "O.v"), strict=True))
    closed = cart_pole(sr.Signal("push", law), sr.JointForce("motor", "rail", "push"))
    A, B = by_hand()
    expected = np.linalg.eigvals(A - B @ K[None])
    assert (expected.real < -0.5).all()
    found = closed.compile().linearize().eigenvalues
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(expected), rel=1e-5)


def test_equilibrium_with_filters():
    model = sr.Model()
    model.add(sr.Body("load", mass=2), sr.Prismatic("rail", "ground", "load", axis="z"))
    model.add(sr.LowPass("seen", "rail.q", time_constant=0.1), sr.JointForce("spring", "rail", "-300*seen - 100*q - 4*v"))
    rest = model.statics()
    assert rest["rail.q"] == pytest.approx(-2 * 9.81 / 400, rel=1e-9)
    assert rest.stiffness[0] == pytest.approx(200.0, rel=1e-6)
    A = np.array([[0, 1, 0], [-50, -2, -150], [10, 0, -10]])
    expected = np.linalg.eigvals(A)
    assert np.sort_complex(model.modes().eigenvalues) == pytest.approx(np.sort_complex(expected[expected.imag >= 0]), rel=1e-6)


def test_equilibrium_of_a_filter_that_feels_itself():
    """s = 3 - s³ at rest: one step of Newton's method from 0 comes to 3, the root is near 1.2134."""
    model = sr.Model()
    model.add(sr.Body("load", mass=2), sr.Prismatic("rail", "ground", "load", axis="z", stiffness=400.0))
    model.add(sr.LowPass("own", "3 - own^3", time_constant=0.1), sr.JointForce("push", "rail", "10*own"))
    root = max(np.roots([1, 0, 1, -3]), key=lambda x: -abs(x.imag)).real
    rest, s = model.statics(), model.compile()
    assert rest["rail.q"] == pytest.approx((10 * root - 2 * 9.81) / 400, rel=1e-9)
    assert Control(s, None, None).settled(s.y0, 0.0)[-1] == pytest.approx(root, rel=1e-12)


def test_what_is_wrong_is_said():
    model = cart_pole(sr.Delay("late", "O.q", time=0.1), sr.Input("push"))
    with pytest.raises(ModelError, match="use PadeDelay"):
        model.compile().linearize()
    model = cart_pole(sr.Input("push"), sr.SampleHold("held", "O.q"))
    assert model.compile().linearize(inputs=["held"]).B.shape == (4, 1)
    with pytest.raises(ModelError, match="'tilt' is neither an Input nor sampled; there are held, push"):
        model.compile().linearize(inputs=["tilt"])
    with pytest.raises(ModelError, match="'tilt' is not a signal; signals are push, held"):
        model.compile().linearize(outputs=["tilt"])
