"""Formulas that switch with the state: switches are located like events, sides are held within a step."""

import math
import warnings

import numpy as np
import pytest

import sharnir as sr
from sharnir.integrate import ALL_INTEGRATORS
from sharnir.kernel import PLAIN

ZONE = "if((q > 3)*(q < 3.01), 100, 0)"  # 1 J on the way through


def slider(v=1.0, **drive):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", v=v, **drive))
    return m


@pytest.mark.parametrize("integrator", [name for name, kind in ALL_INTEGRATORS.items() if name != "implicit-euler"])
def test_a_narrow_zone_of_force_is_not_stepped_over(integrator):
    """½ m v² grows by the work of the zone, whatever the steps."""
    settings = {} if ALL_INTEGRATORS[integrator].adaptive else {"step": 0.3}
    result = slider(torque=ZONE).simulate(10, integrator=integrator, **settings)
    assert result["P.v"][-1] == pytest.approx(math.sqrt(3.0), rel=1e-6)


NARROW = {  # 100 N at most, near q = 3, and the work on the way through
    "hat of max and abs": ("100*max(0, 1 - abs(q - 3)/0.005)", 0.5),
    "trapezium of min and max": ("max(0, min(100, 1e5*(q - 3), 1e5*(3.008 - q)))", 0.7),
    "bell": ("100*exp(-((q - 3)/0.004)^2)", 0.4 * math.sqrt(math.pi)),
    "bell of a product": ("100*exp(-(q - 3)*(q - 3)/0.004^2)", 0.4 * math.sqrt(math.pi)),
    "two flanks of exp": ("100*exp(-abs(q - 3)/0.002)", 0.4),
    "square of a hyperbolic secant": ("100/cosh((q - 3)/0.002)^2", 0.4),
    "difference of two steps": ("50*(tanh((q - 3)/1e-4) - tanh((q - 3.004)/1e-4))", 0.4),
    "slope of a step": ("100*(1 - tanh((q - 3)/0.002)^2)", 0.4),
    "step at which it turns back": ("50*(1 + tanh((0.002^2 - (q - 3)^2)*1e8))", 0.4),
    "secant of what turns back": ("100/cosh(1e8*(q - 3)^2 - 100)", 0.0031418836),
    "magnet": ("100*(1 + ((q - 3)/0.002)^2)^(-1.5)", 0.4),
    "square of a quotient": ("100*1e-12/((q - 3)^2 + 1e-6)^2", 0.05 * math.pi),
    "high power of a cosine": ("100*cos((q - 3)/5)^1000000", 500 * math.sqrt(2e-6 * math.pi) * (1 - 0.25e-6)),
    "hyperbolic secant by exponentials": ("200/(exp((q - 3)/0.002) + exp(-(q - 3)/0.002))", 0.2 * math.pi),
    "one if in the other": ("if(q > 3, if(q < 3.01, 100, 0), 0)", 1.0),
}


@pytest.mark.parametrize("integrator", ["auto", "dopri5", "abm", "radau5", "bdf", "park", "generalized-alpha"])
@pytest.mark.parametrize("name", NARROW)
@pytest.mark.filterwarnings("ignore:.*that no force accounts for")
def test_narrow_peaks_of_the_state(integrator, name):
    """They are flat on both sides: nothing but their own formulas says where they are."""
    text, work = NARROW[name]
    result = slider(torque=text).simulate(10.0, integrator=integrator)
    allowed = 1e-4 if integrator == "generalized-alpha" else 2e-5  # of order 2, and less on flanks of 1e-5 s
    assert result["P.v"][-1] == pytest.approx(math.sqrt(1.0 + 2.0 * work), rel=allowed)


PULSES = {  # of time, behind long steps of free flight: torque, and its impulse
    "steps": ("81.6*(tanh((t - 7.2016)/2.873e-4) - tanh((t - 7.2016)/2.873e-4 - 5))", 163.2 * 5 * 2.873e-4),
    "bell": ("70.26*exp(-((t - 7.0324)/1.84e-4)^2)", 70.26 * 1.84e-4 * math.sqrt(math.pi)),
    "quotient": ("180/(1 + ((t - 4.3217)/1.2e-4)^2)^2", 90 * math.pi * 1.2e-4),
}


@pytest.mark.parametrize("name", PULSES)
def test_a_long_history_does_not_hide_a_pulse(name):
    """Differences over seconds foretell nothing of a pulse of 1e-4 s: its surprise counts as behind steps of equal length."""
    torque, impulse = PULSES[name]
    assert slider(torque=torque).simulate(10.0, integrator="abm")["P.v"][-1] == pytest.approx(1.0 + impulse, abs=3e-6)


