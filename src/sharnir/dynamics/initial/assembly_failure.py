"""Why a mechanism cannot be assembled: which joint stays open, which conditions contradict each other, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.initial.consistent_speeds import solve_speeds
from sharnir.dynamics.initial.continuation import drawn_state, farthest
from sharnir.dynamics.initial.loop_closure import Closure, close_positions, least_gap
from sharnir.dynamics.initial.user_conditions import Condition
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import Constraints, constraint_labels, constraints_at, elements
from sharnir.dynamics.mobility.drives_of_loops import loop_drives, quoted
from sharnir.dynamics.mobility.formula_faults import formula_fault
from sharnir.dynamics.mobility.joint_coordinates import speed_values
from sharnir.dynamics.mobility.redundancy import contradiction
from sharnir.errors import ModelError
from sharnir.model.frames import rotation_matrix

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

MOST = 12  # conditions that are tried one by one


def fault_error(system: Equations, y: np.ndarray) -> ModelError:
    """The error for equations that are not numbers at a state."""
    fault = formula_fault(system, y) or "an equation is not a number"
    return ModelError(f"model '{system.model.name}': {fault}; change it, or start from another position")


def closing_error(system: Equations, y: np.ndarray, end: Closure) -> ModelError:
    """The error for positions that cannot be closed from y: names the element with the largest gap."""
    if formula_fault(system, y) is not None:
        return fault_error(system, y)
    end = least_gap(system, y, end)
    name, gap = widest_gap(system, end)
    model, drives = system.model.name, loop_drives(system.model, [name])
    moved = f", and what {quoted(drives)} prescribe{'s' if len(drives) == 1 else ''} at t = 0" if drives else ""
    loops = [loop for joint, loop in zip(system.tree.cuts, system.tree.loops, strict=True) if joint.name == name]
    if name not in system.model.joints:
        return ModelError(
            f"model '{model}': constraint '{name}' cannot be satisfied: the nearest position leaves {gap}; check its values and "
            f"the places of its bodies in the drawing{moved}"
        )
    through = f" through {', '.join(loops[0])}" if loops and len(loops[0]) <= 8 else ""
    return ModelError(
        f"model '{model}': joint '{name}' cannot be closed: the nearest position leaves {gap}; check the lengths and places of "
        f"the bodies in its loop{through}{moved}"
    )


def widest_gap(system: Equations, end: Closure) -> tuple[str, str]:
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
    system: Equations,
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
            own = np.array((*conditions[k].values, *(conditions[k].turn or ())))
            size = max(1.0, float(np.abs(own).max()))
            wish, there = (", ".join(f"{_rounded(x, size):.6g}" for x in numbers) for numbers in (own, value))
            remedy = "give it in Initial(guess=…)" if letter == "q" else "drop another one"
            far = _nearest_value(system, y, conditions[k], others) if letter == "q" else None
            if far is not None and np.abs(far - own).max() < np.abs(value - own).max() - 1e-6 * size:
                there = f"{_rounded(far[0], size):.6g}"
                return ModelError(
                    f"model '{system.model.name}': {conditions[k].name} = {wish} cannot be reached{kept}: the nearest "
                    f"value is {there}; ask for that, or {remedy}"
                )
            if _of_body(system, conditions[k]):
                return _velocity_error(system, y, conditions[k], value, kept)
            return ModelError(
                f"model '{system.model.name}': {conditions[k].name} = {wish} contradicts the constraints{kept}: there it is "
                f"{there}; leave it at zero, so that it follows, or {remedy}"
            )
    names = ", ".join(c.name for c in conditions[:8])
    return ModelError(
        f"model '{system.model.name}': the constraints do not allow the given initial values of {names}; leave some at zero, so "
        f"that they follow"
    )


def _of_body(system: Equations, condition: Condition) -> bool:
    """Whether a speed was given as velocity or angular_velocity of a body and not as v of its joint."""
    joint = condition.freedoms.joint
    return condition.letter == "v" and joint.coordinates == "free" and not any(joint.v) and condition.freedoms.element < 0


def _velocity_error(system: Equations, y: np.ndarray, condition: Condition, value: np.ndarray, kept: str) -> ModelError:
    """The same for velocity or angular_velocity of a body, in axes of the world."""
    name = str(condition.freedoms.joint.child)
    body, word = system.model.bodies[name], "angular_velocity" if condition.freedoms.parts[0] >= 3 else "velocity"
    state = system.bodies(y[: system.n_q], y[system.n_q : system.n_q + system.n_v])[name]
    there = np.array(rotation_matrix(state.rotation)) @ value
    size = max(1.0, float(np.abs(there).max()))
    text = ", ".join(f"{_rounded(x, size):.6g}" for x in there)
    wish = ", ".join(f"{x:g}" for x in getattr(body, word) or (0.0, 0.0, 0.0))
    return ModelError(
        f"model '{system.model.name}': {word} = ({wish}) of body '{name}' contradicts the constraints{kept}: there it is "
        f"({text}); give that, or leave {word} out, so that it follows"
    )


def _rounded(x: float, size: float) -> float:
    """Without what rounding leaves of a zero."""
    return 0.0 if abs(x) < 1e-12 * size else float(x)


def _nearest_value(system: Equations, y: np.ndarray, wish: Condition, others: list[Condition]) -> np.ndarray | None:
    """The value nearest to a wish that a mechanism reaches from its drawing, or from where it closes with the others kept."""
    starts = [close_positions(system, start, others) for start in (drawn_state(system), y)]
    values = []
    for start in starts:
        end = farthest(system, start.y, wish, others) if start.closed else None
        if end is not None:
            constraints_at(system, end)
            values.append(wish.present(system, end).copy())
    return min(values, key=lambda value: float(np.abs(value - wish.values).max())) if values else None


def _value_without(
    system: Equations,
    y: np.ndarray,
    condition: Condition,
    others: list[Condition],
    found: Constraints | None,
    wanted: np.ndarray | None,
) -> np.ndarray | None:
    """What a condition's quantity becomes if only the others are kept; None if they contradict each other, too."""
    if found is None or wanted is None:
        end = close_positions(system, y, others)
        constraints_at(system, end.y)
        return condition.present(system, end.y).copy() if end.closed else None
    v, miss = solve_speeds(system, found, wanted, others)
    if miss > 1e-9:
        return None
    y = y.copy()
    y[system.n_q : system.n_q + system.n_v] = v
    constraints_at(system, y)
    return speed_values(system, condition.freedoms, v)


def speed_error(system: Equations, found: Constraints) -> ModelError:
    """The error for constraints that move against each other: drives of one loop with different speeds, or a dead point."""
    start = f"model '{system.model.name}': no speeds satisfy all constraints at t = 0"
    return ModelError(f"{start}{speed_contradiction(system, found)}")


def speed_contradiction(system: Equations, found: Constraints) -> str:
    """A clause that says which constraints and drives move against each other, and what to do; "" if none do."""
    rows = contradiction(system, found, found.gdot)
    if not rows:
        return ""
    owners = [e.name for e in system.assembly.elements if any(e.row <= k < e.row + e.count for k in rows)]
    drives = loop_drives(system.model, owners)
    labels = constraint_labels(system)
    text = "; ".join(sorted({labels[k] for k in rows})[:8])
    if len(drives) > 1:
        return (
            f": the motions that {quoted(drives)} prescribe contradict each other (seen in {text}); make them agree, or free one "
            "of them"
        )
    if drives:
        return (
            f": what '{drives[0]}' prescribes cannot be followed from this position, where {text} does not yield "
            "(a dead point); start from another position, let the motion begin at rest, or prescribe that of another joint"
        )
    return f"; these contradict each other: {text}; change or remove one of them"
