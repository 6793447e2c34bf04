"""Forces without a closed form in derived code: contacts, groups, wheels, users' forces, against the engine."""

import math

import numpy as np
import pytest

import flexible_mechanisms
import sharnir as sr
import zoo
from random_mechanisms import add_touching, gusts, random_loop, random_tree
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.power_balance import WITH_BALANCE
from sharnir.dynamics.forces.force_records import register_force
from sharnir.dynamics.forces.spring import POTENTIAL, SPRING, spring_row
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import PLAIN

from ..test_derived_functions import call, difference
from ..test_random_mechanisms import conditioning

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")


class Cable(sr.Spring, listed=False):
    """A force of another package."""


register_force(Cable, spring_row, SPRING, POTENTIAL)
SEEDS = [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 40))]


def touching(m, seed):
    """A random mechanism with forces that have no closed form."""
    add_touching(m, np.random.default_rng(3000 + seed))
    return m


def outputs(system):
    """Numbers of all force elements: depths, forces, energies, …"""
    places = system.assembly.force_outputs
    counts = {name: system.model.forces[name].output_count for name in places}
    return np.concatenate([system.work[at : at + counts[name]] for name, at in places.items() if name in LEFT] or [np.zeros(0)])


NEAR_SINGULAR = {31}  # loops whose state is left to the engine
LEFT = ("touch", "press", "pile", "gusts", "wheel")


def compare(m, y, t, factor=1.0, near_singular=False, **options):
    """ẏ, power and outputs by derived code and by the engine at one state."""
    engine, system = m.compile(**options), m.compile(method="symbolic", **options)
    for x in (engine, system):
        x.table[L.F_BALANCE] = engine.derivative.address
    if engine.constrained:
        call(PROJECTION.address, engine, t, y, 8)
    wanted = call(WITH_BALANCE.address, engine, t, y, len(y) + 1)
    found = call(system.derived.balanced, system, t, y, len(y) + 1)
    assert np.isfinite(wanted).all()
    assert system.work[system.handed_over] == float(near_singular)
    assert difference(found[:-1], wanted[:-1]) < 1e-11 * factor
    assert abs(found[-1] - wanted[-1]) < 1e-10 * factor * max(1.0, np.abs(wanted).max())
    assert difference(outputs(system), outputs(engine)) < 1e-11 * factor
    return system


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_trees(seed):
    m = touching(random_tree(seed), seed)
    engine = m.compile()
    q, v = zoo.state(engine, seed)
    t, n_q = 0.3 + 0.01 * seed, engine.n_q
    system = compare(m, np.concatenate([q, v, engine.z0]), t)
    if engine.n_v:
        extended = m.compile(method="extended").accelerations(q, v, t)
        assert difference(system.accelerations(q, v, t), extended) < 1e-11
    assert any(name in m.forces for name in LEFT)
    assert n_q == system.n_q


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", SEEDS)
def test_loops(seed):
    formulation = "absolute" if seed % 4 == 3 else "joint"
    m = touching(random_loop(seed, formulation == "absolute"), seed)
    engine = m.compile(formulation)
    rng = np.random.default_rng(seed)
    y = engine.y0 + np.concatenate(
        [0.02 * rng.standard_normal(engine.n_q), rng.standard_normal(engine.n_v), np.zeros(engine.n_z)]
    )
    for k in engine.assembly.coordinates.quaternions:
        y[k : k + 4] /= np.linalg.norm(y[k : k + 4])
    call(PROJECTION.address, engine, 0.3, y, 8)
    compare(m, y, 0.3, max(1.0, conditioning(engine, y)), seed in NEAR_SINGULAR, formulation=formulation)


