"""`integrate`: a whole run with one call."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sharnir.integrate.choice import integrator_named
from sharnir.integrate.run import Run
from sharnir.integrate.solution import Solution
from sharnir.integrate.stepping.integrator import Integrator
from sharnir.integrate.stepping.problem import Problem
from sharnir.integrate.stepping.settings import Settings, allowed_evaluations
from sharnir.integrate.sundials import Sundials

CHUNK_SECONDS = 0.1  # how often a run comes back to Python for the progress bar and for Ctrl-C


def integrate(
    problem: Problem,
    y0: Any,
    t_grid: Any,
    integrator: str | Integrator | Sundials = "dopri5",
    rtol: float = 1e-8,
    atol: float | Sequence[float] | np.ndarray = 1e-10,
    step: float | None = None,
    order: int | None = None,
    max_step: float = math.inf,
    max_evaluations: int = 10**9,
    dense: bool = False,
    progress: Callable[[float], Any] | None = None,
    control: bool = True,
    options: Mapping[str, float] | None = None,
) -> Solution:
    """Integrate a problem from y0 at t_grid[0] and return the states on the grid.

    A run that fails on the way does not raise: look at `status` and `message` of the Solution.

    Parameters
    ----------
    y0, t_grid
        Initial state, (n,) or with lanes (n, lanes), and increasing times of output; the run ends at the last one exactly.
    integrator
        Name in ALL_INTEGRATORS, or "auto" (see `default_integrator`); "ida" or "cvode" need the optional package scikit-sundae.
    rtol, atol
        A step is accepted if the root mean square of error_i / (atol_i scale_i + rtol |y_i|) is at most 1.
    step
        Length of fixed steps (rk4, or control=False), shortened so that grid points are hit; otherwise the first step to try.
    order
        Only for "abm": 1 … 12; for "bdf", "ida", "cvode" the largest to use, 1 … 5.
    max_evaluations
        A run ends when it has made them, or earlier, after 2²⁰, if its steps become ever shorter and it would not reach the end
        with them (run_end.py).
    dense
        Keep the polynomial of every step, so that the solution can be called with any time.
    progress
        Called with the part done, 0 … 1, about ten times a second.
    control
        False: fixed steps also for an integrator that could choose them itself.
    options
        What else an integrator takes: {"rho": …} of "generalized-alpha", {"alpha": …} of "hht", {"damping": …} of "newmark";
        {"max_evaluations": …} of all.

    >>> from sharnir.integrate import textbook_problem
    >>> def circle(t, y, yd):
    ...     yd[0], yd[1] = -y[1], y[0]
    >>> solution = integrate(textbook_problem(circle, 2), [1.0, 0.0], [0.0, 3.141592653589793])
    >>> bool(abs(solution.y[-1, 0] + 1.0) < 1e-6), solution.message
    (True, 'finished at t = 3.14159265')
    """
    settings = Settings(rtol, atol, step, max_step, allowed_evaluations(options, max_evaluations), dense, control)
    chosen = integrator_named(integrator, order, rtol, options)
    if isinstance(chosen, Sundials):
        return chosen.solution(problem, y0, t_grid, settings, progress)
    run = Run(problem, y0, t_grid, chosen, settings)
    with problem.second_thread():
        return finished_solution(run, progress)


def finished_solution(run: Run, progress: Callable[[float], Any] | None = None) -> Solution:
    """The run to its end, in pieces of about CHUNK_SECONDS."""
    chunk = 1  # the first evaluation compiles, if that has not happened yet
    try:
        while not run.done:
            begin = time.perf_counter()
            run.advance(chunk)
            pace = CHUNK_SECONDS / max(time.perf_counter() - begin, 1e-9)
            chunk = 2 if chunk == 1 else max(2, int(chunk * min(16.0, max(0.1, pace))))
            if progress is not None:
                progress(run.fraction)
    except KeyboardInterrupt:
        pass  # the solution says "interrupted" and holds what was computed
    return run.solution()
