"""Flexible bodies in mechanisms: against NumPy, closed forms, invariants, and one formulation against the other."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.inverse.least_norm_reactions import states_of
from sharnir.flexible import STEEL, Section, reduce, straight_beam

RADIUS, G = 0.01, 9.81
AREA, SECOND = math.pi * RADIUS**2, math.pi * RADIUS**4 / 4
BOTH = ("joint", "absolute")


def reduced(elements=6, modes=3, **options):
    """A steel rod of one metre along x."""
    rod = straight_beam((0, 0, 0), (1, 0, 0), Section.round(RADIUS), elements=elements)
    return reduce(rod, interfaces={"root": 0, "tip": elements}, modes=modes, **options)


def arm(wire=False, **options):
    """Two elastic links and a rigid one, in space; with a wire it is a loop, and one link is entered from its far side."""
    m, link = sr.Model("elastic arm"), reduced(modes=2, **options)
    turn = sr.rotation_about("z", 0.4)
    elbow = (1.0, 0.0, 0.0)
    wrist = (1.0 + math.cos(0.4), math.sin(0.4), 0.0)
    m.add(sr.FlexibleBody("upper", reduced=link, frame_at="root"))
    m.add(sr.Revolute("shoulder", "ground", "upper:root", axis="y", q=0.2, v=0.7))
    m.add(sr.FlexibleBody("lower", reduced=link, frame_at="root", position=elbow, rotation=turn))
    m.add(sr.Universal("elbow", "upper:tip", "lower:root", at=elbow, axis="y", axis2="z", v=(0.5, -1.0)))
    m.add(sr.Body("hand", mass=0.6, inertia=(2e-3, 3e-3, 4e-3), com=(0.05, 0, 0.02), position=wrist))
    m.add(sr.Ball("wrist", "lower:tip", "hand", at=wrist, v=(0.3, 0.2, -0.4)))
    m.add(sr.Spring("spring", "ground", "lower:tip", at_a=(1, 2, 0), at_b=wrist, stiffness=80.0, damping=2.0))
    if wire:
        m.add(sr.Distance("wire", "ground", "hand", at_a=(2, -1, 0.5), at_b=wrist))
    return m


def shaken(system, size=2e-4):
    """A state near the initial one: joints by some tenths, elastic coordinates by a fraction of a millimetre."""
    random = np.random.default_rng(3)
    q, v = system.q0.copy(), system.v0.copy()
    for first, speed, h in system.assembly.coordinates.elastic.values():
        q[first : first + h] += size * random.normal(size=h)
        v[speed : speed + h] += 50 * size * random.normal(size=h)
    return q, v


def twin_states(joint, absolute, q, v):
    y = np.concatenate([q, v, joint.z0])
    return states_of(joint, absolute, np.zeros(1), y[None])[0]


def test_one_free_body_against_its_inertia():
    """M(w) (a, α, ẅ) = k - K w - D ẇ with the matrices of the reduction, in NumPy."""
    body = reduced()
    m = sr.Model(gravity=(0, 0, 0))
    w, xi = 1e-3 * np.sin(np.arange(body.count)), 0.2 * np.cos(np.arange(body.count))
    m.add(sr.FlexibleBody("rod", reduced=body, frame_at="floating", velocity=(1, 2, 3), angular_velocity=(3, -2, 5), w=w, xi=xi))
    s = m.compile()
    _, speed, h = s.assembly.coordinates.elastic["rod"]
    v, omega = s.v0[:3], s.v0[3:6]
    right = body.inertia.force(w, v, omega, xi)
    right[6:] -= body.stiffness @ w
    expected = np.linalg.solve(body.inertia.matrix(w), right)
    expected[:3] -= np.cross(omega, v)  # speeds are counted in axes that turn
    found = s.accelerations(s.q0, s.v0)
    assert h == body.count
    assert np.concatenate([found[:6], found[speed : speed + h]]) == pytest.approx(
        expected, rel=1e-9, abs=1e-9 * np.abs(expected).max()
    )


@pytest.mark.parametrize("wire", [False, True])
def test_formulations_agree(wire):
    a, b = (arm(wire).compile(f) for f in BOTH)
    q, v = shaken(a, 0.0 if wire else 2e-4)
    y = twin_states(a, b, q, v)
    count = np.arange(a.assembly.count), np.arange(b.assembly.count)
    one = a.observe(np.zeros(1), np.concatenate([q, v, a.z0])[None], count[0])[0][0]
    two = b.observe(np.zeros(1), y[None], count[1])[0][0]
    largest = np.abs(one[:, 13:]).max()
    for name, i in a.assembly.placement.number.items():
        if i >= 0:
            assert two[b.assembly.placement.number[name]] == pytest.approx(one[i], abs=1e-9 * max(1.0, largest)), name
    n = b.n_q
    forces, others = a.reactions(q, v), b.reactions(y[:n], y[n : n + b.n_v])
    for name in ("shoulder", "elbow", "wrist"):
        assert others[name] == pytest.approx(forces[name], abs=1e-8 * np.abs(forces[name]).max())


def test_mass_matrix_bias_and_accelerations_fit_together():
    s = arm().compile()
    q, v = shaken(s)
    M, h = s.mass_matrix(q), s.inverse_dynamics(q, v, np.zeros(s.n_v))
    assert pytest.approx(M.T, abs=1e-9) == M
    assert np.linalg.eigvalsh(M)[0] > 0.0
    assert 0.5 * v @ M @ v == pytest.approx(s.energy(q, v).kinetic, rel=1e-12)
    assert M @ s.accelerations(q, v) == pytest.approx(-h, abs=1e-8 * np.abs(h).max())


def test_power_of_inner_forces_is_that_of_the_damper():
    """dE/dt along the motion, by differences, against the spring's damper."""
    s = arm().compile()
    q, v = shaken(s)
    y = np.concatenate([q, v])
    rate, h = s.observe_rates(np.zeros(1), y[None])[0], 1e-7
    energies = s.observe_energy(np.zeros(2), np.array([y - h * rate, y + h * rate]))[0].sum(axis=1)
    tip = s.bodies(q, v)["lower:tip"]
    along = tip.position - (1, 2, 0)
    speed = tip.velocity @ along / np.linalg.norm(along)
    assert (energies[1] - energies[0]) / (2 * h) == pytest.approx(-2.0 * speed**2, rel=1e-3, abs=1e-4)