BRIEF = {  # pulses of 1e-5 s in 20 s: torque, and its impulse
    "bell": ("1e4*exp(-((t - 5.0123)/1e-5)^2)", 0.1 * math.sqrt(math.pi)),
    "bell beside a coordinate": ("1e4*exp(-((t - 5.0123)/1e-5)^2)*cos(q)", 0.1 * math.sqrt(math.pi)),
    "secant": ("1e4/cosh((t - 5.0123)/1e-5)^2", 0.2),
    "steps": ("1e4*(tanh((t - 5.0123)/1e-6) - tanh((t - 5.01235)/1e-6))", 1.0),
    "quotient": ("1e4/(1 + ((t - 5.0123)/1e-5)^2)^2", 0.05 * math.pi),
    "power of a cosine": ("1e3*cos(t/7 - 0.7)^1000000000000", 7e-3 * math.sqrt(2 * math.pi)),
}


@pytest.mark.parametrize("name", BRIEF)
def test_pulses_of_time_narrower_than_samples(name):
    """Only bounds of the argument tell where they are."""
    text, impulse = BRIEF[name]
    assert slider(0.0, torque=text).simulate(20.0, output=[3.0, 20.0])["P.v"][-1] == pytest.approx(impulse, rel=1e-6)


def test_an_inner_condition_holds_from_the_moment_it_is_reached():
    """Fixed steps: in the step in which the outer condition turns, the inner one ends a zone shorter than the step."""
    for outer in ("q > 3", "t > 3"):
        result = slider(torque=f"if({outer}, if(q < 3.001, 100, 0), 0)").simulate(10.0, step=0.02, integrator="rk4")
        assert result["P.v"][-1] == pytest.approx(math.sqrt(1.2), rel=1e-9)


def test_a_relay_on_a_narrow_hat():
    """It is on from where the hat passes 0.5, and stays on."""
    for peak in ("max(0, 1 - abs(P.q - 3)/0.001)", "exp(-abs(P.q - 3)*log(2)/0.0005)"):
        m = slider()
        m.add(sr.Signal("peak", peak), sr.Relay("R", "peak", low=-1, high=0.5, off=0, on=2), sr.JointForce("F", "P", "R"))
        result = m.simulate(5.0)
        assert result["P.v"][-1] == pytest.approx(1.0 + 2.0 * (5.0 - 2.9995), rel=1e-8)


