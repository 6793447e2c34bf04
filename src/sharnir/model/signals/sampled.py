"""Signals that change at the ticks of a clock only: samples, difference equations, controllers written in Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, number, sequence, settle, vector
from sharnir.model.formula.parser import reserved
from sharnir.model.given_functions import check_arguments
from sharnir.model.signals.blocks import Block, ManyInputs, flat, weighted
from sharnir.model.signals.signal import check_tables
from sharnir.model.signals.signal_element import Equations, SignalElement
from sharnir.model.values import (
    Code,
    DerivedNumberList,
    FormulaList,
    FormulasByName,
    Matrix,
    Names,
    Number,
    NumberList,
    NumbersByName,
    TablesByName,
    default,
    element,
)


def settle_clock(element: Any, label: str) -> None:
    """A positive period, and the time of the first tick."""
    settle(
        element, period=number(element.period, label, "period", above=0), offset=number(element.offset, label, "offset", low=0)
    )


@element
class SampleHold(Block):
    """The input at the last tick of a clock: t = offset, offset + period, …

    >>> SampleHold("seen", "O.q", period=0.01).equations().updates
    {'s': 'u'}
    """

    name: str
    input: str
    period: Number = default(0.01)
    offset: Number = default(0.0)
    initial: Number = default(0.0)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle_clock(self, label)
        settle(self, initial=number(self.initial, label, "initial"))

    def equations(self) -> Equations:
        return Equations({"": "s"}, {"s": self.initial}, clock=(self.period, self.offset), updates={"s": "u"})


@element
class DiscreteStateSpace(Block):
    """y[k] = C x[k] + D u[k], x[k+1] = A x[k] + B u[k] at the ticks of a clock; y is held between them.

    >>> DiscreteStateSpace("sum", "O.q", A=[[1]], B=[0.5], C=[1], period=0.1).equations().updates
    {'y': '1.0*x0', 'x0': '1.0*x0 + 0.5*u'}
    """

    name: str
    input: str
    A: Matrix = default(())
    B: NumberList = default(())
    C: NumberList = default(())
    D: Number = default(0.0)
    period: Number = default(0.01)
    offset: Number = default(0.0)
    initial: DerivedNumberList = default(None)
    unit: str = ""
    own_state: ClassVar[str] = "y"

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle_clock(self, label)
        n = len(sequence(self.A, label, "A", "a square matrix"))
        settle(self, A=tuple(vector(row, n, label, "A") for row in self.A), D=number(self.D, label, "D"))
        settle(self, B=flat(self.B, n, label, "B"), C=flat(self.C, n, label, "C"))
        settle(self, initial=(0.0,) * n if self.initial is None else vector(self.initial, n, label, "initial"))

    def equations(self) -> Equations:
        names = tuple(f"x{k}" for k in range(len(self.A)))
        states = {"y": 0.0, **dict(zip(names, self.initial, strict=True))}
        updates = {"y": weighted((*self.C, self.D), (*names, "u"))}
        updates |= {x: weighted((*row, b), (*names, "u")) for x, row, b in zip(names, self.A, self.B, strict=True)}
        return Equations({"": "y"}, states, clock=(self.period, self.offset), updates=updates)


@element
class DiscreteTransferFunction(Block):
    """numerator(z)/denominator(z) by coefficients, the highest power first, at the ticks of a clock; held between them.

    >>> DiscreteTransferFunction("late", "O.q", numerator=(1,), denominator=(1, 0), period=0.1).equations().updates
    {'y': '1.0*x0', 'x0': '1.0*u'}
    """

    name: str
    input: str
    numerator: NumberList = default((1.0,))
    denominator: NumberList = default((1.0,))
    period: Number = default(0.01)
    offset: Number = default(0.0)
    unit: str = ""
    own_state: ClassVar[str] = "y"

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle_clock(self, label)
        for name in ("numerator", "denominator"):
            given = sequence(getattr(self, name), label, name, "coefficients, the highest power first")
            settle(self, **{name: vector(given, len(given), label, name)})
        if not self.denominator or self.denominator[0] == 0.0:
            fail(label, "denominator", f"= {shown(self.denominator)} must begin with a coefficient that is not zero")
        if len(self.numerator) > len(self.denominator):
            remedy = "its output would depend on future inputs; divide by a power of z"
            fail(label, "numerator", f"= {shown(self.numerator)} has a higher degree than the denominator: {remedy}")

    def equations(self) -> Equations:
        n = len(self.denominator) - 1
        a = [x / self.denominator[0] for x in self.denominator[1:]]
        b = [0.0] * (n + 1 - len(self.numerator)) + [x / self.denominator[0] for x in self.numerator]
        # direct form: x0 is the newest of Σ a x + u; y = b₀ u + Σ (b - b₀ a) x
        names = tuple(f"x{k}" for k in range(n))
        updates = {"y": weighted((*(x - b[0] * y for x, y in zip(b[1:], a, strict=True)), b[0]), (*names, "u"))}
        updates |= {x: names[k - 1] if k else weighted((*(-x for x in a), 1.0), (*names, "u")) for k, x in enumerate(names)}
        return Equations({"": "y"}, dict.fromkeys(("y", *names), 0.0), clock=(self.period, self.offset), updates=updates)


@element
class Difference(SignalElement):
    """Difference equations as formulas, at the ticks of a clock; compiled, without Python in the run.

    inputs : formulas of the mechanism, signals, parameters and t, by the names used here.
    states : initial values by name.   updates : their values after a tick, as formulas of inputs and of states before it.
    output : formula of the same names; held until the next tick.   tables : tables that these formulas call as functions, as in
        Signal.

    Updates and the output may also refer to parameters, signals, sensors and t. Names of inputs and states take precedence; y is
    the output before the tick.

    >>> c = Difference("law", {"e": "1 - O.q"}, "4*e + i", states={"i": 0}, updates={"i": "i + 0.1*e"}, period=0.1)
    >>> c.equations().updates
    {'y': '4*e + i', 'i': 'i + 0.1*e'}
    """

    name: str
    inputs: FormulasByName = field(hash=False)
    output: str
    states: NumbersByName = field(default_factory=default(dict), hash=False)
    updates: FormulasByName = field(default_factory=default(dict), hash=False)
    period: Number = default(0.01)
    offset: Number = default(0.0)
    initial: Number = default(0.0)
    unit: str = ""
    tables: TablesByName = field(default_factory=default(dict), hash=False)
    own_state: ClassVar[str] = "y"

    def __post_init__(self) -> None:
        label = self._settle_name()
        settle_clock(self, label)
        settle(self, initial=number(self.initial, label, "initial"), tables=check_tables(self.tables, label))
        for name in ("inputs", "states", "updates"):
            if not isinstance(getattr(self, name), Mapping):
                fail(label, name, f"= {shown(getattr(self, name))} must be a dict by name")
            settle(self, **{name: dict(getattr(self, name))})
        settle(self, states={key: number(value, label, f"states[{key!r}]") for key, value in self.states.items()})
        known = [*self.inputs, *self.states]
        for key in known:
            if reserved(key) or key in ("t", "y") or known.count(key) > 1:
                fail(label, "inputs", f"or states have the name {key!r}, which is taken; t, y and functions have theirs")
        for key in {*known, "y"} & set(self.tables):
            fail(label, "tables", f"has the name {key!r}, which an input, a state or the output also has; rename one of them")
        if set(self.updates) != set(self.states):
            fail(label, "updates", f"= {shown(self.updates)} must have one formula per state: {', '.join(self.states) or 'none'}")
        for key, text in {"output": self.output, **self.updates}.items():
            if not isinstance(text, str):
                fail(label, key, f"= {shown(text)} must be text, such as '4*e + i'")
        _ = self.measured

    def formulas(self) -> list[tuple[str, str]]:
        updates = [("updates", text) for text in self.updates.values()]
        return [*(("inputs", text) for text in self.inputs.values()), *updates, ("output", self.output)]

    def input_formulas(self) -> dict[str, str]:
        return dict(self.inputs)

    def equations(self) -> Equations:
        updates = {"y": self.output, **self.updates}
        return Equations({"": "y"}, {"y": self.initial, **self.states}, clock=(self.period, self.offset), updates=updates)


@element
class HeldOutput(SignalElement, listed=False):
    """One of several outputs of a Sampled; it is added with it."""

    name: str
    initial: Number = default(0.0)
    unit: str = ""

    def __post_init__(self) -> None:
        self._settle_name()

    def formulas(self) -> list[tuple[str, str]]:
        return []

    def equations(self) -> Equations:
        return Equations({"": "s"}, {"s": self.initial})


@element
class Sampled(ManyInputs):
    """A Python function that is called at the ticks of a clock, while everything between them is compiled.

    function : f(t, input, …) returns a number, or one per output. It may keep data between calls; if it has a method
        `reset`, this is called at the beginning of a run.
    inputs : formulas.   outputs : names of the signals that it returns; by default one, with the name of the block (with names
        given, the block itself counts its ticks). They are held between ticks, which are hit exactly.
    period, offset : ticks are at t = offset, offset + period, …   initial : outputs before the first tick.

    >>> Sampled("torque", lambda t, q, v: -10*q - 2*v, ["O.q", "O.v"], period=0.01).formulas()
    [('inputs', 'O.q'), ('inputs', 'O.v')]
    """

    name: str
    function: Code
    inputs: FormulaList = default(())
    outputs: Names = default(())
    period: Number = default(0.01)
    offset: Number = default(0.0)
    initial: Number = default(0.0)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle_clock(self, label)
        settle(self, initial=number(self.initial, label, "initial"))
        given = (self.outputs,) if isinstance(self.outputs, str) else self.outputs
        settle(self, outputs=tuple(sequence(given, label, "outputs", "a list of names")))
        if not callable(self.function):
            fail(label, "function", f"= {shown(self.function)} must be a Python function f(t, input, …)")
        check_arguments(self.function, 1 + len(self.inputs), "f(t, input, …)", label, "function")
        _ = self.implied()

    def sampled_states(self) -> list[str]:
        return [f"{name}.s" for name in self.outputs or (self.name,)]

    def implied(self) -> list[Any]:
        return [HeldOutput(name, self.initial, self.unit) for name in self.outputs]

    def equations(self) -> Equations:
        numbers = {f"u{k}": f"u{k}" for k in range(len(self.inputs))}  # what the function gets
        initial = 0.0 if self.outputs else self.initial
        return Equations({"": "s"}, {"s": initial}, clock=(self.period, self.offset), updates=numbers)
