"""Delays, tables, switches and bends of signals against closed forms and SciPy."""

from math import factorial

import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline, RegularGridInterpolator

import sharnir as sr
from sharnir.errors import FormulaError, ModelError
from sharnir.model.files.model_file import run_from_text, text_of


def car(*elements, **joint):
    m = sr.Model("car", gravity=(0, 0, 0))
    m.add(sr.Body("car", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "car", axis="x", **joint))
    m.add(*elements)
    return m


def delayed_cosine(t, T, power):
    """Solutions of y⁽ᵖ⁾ = -y(t - T), y = 1 before t = 0: Σ (-1)^k (t - (k-1) T)^(pk)/(pk)!, by the method of steps."""
    terms = [
        np.where(t > (k - 1) * T, (-1) ** k * np.maximum(t - (k - 1) * T, 0) ** (power * k) / factorial(power * k), 0.0)
        for k in range(1, 12)
    ]
    return 1.0 + sum(terms)


@pytest.mark.parametrize("integrator", ["auto", "dopri5", "radau5", "bdf", "abm"])
def test_the_delayed_oscillator(integrator):
    m = car(sr.Delay("late", "rail.q", time=0.7), sr.JointForce("spring", "rail", "-late"), q=1.0)
    r = m.simulate(4.0, output=0.05, integrator=integrator, tolerance=1e-9)
    assert np.abs(r["rail.q"] - delayed_cosine(r.t, 0.7, 2)).max() < (2e-6 if integrator == "bdf" else 1e-7)
    # channels know the past when the run is over
    late = np.where(r.t < 0.7, 1.0, delayed_cosine(r.t - 0.7, 0.7, 2))
    assert np.abs(r["late"] - late).max() < 2e-6


def test_delays_and_fixed_steps():
    m = car(sr.Integral("y", "-late", initial=1.0), sr.Delay("late", "y", time=0.5, initial=1.0))
    r = m.simulate(3.0, step=0.05, integrator="rk4")
    assert np.abs(r["y"] - delayed_cosine(r.t, 0.5, 1)).max() < 1e-5
    with pytest.raises(ModelError, match="longer than the shortest delay"):
        m.simulate(3.0, step=1.0, integrator="rk4")


def test_a_delay_remembers_jumps():
    m = car(
        sr.Input("u"),
        sr.Delay("late", "u + t", time=0.3, initial=0),
        sr.Event("kick", at=0.5, actions=sr.SetSignal("u", 2.0)),
        sr.Event("felt", "late > 1"),
    )
    r = m.simulate(2.0, output=0.1)
    assert np.abs(r["late"] - np.where(r.t < 0.3, 0, r.t - 0.3) - 2.0 * (r.t > 0.8 + 1e-9)).max() < 1e-9
    assert [e["t"] for e in r.events] == pytest.approx([0.5, 0.8], abs=1e-9)


def test_pade_approaches_the_delay():
    m = car(sr.PadeDelay("late", "sin(3*t)", time=0.4, order=6), sr.PadeDelay("jump", "1", time=0.4, order=3))
    r = m.simulate(5.0, output=0.1)
    tail = r.t > 3
    assert np.abs(r["late"] - np.sin(3 * (r.t - 0.4)))[tail].max() < 1e-5
    assert r["jump"][0] == 0.0 and r["jump"][-1] == pytest.approx(1.0, abs=1e-5)


