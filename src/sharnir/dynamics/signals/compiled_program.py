"""The program of signals as compiled functions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sharnir.dynamics.memory.c_functions import read
from sharnir.dynamics.memory.held_sides import FUNCTIONS
from sharnir.dynamics.memory.held_tables import held_table
from sharnir.dynamics.signals.program_functions import compiled_function
from sharnir.dynamics.signals.signal_program import SignalProgram, Update
from sharnir.kernel.mode import PLAIN


def compiled_program(program: SignalProgram) -> tuple[Any, Any]:
    """Both parts as C functions with the signature of a right-hand side: (t, sensors, signals, rates, …)."""
    n, functions = len(program.measures), tuple(program.functions)
    return _compiled(tuple(program.early), n, functions), _compiled(tuple(program.late), n, functions)


def compiled_update(program: SignalProgram, update: Update) -> Any:
    """What happens at a tick as a function of the same kind; it writes results where the others write rates."""
    return _compiled(update.lines, len(program.measures), tuple(program.functions))


@lru_cache(maxsize=200)
def _compiled(lines: tuple[str, ...], n: int, functions: tuple[Any, ...] = ()) -> Any:
    head = [f"n = {n}"]
    text = "\n".join(lines)
    called = {f"f{k}": compiled_function(*x) for k, x in enumerate(functions) if re.search(rf"\bf{k}\(", text)}
    called |= {f"f{k}_held": held_table(x[0]) for k, x in enumerate(functions) if re.search(rf"\bf{k}_held\(", text)}
    if PLAIN:
        scope: dict[str, Any] = {"math": math, **called, **FUNCTIONS}
        read("\n    ".join(["def program(t, m, s, r):", *head, *(lines or ("pass",))]), scope)
        return _caught(scope["program"])
    from sharnir.kernel.compilation import Pointer
    from sharnir.kernel.memory import doubles
    from sharnir.kernel.signatures import DERIVATIVE

    views = ["m, s, r = doubles(_m), doubles(_s), doubles(_r)"]
    scope = {"math": math, "doubles": doubles, **called, **FUNCTIONS}
    read("\n    ".join(["def program(t, _m, _s, _r, _unused, _too):", *views, *head, *lines]), scope)
    return Pointer(scope["program"], DERIVATIVE, cached=False)


def _caught(function: Callable) -> Callable:
    """Plain Python raises where compiled code goes on with infinity."""

    def call(*arguments: Any) -> None:
        import numpy as np

        with np.errstate(all="ignore"):
            function(*arguments)

    return call
