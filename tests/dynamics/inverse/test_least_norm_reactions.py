"""Reactions that are not unique: the least ones, the same in both formulations and by every solver."""

import numpy as np
import pytest

import sharnir as sr
from mechanisms import bricard, four_bar
from sharnir.dynamics.inverse.least_norm_reactions import states_of
from sharnir.dynamics.memory import layout as L

WAYS = [(f, s) for f in ("joint", "absolute") for s in ("dense", "sparse", "null-space")]


def platform(leg):
    """A platform of 2 kg on three parallel legs; their mass is at the upper hinges, so the platform does not feel it."""
    m = sr.Model("three legs")
    m.add(sr.Body("platform", mass=2, inertia=(1, 1, 1), position=(0, 0, 1)))
    for k, x in enumerate((-1, 0, 1)):
        m.add(sr.Body(f"leg{k}", mass=leg, inertia=(0.1, 0.1, 0.1), position=(x, 0, 1)))
        m.add(sr.Revolute(f"low{k}", "ground", f"leg{k}", at=(x, 0, 0), axis="y"))
        m.add(sr.Revolute(f"up{k}", f"leg{k}", "platform", at=(x, 0, 1), axis="y"))
    return m


@pytest.mark.parametrize("leg", [0.5, 50.0])
@pytest.mark.parametrize(("formulation", "solver"), WAYS)
def test_three_legs_carry_a_third_each(leg, formulation, solver):
    s = platform(leg).compile(formulation, solver=solver)
    found = s.reactions(s.q0, s.v0)
    for k in range(3):
        assert found[f"up{k}"] == pytest.approx([0, 0, 2 * 9.81 / 3, 0, 0, 0], abs=1e-9)
        assert found[f"low{k}"] == pytest.approx([0, 0, 2 * 9.81 / 3 + leg * 9.81, 0, 0, 0], abs=1e-9)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_two_balls_in_one_place_share_the_load(formulation):
    m = sr.Model()
    m.add(sr.Body("bob", mass=3, inertia=(1, 1, 1), com=(0, 0, -1)))
    m.add(sr.Ball("a", "ground", "bob"), sr.Ball("b", "ground", "bob"))
    r = m.simulate(0.02, formulation=formulation)
    assert r["a.reaction"][-1] == pytest.approx([0, 0, 1.5 * 9.81, 0, 0, 0], abs=1e-9)
    assert r["b.reaction"] == pytest.approx(r["a.reaction"], abs=1e-9)


def weighted_least_norm(twin, t, y):
    """λ by the pseudoinverse: M v̇ - f = Cᵀ λ with Σ (weight λ)² → min, from the matrices of the twin alone."""
    n_q, n_v = twin.n_q, twin.n_v
    rates = twin.observe_rates(np.array([t]), y[None])[0]
    vdot = rates[n_q : n_q + n_v]
    q, v = y[:n_q], y[n_q : n_q + n_v]
    C = twin.constraint_jacobian(q, t)
    force = twin.inverse_dynamics(q, v, vdot, t=t)  # of the open tree: what constraints have to bring
    reach = twin.params[L.REACH]
    weight = np.array([1.0 if "force" in name else 1.0 / reach for name in twin.constraint_names])
    return np.linalg.pinv(C.T / weight, rcond=1e-9) @ force / weight


@pytest.mark.parametrize("model", [lambda: four_bar(2), bricard], ids=["four-bars", "bricard"])
def test_multipliers_are_the_weighted_pseudoinverse(model):
    s = model().compile()
    twin = s.least_norm_twin
    assert twin is not None
    t, y = 0.0, s.y0
    own = states_of(s, twin, np.array([t]), y[None])[0]
    expected = weighted_least_norm(twin, t, own)
    found = twin.observe_multipliers(np.array([t]), own[None])[0]
    assert np.abs(expected).max() > 1.0
    assert found == pytest.approx(expected, abs=1e-7 * np.abs(expected).max())


def test_formulations_agree_on_reactions_while_it_moves_on_a_moving_ground():
    def model():
        m = four_bar(2)
        out = sr.Model(m.name, gravity=m.gravity, base_motion={"x": "0.1*sin(3*t)", "rz": "0.2*t"})
        out.add(*m.bodies.values(), *m.joints.values())
        return out

    a, b = (model().simulate(0.4, step=0.1, formulation=f, tolerance=1e-11) for f in ("joint", "absolute"))
    for name in model().joints:
        x, y = a[f"{name}.reaction"], b[f"{name}.reaction"]
        assert y == pytest.approx(x, abs=1e-6 * max(1.0, np.abs(x).max()))


def test_unique_reactions_need_no_second_system():
    m = sr.Model()
    m.add(sr.Body("bob", mass=3, inertia=(1, 1, 1), com=(0, 0, -1)), sr.Ball("a", "ground", "bob"))
    assert m.compile().least_norm_twin is None
    assert m.compile("absolute").least_norm_twin is None
