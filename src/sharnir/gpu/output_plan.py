"""Outputs of a study in two parts: quantities that the device reduces over time, and what the host makes of the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sharnir.errors import ModelError
from sharnir.gpu.device_reductions import DEVICE_REDUCTIONS
from sharnir.symbolic.expression_graph import names_of, ordered, substituted
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import Call, Name, Node, Number

ARGUMENTS = {"at": 2}


class Reduced(NamedTuple):
    """A reduction: of which quantity, with which moment (a quantity, too), and where its numbers begin."""

    function: str
    quantity: int
    moment: int
    place: int


@dataclass(frozen=True)
class Formula:
    """An output with reductions as names, for the host."""

    name: str
    node: Node


class OutputPlan:
    """Formulas of a study, cut where they are reduced over time.

    names : channels that have other names in the formulas.

    >>> x = Name("rail.q")
    >>> plan = OutputPlan({"peak": Call("max", (Call("abs", (x,)),)) - Name("c")}, {"c"})
    >>> plan.channels, [str(node) for node in plan.raw], str(plan.formulas[0].node)
    (['rail.q'], ['abs(rail.q)'], 'reduced 0 - c')
    """

    def __init__(self, outputs: Mapping[str, Node], parameters: set[str], names: Mapping[str, str] | None = None) -> None:
        self._names = names or {}
        self.raw: list[Node] = []
        self.reductions: list[Reduced] = []
        self.size = 0
        self._done: dict[Node, Node] = {}
        self.formulas = [Formula(name, self._cut(name, node)) for name, node in outputs.items()]
        self._parameters = {name: Name(name) for name in parameters}
        self.channels = sorted({self._names.get(name, name) for name in names_of(*self.raw) - parameters})
        self.quantities: list[Node] = []
        self.needs_rates = False

    def _cut(self, name: str, root: Node) -> Node:
        found: dict[Node, Node] = {}
        for node in ordered((root,)):
            if not isinstance(node, Call):
                found[node] = node
                continue
            parts = tuple(found[x] for x in node.arguments)
            if node.function in DEVICE_REDUCTIONS and len(parts) == ARGUMENTS.get(node.function, 1):
                if any(x.startswith("reduced ") for x in names_of(*parts)):
                    raise ModelError(
                        f"output {name!r}: {node.function}(…) of a number that is itself reduced over time needs the whole run, "
                        "which a GPU does not keep; use executor=None",
                        field=name,
                    )
                found[node] = self._reduced(node.function, parts)
            else:
                found[node] = Call(node.function, parts) if parts != node.arguments else node
        return found[root]

    def _reduced(self, function: str, parts: tuple[Node, ...]) -> Node:
        node = Call(function, parts)
        if node not in self._done:
            self._done[node] = Name(f"reduced {len(self.reductions)}")
            quantity, moment = self._quantity(parts[0]), self._quantity(parts[-1])
            self.reductions.append(Reduced(function, quantity, moment, self.size))
            self.size += DEVICE_REDUCTIONS[function].size
        return self._done[node]

    def _quantity(self, node: Node) -> int:
        if node not in self.raw:
            self.raw.append(node)
        return self.raw.index(node)

    def resolve(self, known: Mapping[str, Node], accelerations: set[str], values: Mapping[str, float]) -> None:
        """Put channels in, and parameters that are the same in all runs."""
        put: dict[Node, Node] = {Name(name): Number(value) for name, value in values.items()}
        for name in names_of(*self.raw) - self._parameters.keys():
            put[Name(name)] = known[self._names.get(name, name)]
        self.quantities = substituted(self.raw, put)
        self.needs_rates = bool(names_of(*self.quantities) & accelerations)

    def results(self, numbers: np.ndarray, length: float, parameters: Mapping[str, Any]) -> np.ndarray:
        """(runs, outputs) from the numbers of the device (size, runs) and the parameters of the runs."""
        values: dict[str, Any] = dict(parameters)
        for k, x in enumerate(self.reductions):
            kind = DEVICE_REDUCTIONS[x.function]
            values[f"reduced {k}"] = kind.result(length, *numbers[x.place : x.place + kind.size])
        columns = [np.broadcast_to(number_of(formula.node, values), numbers.shape[1]) for formula in self.formulas]
        return np.stack(columns, axis=1) + 0.0  # no negative zero


def number_of(root: Node, values: Mapping[str, Any]) -> Any:
    """A formula of numbers, or of arrays of them."""
    found: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for node in ordered((root,)):
            if isinstance(node, Number):
                found[node] = float(node.value)
            elif isinstance(node, Name):
                found[node] = values[node.name]
            else:
                found[node] = ROWS[node.function].value(*(found[x] for x in node.arguments))
    return found[root]
