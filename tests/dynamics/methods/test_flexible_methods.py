"""All methods, solvers and formulations on mechanisms with flexible bodies, and what a system says about them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from flexible_mechanisms import LOOPS, TREES, chain, hand, pendulum, rod, state, tree
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.dynamics.inverse.least_norm_reactions import states_of
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.all_methods import ALL_METHODS, order_of_speeds
from sharnir.dynamics.methods.method_choice import can_solve
from sharnir.dynamics.multipliers.solver_choice import ALL_SOLVERS

STILL = [name for name in TREES if name != "driven"]
ANGLES = ("cantilever", "pendulum", "chain", "welded")  # q̇ = v, and all forces have a potential


@cache
def system(name, method="auto", formulation="joint", solver="auto"):
    return (TREES | LOOPS)[name]().compile(formulation, method=method, solver=solver)


def methods(name):
    """Those of the engine; "symbolic" has tests of its own."""
    return [method for method in ALL_METHODS if method != "symbolic" and can_solve(method, system(name).assembly)]


def parts(s, x):
    """Accelerations of joints, and of elastic coordinates, which are larger by many orders."""
    n = s.n_v - int(s.table[L.N_ELASTIC])
    return x[:n], x[n:]


def difference(s, a, b):
    return max(np.linalg.norm(x - y) / max(1.0, np.linalg.norm(x)) for x, y in zip(parts(s, a), parts(s, b), strict=True))


@pytest.mark.parametrize("name", TREES)
def test_methods_agree(name):
    used = methods(name)
    assert len(used) == (4 if name == "geared" else 7)
    for seed, t in ((1, 0.0), (2, 0.7), (3, 1.9)):
        q, v = state(system(name), seed)
        tau = np.random.default_rng(seed).normal(size=len(v))
        found = {method: system(name, method).accelerations(q, v, t, tau) for method in used}
        for one, other in itertools.combinations(used, 2):
            assert difference(system(name), found[one], found[other]) < 1e-9, (one, other)


def consistent_state(s, seed, t=0.0):
    """A random state on the constraints."""
    q, v = state(s, seed, turn=0.02)
    y, out = np.concatenate([q, v, s.z0]), np.zeros(8)
    call_once(PROJECTION.address, t, y, out, s.table, s.params, s.work)
    assert out[3] == 0.0
    return y


def seen(s, y, t):
    """Accelerations of all bodies by name, in world axes; and of elastic coordinates."""
    out = s.observe(np.array([t]), y[None], np.arange(s.assembly.count))[0][0]
    rates = s.observe_rates(np.array([t]), y[None])[0]
    bodies = {name: out[i, 13:] for name, i in s.assembly.placement.number.items() if i >= 0}
    return bodies, {name: rates[s.n_q + v : s.n_q + v + h] for name, (_, v, h) in s.assembly.coordinates.elastic.items()}


@pytest.mark.parametrize("name", [*TREES, *LOOPS])
def test_solvers_and_formulations_agree(name):
    first, t = system(name, solver="dense"), 0.3
    for seed in (1, 2):
        y = consistent_state(first, seed, t) if first.constrained else np.concatenate(state(first, seed))
        bodies, elastic = seen(first, y, t)
        largest = max(np.abs(x).max() for x in bodies.values())
        for formulation, solver in itertools.product(("joint", "absolute"), ALL_SOLVERS):
            other = system(name, "auto", formulation, solver)
            z = y if formulation == "joint" else states_of(first, other, np.array([t]), y[None])[0]
            others, coordinates = seen(other, z, t)
            for body, x in bodies.items():
                assert others[body] == pytest.approx(x, abs=1e-9 * largest), (formulation, solver, body)
            for body, x in elastic.items():
                assert coordinates[body] == pytest.approx(x, abs=1e-9 * np.abs(x).max()), (formulation, solver, body)


@pytest.mark.parametrize("name", [*TREES, *LOOPS])
def test_mass_matrix_and_kinetic_energy(name):
    """M is the Hessian of T, which is quadratic in the speeds: differences of T are exact."""
    s, t = system(name), 0.4
    q, v = state(s, 5)
    M, one = s.mass_matrix(q, t), np.eye(s.n_v)
    rest = s.energy(q, 0 * v, t).kinetic
    single = np.array([s.energy(q, row, t).kinetic for row in one])
    for i, j in itertools.combinations_with_replacement(range(s.n_v), 2):
        expected = s.energy(q, one[i] + one[j], t).kinetic - single[i] - single[j] + rest
        assert M[i, j] == pytest.approx(expected, abs=1e-11 * M.max()), (i, j)
    assert np.array_equal(M, M.T)
    assert s.structure(q, v, t).mass_matrix == pytest.approx(M, abs=1e-13 * M.max())
    if name in STILL:
        assert 0.5 * v @ M @ v == pytest.approx(s.energy(q, v, t).kinetic, rel=1e-12)


@pytest.mark.parametrize("name", STILL)
def test_energy_against_the_reduced_models(name):
    """Sums over bodies, in NumPy, from the motion of their frames."""
    s = system(name)
    q, v = state(s, 6)
    kinetic, gravity, elastic = 0.0, 0.0, 0.0
    for body, x in s.bodies(q, v).items():
        b, R = s.model.bodies[body], np.array(sr.Frame(rotation=x.rotation).rotation_matrix)
        velocity, omega = R.T @ x.velocity, R.T @ x.angular_velocity
        w = np.zeros(0)
        if body in s.assembly.coordinates.elastic:
            first, speed, h = s.assembly.coordinates.elastic[body]
            w = q[first : first + h]
            kinetic += b.reduced.inertia.kinetic(w, velocity, omega, v[speed : speed + h])
            elastic += 0.5 * w @ b.reduced.stiffness @ w
            centre = b.mass * np.array(b.com) + b.reduced.inertia.J_rw @ w
        else:
            at = velocity + np.cross(omega, b.com)
            kinetic += 0.5 * b.mass * at @ at + 0.5 * omega @ b.inertia_matrix @ omega
            centre = b.mass * np.array(b.com)
        gravity -= s.model.gravity @ (b.mass * x.position + R @ centre)
    found = s.energy(q, v)
    assert found.kinetic == pytest.approx(kinetic, rel=1e-12)
    if not s.model.forces:
        assert found.potential == pytest.approx(gravity + elastic, rel=1e-11)


@pytest.mark.parametrize("name", ANGLES)
def test_inverse_dynamics_from_energies(name):
    """Lagrange's equations by central differences of energies: M v̇ + Ṁ v - ∂T/∂q + ∂V/∂q, without weight."""
    m = TREES[name]()
    m.gravity = (0.0, 0.0, 0.0)
    s = m.compile()
    q, v = state(s, 7)
    vdot, h = np.random.default_rng(8).normal(size=s.n_v), 1e-6
    one = h * np.eye(s.n_v)
    Mdot = (s.mass_matrix(q + h * v) - s.mass_matrix(q - h * v)) / (2 * h)
    ends = [[s.energy(q + k * row, v) for row in one] for k in (-1, 1)]
    slope = np.array([(b.kinetic - b.potential) - (a.kinetic - a.potential) for a, b in zip(*ends, strict=True)]) / (2 * h)
    rest = Mdot @ v - slope
    for part, found in zip(parts(s, rest), parts(s, s.bias(q, v)), strict=True):
        assert found == pytest.approx(part, abs=1e-7 * np.abs(part).max(initial=0.0))
    needed = s.mass_matrix(q) @ vdot + rest
    assert s.inverse_dynamics(q, v, vdot) == pytest.approx(needed, abs=1e-7 * np.abs(needed).max())


