"""Bodies without mass or inertia, and very light ones, in loops: a four-bar whose crank alone has mass is a pendulum."""

from itertools import pairwise

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError

BOTH = ("joint", "absolute")
NONE, POINT, ROD, WHOLE = (0.0, None), (2.0, None), (2.0, (0.0, 0.02, 0.02)), (2.0, (0.01, 0.02, 0.03))
LIGHT = (1e-12, (1e-14, 1e-14, 1e-14))
CORNERS = [(0.0, 0.0, 0.0), (0.3, 0.4, 0.0), (1.2, 0.9, 0.0), (1.0, 0.0, 0.0)]
ORDERS = [(0, 1, 2), (2, 0, 1), (1, 2, 0)]


def pin(kind, name, parent, child, at):
    if kind == "U":
        return sr.Universal(name, parent, child, at=at, axis="y", axis2="z")
    return sr.Ball(name, parent, child, at=at) if kind == "B" else sr.Revolute(name, parent, child, at=at, axis="z")


def four_bar(crank, coupler, rocker, kinds="RRRR", order=(0, 1, 2), v=1.5):
    """Three bars between fixed corners; kinds: of the four joints."""
    m = sr.Model("four-bar", gravity=(0.3, -9.81, 0.5))
    middles = [tuple((np.array(a) + b) / 2) for a, b in pairwise(CORNERS)]
    names = ("crank", "coupler", "rocker")
    for k in order:
        mass, inertia = (crank, coupler, rocker)[k]
        m.add(sr.Body(names[k], mass=mass, inertia=inertia, position=middles[k]))
    ends = (("ground", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("ground", "rocker"))
    for k, (kind, (parent, child)) in enumerate(zip(kinds, ends, strict=True)):
        if k == 0:
            m.add(sr.Revolute("J0", parent, child, at=CORNERS[0], axis="z", v=v))
        else:
            m.add(pin(kind, f"J{k}", parent, child, CORNERS[k]))
    return m


def pendulum(crank, v=1.5, **options):
    m = sr.Model("pendulum", gravity=(0.3, -9.81, 0.5))
    m.add(sr.Body("crank", mass=crank[0], inertia=crank[1], position=(0.15, 0.2, 0.0)))
    m.add(sr.Revolute("J0", "ground", "crank", at=(0, 0, 0), axis="z", **(options or {"v": v})))
    return m


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("kinds", ["RRRR", "RBUR"])
@pytest.mark.parametrize("crank", [POINT, ROD, WHOLE])
@pytest.mark.parametrize("other", [NONE, LIGHT])
def test_loop_that_adds_no_inertia(formulation, kinds, crank, other):
    """Coupler and rocker have no mass, or next to none: the crank swings as a pendulum, and its bearing carries the same."""
    run = {"tolerance": 1e-10, "output": 0.05}
    found = four_bar(crank, other, other, kinds, ORDERS[len(kinds) % 3]).simulate(0.8, formulation=formulation, **run)
    expected = pendulum(crank).simulate(0.8, **run)
    assert np.abs(found["J0.q"] - expected["J0.q"]).max() < 1e-7
    for part in ("fx", "fy"):
        a, b = found[f"J0.reaction.{part}"], expected[f"J0.reaction.{part}"]
        assert np.abs(a - b).max() < 1e-5 * np.abs(b).max()
    assert found.trust.good


@pytest.mark.parametrize("formulation", BOTH)
def test_point_mass_in_the_middle(formulation):
    """Only the coupler has mass, in one point: the run is that of a coupler with next to no inertia besides."""
    exact = four_bar(NONE, POINT, NONE).simulate(0.5, formulation=formulation, tolerance=1e-10, output=0.05)
    ends = []
    for small in (2e-4, 1e-4):
        near = four_bar((small, (small, small, small)), (2.0, (small, small, small)), (small, (small, small, small)))
        ends.append(near.simulate(0.5, tolerance=1e-10, output=0.05)["J0.q"][-1])
    limit = 2.0 * ends[1] - ends[0]  # error of first order in the masses that were added
    assert abs(exact["J0.q"][-1] - limit) < 1e-6 < abs(ends[1] - limit)


@pytest.mark.parametrize("formulation", BOTH)
def test_motion_without_mass(formulation):
    with pytest.raises(ModelError, match=r"move without moving anything.*'crank', 'coupler', 'rocker'"):
        four_bar(NONE, NONE, NONE).compile(formulation)


@pytest.mark.parametrize("mass", [1e-6, 1e-9, 1e-12, 1e-15, 0.0])
@pytest.mark.parametrize("formulation", BOTH)
def test_light_bodies_do_not_hide_others(mass, formulation):
    """Accelerations by the solver that is chosen, against the dense equations of M, C and λ."""
    light = (mass, (0.01 * mass,) * 3 if mass else None)
    for bodies in ((WHOLE, light, WHOLE), (light, WHOLE, light), (light, light, WHOLE)):
        s = four_bar(*bodies).compile(formulation)
        C, M = s.constraint_jacobian(s.q0), s.mass_matrix(s.q0)
        bias = s.mixed_problem().equations(np.concatenate([s.q0, s.v0, s.z0]), 0.0, np.zeros(0)).right
        K = np.block([[M, C.T], [C, np.zeros((len(C), len(C)))]])
        right = np.concatenate([-s.inverse_dynamics(s.q0, s.v0, np.zeros(s.n_v)), bias])
        size = np.abs(K).max(axis=0)
        scale = 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))
        expected = scale * np.linalg.lstsq(scale[:, None] * K * scale, scale * right, rcond=1e-13)[0]
        found = s.accelerations(s.q0, s.v0)
        assert np.abs(found - expected[: s.n_v]).max() < 1e-5 * np.abs(found).max()


