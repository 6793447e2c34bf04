"""Discontinuities in time are stepped to exactly: pulses, tables, floors, gusts, shocks, in every integrator and formulation."""

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.integrate import ALL_INTEGRATORS
from sharnir.model.formula import parse
from sharnir.model.formula.peaks import peak_times

PULSE = "if((t > 5)*(t < 5.5), 100, 0)"
RAMP = sr.Table((0, 5, 5.001, 5.499, 5.5, 20), (0, 0, 100, 100, 0, 0))


def slider(**drive):
    """10 kg on a rail without friction."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=10, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", **drive))
    return m


@pytest.mark.parametrize("integrator", list(ALL_INTEGRATORS))
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_no_integrator_steps_over_a_pulse(integrator, formulation):
    """Impulse 50 N s on 10 kg; the way is 5 m/s for 14.5 s and half of that for 0.5 s."""
    settings = {} if ALL_INTEGRATORS[integrator].adaptive else {"step": 0.3}
    result = slider(torque=PULSE).simulate(20, integrator=integrator, formulation=formulation, **settings)
    assert result["P.v"][-1] == pytest.approx(5.0, rel=1e-9)
    assert result["P.q"][-1] == pytest.approx(73.75, rel=1e-5 if integrator == "implicit-euler" else 1e-8)
    assert result.stats["breaks"] == 2


def test_outputs_at_a_break_show_the_state_there():
    result = slider(torque=PULSE).simulate(20, output=[0.0, 5.0, 5.25, 5.5, 20.0])
    assert result["P.v"] == pytest.approx([0.0, 0.0, 2.5, 5.0, 5.0], abs=1e-9)
    assert result["P.a"][[0, 2, 4]] == pytest.approx([0.0, 10.0, 0.0], abs=1e-9)


def moved(m):
    return m.simulate(20)["P.v"][-1]


def test_every_way_to_say_a_pulse():
    ways = []
    for force in ((RAMP, 0, 0), (PULSE, 0, 0)):
        m = slider()
        m.add(sr.Force("F", "b", force))
        ways.append(m)
    for signal in (sr.Lookup("u", "t", RAMP), sr.Signal("u", PULSE), sr.Signal("u", "curve(t)", tables={"curve": RAMP})):
        m = slider()
        m.add(signal, sr.JointForce("J", "P", "u"))
        ways.append(m)
    m = slider()
    m.parameters |= {"begin": 5.0, "end": 5.5}
    m.add(sr.JointForce("J", "P", "if((t > begin)*(t < end), 100, 0)"))
    ways.append(m)
    for m in ways:
        exact = 4.99 if "Table" in repr(m.forces) + repr(m.signals) else 5.0
        assert moved(m) == pytest.approx(exact, rel=1e-8)


def test_pulse_width_modulation():
    """30 % of 100 N at 50 Hz for 2 s on 10 kg."""
    result = slider(torque="100*(floor(50*t) - floor(50*t - 0.3))").simulate(2.0)
    assert result["P.v"][-1] == pytest.approx(6.0, rel=1e-9)


@pytest.mark.parametrize(
    "torque", ["if(t > 0, 10, 0)", "10*step(t)", "if(t < 2, 10, 1e9)", "if(t <= 2, 10, -1e9)", "10 + 1e9*floor(t/2)"]
)
def test_jumps_at_the_ends_of_a_run(torque):
    """What holds at a single moment moves nothing."""
    result = slider(torque=torque).simulate(2.0)
    assert result["P.v"][-1] == pytest.approx(2.0, rel=1e-12)
    assert result.stats["rejected"] == 0


@pytest.mark.parametrize("integrator", ["dopri5", "generalized-alpha"])
def test_a_run_that_ends_at_an_edge_to_rounding(integrator):
    """By bisection the edge lies a rounding behind the end; a last step that ends on its other side cost 20 rejected ones."""
    result = slider(torque="100*(t - 0.1*floor(t/0.1) < 0.03)").simulate(0.13, integrator=integrator, tolerance=1e-6)
    assert result["P.v"][-1] == pytest.approx(0.6, abs=1e-13)
    assert result.stats["rejected"] <= 2


def test_integral_of_a_pulse():
    m = slider()
    m.add(sr.Integral("i", "if((t > 7)*(t < 7.01), 1, 0)"))
    assert m.simulate(20)["i"][-1] == pytest.approx(0.01, rel=1e-9)


def test_shock_of_the_ground():
    """A half-sine of 0.02 s: what it leaves behind in an oscillator, against a run whose steps cannot miss it."""
    m = sr.Model(gravity=(0, 0, 0), base_motion=sr.BaseMotion(x="if((t > 3)*(t < 3.02), 0.01*sin(pi*(t - 3)/0.02)^3, 0)"))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", stiffness=100.0))
    free, bound = m.simulate(10, tolerance=1e-10), m.simulate(10, tolerance=1e-10, max_step=1e-3)
    assert np.abs(bound["P.q"][-100:]).max() > 1e-4
    assert free["P.q"] == pytest.approx(bound["P.q"], abs=1e-9)


def test_random_pulses_in_one_model():
    """Any number of pulses of any length: the impulse is their sum."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        starts, lengths, sizes = rng.uniform(0, 18, 6), 10 ** rng.uniform(-4, 0, 6), rng.uniform(-50, 50, 6)
        terms = [
            f"({float(s)!r})*step(t - {float(a)!r})*step({float(a + d)!r} - t)"
            for a, d, s in zip(starts, lengths, sizes, strict=True)
        ]
        result = slider(torque=" + ".join(terms)).simulate(20)
        assert result["P.v"][-1] == pytest.approx(float(lengths @ sizes) / 10.0, rel=1e-9, abs=1e-10)


