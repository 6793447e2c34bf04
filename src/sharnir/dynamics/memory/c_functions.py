"""A model's numbers, formulas, tables and Python functions as C functions that kernels call by address."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from sharnir.dynamics.memory.break_times import BreakTimes
from sharnir.dynamics.memory.held_sides import HeldSides
from sharnir.dynamics.memory.held_tables import held_table, is_located
from sharnir.dynamics.memory.input_course import followed
from sharnir.dynamics.memory.switch_memory import FUNCTIONS as HELD
from sharnir.errors import FormulaError, ModelError
from sharnir.kernel.formulas.translation import written
from sharnir.kernel.user import (
    BindableCode,
    UserFunction,
    body_force_function,
    constant_pointer,
    formula_pointer,
    given_pointer,
    inner_function,
    scalar_function,
)
from sharnir.model.constraints.vector_formula import table_function, table_integral
from sharnir.model.formula import Expression, parse
from sharnir.model.formula.period import Period, period
from sharnir.model.given_functions import Table
from sharnir.symbolic.nodes import Name, product, total

RATE = "'"  # of an input, in the names of a formula's tree
MOMENT = 1e-100  # s: it is behind zero, and its square is not zero
STEP = 1e-3  # seconds, for derivatives of a motion that is given as a Python function only


class Functions:
    """Compiles what a model needs and keeps it alive; `errors` holds what users' functions raised."""

    def __init__(self, parameters: Mapping[str, float]) -> None:
        self.parameters = dict(parameters)
        for name, value in self.parameters.items():
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
                raise ModelError(f"parameter '{name}' = {value!r} must be a finite number")
        self.kept: list[tuple[str, UserFunction]] = []
        self.constants: dict[str, float] = dict(self.parameters)  # those that no event changes
        self.signals: dict[str, int] = {}  # signals that formulas may name -> place in memory, see signal_records.py
        self.late: frozenset[str] = frozenset()  # those that need accelerations
        self.courses: dict[str, tuple[int, float]] = {}  # inputs that motions follow -> place behind W_MOTION, initial value
        self.places: dict[str, int] = {}  # all numbers of the program of signals, states among them
        self.breaks = BreakTimes()
        self.sides = HeldSides()
        self.potentials: dict[int, int] = {}  # functions that hold sides -> the same that do not, for potentials
        self.tanks: list[tuple[int, int, int]] = []  # body, params and mass of every tank

    @property
    def errors(self) -> list[Exception]:
        """Exceptions raised by users' functions."""
        return [f.error for _, f in self.kept if f.error is not None]

    @property
    def failure(self) -> str:
        """A sentence about the first of `errors`."""
        return next(f"{label}: the function raised {f.error!r}" for label, f in self.kept if f.error is not None)

    def forget(self) -> None:
        """Forget errors at states that were only tried."""
        for _, function in self.kept:
            function.forget()

    def keep(self, function: UserFunction, label: str = "") -> int:
        """Keep a compiled function alive; returns its address."""
        function.forget()
        self.kept.append((label, function))
        return function.address

    def scalar(self, entry: Any, variables: tuple[str, ...], label: str) -> int:
        """Address of f(variables) for a number, formula, Table (of the first variable) or callable.

        Of f(variables, signals), negated, if signals are in the formula.
        """
        if isinstance(entry, str):
            self.breaks.add_formula(parse(entry, (*variables, *self.signals), self.constants), label)
            named = parse(entry, variables, None).names & set(self.signals)
            if named:
                return -self.keep(self.of_signals(entry, variables, sorted(named), label), label)
            expression = parse(entry, variables, self.parameters)
            plain = self.keep(formula_function(expression, variables), label)
            before = self.sides.count
            codes, values = parameter_codes(expression)
            source = self.sides.source(expression, codes, label)
            if self.sides.count == before:
                return plain
            held = -self.keep(_given_function(source, variables, values=values), label)
            self.potentials[held] = plain
            return held
        if isinstance(entry, Table):
            if variables[0] == "t":
                self.breaks.add_table(entry, label)
            plain = self.keep(table_function(entry, 0), label)
            if variables[0] == "t" or not is_located(entry) or self.sides.count == self.sides.capacity:
                return plain
            source = self.sides.table("table", variables[:1], label)
            held = -self.keep(_given_function(source, variables, entry), label)
            self.potentials[held] = plain
            return held
        if callable(entry):
            return self.keep(scalar_function(entry, len(variables), label), label)
        return self.keep(constant_function(float(entry)))

    def integral(self, entry: Any, variables: tuple[str, ...], label: str) -> tuple[int, Period | None]:
        """What is known of ∫ f of an entry over its first variable: a Table's integral as an address, the period of a formula."""
        if isinstance(entry, Table):
            return self.keep(table_integral(entry), label), None
        if isinstance(entry, str) and not parse(entry, variables, None).names & set(self.signals):
            return 0, period(parse(entry, variables, self.parameters), variables[0])
        return 0, None

    def of_signals(self, text: str, variables: tuple[str, ...], named: list[str], label: str) -> UserFunction:
        """A formula with signals in it: f(variables, signals)."""
        wrong = sorted(self.late & set(named))
        if wrong:
            raise ModelError(
                f"{label}: signal '{wrong[0]}' depends on accelerations or reactions, which depend on the force itself; "
                "pass it through a block with a state, such as LowPass"
            )
        expression = parse(text, (*variables, *named), self.parameters)
        codes, values = parameter_codes(expression)
        codes |= {name: f"s[{self.signals[name]}]" for name in named}
        return _given_function(self.sides.source(expression, codes, label), variables, values=values)

    def motion(self, entry: Any, label: str) -> tuple[int, int, int]:
        """Addresses of value, rate and acceleration of a prescribed motion."""
        t = ("t",)
        if isinstance(entry, tuple):
            self._check_triple(entry, label)
            return self.scalar(entry[0], t, label), self.scalar(entry[1], t, label), self.scalar(entry[2], t, label)
        if isinstance(entry, str) and parse(entry, t, None).names & set(self.courses):
            return self._following(entry, label)
        if isinstance(entry, str):
            x = parse(entry, t, self.parameters)
            self.breaks.add_formula(x, label)
            xd = x.derivative("t")
            first, second, third = (self.keep(function_from_zero(e), label) for e in (x, xd, xd.derivative("t")))
            return first, second, third
        if isinstance(entry, Table):
            self.breaks.add_table(entry, label)
            first, second, third = (self.keep(table_function(entry, k), label) for k in range(3))
            return first, second, third
        if callable(entry):
            first, second, third = (self.keep(scalar_function(f, 1, label), label) for f in (entry, *time_differences(entry)))
            return first, second, third
        return self.scalar(entry, t, label), self.scalar(0.0, t, label), self.scalar(0.0, t, label)

    def _following(self, text: str, label: str) -> tuple[int, int, int]:
        """A motion with inputs in it: functions of t and of their courses."""
        x = parse(text, ("t", *self.courses), self.parameters)
        codes, values = parameter_codes(x)
        for name, (place, initial) in self.courses.items():
            for k, prime in enumerate(("", RATE, 2 * RATE)):
                codes[name + prime] = f"followed(s[{place}], t, {k}, {initial!r})"
        xd = _total_rate(x, self.courses)
        first, second, third = (
            -self.keep(_given_function(e.source(codes), ("t",), values=values), label)
            for e in (x, xd, _total_rate(xd, self.courses))
        )
        return first, second, third

    def _check_triple(self, entry: tuple[Any, ...], label: str) -> None:
        """Speed and acceleration of an input follow from its course; there is no second way to give them."""
        for text in (part for part in entry if isinstance(part, str)):
            named = sorted(parse(text, ("t",), None).names & set(self.courses))
            if named:
                raise ModelError(
                    f"{label}: Input '{named[0]}' cannot be in a triple (position, speed, acceleration); give one "
                    "formula of it; its rates follow"
                )

    def body_force(self, function: Callable, label: str, count: int) -> int:
        """Address of a user's force on `count` bodies."""
        return self.keep(body_force_function(function, label, count), label)


