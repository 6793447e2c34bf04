"""Equilibria that are far from the drawn position: elastic coordinates are out of balance all the way there."""

import numpy as np
import pytest
from scipy.special import ellipe, ellipk

import sharnir as sr
from sharnir.dynamics.small_motions.frozen_elasticity import force_stiffness
from sharnir.dynamics.small_motions.linearization import linearize
from sharnir.flexible import Material, Section, beam_frame, reduce, straight_beam


def hanging(flexible, loop=False):
    """A fork on a hinge that falls by a quarter turn, with a bob on a ball joint and a spring between its far ends."""
    nodes = [[0, 0, 0], [0.3, 0, 0.1], [0.6, 0, 0], [0.3, 0.4, 0.1], [0.3, 0.4, 0.5]]
    frame = beam_frame(nodes, [[0, 1], [1, 2], [1, 3], [3, 4]], Section.tube(0.015, 0.013))
    m = sr.Model("hanging", gravity=(0.5, -1, -9.81))
    if flexible:
        m.add(sr.FlexibleBody("fork", reduced=reduce(frame, interfaces={"a": 0, "b": 2, "c": 4}, modes=0)))
    else:
        rigid = frame.rigid_inertia()
        m.add(sr.Body("fork", mass=rigid.mass, com=tuple(rigid.center), inertia=rigid.inertia))
    a, b, c = ("fork:a", "fork:b", "fork:c") if flexible else ("fork",) * 3
    m.add(sr.Revolute("hinge", "ground", a, at=(-0.05, 0.02, 0), axis=(0, 1, 0.3)))
    m.add(sr.Body("bob", mass=0.5, inertia=(1e-3, 2e-3, 3e-3), position=(1, 0, 0)), sr.Ball("ball", b, "bob", at=(0.65, 0, 0)))
    m.add(sr.Spring("spring", c, "bob", at_a=(0.3, 0.45, 0.5), at_b=(1.05, 0.03, 0.02), stiffness=300.0))
    if loop:
        m.add(sr.Body("rod", mass=0.2, inertia=(0.01, 0.01, 0.01), position=(0.3, 0.7, 0.5)))
        m.add(sr.Ball("near", c, "rod", at=(0.3, 0.4, 0.5)), sr.Ball("far", "ground", "rod", at=(0.3, 1.0, 0.5)))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_quarter_turn_away(formulation):
    rest, rigid = hanging(True).statics(formulation=formulation), hanging(False).statics()
    assert rest.stable
    assert rest["hinge.q"] > 1.0
    assert rest["hinge.q"] == pytest.approx(rigid["hinge.q"], abs=1e-3)
    assert np.sqrt(rest.stiffness[:4]) == pytest.approx(np.sqrt(rigid.stiffness[:4]), rel=0.02)


def test_a_loop_in_both_formulations():
    joint, absolute = (hanging(True, loop=True).statics(formulation=f) for f in ("joint", "absolute"))
    assert joint.stable
    assert absolute.stable
    assert joint["hinge.q"] == pytest.approx(absolute["hinge.q"], abs=1e-8)
    assert joint.stiffness[1:6] == pytest.approx(absolute.stiffness[1:6], rel=1e-5)


def test_stiffness_is_the_second_derivative_of_the_potential_energy():
    """Out of balance, for the angle of the hinge with every elastic coordinate; derivatives of accelerations differ there."""
    s = hanging(True).compile()
    linear = linearize(s, s.q0, np.zeros(s.n_v), at_rest=True)
    inverse = np.linalg.inv(linear.speed_basis)  # a tree: the basis is square
    hinge, elastic = s.speeds.index("hinge.v"), [k for k, name in enumerate(s.speeds) if ".xi." in name]
    places = [s.coordinates.index(s.speeds[k].replace(".xi.", ".w.")) for k in elastic]

    def potential(angle, place, w):
        y = linear.state.copy()
        y[s.coordinates.index("hinge.q")] += angle
        y[place] += w
        return s.observe_energy(np.zeros(1), y[None])[0][0, 1]

    h, w = 1e-2, 1e-3
    exact = [sum(a * b * potential(a * h, k, b * w) for a in (1, -1) for b in (1, -1)) / (4 * h * w) for k in places]
    forces, accelerations = force_stiffness(s, linear.state, 0.0, linear.speed_basis), linear.K
    largest = np.abs(exact).max()
    assert (inverse.T @ forces @ inverse)[hinge, elastic] == pytest.approx(exact, abs=1e-3 * largest)
    assert np.abs((inverse.T @ accelerations @ inverse)[hinge, elastic] - exact).max() > 0.1 * largest


