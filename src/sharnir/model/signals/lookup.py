"""Signals looked up in tables, or computed by compiled Python functions."""

from __future__ import annotations

from sharnir.arguments import shown
from sharnir.model.checks import fail, settle
from sharnir.model.given_functions import Table, check_arguments
from sharnir.model.grid_table import GridTable
from sharnir.model.signals.blocks import ManyInputs
from sharnir.model.signals.signal_element import Equations
from sharnir.model.values import Code, FormulaList, TableValue, default, element


@element
class Lookup(ManyInputs):
    """A table of one or several variables: Table of one input, GridTable of several.

    >>> Lookup("force", ["O.q"], Table((0, 1), (0, 10))).inputs
    ('O.q',)
    """

    name: str
    inputs: FormulaList
    table: TableValue
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        if not isinstance(self.table, (Table, GridTable)):
            fail(label, "table", f"= {shown(self.table)} must be a Table or a GridTable")
        wanted = 1 if isinstance(self.table, Table) else len(self.table.axes)
        if len(self.inputs) != wanted:
            fail(
                label,
                "inputs",
                f"= {shown(self.inputs)} must have {wanted} formula{'s' if wanted > 1 else ''}, as the table has axes",
            )

    def equations(self) -> Equations:
        return Equations({"": "x"}, calls={"x": (self.table, tuple(self.input_formulas()))})


@element
class Function(ManyInputs):
    """A Python function of numbers, compiled into the equations: f(input, …) returns a number.

    Numbers, tuples and functions of math only; use Sampled for anything else.

    >>> Function("torque", lambda q, v: -10*q - 2*v, ["O.q", "O.v"]).inputs
    ('O.q', 'O.v')
    """

    name: str
    function: Code
    inputs: FormulaList = default(())
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        if not callable(self.function):
            fail(label, "function", f"= {shown(self.function)} must be a Python function f(input, …)")
        check_arguments(self.function, len(self.inputs), "f(input, …)", label, "function")
        settle(self, inputs=self.inputs)

    def equations(self) -> Equations:
        return Equations({"": "x"}, calls={"x": (self.function, tuple(self.input_formulas()))})