def formula_function(expression: Expression, variables: tuple[str, ...]) -> UserFunction:
    """A parsed formula as a C function; its text is our own printing of the parsed tree, never the user's.

    >>> formula_function(parse("k*q", ("q",), {"k": 2.0}), ("q",)).address > 0
    True
    """
    codes, values = parameter_codes(expression)
    return _source_function(expression.source(codes), variables, values)


def parameter_codes(expression: Expression) -> tuple[dict[str, str], tuple[float, ...]]:
    """Parameters of a formula that its code reads from memory: their codes, and their values in that order.

    >>> parameter_codes(parse("k*q^n + m", ("q",), {"k": 2.0, "n": 3.0, "m": 4.0}))
    ({'k': 'p[0]', 'm': 'p[1]'}, (2.0, 4.0))
    """
    names = expression.in_memory
    return {name: f"p[{k}]" for k, name in enumerate(names)}, tuple(expression.parameters[name] for name in names)


def function_from_zero(x: Expression) -> UserFunction:
    """A formula of time, at t = 0 as right behind it, where a run begins: |t| rises there, although its derivative is sign(t).

    >>> function_from_zero(parse("sign(t)", ("t",))).address != formula_function(parse("sign(t)", ("t",)), ("t",)).address
    True
    """
    now, behind, later = (_finite(x, t) for t in (0.0, MOMENT, 4 * MOMENT))
    if behind is None or later is None or abs(later - behind) > max(1e-9 * abs(behind), math.sqrt(MOMENT)):
        return formula_function(x, ("t",))  # it has no limit there, as log(t) or the rate of √t
    if now is not None and abs(now - behind) <= max(1e-12 * abs(behind), math.sqrt(MOMENT)):
        return formula_function(x, ("t",))
    codes, values = parameter_codes(x)
    return _source_function(x.source(codes | {"t": f"(t if t != 0.0 else {MOMENT!r})"}), ("t",), values)


