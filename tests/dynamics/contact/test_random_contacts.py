"""Random pairs, laws and places, overlapping from the start or apart: every run ends with numbers or with one clear error."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
from contact_meshes import solid
from sharnir.dynamics.contact.contact_records import TOUCHING

SHAPES = {
    sr.Sphere: lambda r: sr.Sphere(r.uniform(0.05, 0.3), tuple(r.choice([0.0, 0.1], 3))),
    sr.Box: lambda r: sr.Box(tuple(r.choice([0.2, 0.3], 3)), rotation=None if r.random() < 0.5 else tuple(r.normal(size=4))),
    sr.Cylinder: lambda r: sr.Cylinder(r.uniform(0.05, 0.2), r.uniform(0.1, 0.4), axis=("x", "y", "z")[r.integers(3)]),
    sr.Capsule: lambda r: sr.Capsule((0, 0, 0), tuple(r.choice([0.0, 0.3], 3) + [0.1, 0, 0]), r.uniform(0.02, 0.1)),
    sr.Point: lambda r: sr.Point(tuple(r.choice([0.0, 0.1], 3))),
    sr.Mesh: lambda r: solid(("block", "angle")[r.integers(2)], r.uniform(0.05, 0.3)),
    sr.Plane: lambda r: sr.Plane((0, 0, 0), ("z", "-x", (0.6, 0, 0.8))[r.integers(3)]),
    sr.Bore: lambda r: sr.Bore(r.uniform(0.1, 0.4), length=None if r.random() < 0.5 else 0.3),
    sr.Slot: lambda r: sr.Slot((0, 0, 0), (0.3, 0, 0), r.uniform(0.1, 0.4)),
    sr.Profile: lambda r: sr.Profile("0.4*cos(s)", "0.3*sin(s)", (0, 2 * math.pi), inside=bool(r.random() < 0.5)),
    sr.Revolution: lambda r: sr.Revolution("0.3 + 0.5*s**2", (-1, 1), inside=bool(r.random() < 0.5)),
    sr.Surface: lambda r: sr.Surface(("z - 0.1*sin(5*x)", "1 - x**2 - y**2 - z**2", "x**2 + y**2 + z**2 - 0.04")[r.integers(3)]),
}
LAWS = (
    sr.HuntCrossley(1e5, damping=1.0),
    sr.Hertz(1e4),
    sr.LinearLaw(1e4, 10),
    sr.ExponentialLaw(1.0, 200, 0.1),
    sr.Flores(1e5, restitution=0.3, speed=1.0),
)


def random_model(seed: int) -> sr.Model:
    r = np.random.default_rng(seed)
    boundaries = list(TOUCHING)
    boundary = boundaries[r.integers(len(boundaries))]
    probe = TOUCHING[boundary][r.integers(len(TOUCHING[boundary]))]
    shapes = [SHAPES[probe](r), SHAPES[boundary](r)]
    place = (0, 0, 0) if r.random() < 0.2 else tuple(r.uniform(-0.5, 0.5, 3))
    turn = (1, 0, 0, 0) if r.random() < 0.4 else tuple(r.normal(size=4))
    m = sr.Model(f"random {seed}: {probe.__name__}-{boundary.__name__}", gravity=tuple(r.choice([0.0, -9.81], 3)))
    m.add(sr.Body("a", mass=1, inertia=(0.02, 0.03, 0.04), position=place, rotation=turn, velocity=tuple(r.uniform(-2, 2, 3))))
    second = "ground"
    if r.random() < 0.5:
        m.add(sr.Body("b", mass=2, inertia=(0.05, 0.05, 0.05)))
        second = "b"
    ends = ("a", second)
    if r.random() < 0.3:
        ends, shapes = ends[::-1], shapes[::-1]
    rub = sr.Friction(0.3, 0.5, speed=0.05) if r.random() < 0.5 else None
    m.add(sr.Contact("c", *ends, *shapes, law=LAWS[r.integers(len(LAWS))], friction=rub))
    return m


@pytest.mark.filterwarnings("ignore::sharnir.RunWarning")  # bodies that start deep inside each other are among them
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_random_contacts_survive(first: int) -> None:
    errors = []
    for seed in range(first, first + 25):
        m = random_model(seed)
        try:
            r = m.simulate(0.3, output=0.01, tolerance=1e-5, options={"max_evaluations": 300_000})
        except sr.SimulationError as error:
            errors.append(str(error))
            continue
        for name in ("a.position", "c.force", "c.loss", "c.energy", "c.friction", "c.point", "energy.total"):
            assert np.isfinite(r[name]).all(), (m.name, name)
        assert r["c.force"].min() >= 0.0 and r["c.loss"].min() >= -1e-9 * (1 + np.abs(r["c.loss"]).max()), m.name
    assert len(errors) <= 3
    assert all("overlap by" in text or "too stiff for an explicit integrator" in text for text in errors), errors