def test_flexible_bodies():
    """A contact at a node of a flexible body, and a user's force on it."""
    m = flexible_mechanisms.pendulum()
    tip = m.compile().tree.bodies[-1]
    m.add(sr.UserForce("gusts", (tip,), gusts))
    m.add(sr.Contact("touch", tip, "ground", shape_a=sr.Sphere(50.0), shape_b=sr.Plane(), law=sr.LinearLaw(1.0, 0.1)))
    engine = m.compile()
    q, v = flexible_mechanisms.state(engine, 2, turn=0.2, deformation=1e-3)
    compare(m, np.concatenate([q, v, engine.z0]), 0.3)


def hopper(**given):
    """A leg of two links with a foot above the floor, on a rail; springs in its joints, parameters for the ground."""
    m = sr.Model("hopper", parameters={"stiffness": 2e4, "mu": 0.6})
    m.add(sr.Body("hip", mass=2, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1)))
    m.add(sr.Body("thigh", mass=1, inertia=(0.02, 0.02, 0.02), position=(0, 0, 1), com=(0.2, 0, -0.15)))
    m.add(sr.Body("shin", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0.4, 0, 0.7), com=(-0.2, 0, -0.2)))
    m.add(sr.FreedomSequence("rail", "ground", "hip", freedoms=(sr.Translation("x"), sr.Translation("z")), v=(0.3, 0)))
    m.add(sr.Revolute("hip joint", "hip", "thigh", at=(0, 0, 1), axis="y", stiffness=400, damping=0.2))
    m.add(sr.Revolute("knee", "thigh", "shin", at=(0.4, 0, 0.7), axis="y", stiffness=400, damping=0.2))
    foot = sr.Sphere(0.05, center=(-0.4, 0, -0.4))
    law = sr.HuntCrossley("stiffness", damping=0.3)
    m.add(sr.Contact("foot", "shin", "ground", shape_a=foot, shape_b=sr.Plane(), law=law, friction=0.5))
    m.add(sr.Event("touch", when="foot.depth", direction="rising"), sr.Event("lift", when="foot.depth", direction="falling"))
    return m


def same_runs(m, until, channels, size=2e-6, **options):
    """Both runs, whose channels agree."""
    a, b = (m.simulate(until, tolerance=1e-9, method=method, **options) for method in ("articulated", "symbolic"))
    assert b.stats["method"] == "symbolic"
    assert b.stats["engine_evaluations"] == 0
    assert a.trust.good and b.trust.good
    for name in channels:
        np.testing.assert_allclose(b[name], a[name], atol=size * max(1.0, np.abs(a[name]).max()), err_msg=name)
    assert [e["name"] for e in a.events] == [e["name"] for e in b.events]
    np.testing.assert_allclose([e["t"] for e in b.events], [e["t"] for e in a.events], atol=1e-6)
    return a, b


def test_touch_and_lift_off():
    """Events of depth, energy, and outputs of the contact in the result."""
    _, b = same_runs(hopper(), 0.8, ("rail.q", "knee.q", "foot.depth"), 1e-5)
    assert {e["name"] for e in b.events} == {"touch", "lift"}
    assert b.stats["energy_residual"] < 1e-6
    assert np.ptp(b["foot.force"]) > 10.0


@pytest.mark.parametrize("integrator", ["radau5", "dop853"])
def test_integrators(integrator):
    """An implicit one takes differences: the engine's forces have no exact Jacobian."""
    same_runs(hopper(), 0.3, ("rail.q", "knee.q"), 1e-5, integrator=integrator)


def test_parameters():
    """Of contacts alone: the code is the same, the law has the other number."""
    system = hopper().compile(method="symbolic")
    other = system.with_parameters(stiffness=5e4)
    assert other.method == "symbolic"
    y = system.y0
    y[1], y[4] = -0.27, -1.0
    engine = hopper().with_parameters(stiffness=5e4).compile()
    wanted = call(engine.derivative.address, engine, 0.0, y, len(y))
    assert difference(call(other.derived.derivative, other, 0.0, y, len(y)), wanted) < 1e-11
    assert difference(call(system.derived.derivative, system, 0.0, y, len(y)), wanted) > 0.1


