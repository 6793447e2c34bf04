"""Damping of flexible bodies in mechanisms: ratios against the textbook's, drag against the ground, and what it leaves alone."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import sharnir as sr
from flexible_mechanisms import chain, rod, state
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.errors import ModelError
from sharnir.flexible import ModalDamping, Rayleigh, Section, reduce, straight_beam
from sharnir.flexible.modes.craig_bampton import craig_bampton

ALPHA, BETA = 1e-4, 0.5


def textbook(frequencies):
    omega = 2.0 * np.pi * frequencies
    return 0.5 * (ALPHA * omega + BETA / omega)


def mounted(damping, joint=sr.Fixed, at=("root",), **options):
    m = sr.Model("rod", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("rod", reduced=rod(damping=damping, **options)))
    for name in at:
        m.add(joint(f"at {name}", "ground", f"rod:{name}", at=(float(name == "tip"), 0, 0)))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize(("joint", "at"), [(sr.Fixed, ("root",)), (sr.Fixed, ("tip",)), (sr.Ball, ("root", "tip"))])
def test_rayleigh_holds_in_every_mounting(formulation, joint, at):
    modes = mounted(Rayleigh(ALPHA, BETA), joint, at).modes(formulation=formulation)
    bending = modes.frequencies > 1.0  # without the roll of a rod between two balls
    assert bending.sum() >= 6
    wanted = textbook(modes.frequencies[bending])
    swinging = wanted < 1.0
    assert modes.damping_ratios[bending][swinging] == pytest.approx(wanted[swinging], rel=2e-5)


def test_first_bending_of_a_cantilever_by_closed_form():
    fine = straight_beam((0, 0, 0), (2, 0, 0), Section.round(0.02), elements=12, theory="euler", rotary=False)
    omega = 1.8751040687**2 / 4.0 * np.sqrt(2.1e11 * 0.02**2 / 4.0 / 7850.0)
    for damping, wanted in (
        (Rayleigh(ALPHA, BETA), 0.5 * (ALPHA * omega + BETA / omega)),
        (Rayleigh(ALPHA, BETA, against="root"), 0.5 * (ALPHA * omega + BETA / omega)),
        (ModalDamping(0.02, at="root"), 0.02),
    ):
        m = sr.Model("cantilever", gravity=(0, 0, 0))
        m.add(sr.FlexibleBody("beam", reduced=reduce(fine, interfaces={"root": 0, "tip": 12}, modes=4, damping=damping)))
        m.add(sr.Fixed("clamp", "ground", "beam:root"))
        modes = m.modes()
        assert modes.frequencies[:2] == pytest.approx(omega / (2 * np.pi), rel=1e-3)
        assert modes.damping_ratios[:2] == pytest.approx(wanted, rel=1e-3)


def test_modal_ratios_are_those_of_the_clamped_body():
    modes = mounted(ModalDamping(0.02, at="root")).modes()
    assert modes.damping_ratios == pytest.approx(np.full(len(modes), 0.02), rel=1e-4)
    ratios = np.linspace(0.01, 0.08, rod().count)
    found = mounted(ModalDamping(tuple(ratios), at="root")).modes().damping_ratios  # a round rod has modes in pairs
    assert np.sort(found) == pytest.approx(ratios, rel=1e-4)
    # without a place: modes of the free body, so that one in flight has them, and a clamped one has less
    free = mounted(0.02, sr.Free).modes()
    assert free.damping_ratios[free.frequencies > 1.0] == pytest.approx(0.02, rel=1e-4)
    assert mounted(0.02).modes().damping_ratios[0] < 0.002


@cache
def own_shapes(damping):
    """A beam far from its frame's origin, by shapes of one's own: mixed, not orthogonal, and none of them rests anywhere."""
    beam = straight_beam((0.4, 0.3, -0.2), (1.2, 0.9, -0.2), Section.rectangle(0.02, 0.03), elements=8)
    columns, rng = craig_bampton(beam, [0, 8], modes=2).matrix, np.random.default_rng(2)
    mixed = columns @ rng.normal(size=(columns.shape[1],) * 2) + beam.rigid_motions() @ rng.normal(size=(6, columns.shape[1]))
    return reduce(beam, interfaces={"root": 0, "tip": 8}, shapes=mixed, damping=damping)


@pytest.mark.parametrize("at", ["root", "tip"])
def test_damping_at_an_interface_with_own_shapes(at):
    """Ratios are those of the body clamped at the interface, however its shapes move the interface and one another."""
    for damping in (ModalDamping(0.02, at=at), Rayleigh(ALPHA, BETA, against=at)):
        m = sr.Model("beam", gravity=(0, 0, 0))
        m.add(sr.FlexibleBody("beam", reduced=own_shapes(damping), frame_at="floating"))
        m.add(sr.Fixed("clamp", "ground", f"beam:{at}"))
        modes = m.modes()
        wanted = 0.02 if isinstance(damping, ModalDamping) else textbook(modes.frequencies)
        slow = modes.frequencies < 2000.0
        assert slow.sum() >= 4
        assert modes.damping_ratios[slow] == pytest.approx(np.broadcast_to(wanted, len(modes))[slow], rel=1e-4)


@pytest.mark.parametrize("stiffening", [False, True])
def test_drag_takes_the_same_part_of_every_speed(stiffening):
    """M q̈ = … - β M q̇ with one β for all bodies: accelerations differ by β q̇, whatever the mechanism does."""
    for method in (name for name, kind in ALL_METHODS.items() if kind.handles_flexible):
        systems = []
        for damping in (None, Rayleigh(mass=BETA)):
            m = chain(3, rod(1, damping=damping, stiffening=stiffening))
            systems.append(m.compile(method=method))
        q, v = state(systems[0], 4)
        without, braked = (s.accelerations(q, v) for s in systems)
        assert np.abs(braked - without + BETA * v).max() < 1e-9 * np.abs(without).max(), method


@pytest.mark.parametrize(
    ("damping", "rate"),
    [(Rayleigh(ALPHA, BETA), BETA), (Rayleigh(ALPHA, BETA, against="body"), 0.0), (Rayleigh(ALPHA, BETA, against="root"), 0.0)],
)
def test_momentum_in_flight(damping, rate):
    """Drag against the ground brakes a body in flight at its rate; damping within the body cannot."""
    m = sr.Model("flight", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("rod", reduced=rod(damping=damping)))
    m.add(sr.Free("flight", "ground", "rod:root", v=(1.0, 2.0, 3.0, 0.5, 4.0, -3.0)))
    result = m.simulate(0.2, step=0.1, tolerance=1e-9, integrator="radau5")
    momentum = result["system.momentum"]
    assert momentum[-1] == pytest.approx(momentum[0] * np.exp(-rate * 0.2), rel=1e-7)


def test_words():
    with pytest.raises(ModelError, match="no interface 'roof'; it has root, tip"):
        rod(damping=ModalDamping(0.01, at="roof"))
    with pytest.raises(ModelError, match="no interface 'air'"):
        rod(damping=Rayleigh(mass=0.1, against="air"))
    assert rod(damping=Rayleigh(0.1, 0.2)).fixed_at("root").drag == 0.2
