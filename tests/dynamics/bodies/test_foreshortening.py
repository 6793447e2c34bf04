"""Bent beams are shorter: engine against NumPy, invariants, formulations, buckling, preload; rotating beams: tests/reference."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sharnir as sr
from dynamics.bodies.test_flexible_body import BOTH, arm, reduced, shaken, twin_states
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.dynamics.methods.method_choice import can_solve
from sharnir.flexible import Material, Section, beam_frame, reduce, straight_beam


def unit_beam(elements=16, modes=10, **options):
    """EI = ρA = L = 1 and EA = 1e6."""
    section = Section(area=1e3, Iy=1e-3, Iz=1e-3, J=2e-3)
    fe = straight_beam((0, 0, 0), (1, 0, 0), section, Material(1e3, 0.0, 1e-3), elements=elements, theory="euler")
    return reduce(fe, interfaces={"root": 0, "tip": elements}, modes=modes, stiffening=True, **options)


def bent(body, size, seed=0):
    """Elastic coordinates and speeds with so large slopes, the soft shapes most."""
    random = np.random.default_rng(seed)
    w, xi = (np.linalg.solve(body.stiffness, random.normal(size=body.count)) for _ in range(2))
    return size / (body.amplitudes[1] @ np.abs(w)) * w, 30 * size / (body.amplitudes[1] @ np.abs(xi)) * xi


@pytest.mark.parametrize("at", ["floating", "root", "tip"])
def test_one_free_body_against_its_inertia(at):
    """M(w) (a, α, ẅ) = k - K w with StiffenedInertia in NumPy, slopes up to 0.2; linear theory would be far off."""
    body = reduced(stiffening=True)
    w, xi = bent(body, 0.2)
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("rod", reduced=body, frame_at=at, velocity=(1, 2, 3), angular_velocity=(3, -2, 5), w=w, xi=xi))
    s, held = m.compile(), m.bodies["rod"].reduced
    first, h = s.assembly.coordinates.elastic["rod"][1:]
    v, omega, found = s.v0[:3], s.v0[3:6], s.accelerations(s.q0, s.v0)
    found = np.concatenate([found[:6], found[first : first + h]])
    answers = []
    for inertia in (held.stiffened_inertia, held.inertia):
        right = inertia.force(w, v, omega, xi)
        right[6:] -= body.stiffness @ w
        answers.append(np.linalg.solve(inertia.matrix(w), right))
        answers[-1][:3] -= np.cross(omega, v)
    assert found == pytest.approx(answers[0], abs=1e-8 * np.abs(answers[0]).max())
    assert np.abs(found - answers[1]).max() > 1e-2 * np.abs(found).max()
    assert s.energy(s.q0, s.v0).kinetic == pytest.approx(held.stiffened_inertia.kinetic(w, v, omega, xi), rel=1e-12)
    assert np.linalg.eigvalsh(s.mass_matrix(s.q0))[0] > 0.0


def test_a_free_rod_keeps_energy_and_momenta():
    """With masses at the nodes; a consistent mass matrix has a momentum that is not quite that of its centre."""
    rod = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=6, mass="lumped")
    body = reduce(rod, interfaces={"root": 0, "tip": 6}, modes=1, stiffening=True)
    m, (w, _) = sr.Model(gravity=(0, 0, 0)), bent(body, 0.1)
    m.add(sr.FlexibleBody("rod", reduced=body, frame_at="tip", velocity=(1, 2, 3), angular_velocity=(1, 50, 20), w=w))
    r = m.simulate(0.05, step=0.005, tolerance=1e-11)
    for name, scale in (("energy.total", 1e-8), ("system.momentum", 1e-10), ("system.angular_momentum", 1e-10)):
        x = r[name]
        assert np.abs(x - x[0]).max() < scale * np.abs(x).max(), name
    path, speed = r["system.center_of_mass"], r["system.momentum"][0] / body.inertia.J_rr[0, 0]
    assert np.abs(path - path[0] - r.t[:, None] * speed).max() < 1e-9


@pytest.mark.parametrize("wire", [False, True])
def test_formulations_agree(wire):
    a, b = (arm(wire, stiffening=True).compile(f) for f in BOTH)
    q, v = shaken(a, 0.0 if wire else 2e-3)
    y = twin_states(a, b, q, v)
    count = np.arange(a.assembly.count), np.arange(b.assembly.count)
    one = a.observe(np.zeros(1), np.concatenate([q, v, a.z0])[None], count[0])[0][0]
    two = b.observe(np.zeros(1), y[None], count[1])[0][0]
    largest = np.abs(one[:, 13:]).max()
    for name, i in a.assembly.placement.number.items():
        if i >= 0:
            assert two[b.assembly.placement.number[name]] == pytest.approx(one[i], abs=1e-9 * max(1.0, largest)), name


def test_methods_agree():
    """The other methods begin with the same inertia, force and nodes."""
    s = arm(stiffening=True).compile()
    q, v = shaken(s, 2e-3)
    expected = s.accelerations(q, v)
    n = s.n_v - int(s.table[L.N_ELASTIC])  # accelerations of joints, and larger ones of elastic coordinates
    used = [method for method in ALL_METHODS if can_solve(method, s.assembly)]
    assert {"composite", "lagrange1", "direct"} < set(used)
    for method in used:
        found = arm(stiffening=True).compile(method=method).accelerations(q, v)
        for part in (slice(0, n), slice(n, None)):
            assert np.linalg.norm(found[part] - expected[part]) < 1e-9 * max(1.0, np.linalg.norm(expected[part])), method


def test_power_and_mass_matrix():
    """dE/dt along the motion is that of the damper; M v̇ = -h; T = ½ v·M v: nodes, masses on them and gravity included."""
    s = arm(stiffening=True).compile()
    q, v = shaken(s, 2e-3)
    M, h = s.mass_matrix(q), s.inverse_dynamics(q, v, np.zeros(s.n_v))
    assert 0.5 * v @ M @ v == pytest.approx(s.energy(q, v).kinetic, rel=1e-12)
    assert M @ s.accelerations(q, v) == pytest.approx(-h, abs=1e-8 * np.abs(h).max())
    y, step = np.concatenate([q, v]), 3e-8
    rate = s.observe_rates(np.zeros(1), y[None])[0]
    energies = s.observe_energy(np.zeros(2), np.array([y - step * rate, y + step * rate]))[0].sum(axis=1)
    tip = s.bodies(q, v)["lower:tip"]
    along = tip.position - (1, 2, 0)
    speed = tip.velocity @ along / np.linalg.norm(along)
    assert (energies[1] - energies[0]) / (2 * step) == pytest.approx(-2.0 * speed**2, rel=1e-2)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("push", [-5.0, 5.0, 9.0])
def test_axial_load_changes_the_frequency(push, formulation):
    """A beam on two supports: ω² = π⁴ EI/ρA (1 - P/P_E), Euler's P_E = π² EI/L²."""
    m = sr.Model("strut", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("beam", reduced=unit_beam()), sr.Revolute("hinge", "ground", "beam:root", axis="y"))
    m.add(sr.PointOnLine("roller", "ground", "beam:tip", axis="x"), sr.Force("push", "beam:tip", force=(-push, 0, 0)))
    found = m.modes(formulation=formulation).eigenvalues.imag[0] ** 2
    assert found == pytest.approx(math.pi**4 * (1 - push / math.pi**2), rel=2e-3, abs=0.02)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_column_buckles_under_its_weight(formulation):
    """Greenhill (1881): ρA g L³/EI = 7.837; gravity acts on the second-order displacement of the mass."""
    for g, stable in ((7.8, True), (7.9, False)):
        m = sr.Model("column", gravity=(-g, 0, 0))
        m.add(sr.FlexibleBody("beam", reduced=unit_beam()), sr.Fixed("clamp", "ground", "beam:root"))
        assert m.statics(formulation=formulation, stable=False).stable is stable