def car(**options):
    """A plate on two wheels, each driven, over a floor; grip falls by an event."""
    m = sr.Model("car", parameters={"mu": 0.9})
    m.add(sr.Body("plate", mass=20, inertia=(1, 2, 2), position=(0, 0, 0.3)))
    freedoms = (sr.Translation("x"), sr.Translation("z"), sr.Rotation("y"))
    m.add(sr.FreedomSequence("move", "ground", "plate", freedoms=freedoms, v=(1.0, 0, 0)))
    tyre, law = sr.BrushTyre(2000, 1500, friction=0.8), sr.LinearLaw(2e5, 600)
    m.add(sr.Integral("u", "1 - 2*u"))
    for k, x in enumerate((-0.6, 0.6)):
        m.add(sr.Body(f"w{k}", mass=2, inertia=(0.05, 0.1, 0.05), position=(x, 0, 0.3)))
        m.add(sr.Revolute(f"axle{k}", "plate", f"w{k}", at=(x, 0, 0.3), axis="y", v=3.0, torque="5 - v/20"))
        m.add(sr.Wheel(f"tyre{k}", f"w{k}", radius=0.3, law=law, tyre=tyre, grip="mu", resistance="0.01*(1 + u)"))
    m.add(sr.Event("ice", when="move.q.x - 0.3", actions=sr.SetParameter("mu", 0.3)))
    return m


def test_wheels_with_signals_and_parameters_that_change():
    _, b = same_runs(car(), 0.6, ("move.q", "axle0.v", "tyre1.load"), 1e-5)
    assert [e["name"] for e in b.events] == ["ice"]
    assert b.stats["energy_residual"] < 1e-6


def test_release_within_a_run():
    """A ball on an arm that lets go, falls and touches the floor: the structure changes, code is made again."""
    m = sr.Model("drop")
    m.add(sr.Body("arm", mass=1, inertia=(0.1, 0.1, 0.1), com=(0.3, 0, 0), position=(0, 0, 0.6)))
    m.add(sr.Body("ball", mass=0.4, inertia=(1e-3,) * 3, position=(0.6, 0, 0.6)))
    m.add(sr.Revolute("hinge", "ground", "arm", at=(0, 0, 0.6), axis="y"), sr.Fixed("hand", "arm", "ball", at=(0.6, 0, 0.6)))
    law = sr.HuntCrossley(1e4, damping=0.3)
    m.add(sr.Contact("touch", "ball", "ground", shape_a=sr.Sphere(0.05), shape_b=sr.Plane(), law=law, friction=0.3))
    m.add(sr.Event("lets go", when="hinge.q - 0.5", actions=sr.Release("hand")))
    _, b = same_runs(m, 0.7, ("ball.position", "hinge.q"), 1e-5)
    assert len(b.events) == 1
    assert b["touch.force"].max() > 1.0


def test_forces_from_outside_see_all_bodies():
    """A class of another package may know bodies that it does not name."""
    m = random_tree(3)
    first, *_, last = m.bodies
    m.add(Cable("cable", first, "ground", stiffness=20.0, length=0.3))
    engine = m.compile()
    q, v = zoo.state(engine, 3)
    system = compare(m, np.concatenate([q, v, engine.z0]), 0.3)
    assert system.derived.derivation.left.foreign == ["cable"]
    assert last != first


def test_derivatives_are_refused_by_name():
    system = hopper().compile(method="symbolic")
    with pytest.raises(sr.ModelError, match="Contact 'foot' has no closed form, and so no derivatives"):
        system.derivatives()
    assert math.isfinite(system.accelerations(system.q0, system.v0)[0])


def test_long_runs_go_over_by_themselves():
    a, b = (hopper().simulate(20.0, tolerance=1e-6, method=method) for method in ("articulated", "auto"))
    assert 0.0 < b.stats["symbolic_from"] < 20.0
    early = a.t < 2.0
    np.testing.assert_allclose(b["rail.q"][early], a["rail.q"][early], atol=1e-4)
