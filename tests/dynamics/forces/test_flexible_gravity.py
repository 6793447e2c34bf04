"""Central gravity on flexible bodies: slopes of its energy, masses at the nodes, a stretched tether, all methods."""

from functools import cache

import numpy as np
import pytest

import sharnir as sr
from sharnir.flexible import Material, Section, reduce, straight_beam

SOFT, LENGTH = Material(E=2e7, nu=0.3, density=1000.0), 10.0
AREA = np.pi * 0.2**2
R0, N = 1000.0, 1.0  # radius of the orbit and its rate
BOTH = pytest.mark.parametrize("formulation", ["joint", "absolute"])


@cache
def tether(elements=8, **options):
    """A soft rod along x, its middle at the origin."""
    beam = straight_beam((-LENGTH / 2, 0, 0), (LENGTH / 2, 0, 0), Section.round(0.2), SOFT, elements=elements)
    return reduce(beam, interfaces={"low": 0, "middle": elements // 2, "high": elements}, **options)


def with_planet(frame_at, **options):
    """A slanted rod near a planet that is flattened and feels the opposite forces."""
    beam = straight_beam((0.1, 0.2, 0), (1.1, 0.2, 0.3), Section.round(0.01), elements=6)
    body = reduce(beam, interfaces={"root": 0, "tip": 6}, modes=2, **options)
    m = sr.Model("planet and rod", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("rod", reduced=body, frame_at=frame_at, position=(3, 1, 2)))
    m.add(sr.Body("planet", mass=50, inertia=(4, 5, 6), com=(0.1, 0.2, 0.3)))
    m.add(sr.CentralGravity("g", 900.0, body="planet", center=(0.2, 0.1, 0), J2=0.1, radius=1.0, axis=(1, 2, 2)))
    return m


def bent(system, size=0.02):
    """A random state with large deformation."""
    rng = np.random.default_rng(1)
    q = system.q0 + 0.05 * rng.normal(size=system.n_q)
    for k in system.assembly.coordinates.quaternions:
        q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    for first, _, h in system.assembly.coordinates.elastic.values():
        q[first : first + h] = size * rng.normal(size=h)
    return q, rng.normal(size=system.n_v)


def pull(system, q, v):
    """Generalized forces of the elements."""
    zero = np.zeros(system.n_v)
    return system.inverse_dynamics(q, v, zero, elements=False) - system.inverse_dynamics(q, v, zero)


@pytest.mark.parametrize("stiffening", [None, True])
@pytest.mark.parametrize("frame_at", ["root", "tip", "floating"])
def test_forces_are_slopes_of_the_energy(frame_at, stiffening):
    s = with_planet(frame_at, stiffening=stiffening).compile()
    q, v = bent(s)
    h, energy = 1e-6, []
    rate = s.observe_rates(np.zeros(1), np.concatenate([q, v])[None])[0, : s.n_q]
    for step in (h, -h):
        s.observe_energy(np.zeros(1), np.concatenate([q + step * rate, v])[None])
        energy.append(s.work[s.assembly.force_outputs["g"]])
    assert pull(s, q, v) @ v == pytest.approx(-(energy[0] - energy[1]) / (2 * h), rel=1e-7)


def test_against_masses_at_the_nodes():
    """Forces on free modes, to which a uniform field does nothing: Σ m_k u_k · g(r_k) over the nodes of a fine mesh."""
    body = tether(elements=40, basis="free modes", modes=12)
    m = sr.Model("tether", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("rod", reduced=body, frame_at="floating", position=(R0, 0, 0)), sr.CentralGravity("g", R0**3))
    s = m.compile()
    first, speed, h = s.assembly.coordinates.elastic["rod"]
    q = s.q0.copy()
    q[first : first + h] = 0.5 * np.sin(1.0 + np.arange(h)) * np.sqrt(np.diag(body.stiffness).min() / np.diag(body.stiffness))
    mass = np.full(41, SOFT.density * AREA * LENGTH / 40)
    mass[[0, -1]] /= 2
    r = body.nodes + body.shapes @ q[first : first + h] + (R0, 0, 0)
    field = -(R0**3) * r / np.linalg.norm(r, axis=1)[:, None] ** 3
    uniform = mass @ field / mass.sum()
    expected = np.einsum("k,kci,kc->i", mass, body.shapes, field - uniform)
    found = pull(s, q, np.zeros(s.n_v))[speed : speed + h] - np.einsum("c,ci->i", uniform, body.inertia.J_rw)
    assert np.abs(found - expected).max() < 0.02 * np.abs(expected).max()


@BOTH
@pytest.mark.parametrize(("frame_at", "stiffening"), [("middle", None), ("floating", None), ("low", True)])
def test_a_tether_is_stretched(formulation, frame_at, stiffening):
    """Along the radius of a circular orbit 3 n² x pulls: longer by 2 ρ n² (L/2)³/E, whatever the frame."""
    m = sr.Model("tether", gravity=(0, 0, 0))
    body = tether(modes=4, damping=0.4, stiffening=stiffening)
    moving = {"velocity": (0, N * R0, 0), "angular_velocity": (0, 0, N)}
    m.add(sr.FlexibleBody("rod", reduced=body, frame_at=frame_at, position=(R0, 0, 0), **moving))
    m.add(sr.CentralGravity("earth", N**2 * R0**3))
    r = m.simulate(1.0, output=0.5, tolerance=1e-8, formulation=formulation)
    longer = np.linalg.norm(r["rod:high.position"] - r["rod:low.position"], axis=1) - LENGTH
    assert longer[1:] == pytest.approx(2 * SOFT.density * N**2 * (LENGTH / 2) ** 3 / SOFT.E, rel=1e-2)


@BOTH
def test_energy_and_momenta_stay(formulation):
    m = with_planet("root")
    m._bodies["rod"] = sr.FlexibleBody(
        "rod", reduced=m.bodies["rod"].reduced, frame_at="root", position=(3, 1, 2), velocity=(4, -9, 6), w=m.bodies["rod"].w
    )
    r = m.simulate(0.05, output=0.01, tolerance=1e-11, formulation=formulation)
    for name in ("energy.total", "system.momentum", "system.angular_momentum"):
        assert np.abs(r[name] - r[name][0]).max() < 1e-7 * (1 + np.abs(r[name]).max()), name
    assert np.abs(r["rod.w"]).max() > 1e-8


def test_methods_agree():
    s = with_planet("tip", stiffening=True)
    one = s.compile()
    q, v = bent(one, 1e-3)
    expected = one.accelerations(q, v)
    for method in ("composite", "direct", "lagrange1"):
        found = s.compile(method=method).accelerations(q, v)
        assert found == pytest.approx(expected, abs=1e-7 * np.abs(expected).max()), method


def test_a_centre_on_its_own_node_does_not_pull_its_body():
    m = with_planet("root")
    m.add(sr.CentralGravity("own", 1.0, body="rod:tip"))
    r = m.simulate(0.001, output=0.001)
    assert np.isfinite(r["own.energy"]).all()
    assert r["own.energy"][0] == pytest.approx(-50 / np.linalg.norm(r["rod:tip.position"][0] - (0.1, 0.2, 0.3)), rel=0.1)
