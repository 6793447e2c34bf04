"""Motors with their curves, drag, gravity of a central body: closed forms and independent integrations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sharnir as sr
from sharnir.errors import ModelError
from sharnir.model.files.model_file import run_from_text, text_of

FORMULATIONS = ("joint", "absolute")
MU, R0, J2, RADIUS = 3.986004418e14, 7.0e6, 1.08263e-3, 6.378137e6


def rotor(**motor):
    m = sr.Model("rotor")
    m.add(sr.Body("disc", mass=1, inertia=(0.1, 0.1, 0.2)), sr.Revolute("O", "ground", "disc", axis="z"))
    m.add(sr.Motor("motor", "O", **motor))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_motor_runs_up_along_its_curve(formulation):
    """J v̇ = n η T₀ (1 - n v/w₀): an exponential."""
    m = rotor(torque="2*(1 - v/300)", ratio=10, efficiency=0.8)
    r = m.simulate(1.0, output=0.1, tolerance=1e-10, formulation=formulation)
    rate = 10 * 0.8 * 2 * 10 / 300 / 0.2
    assert r["O.v"] == pytest.approx(30 * (1 - np.exp(-rate * r.t)), abs=1e-8)
    assert r["motor.speed"] == pytest.approx(10 * r["O.v"], rel=1e-12)
    assert r["motor.torque"][0] == pytest.approx(16.0)


def test_the_curve_limits_a_command():
    curve = sr.Table((0, 100, 200), (3.0, 3.0, 0.5))
    r = rotor(torque=curve, command="20*sin(6*t)").simulate(2.0, output=0.01, tolerance=1e-8)
    most, wanted = curve.evaluate(np.abs(r["motor.speed"])), 20 * np.sin(6 * r.t)
    assert r["motor.torque"] == pytest.approx(np.clip(wanted, -most, most), abs=1e-9)
    assert r["motor.power"] == pytest.approx(r["motor.torque"] * r["O.v"], abs=1e-9)


def test_a_linear_motor_in_a_loop_obeys_a_signal():
    m = sr.Model("slider")
    m.add(sr.Body("car", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Prismatic("P", "ground", "car", axis="x"))
    m.add(sr.Signal("error", "1 - P.q"), sr.Motor("motor", "P", torque=30.0, command="40*error - 10*v"))
    a, b = (m.simulate(3.0, output=0.1, tolerance=1e-9, formulation=f) for f in FORMULATIONS)
    assert a["P.q"][-1] == pytest.approx(1.0, abs=1e-2)
    assert np.abs(a["P.q"] - b["P.q"]).max() < 1e-7
    assert np.abs(a["motor.torque"]).max() == pytest.approx(30.0)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_terminal_speed(formulation):
    m = sr.Model("stone")
    m.add(sr.Body("stone", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Drag("air", "stone", area=0.05, coefficient=0.9, density=1.2))
    r = m.simulate(10.0, output=0.5, tolerance=1e-10, formulation=formulation)
    end = np.sqrt(2 * 2 * 9.81 / (1.2 * 0.9 * 0.05))
    assert r["stone.velocity"][:, 2] == pytest.approx(-end * np.tanh(9.81 * r.t / end), rel=1e-8, abs=1e-9)
    assert r["air.force"][-1, 2] == pytest.approx(2 * 9.81 * np.tanh(98.1 / end) ** 2, rel=1e-7)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    "given", [{"linear": 0.6}, {"linear": "0.6 + 0*h"}, {"area": 2.0, "coefficient": "0.5/max(x, 1e-9)", "density": 1.2}]
)
def test_projectile_with_linear_drag(formulation, given):
    """r = (v₀ - g/k)(1 - e^(-kt))/k + g t/k, k = 0.6/m, g a vector, velocities relative to the wind; it starts from rest, too."""
    m = sr.Model("stones")
    starts = ((30.0, 5.0, 40.0), (0.0, 0.0, 0.0))
    for i, v in enumerate(starts):
        m.add(sr.Body(f"stone{i}", mass=2, inertia=(0.1, 0.1, 0.1), velocity=v))
        m.add(sr.Drag(f"air{i}", f"stone{i}", wind=(0, 3, 0), **given))
    r = m.simulate(8.0, output=0.5, tolerance=1e-10, formulation=formulation)
    k, g, wind, t = 0.3, np.array([0, 0, -9.81]), np.array([0, 3.0, 0]), r.t[:, None]
    for i, v in enumerate(starts):
        exact = wind * t + (v - wind - g / k) * (1 - np.exp(-k * t)) / k + g / k * t
        assert r[f"stone{i}.position"] == pytest.approx(exact, abs=1e-6)
        assert r[f"air{i}.force"] == pytest.approx(-0.6 * (r[f"stone{i}.velocity"] - wind), abs=1e-9)


def test_a_ball_sinks_in_oil_with_both_drags():
    """m v̇ = m g - k v - c v²: v = b tanh(β t + φ) - k/(2c), by partial fractions."""
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Drag("oil", "ball", 0.05, 0.8, density=900, linear=3.0))
    r = m.simulate(2.0, output=0.1, tolerance=1e-11)
    c, k = 0.5 * 900 * 0.8 * 0.05, 3.0
    b = np.sqrt(k * k / (4 * c * c) + 2 * 9.81 / c)
    exact = b * np.tanh(b * c / 2 * r.t + np.arctanh(k / (2 * c * b))) - k / (2 * c)
    assert -r["ball.velocity"][:, 2] == pytest.approx(exact, abs=1e-8)


def test_drag_of_mach_number_height_and_wind():
    m = sr.Model("shell")
    m.add(sr.Body("shell", mass=40, inertia=(1, 1, 1), velocity=(500, 0, 500)))
    curve = sr.Table((0, 0.8, 1.1, 3), (0.15, 0.16, 0.4, 0.28), kind="cubic")
    m.add(
        sr.Drag("air", "shell", 0.02, curve, density="1.225*exp(-h/8500)", sound="340 - 0.004*h", wind=(0, "10*sin(t)", 0)),
    )
    r = m.simulate(20.0, output=1.0, tolerance=1e-10)

    def rates(t, y):
        u = y[3:] - np.array([0, 10 * np.sin(t), 0])
        s, h = np.linalg.norm(u), y[2]
        a = -0.5 * 1.225 * np.exp(-h / 8500) * float(curve.evaluate(s / (340 - 0.004 * h))) * 0.02 * s * u / 40
        return [*y[3:], *(a + np.array([0, 0, -9.81]))]

    exact = solve_ivp(rates, (0, 20), [0, 0, 0, 500, 0, 500], rtol=1e-10, atol=1e-9, t_eval=r.t).y
    assert np.abs(r["shell.position"] - exact[:3].T).max() < 1e-3


def satellite(inertia, position, velocity, **gravity):
    m = sr.Model("satellite", gravity=(0, 0, 0))
    m.add(sr.Body("sat", mass=100, inertia=inertia, position=position, velocity=velocity, com=gravity.pop("com", (0, 0, 0))))
    m.add(sr.CentralGravity("earth", MU, **gravity))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_kepler_orbit(formulation):
    """One period of an ellipse brings it back; energy and angular momentum stay."""
    speed = 1.1 * np.sqrt(MU / R0)
    m = satellite((1e-3, 1e-3, 1e-3), (R0, 0, 0), (0, speed, 0))
    a = 1 / (2 / R0 - speed**2 / MU)
    r = m.simulate(2 * np.pi * np.sqrt(a**3 / MU), output=100.0, tolerance=1e-11, formulation=formulation)
    end = m.simulate(2 * np.pi * np.sqrt(a**3 / MU), output=2 * np.pi * np.sqrt(a**3 / MU), tolerance=1e-11)
    assert np.abs(end["sat.position"][-1] - (R0, 0, 0)).max() < 1.0
    energy = r["energy.total"]
    assert np.abs(energy - energy[0]).max() < 1e-9 * abs(energy[0])
    assert energy[0] == pytest.approx(-MU * 100 / (2 * a), rel=1e-9)


def test_nodes_precess_by_flattening():
    """Ω̇ = -3/2 n J2 (R/p)² cos i, over ten nearly circular orbits."""
    i, n = 0.9, np.sqrt(MU / R0**3)
    v = np.sqrt(MU / R0)
    m = satellite((1e-3, 1e-3, 1e-3), (R0, 0, 0), (0, v * np.cos(i), v * np.sin(i)), J2=J2, radius=RADIUS)
    span = 10 * 2 * np.pi / n
    r = m.simulate(span, output=span / 200, tolerance=1e-10)
    h = np.cross(r["sat.position"], r["sat.velocity"])
    node = np.unwrap(np.arctan2(h[:, 0], -h[:, 1]))
    slope = np.polyfit(r.t, node, 1)[0]
    assert slope == pytest.approx(-1.5 * n * J2 * (RADIUS / R0) ** 2 * np.cos(i), rel=5e-3)
    assert np.abs(r["energy.total"] / r["energy.total"][0] - 1).max() < 1e-9


def test_gravity_gradient_libration():
    """Pitch of a satellite on a circular orbit: ω = n √(3 (I_y' - I_x')/I_z'), long axis along the radius."""
    n = np.sqrt(MU / R0**3)
    m = sr.Model("satellite", gravity=(0, 0, 0))
    inertia = (10.0, 50.0, 55.0)
    m.add(
        sr.Body(
            "sat",
            mass=100,
            inertia=inertia,
            position=(R0, 0, 0),
            rotation=sr.rotation_about("z", 0.01),
            velocity=(0, np.sqrt(MU / R0), 0),
            angular_velocity=(0, 0, n),
        )
    )
    m.add(sr.CentralGravity("earth", MU))
    period = 2 * np.pi / (n * np.sqrt(3 * (50.0 - 10.0) / 55.0))
    r = m.simulate(period, output=period / 2, tolerance=1e-10)
    w, z = r["sat.rotation"][:, 0], r["sat.rotation"][:, 3]
    p = r["sat.position"]
    lean = 2 * np.arctan2(z, w) - np.arctan2(p[:, 1], p[:, 0])
    lean = (lean + np.pi) % (2 * np.pi) - np.pi
    assert lean == pytest.approx([0.01, -0.01, 0.01], abs=2e-5)


def test_forces_are_slopes_of_the_energy():
    """Potential by differences, over position and attitude, with an offset centre of mass and flattening; both bodies move."""
    m = sr.Model("pair", gravity=(0, 0, 0))
    m.add(sr.Body("planet", mass=50, inertia=(4, 5, 6), com=(0.1, 0.2, 0.3), position=(1, 2, 3)))
    m.add(
        sr.Body(
            "moon", mass=3, inertia=(0.4, 0.5, 0.6, 0.05, 0.02, 0), com=(0.3, -0.2, 0.1), position=(6, 4, 2), velocity=(-4, 9, 6)
        )
    )
    m.add(sr.CentralGravity("g", 900.0, body="planet", center=(0.2, 0.1, 0), J2=0.1, radius=2.0, axis=(1, 2, 2)))
    s = m.compile()
    rng = np.random.default_rng(3)
    q = s.q0 + 0.1 * rng.normal(size=s.n_q)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[10:14] /= np.linalg.norm(q[10:14])
    v = rng.normal(size=s.n_v)
    y = np.concatenate([q, v])[None]
    rates = s.observe_rates(np.zeros(1), y)[0]
    h = 1e-5
    ahead, back = (s.energy(q + d * h * rates[: s.n_q], v).potential for d in (1, -1))
    force = -s.inverse_dynamics(q, v, np.zeros(s.n_v)) + s.inverse_dynamics(q, v, np.zeros(s.n_v), elements=False)
    assert force @ v == pytest.approx(-(ahead - back) / (2 * h), rel=1e-7)
    r = m.simulate(0.4, output=0.05, tolerance=1e-10)
    for name in ("energy.total", "system.momentum", "system.angular_momentum"):
        assert np.abs(r[name] - r[name][0]).max() < 1e-6 * (1 + np.abs(r[name]).max()), name


def test_what_is_wrong_is_said():
    m = rotor(torque=1.0)
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "disc", "ball"))
    with pytest.raises(ModelError, match="a motor is for Revolute and Prismatic"):
        m.add(sr.Motor("m", "B", 1.0))
    with pytest.raises(ModelError, match="radius is missing"):
        sr.CentralGravity("g", 1.0, J2=0.1)
    idle = m.copy()
    idle.add(sr.Drag("d", "disc", area=1.0))
    with pytest.raises(ModelError, match="give no drag; say area and coefficient"):
        idle.compile()
    m.add(sr.Drag("d", "ground", 1.0, 1.0))
    with pytest.raises(ModelError, match="'ground' does not move"):
        m.compile()


def test_files_hold_them():
    m = rotor(torque=sr.Table((0, 1), (2, 0)), command="3*sin(t)", ratio=5)
    m.add(sr.Drag("d", "disc", 0.1, "0.3 + 0.1*x", sound=340.0, wind=("t", 0, 0)), sr.CentralGravity("g", 1e3, center=(0, 0, -9)))
    again, _ = run_from_text(text_of(m))
    assert again.forces == m.forces
