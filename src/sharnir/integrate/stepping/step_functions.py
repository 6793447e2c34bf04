"""The integrator's own part of the common loop (step_loop.py): six functions, called by their addresses.

| function | does |
|---|---|
| `restart(m)` | forgets the past: the run starts, or restarts, at the state in row FLIP; its derivative and DT are known |
| `attempt(m, t, dt, t1)` | the new state in row 1 - FLIP, with unit quaternions; returns the error relative to the tolerance |
| `polynomial(m, t, dt, t1)` | the polynomial of an accepted step in rows DENSE …, and its numbers in DENSE_HEADER |
| `interpolate(m, goal, t, dt, t1)` | the state at a time within this step, in row SCRATCH |
| `accept(m, dt, error)` | length, and order, of the next step; keeps what it needs of this one |
| `reject(m, dt, error)` | length, and order, with which the step is tried again |

All of them begin with the memory of the run. `attempt` returns 0 for a step whose length is given (`is_controlled`), NaN for one
that has failed, and AGAIN if it is to be tried once more and all that is needed for it has been done, as after a Newton iteration
that does not converge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sharnir.integrate.stepping.run_memory import Memory
from sharnir.kernel import FLOAT, VOID, Pointer, Record, call_by_address, record_at

AGAIN = -1.0  # in place of an error, see above

RUN = Record("run", Memory._fields)
memory_at = record_at(RUN)

call_restart = call_act = call_by_address(VOID, RUN)
call_attempt = call_by_address(FLOAT, RUN, FLOAT, FLOAT, FLOAT)
call_polynomial = call_search = call_by_address(VOID, RUN, FLOAT, FLOAT, FLOAT)
call_interpolate = call_by_address(VOID, RUN, FLOAT, FLOAT, FLOAT, FLOAT)
call_accept = call_reject = call_by_address(VOID, RUN, FLOAT, FLOAT)
call_relax = call_by_address(FLOAT, RUN, FLOAT, FLOAT)


class StepFunctions(NamedTuple):
    """The functions of one integrator, compiled when a run asks for their addresses."""

    restart: Any
    attempt: Any
    polynomial: Any
    interpolate: Any
    accept: Any
    reject: Any


def step_functions(
    restart: Callable, attempt: Callable, polynomial: Callable, interpolate: Callable, accept: Callable, reject: Callable
) -> StepFunctions:
    """They are kernels at the top of a file, not closures: those cannot be kept on disk."""
    return StepFunctions(
        Pointer(restart, VOID(RUN)),
        Pointer(attempt, FLOAT(RUN, FLOAT, FLOAT, FLOAT)),
        Pointer(polynomial, VOID(RUN, FLOAT, FLOAT, FLOAT)),
        Pointer(interpolate, VOID(RUN, FLOAT, FLOAT, FLOAT, FLOAT)),
        Pointer(accept, VOID(RUN, FLOAT, FLOAT)),
        Pointer(reject, VOID(RUN, FLOAT, FLOAT)),
    )


def search_function(search: Callable) -> Any:
    """What looks for events in an accepted step: search(m, t, dt, t1)."""
    return Pointer(search, VOID(RUN, FLOAT, FLOAT, FLOAT))


def act_function(act: Callable) -> Any:
    """What does the work of events without Python: act(m)."""
    return Pointer(act, VOID(RUN))


def relax_function(relax: Callable) -> Any:
    """What an implicit integrator makes of the change by a projection: relax(m, t1, size of it), returns its new size."""
    return Pointer(relax, FLOAT(RUN, FLOAT, FLOAT))
