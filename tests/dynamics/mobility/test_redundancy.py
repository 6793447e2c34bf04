"""Matrices of the constraints, redundant equations by name, freedoms."""

import numpy as np
import pytest

import large_mechanisms
import mechanisms
import sharnir as sr
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.redundancy import _dependent_sparse
from sharnir.dynamics.mobility.state_steps import moved

BOTH = ("joint", "absolute")
COUNTS = {  # redundant equations in space, freedoms
    "parallelogram": (mechanisms.planar_parallelogram, 3, 1),
    "four-bars": (mechanisms.four_bar, 6, 1),
    "crank-rocker": (mechanisms.crank_rocker, 3, 0),
    "spatial slider-crank": (mechanisms.spatial_slider_crank, 0, 1),
    "Bricard": (mechanisms.bricard, 1, 1),
    "Andrews": (mechanisms.andrews, None, 1),
}


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("name", COUNTS)
def test_redundant_equations_and_freedoms(name, formulation):
    build, redundant, freedoms = COUNTS[name]
    system = build().compile(formulation)
    assert system.freedoms == system.motions == freedoms
    if redundant is not None:
        assert len(system.redundant) == redundant
    rank = np.linalg.matrix_rank(system.constraint_jacobian(system.q0), tol=1e-7)
    assert len(system.redundant) == system.n_equations - rank
    assert set(system.redundant) <= set(system.constraint_names)


def test_redundant_forces_of_a_planar_loop_are_those_out_of_the_plane():
    system = mechanisms.planar_parallelogram().compile()
    assert {label.split(": ")[1] for label in system.redundant} == {"force along z", "torque about x", "torque about y"}
    assert system.redundancy.permanent == system.redundancy.equations


def test_a_flattened_parallelogram_is_redundant_for_a_moment_only():
    m = sr.Model()
    for k, y in enumerate((0.0, 0.0)):
        m.add(mechanisms.rod(f"crank{k}", (2 * k, y, 0), (2 * k + 1, y, 0), 1.0, 0.01))
        m.add(sr.Revolute(f"foot{k}", "ground", f"crank{k}", at=(2 * k, 0, 0), axis="z"))
    m.add(mechanisms.rod("coupler", (1, 0, 0), (3, 0, 0), 1.0, 0.01))
    m.add(sr.Revolute("left", "crank0", "coupler", at=(1, 0, 0), axis="z"))
    m.add(sr.Revolute("right", "crank1", "coupler", at=(3, 0, 0), axis="z"))
    for formulation in BOTH:
        system = m.compile(formulation)
        assert len(system.redundant) == 4
        assert len(system.redundancy.permanent) == 3
        assert system.freedoms == 1


@pytest.mark.parametrize("formulation", BOTH)
def test_the_jacobian_is_the_derivative_of_the_residuals(formulation):
    """Along any motion, also one that opens the loops; of cut joints g is the gap, whose rate is C v where it is closed."""
    system = mechanisms.spatial_slider_crank().compile(formulation)
    C, h = system.constraint_jacobian(system.q0), 1e-5
    x = np.random.default_rng(0).normal(size=system.n_v)
    ahead, behind = (system.constraints(moved(system, system.y0, s * h * x)[: system.n_q]) for s in (1, -1))
    assert (ahead - behind) / (2 * h) == pytest.approx(C @ x, abs=1e-8)
    assert system.constraints(system.q0, x) == pytest.approx(C @ x, abs=1e-12)


@pytest.mark.parametrize("formulation", BOTH)
def test_multipliers_complete_the_equations_of_motion(formulation):
    """M v̇ + h = Cᵀ λ, and C v̇ + bias = 0."""
    system = mechanisms.four_bar().compile(formulation)
    q, v = system.q0, system.v0
    vdot, C = system.accelerations(q, v), system.constraint_jacobian(q)
    left = system.mass_matrix(q) @ vdot + system.bias(q, v)
    assert left == pytest.approx(C.T @ system.multipliers(q, v), abs=1e-9)
    assert C @ vdot == pytest.approx(-constraints_at(system, system.y0).bias, abs=1e-9)


def test_speed_constraints_leave_more_motions_than_freedoms():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("sleigh", mass=1, inertia=(1, 1, 1)), sr.Planar("floor", "ground", "sleigh", axis="z"))
    m.add(sr.KnifeEdge("blade", "sleigh", direction="y"))
    for formulation in BOTH:
        system = m.compile(formulation)
        assert (system.freedoms, system.motions) == (2, 3)


def test_labels_count_the_equations_of_every_element():
    for formulation in BOTH:
        system = mechanisms.andrews().compile(formulation)
        assert len(system.constraint_names) == len(set(system.constraint_names)) == system.n_equations


def test_many_equations_take_the_sparse_way_to_the_same_number():
    for build in (mechanisms.four_bar, large_mechanisms.five_loops):
        system = build().compile("absolute")
        found = constraints_at(system, system.y0)
        assert len(_dependent_sparse(system, found, np.arange(len(found.g)))) == len(system.redundancy.equations)


def test_the_result_tells_what_is_redundant():
    result = mechanisms.planar_parallelogram().simulate(0.01)
    assert len(result.stats["redundant"]) == 3
    assert result.stats["freedoms"] == 1