def test_a_free_rod_keeps_energy_and_momenta():
    m, body = sr.Model(gravity=(0, 0, 0)), reduced(modes=1)
    w = 1e-4 * np.ones(body.count)
    m.add(sr.FlexibleBody("rod", reduced=body, frame_at="tip", velocity=(1, 2, 3), angular_velocity=(1, 5, 2), w=w))
    r = m.simulate(0.05, step=0.005, tolerance=1e-11)
    for name, scale in (("energy.total", 1e-8), ("system.momentum", 1e-11), ("system.angular_momentum", 1e-11)):
        x = r[name]
        assert np.abs(x - x[0]).max() < scale * np.abs(x).max(), name
    assert np.abs(np.diff(r["rod.w"], axis=0)).max() > 1e-6


@pytest.mark.parametrize("formulation", BOTH)
def test_cantilever_frequencies(formulation):
    """β² √(E I/m)/2π of a slender beam, each twice: bending in two planes."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("beam", reduced=reduced(elements=10, modes=6)), sr.Fixed("clamp", "ground", "beam:root"))
    roots = np.repeat([1.87510407, 4.69409113, 7.85475744], 2)
    exact = roots**2 / (2 * math.pi) * math.sqrt(STEEL.E * SECOND / (STEEL.density * AREA))
    found = m.modes(equilibrium=False, formulation=formulation).frequencies[:6]
    assert found == pytest.approx(exact, rel=3e-3)
    assert (found < exact).all()  # shear makes it softer


@pytest.mark.parametrize("frame_at", ["floating", "tip"])
def test_frequencies_of_a_free_beam(frame_at):
    """cos β cosh β = 1, each twice, after six motions that nothing holds; the frame makes no difference."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("beam", reduced=reduced(elements=10, modes=8), frame_at=frame_at))
    roots = np.repeat([4.73004074, 7.85320462], 2)
    exact = roots**2 / (2 * math.pi) * math.sqrt(STEEL.E * SECOND / (STEEL.density * AREA))
    found = m.modes(equilibrium=False).frequencies
    assert found[:6] == pytest.approx(np.zeros(6), abs=1e-3)
    assert found[6:10] == pytest.approx(exact, rel=5e-3)


