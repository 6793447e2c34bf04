"""Equations of mechanisms with flexible bodies against the engine: trees, loops, drives, free flight."""

import dataclasses

import numpy as np
import pytest

import flexible_mechanisms
import sharnir as sr

from .exports.compiled import Compiled, needs_compiler
from .states import difference, picked

TREES = ("cantilever", "pendulum", "chain", "tree", "floating", "welded", "driven", "sprung")


@pytest.mark.parametrize("name", TREES)
def test_trees(name):
    model = getattr(flexible_mechanisms, name)()
    system, equations = model.compile(), model.equations()
    for seed in range(2):
        q, v = flexible_mechanisms.state(system, seed, deformation=1e-2)
        assert difference(equations, system, q, v, 0.3) < 1e-10


def test_a_loop():
    model = flexible_mechanisms.slider_crank()
    system = model.compile()
    assert np.abs(system.v0).max() > 0.1
    assert difference(model.equations(), system, system.q0, system.v0) < 1e-10


def test_drag_and_damping():
    m = sr.Model("in oil")
    reduced = dataclasses.replace(flexible_mechanisms.rod(damping=0.03), drag=0.7)
    m.add(sr.FlexibleBody("rod", reduced=reduced), sr.Revolute("hinge", "ground", "rod:root", axis="y"))
    system = m.compile()
    q, v = flexible_mechanisms.state(system, 3, deformation=1e-2)
    assert difference(m.equations(), system, q, v) < 1e-10


def test_elastic_coordinates_are_named_after_their_body():
    equations = flexible_mechanisms.pendulum().equations(letters=True)
    assert equations.coordinates[:2] == ("q_hinge", "w_rod_1") and equations.speeds[1] == "w_rod_1'"
    assert "w_rod_1''" in str(equations)


@needs_compiler
def test_flexible_bodies_in_c(tmp_path):
    model = flexible_mechanisms.pendulum()
    system, equations = model.compile(), model.equations()
    q, v = flexible_mechanisms.state(system, 1, deformation=1e-2)
    own_q, own_v, numbers = picked(equations, system, q, v)
    want = system.accelerations(q, v)[numbers]
    assert np.abs(Compiled(equations, tmp_path)(0.0, own_q, own_v)["vdot"] - want).max() < 1e-10 * np.abs(want).max()


def test_stiffening():
    """A turning blade with a hand on its tip, whose displacement of second order moves it and brakes the blade."""
    m = flexible_mechanisms.blade()
    system = m.compile()
    q, v = flexible_mechanisms.state(system, 1, deformation=1e-2)
    assert difference(m.equations(), system, q, v) < 1e-10


def test_what_is_refused():
    m = flexible_mechanisms.pendulum()
    m.add(sr.CentralGravity("earth", mu=50.0, center=(0, 0, 5)))
    with pytest.raises(sr.ModelError, match="'earth': the attraction of what deforms has no formula here, and 'rod' is flexible"):
        m.equations()
    with pytest.raises(sr.ModelError, match="flexible bodies have equations in joint coordinates only"):
        flexible_mechanisms.pendulum().equations(formulation="absolute")
