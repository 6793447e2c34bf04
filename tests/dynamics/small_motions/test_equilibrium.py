"""Static equilibrium: known positions and forces, stability, both formulations, and no equilibrium at all."""

import math

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from sharnir.model.frames import rotation_matrix

BOTH = ("joint", "absolute")
G = 9.81


def pendulum(position=(1, 0, 0), **options):
    m = sr.Model()
    m.add(sr.Body("bob", mass=2, inertia=(0.1, 0.1, 0.1), position=position))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", **options))
    return m


@pytest.mark.parametrize("formulation", BOTH)
def test_a_pendulum_hangs_and_its_hinge_carries_the_weight(formulation):
    rest = pendulum().statics(formulation=formulation)
    assert rest.stable
    assert rest.residual < 1e-9
    assert rest.stiffness == pytest.approx([2 * G / 2.1], rel=1e-8)
    assert rest.reactions["O"] == pytest.approx((0, 0, 2 * G, 0, 0, 0), abs=1e-8)


def test_stable_or_nearest():
    upright = pendulum(position=(0, 0, 1))
    assert abs(upright.statics()["O.q"]) == pytest.approx(math.pi, abs=1e-9)
    nearest = upright.statics(stable=False)
    assert nearest["O.q"] == 0.0
    assert not nearest.stable
    assert nearest.stiffness == pytest.approx([-2 * G / 2.1], rel=1e-8)


@pytest.mark.parametrize("formulation", BOTH)
def test_springs_bear_the_weight(formulation):
    m = sr.Model()
    m.add(sr.Body("load", mass=3, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "load", axis="z"))
    m.add(sr.Spring("k", "ground", "load", at_a=(0, 0, 2), stiffness=100.0, length=1.5))
    rest = m.statics(formulation=formulation)
    place = m.compile(formulation).bodies(rest.q, rest.v)["load"].position
    assert place[2] == pytest.approx(0.5 - 3 * G / 100.0, abs=1e-11)


@pytest.mark.parametrize("build", [mechanisms.planar_parallelogram, mechanisms.closed_pendulum, mechanisms.four_bar])
def test_mechanisms_with_loops_come_to_the_lowest_point(build):
    places = []
    for formulation in BOTH:
        m = build()
        rest = m.statics(formulation=formulation)
        assert rest.stable
        places.append({name: state.position for name, state in m.compile(formulation).bodies(rest.q, rest.v).items()})
    for name, place in places[0].items():
        assert places[1][name] == pytest.approx(place, abs=1e-8)
    heights = build().simulate(3.0)["energy.potential"]
    system = build().compile()
    assert system.energy(build().statics().q, np.zeros(system.n_v)).potential <= heights.min() + 1e-9


def test_reactions_of_a_closed_frame():
    """A bar on a hinge and on a roller, loaded in the middle: half of the weight each."""
    m = sr.Model()
    m.add(sr.Body("bar", mass=4, inertia=(0.1, 1, 1), com=(1, 0, 0)))
    m.add(sr.Revolute("hinge", "ground", "bar", at=(0, 0, 0), axis="y"))
    roller = (sr.Translation("x"), sr.Rotation("y"))
    m.add(sr.FreedomSequence("roller", "ground", "bar", at=(2, 0, 0), freedoms=roller))
    for formulation in BOTH:
        rest = m.statics(formulation=formulation)
        assert rest.reactions["hinge"][2] == pytest.approx(2 * G, rel=1e-9)
        assert rest.reactions["roller"][2] == pytest.approx(2 * G, rel=1e-9)


def test_prescribed_motions_stand_still():
    """At t = 0.5 s the hinge of the pendulum has moved to 0.5 m and does not count as moving."""
    m = sr.Model()
    m.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Body("bob", mass=1, inertia=(0.1,) * 3, position=(1, 0, 0)))
    m.add(sr.Prismatic("rail", "ground", "cart", axis="x", motion="2*t**2"))
    m.add(sr.Revolute("O", "cart", "bob", at=(0, 0, 0), axis="y"))
    rest = m.statics(t=0.5)
    assert rest["O.q"] == pytest.approx(math.pi / 2, abs=1e-9)
    assert m.compile().bodies(rest.q, rest.v, 0.5)["bob"].position == pytest.approx((0.5, 0, -1), abs=1e-9)


def test_a_soft_chain_needs_the_motion():
    """Twelve hinged links drawn as a comb between two springs: far from the solution, found all the same."""
    m = sr.Model()
    last = "ground"
    for k in range(12):
        m.add(sr.Body(f"b{k}", mass=0.1, inertia=(1e-3,) * 3, com=(0.05, 0, 0), position=(0.1 * k, 0, 0)))
        m.add(sr.Revolute(f"j{k}", last, f"b{k}", at=(0.1 * k, 0, 0), axis="y", q=1.3 * (-1) ** k if k else 0.7))
        last = f"b{k}"
    rest = m.statics()
    assert rest.stable
    assert math.cos(rest["j0.q"]) == pytest.approx(0.0, abs=1e-8)
    assert rest.q[1:] == pytest.approx(np.zeros(11), abs=1e-8)


def test_what_nothing_holds_has_no_equilibrium():
    m = sr.Model("falling")
    m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)), sr.Prismatic("shaft", "ground", "stone", axis="z"))
    with pytest.raises(sr.SimulationError, match=r"no stable equilibrium was found.*'shaft\.v'"):
        m.statics()


