"""What sensors, formulas and blocks of control have in common: a name that formulas use, and the values they provide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.errors import FormulaError
from sharnir.families import Family, Registered
from sharnir.model.checks import element_name, fail
from sharnir.model.constraints.user_constraint import shorthand
from sharnir.model.constraints.variables import RATE, Variable
from sharnir.model.formula import parse
from sharnir.model.formula.parser import reserved
from sharnir.model.grid_table import GridTable
from sharnir.model.parameters.template import Parametric
from sharnir.model.signals.observed import Observed, observed_variable
from sharnir.model.signals.sensors import sensor_named

SECOND_RATE = "_ddot"  # x_ddot is the second rate of the variable x
TAKEN = ("t", "q", "v", "x")  # variables of other formulas


@dataclass(frozen=True)
class Equations:
    """What a signal does: outputs and rates as formulas of its inputs, states and numbers.

    outputs : formula per output; the first belongs to the name itself, others to "<name>_<key>".
    states : initial values by name; rates : their rates as formulas, zero where there is none.
    numbers : values by name; held : values by name that events may change.
    calls : numbers that functions give, by name: a Table, GridTable or Python function, and formulas of its arguments.
    clock : (period, first time) of what is sampled; updates : values of states behind a sample, as formulas of those before it.
    past : formula of what a delay must remember.

    >>> lag = Equations({"": "y"}, {"y": 0.0}, {"y": "(u - y)/T"}, {"T": 0.2})
    >>> lag.rates["y"]
    '(u - y)/T'
    """

    outputs: Mapping[str, str]
    states: Mapping[str, float] = field(default_factory=dict)
    rates: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    held: Mapping[str, float] = field(default_factory=dict)
    calls: Mapping[str, tuple[Any, tuple[str, ...]]] = field(default_factory=dict)
    clock: tuple[float, float] | None = None
    updates: Mapping[str, str] = field(default_factory=dict)
    past: str | None = None


class SignalElement(Registered, Parametric, listed=False):
    """A named number that changes in time, for formulas of forces, other signals and events. Defining a subclass lists it.

    >>> from sharnir.model import LowPass
    >>> LowPass("slow", "O.q", 0.2).equations().rates
    {'s': '(u - s)/T'}
    """

    family: ClassVar[Family] = Family("signal")
    name: str
    unit: str
    body_fields: ClassVar[tuple[str, ...]] = ()
    locates: ClassVar[bool] = False  # its formulas are the user's: runs end steps where they switch
    own_state: ClassVar[str] = "s"  # the state that is the value itself, if there is one

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"{type(self).__name__} {self.name!r}"

    def _settle_name(self) -> str:
        element_name(self.name, type(self).__name__)
        if reserved(self.name) or self.name in TAKEN:
            remedy = f"use letters, digits and _, and no name of a function or of the variables {', '.join(TAKEN)}"
            fail(self.label, "name", f"= {shown(self.name)} cannot be used in formulas; {remedy}")
        return self.label

    def equations(self) -> Equations:
        """Outputs and rates as formulas."""
        raise NotImplementedError

    def formulas(self) -> list[tuple[str, str]]:
        """(field, text) of the formulas that may contain names of the model."""
        raise NotImplementedError

    def input_formulas(self) -> dict[str, str]:
        """Formulas of names of the model, under the names that they have in `equations`."""
        return {}

    def sampled_states(self) -> list[str]:
        """Full names of the states that change at ticks, in the order of `updates`, or of what a function gives."""
        return [f"{self.name}.{state}" for state in self.equations().updates]

    def implied(self) -> list[Any]:
        """Signals that belong to this one and are added with it."""
        return []

    @property
    def switches(self) -> dict[str, tuple[str, float]]:
        """Events that set its state: by their names, a condition and the value."""
        return {}

    @property
    def table_sizes(self) -> dict[str, int]:
        """Tables that formulas call, and how many variables they have."""
        given = getattr(self, "tables", {})
        return {name: len(table.axes) if isinstance(table, GridTable) else 1 for name, table in given.items()}

    @property
    def measured(self) -> dict[str, Measurement]:
        """What names in the formulas measure on the mechanism."""
        variables, found = getattr(self, "variables", {}), {}
        for field_name, text in self.formulas():
            for name in formula_names(text, self.label, field_name, self.table_sizes):
                x = measurement(name, variables, text, self.label)
                if x is not None:
                    found[name] = x
        return found

    @property
    def body_references(self) -> list[tuple[str, str]]:
        """(field, name) of every body that is measured."""
        return [("formula", body) for x in self.measured.values() for body in x.variable.bodies]

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        """(field, name) of every joint that is measured."""
        return [("formula", joint) for x in self.measured.values() for joint in x.variable.joints]


@dataclass(frozen=True)
class Measurement:
    """A name in a formula that is measured: a variable, and which rate of it (0 itself, 1, 2)."""

    variable: Variable
    rate: int

    @property
    def late(self) -> bool:
        """True if it is known only behind forces and accelerations."""
        return self.rate == 2 or isinstance(self.variable, Observed)


def measurement(name: str, variables: Mapping[str, Variable], text: str, label: str) -> Measurement | None:
    """What a name in the formula `text` measures; None: it is a signal, a parameter or time.

    >>> measurement("O.v", {}, "O.v", "Signal 's'")
    Measurement(variable=JointCoordinate(joint='O', freedom=None), rate=1)
    >>> measurement("rod.z_ddot", {}, "rod.z_ddot", "Signal 's'").rate
    2
    """
    twice = name.endswith(SECOND_RATE)
    once = name.removesuffix(SECOND_RATE) + RATE if twice else name
    base = once.removesuffix(RATE)
    if name in variables:
        return Measurement(variables[name], int(variables[name].is_rate))
    if base in variables and isinstance(variables[base], Observed):
        message = (
            f"{label}: formula: {name!r} would be the rate of a force, which is not known; put it through a Derivative block"
        )
        raise FormulaError(message, text=text, position=text.find(name))
    if base in variables:
        rate = (2 if twice else 1) + int(variables[base].is_rate)
        if rate > 2:
            message = f"{label}: formula: {name!r} would be the rate of an acceleration"
            raise FormulaError(message, text=text, position=text.find(name))
        return Measurement(variables[base], rate)
    if "." not in name:
        return None
    element, *rest = name.split(".")
    sensor = sensor_named(*base.split(".")) if len(rest) == 1 else None
    if sensor is not None:
        rate = int(sensor.is_rate) + (2 if twice else int(base != name))
        if rate > 2:
            raise FormulaError(
                f"{label}: formula: {name!r} would be the rate of an acceleration", text=text, position=text.find(name)
            )
        return Measurement(sensor, rate)
    observed = observed_variable(name)
    if observed is not None:
        return Measurement(observed, 0)
    if rest[0] == "a" and len(rest) <= 2:  # acceleration of a joint's coordinate
        found = shorthand(".".join([element, "v", *rest[1:]]), text, label)
        return Measurement(found.variable, 2)
    found = shorthand(once, text, label)
    return Measurement(found.variable, 2 if twice else int(found.rate))


def formula_names(text: str, label: str, field: str, tables: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """Names in a formula, dotted ones among them, in the order of their first place."""
    try:
        found = parse(text, (), None, dotted=True, tables=tables).names
    except FormulaError as error:
        raise FormulaError(f"{label}: {field}: {error.reason}", text=error.text, position=error.position, field=field) from None
    return tuple(sorted(found, key=lambda name: (text.index(name), name)))


def check_variables(variables: Any, label: str) -> dict[str, Variable]:
    """Variables by name, for a formula."""
    if not isinstance(variables, Mapping):
        fail(label, "variables", f"= {shown(variables)} must be a dict of variables by name")
    for name, variable in variables.items():
        if not isinstance(name, str) or reserved(name) or name == "t" or name.endswith((RATE, SECOND_RATE)):
            remedy = "use letters, digits and _, no name of a function, not t, and no _dot at the end (x_dot is the rate of x)"
            fail(label, "variables", f"has the name {name!r}, which cannot be used in formulas; {remedy}")
        if not isinstance(variable, Variable):
            fail(label, "variables", f"has {name!r} = {variable!r}, which must be one of {Variable.family.names}")
    return dict(variables)