def test_tables_of_several_variables_against_scipy(tmp_path):
    x, y, z = np.linspace(-1, 1, 6), np.array([0.0, 0.3, 1.0, 1.5, 2.0]), np.linspace(0, 1, 4)
    plane = np.sin(2 * x)[:, None] * np.cos(y)
    space = plane[:, :, None] + z**2
    lines = ["x,y,value", *(f"{a},{b},{plane[i, j]}" for i, a in enumerate(x) for j, b in enumerate(y))]
    (tmp_path / "plane.csv").write_text("\n".join(lines))
    m = car(
        sr.Signal("a", "1.1*sin(2*t)"),
        sr.Signal("b", "1 + 0.9*cos(3*t)"),
        sr.Lookup("linear", ["a", "b"], sr.GridTable.from_csv(tmp_path / "plane.csv")),
        sr.Lookup("cubic", ["a", "b"], sr.GridTable((x, y), plane, "cubic")),
        sr.Lookup("three", ["a", "b", "0.5 + 0.4*sin(t)"], sr.GridTable((x, y, z), space)),
        sr.Signal("called", "2*p(a, b) - c(a)", tables={"p": sr.GridTable((x, y), plane), "c": sr.Table(tuple(x), tuple(x**3))}),
        sr.Lookup("extended", ["3*a"], sr.Table((0, 1, 2), (0, 1, 4), outside="extend")),
        sr.Lookup("curve", ["a"], sr.Table(tuple(x), tuple(x**3), kind="cubic")),
    )
    r = m.simulate(4.0, output=0.05)
    a, b = np.clip(r["a"], -1, 1), r["b"]
    assert np.abs(r["linear"] - RegularGridInterpolator((x, y), plane)(np.stack([a, b], 1))).max() < 1e-13
    assert np.abs(r["cubic"] - RectBivariateSpline(x, y, plane).ev(a, b)).max() < 1e-12
    points = np.stack([a, b, 0.5 + 0.4 * np.sin(r.t)], 1)
    assert np.abs(r["three"] - RegularGridInterpolator((x, y, z), space)(points)).max() < 1e-13
    assert np.abs(r["called"] - 2 * r["linear"] + np.interp(a, x, x**3)).max() < 1e-12
    u = 3 * r["a"]
    assert np.abs(r["extended"] - np.where(u < 1, u, 3 * u - 2)).max() < 1e-12
    assert np.abs(r["curve"] - a**3).max() < 1e-12
    table = sr.GridTable((x, y, z), space, "linear")
    assert table.evaluate(0.1, 0.5, 0.3) == pytest.approx(RegularGridInterpolator((x, y, z), space)([0.1, 0.5, 0.3])[0])


def test_bends_and_switches():
    m = car(
        sr.Signal("u", "2*sin(t)"),
        sr.DeadZone("dead", "u", limits=(-0.5, 1.0)),
        sr.Quantizer("steps", "u", step=0.25),
        sr.RateLimiter("slow", "5*(t > 1)", limits=(-1, 2), time_constant=1e-3),
        sr.Relay("relay", "u", low=-1, high=1, off=-3, on=3),
        sr.Function("square", lambda u, t: u * u if t < 3 else -1.0, ["u", "t"]),
        sr.Signal("either", "if(u > 0, u, 10)"),
    )
    r = m.simulate(9.0, output=0.1, max_step=0.05)
    u, t = r["u"], r.t
    assert np.abs(r["dead"] - np.where(u > 1, u - 1, np.where(u < -0.5, u + 0.5, 0))).max() < 1e-12
    assert np.abs(r["steps"] - 0.25 * np.floor(u / 0.25 + 0.5)).max() < 1e-12
    assert np.abs(r["slow"] - np.clip(2 * (t - 1), 0, 5)).max() < 0.02
    on, off = np.pi / 6, np.pi + np.pi / 6
    expected = np.where((t > on) & (t < off) | (t > on + 2 * np.pi), 3.0, -3.0)
    assert (r["relay"] == expected).all()
    assert [e["t"] for e in r.events] == pytest.approx([on, off, on + 2 * np.pi], abs=1e-12)
    assert np.abs(r["square"] - np.where(t < 3, u * u, -1.0)).max() < 1e-12


def test_events_switch_signals():
    m = car(
        sr.Signal("push", "1 + t"),
        sr.Integral("sum", "1"),
        sr.JointForce("motor", "rail", "push"),
        sr.Event("off", at=1.0, actions=[sr.Disable("push"), sr.Disable("sum")]),
        sr.Event("on", at=2.0, actions=[sr.Enable("push"), sr.Enable("sum")]),
    )
    r = m.simulate(3.0, output=0.1)
    off = (r.t > 1 + 1e-9) & (r.t < 2 - 1e-9)
    assert (r["push"][off] == 0).all() and r["push"][-1] == 4.0
    assert r["sum"][-1] == pytest.approx(2.0, abs=1e-9)
    assert r["rail.v"][-1] == pytest.approx(1.5 + 3.5, abs=1e-8)  # ∫ 1 + t over the two seconds


