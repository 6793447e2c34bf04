"""Flexible bodies whose interfaces are locked, released, attached and joined while they move."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from flexible_mechanisms import cross, rod
from sharnir.errors import ModelError

BOTH = pytest.mark.parametrize("formulation", ["joint", "absolute"])


def two_rods(*events, damping=0.0):
    """Free flight of two flexible rods with a hinge between them."""
    m, link = sr.Model("two rods", gravity=(0, 0, 0)), rod(1, damping=damping)
    m.add(sr.FlexibleBody("a", reduced=link, velocity=(0, 0.3, 0), angular_velocity=(0, 0, 1.0)))
    m.add(sr.FlexibleBody("b", reduced=link, position=(1, 0, 0)))
    m.add(sr.Revolute("J", "a:tip", "b:root", at=(1, 0, 0), axis="z", v=2.0), *events)
    return m


def slider_crank(*events):
    m = sr.Model("slider-crank")
    m.add(sr.Body("crank", mass=1, inertia=(0.01, 0.01, 0.01)), sr.Revolute("O", "ground", "crank", axis="y", v=2.0))
    m.add(sr.FlexibleBody("rod", reduced=rod(1), position=(0.3, 0, 0)))
    m.add(sr.Body("slider", mass=2, inertia=(1, 1, 1), position=(1.3, 0, 0)))
    m.add(sr.Revolute("A", "crank", "rod:root", at=(0.3, 0, 0), axis="y"))
    m.add(sr.Ball("B", "rod:tip", "slider", at=(1.3, 0, 0)), sr.Prismatic("S", "ground", "slider", axis="x"), *events)
    return m


def kept(r, size=1e-10):
    """Momentum and angular momentum over a run."""
    return all(np.abs(r[x] - r[x][0]).max() < size for x in ("system.momentum", "system.angular_momentum"))


@BOTH
def test_a_hinge_between_flexible_rods_jams(formulation):
    """The energy lost is ½ v²/(eᵀM⁻¹e), by the mass matrix in NumPy; momenta stay; coming free costs nothing."""
    lock, unlock = sr.Event("jam", at=0.05, actions=sr.Lock("J")), sr.Event("free", at=0.1, actions=sr.Unlock("J"))
    r = two_rods(lock, unlock).simulate(0.15, output=0.05, tolerance=1e-10, formulation=formulation)
    before = sr.simulate_many(two_rods(), 0.05, output=0.05, tolerance=1e-10)  # knows q and v
    s = two_rods().compile()
    e = np.zeros(s.n_v)
    e[s.speeds.index("J.v")] = 1.0
    lost = 0.5 * (e @ before.v[0, -1]) ** 2 / (e @ np.linalg.solve(s.mass_matrix(before.q[0, -1]), e))
    jam, free = r.events
    assert jam["energy_before"] - jam["energy_after"] == pytest.approx(lost, rel=1e-6)
    assert free["energy_after"] == pytest.approx(free["energy_before"], rel=1e-12)
    assert r["energy.total"][-1] == pytest.approx(jam["energy_after"], rel=1e-8)
    assert kept(r)


@BOTH
@pytest.mark.parametrize("ends", [("a:tip", "b:root"), ("b:tip", "a:tip"), ("c", "a:root")])
def test_interfaces_dock_and_part(formulation, ends):
    m = sr.Model("apart", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("a", reduced=rod(1), frame_at="tip", velocity=(0.2, 0, 0)))
    m.add(sr.FlexibleBody("b", reduced=rod(1), position=(1.1, 0.2, 0.1), angular_velocity=(0, 1, 1)))
    m.add(sr.Body("c", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, -0.5, 0), velocity=(0, 1, 0)))
    m.add(sr.Event("dock", at=0.02, actions=sr.Attach(*ends, joint="weld")))
    m.add(sr.Event("part", at=0.04, actions=sr.Release("weld")))
    r = m.simulate(0.06, output=0.005, tolerance=1e-10, formulation=formulation)
    dock, part = r.events
    assert dock["energy_after"] < dock["energy_before"]
    assert part["energy_after"] == pytest.approx(part["energy_before"], rel=1e-12)
    assert r["energy.total"][-1] == pytest.approx(dock["energy_after"], rel=1e-7)
    assert kept(r)
    first, second = (r[f"{end}.position"] for end in ends)
    apart = np.linalg.norm(first - second, axis=1)
    assert np.ptp(apart[(r.t > 0.021) & (r.t < 0.039)]) < 1e-8
    assert np.ptp(apart[r.t > 0.041]) > 1e-6


@BOTH
def test_a_loop_closes_without_strains(formulation):
    """Sides that are a little apart come together by motion: strains of the stiff rod over that way would hold a quarter more."""
    m = slider_crank(sr.Event("off", at=0.05, actions=sr.Release("A")), sr.Event("on", at=0.051, actions=sr.Join("A")))
    r = m.simulate(0.06, output=0.01, tolerance=1e-9, formulation=formulation)
    on = r.events[1]
    # what motion alone cannot close stays as a strain, of 1e-4 of the energy
    assert 0.9 * on["energy_before"] < on["energy_after"] < 1.001 * on["energy_before"]
    assert r["energy.total"][-1] == pytest.approx(on["energy_after"], rel=1e-6)


def test_formulations_go_the_same_way():
    """A tree of flexible bodies whose joints lock, attach to each other and come off."""

    def spar():
        m, at = sr.Model("spar", gravity=(0, 0, 0)), (0.6, 0.1, 0.2)
        m.add(sr.FlexibleBody("spar", reduced=cross(), frame_at="middle", angular_velocity=(0.3, 0.2, 1)))
        m.add(sr.FlexibleBody("wing", reduced=rod(1), position=at))
        m.add(sr.Universal("U", "spar:right", "wing:root", at=at, axis="y", axis2="z", v=(1, 0.5)))
        m.add(sr.Body("c", mass=0.3, inertia=(0.01, 0.01, 0.01), position=(-0.4, 0.1, 0)))
        m.add(sr.Cylindrical("C", "spar:left", "c", at=(-0.4, 0.1, 0), axis="x", v=(0.2, 1)))
        m.add(sr.Event("jam", at=0.02, actions=(sr.Lock("U"), sr.Lock("C"))))
        m.add(sr.Event("free", at=0.04, actions=(sr.Unlock("U"), sr.Release("C"))))
        m.add(sr.Event("hook", at=0.06, actions=sr.Attach("wing:tip", "c", joint="hook")))
        return m

    a, b = (spar().simulate(0.08, output=0.01, tolerance=1e-9, formulation=f) for f in ("joint", "absolute"))
    for name in ("wing:tip.position", "c.position", "spar.w", "wing.w"):
        assert np.abs(a[name] - b[name]).max() < 1e-9, name
    assert kept(a)
    assert kept(b)


def test_what_is_refused():
    for action in (sr.Release("a:tip"), sr.Release("a:root"), sr.Lock("b:root")):
        with pytest.raises(ModelError, match="is a part of a flexible body, not a joint"):
            two_rods(sr.Event("e", at=0.1, actions=action)).compile()
    for action in (sr.Attach("a", "b:tip"), sr.Join(sr.Ball("N", "b:tip", "a"))):
        with pytest.raises(ModelError, match="'a' is a flexible body; name one of its interfaces"):
            two_rods(sr.Event("e", at=0.1, actions=action)).compile()
