"""Functions that derived code calls through slots: tables, tables of several variables, users' functions, as C functions.

They are those of the engine: the same polynomials, the same compilation, and for motions the same differences.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from sharnir.dynamics.memory.c_functions import time_differences
from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.signals.program_functions import compiled_function, grid_kernel
from sharnir.equations.entries import Entries, UsersFunction
from sharnir.kernel import Pointer
from sharnir.kernel.formulas.c_function import TranslatedFunction
from sharnir.kernel.formulas.translation import written
from sharnir.kernel.signatures import SCALAR
from sharnir.kernel.storage.function_digest import function_digest
from sharnir.kernel.user import scalar_function
from sharnir.model import GridTable
from sharnir.model.constraints.vector_formula import table_function
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.nodes import Call, Node

LEAST = 3  # arguments of C functions of up to three numbers


def called_names(entries: Entries) -> list[str]:
    """Names of all functions that expressions may call, in the order of their slots."""
    return [*entries.tables, *entries.grids, *entries.users]


def arguments_of(entries: Entries, name: str) -> int:
    """How many arguments the C function has."""
    if name in entries.grids:
        return len(entries.grids[name][0].axes)
    users = entries.users.get(name)
    return users.count if users is not None and users.in_signal else LEAST


def users_of(entries: Entries, roots: Iterable[Node], moving: Collection[Node]) -> str | None:
    """The element of a user's function that is called with something that moves."""
    touched = set(moving)
    for node in ordered(roots):
        if any(x in touched for x in node.arguments):
            touched.add(node)
            if isinstance(node, Call) and node.function in entries.users:
                return entries.users[node.function].name
    return None


def called_functions(entries: Entries, system: Equations) -> list[Any]:
    """The C functions, to be kept as long as the code; the system is told what users' functions raise."""
    found: list[Any] = [table_function(*x) for x in entries.tables.values()]
    found += [grid_function(*x) for x in entries.grids.values()]
    return [*found, *(users_function(x, system) for x in entries.users.values())]


@lru_cache(maxsize=1000)
def grid_function(table: GridTable, along: int | None = None) -> TranslatedFunction:
    """A table of several variables, or its derivative by one of them, as a C function of as many numbers.

    >>> grid_function(GridTable(((0, 1), (0, 2)), ((0, 1), (3, 4))), 0).address > 0
    True
    """
    axes = [np.array(axis) for axis in table.axes]
    coefficients = table.coefficients() if along is None else table.slope_coefficients(along)
    function, memory = grid_kernel(axes, coefficients, table.outside == "constant", along)
    KEPT.append(memory)
    return TranslatedFunction(function, "d" * len(axes))


KEPT: list[np.ndarray] = []  # memory of tables; compiled code knows its address only


def users_function(x: UsersFunction, system: Equations) -> Any:
    """A user's function as the engine calls it."""
    label = f"'{x.name}'"
    if x.in_signal:  # what raises gives not-a-number
        names = ", ".join(f"x{k}" for k in range(x.count))
        scope: dict[str, Any] = {"__name__": __name__, "inner": compiled_function(x.function, label, x.count)}
        function = written([f"def called({names}): return inner({names})"], "called", scope)
        signature = SCALAR if x.count == LEAST else f"float64({', '.join(['float64'] * x.count)})"
        return Pointer(function, signature, cached=False, digest=function_digest(function))
    plain = time_differences(x.function)[x.order - 1] if x.order else x.function
    found = scalar_function(plain, x.count, label)
    system.assembly.functions.keep(found, label)
    return found