def test_what_is_wrong_is_said():
    with pytest.raises(ModelError, match="without hysteresis it chatters"):
        sr.Relay("r", "rail.q", low=1, high=1)
    with pytest.raises(ModelError, match="as the table has axes"):
        sr.Lookup("l", ["t"], sr.GridTable(((0, 1), (0, 1)), ((0, 1), (2, 3))))
    with pytest.raises(FormulaError, match=r"p\(\) takes 2 arguments, not 1"):
        sr.Signal("s", "p(t)", tables={"p": sr.GridTable(((0, 1), (0, 1)), ((0, 1), (2, 3)))})
    with pytest.raises(ModelError, match=r"shape \(2, 1\)"):
        sr.GridTable(((0, 1), (0, 1)), ((0,), (2,)))
    with pytest.raises(ModelError, match="whole number 1 … 10"):
        sr.PadeDelay("p", "t", order=0)
    with pytest.raises(ModelError, match="Function 'f': the Python function could not be compiled"):
        car(sr.Function("f", lambda x: str(x).title(), ["rail.q"])).compile()
    with pytest.raises(ModelError, match="is not an event or signal"):
        car(sr.Event("e", at=1, actions=sr.Disable("nothing"))).compile()


def test_files_hold_blocks():
    m = car(
        sr.Delay("late", "rail.q", time=0.1),
        sr.PadeDelay("pade", "rail.q", time=0.1, order=3),
        sr.DeadZone("dead", "late", limits=(-1, 1)),
        sr.Quantizer("steps", "late", step=0.1),
        sr.RateLimiter("slow", "late", limits=(-1, 1)),
        sr.Relay("relay", "late", low=-1, high=1, initial=True),
        sr.Lookup("table", ["late", "slow"], sr.GridTable(((0, 1), (0, 1)), ((0, 1), (2, 3)))),
        sr.Lookup("curve", ["late"], sr.Table((0, 1), (0, 1))),
        sr.Signal("called", "p(late) + 1", tables={"p": sr.Table((0, 1), (0, 1))}),
        sr.Event("e", at=1, actions=[sr.SetSignal("slow", 0.5), sr.Disable("late")]),
    )
    again, _ = run_from_text(text_of(m))
    assert again == m and text_of(again) == text_of(m)


def test_step_response_of_a_controlled_mass_against_partial_fractions():
    """m ẍ = kp e + ki ∫e - kd ẋ, e = 1 - x: X(s) = (kp s + ki)/(s (m s³ + kd s² + kp s + ki))."""
    kp, ki, kd = 8.0, 4.0, 5.0
    m = car(sr.PID("u", "1 - rail.q", kp=kp, ki=ki, kd=kd, rate="-rail.v"), sr.JointForce("motor", "rail", "u"))
    r = m.simulate(10.0, output=0.05, tolerance=1e-10)
    poles = np.append(np.roots([1.0, kd, kp, ki]), 0.0)
    others = [np.prod([p - q for q in poles if q != p]) for p in poles]
    exact = sum((kp * p + ki) / d * np.exp(p * r.t) for p, d in zip(poles, others, strict=True)).real
    assert np.abs(r["rail.q"] - exact).max() < 1e-8
    filtered = car(sr.PID("u", "1 - rail.q", kp=kp, ki=ki, kd=kd, filter_time=0.05), sr.JointForce("motor", "rail", "u"))
    T = 0.05  # the rate of the error through s/(1 + T s): of the jump at the start too
    up = np.polyadd(np.polymul([kp, ki], [T, 1.0]), [kd, 0.0, 0.0])
    down = np.polyadd(np.polymul([1.0, 0.0, 0.0, 0.0], [T, 1.0]), up)
    poles = np.append(np.roots(down), 0.0)
    others = [down[0] * np.prod([p - q for q in poles if q != p]) for p in poles]
    found = filtered.simulate(10.0, output=0.05, tolerance=1e-10)
    exact = sum(np.polyval(up, p) / d * np.exp(p * found.t) for p, d in zip(poles, others, strict=True)).real
    assert np.abs(found["rail.q"] - exact).max() < 1e-8


def test_what_is_off_at_first():
    m = car(
        sr.Signal("push", "2"),
        sr.JointForce("motor", "rail", "push"),
        sr.Event("begin", at=0, actions=sr.Disable("push")),
        sr.Event("go", at=0.5, actions=sr.Enable("push")),
    )
    r = m.simulate(1.0, output=0.1)
    assert r["push"][0] == 0.0 and r["push"][-1] == 2.0 and [e["t"] for e in r.events] == pytest.approx([0.0, 0.5])
    assert r["rail.v"][-1] == pytest.approx(1.0, abs=1e-9)
