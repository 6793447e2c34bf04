"""The power of all forces, held against the energy: of every kind of element, by every integrator, in both formulations."""

import numpy as np
import pytest

import sharnir as sr
import zoo
from flexible_mechanisms import rod
from sharnir.dynamics.evaluation.power_balance import exchanges_energy
from sharnir.dynamics.evaluation.stabilization import keep_constraints
from sharnir.dynamics.memory import layout as L
from sharnir.flexible import Rayleigh
from sharnir.integrate import ALL_INTEGRATORS, integrate

LOW_ORDER = {"implicit-euler": 1e-2, "newmark": 1e-3, "hht": 1e-3, "generalized-alpha": 1e-3, "park": 1e-3}
EXCHANGING = ("forces", "joint forces", "prescribed", "moving base", "gears")


def residual(model, formulation="joint", integrator="dopri5", tolerance=1e-8, t_end=0.5, method="auto", step=None):
    """Largest E - W over a run, relative to the energy that moves."""
    s = model.compile(formulation=formulation, method=method)
    if s.constrained:
        keep_constraints(s, None, True, None)
    solution = integrate(
        s.problem(audited=True), s.y0, np.linspace(0, t_end, 26), integrator, rtol=tolerance, atol=1e-2 * tolerance, step=step
    )
    assert solution.success
    energies = s.observe_stored(solution.t, solution.y)
    total, work = energies.sum(axis=1), np.zeros(26) if solution.integrals is None else solution.integrals
    left = total - total[0] - work
    return np.abs(left).max() / max(energies[:, 0].max(), np.ptp(total), np.ptp(work))


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("name", EXCHANGING)
def test_work_of_all_kinds_of_forces_and_drives_is_the_change_of_energy(name, formulation):
    assert residual(zoo.model(name), formulation) < 1e-7


@pytest.mark.parametrize("method", ["composite", "direct", "lagrange1"])
def test_the_balance_does_not_depend_on_the_method(method):
    assert residual(zoo.model("prescribed"), method=method) < 1e-7


@pytest.mark.parametrize("integrator", ALL_INTEGRATORS)
def test_every_integrator_integrates_the_power_as_well_as_the_motion(integrator):
    adaptive = ALL_INTEGRATORS[integrator].adaptive
    given = {"tolerance": 1e-5} if adaptive else {"step": 0.002}
    assert residual(zoo.model("forces"), "joint", integrator, **given) < LOW_ORDER.get(integrator, 1e-4)


def test_the_residual_falls_with_the_tolerance():
    loose, tight = (residual(zoo.model("forces"), tolerance=tolerance) for tolerance in (1e-4, 1e-7))
    assert tight < 0.02 * loose


@pytest.mark.parametrize("integrator", ["dopri5", "abm", "radau5", "bdf", "newmark", "park"])
def test_the_motion_is_the_same_to_the_last_bit(integrator):
    s, grid = zoo.model("forces").compile(), np.linspace(0.0, 0.2, 11)
    a, b = (integrate(s.problem(audited=x), s.y0, grid, integrator, rtol=1e-5, atol=1e-7) for x in (True, False))
    assert np.array_equal(a.y, b.y) and a.stats["evaluations"] == b.stats["evaluations"]
    assert a.integrals is not None and b.integrals is None


def test_a_motion_with_wrong_accelerations_does_not_balance():
    """The power comes from forces and velocities of the state; equations that move otherwise, here with 1 % more mass, show."""
    m = sr.Model()
    m.add(sr.Body("b", mass=1), sr.Prismatic("x", "ground", "b", axis="x", q=1.0, stiffness=50.0, damping=0.2))
    s, other = m.compile(), m.compile()
    other.params[other.table[L.P_BODY] + L.MASS] *= 1.01
    solution = integrate(other.problem(audited=True), s.y0, np.linspace(0.0, 1.0, 26), rtol=1e-9, atol=1e-11)
    energy = s.observe_stored(solution.t, solution.y).sum(axis=1)
    assert np.abs(energy - energy[0] - solution.integrals).max() > 5e-3 * np.ptp(solution.integrals)


def rocket():
    m = sr.Model("rocket")
    m.add(sr.Body("rocket", mass=100, inertia=(50, 50, 5), angular_velocity=(0.3, 0.2, 1.0)))
    m.add(sr.Thrust("engine", "rocket", "3000*(1 - exp(-5*t))", exhaust_speed=2000, propellant=40, axis="z", at=(0, 0, -1)))
    return m


def test_mass_that_leaves_takes_its_energy_with_it():
    result = rocket().simulate(2.0)
    assert result.stats["energy_residual"] < 1e-6 * result.stats["energy_moved"]
    assert np.ptp(result["energy.total"]) > 1e3  # there is something to balance


@pytest.mark.parametrize("damping", [0.05, Rayleigh(1e-3, 0.0), Rayleigh(0.0, 3.0)])
def test_damping_of_flexible_bodies_counts(damping):
    """Material damping takes ẇᵀ D ẇ, that in proportion to mass β M of the whole motion."""
    m = sr.Model("rod")
    m.add(sr.FlexibleBody("rod", reduced=rod(damping=damping)), sr.Revolute("O", "ground", "rod:root", axis="y", v=3.0))
    result = m.simulate(0.05, tolerance=1e-7)
    assert np.ptp(result["energy.total"]) > 1e-5 * result.stats["energy_moved"]
    assert result.stats["energy_residual"] < 1e-6 * result.stats["energy_moved"]


def test_friction_by_reactions_and_contacts_take_what_they_take():
    m = sr.Model("brake")
    m.add(sr.Body("wheel", mass=2, inertia=(0.1, 0.1, 0.2)), sr.Revolute("axle", "ground", "wheel", axis="z", v=20.0))
    m.add(sr.JointFriction("bearing", "axle", coefficient=0.2, radius=0.05, preload=30.0))
    m.add(sr.Body("ball", mass=1, inertia=(0.004, 0.004, 0.004), position=(3, 0, 0.5)))
    m.add(sr.Contact("floor", "ground", "ball", sr.Plane(), sr.Sphere(0.1), law=sr.HuntCrossley(1e5, 0.5)))
    result = m.simulate(1.0)
    assert result.stats["energy_residual"] < 1e-6 * result.stats["energy_moved"]


def test_free_motion_needs_no_power():
    m = sr.Model()
    m.add(sr.Body("stone", mass=1, inertia=(1, 2, 3), angular_velocity=(1, 2, 3)))
    s = m.compile()
    assert not exchanges_energy(s.table) and s.problem(audited=True).balance is None
    assert m.simulate(2.0).stats["energy_residual"] < 1e-7
