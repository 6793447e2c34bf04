"""Rocket engines: closed forms of Tsiolkovsky, of a vertical ascent, of jet damping; the flow within a turning body."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.errors import ModelError

ENGINE = [name for name in ALL_METHODS if name != "symbolic"]  # which refuses tanks
BOTH = pytest.mark.parametrize("formulation", ["joint", "absolute"])


def rocket(gravity=(0, 0, 0), force=5000.0, jet_damping=True, parameters=None, **body):
    given = {"mass": 500, "inertia": (200, 200, 30), "position": (0, 0, 3)} | body
    m = sr.Model("rocket", gravity=gravity, parameters=parameters or {})
    if isinstance(force, str):
        m.add(sr.Signal("level", "1"))
    m.add(sr.Body("rocket", **given))
    engine = {"at": (0, 0, 0), "exhaust_speed": 2500, "propellant": 300, "tank_inertia": (60, 60, 10)}
    m.add(sr.Thrust("engine", "rocket", force, axis="z", jet_damping=jet_damping, **engine))
    return m


@BOTH
def test_tsiolkovsky(formulation):
    """Δv = c ln(m₀/m) without gravity, until the tank is empty; then nothing pushes."""
    m = rocket()
    if formulation == "absolute":
        m.add(sr.Body("star", mass=1, inertia=(1, 1, 1), position=(9, 0, 0)), sr.Fixed("pin", "ground", "star"))
    r = m.simulate(200.0, output=10.0, tolerance=1e-9, formulation=formulation)
    burnt = np.minimum(5000 / 2500 * r.t, 300)
    np.testing.assert_allclose(r["rocket.velocity"][:, 2], 2500 * np.log(500 / (500 - burnt)), rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(r["engine.propellant"], 300 - burnt, atol=1e-6)
    assert r["engine.thrust"][-1] == 0.0
    assert r["engine.flow"][0] == pytest.approx(2.0)
    np.testing.assert_allclose(r.energy.kinetic, 0.5 * (500 - burnt) * r["rocket.velocity"][:, 2] ** 2, rtol=1e-6, atol=1e-6)


def test_no_energy_comes_from_the_end_of_the_propellant():
    """Steps reach beyond it before it is located; what their states do there is neither motion nor work."""
    m = sr.Model("small rocket", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=2, inertia=(0.1, 0.1, 0.1)))
    m.add(sr.Thrust("e", "b", 34.3, axis="x", exhaust_speed=100, propellant=0.4371))
    r = m.simulate(2.0, step=0.1)
    assert r.trust.good
    assert r.stats["energy_residual"] < 1e-5
    assert r["b.velocity.x"][-1] == pytest.approx(100 * np.log(2 / (2 - 0.4371)), rel=1e-8)


def test_ascent_under_gravity():
    """v = c ln(m₀/m) - g t; the thrust may be a formula of time, signals and parameters."""
    m = rocket(gravity=(0, 0, -9.81), force="level*full", parameters={"full": 8000.0})
    r = m.simulate(50.0, output=5.0, tolerance=1e-9)
    expected = 2500 * np.log(500 / (500 - 3.2 * r.t)) - 9.81 * r.t
    np.testing.assert_allclose(r["rocket.velocity"][:, 2], expected, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("jet_damping", [True, False])
def test_jet_damping_of_a_tumbling_rocket(jet_damping):
    """About the fixed centre of mass J(t) ω̇ = μ (k² - l²) ω, k² = J_p/m_p, l: arm of the nozzle; without it ω is constant."""
    m = rocket(jet_damping=jet_damping, angular_velocity=(0.01, 0, 0))
    r = m.simulate(100.0, output=5.0, tolerance=1e-10)
    J, k2, l2 = 200 - 2.0 * r.t * 0.2, 60 / 300, 9.0
    expected = 0.01 * (J / 200) ** ((l2 - k2) / k2) if jet_damping else 0.01 * np.ones_like(r.t)
    np.testing.assert_allclose(r["rocket.angular_velocity"][:, 0], expected, rtol=1e-6, atol=1e-9)


@BOTH
def test_the_place_of_the_body_frame_does_not_matter(formulation):
    """The same rocket with its frame elsewhere tumbles alike; so the forces of the flow are right about any origin."""
    turning = {"angular_velocity": (0.05, 0.02, 0.1)}
    one = rocket(**turning).simulate(20.0, output=2.0, tolerance=1e-10)
    turn = sr.rotation_about((1, 2, 3), 0.7)
    R = np.array(sr.model.frames.rotation_matrix(turn))
    moved = rocket()
    inertia, tank = (R.T @ np.diag(x) @ R for x in ((200, 200, 30), (60, 60, 10)))
    place, middle = np.array([1.0, -2.0, 0.5]), np.array([0.0, 0.0, 3.0])
    six = tank[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    w = np.array(turning["angular_velocity"])
    moved._bodies["rocket"] = sr.Body(
        *("rocket", 500, tuple(R.T @ (middle - place)), inertia.tolist()),
        position=tuple(place),
        rotation=turn,
        velocity=tuple(np.cross(w, place - middle)),
        angular_velocity=tuple(w),
    )
    engine = {"at": (0, 0, 0), "exhaust_speed": 2500, "propellant": 300, "tank_inertia": tuple(six)}
    moved._forces["engine"] = sr.Thrust("engine", "rocket", 5000.0, axis="z", **engine)
    two = moved.simulate(20.0, output=2.0, tolerance=1e-10, formulation=formulation)
    np.testing.assert_allclose(one["rocket.angular_velocity"], two["rocket.angular_velocity"], atol=1e-8)
    np.testing.assert_allclose(one["system.center_of_mass"], two["system.center_of_mass"], atol=1e-5)


def test_spin_about_the_axis_is_kept():
    """A nozzle on the axis takes away the angular momentum of what it burns: k² of the propellant against none at the nozzle."""
    r = rocket(angular_velocity=(0, 0, 2.0)).simulate(100.0, output=10.0, tolerance=1e-10)
    J, k2 = 30 - 2.0 * r.t * 10 / 300, 10 / 300
    np.testing.assert_allclose(r["rocket.angular_velocity"][:, 2], 2.0 * (J / 30) ** ((0 - k2) / k2), rtol=1e-6)


def test_forces_of_the_flow_against_parcels():
    """Parcels on their way from the tank to the nozzle of a turning body: their Coriolis forces, summed, are F and M."""
    rng = np.random.default_rng(3)
    nozzle, tank, w = rng.normal(size=(3, 3))
    flow, n = 2.0, 4000
    way = nozzle - tank
    s = (np.arange(n) + 0.5) / n
    r = tank + s[:, None] * way
    parcel = flow / n  # one second from end to end
    coriolis = -2 * parcel * np.cross(w, np.tile(way, (n, 1)))
    F, M = coriolis.sum(axis=0), np.cross(r, coriolis).sum(axis=0)
    np.testing.assert_allclose(F, -2 * flow * np.cross(w, nozzle - tank), rtol=1e-10)
    exact = flow * (np.cross(tank, np.cross(w, tank)) - np.cross(nozzle, np.cross(w, nozzle)))
    np.testing.assert_allclose(M, exact - np.cross(w, flow * np.cross(tank, nozzle)), rtol=1e-6, atol=1e-9)


@BOTH
def test_a_body_in_a_mechanism_burns(formulation):
    """A cart on rails pushed by its engine, with a pendulum on it: both formulations agree, momentum of cart and jet is kept."""
    m = sr.Model(gravity=(0, 0, -9.81))
    m.add(sr.Body("cart", mass=20, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "cart", axis="x"))
    m.add(sr.Body("bob", mass=2, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1)))
    m.add(sr.Revolute("pin", "cart", "bob", at=(0, 0, 0), axis="y", q=0.3))
    m.add(sr.Thrust("engine", "cart", "100 + 20*sin(t)", axis="x", exhaust_speed=200, propellant=10))
    one = m.simulate(5.0, output=0.5, tolerance=1e-10)
    two = m.simulate(5.0, output=0.5, tolerance=1e-10, formulation=formulation, integrator="radau5")
    np.testing.assert_allclose(one["rail.q"], two["rail.q"], atol=1e-6)
    np.testing.assert_allclose(one["pin.q"], two["pin.q"], atol=1e-6)
    np.testing.assert_allclose(one["engine.propellant"], 10 - (100 * one.t + 20 * (1 - np.cos(one.t))) / 200, atol=1e-8)
    weight = -one["rail.reaction"][:, 2]
    mass = 10 + one["engine.propellant"]
    bob = 2 * (one["bob.acceleration"][:, 2] + 9.81)
    np.testing.assert_allclose(-weight, mass * 9.81 + bob, rtol=1e-6)


@pytest.mark.parametrize("closed", [False, True])
def test_all_methods_know_what_is_left_in_the_tank(closed):
    """Half-empty tanks give the same accelerations by all methods, and not those of full ones."""
    m = sr.Model(gravity=(0, -9.81, 0))
    m.add(sr.Body("crank", mass=2, inertia=(0.1, 0.3, 0.3), com=(0.2, 0.05, 0.02)))
    m.add(sr.Body("rod", mass=3, inertia=(0.5, 0.4, 0.6, 0.01, 0.02, -0.03), com=(0.2, 0.1, 0.05), position=(0.5, 0.4, 0)))
    m.add(sr.Body("slider", mass=1, inertia=(0.1, 0.1, 0.1), position=(1.3, 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="z", v=1.0))
    m.add(sr.Revolute("A", "crank", "rod", at=(0.5, 0.4, 0), axis="z"), sr.Ball("B", "rod", "slider", at=(1.3, 0, 0)))
    if closed:
        m.add(sr.Prismatic("rail", "ground", "slider", at=(1.3, 0, 0), axis="x"))
    tank = {"propellant": 1.0, "tank": (0.8, 0.2, 0.1), "tank_inertia": (0.01, 0.02, 0.03)}
    m.add(sr.Thrust("engine", "rod", 30.0, axis=(1, 0.3, 0.2), exhaust_speed=20, at=(0.9, 0.1, 0.1), **tank))
    found = {}
    for method in ENGINE:
        s = m.compile(method=method)
        full, half = s.y0.copy(), s.y0.copy()
        half[s.n_q + s.n_v :] *= 0.5
        speeds = slice(s.n_q, s.n_q + s.n_v)
        found[method] = [s.observe_rates(np.zeros(1), y[None])[0, speeds] for y in (half, full, half)]
    for now, before, again in found.values():
        exact = found["articulated"][0]
        np.testing.assert_allclose(now, exact, rtol=0, atol=1e-10 * np.abs(exact).max())
        np.testing.assert_allclose(again, now, rtol=0, atol=1e-10 * np.abs(exact).max())
        assert np.abs(now - before).max() > 1e-2 * np.abs(exact).max()


def test_staging_by_events():
    """A burnt-out stage is dropped: the rest goes on with its velocity and its own engine."""
    m = sr.Model(gravity=(0, 0, 0), parameters={"lit": 0.0})
    m.add(sr.Body("stage", mass=300, inertia=(100, 100, 10)), sr.Body("top", mass=100, inertia=(10, 10, 5), position=(0, 0, 3)))
    m.add(sr.Fixed("clamp", "stage", "top"))
    m.add(sr.Thrust("first", "stage", 3000, axis="z", exhaust_speed=2000, propellant=200))
    m.add(sr.Thrust("second", "top", "800*lit", axis="z", exhaust_speed=2000, propellant=50))
    m.add(sr.Event("burnout", "first.propellant < 1e-6", (sr.Release("clamp"), sr.SetParameter("lit", 1.0))))
    r = m.simulate(200.0, output=1.0, tolerance=1e-9)
    event, end = r.events
    assert end["name"] == "first burnout"  # the engine's own
    assert event["t"] == pytest.approx(200 * 2000 / 3000, rel=1e-6)
    dropped = 2000 * np.log(400 / 200)
    assert r["stage.velocity"][-1, 2] == pytest.approx(dropped, rel=1e-6)
    burnt = 0.4 * (200 - event["t"])
    assert r["top.velocity"][-1, 2] == pytest.approx(dropped + 2000 * np.log(100 / (100 - burnt)), rel=1e-6)


def test_what_is_wrong_is_said():
    with pytest.raises(ModelError, match="must be below the 200 kg of its body"):
        rocket(mass=200).compile()
    with pytest.raises(ModelError, match="negative moment of inertia"):
        rocket(inertia=(50, 50, 30)).compile()


def test_files_hold_engines(tmp_path):
    m = rocket(force="100*step(5 - t)")
    m.save(tmp_path / "m.toml")
    assert sr.Model.load(tmp_path / "m.toml") == m
