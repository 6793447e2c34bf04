"""Several formulas of the same numbers: evaluated with NumPy, or compiled to one C function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.model.formula import Expression
from sharnir.model.given_functions import Table

if TYPE_CHECKING:
    from sharnir.kernel.user import UserFunction


@dataclass(frozen=True)
class Helper:
    """A Table (or its derivative) or a Python function that formulas use under a name; of one input, `argument`."""

    name: str
    function: Any
    derivative: int
    argument: str

    def evaluate(self, x: float) -> float:
        """The value at x."""
        return self.function.evaluate(x, self.derivative) if isinstance(self.function, Table) else float(self.function(x))


@dataclass(frozen=True)
class VectorFormula:
    """Formulas `outputs` of the names `inputs` and of the helpers' values.

    >>> from sharnir.model.formula import parse
    >>> f = VectorFormula(("x", "y"), (parse("x*y", ("x", "y")), parse("x - 1", ("x",))))
    >>> f.evaluate((2, 3)).tolist()
    [6.0, 1.0]
    """

    inputs: tuple[str, ...]
    outputs: tuple[Expression, ...]
    helpers: tuple[Helper, ...] = ()

    def evaluate(self, numbers: Sequence[float]) -> np.ndarray:
        """The outputs at given inputs, without the compiler."""
        values: dict[str, Any] = dict(zip(self.inputs, numbers, strict=True))
        values |= {helper.name: helper.evaluate(values[helper.argument]) for helper in self.helpers}
        return np.array([output.evaluate(**values) for output in self.outputs])

    def compiled(self, label: str = "formula") -> UserFunction:
        """As a C function of two addresses (kernel.call_vector): reads the inputs, writes the outputs.

        >>> from sharnir.model.formula import parse
        >>> VectorFormula(("x",), (parse("x^2", ("x",)),)).compiled().address > 0
        True
        """
        from sharnir.kernel.formulas.vector_formula import vector_formula

        own = {name: f"x{k}" for k, name in enumerate(self.inputs)}
        own |= {helper.name: f"h{k}" for k, helper in enumerate(self.helpers)}
        helpers = tuple((own[h.name], helper_function(h.function, h.derivative, label), own[h.argument]) for h in self.helpers)
        letters, values = self._parameters()
        texts = tuple(e.source(letters | own) for e in self.outputs)
        return vector_formula(tuple(own[name] for name in self.inputs), texts, helpers, values=values)

    def _parameters(self) -> tuple[dict[str, str], tuple[float, ...]]:
        """Codes and values of parameters that the code reads from memory."""
        known = {name: value for e in self.outputs for name, value in e.parameters.items()}
        found: set[str] = set().union(*(e.in_memory for e in self.outputs))
        names = sorted(found.difference(*(e.in_exponents for e in self.outputs)))
        return {name: f"p[{k}]" for k, name in enumerate(names)}, tuple(known[name] for name in names)


def helper_function(function: Any, derivative: int, label: str) -> UserFunction:
    """A Table or a Python function of one number as a C function."""
    if isinstance(function, Table):
        return table_function(function, derivative)
    from sharnir.kernel.user import scalar_function

    return scalar_function(function, 1, label)


@lru_cache(maxsize=1000)
def table_integral(table: Table) -> UserFunction:
    """The integral of a Table as a C function."""
    from sharnir.kernel.piecewise import piecewise_integral

    return piecewise_integral(np.array(table.x), table.coefficients(), table.outside)


@lru_cache(maxsize=1000)
def table_function(table: Table, derivative: int) -> UserFunction:
    """A Table, or its derivative, as a C function."""
    from sharnir.kernel.piecewise import piecewise_function

    return piecewise_function(np.array(table.x), table.coefficients(), table.outside, derivative)
