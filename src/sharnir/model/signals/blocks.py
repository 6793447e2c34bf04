"""Blocks of control with states of their own: integral, filters, PID, transfer functions, state space."""

from __future__ import annotations

from typing import Any, ClassVar

from sharnir.arguments import numbers, shown
from sharnir.model.checks import fail, number, sequence, settle, vector
from sharnir.model.signals.signal_element import Equations, SignalElement
from sharnir.model.values import DerivedNumberList, Matrix, Number, NumberList, OptionalNumberList, OptionalText, default, element


class Block(SignalElement, listed=False):
    """A signal made from `input`, a formula of other signals, sensors, parameters and t.

    >>> LowPass("slow", "O.q - 0.1", 0.2).input_formulas()
    {'u': 'O.q - 0.1'}
    """

    input: str
    input_fields: ClassVar[tuple[str, ...]] = ("input",)

    def _settle_inputs(self) -> str:
        label = self._settle_name()
        for field in self.input_fields:
            text = getattr(self, field)
            if field == "input" and not isinstance(text, str):
                fail(label, field, f"= {shown(text)} must be the name of a signal or a formula, such as 'wanted - O.q'")
        _ = self.measured
        return label

    def formulas(self) -> list[tuple[str, str]]:
        return [(field, text) for field in self.input_fields if isinstance(text := getattr(self, field), str)]

    def input_formulas(self) -> dict[str, str]:
        return {"w" if field == "rate" else "u": text for field, text in self.formulas()}


class ManyInputs(SignalElement, listed=False):
    """A signal made from several formulas, `inputs`: in its equations u0, u1, …"""

    inputs: Any

    def _settle_inputs(self) -> str:
        label = self._settle_name()
        given = (self.inputs,) if isinstance(self.inputs, str) else self.inputs
        texts = sequence(given, label, "inputs", "a list of formulas, such as ['O.q', 'O.v']")
        for text in texts:
            if not isinstance(text, str):
                fail(
                    label, "inputs", f"has {shown(text)}, which must be the name of a signal or a formula, such as 'wanted - O.q'"
                )
        settle(self, inputs=tuple(texts))
        _ = self.measured
        return label

    def formulas(self) -> list[tuple[str, str]]:
        return [("inputs", text) for text in self.inputs]

    def input_formulas(self) -> dict[str, str]:
        return {f"u{k}": text for k, text in enumerate(self.inputs)}


def limits_of(value: Any, label: str) -> tuple[float, float] | None:
    """Two numbers, the lower one first, or None."""
    if value is None:
        return None
    low, high = vector(value, 2, label, "limits")
    if not low < high:
        fail(label, "limits", f"= {shown(value)} must be (least, greatest)")
    return low, high


@element
class Integral(Block):
    """∫ input dt from t = 0, plus `initial`.

    >>> Integral("work", "M*O.v").equations().rates
    {'s': 'u'}
    """

    name: str
    input: str
    initial: Number = default(0.0)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle(self, initial=number(self.initial, label, "initial"))

    def equations(self) -> Equations:
        return Equations({"": "s"}, {"s": self.initial}, {"s": "u"})


@element
class LowPass(Block):
    """A filter of first order, output + time_constant × its rate = input.

    >>> LowPass("filtered", "O.a", time_constant=0.01).equations().rates
    {'s': '(u - s)/T'}
    """

    name: str
    input: str
    time_constant: Number = default(0.01)
    initial: Number = default(0.0)
    unit: str = ""
    output: ClassVar[str] = "s"

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle(self, time_constant=number(self.time_constant, label, "time_constant", above=0))
        settle(self, initial=number(self.initial, label, "initial"))

    def equations(self) -> Equations:
        return Equations({"": self.output}, {"s": self.initial}, {"s": "(u - s)/T"}, {"T": self.time_constant})


@element
class Derivative(LowPass):
    """The rate of the input through a first-order filter, s/(1 + T s): accurate for motions slow compared with `time_constant`.

    initial : value of the input at the start, so that the rate does not begin with a peak.

    >>> Derivative("rate", "level", time_constant=0.01).equations().outputs
    {'': '(u - s)/T'}
    """

    output: ClassVar[str] = "(u - s)/T"


@element
class Limit(Block):
    """The input between two limits.

    >>> Limit("torque", "controller", limits=(-5, 5)).equations().outputs
    {'': 'min(max(u, low), high)'}
    """

    name: str
    input: str
    limits: NumberList = default((-1.0, 1.0))
    unit: str = ""
    output: ClassVar[str] = "min(max(u, low), high)"

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle(self, limits=limits_of(self.limits, label))

    def equations(self) -> Equations:
        return Equations({"": self.output}, numbers={"low": self.limits[0], "high": self.limits[1]})