@pytest.mark.parametrize("name", STILL)
def test_inverse_dynamics_and_accelerations(name):
    """τ → v̇ → τ; bias and mass matrix make the inverse dynamics without elements."""
    s = system(name)
    q, v = state(s, 9)
    tau = np.random.default_rng(9).normal(size=s.n_v)
    vdot = s.accelerations(q, v, 0.1, tau)
    back = s.inverse_dynamics(q, v, vdot, 0.1)
    fold = np.eye(s.n_v)  # forces along dependent speeds act on their leaders
    for x in s.assembly.coordinates.mimics:
        fold[x.leader, x.speed], fold[x.speed, x.speed] = x.multiplier, 0.0
    force = np.abs(s.mass_matrix(q) @ vdot).max()
    assert fold @ back == pytest.approx(fold @ tau, abs=1e-9 * force)
    plain = s.inverse_dynamics(q, v, vdot, 0.1, elements=False)
    assert s.mass_matrix(q) @ vdot + s.bias(q, v, 0.1) == pytest.approx(plain, abs=1e-10 * force)


def test_force_of_a_drive_in_a_loop():
    """τ at the crank → v̇ → the force that the drive of the crank must give."""
    s = system("slider_crank")
    y, tau = consistent_state(s, 9), np.zeros(s.n_v)
    tau[s.speeds.index("O.v")] = 3.0
    q, v = y[: s.n_q], y[s.n_q : s.n_q + s.n_v]
    vdot = s.accelerations(q, v, tau=tau)
    assert s.inverse_dynamics(q, v, vdot, drives=["O"]) == pytest.approx([3.0], abs=1e-9 * np.abs(s.bias(q, v)).max())


