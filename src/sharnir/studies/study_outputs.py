"""Outputs of a study: formulas over the channels of a run that give one number, or Python functions of its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.arguments import fail, mapping, shown
from sharnir.errors import FormulaError, ModelError
from sharnir.model.formula import parse
from sharnir.model.formula.parser import similar
from sharnir.results import Result, UnknownChannelError
from sharnir.studies.reductions import REDUCTIONS
from sharnir.studies.units_of_formulas import unit_of
from sharnir.symbolic.expression_graph import walk
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import Name, Node, Number

ARGUMENTS = {name: one.arguments for name, one in REDUCTIONS.items() if name not in ROWS}


@dataclass(frozen=True)
class StudyOutput:
    """A number that a study takes from each run: a formula, or a function of the run's Result.

    names : channels that have other names in the formula.

    >>> import numpy as np
    >>> from sharnir.results import Channel
    >>> result = Result(np.array([0.0, 1.0, 2.0]), [Channel("O.q", [1.0, -3.0, 2.0], "rad")])
    >>> StudyOutput("peak", "max(abs(O.q)) - c").value(result, {"c": 0.5})
    2.5
    """

    name: str
    formula: str | Callable[[Result], float]
    names: Mapping[str, str] | None = None

    @property
    def label(self) -> str:
        """How messages call it."""
        return f"output {self.name!r}"

    def node(self) -> Node:
        """The formula as it was read."""
        try:
            return parse(str(self.formula), (), None, dotted=True, tables=ARGUMENTS).node
        except FormulaError as error:
            raise FormulaError(
                f"{self.label}: {error.reason}", text=error.text, position=error.position, field=self.name
            ) from None

    def value(self, result: Result, parameters: Mapping[str, float]) -> float:
        """The number, from a run and the values of its parameters."""
        if callable(self.formula):
            found = self.formula(result)
            if np.ndim(found) or not isinstance(found, int | float | np.number):
                fail(self.label, "value", f"= {shown(found)} of its function must be a number")
            return float(found) + 0.0
        found = walk(self.node(), lambda node, parts: self._value(node, parts, result, parameters))
        return float(found) + 0.0  # no negative zero

    def unit(self, result: Result, parameters: Mapping[str, float], units: Mapping[str, str]) -> str | None:
        """Its unit where it is known, after checks of names and of what remains a quantity over time.

        result : of any run, with one output at least.   units : of the parameters.
        """
        if callable(self.formula):
            return None
        root = self.node()
        with np.errstate(all="ignore"):
            found = walk(root, lambda node, parts: self._value(node, parts, result, parameters))
        if np.ndim(found):
            remedy = f"take max({self.formula}), mean({self.formula}), final({self.formula}), …"
            raise ModelError(f"{self.label} = {str(self.formula)!r} is a function of time; {remedy}", field=self.name)
        known = {name: units.get(name, "") for name in parameters}
        return unit_of(root, lambda name: known[name] if name in known else str(result.unit(self._channel(name))))

    def _value(self, node: Node, parts: list[Any], result: Result, parameters: Mapping[str, float]) -> Any:
        if isinstance(node, Number):
            return float(node.value)
        if isinstance(node, Name):
            return parameters[node.name] if node.name in parameters else self._curve(node.name, result, parameters)
        function = node.function
        if function in REDUCTIONS and len(parts) == REDUCTIONS[function].arguments:
            first, *others = parts
            if any(np.ndim(other) for other in others):
                raise ModelError(f"{self.label}: the second argument of {function} must be a number", field=self.name)
            return REDUCTIONS[function].value(result.t, np.broadcast_to(np.asarray(first, float), result.t.shape), *others)
        with np.errstate(all="ignore"):
            return ROWS[function].value(*parts)

    def _channel(self, name: str) -> str:
        return (self.names or {}).get(name, name)

    def _curve(self, name: str, result: Result, parameters: Mapping[str, float]) -> np.ndarray:
        try:
            found = result[self._channel(name)]
        except UnknownChannelError as error:
            said = similar(name, list(parameters)).removesuffix(";") if "." not in name else ""
            raise ModelError(
                f"{self.label}: {said.removeprefix('; ') or error} (in {str(self.formula)!r})", field=self.name
            ) from None
        if found.ndim > 1:
            parts = ", ".join(result.components(self._channel(name)))
            raise ModelError(f"{self.label}: channel {name!r} has components; name one of them: {parts}", field=self.name)
        return found


def study_outputs(given: Any, names: Any) -> tuple[StudyOutput, ...]:
    """Outputs from formulas and functions by name."""
    found = mapping(given, "Study", "outputs", "formulas by name, such as {'peak': 'max(abs(O.v))'}")
    others = None if names is None else mapping(names, "Study", "variables", "names of channels by the names in formulas")
    if not found:
        fail("Study", "outputs", "is empty; name at least one, such as {'peak': 'max(abs(O.v))'}")
    for name, formula in found.items():
        if not (isinstance(formula, str) or callable(formula)) or not name:
            fail("Study", "outputs", f"[{name!r}] = {shown(formula)} must be a formula, or a function of a Result")
    return tuple(StudyOutput(name, formula, others) for name, formula in found.items())