@element
class PID(Block):
    """kp e + ki ∫e dt + kd ė of the error e = input.

    rate : formula of ė where it is known, such as "-O.v"; without it ė comes from a first-order filter with `filter_time`.
    limits : (least, greatest) output. At a limit the integral is frozen while the error pushes further (conditional integration,
        against windup).

    >>> PID("controller", "1 - O.q", kp=10, kd=2, rate="-O.v").equations().outputs
    {'': 'kp*u + kd*w'}
    """

    name: str
    input: str
    kp: Number = default(0.0)
    ki: Number = default(0.0)
    kd: Number = default(0.0)
    rate: OptionalText = default(None)
    filter_time: Number = default(0.01)
    limits: OptionalNumberList = default(None)
    initial: Number = default(0.0)
    unit: str = ""
    input_fields: ClassVar[tuple[str, ...]] = ("input", "rate")

    def __post_init__(self) -> None:
        if self.rate is not None and not isinstance(self.rate, str):
            fail(self.label, "rate", f"= {shown(self.rate)} must be a formula of the rate of the error, such as '-O.v'")
        label = self._settle_inputs()
        for field in ("kp", "ki", "kd", "initial"):
            settle(self, **{field: number(getattr(self, field), label, field)})
        settle(self, filter_time=number(self.filter_time, label, "filter_time", above=0), limits=limits_of(self.limits, label))

    def equations(self) -> Equations:
        parts, states, rates, numbers = ["kp*u"], {}, {}, {"kp": self.kp}
        if self.ki:
            parts.append("ki*s")
            numbers["ki"], states["s"], rates["s"] = self.ki, self.initial, "u"
        if self.kd and self.rate is not None:
            parts.append("kd*w")
            numbers["kd"] = self.kd
        elif self.kd:
            parts.append("kd*(u - d)/T")
            numbers |= {"kd": self.kd, "T": self.filter_time}
            states["d"], rates["d"] = 0.0, "(u - d)/T"
        total = " + ".join(parts)
        if self.limits is None:
            return Equations({"": total}, states, rates, numbers)
        numbers |= {"low": self.limits[0], "high": self.limits[1]}
        if self.ki:
            stands = f"((({total}) > high)*(ki*u > 0) + (({total}) < low)*(ki*u < 0)) > 0"
            rates["s"] = f"if({stands}, 0, u)"
        return Equations({"": f"min(max({total}, low), high)"}, states, rates, numbers)


@element
class StateSpace(Block):
    """ẋ = A x + B u, output C x + D u, of one input.

    >>> StateSpace("lag", "u1", A=[[-2]], B=[2], C=[1]).equations().rates
    {'s0': '(-2.0)*s0 + 2.0*u'}
    """

    name: str
    input: str
    A: Matrix = default(())
    B: NumberList = default(())
    C: NumberList = default(())
    D: Number = default(0.0)
    initial: DerivedNumberList = default(None)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        n = len(sequence(self.A, label, "A", "a square matrix"))
        settle(self, A=tuple(vector(row, n, label, "A") for row in self.A), D=number(self.D, label, "D"))
        settle(self, B=flat(self.B, n, label, "B"), C=flat(self.C, n, label, "C"))
        settle(self, initial=(0.0,) * n if self.initial is None else vector(self.initial, n, label, "initial"))

    def equations(self) -> Equations:
        names = [f"s{k}" for k in range(len(self.A))]
        rates = {name: weighted((*row, b), (*names, "u")) for name, row, b in zip(names, self.A, self.B, strict=True)}
        states = dict(zip(names, self.initial, strict=True))
        return Equations({"": weighted((*self.C, self.D), (*names, "u"))}, states, rates)


def weighted(factors: tuple[float, ...], names: tuple[str, ...]) -> str:
    """Σ factor × name as a formula, without zeros."""
    terms = [f"{f!r}*{x}" if f >= 0 else f"({f!r})*{x}" for f, x in zip(factors, names, strict=True) if f != 0.0]
    return " + ".join(terms) or "0"


@element
class TransferFunction(Block):
    """numerator(s)/denominator(s) by coefficients, the highest power first; the numerator must not have the higher degree.

    >>> TransferFunction("filter", "x1", numerator=(1,), denominator=(0.1, 1)).equations().outputs
    {'': '10.0*s0'}
    """

    name: str
    input: str
    numerator: NumberList = default((1.0,))
    denominator: NumberList = default((1.0,))
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        for field in ("numerator", "denominator"):
            given = sequence(getattr(self, field), label, field, "coefficients, the highest power first")
            settle(self, **{field: vector(given, len(given), label, field)})
        if not self.denominator or self.denominator[0] == 0.0:
            fail(label, "denominator", f"= {shown(self.denominator)} must begin with a coefficient that is not zero")
        if len(self.numerator) > len(self.denominator):
            remedy = "add fast poles to the denominator, such as (0.001, 1)"
            fail(label, "numerator", f"= {shown(self.numerator)} has a higher degree than the denominator; {remedy}")

    def equations(self) -> Equations:
        n = len(self.denominator) - 1
        a = [x / self.denominator[0] for x in self.denominator[1:]]
        b = [0.0] * (n + 1 - len(self.numerator)) + [x / self.denominator[0] for x in self.numerator]
        # controllable form: the last rate is u - Σ a x, outputs Σ (b - b₀ a) x + b₀ u
        names = [f"s{k}" for k in range(n)]
        backward = tuple(reversed(a))
        rates = {names[k]: names[k + 1] for k in range(n - 1)}
        if n:
            rates[names[-1]] = weighted((*(-x for x in backward), 1.0), (*names, "u"))
        out = tuple(x - b[0] * y for x, y in zip(reversed(b[1:]), backward, strict=True))
        return Equations({"": weighted((*out, b[0]), (*names, "u"))}, dict.fromkeys(names, 0.0), rates)


def flat(value: Any, size: int, label: str, field: str) -> tuple[float, ...]:
    """A row or a column of a matrix as a tuple of floats."""
    return vector(numbers(value, label, field).ravel(), size, label, field)