def test_a_stepper_knows_breaks_ahead():
    run = slider(torque=PULSE).stepper()
    for t in (4.0, 5.2, 7.0):
        run.step(t)
    assert run["P.v"] == pytest.approx(5.0, rel=1e-9)


def test_too_many_switches_are_said():
    with pytest.warns(sr.ModelWarning, match=r"joint 'P'.*max_step"):
        # so weak that the integrator does not follow the three million switches, which would take a minute
        slider(torque="1e-12*sign(sin(1e7*t))").simulate(1.0, output=[1.0])


@pytest.mark.parametrize("width", [0.05, 0.002])
@pytest.mark.parametrize("integrator", ["auto", "dopri5", "radau5", "abm", "bdf", "generalized-alpha"])
def test_narrow_peaks_of_time(integrator, width):
    """A smooth peak, flat to rounding on both sides; an impulse of 100 w √π on 10 kg, by a torque and by a signal."""
    peak = f"100*exp(-((t - 5.3)/{width})^2)"
    for m in (slider(torque=peak), slider(torque=f"{peak} - 0*v"), slider()):
        if m.joints["P"].torque == (0.0,):
            m.add(sr.Signal("s", peak), sr.JointForce("F", "P", "s"))
        v = m.simulate(20.0, integrator=integrator)["P.v"][-1]
        assert v == pytest.approx(10.0 * width * math.sqrt(math.pi), rel=1e-5)


def test_a_relay_on_a_narrow_peak():
    """It is on between 0.3 on the way up and 0.1 on the way down."""
    m = slider()
    m.add(sr.Signal("s", "0.4*exp(-((t - 5.3)/0.05)^2)"), sr.Relay("R", "s", low=0.1, high=0.3, off=0, on=1))
    m.add(sr.JointForce("F", "P", "100*R"))
    on = 0.05 * (math.sqrt(math.log(0.4 / 0.1)) + math.sqrt(math.log(0.4 / 0.3)))
    assert m.simulate(20.0)["P.v"][-1] == pytest.approx(10.0 * on, rel=1e-6)


def test_what_is_smooth_has_no_peaks():
    for text in ("sin(t)", "sin(30*t)", "t^2", "exp(-t)", "cos(3*t) + 0.01*t"):
        assert len(peak_times(parse(text, ("t",)), 0.0, 20.0)) == 0


@pytest.mark.parametrize("integrator", [name for name, kind in ALL_INTEGRATORS.items() if kind.implicit])
def test_pulses_after_rest(integrator):
    """Where all was zero, the first increments of Newton's method are nothing but rounding, which does not mean divergence."""
    rng = np.random.default_rng(5)
    for _ in range(12):
        at, width, height = rng.uniform(1, 15), 10 ** rng.uniform(-2.5, 0), 10 ** rng.uniform(-2, 3)
        m = slider()
        m.add(sr.Integral("I", f"if(abs(t - {at}) < {width}, {height}, 0)"))
        for tolerance in (1e-4, 1e-6):
            result = m.simulate(20, output=20, integrator=integrator, tolerance=tolerance)
            assert result["I"][-1] == pytest.approx(2 * width * height, rel=1e-9)
