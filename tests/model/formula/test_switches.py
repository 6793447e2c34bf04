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
