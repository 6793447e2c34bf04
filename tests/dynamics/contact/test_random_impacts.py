"""Random impacts of all pairs of shapes: nothing is flown through, elastic laws keep the energy, and the momentum stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sharnir as sr
from random_impacts import PAIRS, audited, must_touch, random_impact
from samples import count
from sharnir.errors import SimulationError
from sharnir.integrate import ALL_INTEGRATORS

LOW_ORDER = ("generalized-alpha", "hht", "newmark", "park")
ADAPTIVE = [name for name, kind in ALL_INTEGRATORS.items() if kind.adaptive]


def faults(seeds: range, energy: float, momentum: float, options: dict[str, Any] | None = None, **kind: Any) -> list[str]:
    """What is wrong with some impacts."""
    found = []
    for seed in seeds:
        impact = random_impact(seed, **kind)
        audit, needed = audited(impact, **(options or {})), must_touch(impact)
        wrong = list(audit.warned)
        if needed is not None and needed != audit.touched:
            wrong.append("flown through" if needed else "touched from afar")
        if audit.energy > energy and not impact.boxes:  # forces between boxes have no potential, see docs/theory/contact.md
            wrong.append(f"energy {audit.energy:.2g}")
        if audit.momentum > momentum:
            wrong.append(f"momentum {audit.momentum:.2g}")
        if wrong:
            found.append(f"{impact.text}: {', '.join(wrong)}")
    return found


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_free_bodies(formulation: str) -> None:
    assert faults(range(count(3, 1) * len(PAIRS)), 2e-5, 1e-5, {"formulation": formulation}) == []


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_bodies_on_joints(formulation: str) -> None:
    assert faults(range(len(PAIRS)), 2e-5, 1e-5, {"formulation": formulation}, joints=True) == []


def test_groups() -> None:
    assert faults(range(count(2, 1) * len(PAIRS)), 2e-5, 1e-5, group=True) == []


@pytest.mark.parametrize("law", ["linear", "exponential"])
def test_other_laws(law: str) -> None:
    assert faults(range(law == "linear", len(PAIRS), count(1, 2)), 2e-5, 1e-5, law=law) == []


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_integrators(integrator: str) -> None:
    some = range(ADAPTIVE.index(integrator) % 3, len(PAIRS), count(3, 6))  # each pair with some of them
    if integrator == "implicit-euler":  # of order 1, and it takes energy: the bodies must meet
        assert faults(some, 0.99, 0.1, {"integrator": integrator, "tolerance": 1e-5}, joints=True) == []
        return
    low = integrator in LOW_ORDER
    options = {"integrator": integrator, "tolerance": 1e-6 if low else 1e-8}
    assert faults(some, 0.1 if low else 1e-4, 0.03 if low else 1e-4, options) == []


@pytest.mark.parametrize("integrator", ["cvode", "ida"])
def test_sundials(integrator: str) -> None:
    pytest.importorskip("sksundae")
    assert faults(range(0, len(PAIRS), count(5, 10)), 1e-4, 1e-4, {"integrator": integrator}) == []


def test_fixed_steps_that_miss_a_contact_are_reported() -> None:
    """Of impacts with steps of a tenth of the way, those that are missed, or gain energy, are among those with a warning."""
    warned = 0
    for seed in range(len(PAIRS)):
        impact = random_impact(seed, joints=True)  # on a rail: long steps do not turn it astray
        try:
            audit = audited(impact, integrator="rk4", step=impact.t_end / 10)
        except SimulationError:  # it has grown beyond all numbers, and says so
            warned += 1
            continue
        bad = (must_touch(impact) is True and not audit.touched) or (audit.energy > 0.1 and not impact.boxes)
        assert not bad or any("fixed steps" in text for text in audit.warned), impact.text
        warned += bool(audit.warned)
    assert warned > 0.8 * len(PAIRS)


@pytest.mark.parametrize(("count", "speed"), [(6, 100.0), (120, 10.0)])
def test_gas_in_a_box(count: int, speed: float) -> None:
    """Balls that bounce in a box, few and many enough for the list of neighbours: they stay in it and keep their energy."""
    r, radius, half = np.random.default_rng(0), 0.02, 0.5
    m = sr.Model("gas", gravity=(0, 0, 0))
    side = int(np.ceil(count ** (1 / 3)))
    for k in range(count):
        place = (np.array([k % side, k // side % side, k // side**2]) + 0.5) / side * 2 * half * 0.9 - 0.9 * half
        m.add(
            sr.Body(
                f"b{k}", density=1000, shape=sr.Sphere(radius), position=tuple(place), velocity=tuple(speed * r.normal(size=3))
            )
        )
    walls = [
        sr.Plane(tuple(-half * np.array(n)), n) for n in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
    ]
    m.add(sr.ContactGroup("gas", walls=walls, law=sr.Hertz(1e9)))
    result = m.simulate(4.0 * half / speed, output=0.1 * half / speed, tolerance=1e-7)
    places = np.array([result[f"b{k}.position"] for k in range(count)])
    energy = result["energy.total"]
    assert np.abs(places).max() < half - 0.5 * radius
    assert np.abs(energy - energy[0]).max() < 1e-4 * energy[0]