@pytest.mark.parametrize("mass", [1e-6, 1e-12, 0.0])
@pytest.mark.parametrize("formulation", BOTH)
def test_mixed_problem_with_light_bodies(mass, formulation):
    """The torque that turns a crank is that of a pendulum, whatever hangs on it without mass; and it may be given instead."""
    light = (mass, (0.01 * mass,) * 3 if mass else None)
    s, lone = four_bar(WHOLE, light, light).compile(formulation), pendulum(WHOLE).compile()
    found = s.mixed_dynamics(s.q0, s.v0, accelerations={"J0": 3.0}).forces["J0"]
    expected = lone.mixed_dynamics(lone.q0, lone.v0, accelerations={"J0": 3.0}).forces["J0"]
    assert found == pytest.approx(expected, rel=1e-9 + 20.0 * mass)
    whole = s.mixed_dynamics(s.q0, s.v0, forces={"J0": found})
    problem = s.mixed_problem(["J0"]).solve(s.q0, s.v0, accelerations={"J0": 3.0})
    assert np.abs(whole.vdot - problem.vdot).max() < 1e-6 * np.abs(whole.vdot).max()


def test_other_solvers_say_why():
    with pytest.raises(ModelError, match="so light that the motion of the others"):
        four_bar(WHOLE, LIGHT, WHOLE).compile(solver="dense")
    with pytest.raises(ModelError, match="nothing with inertia moves"):
        four_bar(NONE, WHOLE, NONE).compile(solver="dense")


@pytest.mark.parametrize("formulation", BOTH)
def test_modes_and_statics(formulation):
    """Equilibrium and frequency of the pendulum."""
    hanging = four_bar(POINT, NONE, NONE, v=0.0)
    lone = pendulum(POINT, v=0.0)
    expected = lone.statics()
    found = hanging.statics(formulation=formulation)
    assert found.stable == expected.stable
    w = lone.modes(initial=expected).frequencies
    assert hanging.modes(formulation=formulation, initial=found).frequencies == pytest.approx(w, rel=1e-6)


@pytest.mark.parametrize("formulation", BOTH)
def test_impact_with_bodies_without_mass(formulation):
    """A speed set by an event: from there on the pendulum again."""
    m, lone = four_bar(WHOLE, NONE, NONE), pendulum(WHOLE)
    for model in (m, lone):
        model.add(sr.Event("kick", at=0.1, actions=[sr.SetSpeed("J0", -2.0)]))
    found = m.simulate(0.4, formulation=formulation, tolerance=1e-9, output=0.05)
    assert np.abs(found["J0.q"] - lone.simulate(0.4, tolerance=1e-9, output=0.05)["J0.q"]).max() < 1e-6


def elastic_four_bar(other):
    """A flexible crank; coupler and rocker are rigid, and the rocker is held by a ball, so that every motion is the crank's."""
    from flexible_mechanisms import rod

    m = sr.Model("elastic four-bar", gravity=(0.3, 0.5, -9.81))
    corners = [(np.cos(1.0), 0, np.sin(1.0)), (np.cos(1.0) + 1.3, 0, np.sin(1.0) + 0.3), (1.6, 0, 0)]
    m.add(sr.FlexibleBody("crank", reduced=rod(), rotation=sr.rotation_about("y", -1.0)))
    m.add(sr.Revolute("J0", "ground", "crank:root", axis="y", v=0.5))
    for name, at in (("coupler", corners[0]), ("rocker", corners[2])):
        m.add(sr.Body(name, mass=other[0], inertia=other[1], position=at))
    m.add(sr.Revolute("J1", "crank:tip", "coupler", at=corners[0], axis="y"), sr.Ball("J2", "coupler", "rocker", at=corners[1]))
    m.add(sr.Revolute("J3", "ground", "rocker", at=corners[2], axis="y"))
    return m


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("solver", ["auto", "null-space"])
def test_bodies_without_inertia_beside_flexible_ones(formulation, solver):
    """They are refused with the reason; the remedy in the message works: with next to no mass the motion has a limit."""
    for other in (NONE, POINT):
        with pytest.raises(ModelError, match=r"bodies 'coupler', 'rocker' lack mass.*with flexible bodies.*a millionth"):
            elastic_four_bar(other).compile(formulation, solver=solver)
    ends = [
        elastic_four_bar((mass, (0.02 * mass,) * 3)).simulate(0.05, formulation=formulation, solver=solver)["J0.q"][-1]
        for mass in (1e-6, 1e-9)
    ]
    assert ends[0] == pytest.approx(ends[1], rel=1e-6)


def test_open_chains_of_flexible_bodies_keep_their_reason():
    from flexible_mechanisms import rod

    m = sr.Model()
    m.add(sr.FlexibleBody("rod", reduced=rod()), sr.Revolute("hinge", "ground", "rod:root", axis="y"))
    m.add(sr.Body("bob", position=(1, 0, 0)), sr.Revolute("pin", "rod:tip", "bob", at=(1, 0, 0), axis="y"))
    with pytest.raises(ModelError, match=r"joint 'pin': nothing with inertia moves"):
        m.compile()
    with pytest.raises(ModelError, match=r"body 'bob': in absolute coordinates every body moves freely"):
        m.compile("absolute")
