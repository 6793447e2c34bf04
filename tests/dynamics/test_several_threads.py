"""One system, one model or one result used by several threads at once: every call gives what it gives alone."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sharnir as sr

THREADS, STATES = 3, 5


@pytest.fixture(autouse=True)
def impatient():
    """Threads take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)


def chain(rng, n=6, **ground):
    m, before = sr.Model(), "ground"
    for k in range(n):
        m.add(sr.Body(f"b{k}", mass=1.0 + rng.random(), inertia=(1, 2, 2.5), position=(k + 1.0, 0, 0)))
        m.add(sr.Revolute(f"j{k}", before, f"b{k}", at=(k, 0, 0), axis=rng.normal(size=3), damping=rng.random()))
        before = f"b{k}"
    return m


def four_bar(rng):
    m = sr.Model()
    for name, x, z in (("crank", 0.0, 0.5), ("rod", 1.0, 1.25), ("rocker", 2.0, 0.75)):
        m.add(sr.Body(name, mass=1.0 + rng.random(), inertia=(0.1, 0.2, 0.1), position=(x, 0, z)))
    m.add(sr.Revolute("A", "ground", "crank", at=(0, 0, 0), axis="y", torque="2*sin(q) - 0.3*v"))
    m.add(sr.Revolute("B", "crank", "rod", at=(0, 0, 1), axis="y"))
    m.add(sr.Revolute("C", "rod", "rocker", at=(2, 0, 1.5), axis="y", damping=0.1))
    m.add(sr.Revolute("D", "ground", "rocker", at=(2, 0, 0), axis="y"))
    return m


def controlled(rng):
    m = chain(rng, 3)
    m.add(sr.LowPass("slow", "j0.q + j1.v", time_constant=0.3), sr.JointForce("drive", "j2", "-3*slow + q"))
    m.add(sr.Spring("spring", "ground", "b2", at_a=(3, 1, 0), stiffness=30.0))
    return m


def with_friction(rng):
    m = chain(rng, 3)
    m.add(sr.JointFriction("rubs", "j1", coefficient=0.2, radius=0.05))
    return m


def rocket(rng):
    m = sr.Model()
    m.add(sr.Body("rocket", mass=10.0, inertia=(3, 3, 1)))
    m.add(sr.Thrust("engine", "rocket", "30 + 2*t", axis="z", exhaust_speed=2000.0, propellant=4.0))
    return m


def balls(rng):
    m = sr.Model()
    for k in range(5):
        m.add(sr.Body(f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.3 * k, 0, 0.1 * rng.random())))
    law, names = sr.HuntCrossley(1e4, damping=0.2), [f"b{k}" for k in range(5)]
    m.add(sr.ContactGroup("heap", names, law=law, shape=sr.Sphere(radius=0.2)))
    return m


MODELS = {
    "chain": (chain, {}),
    "chain in absolute coordinates": (chain, {"formulation": "absolute"}),
    "composite": (chain, {"method": "composite"}),
    "loop": (four_bar, {}),
    "loop, null space": (four_bar, {"solver": "null-space"}),
    "loop in absolute coordinates": (four_bar, {"formulation": "absolute", "solver": "sparse"}),
    "control": (controlled, {}),
    "friction": (with_friction, {}),
    "rocket": (rocket, {}),
    "heap of balls": (balls, {}),
}


def flat(value):
    """All numbers of what a method gives."""
    if isinstance(value, dict):
        return np.concatenate([flat(x) for x in value.values()]) if value else np.zeros(0)
    if hasattr(value, "position") and hasattr(value, "velocity"):
        return np.concatenate([np.ravel(value.position), np.ravel(value.velocity)])
    if hasattr(value, "kinetic"):
        return np.array([value.kinetic, value.potential])
    if hasattr(value, "K"):
        return np.concatenate([np.ravel(value.K), np.ravel(value.D)])
    if hasattr(value, "forces"):
        return np.concatenate([flat(value.forces), flat(value.vdot)])
    if hasattr(value, "frequencies"):
        return np.ravel(value.frequencies)
    return np.ravel(np.asarray(value, float))