@pytest.mark.parametrize("formulation", BOTH)
def test_sagging_under_its_own_weight(formulation):
    m = sr.Model()
    m.add(sr.FlexibleBody("beam", reduced=reduced(elements=10, modes=6)), sr.Fixed("clamp", "ground", "beam:root"))
    rest = m.statics(formulation=formulation)
    tip = m.compile(formulation).bodies(rest.q, rest.v)["beam:tip"]
    weight = STEEL.density * AREA * G
    assert tip.position[2] == pytest.approx(-weight / (8 * STEEL.E * SECOND), rel=1e-3)
    assert rest.reactions["clamp"] == pytest.approx([0, 0, weight, 0, -weight / 2, 0], abs=1e-4 * weight)


def test_a_slider_crank_with_an_elastic_rod():
    """A closed chain with all joints spatial: both formulations go the same way, and the loop stays closed."""
    rod = reduced(elements=4, modes=1)
    m = sr.Model("slider-crank", gravity=(0, 0, 0))
    m.add(sr.Body("crank", mass=1, inertia=(0.01, 0.01, 0.01)), sr.Revolute("O", "ground", "crank", axis="y", v=2.0))
    m.add(
        sr.FlexibleBody("rod", reduced=rod, position=(0.3, 0, 0)),
        sr.Body("slider", mass=2, inertia=(1, 1, 1), position=(1.3, 0, 0)),
    )
    m.add(sr.Revolute("A", "crank", "rod:root", at=(0.3, 0, 0), axis="y"))
    m.add(sr.Ball("B", "rod:tip", "slider", at=(1.3, 0, 0)), sr.Prismatic("S", "ground", "slider", axis="x"))
    a, b = (m.simulate(0.1, step=0.05, tolerance=1e-9, formulation=f) for f in BOTH)
    assert b["slider.position"] == pytest.approx(a["slider.position"], abs=1e-8)
    assert b["rod.w"] == pytest.approx(a["rod.w"], abs=1e-9)
    assert a["slider.position.x"][-1] < 1.3 - 1e-3


def test_elements_attach_to_interfaces_only():
    m = sr.Model()
    m.add(sr.FlexibleBody("beam", reduced=reduced()), sr.Fixed("clamp", "ground", "beam:root"))
    m.add(sr.Force("wind", "beam", force=(0, 1, 0)))
    with pytest.raises(
        sr.ModelError, match=r"'beam' is a flexible body; attach it to one of its interfaces \(beam:root, beam:tip\)"
    ):
        m.compile()


def test_what_is_refused():
    with pytest.raises(sr.ModelError, match="'middle' is not an interface"):
        sr.FlexibleBody("beam", reduced=reduced(), frame_at="middle")
    with pytest.raises(sr.ModelError, match="must be 9 numbers"):
        sr.FlexibleBody("beam", reduced=reduced(), w=(1.0, 2.0))


def numbers():
    """Accelerations of the arm in both formulations, as a list."""
    a, b = (arm().compile(f) for f in BOTH)
    y = twin_states(a, b, a.q0, a.v0)
    return [*a.accelerations(a.q0, a.v0), *b.observe_rates(np.zeros(1), y[None])[0]]


def test_plain_python_agrees():
    tests = Path(__file__).parents[2]
    path = os.pathsep.join([str(tests.parent / "src"), str(tests)])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    script = "import dynamics.bodies.test_flexible_body as t; print(*map(float, t.numbers()))"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    plain, compiled = np.array(done.stdout.split(), float), np.array(numbers())
    assert plain == pytest.approx(compiled, abs=1e-8 * np.abs(compiled).max())
