"""Energy and momentum: kept where they must be, changed by exactly the power and the forces where not."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
import zoo
from agree.test_kinematics import STENCIL, moved

CONSERVATIVE = [name for name in zoo.ZOO if name.startswith(("tree", "one", "chain"))] + [
    "humanoid",
    "floating",
    "bush",
    "rotors",
]


@pytest.mark.parametrize("name", [name for name in CONSERVATIVE if name != "one FreedomSequence"])
def test_energy_is_kept(name):
    result = zoo.model(name).simulate(0.3, tolerance=1e-12, method="articulated")
    E = result.energy
    assert np.ptp(E.total) < 1e-8 * (np.abs(E.kinetic).max() + np.abs(E.potential).max())
    assert np.ptp(E.kinetic) > 1e-3


def elastic(element, **joint):
    """A body on a joint with something elastic, no dampers: all its energy must stay."""
    rng = np.random.default_rng(3)
    m = sr.Model(gravity=(0, 1, -5))
    m.add(zoo.body(rng, "a"), zoo.body(rng, "b"))
    m.add(sr.Universal("A", "ground", "a", axis="x", axis2="y", at=(0, 0, 0), v=(1, 2)))
    m.add(sr.Ball("B", "a", "b", at=(0.3, 0.1, 0), v=(3, -1, 2), **joint))
    m.add(*element)
    return m


TABLE = sr.Table((-2, -1, 0, 1, 2), (-9, -2, 0, 2, 8), kind="cubic", outside="extend")
ELASTIC = {
    "spring": elastic([sr.Spring("s", "ground", "b", at_a=(0, 0, 1), at_b=(0.5, 0.5, 0), stiffness=50, length=0.4)]),
    "spring formula": elastic([sr.Spring("s", "a", "b", at_a=(0, 1, 0), force="20*x + 5*x^3 + 3*sin(x)")]),
    "spring table": elastic([sr.Spring("s", "ground", "b", at_a=(0, 1, 0), force=TABLE)]),
    "bushing": elastic(
        [sr.Bushing("s", "a", "b", at=(0, 0.2, 0.3), rotation=(0.9, 0.1, 0.4, 0.1), stiffness=(40, 50, 60, 9, 4, 6))]
    ),
    "bushing preload": elastic(
        [sr.Bushing("s", "ground", "b", at=(0, 0, 0), stiffness=(9, 9, 9, 1, 2, 3), preload=(1, 2, 3, 0, 0, 0))]
    ),
    "torsion": elastic([sr.TorsionSpring("s", "A", stiffness=9, angle=0.4, torque="-2*q^3", freedom=1)]),
    "joint force": elastic([sr.JointForce("s", "A", "3*cos(q)"), sr.JointForce("c", "A", 2.0, freedom=1)]),
    "ball": elastic([], stiffness=7.0),
}


@pytest.mark.parametrize("name", ELASTIC)
def test_elastic_energy_is_kept(name):
    result = ELASTIC[name].simulate(1.0, tolerance=1e-12)
    E = result.energy
    assert np.ptp(E.potential) > 0.1
    assert np.ptp(E.total) < 1e-9 * np.ptp(E.potential)


KINKS = {
    "table": (sr.Table((-2, -0.3, 0, 0.1, 0.5, 2), (8, 1, 0, -1, -1.5, -9)), None),
    "outside a table": (sr.Table((-0.2, 0.3), (1, -2), outside="extend"), None),
    "stop": ("-if(q > 0.2, 50*(q - 0.2), 0)", lambda q: 25 * max(q - 0.2, 0) ** 2),
    "jump": ("-3*step(q - 0.25)", lambda q: 3 * max(q - 0.25, 0)),
    "exponential stop": ("-exp(40*(q - 0.5))", lambda q: (np.exp(40 * (q - 0.5)) - np.exp(-20)) / 40),
    "not a number": ("sqrt(q - 5)", lambda q: np.nan),
}


@pytest.mark.parametrize("name", KINKS)
def test_potential_of_functions_with_kinks(name):
    """Energy is a check of a run, so it must not be worse than the run where a characteristic has corners."""
    from scipy.integrate import quad

    function, exact = KINKS[name]
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x", q=0.1, torque=function))
    s = m.compile(method="articulated")
    for q in np.linspace(-1.0, 1.0, 23):
        if exact is None:
            knots = [x for x in function.x if 0 < abs(x) < abs(q) and x * q > 0]
            expected = -quad(function.evaluate, 0, q, points=knots or None, epsabs=1e-13)[0]
        else:
            expected = exact(q)
        assert s.energy([q], [0.0]).potential == pytest.approx(expected, rel=1e-8, abs=2e-9, nan_ok=True)


@pytest.mark.parametrize("name", [*ELASTIC, "joint forces"])
def test_forces_are_gradients_of_the_potential(name):
    """Generalized forces at rest against differences of the potential energy; at several positions, turned far among them."""
    s = ELASTIC[name].compile(method="articulated") if name in ELASTIC else undamped().compile(method="articulated")
    for seed in range(4):
        q, _ = zoo.state(s, seed, spread=1.5)
        rest = np.zeros(s.n_v)
        # M v̇ + h = elements; with elements=True they are subtracted: at v̇ = 0 what remains is h - elements, gravity in h
        force = -s.inverse_dynamics(q, rest, rest)
        for k, e in enumerate(np.eye(s.n_v)):
            V = [s.energy(moved(s, q, e, 1e-3 * x), rest).potential for x in range(-3, 4)]
            assert force[k] == pytest.approx(-(STENCIL @ V) / 1e-3, rel=1e-7, abs=1e-7)


def undamped():
    """Springs of all kinds in joints; drives that depend on time or speed have no potential and are left out."""
    import dataclasses

    m = sr.Model("undamped", gravity=(0, 0, -9))
    m.add(*zoo.model("joint forces").bodies.values())
    m.add(*(dataclasses.replace(j, damping=0.0, torque=0.0) for j in zoo.model("joint forces").joints.values()))
    return m


@pytest.mark.parametrize("name", ["forces", "joint forces", "gears", "tree 2"])
def test_power_of_all_forces(name):
    """d(T + V_gravity)/dt = v · (M v̇ + h): what passes into the system is what its elements do."""
    method = zoo.methods(name)[0]
    m, h, mid = zoo.model(name), 1e-3, 0.3
    times = mid + h * np.arange(-3, 4)
    s = zoo.system(name, method)
    result = m.simulate(times[-1], output=times, tolerance=1e-13, method=method)
    from agree.test_reactions import final_state

    bare = sr.Model("bare", m.gravity)  # the same bodies and joints: its potential is that of gravity alone
    bare.add(*m.bodies.values())
    import dataclasses

    bare.add(*(dataclasses.replace(j, stiffness=0.0, torque=0.0, damping=0.0) for j in m.joints.values()))
    b = bare.compile(method=method)
    E, power = [], 0.0
    for k in range(7):
        row = _Row(result, k - 7)
        q, v = final_state(s, row)
        E.append(b.energy(q, v).total)
        if k == 3:
            power = v @ s.inverse_dynamics(q, v, s.accelerations(q, v, times[3]), times[3], elements=False)
    assert STENCIL @ E / h == pytest.approx(power, rel=1e-7, abs=1e-7)


class _Row:
    """A result whose last row is another one."""

    def __init__(self, result, k):
        self.result, self.k = result, k

    def __getitem__(self, name):
        return self.result[name][self.k][None]


def test_power_of_single_dampers():
    """A damper takes c ẋ², a force gives F · v: written out for one element of each kind."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=2, inertia=(1, 2, 2.5), com=(0.1, 0.2, 0), velocity=(1, 2, 0), angular_velocity=(1, 0, 2)))
    m.add(sr.Spring("s", "ground", "a", at_a=(1, 1, 1), stiffness=9, damping=0.7, length=0.5))
    m.add(sr.Force("f", "a", (1, 2, "3*t"), at=(0.5, 0, 0)), sr.Torque("m", "a", (0, 1, 0), axes="body"))
    h, mid = 1e-3, 0.4
    times = mid + h * np.arange(-3, 4)
    result = m.simulate(times[-1], output=times, tolerance=1e-13)
    from agree.by_hand import quaternion_matrix

    R = quaternion_matrix(result["a.rotation"][-4])
    v, w = result["a.velocity"][-4], result["a.angular_velocity"][-4]
    power = -0.7 * result["s.rate"][-4] ** 2
    power += np.array([1, 2, 3 * mid]) @ (v + np.cross(w, R @ np.array([0.5, 0, 0]))) + (R @ np.array([0, 1, 0])) @ w
    assert STENCIL @ result.energy.total[-7:] / h == pytest.approx(power, rel=1e-8)