def loaded(weight):
    m = sr.Model("loaded beam")
    m.add(sr.FlexibleBody("beam", reduced=reduced(stiffening=True)), sr.Fixed("clamp", "ground", "beam:root"))
    m.add(sr.Body("load", mass=0.5, position=(1, 0, 0)), sr.Fixed("weld", "beam:tip", "load"))
    if weight:
        m.add(sr.Force("weight", "load", force=(0, 0, -weight)))
    return m


@pytest.mark.parametrize("formulation", BOTH)
def test_a_run_from_preload_does_not_vibrate(formulation):
    m = loaded(5.0)
    still, shaking = (m.simulate(0.2, step=0.01, formulation=formulation, initial=x) for x in ("equilibrium", None))
    z = still["load.position.z"]
    assert z[0] < -0.003
    assert np.ptp(z) < 1e-4 * abs(z[0])
    assert shaking["load.position.z"].min() < 1.8 * z[0]
    assert still["clamp.reaction"][-1][:3] == pytest.approx([0, 0, 5.0 + 9.81 * (0.5 + m.bodies["beam"].mass)], abs=0.05)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_load_that_lets_go(formulation):
    """The equilibrium of another model with the same bodies: released, the load swings by as much to the other side."""
    rest, free = loaded(5.0).statics(formulation=formulation), loaded(0.0)
    r = free.simulate(0.2, step=0.001, formulation=formulation, initial=rest)
    z, level = r["load.position.z"], free.compile(formulation, initial="equilibrium")
    level = level.bodies(level.q0, level.v0)["load"].position[2]
    assert z[0] == pytest.approx(z.min(), rel=2e-3)
    assert z.max() - level == pytest.approx(level - z[0], rel=0.05)


