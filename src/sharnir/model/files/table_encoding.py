"""Tables as plain data for files."""

from __future__ import annotations

from typing import Any

from sharnir.model.given_functions import Table
from sharnir.model.grid_table import GridTable


def table_data(table: Table) -> dict[str, Any]:
    """A Table without its defaults."""
    data: dict[str, Any] = {"x": list(table.x), "y": list(table.y)}
    data |= {"kind": table.kind} if table.kind != "linear" else {}
    data |= {"outside": table.outside} if table.outside != "constant" else {}
    return data | ({"smooth": True} if table.smooth else {})


def written_table(table: Table | GridTable, element: Any, field: str) -> dict[str, Any]:
    """A table of one variable, or on a grid."""
    if isinstance(table, Table):
        return table_data(table)
    data = {"axes": listed(table.axes), "values": listed(table.values)}
    data |= {"kind": table.kind} if table.kind != "linear" else {}
    data |= {"outside": table.outside} if table.outside != "constant" else {}
    return data | ({"smooth": True} if table.smooth else {})


def listed(value: Any) -> Any:
    """Tuples as lists."""
    return [listed(part) for part in value] if isinstance(value, tuple) else value


def read_table(value: dict[str, Any]) -> Table | GridTable:
    """A table of one variable, or on a grid.

    >>> read_table({"x": [0, 1], "y": [0, 2]}).evaluate(0.5)
    1.0
    """
    return GridTable(**value) if "axes" in value else Table(**value)