def _finite(x: Expression, t: float) -> float | None:
    """The value of a formula of time, if it has one."""
    try:
        value = float(x.evaluate(t=t))
    except (ArithmeticError, ValueError):
        return None
    return value if math.isfinite(value) else None


def _total_rate(x: Expression, inputs: Collection[str]) -> Expression:
    """dx/dt of a formula of t, inputs and their rates."""
    terms = [x.derivative("t").node]
    for name in (*inputs, *(name + RATE for name in inputs)):
        terms.append(product(x.derivative(name).node, Name(name + RATE)))
    return Expression(total(*terms), x.variables, x.parameters)


def read(source: str, name: str, scope: dict[str, Any]) -> Any:
    """The function `name` of Python text generated from formulas; Python's limits become a ModelError."""
    try:
        return written([source], name, scope)
    except (RecursionError, MemoryError):
        raise FormulaError(
            f"a formula is too long for Python ({len(source)} characters); use a Table or a function, or split it into signals"
        ) from None


@lru_cache(maxsize=1000)
def _source_function(source: str, variables: tuple[str, ...], values: tuple[float, ...] = ()) -> UserFunction:
    if values:
        return _source_code(source, variables).bound(values)
    return formula_pointer(_read_formula(source, variables, ""))


@lru_cache(maxsize=1000)
def _source_code(source: str, variables: tuple[str, ...]) -> BindableCode:
    return BindableCode(_read_formula(source, variables, ", p"), "ddd")


def _read_formula(source: str, variables: tuple[str, ...], more: str, **scope: Any) -> Any:
    names = [*variables, "_y", "_z"][:3]
    known: dict[str, Any] = {"__name__": __name__, "math": math, **scope}
    return read(f"def formula({', '.join(names)}{more}): return {source}", "formula", known)


@lru_cache(maxsize=1000)
def _given_function(
    source: str, variables: tuple[str, ...], table: Table | None = None, values: tuple[float, ...] = ()
) -> UserFunction:
    if values:
        return _given_code(source, variables, table).bound(values)
    return given_pointer(_read_formula(source, variables, ", s", **_held_functions(table)))


@lru_cache(maxsize=1000)
def _given_code(source: str, variables: tuple[str, ...], table: Table | None) -> BindableCode:
    return BindableCode(_read_formula(source, variables, ", s, p", **_held_functions(table)), "dddm")


def _held_functions(table: Table | None) -> dict[str, Any]:
    """What codes of formulas with held sides call."""
    return {"followed": followed, **HELD, **({} if table is None else {"table_held": held_table(table)})}


@lru_cache(maxsize=1000)
def constant_function(value: float) -> UserFunction:
    """The same number for all arguments."""
    return constant_pointer(value)


def time_differences(f: Callable) -> tuple[Callable, Callable]:
    """Rate and acceleration of a function of time by differences of sixth order."""
    g = inner_function(f)
    h = STEP

    def rate(t):
        return (45.0 * (g(t + h) - g(t - h)) - 9.0 * (g(t + 2 * h) - g(t - 2 * h)) + (g(t + 3 * h) - g(t - 3 * h))) / (60.0 * h)

    def acceleration(t):
        near, middle, far = g(t + h) + g(t - h), g(t + 2 * h) + g(t - 2 * h), g(t + 3 * h) + g(t - 3 * h)
        return (270.0 * near - 27.0 * middle + 2.0 * far - 490.0 * g(t)) / (180.0 * h * h)

    return rate, acceleration