def questions(system, q, v, t, tau):
    """Public methods of a system at a state."""
    asked = {
        "accelerations": lambda: system.accelerations(q, v, t),
        "with forces": lambda: system.accelerations(q, v, t, tau=tau),
        "of many states": lambda: system.accelerations(np.tile(q, (5, 1)), np.tile(v, (5, 1)), t),
        "bias": lambda: system.bias(q, v, t),
        "mass_matrix": lambda: system.mass_matrix(q, t),
        "jacobian": lambda: system.jacobian(system.tree.bodies[-1], q, (0.1, 0.2, 0.3), t),
        "bodies": lambda: system.bodies(q, v, t),
        "reactions": lambda: system.reactions(q, v, t),
        "energy": lambda: system.energy(q, v, t),
        "linearize": lambda: system.linearize(q, system.v0, t),
    }
    if not system.assembly.model.forces or not any(isinstance(f, sr.JointFriction) for f in system.model.forces.values()):
        asked["inverse_dynamics"] = lambda: system.inverse_dynamics(q, v, tau, t)
        asked["mixed_dynamics"] = lambda: system.mixed_dynamics(q, v, forces=tau, t=t)
    if system.constrained:
        asked["constraints"] = lambda: system.constraints(q, v, t)
        asked["constraint_jacobian"] = lambda: system.constraint_jacobian(q, t)
        asked["multipliers"] = lambda: system.multipliers(q, v, t)
    return asked


@pytest.mark.parametrize("kind", MODELS)
def test_methods_of_one_system(kind):
    make, how = MODELS[kind]
    rng = np.random.default_rng(len(kind))
    system = make(rng).compile(**how)
    states = []
    for _ in range(STATES):
        q, v = system.q0.copy(), system.v0 + rng.normal(size=system.n_v) * (0.0 if system.constrained else 1.0)
        if not system.constrained and system.n_q == system.n_v:
            q = q + rng.normal(size=system.n_q)
        states.append((q, v, float(rng.random()), rng.normal(size=system.n_v)))
    alone = [{name: flat(ask()) for name, ask in questions(system, *state).items()} for state in states]

    def ask_all(k):
        order, wrong = np.random.default_rng(k), []
        for i in order.integers(0, STATES, 15):
            asked = questions(system, *states[i])
            name = list(asked)[order.integers(len(asked))]
            found, wanted = flat(asked[name]()), alone[i][name]
            if not np.allclose(found, wanted, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(wanted).max(initial=0.0))):
                wrong.append((name, i))
        return wrong

    with ThreadPoolExecutor(THREADS) as pool:
        assert [wrong for wrong in pool.map(ask_all, range(2 * THREADS)) if wrong] == []


def test_ten_thousand_accelerations():
    system = chain(np.random.default_rng(1), 12).compile()
    rng = np.random.default_rng(2)
    q, v = rng.normal(size=(2, 100, system.n_v))
    alone = [system.accelerations(*state) for state in zip(q, v, strict=True)]

    def wrong(k):
        numbers = np.random.default_rng(k).integers(0, 100, 2500)
        return sum(not np.array_equal(system.accelerations(q[i], v[i]), alone[i]) for i in numbers)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(wrong, range(4))) == 0


@pytest.mark.parametrize("kind", ["loop", "control", "rocket"])
def test_runs_of_one_model(kind):
    """`simulate` from several threads; channels of one result, of a run with events, asked for by several threads."""
    make, how = MODELS[kind]
    m = make(np.random.default_rng(3))
    m.add(sr.Event("tick", every=0.05))
    alone = m.simulate(0.3, output=0.1, **how)

    def channels(result):
        return np.concatenate([np.ravel(result[name]) for name in alone.channels if result[name].dtype == float])

    wanted = channels(alone)
    with ThreadPoolExecutor(THREADS) as pool:
        for result in pool.map(lambda _: m.simulate(0.3, output=0.1, **how), range(2 * THREADS)):
            assert np.array_equal(channels(result), wanted, equal_nan=True)
        shared = m.simulate(0.3, output=0.1, **how)
        for found in pool.map(lambda _: channels(shared), range(2 * THREADS)):
            assert np.array_equal(found, wanted, equal_nan=True)


def test_a_stepper_that_goes_on_in_another_thread():
    m = chain(np.random.default_rng(4), 2)
    m.add(sr.Input("u"), sr.JointForce("push", "j1", "u"), sr.Event("tick", every=0.02))
    m.add(sr.Delay("late", "j0.q", time=0.03), sr.SampleHold("held", "j0.q", period=0.01))
    here, there = m.stepper(), m.stepper()
    with ThreadPoolExecutor(1) as pool:
        for k in range(1, 6):
            here.step(0.05 * k, u=float(k))
            pool.submit(there.step, 0.05 * k, u=float(k)).result()
    for name in ("j0.q", "j1.v", "late", "held"):
        assert here[name] == there[name]
    assert len(here.events) == len(there.events) == 12