def test_preload_of_loops_keeps_speeds():
    """A turning crank with an elastic rod: in equilibrium the spring carries the slider; the speed given to the crank remains."""
    m = sr.Model("slider-crank")
    m.add(sr.Body("crank", mass=1, inertia=(0.01, 0.01, 0.01)), sr.Revolute("O", "ground", "crank", axis="y", v=2.0))
    m.add(sr.FlexibleBody("rod", reduced=reduced(elements=4, modes=1), position=(0, 0, 0.3)))
    m.add(sr.Body("slider", mass=2, inertia=(1, 1, 1), position=(1, 0, 0.3)))
    m.add(sr.Revolute("A", "crank", "rod:root", at=(0, 0, 0.3), axis="y"), sr.Ball("B", "rod:tip", "slider", at=(1, 0, 0.3)))
    m.add(sr.Prismatic("S", "ground", "slider", axis="x"))
    m.add(sr.Spring("spring", "ground", "slider", at_a=(-1, 0, 0.3), at_b=(1, 0, 0.3), stiffness=300.0, length=1.9))
    rest = m.statics()
    for formulation in BOTH:
        s = m.compile(formulation, initial="equilibrium")
        bodies = s.bodies(s.q0, s.v0)
        assert bodies["crank"].angular_velocity[1] == pytest.approx(2.0, rel=1e-9)
        assert bodies["slider"].position[0] - 1.0 == pytest.approx(rest["S.q"], abs=1e-9)
    assert abs(rest["S.q"]) > 1e-3


def test_steady_motion_of_rigid_bodies():
    """A pendulum on a turntable hangs where cos θ = g/(Ω² l); what asks for something else is refused."""
    m = sr.Model("turntable")
    m.add(sr.Body("table", mass=1, inertia=(1, 1, 1)), sr.Body("bob", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.6, 0, -0.8)))
    m.add(
        sr.Revolute("shaft", "ground", "table", axis="z", motion="5*t"),
        sr.Revolute("hinge", "table", "bob", at=(0, 0, 0), axis="y"),
    )
    for formulation in BOTH:
        s = m.compile(formulation, initial="steady")
        assert s.bodies(s.q0, s.v0)["bob"].position[2] == pytest.approx(-9.81 / 25, rel=1e-9)
    with pytest.raises(sr.ModelError, match="initial = 'still' must be 'equilibrium', 'steady'"):
        m.compile(initial="still")
    with pytest.raises(sr.ModelError, match="the equilibrium has 16 coordinates, the joint formulation of this model has 1"):
        m.compile(initial=sr.Model.statics(loaded(0.0), formulation="absolute"))


def numbers():
    """Accelerations of the arm in both formulations, as a list."""
    a, b = (arm(stiffening=True).compile(f) for f in BOTH)
    q, v = shaken(a, 2e-3)
    return [*a.accelerations(q, v), *b.observe_rates(np.zeros(1), twin_states(a, b, q, v)[None])[0]]


def test_plain_python_agrees():
    tests = Path(__file__).parents[2]
    path = os.pathsep.join([str(tests.parent / "src"), str(tests)])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    script = "import dynamics.bodies.test_foreshortening as t; print(*map(float, t.numbers()))"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    plain, compiled = np.array(done.stdout.split(), float), np.array(numbers())
    assert plain == pytest.approx(compiled, abs=1e-8 * np.abs(compiled).max())


SECTION = Section.rectangle(0.02, 0.03)
BENT_NODES = np.array([[0, 0, 0], [0.5, 0, 0], [1, 0, 0.1], [0.9, 0.7, 0.2], [0.2, 0.6, 0.5], [1.3, 0.9, 0.0]])
BENT_ELEMENTS = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 3), (3, 5))  # rings: a moment at a node pulls on other beams


