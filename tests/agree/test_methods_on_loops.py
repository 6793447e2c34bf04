"""All methods on mechanisms with loops and constraints: the same accelerations, reactions and multipliers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import constrained_mechanisms
import flexible_mechanisms
import mechanisms
import random_loops
import sharnir as sr
import zoo
from random_loops import closed_state, random_loop, rates, with_forces
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.dynamics.multipliers.solver_choice import ALL_SOLVERS, BY_NULL_SPACE
from sharnir.errors import ModelError

ENGINE = [name for name in ALL_METHODS if name != "symbolic"]  # which has tests of its own, and refuses some elements
CLOSED = {
    "four-bar": lambda: mechanisms.four_bar(2),
    "parallelogram": mechanisms.planar_parallelogram,
    "slider-crank": lambda: mechanisms.slider_crank(1.0),
    "spatial slider-crank": mechanisms.spatial_slider_crank,
    "Andrews": mechanisms.andrews,
    "Bricard": mechanisms.bricard,
}


def difference(a, b):
    return np.linalg.norm(a - b) / max(np.linalg.norm(a), np.linalg.norm(b), 1e-300)


def assert_agreement(m, seed, t=0.0, tolerance=1e-10, methods=ENGINE, reactions=1e-9, **settings):
    """v̇ by all methods, pairwise, at a random state that satisfies the constraints, and what the joints pass on."""
    systems = {method: m.compile(method=method, **settings) for method in methods}
    assert all(s.method == method for method, s in systems.items())
    y = closed_state(systems["articulated"], seed)
    found = {method: rates(s, y, t) for method, s in systems.items()}
    if systems["articulated"].freedoms:
        assert np.abs(found["articulated"]).max() > 1e-3
        for one, other in itertools.combinations(found, 2):
            assert difference(found[one], found[other]) < tolerance, (one, other)
    else:  # a random loop may be a structure, and one that is nearly loose: C M⁻¹ Cᵀ has condition 1e9 in case 113
        assert max(np.abs(x).max() for x in found.values()) < 1e-9
        reactions *= 10.0
    passed = {method: passed_on(s, y, t) for method, s in systems.items()}
    for one, other in itertools.combinations(passed, 2):
        assert difference(passed[one], passed[other]) < reactions, (one, other)
    return systems, y


def passed_on(s, y, t):
    """Reactions of all joints, cut ones included, and multipliers of constraints."""
    _, reactions, _, cuts = s.observe(np.array([t]), y[None], np.arange(s.assembly.count))
    return np.concatenate([reactions.ravel(), cuts.ravel(), np.ravel(s.observe_multipliers(np.array([t]), y[None]))])


@pytest.mark.parametrize("kind", random_loops.CLOSING)
def test_every_kind_of_joint_as_the_cut_one(kind):
    for seed in (3, 14):
        systems, _ = assert_agreement(random_loop(seed, kind), seed)
        assert [e.name for e in systems["direct"].assembly.elements] != []


@pytest.mark.parametrize(("seed", "closing"), [(2, sr.FormulaJoint), (5, sr.Revolute), (8, sr.FormulaJoint)])
def test_joints_by_formulas_in_loops(seed, closing):
    """In the tree part; where all are by formulas, one of them is cut."""
    tree = (sr.FormulaJoint,) if closing is sr.FormulaJoint else (sr.FormulaJoint, sr.Revolute, sr.Ball)
    systems, _ = assert_agreement(random_loop(seed, closing, tree=tree), seed)
    cut = {e.name for e in systems["direct"].assembly.elements}
    assert cut and all(isinstance(systems["direct"].model.joints[name], closing) for name in cut)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_many_random_loops(seed):
    assert_agreement(random_loop(seed, None, 4 + seed % 7, 1 + seed % 3), seed, tolerance=1e-9, reactions=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_forces_drives_friction_and_contacts_in_loops(seed):
    assert_agreement(with_forces(random_loop(seed, None, 6, 2), seed), seed, 0.3)


@pytest.mark.parametrize("moving_ground", [False, True])
@pytest.mark.parametrize("kind", constrained_mechanisms.KINDS)
def test_every_kind_of_constraint(kind, moving_ground):
    assert_agreement(constrained_mechanisms.constrained(kind, moving_ground), 3)


FLEXIBLE = list(flexible_mechanisms.LOOPS)


@pytest.mark.parametrize("name", [FLEXIBLE[0], *(pytest.param(name, marks=pytest.mark.slow) for name in FLEXIBLE[1:])])
def test_flexible_bodies_in_loops(name):
    """Accelerations of 1e9 m/s² of the stiffest modes leave one digit less than of rigid bodies."""
    assert_agreement(flexible_mechanisms.LOOPS[name](), 3, tolerance=1e-9)


@pytest.mark.parametrize("solver", ALL_SOLVERS)
@pytest.mark.parametrize("name", CLOSED)
def test_all_solvers(name, solver):
    """The constraints of Bricard's mechanism are redundant in no plane: the sparse solver has six digits of their forces."""
    methods = BY_NULL_SPACE if solver == "null-space" else ENGINE
    reactions = 1e-5 if (name, solver) == ("Bricard", "sparse") else 1e-9
    assert_agreement(CLOSED[name](), 2, methods=methods, reactions=reactions, solver=solver)


@pytest.mark.parametrize("model", [mechanisms.andrews, lambda: zoo.model("tree 1"), flexible_mechanisms.slider_crank])
def test_absolute_coordinates(model):
    systems, _ = assert_agreement(model(), 3, formulation="absolute")
    assert all(s.formulation == "absolute" for s in systems.values())


@pytest.mark.parametrize("method", ["composite", "direct"])
def test_bodies_without_inertia(method):
    """The null space needs inertia of possible motions only; its mass matrix is that of the method."""
    m = mechanisms.slider_crank(1.0)
    light = sr.Model("massless coupler", gravity=m.gravity)
    names = list(m.bodies)
    for name, body in m.bodies.items():
        light.add(sr.Body(name, position=body.position, rotation=body.rotation) if name == names[1] else body)
    light.add(*m.joints.values())
    s, other = light.compile(method=method, solver="null-space"), light.compile()
    assert (s.method, s.solver) == (method, "null-space")
    y = closed_state(other, 1)
    assert difference(rates(s, y), rates(other, y)) < 1e-10


def test_what_is_refused():
    m = mechanisms.slider_crank(1.0)
    for method in ("lagrange1", "inverse-iterative", "direct-iterative", "extended"):
        with pytest.raises(ModelError, match=f"method = '{method}': solver 'null-space' forms the mass matrix"):
            m.compile(method=method, solver="null-space")
