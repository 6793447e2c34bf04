"""Tables as plain data: what differs from the defaults is written, and comes back."""

import pytest

from sharnir.model import GridTable, Table
from sharnir.model.files.table_encoding import read_table, written_table

X, Y = (0.0, 1.0, 2.0, 4.0), (0.0, 3.0, 1.0, 2.0)
AXES, VALUES = (X, X), (Y, X, Y, X)


@pytest.mark.parametrize("given", [{}, {"kind": "cubic"}, {"outside": "extend"}])
@pytest.mark.parametrize("table", [Table(X, Y), GridTable(AXES, VALUES)], ids=["line", "grid"])
def test_what_is_given_is_written_and_read(table, given):
    changed = type(table)(*((table.x, table.y) if isinstance(table, Table) else (table.axes, table.values)), **given)
    data = written_table(changed, None, "")
    assert {name: value for name, value in data.items() if isinstance(value, str)} == given
    assert read_table(data) == changed