@pytest.mark.parametrize("g", [(0, 0, 0), (1, -2, -9)])
def test_momentum_of_what_touches_nothing(g):
    """P grows by m g t, H about the centre of mass stays; inner springs and joints change neither."""
    rng = np.random.default_rng(9)
    m = sr.Model(gravity=g)
    for i, kind in enumerate((sr.Free, sr.Ball, sr.Revolute, sr.Planar, sr.Screw)):
        m.add(zoo.body(rng, f"b{i}"))
        m.add(zoo.joint(kind, rng, f"j{i}", "ground" if i == 0 else f"b{i - 1}", f"b{i}", at=rng.uniform(-0.5, 0.5, 3)))
    m.add(
        sr.Spring("s", "b0", "b4", stiffness=20, damping=1),
        sr.Bushing("c", "b1", "b3", (0, 0, 0), stiffness=(9,) * 6, damping=(1,) * 6),
    )
    m.add(sr.TorsionSpring("t", "j2", stiffness=4, damping=0.5))
    result = m.simulate(1.0, tolerance=1e-11)
    t, mass = result.t[:, None], sum(b.mass for b in m.bodies.values())
    P, H, c = (result[f"system.{key}"] for key in ("momentum", "angular_momentum", "center_of_mass"))
    assert pytest.approx(P[0] + mass * np.array(g) * t, abs=1e-8) == P
    assert c == pytest.approx(c[0] + P[0] / mass * t + 0.5 * np.array(g) * t**2, abs=1e-8)
    about_c = H - np.cross(c, P)
    assert about_c == pytest.approx(np.broadcast_to(about_c[0], H.shape), abs=1e-8)
    assert np.ptp(result.energy.total) > 1e-3


def test_energy_of_bodies_by_hand():
    """½ m v_c² + ½ ω J ω - m g · r_c from user-visible numbers."""
    s = zoo.system("tree 4")
    q, v = zoo.state(s, 1)
    E, states = s.energy(q, v), s.bodies(q, v)
    from agree.by_hand import quaternion_matrix

    T = V = 0.0
    for name, body in s.model.bodies.items():
        b = states[name]
        R = quaternion_matrix(b.rotation)
        c = R @ np.array(body.com)
        w = b.angular_velocity
        vc = b.velocity + np.cross(w, c)
        T += 0.5 * body.mass * vc @ vc + 0.5 * w @ R @ np.array(body.inertia_matrix) @ R.T @ w
        V -= body.mass * np.array(s.model.gravity) @ (b.position + c)
    assert (E.kinetic, E.potential) == pytest.approx((T, V), rel=1e-12)
    assert E.mass == pytest.approx(sum(body.mass for body in s.model.bodies.values()))
