"""The program of signals as compiled functions."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sharnir.dynamics.memory.c_functions import read
from sharnir.dynamics.memory.held_tables import held_table
from sharnir.dynamics.memory.switch_memory import FUNCTIONS
from sharnir.dynamics.signals.program_functions import check_users, compiled_function
from sharnir.dynamics.signals.signal_program import SignalProgram, Update
from sharnir.kernel import PLAIN, Pointer, doubles
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.kernel.storage.function_digest import function_digest
from sharnir.model.given_functions import Table
from sharnir.model.grid_table import GridTable
from sharnir.model.signals.delay import PastValue


def compiled_program(program: SignalProgram) -> tuple[Any, Any]:
    """Both parts as C functions with the signature of a right-hand side: (t, sensors, signals, rates, …)."""
    n, functions = len(program.measures), tuple(program.functions)
    known = tuple(_Known(function, label, count) for function, label, count in functions)
    return _compiled(tuple(program.early), n, known), _compiled(tuple(program.late), n, known)


def compiled_update(program: SignalProgram, update: Update) -> Any:
    """What happens at a tick as a function of the same kind; it writes results where the others write rates."""
    known = tuple(_Known(function, label, count) for function, label, count in program.functions)
    return _compiled(update.lines, len(program.measures), known)


class _Known:
    """A function that a program calls, known by what it is made of now: cells and globals of a user's function may change."""

    def __init__(self, function: Any, label: str, count: int) -> None:
        self.given = (function, label, count)
        users = isinstance(function, types.FunctionType) or hasattr(function, "py_func")
        self.key = ((function_digest(function) or id(self)) if users else function, label, count)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=200)
def _compiled(lines: tuple[str, ...], n: int, known: tuple[_Known, ...]) -> Any:
    functions = tuple(x.given for x in known)
    head = [f"n = {n}"]
    text = "\n".join(lines)
    called = {f"f{k}": compiled_function(*x) for k, x in enumerate(functions) if re.search(rf"\bf{k}\(", text)}
    called |= {f"f{k}_held": held_table(x[0]) for k, x in enumerate(functions) if re.search(rf"\bf{k}_held\(", text)}
    views = ["m, s, r = doubles(_m), doubles(_s), doubles(_r)"]
    scope = {"__name__": __name__, "math": math, "doubles": doubles, **called, **FUNCTIONS}
    function = read("\n    ".join(["def program(t, _m, _s, _r, _unused, _too):", *views, *head, *lines]), "program", scope)
    if PLAIN:
        return Pointer(_caught(function), DERIVATIVE)
    from sharnir.kernel.formulas.c_function import TranslatedFunction

    if all(isinstance(x[0], (Table, GridTable, PastValue)) for k, x in enumerate(functions) if f"f{k}" in called):
        return TranslatedFunction(function, "diiiii")
    return _with_users_functions(function, functions, called)


def _with_users_functions(function: Callable, functions: tuple[Any, ...], called: dict[str, Any]) -> Any:
    """A program that calls users' functions, which Numba compiles into it."""
    from sharnir.kernel.compilation import Pointer

    lasts = not any(isinstance(x[0], (Table, GridTable)) for x in functions)  # tables have addresses
    pointer = Pointer(function, DERIVATIVE, cached=False, digest=function_digest(function) if lasts else None)
    try:
        _ = pointer.address
    except Exception:  # Numba raises many kinds; a user's function is said to be the reason if it is
        for k, x in enumerate(functions):
            if f"f{k}" in called:
                check_users(*x)
        raise
    return pointer


def _caught(function: Callable) -> Callable:
    """Plain Python raises where compiled code goes on with infinity."""

    def call(*arguments: Any) -> None:
        import numpy as np

        with np.errstate(all="ignore"):
            function(*arguments)

    return call