def test_nothing_to_move_is_an_equilibrium():
    m = sr.Model()
    m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1)), sr.Fixed("hook", "ground", "lamp"))
    for formulation in BOTH:
        rest = m.statics(formulation=formulation)
        assert rest.stable
        assert rest.reactions["hook"][2] == pytest.approx(2 * G)


def rolling_ball():
    """A ball on a table, pulled by a spring of 50 N/m that is slack at 0.5 m from the wall."""
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=2, inertia=(0.008,) * 3, position=(0, 0, 0.1)))
    m.add(sr.RollingBall("contact", "ball", radius=0.1, through=(0, 0, 0)))
    m.add(sr.Spring("spring", "ground", "ball", at_a=(-1, 0, 0.1), at_b=(0, 0, 0.1), stiffness=50, length=0.5))
    return m


@pytest.mark.parametrize("formulation", BOTH)
def test_a_ball_rolls_to_its_equilibrium(formulation):
    """Constraints on speeds: it rests where the spring is slack, K/(m + J/r²) = 50/2.8, and the table bears its weight."""
    m = rolling_ball()
    rest = m.statics(formulation=formulation)
    assert rest.stable
    assert m.compile(formulation).bodies(rest.q, rest.v)["ball"].position[0] == pytest.approx(-0.5, abs=1e-9)
    assert rest.stiffness[-1] == pytest.approx(50 / 2.8, rel=1e-8)
    assert rest.multipliers["contact"] == pytest.approx((2 * G, 0, 0), abs=1e-8)
    assert m.modes(formulation=formulation).frequencies[-1] == pytest.approx(math.sqrt(50 / 2.8) / (2 * math.pi), rel=1e-8)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_sleigh_on_a_slope_slides_along_its_blade(formulation):
    """The blade holds it across; along the blade a spring balances the slope, m g sin α cos β = k s; it may turn freely."""
    slope, turn, mass, k = 0.3, 0.7, 2.0, 80.0
    m = sr.Model("sleigh", gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    m.add(sr.Body("sleigh", mass=mass, inertia=(1, 1, 1), rotation=sr.rotation_about("z", turn)))
    m.add(sr.Planar("ice", "ground", "sleigh", axis="z", stiffness=(k, k, 0)))
    m.add(sr.KnifeEdge("blade", "sleigh", direction=(-math.sin(turn), math.cos(turn), 0)))
    along = (math.cos(turn), math.sin(turn), 0.0)
    rest = m.statics(formulation=formulation)
    place = m.compile(formulation).bodies(rest.q, rest.v)["sleigh"].position
    assert place @ np.array(along) == pytest.approx(mass * G * math.sin(slope) * math.cos(turn) / k, rel=1e-8)


def test_a_constraint_that_wants_motion_has_no_equilibrium():
    m = sr.Model("belt")
    m.add(sr.Body("box", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "box", axis="x"))
    m.add(sr.Constraint("belt", "P.v - 1"))
    with pytest.raises(sr.ModelError, match=r"'belt' does not allow rest: at zero speeds it is violated by 1"):
        m.statics()


@pytest.mark.parametrize("formulation", BOTH)
def test_coordinates_of_all_joints_by_name(formulation):
    """Of tree, cut and prescribed joints, the same in both formulations."""
    m = mechanisms.planar_parallelogram()
    rest = m.statics(formulation=formulation)
    there = m.simulate(0.01, initial=sr.Initial(q={"O": rest["O.q"]}))
    for name in m.joints:
        turns = (rest[f"{name}.q"] - there[f"{name}.q"][0]) / (2 * math.pi)
        assert turns == pytest.approx(round(turns), abs=1e-7)
        assert rest[name] == rest[f"{name}.q"]
    with pytest.raises(sr.ModelError, match=r"no coordinate 'nix\.q'.*it has .*O\.q"):
        rest["nix.q"]


@pytest.mark.parametrize("formulation", BOTH)
def test_coordinates_of_a_ball_and_of_a_drive(formulation):
    m = sr.Model()
    m.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Body("bob", mass=1, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0)))
    m.add(sr.Prismatic("rail", "ground", "cart", axis="x", motion="2*t**2"))
    m.add(sr.Ball("O", "cart", "bob", at=(0, 0, 0)))
    rest = m.statics(t=0.5, formulation=formulation)
    assert rest["rail.q"] == pytest.approx(0.5)
    turn = np.array([rest[f"O.q.{part}"] for part in "wxyz"])
    assert np.array(rotation_matrix(tuple(turn))) @ (1, 0, 0) == pytest.approx((0, 0, -1), abs=1e-8)


@pytest.mark.parametrize("formulation", BOTH)
def test_tension_of_a_rope(formulation):
    m = sr.Model("lamp")
    m.add(sr.Body("lamp", mass=3, inertia=(1, 1, 1), position=(0.3, 0, -1)))
    m.add(sr.Distance("rope", "ground", "lamp", at_a=(0, 0, 0)))
    assert m.statics(formulation=formulation).multipliers["rope"] == pytest.approx([-3 * G], rel=1e-9)


def test_an_equilibrium_prints_what_a_user_looks_for():
    m = sr.Model("lamp")
    m.add(sr.Body("arm", mass=2, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="y"))
    assert str(m.statics()).splitlines()[1:] == ["  O.q = 1.5708", "  O: force 19.62 N, torque 0 N m", "  ω² = 9.34286 1/s²"]
    assert str(m.statics(formulation="absolute")).splitlines()[1:] == str(m.statics()).splitlines()[1:]
    assert "λ = " in str(rolling_ball().statics())