def column(parts, force, stiffening=False, formulation="joint"):
    """End of a clamped rod of parts, L = EI = 1, that is pulled at its end; hardly any stretch and shear."""
    section = Section(area=1e3, Iy=1e-3, Iz=2e-3, J=2e-3)
    beam = straight_beam((0, 0, 0), (1 / parts, 0, 0), section, Material(1e3, 0.0, 1e-3), elements=2, theory="euler")
    part = reduce(beam, {"a": 0, "b": 2}, basis="static", stiffening=stiffening)
    m = sr.Model("column", gravity=(0, 0, 0))
    for i in range(parts):
        m.add(sr.FlexibleBody(f"p{i}", reduced=part, position=(i / parts, 0, 0)))
        m.add(sr.Fixed(f"weld{i}", "ground" if i == 0 else f"p{i - 1}:b", f"p{i}:a"))
    m.add(sr.Force("P", f"p{parts - 1}:b", force=force))
    system = m.compile(formulation)
    rest = system.equilibrium()
    assert rest.stable and rest.residual < 1e-6 * np.linalg.norm(force)
    return system.bodies(rest.q, rest.v)[f"p{parts - 1}:b"].position


@pytest.mark.filterwarnings("ignore:equilibrium of model")
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_load_that_bends_far_is_found_at_once(formulation):
    """The elastica at P L²/EI = 10, x/L = 0.4450, y/L = 0.8106; as drawn, the rod would not carry such a load across it."""
    four, eight = (column(parts, (0, 0, 10.0), formulation=formulation) for parts in (4, 8))
    assert eight + (eight - four) / 3 == pytest.approx([0.4450044, 0.0, 0.8106090], abs=6e-3)


@pytest.mark.filterwarnings("ignore:equilibrium of model")
def test_a_column_buckles_and_bends_far():
    """The clamped elastica whose end is turned by 60°: P = K(k)², x = 2 E/K - 1, y = 2 k/K with k = sin 30°."""
    k = 0.5
    K, E = ellipk(k * k), ellipe(k * k)
    rows = [column(parts, (-(K**2), 0, 0)) for parts in (6, 12)]
    six, twelve = (np.array([x, np.hypot(y, z)]) for x, y, z in rows)
    assert twelve + (twelve - six) / 3 == pytest.approx([2 * E / K - 1, 2 * k / K], abs=2e-3)
    assert abs(rows[1][1]) < 1e-9  # about the weak axis


@pytest.mark.filterwarnings("ignore:equilibrium of model")
def test_one_body_cannot_buckle_far_and_says_so():
    """Its shortening is quadratic, so nothing holds it beyond Euler's load π²/4; 1.6 times that needs 1.6 times its stiffness."""
    with pytest.raises(sr.SimulationError, match=r"bodies 1\.(59|6\d?) times as stiff there is one.*divide it into parts"):
        column(1, (-1.6 * np.pi**2 / 4, 0, 0), stiffening=True)


def test_bodies_that_are_bent_far_are_named():
    with pytest.warns(sr.RunWarning, match=r"FlexibleBody 'p0': a node moves by 0\.3\d* m.*10 % and 0.2 rad"):
        column(1, (0, 0, 1.0))
