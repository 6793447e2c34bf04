"""Times at which formulas switch, against dense sampling; bounds of formulas, against values inside the intervals."""

import numpy as np
import pytest

from sharnir.model.formula import parse
from sharnir.model.formula.intervals import bounds
from sharnir.model.formula.switches import switches, switching_times
from sharnir.symbolic.functions import FUNCTIONS

T = np.linspace(0.0, 20.0, 2_000_001)


@pytest.mark.parametrize(
    "text",
    [
        "if((t > 5)*(t < 5.5), 100, 0)",
        "floor(7*t) - floor(7*t - 0.3)",
        "if(sin(20*t) > 0.999, 1, 0)",
        "step(exp(-t) - 0.01) + sign(t - 3)",
        "sign(sin(t^2))",
        "if(t*exp(-t) > 0.3, 1, 0)",
        "sign(sin(11*t)*cos(t))",
        "if(abs(t - 7) < 0.01, 1, 0)",
        "floor(3*sin(t))",
        "if(max(t - 2, 1 - t) > 3, 2, 0)",
    ],
)
def test_every_jump_in_time_is_listed(text):
    """Values jump between two neighbouring samples only if a listed time is between them."""
    expression = parse(text, ("t",))
    times = switching_times(expression, 20.0)
    jumps = 1 + np.flatnonzero(np.abs(np.diff(expression.evaluate(t=T[1:-1]))) > 0.4)
    assert len(jumps)
    found = np.searchsorted(times, T[jumps] - 1e-12), np.searchsorted(times, T[jumps + 1] + 1e-12)
    assert (found[0] < found[1]).all()


def test_random_formulas_of_time():
    """Products and sums of sines, powers and exponentials, compared with a number: all crossings that samples show are found."""
    rng = np.random.default_rng(7)
    for _ in range(60):
        a, b, c, d = rng.uniform(0.2, 6.0, 4).round(3)
        inner = rng.choice(
            [f"sin({a}*t)*exp(-{b}*t/10)", f"cos({a}*t + {b})^3", f"t^2/({c} + t) - {d}", f"tanh(sin({a}*t))/({b} + cos(t))"]
        )
        level = round(float(rng.uniform(-0.5, 0.5)), 3)
        times = switching_times(parse(f"if({inner} > {level}, 1, 0)", ("t",)), 20.0)
        g = parse(f"{inner} - {level}", ("t",)).evaluate(t=T[::20])
        crossings = np.flatnonzero(np.sign(g[1:]) != np.sign(g[:-1]))
        for k in crossings:
            assert ((times >= T[::20][k] - 1e-9) & (times <= T[::20][k + 1] + 1e-9)).any(), (inner, level)


def test_switches_of_functions_that_jump_themselves():
    """Pulse-width modulation: both edges of every pulse, although the sawtooth has the same slope everywhere."""
    rng = np.random.default_rng(11)
    for _ in range(20):
        period, duty = rng.uniform(0.05, 1.5), rng.uniform(0.001, 0.999)
        text = rng.choice(
            [f"(t/{period} - floor(t/{period}) < {duty})", f"if(t - {period}*floor(t/{period}) > {duty * period}, 0, 1)"]
        )
        edges = np.arange(np.floor(20.0 / period) + 1.0)
        expected = np.sort(np.concatenate([edges, edges + duty])) * period
        found = switching_times(parse(str(text), ("t",)), 20.0)
        np.testing.assert_allclose(found, expected[expected <= 20.0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if(floor(t) > 0, 1, 0)", [0, 1, 2, 3, 4, 5]),
        ("if(abs(floor(t) - 3) < 0.5, 1, 0)", [0, 1, 2, 3, 4, 5]),
        ("if(max(0, t - 3) > 0, 1, 0)", [3]),
        ("if(min(t, 4) < 4, 1, 0)", [4]),
        ("if((t > 1)*(t < 2) > 0, 1, 0)", [1, 2]),
        ("if(sqrt(max(0, t - 2)) > 0, 1, 0)", [2]),
    ],
)
def test_functions_that_stand_still_at_zero(text, expected):
    """No change of sign where a function is zero for a while; the time at which it leaves zero counts."""
    assert switching_times(parse(text, ("t",)), 5.0).tolist() == expected


