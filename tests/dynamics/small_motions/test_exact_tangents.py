"""Linear equations by exact derivatives of derived equations: closed forms to rounding, and differences to their own error."""

import math

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from random_mechanisms import random_loop, random_tree
from sharnir.app.bench import chain
from sharnir.dynamics.small_motions import linearization
from sharnir.dynamics.small_motions.exact_tangents import exact_tangents
from sharnir.kernel import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")
G = 9.81


@pytest.fixture
def used(monkeypatch):
    """Whether exact derivatives were found, question by question."""
    found = []

    def noted(*given):
        found.append(exact_tangents(*given))
        return found[-1]

    monkeypatch.setattr(linearization, "exact_tangents", noted)
    return found


def test_closed_form_to_rounding(used):
    m = sr.Model(gravity=(0, 0, -G))
    m.add(sr.Body("a", mass=1, inertia=(0.01,) * 3, position=(0, 0, -1)))
    m.add(sr.Body("b", mass=2, inertia=(0.02,) * 3, position=(0, 0, -2)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y"), sr.Revolute("B", "a", "b", at=(0, 0, -1), axis="y"))
    w2 = np.sort(np.linalg.eigvals(np.linalg.solve([[3.01, 2.0], [2.0, 2.02]], np.diag([3 * G, 2 * G]))))
    modes = m.compile(method="symbolic").modes()
    assert modes.frequencies == pytest.approx(np.sqrt(w2) / (2 * math.pi), rel=1e-13)
    assert all(x is not None for x in used)


def crank():
    m = mechanisms.slider_crank()
    m.add(sr.Spring("spring", "ground", "rod", at_a=(0.3, 0, 0.5), stiffness=40.0, damping=2.0))
    return m


@pytest.mark.parametrize("make", [crank, mechanisms.andrews, lambda: chain(3), lambda: chain(4, freedoms=2)])
def test_differences_at_speed(make, used):
    """Also where speeds must change along a direction of position, to keep the loops closed."""
    a, b = make().compile(), make().compile(method="symbolic")
    v = a.v0 + motion(a)
    one, two = a.linearize(a.q0, v), b.linearize(b.q0, v)
    assert used[0] is None
    assert used[-1] is not None
    assert np.abs(one.A - two.A).max() < 1e-8 * max(1.0, np.abs(one.A).max())
    assert one.steady == two.steady


def motion(system):
    """Speeds that the constraints allow."""
    rng = np.random.default_rng(4)
    if not system.constrained:
        return rng.standard_normal(system.n_v)
    C = system.constraint_jacobian(system.q0)
    _, s, Vt = np.linalg.svd(C)
    return 3.0 * Vt[int((s > 1e-9 * s[0]).sum()) :].sum(0)


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(12))
def test_random_mechanisms(seed, used):
    make = random_tree if seed % 2 else random_loop
    a, b = make(seed).compile(), make(seed).compile(method="symbolic")
    if not a.n_v:
        return
    one, two = a.linearize(a.q0, a.v0), b.linearize(b.q0, b.v0)
    assert np.abs(one.A - two.A).max(initial=0.0) < 1e-7 * max(1.0, np.abs(one.A).max(initial=0.0))


def test_statics(used):
    """Newton's method with the exact stiffness."""
    m = crank()
    one, two = m.compile().equilibrium(), m.compile(method="symbolic").equilibrium()
    assert two.q == pytest.approx(one.q, abs=1e-9)
    assert pytest.approx(one.linearization.K, rel=1e-8) == two.linearization.K
    assert used[-1] is not None
