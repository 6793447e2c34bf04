"""The landing gear: momentum, energy, its elastic housing against the whole FE model, and what an engineer would expect."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sharnir.app.demos.vehicles import landing_gear as gear
from sharnir.results import Result

P = gear.PARAMETERS


@cache
def touchdown() -> Result:
    return gear.model().simulate(**(gear.LANDING_GEAR.settings | {"step": 5e-4}))


def weight() -> float:
    return 9.81 * sum(body.mass for body in gear.model().bodies.values())


def lift(t: np.ndarray) -> np.ndarray:
    return weight() * np.interp(t, (0.0, 0.2, 0.5), (1.0, 1.0, 0.3))


def test_impulse_is_the_change_of_momentum():
    r = touchdown()
    change = r["system.momentum"][-1] - r["system.momentum"][0]
    assert abs(np.trapezoid(r["tyre"] + lift(r.t) - weight(), r.t) - change[2]) < 1e-5 * change[2]
    assert abs(np.trapezoid(-r["drag"], r.t) - change[0]) < 1e-4 * abs(change[0])
    # the impulse of the drag spins the wheels up: their angular momentum over the rolling radius
    spin = 11.0 * r["wheels.angular_velocity"][-1, 1]
    assert abs(np.trapezoid(r["drag"] * (gear.RADIUS - r["deflection"] / 3), r.t) - spin) < 1e-4 * spin
    assert abs(r["slip"][-1]) < 0.5  # and they roll


def test_energy_goes_where_forces_do_work():
    r, v = touchdown(), touchdown()["oleo.rate"]
    housing = gear.model().bodies["housing"].reduced
    q, rate = r["slide.q"], r["slide.v"]
    spring = np.maximum(0.0, -P["ks"] * q)
    stop = np.where(q < 0, np.maximum(0.0, -P["ks"] * q - P["ds"] * rate), 0.0) - spring
    power = {
        "lift": lift(r.t) * r["aircraft.velocity"][:, 2],
        "tyre": r["tyre"] * r["wheels.velocity"][:, 2],
        "drag": -r["drag"] * r["wheels.velocity"][:, 0],
        "spin": (gear.RADIUS - r["deflection"] / 3) * r["drag"] * r["wheels.angular_velocity"][:, 1],
        "orifice": -np.where(v < 0, P["cc"], P["cr"]) * np.abs(v) ** 3,
        "stop": stop * rate,
        "material": -np.einsum("ti,ij,tj->t", r["housing.xi"], housing.damping, r["housing.xi"]),
    }
    work = {name: np.trapezoid(values, r.t) for name, values in power.items()}
    assert work["orifice"] < -20e3 and work["spin"] > 80e3 and work["material"] < -10.0
    assert abs(sum(work.values()) - (r.energy.total[-1] - r.energy.total[0])) < 1e-4 * r.energy.kinetic.max()


def test_loads_are_those_of_a_regional_aircraft():
    r = touchdown()
    assert 1.2 < r["tyre"].max() / weight() < 2.0  # reaction factor of a main gear
    assert 0.25 < r["slide.q"].max() < P["L0"] - 0.05  # most of the stroke, without bottoming
    assert 0.4 < r["drag"].max() / r["tyre"].max() < 0.8
    closing = r.t <= r.t[r["slide.q"].argmax()]
    taken = np.trapezoid((r["oleo.force"] * r["oleo.rate"])[closing], r.t[closing])
    efficiency = taken / (-r["oleo.force"].min() * r["slide.q"].max())
    assert 0.65 < efficiency < 0.95  # of an oleo-pneumatic strut
    assert -r["oleo.force"][-1] == pytest.approx(r["tyre"][-1], rel=0.1)


def test_displacements_are_those_of_the_whole_fe_model_under_the_same_loads():
    """At the largest load the housing, far stiffer than the strut, is nearly at rest in itself: K u = f with its front held."""
    from scipy.sparse.linalg import spsolve

    r, fe = touchdown(), gear.housing()
    k = int(np.argmin(np.abs(r.t - gear.largest_load(r))))
    force = np.zeros(fe.size)
    for name, label in gear.NODES.items():
        force[fe.freedoms_of(fe.node(label))] = r[f"housing:{name}.force"][k]
    held = fe.freedoms_of(fe.node(gear.NODES["front"]))
    force -= fe.mass @ (fe.rigid_motions()[:, :3] @ r["aircraft.acceleration"][k])
    free = np.setdiff1d(np.arange(fe.size), held)
    u = np.zeros(fe.size)
    u[free] = spsolve(fe.stiffness[free][:, free].tocsc(), force[free])
    shifts = (fe.node_motion() @ u).reshape(-1, 6)[:, :3]
    found = r.displacements("housing", r.t[k])
    assert np.abs(found - shifts).max() < 0.02 * np.abs(shifts).max() and np.abs(shifts).max() > 5e-3


@pytest.mark.slow
def test_more_modes_and_a_tighter_tolerance_change_little():
    settings = gear.LANDING_GEAR.settings | {"t_end": 0.06, "step": 1e-3}
    names = ("tyre", "drag", "oleo.force", "housing.largest_displacement")

    def peaks(modes: int, tolerance: float = 1e-5) -> np.ndarray:
        r = gear.model(modes).simulate(**(settings | {"tolerance": tolerance}))
        return np.array([np.abs(r[name]).max() for name in names])

    demo = peaks(10)
    coarse, finer = np.abs(peaks(0) / demo - 1), np.abs(peaks(20) / demo - 1)
    assert finer.max() < 1e-3 and coarse.max() < 1e-2
    assert np.abs(peaks(10, 1e-7) / demo - 1).max() < 1e-4
