"""Coarse frames with rigid bodies centred at the nodes: deformations without mass are told, with the remedy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError, ModelWarning
from sharnir.flexible import Material, Section, beam_frame, reduce

NODES = [[0, 0, 0], [0.4, 0, 0], [0.8, 0, 0.1], [0.4, 0.5, 0], [0.4, 1.0, 0.05]]
TEE = beam_frame(
    NODES, [[0, 1], [1, 2], [1, 3], [3, 4]], Section.rectangle(0.01, 0.006), Material(E=70e9, nu=0.33, density=2700), name="tee"
)


def reduced(inertia, modes=4):
    return reduce(TEE, interfaces={"a": 0, "b": 2}, modes=modes, inertia=inertia)


def test_reduction_warns():
    with pytest.warns(ModelWarning, match=r"'tee': 1 of 10 deformations move no mass .*'unshifted'.*shifted.*finer mesh"):
        body = reduced("unshifted")
    assert body.massless == 1  # twist of an end, which has no rotary inertia left
    assert np.linalg.matrix_rank(body.inertia.matrix(np.zeros(10)), tol=1e-13) == 15
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert reduced("general").massless == reduced("shifted").massless == 0


@pytest.mark.filterwarnings("ignore::sharnir.errors.ModelWarning")
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_free_bodies_are_refused(formulation):
    m = sr.Model("flight")
    m.add(sr.FlexibleBody("frame", reduced=reduced("unshifted")))
    with pytest.raises(ModelError, match=r"flexible body 'frame'.*that move no mass .*mass matrix is singular; reduce it with"):
        m.compile(formulation)


@pytest.mark.filterwarnings("ignore::sharnir.errors.ModelWarning")
def test_held_bodies_move():
    m = sr.Model("clamped")
    m.add(sr.FlexibleBody("frame", reduced=reduced("unshifted")), sr.Fixed("clamp", "ground", "frame:a"))
    found = m.modes(equilibrium=False).frequencies[:2]
    other = sr.Model("clamped")
    other.add(sr.FlexibleBody("frame", reduced=reduced("shifted")), sr.Fixed("clamp", "ground", "frame:a"))
    assert found == pytest.approx(other.modes(equilibrium=False).frequencies[:2], rel=0.2)
