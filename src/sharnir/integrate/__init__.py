"""Time stepping of a *problem*, compiled; knows no bodies.

`integrate(problem, y0, t_grid)` is the way in; `Run` is the same in pieces. The compiler is imported when a run begins.
"""

from sharnir.integrate.choice import ALL_INTEGRATORS, Choice, default_integrator
from sharnir.integrate.problem import SIGNATURE, Problem, textbook_problem
from sharnir.integrate.run import Run, integrate
from sharnir.integrate.solution import Solution

__all__ = ["ALL_INTEGRATORS", "SIGNATURE", "Choice", "Problem", "Run", "Solution", "default_integrator", "integrate", "textbook_problem"]
