"""Flexible bodies that are held anywhere: not at their frames, by Fixed joints, before or after other bodies in the model."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.flexible import Section, reduce, straight_beam

BOTH = ("joint", "absolute")
LIGHT = 2.0  # m/s², so that displacements stay small and frames make no difference


def rod():
    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    return reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2)


def cantilever(frame_at, first=False):
    """A weight at the tip of a clamped rod; `first`: declared before the rod."""
    m = sr.Model(gravity=(0, 0, -LIGHT))
    weight = sr.Body("weight", mass=0.4, inertia=(1e-3, 1e-3, 1e-3), position=(1, 0, 0))
    body = sr.FlexibleBody("rod", reduced=rod(), frame_at=frame_at)
    m.add(*((weight, body) if first else (body, weight)))
    m.add(sr.Fixed("clamp", "ground", "rod:root"), sr.Fixed("weld", "rod:tip", "weight"))
    return m


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("frame_at", ["root", "tip", "floating"])
@pytest.mark.parametrize("first", [False, True])
def test_rods_bend_wherever_their_frames_are(formulation, frame_at, first):
    """Sag and frequency of a cantilever by beam theory, in every way to say the same."""
    m = cantilever(frame_at, first)
    rest = m.statics(formulation=formulation)
    system = m.compile(formulation)
    E, I, mass = 210e9, np.pi * 0.01**4 / 4, 7850 * np.pi * 1e-4
    sag = LIGHT * (0.4 / 3 + mass / 8) / (E * I)
    assert system.bodies(rest.q, rest.v)["weight"].position[2] == pytest.approx(-sag, rel=2e-3)
    assert rest.reactions["clamp"][2] == pytest.approx(LIGHT * (mass + 0.4), rel=1e-6)
    # Rayleigh: a weight with 33/140 of the rod
    lowest = np.sqrt(3 * E * I / (0.4 + 33 / 140 * mass)) / (2 * np.pi)
    assert m.modes(formulation=formulation).frequencies[0] == pytest.approx(lowest, rel=0.02)


def test_a_body_that_is_entered_elsewhere_gets_a_free_joint():
    assert cantilever("root").compile().tree.cuts == ()
    tree = cantilever("tip").compile().tree
    assert [joint.name for joint in tree.cuts] == ["clamp"]
    assert tree.loose == ("rod",)


def test_chain_entered_at_the_far_ends():
    """Three rods whose frames are at their tips, against three whose frames are at their roots."""
    ends = {}
    for frame_at in ("root", "tip"):
        m, before = sr.Model(gravity=(0, 0, -LIGHT)), "ground"
        for k in range(3):
            m.add(sr.FlexibleBody(f"r{k}", reduced=rod(), frame_at=frame_at, position=(k, 0, 0)))
            m.add(sr.Revolute(f"j{k}", before, f"r{k}:root", at=(k, 0, 0), axis="y"))
            before = f"r{k}:tip"
        run = m.simulate(0.05, step=0.025, tolerance=1e-10)
        ends[frame_at] = np.hstack([run["r2:tip.position"], run["j2.q"][:, None], run["j0.reaction.fz"][:, None]])
    assert ends["tip"][-1] == pytest.approx(ends["root"][-1], rel=1e-3, abs=2e-3)
