"""Signals given by formulas: sensors and what is computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, settle
from sharnir.model.formula.parser import reserved
from sharnir.model.given_functions import Table
from sharnir.model.grid_table import GridTable
from sharnir.model.signals.signal_element import Equations, SignalElement, check_variables, formula_names
from sharnir.model.values import TablesByName, VariablesByName, default, element


@element
class Signal(SignalElement):
    """A scalar evaluated throughout the motion: a sensor, or a formula of sensors and other signals.

    formula : text. In it names in `variables`, their rates `x_dot` and `x_ddot`, other signals, `t`, parameters of the model,
        and in short `O.q`, `O.v`, `O.a` (coordinate of joint O, its rate and second rate) and `rod.x`, `rod.x_dot`, `rod.x_ddot`
        (world position, velocity, acceleration of body rod).
    variables : JointCoordinate, PointCoordinate, PointDistance, DirectionCosine or PointVelocity by name.
    tables : tables that the formula calls as functions, by name: Table of one variable, GridTable of several.
    unit : for the channel.

    Formulas of forces, other signals and events refer to signals by name; signals are channels of the result. A signal that
    contains accelerations cannot be used in a force, which would determine its own input: put a filter in between.

    >>> Signal("error", "1 - O.q").measured
    {'O.q': Measurement(variable=JointCoordinate(joint='O', freedom=None), rate=0)}
    """

    name: str
    formula: str
    variables: VariablesByName = field(default_factory=default(dict), hash=False)
    unit: str = ""
    tables: TablesByName = field(default_factory=default(dict), hash=False)
    locates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        label = self._settle_name()
        if not isinstance(self.formula, str):
            fail(label, "formula", f"= {shown(self.formula)} must be text, such as '1 - O.q'")
        settle(self, variables=check_variables(self.variables, label))
        settle(self, tables=check_tables(self.tables, label))
        names = formula_names(self.formula, label, "formula", self.table_sizes)
        for name in self.variables:
            if not {name, f"{name}_dot", f"{name}_ddot"} & set(names):
                fail(label, "variables", f"has {name!r}, which the formula does not contain; use it or leave it out")
        _ = self.measured

    def formulas(self) -> list[tuple[str, str]]:
        return [("formula", self.formula)]

    def equations(self) -> Equations:
        return Equations({"": self.formula})


def check_tables(tables: Any, label: str) -> dict[str, Table | GridTable]:
    """Tables by the names that formulas call them by."""
    if not isinstance(tables, Mapping):
        fail(label, "tables", f"= {shown(tables)} must be a dict of tables by name")
    for name, table in tables.items():
        if not isinstance(name, str) or reserved(name):
            fail(label, "tables", f"has the name {name!r}, which cannot be used in formulas; use letters, digits and _")
        if not isinstance(table, (Table, GridTable)):
            fail(label, "tables", f"has {name!r} = {table!r}, which must be a Table or a GridTable")
    return dict(tables)
