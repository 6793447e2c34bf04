"""Time stepping of a *problem*, compiled; independent of mechanics.

`integrate(problem, y0, t_grid)` is the way in; `Run` is the same in pieces. The compiler is imported when a run begins.
"""

from sharnir.integrate.choice import ALL_INTEGRATORS, EXTERNAL_INTEGRATORS, Choice, default_integrator, integrator_named
from sharnir.integrate.integration import integrate
from sharnir.integrate.run import Run
from sharnir.integrate.solution import Solution
from sharnir.integrate.stepping.integrator import Integrator
from sharnir.integrate.stepping.problem import Problem, textbook_problem
from sharnir.integrate.stepping.settings import Settings

__all__ = [
    "ALL_INTEGRATORS",
    "EXTERNAL_INTEGRATORS",
    "Choice",
    "Integrator",
    "Problem",
    "Run",
    "Settings",
    "Solution",
    "default_integrator",
    "integrate",
    "integrator_named",
    "textbook_problem",
]