def bent_frame():
    return beam_frame(BENT_NODES, BENT_ELEMENTS, SECTION, theory="euler")


def bent_end(ua, ub, span, scale):
    """How far the end of a beam is, and is turned, from a line along the beam that turns with nothing.

    Its curvature is that of the displacements of both ends in linear theory, scaled; sections turn exactly, r' = R e, R' = R κ.
    """
    length, R = np.linalg.norm(span), Rotation.from_rotvec(scale * ua[3:])
    e = span / length
    sa, sb = np.cross(ua[3:], e), np.cross(ub[3:], e)
    rise = (ub[:3] - ua[:3] - e * (e @ (ub[:3] - ua[:3]))) / length
    twist, chord, steps = e * (e @ (ub[3:] - ua[3:])), np.zeros(3), 400
    for k in range(steps):
        x = (k + 0.5) / steps
        bow = (6 * x - 4) * sa + (6 * x - 2) * sb + (6 - 12 * x) * rise
        kappa = scale * (np.cross(e, bow) + twist) / steps  # of one step
        middle = R * Rotation.from_rotvec(0.5 * kappa)
        chord, R = chord + middle.apply(span) / steps, R * Rotation.from_rotvec(kappa)
    return np.concatenate([chord - span, R.as_rotvec()])


def second_order_displacement(fe, u, held):
    """The even part of where beams of unchanged strain would end; the linear model, held at a node, closes the gaps."""
    load, size = np.zeros(fe.size), 1e-2
    for a, b in fe.lines:
        rows = np.concatenate([fe.freedoms_of(a), fe.freedoms_of(b)])
        ends = u[rows[:6]], u[rows[6:]], fe.nodes[b] - fe.nodes[a]
        gap = 0.5 * (bent_end(*ends, size) + bent_end(*ends, -size)) / size**2
        alone = beam_frame(fe.nodes[[a, b]], ((0, 1),), SECTION, theory="euler").stiffness.toarray()
        load[rows] += alone @ np.concatenate([np.zeros(6), gap])
    inner = np.setdiff1d(np.arange(fe.size), fe.freedoms_of(held))
    out = np.zeros(fe.size)
    out[inner] = np.linalg.solve(fe.stiffness.toarray()[np.ix_(inner, inner)], load[inner])
    return out


def test_second_order_motion_of_nodes_in_a_bent_frame():
    """Shifts and rotations, by reciprocity, against beams that are bent exactly, one by one; then the node of the engine."""
    fe = bent_frame()
    body = reduce(fe, interfaces={"root": 0, "corner": 3, "tip": 5}, modes=4, stiffening="root").fixed_at("root")
    w, xi = bent(body, 0.2, seed=3)
    u = np.concatenate([body.shapes @ w, body.rotations @ w], axis=1).ravel()
    second = second_order_displacement(fe, u, 0).reshape(-1, 6)
    for name, node in (("corner", 3), ("tip", 5)):
        found = body.stiffening.displacement(name, w)
        assert np.abs(found[3:]).max() > 1e-5  # rotations are there
        np.testing.assert_allclose(found, second[node], atol=2e-5 * np.abs(second).max())
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("frame", reduced=body, frame_at="root", w=w, xi=xi), sr.Fixed("clamp", "ground", "frame:root"))
    s = m.compile()
    here, h = s.bodies(s.q0, s.v0)["frame:tip"], 1e-5
    at = BENT_NODES[5] + u.reshape(-1, 6)[5, :3] + found[:3]
    np.testing.assert_allclose(here.position, at, atol=1e-10)
    theta = u.reshape(-1, 6)[5, 3:] + found[3:]
    wanted = np.concatenate([[1.0], 0.5 * theta]) / np.sqrt(1.0 + 0.25 * theta @ theta)
    np.testing.assert_allclose(here.rotation, wanted, atol=1e-9)
    first, second_place = (s.bodies(s.q0 + sign * h * s.v0, s.v0)["frame:tip"] for sign in (-1, 1))
    np.testing.assert_allclose(here.velocity, (second_place.position - first.position) / (2 * h), rtol=1e-5, atol=1e-7)
    a, b = np.array(first.rotation), np.array(second_place.rotation)
    rate = (b - a) / (2 * h)
    w0, x0 = here.rotation[0], np.array(here.rotation[1:])
    spin = 2 * (w0 * rate[1:] - rate[0] * x0 - np.cross(rate[1:], x0))  # world axes: 2 q̇ q⁻¹
    np.testing.assert_allclose(here.angular_velocity, spin, rtol=1e-5, atol=1e-6)