@pytest.mark.parametrize("name", ["tree", "driven", "floating"])
def test_jacobians_by_differences(name):
    """Velocity of a point of every body, and Jacobian × speeds, against positions a little later and earlier."""
    s, t, h = system(name), 0.3, 1e-6
    q, v = state(s, 10)
    rates = s.observe_rates(np.array([t]), np.concatenate([q, v])[None])[0][: s.n_q]
    ends = [s.bodies(q + k * h * rates, v, t + k * h) for k in (-1, 1)]
    point, now, still = np.array([0.1, -0.2, 0.3]), s.bodies(q, v, t), s.bodies(q, 0 * v, t)
    for body, x in now.items():

        def place(b):
            return b.position + np.array(sr.Frame(rotation=b.rotation / np.linalg.norm(b.rotation)).rotation_matrix) @ point

        arm = place(x) - x.position
        velocity = x.velocity + np.cross(x.angular_velocity, arm)
        assert velocity == pytest.approx((place(ends[1][body]) - place(ends[0][body])) / (2 * h), abs=1e-7), body
        J = s.jacobian(body, q, point, t) @ v
        base = still[body].velocity + np.cross(still[body].angular_velocity, arm)
        assert J[:3] + base == pytest.approx(velocity, abs=1e-12), body
        assert J[3:] + still[body].angular_velocity == pytest.approx(x.angular_velocity, abs=1e-12), body


@pytest.mark.parametrize("name", [name for name in TREES if name != "geared"])  # (E) has no mimic joints
def test_reactions_and_accelerations_of_bodies(name):
    """Against the extended system: R of every joint, v̇ of every body."""
    s, t = system(name), 0.6
    q, v = state(s, 11)
    acceleration, R, _ = s.structure(q, v, t).extended_solution()
    s.bodies(q, v, t)
    count = s.assembly.count
    found = s.work[s.table[L.W_REACTION] :][: 6 * count]
    assert found == pytest.approx(R, abs=1e-9 * np.abs(R).max())
    work = s.work[s.table[L.W_BODY] :][: count * L.W_BODY_SIZE].reshape(count, -1)[:, L.ACC : L.ACC + 6].copy()
    pose = s.work[s.table[L.W_POSE] :][: count * L.W_POSE_SIZE].reshape(count, -1)[:, :9].reshape(-1, 3, 3)
    work[:, :3] += np.einsum("nji,j->ni", pose, s.model.gravity)  # less gravity there
    assert work.ravel() == pytest.approx(acceleration, abs=1e-9 * np.abs(acceleration).max())


