"""When a long run switches to code derived for its model: once it has used as much time as the derivation takes.

So a run takes at most about twice as long as it would with the better choice from the beginning. The times are estimated from
numbers of the model, never measured, so that the same run gives the same numbers.
"""

from __future__ import annotations

from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.methods.method_choice import features, predicted_cost
from sharnir.dynamics.straight_line.derived_functions import DerivedFunctions, check_derivable
from sharnir.errors import ModelError
from sharnir.integrate.stepping.problem import Quicker

MOST_BODIES, MOST_ROWS = 40, 60  # of larger mechanisms the code is too long
PER_OPERATION = 0.2e-9  # s of derived code
WORTH_IT = 0.7  # of the engine's time: derived code must take less


def evaluations_before(system: Equations) -> int | None:
    """How many evaluations by the engine cost what a derivation costs; None where there is none."""
    n, rows = int(system.table[L.N_BODY]), int(system.table[L.N_ROW]) if system.constrained else 0
    if n > MOST_BODIES or rows > MOST_ROWS:
        return None
    try:
        check_derivable(system)
    except ModelError:
        return None
    derivation = 0.05 + 0.01 * n + 0.003 * n * rows if rows else 0.03 + 0.02 * n
    return int(derivation / seconds_of_engine(system))


def seconds_of_engine(system: Equations) -> float:
    """Estimated time of one evaluation by the engine."""
    if not system.constrained:
        return 1e-9 * predicted_cost(system.engine_method, features(system.assembly))
    return 1e-6 * (0.4 * int(system.table[L.N_BODY]) + 0.02 * int(system.table[L.N_ROW]) ** 2)


def quicker_functions(system: Equations) -> Quicker | None:
    """Derived functions of a system, if there are any and they are worth it."""
    try:
        found = DerivedFunctions(
            system,
            system.derivative.address,
            PROJECTION.address if system.constrained else None,
            WORTH_IT * seconds_of_engine(system) / PER_OPERATION,
        )
    except Exception:  # something has no closed form, or is out of the ordinary; a run on its way must not end for that
        return None
    return Quicker(found.derivative, found.balanced, found.projection, found)
