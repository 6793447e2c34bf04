"""Formulas, tables and functions as they run in the step loop, against their evaluation in Python."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.model.formula import parse

FORMULAS = (
    "1 + 2*q - v/3 + t^2",
    "sin(q)*cos(v) + tan(t)",
    "asin(q/9) + acos(v/9) + atan(t)",
    "sinh(q) + cosh(v) - tanh(t)",
    "exp(-q) + log(9 + v) + sqrt(4 + t)",
    "abs(v) + sign(v) + step(q) + floor(t*9)",
    "min(q, v, t) + max(q, v)",
    "if(q > v, q^3, v^-2)",
    "atan2(q, v) + pi*k",
    "q^0.5*(q > 0) + (q <= v)*(t != 1)",
    "-q^2",
    "2^q^2",
)


@pytest.mark.parametrize("text", FORMULAS)
def test_compiled_formulas(text):
    """The formula as it runs in the step loop against its evaluation in Python."""
    m = sr.Model(gravity=(0, 0, 0), parameters={"k": 1.7})
    m.add(sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x", torque=text, q=0.3, v=-0.7))
    s, formula = m.compile(method="articulated"), parse(text, ("q", "v", "t"), {"k": 1.7})
    for q, v, t in ((0.3, -0.7, 0.4), (1.2, 0.5, 1.0)):
        assert s.accelerations([q], [v], t) == pytest.approx([float(formula.evaluate(q=q, v=v, t=t))], rel=1e-13)


@pytest.mark.parametrize("kind", ["linear", "cubic"])
@pytest.mark.parametrize("outside", ["constant", "extend"])
def test_compiled_tables(kind, outside):
    table = sr.Table((-1, 0, 0.5, 2), (3, 1, 4, -2), kind=kind, outside=outside)
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x", torque=table))
    s = m.compile(method="articulated")
    for q in (-3.0, -1.0, -0.4, 0.0, 0.2, 0.5, 1.9, 2.0, 5.0):
        assert s.accelerations([q], [0.0]) == pytest.approx([table.evaluate(q)], rel=1e-13, abs=1e-13)


def test_table_with_ends_stops_the_run():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(
        sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x", v=1.0, torque=sr.Table((-1, 1), (0, 0), outside="error"))
    )
    with pytest.raises(sr.SimulationError) as caught:
        m.simulate(3.0, step=0.1)
    assert caught.value.result["A.q"][-1] == pytest.approx(1.0, abs=0.11)


@pytest.mark.parametrize("outside", ["constant", "extend"])
def test_motion_by_table(outside):
    """Value, rate and acceleration of a prescribed motion are the spline's own derivatives, inside and outside."""
    table = sr.Table((0, 0.5, 1, 2), (0, 1, 0.5, 2), kind="cubic", outside=outside)
    m = sr.Model()
    m.add(sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x", motion=table))
    r = m.simulate(3.0, output=[0.1, 0.5, 1.7, 2.5])
    for k, key in enumerate(("A.q", "A.v", "A.a")):
        assert r[key] == pytest.approx(table.evaluate(r.t, derivative=k), rel=1e-12, abs=1e-12)


def test_motion_by_function_is_differentiated():
    m = sr.Model()
    m.add(sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x", motion=zoo.swing))
    r = m.simulate(1.0, output=0.1)
    t = r.t
    assert r["A.q"] == pytest.approx(0.3 * np.sin(1.7 * t) + 0.1 * t**2, abs=1e-15)
    assert r["A.v"] == pytest.approx(0.51 * np.cos(1.7 * t) + 0.2 * t, abs=1e-11)
    assert r["A.a"] == pytest.approx(-0.867 * np.sin(1.7 * t) + 0.2, abs=1e-8)
    assert r["A.drive"] == pytest.approx(r["A.a"], abs=1e-12)