def test_bends_of_formulas_that_come_back_again_and_again_are_no_warning():
    """A weight that comes to rest on max(0, …): nothing jumps, so there is nothing to be warned of."""
    m = sr.Model()
    m.add(sr.Body("b", mass=1), sr.Prismatic("P", "ground", "b", axis="z", q=0.01))
    m.add(sr.JointForce("floor", "P", "max(0, -1e4*q - 50*v)"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = [m.simulate(5.0, method=method) for method in ("auto", *(() if PLAIN else ("symbolic",)))]
    for result in results:
        assert result["P.q"][-1] == pytest.approx(-9.81e-4, rel=1e-4)
    assert results[-1].stats.get("engine_evaluations", 0) == 0


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_energy_beyond_a_switch(formulation):
    """The potential of a formula with switches is that of the formula; the motion keeps the sum."""
    result = slider(torque="if(q > 3, 1, 0)").simulate(5, formulation=formulation)
    assert np.ptp(result.energy.total) < 1e-7
    assert result["P.v"][-1] == pytest.approx(3.0, rel=1e-9)


def test_random_zones():
    """Steps of force anywhere: the speed follows from the work that was done."""
    rng = np.random.default_rng(2)
    for _ in range(8):
        places = np.sort(rng.uniform(0.2, 4.0, 4))
        sizes, widths = rng.uniform(0.5, 20.0, 4), 10 ** rng.uniform(-4, -1.5, 4)
        terms = [
            f"{float(f)!r}*step(q - {float(a)!r})*step({float(a + d)!r} - q)"
            for a, d, f in zip(places, widths, sizes, strict=True)
        ]
        result = slider(torque=" + ".join(terms)).simulate(6.0)
        assert result["P.v"][-1] == pytest.approx(math.sqrt(1.0 + 2.0 * float(sizes @ widths)), rel=1e-8)


def test_a_motion_that_turns_back_at_a_switch():
    """Past q = 2 a force of 5 N pulls back: it returns with the speed it came with."""
    result = slider(torque="if(q > 2, -5, 0)").simulate(4.0)
    assert result["P.v"][-1] == pytest.approx(-1.0, rel=1e-9)


def test_floor_of_a_coordinate():
    """v̇ = floor(q): pieces of constant acceleration, put together by hand."""
    q, v, t, a = 0.0, 1.0, 0.0, 0.0
    while True:
        rest = 3.0 - t
        root = (math.sqrt(v * v + 2 * a * (math.floor(q + 1e-9) + 1 - q)) - v) / a if a else (math.floor(q + 1e-9) + 1 - q) / v
        if root > rest:
            break
        q, v, t = math.floor(q + 1e-9) + 1.0, v + a * root, t + root
        a = math.floor(q)
    result = slider(torque="floor(q)").simulate(3.0)
    assert result["P.q"][-1] == pytest.approx(q + v * rest + a * rest * rest / 2, rel=1e-9)


def test_signals_and_springs_switch_too():
    m = slider()
    m.add(sr.Signal("u", "if(P.q > 2, 10, 0)"), sr.JointForce("J", "P", "u"))
    assert m.simulate(5.0)["P.v"][-1] == pytest.approx(31.0, rel=1e-9)
    m = slider()
    m.add(sr.Spring("S", "ground", "b", at_a=(-1, 0, 0), stiffness=0, length=1, force="if(x > 2, 5, 0)"))
    assert m.simulate(4.0)["P.v"][-1] == pytest.approx(-1.0, rel=1e-9)


@pytest.mark.parametrize("speed", [1.0, -1.0, 0.0])
def test_a_run_that_begins_at_a_switch(speed):
    """On which side it is shows by where it goes."""
    result = slider(v=speed, q=0.0, torque="if(q > 0, 1, 2)").simulate(1.0)
    expected = {1.0: 2.0, 0.0: 1.0}.get(speed)
    if expected is None:  # it goes to the left, is pushed back with 2, and passes zero with 1 after one second
        assert result["P.v"][-1] == pytest.approx(1.0, rel=1e-6)
    else:
        assert result["P.v"][-1] == pytest.approx(expected, rel=1e-6)


def test_dry_friction_as_a_formula_comes_to_rest_and_says_so():
    """1 m/s against 0.5 m/s²: rest after 2 s and 1 m."""
    with pytest.warns(sr.ModelWarning, match="JointFriction"):
        result = slider(torque="-0.5*sign(v)").simulate(5.0)
    assert result["P.q"][-1] == pytest.approx(1.0, abs=1e-4)
    assert abs(result["P.v"][-1]) < 1e-5
    assert result.stats["steps"] < 50_000


def test_a_smooth_formula_has_no_switches():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system = slider(torque="-0.5*tanh(v/0.01) + abs(q)").compile()
    assert system.n_switches == 0 and system.assembly.program is None


def test_switches_beside_events():
    """An event that throws the body to the other side of a switch: the side is found anew."""
    m = slider(torque="if(q > 5, -3, 0)")
    m.add(sr.Event("back", "P.q > 4", sr.SetSpeed("P", 2.0)))
    result = m.simulate(6.0, output=np.linspace(0, 6, 601))
    t = 4.0 + 0.5  # at q = 5 with 2 m/s, then back with the same speed
    assert result["P.q"][np.searchsorted(result.t, t + 0.2)] == pytest.approx(5.0 + 2.0 * 0.2 - 1.5 * 0.04, abs=1e-6)
    assert len(result.events) == 1


@pytest.mark.parametrize("way", [{}, {"integrator": "radau5"}, {"integrator": "dopri5", "tolerance": 1e-10}])
@pytest.mark.parametrize("formula", ["if(q > {0}, -7, -2)", "if(q >= {0}, -7, -2)", "if({0} < q, -7, -2)", "-2-5*step(q-{0})"])
def test_a_motion_that_touches_a_switch(formula, way):
    """Thrown upwards, a body turns exactly where the force changes: nothing changes."""
    for v in (2.0, 1.99, 1.7):
        result = slider(v, torque=formula.format(v * v / 4.0)).simulate(2.0, **way)
        assert result["P.q"][-1] == pytest.approx(2.0 * v - 4.0, abs=1e-5)


LEAPS = {"if(t < 0.5, 1, 0)": (1.0, 0.0), "if(t < 0.5, -1, 0)": (-1.0, 0.0), "if(t < 0.5, 1, 0.1*t - 0.5)": (1.0, -0.4)}
LAWS = {
    "if(n >= 0, 1, 0)": lambda n: n >= 0,
    "if(0 <= n, 1, 0)": lambda n: n >= 0,
    "if(n > 0, 1, 0)": lambda n: n > 0,
    "if(n < 0.05, 1, 0)": lambda n: n < 0.05,
    "sign(n)": np.sign,
    "floor(n)": np.floor,
}


@pytest.mark.parametrize("sampled", [True, False])
@pytest.mark.parametrize("leap", LEAPS)
@pytest.mark.parametrize("law", LAWS)
def test_a_signal_that_jumps_to_or_over_a_switch(law, leap, sampled):
    """Where it stays zero, formulas hold as they are written; where it jumps over it, its slope behind does not matter."""
    m = slider(0.0)
    m.add(sr.Signal("u", leap))
    m.add(sr.SampleHold("n", "u", period=0.05) if sampled else sr.Signal("n", "u + 0*P.q"))
    m.add(sr.JointForce("f", "P", law))
    expected = sum(0.5 * float(LAWS[law](n)) for n in LEAPS[leap])
    assert m.simulate(1.0)["P.v"][-1] == pytest.approx(expected, abs=1e-9)