def _random_formula(rng, depth):
    """A formula of t whose parts jump, bend and oscillate."""
    kind = int(rng.integers(10)) if depth else int(rng.integers(2))
    a, b = round(float(rng.uniform(0.5, 4.0)), 3), round(float(rng.uniform(-2.0, 2.0)), 3)
    if kind < 2:
        return "t" if kind else repr(b)
    x, y = _random_formula(rng, depth - 1), _random_formula(rng, depth - 1)
    forms = (f"({x} + {y})", f"({x})*({y})", f"sin({a}*({x}))", f"floor({a}*({x}))", f"(({x}) < {y})", f"sign({x} - {b})")
    return (*forms, f"if({x} > {b}, {y}, {a})", f"max({x}, {y})")[kind - 2]


def test_jumps_of_random_formulas():
    """Where a sample differs from its neighbours far more than theirs differ, bisection finds a jump: it is among the times."""
    rng = np.random.default_rng(5)
    checked = 0
    for text in (_random_formula(rng, 4) for _ in range(120)):
        expression = parse(text, ("t",))
        times = switching_times(expression, 7.0) if "t" in expression.names else None
        if times is None:
            continue
        t = np.linspace(0.0, 7.0, 50_001) + 1e-7 * np.pi
        steps = np.abs(np.diff(np.broadcast_to(expression.evaluate(t=t), t.shape)))
        jumps = 1 + np.flatnonzero(steps[1:-1] > 20.0 * np.maximum(steps[:-2], steps[2:]) + 1e-9)
        for k in jumps[:50]:
            low, high = t[k], t[k + 1]
            first = expression.evaluate(t=low)
            for _ in range(50):
                middle = 0.5 * (low + high)
                near = abs(expression.evaluate(t=middle) - first) < 0.5 * steps[k]
                low, high = (middle, high) if near else (low, middle)
            if abs(expression.evaluate(t=high) - expression.evaluate(t=low)) > 1e-6:
                assert np.abs(times - high).min(initial=1.0) < 1e-9, (text, high)
                checked += 1
    assert checked > 200


def test_too_many_times_are_not_listed():
    assert switching_times(parse("floor(1e6*t)", ("t",)), 20.0) is None


def test_what_depends_on_more_than_time_is_left_to_the_run():
    expression = parse("if(q > 1, 1, 0) + step(t - 2)", ("q", "t"))
    assert switching_times(expression, 5.0).tolist() == [2.0]
    assert sorted((s.function, tuple(s.names)) for s in switches(expression)) == [(">", ("q",)), ("step", ("t",))]


def test_bounds_hold_for_values_inside():
    """Random formulas of all functions, intervals and points in them."""
    rng = np.random.default_rng(3)
    names = sorted(set(FUNCTIONS) - {"atan2"})
    for _ in range(300):
        outer, inner = rng.choice(names, 2)
        counts = [{"hypot": 2, "min": 2, "max": 3, "if": 3}.get(name, 1) for name in (outer, inner)]
        inside = {"asin", "acos", "log", "sqrt"}  # defined for some numbers only
        part = (
            "0.5 + 0.4*sin(t)"
            if inner in inside or outer in inside
            else f"{inner}({', '.join(['t*0.7', '1 - t', 't^2/3'][: counts[1]])})"
        )
        text = f"2*{outer}({', '.join([part, 't', '0.3*t'][: counts[0]])})/(1.5 + t^2) - t^3/9"
        expression = parse(text, ("t",))
        low = rng.uniform(-4.0, 4.0, 20)
        high = low + rng.uniform(0.0, 2.0, 20)
        least, most = bounds(expression, t=(low, high))
        for part_of in np.linspace(0.0, 1.0, 23):
            values = expression.evaluate(t=low + part_of * (high - low))
            known = np.isfinite(values)
            assert (values >= least)[known].all() and (values <= most)[known].all(), text
