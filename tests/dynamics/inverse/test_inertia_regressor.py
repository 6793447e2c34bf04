"""Forces as linear functions of inertial parameters, against inverse dynamics of the model and of other models."""

import dataclasses

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.dynamics.mobility.state_steps import moved
from sharnir.flexible import Section, reduce, straight_beam


def random_state(system, rng):
    """Position, speed, acceleration."""
    y = moved(system, system.y0, rng.normal(size=system.n_v))
    return y[: system.n_q], rng.normal(size=system.n_v), rng.normal(size=system.n_v)


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * max(1.0, np.abs(b).max(initial=0.0)))


def about_origin(body):
    """The ten numbers of a body from what its user gave."""
    m, c = body.mass, np.array(body.com)
    xx, yy, zz, xy, xz, yz = body.inertia
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) + m * (c @ c * np.eye(3) - np.outer(c, c))
    return [m, *(m * c), J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]]


@pytest.mark.parametrize("seed", range(12))
def test_forces_of_random_trees(seed):
    """Y π is the inverse dynamics of the model, and of one with other masses, centres and inertias."""
    rng = np.random.default_rng(seed)
    m = zoo.random_tree(seed, 1 + seed % 6)
    system = m.compile()
    q, v, a = random_state(system, rng)
    Y = system.regressor(q, v, a)
    close(Y @ system.inertial_parameters.values, system.inverse_dynamics(q, v, a, elements=False))

    other = sr.Model("other", m.gravity)
    other.add(
        *(dataclasses.replace(zoo.body(rng, name), position=b.position, rotation=b.rotation) for name, b in m.bodies.items())
    )
    other.add(*m.joints.values())
    pi = np.concatenate([*(about_origin(body) for body in other.bodies.values()), np.zeros(system.n_v)])
    close(Y @ pi, other.compile().inverse_dynamics(q, v, a, elements=False))


def test_rotors_and_many_states():
    m = sr.Model()
    m.add(
        sr.Body("a", mass=1, inertia=(1, 2, 2.5), com=(0.1, 0.2, -0.3)), sr.Revolute("A", "ground", "a", axis="y", armature=0.7)
    )
    m.add(sr.Body("b", mass=2, inertia=(1, 2, 2.5)), sr.Prismatic("B", "a", "b", axis="x", armature=3.0))
    system = m.compile()
    q, v, a = np.random.default_rng(0).normal(size=(3, 4, 5, 2))
    Y = system.regressor(q, v, a)
    assert Y.shape == (4, 5, 2, 22)
    close(Y @ system.inertial_parameters.values, system.inverse_dynamics(q, v, a, elements=False))
    names, units = system.inertial_parameters.names, system.inertial_parameters.units
    assert names[-2:] == ("A.armature", "B.armature") and units[-2:] == ("kg m²", "kg")
    assert names[10:14] == ("b.m", "b.mx", "b.my", "b.mz") and len(names) == len(units) == 22


def test_only_rigid_bodies_of_constant_mass():
    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    m = sr.Model()
    m.add(sr.FlexibleBody("beam", reduced=reduce(beam, {"root": 0}, modes=2), frame_at="root"))
    m.add(sr.Revolute("O", "ground", "beam:root", axis="y"))
    with pytest.raises(sr.ModelError, match="'beam' is flexible"):
        m.compile().base_parameters()