@pytest.mark.parametrize("method", ["articulated", "composite", "direct", "lagrange1", "inverse-iterative"])
def test_many_states_at_once(method):
    s = system("tree", method)
    rows = [state(s, seed) for seed in range(5)]
    q, v = np.array([q for q, _ in rows]), np.array([v for _, v in rows])
    for found, row in zip(s.accelerations(q, v, threads=2), rows, strict=True):
        assert difference(s, found, s.accelerations(*row)) < 1e-11
    assert s.mass_matrix(q)[3] == pytest.approx(s.mass_matrix(q[3]), abs=1e-14)


def test_the_order_makes_no_fill():
    """Rows of M and of Cholesky's factor have numbers only on the way to the base, and not all speeds are on one way."""
    s = system("tree", "composite")
    n = s.n_v
    place, before = np.split(order_of_speeds(s.assembly)[: 2 * n], 2)
    assert sorted(place) == list(range(n))
    way = np.zeros((n, n), bool)
    for k in range(n):
        way[k, k] = True
        if before[k] >= 0:
            assert before[k] < k
            way[k] |= way[before[k]]
    assert n < way.sum() < n * (n + 1) // 2
    M = np.zeros((n, n))
    M[np.ix_(place, place)] = s.mass_matrix(state(s, 12)[0])
    factor = np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1].T  # M = LᵀL
    for matrix in (np.tril(M), factor):
        assert np.abs(matrix[~way]).max() < 1e-12 * np.abs(matrix).max()


def test_runs_by_all_methods():
    """Steps of an integrator: methods that remember the last step are used as they are meant to be."""
    runs = {x: pendulum().simulate(2e-4, step=2e-5, integrator="rk4", method=x) for x in methods("pendulum")}
    first = runs["articulated"]
    assert np.abs(np.diff(first["rod.w"], axis=0)).max() > 1e-9
    for method, other in runs.items():
        assert other["rod.w"] == pytest.approx(first["rod.w"], abs=1e-9 * np.abs(first["rod.w"]).max()), method
        assert other["bob.position"] == pytest.approx(first["bob.position"], abs=1e-12), method


def test_what_methods_refuse():
    assert system("geared").method == "composite"
    assert system("tree").method == "articulated"
    m = chain(1)
    hand(m, "pointer", "link0:tip", (1, 0, 0), sr.Revolute, axis="x")
    m.add(sr.Body("eye", mass=0.0, position=(1, 0, 0)), sr.Fixed("lid", "pointer", "eye"))
    with pytest.raises(sr.ModelError, match="divides by the inertia of every body, and body 'eye' has mass 0 kg"):
        m.compile(method="lagrange1")
    assert m.compile(method="composite").n_v == 2 + rod(1).count
    with pytest.raises(sr.ModelError, match="method = 'lagrange1': solver 'null-space' forms the mass matrix"):
        LOOPS["slider_crank"]().compile(method="lagrange1", solver="null-space")


def numbers():
    """Accelerations of the tree by all methods, its mass matrix, and a loop by null space, as a list."""
    s, loop = tree().compile(), LOOPS["slider_crank"]().compile(solver="null-space")
    q, v = state(s, 1)
    found = [*s.mass_matrix(q).ravel()]
    for method in methods("tree"):
        found += [*tree().compile(method=method).accelerations(q, v)]
    return found + [*loop.observe_rates(np.zeros(1), loop.y0[None])[0]]


def test_plain_python_agrees():
    tests = Path(__file__).parents[2]
    path = os.pathsep.join([str(tests.parent / "src"), str(tests)])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    script = "import dynamics.methods.test_flexible_methods as t; print(*map(float, t.numbers()))"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    plain, compiled = np.array(done.stdout.split(), float), np.array(numbers())
    assert plain == pytest.approx(compiled, rel=1e-8, abs=1e-8 * np.abs(compiled).max())
