"""When a long run switches to code derived for its model: once it has used as much time as the derivation takes.

So a run takes at most about twice as long as it would with the better choice from the beginning. The times are estimated from
numbers of the model, never measured, so that the same run gives the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.methods.method_choice import cost_model, features, predicted_cost
from sharnir.dynamics.straight_line.derivability import Derivable, check_derivable
from sharnir.dynamics.straight_line.derived_directions import late_jacobian
from sharnir.dynamics.straight_line.derived_functions import Derivation, DerivedFunctions
from sharnir.dynamics.straight_line.held_switches import check_held
from sharnir.dynamics.straight_line.parametric_code import agrees
from sharnir.equations.model_numbers import ModelNumbers, numbers_of
from sharnir.errors import ModelError
from sharnir.integrate.stepping.problem import Quicker

MOST_BODIES, MOST_ROWS = 40, 60  # of larger mechanisms the code is too long
MOMENT = 0.2  # s that a run may stop for to derive the equations of a structure that has changed
DERIVED, STRUCTURES = 3, 20  # how often one structure is derived in the runs of a model, and how many structures
WORTH_IT = 0.7  # of the engine's time: derived code must take less


def evaluations_before(system: Equations) -> int | None:
    """How many evaluations by the engine cost what a derivation costs; None where there is none."""
    if sizes(system)[0] > MOST_BODIES or sizes(system)[1] > MOST_ROWS:
        return None
    if system.table[L.N_ELASTIC]:  # the cost model is fitted to rigid bodies
        return None
    # Absolute coordinates: with stiff springs implicit integrators reject most steps of derived code, for a reason not found yet
    # (flyball governor: 21 800 steps instead of 2100).
    if system.table[L.LONE] or not system.assembly.functions.sides.followed:
        return None
    try:
        check_derivable(system)
    except ModelError:
        return None
    return int(derivation_seconds(system) / seconds_of_engine(system))


def sizes(system: Equations) -> tuple[int, int]:
    """Numbers of bodies and of constraint equations."""
    return int(system.table[L.N_BODY]), int(system.table[L.N_ROW]) if system.constrained else 0


def derivation_seconds(system: Equations) -> float:
    """Estimated time that deriving and compiling take (benchmarks/fit_cost_model.py)."""
    facts = derivation_features(system)
    return sum(c * facts[name] for name, c in cost_model()["symbolic"]["derivation"].items())


def derivation_features(system: Equations) -> dict[str, float]:
    """What the time of a derivation grows with."""
    n, rows = sizes(system)
    return {
        "least": 1.0,
        "speeds": float(system.n_v),
        "square_speeds": float(system.n_v**2),
        "equations": float(rows),
        "body_equations": float(n * rows),
        "square_equations": float(rows**2),
    }


class DerivedStructures:
    """Derived code of the structures that runs of a model go through: what has been derived before is not derived again.

    Freedoms that are held somewhere else are numbers in memory; a structure is derived at most DERIVED times.
    """

    def __init__(self) -> None:
        self._known: list[_Structure] = []

    def derive(self, system: Any) -> bool:
        """Derive a system that has changed within a run, if that takes no longer than a moment; else the engine computes on."""
        if derivation_seconds(system) > MOMENT:
            return False
        try:
            if system.table[L.N_SWITCH]:
                system.derive()
                return True
            check_derivable(system)
            found = self._functions(system)
        except ModelError:
            return False
        if found is None:
            return False
        system.derived, system.method = found, "symbolic"
        return True

    def _functions(self, system: Derivable) -> DerivedFunctions | None:
        """Code of the structure with the numbers of this system; None if it has been derived often enough."""
        facts, numbers = _facts(system), numbers_of(system.model, system.tree)
        known = next((x for x in self._known if x.facts == facts and x.numbers.shape == numbers.shape), None)
        if known is None:
            if len(self._known) == STRUCTURES:
                return None
            known = _Structure(facts, numbers, Derivation(system))
            self._known.append(known)
            return DerivedFunctions(system, known.derivation)
        varying = sorted({*known.varying, *np.flatnonzero(numbers != known.numbers).tolist()})
        if varying != known.varying:
            if known.times == DERIVED:
                return None
            known.derivation = Derivation(system, numbers=ModelNumbers(varying=varying))
            known.varying, known.times = varying, known.times + 1
        found = DerivedFunctions(system, known.derivation, numbers[varying].tolist())
        return found if agrees(found, system, system.y0) else None


@dataclass
class _Structure:
    """One that has been derived: what it is, the model's numbers when it was, and which of them stand in memory since then."""

    facts: tuple[Any, ...]
    numbers: np.ndarray
    derivation: Derivation
    varying: list[int] = field(default_factory=list)
    times: int = 1


def _facts(system: Derivable) -> tuple[Any, ...]:
    """Everything that a derivation reads, but for the places where freedoms are held; equal where it derives the same."""
    model, tree = system.model, system.tree
    joints = [
        (type(joint), {**vars(joint), "motion": tuple(float if isinstance(x, float) else x for x in joint.motion)})
        for joint in model.joints.values()
    ]
    elements = [dict(x) for x in (model.bodies, model.forces, model.constraints, model.signals)]
    order = tree.bodies, [joint.name for joint in (*tree.joints, *tree.cuts)], tree.parent, tree.reversed, system.n_z
    return joints, elements, order, system.coordinates, system.speeds, dict(model.parameters), model.gravity, model.base_motion


def seconds_of_engine(system: Equations) -> float:
    """Estimated time of one evaluation by the engine."""
    found = features(system.assembly)
    known = cost_model()["loops" if "rows" in found else "methods"]
    return 1e-9 * predicted_cost(system.engine_method if system.engine_method in known else "articulated", found)


def most_operations(system: Equations) -> float:
    """Operations of derived code that take less time than the engine, by enough to be worth it."""
    return WORTH_IT * seconds_of_engine(system) / cost_model()["symbolic"]["evaluation"]["operations"]


def quicker_functions(system: Derivable) -> Quicker | None:
    """Derived functions of a system, if there are any and they are worth it; made once."""
    if "found" not in system.quicker:
        system.quicker["found"] = _quicker_functions(system)
    return system.quicker["found"]


def _quicker_functions(system: Derivable) -> Quicker | None:
    if system.table[L.N_SWITCH] and system.assembly.functions.errors:  # the derivation would forget them
        return None
    try:
        found = DerivedFunctions(system, Derivation(system, most_operations(system)))
        if system.table[L.N_SWITCH]:
            check_held(system, found.derivation.held, found.derivative)
    except Exception:  # something has no closed form, or is out of the ordinary; a run on its way must not end for that
        return None
    if not found.derivation.tells_switches:
        return None
    jacobian = late_jacobian(system, found) if found.derivation.bends_only else None
    return Quicker(found.derivative, found.balanced, found.projection, found, jacobian)
