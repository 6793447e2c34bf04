"""Events on functions that change faster than a run steps: narrow peaks, fast waves, jumps in time and with the state."""

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.integrate import ALL_INTEGRATORS


def slider(v=1.0, **drive):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", v=v, **drive))
    return m


def times(when, *elements, t_end=10.0, **settings):
    m = slider()
    m.add(*elements, sr.Event("e", when, []))
    return [entry["t"] for entry in m.simulate(t_end, **settings).events]


ADAPTIVE = [name for name, kind in ALL_INTEGRATORS.items() if kind.adaptive]


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_fast_waves_and_narrow_peaks(integrator):
    """q = t to rounding: waves cross zero every π/10, the peak is 1 s before the end of a step of many seconds."""
    waves = times("sin(10*P.q)", integrator=integrator)
    assert waves == pytest.approx([math.pi / 10 * k for k in range(1, 32)], abs=1e-9)
    assert times("abs(P.q - 7) < 0.01", integrator=integrator) == pytest.approx([6.99], abs=1e-9)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_point_of_a_rotor(formulation):
    """50 rad/s without torque: steps are many turns long, the point crosses the plane twice in each."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Revolute("R", "ground", "b", axis="z", v=50.0))
    m.add(sr.Event("e", "p", [], variables={"p": sr.PointCoordinate("b", at=(1, 0, 0))}))
    found = [entry["t"] for entry in m.simulate(5.0, formulation=formulation).events]
    assert found == pytest.approx([(k + 0.5) * math.pi / 50 for k in range(len(found))], abs=1e-7)
    assert len(found) == math.floor(250 / math.pi + 0.5)


def test_random_peaks():
    """Peaks of many shapes, places and widths, each seen once on either flank."""
    rng = np.random.default_rng(11)
    for _ in range(25):
        place, width = rng.uniform(0.5, 9.5), 10.0 ** rng.uniform(-6, -1)
        shape = rng.choice(["abs", "both", "lorentz", "parabola"])
        width = max(width, 1e-3) if shape == "lorentz" else width  # flanks below rounding cannot be seen
        x = f"(P.q - {place!r})/{width!r}"
        when = {
            "abs": f"1 - abs({x})",
            "both": f"min({x} + 1, 1 - {x})",
            "lorentz": f"1/(1 + ({x})^2) - 0.5",
            "parabola": f"1 - ({x})^2",
        }[str(shape)]
        assert times(when) == pytest.approx([place - width, place + width], abs=1e-9), (shape, place, width)


def test_random_waves():
    """Sums of two waves, against zeros of the formula itself on a fine grid."""
    rng = np.random.default_rng(12)
    for _ in range(10):
        a, b, c = rng.uniform(5, 60), rng.uniform(1, 5), rng.uniform(-0.5, 0.5)
        t = np.linspace(0, 10, 400_001)
        g = np.sin(a * t) + 0.5 * np.cos(b * t) + c
        changes = t[1:][np.sign(g[1:]) != np.sign(g[:-1])]
        found = times(f"sin({a!r}*P.q) + 0.5*cos({b!r}*P.q) + ({c!r})")
        assert len(found) == len(changes)
        assert found == pytest.approx(changes, abs=1e-4)


def test_waves_beside_zero():
    """Steps of seconds, in which a piece behind a crossing is as long as six periods for some of these frequencies."""
    for frequency in np.random.default_rng(3).uniform(20, 400, 40).tolist():
        found = times(f"sin({frequency!r}*P.q) + 0.3", t_end=20.0)
        turns = 2.0 * math.pi * np.arange(math.ceil(20.0 * frequency / (2.0 * math.pi)))
        zeros = np.sort(np.concatenate([turns + math.pi + math.asin(0.3), turns + 2.0 * math.pi - math.asin(0.3)])) / frequency
        assert found == pytest.approx(zeros[zeros < 20.0], abs=1e-9), frequency


def test_steps_at_which_a_function_turns_back():
    """tanh is flat but for the moments at which the wave in it comes near to its tops."""
    found = times("tanh((sin(38*P.q) - 0.999)/0.0001)", t_end=5.0)
    tops = math.pi / 2 + 2.0 * math.pi * np.arange(30)
    near = math.pi / 2 - math.asin(0.999)
    assert found == pytest.approx(np.sort(np.concatenate([tops - near, tops + near])) / 38.0, abs=1e-7)


def test_functions_that_jump():
    """By a switch of a signal or of the event itself, with the state or in time: they cross zero there."""
    assert times("u > 0.5", sr.Signal("u", "if(P.q > 3, 1, 0)")) == pytest.approx([3.0])
    assert times("u > 0.5", sr.Signal("u", "if((P.q > 3)*(P.q < 3.01), 1, 0)")) == pytest.approx([3.0])
    assert times("if((P.q > 3)*(P.q < 3.01), 1, -1)") == pytest.approx([3.0, 3.01])
    assert times("if((t > 3)*(t < 3.01), 1, -1)") == pytest.approx([3.0, 3.01])
    assert times("floor(P.q) - 3.5") == pytest.approx([4.0])
    assert times("u > 0.5", sr.Lookup("u", "P.q", sr.Table((0, 3, 3.01, 3.02, 10), (0, 0, 1, 0, 0)))) == pytest.approx([3.005])


def test_events_at_jumps_act():
    """A pulse of time stops the run, one of the state throws the body back."""
    m = slider()
    m.add(sr.Event("halt", "if((t > 3)*(t < 3.001), 1, -1)", sr.Stop()))
    assert m.simulate(10.0).t[-1] == pytest.approx(3.0)
    m = slider()
    m.add(sr.Signal("gate", "if((P.q > 2)*(P.q < 2.001), 1, 0)"), sr.Event("back", "gate > 0.5", sr.SetSpeed("P", -1.0)))
    result = m.simulate(3.0)
    assert result["P.q"][-1] == pytest.approx(1.0, abs=1e-8)
    assert len(result.events) == 1
