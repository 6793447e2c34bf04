"""Why a mechanism cannot be assembled, in words: which joint stays open, which condition contradicts, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics.closure import Closure, close_positions
from sharnir.dynamics.consistent_speeds import solve_speeds
from sharnir.dynamics.constraint_matrices import Constraints, constraint_labels, constraints_at, elements
from sharnir.dynamics.initial_conditions import Condition
from sharnir.dynamics.joint_coordinates import coordinate_values, speed_values
from sharnir.dynamics.redundancy import contradiction
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.system import System

MOST = 12  # conditions that are tried one by one


def closing_error(system: System, end: Closure) -> ModelError:
    """The error for positions that cannot be closed: names the element with the largest gap."""
    name, gap = widest_gap(system, end)
    model = system.model.name
    loops = [loop for joint, loop in zip(system.tree.cuts, system.tree.loops, strict=True) if joint.name == name]
    if name not in system.model.joints:
        return ModelError(
            f"model '{model}': constraint '{name}' cannot be satisfied: the nearest position leaves {gap}; check its values and "
            f"the places of its bodies in the drawing"
        )
    through = f" through {', '.join(loops[0])}" if loops and len(loops[0]) <= 8 else ""
    return ModelError(
        f"model '{model}': joint '{name}' cannot be closed: the nearest position leaves {gap}; check the lengths and places of "
        f"the bodies in its loop{through}, and prescribed motions at t = 0"
    )


def widest_gap(system: System, end: Closure) -> tuple[str, str]:
    """Name of the element that is farthest from being satisfied, and how far, in words."""
    g, size = np.abs(end.found.g), np.maximum(end.found.size, 1e-300)
    worst, name, text = -1.0, "", ""
    for element, record in zip(system.assembly.elements, elements(system), strict=True):
        own = slice(element.row, element.row + element.count)
        value = float((g[own] / size[own]).max(initial=0.0))
        if value > worst:
            worst, name = value, element.name
            text = f"a residual of {g[own].max(initial=0.0):.3g}"
            if element.kind == L.CUT_JOINT:
                gap = system.work[record[L.E_WORK] + L.CUT_GAP :][:6]
                shift, turn = np.linalg.norm(gap[:3]), np.linalg.norm(gap[3:])
                text = f"a gap of {shift:.3g} m" + (f" and {np.degrees(turn):.3g}°" if turn > 1e-9 else "")
            elif element.kind == L.CUT_BALL:
                text = f"a gap of {np.linalg.norm(end.found.g[own]):.3g} m"
    return name, text


def condition_error(
    system: System,
    y: np.ndarray,
    conditions: list[Condition],
    found: Constraints | None = None,
    wanted: np.ndarray | None = None,
) -> ModelError:
    """The error for conditions that cannot hold together: says which one to drop, and what it would then be."""
    letter = conditions[0].letter
    for k in reversed(range(min(len(conditions), MOST))):
        others = conditions[:k] + conditions[k + 1 :]
        value = _value_without(system, y, conditions[k], others, found, wanted)
        if value is not None:
            kept = f" with {', '.join(c.name for c in others[:6])} kept" if others else ""
            own = (*conditions[k].values, *(conditions[k].turn or ()))
            wish, there = (", ".join(f"{x:.6g}" for x in numbers) for numbers in (own, value))
            remedy = "give it in Initial(guess=…)" if letter == "q" else "drop another one"
            return ModelError(
                f"model '{system.model.name}': {conditions[k].name} = {wish} contradicts the constraints{kept}: there it is "
                f"{there}; leave it at zero, so that it follows, or {remedy}"
            )
    names = ", ".join(c.name for c in conditions[:8])
    return ModelError(
        f"model '{system.model.name}': the constraints do not allow the given initial values of {names}; leave some at zero, so "
        f"that they follow"
    )


def _value_without(
    system: System,
    y: np.ndarray,
    condition: Condition,
    others: list[Condition],
    found: Constraints | None,
    wanted: np.ndarray | None,
) -> np.ndarray | None:
    """What a condition's quantity becomes if only the others are kept; None if they contradict each other, too."""
    if found is None or wanted is None:
        end = close_positions(system, y, others)
        return coordinate_values(system, condition.freedoms, end.y) if end.closed else None
    v, miss = solve_speeds(system, found, wanted, others)
    if miss > 1e-9:
        return None
    y = y.copy()
    y[system.n_q : system.n_q + system.n_v] = v
    constraints_at(system, y)
    return speed_values(system, condition.freedoms, v)


def speed_error(system: System, found: Constraints) -> ModelError:
    """The error for constraints that move against each other: drives of one loop with different speeds."""
    labels = constraint_labels(system)
    names = sorted({labels[k] for k in contradiction(system, found, found.gdot)})
    return ModelError(
        f"model '{system.model.name}': no speeds satisfy all constraints at t = 0; these contradict each other: "
        f"{'; '.join(names[:8])}; make their prescribed motions agree, or free one of them"
    )
