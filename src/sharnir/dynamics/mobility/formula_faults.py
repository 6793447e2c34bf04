"""Formulas that fail at a state: values that are not numbers, slopes that vanish; reported with their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.python_entries import accelerate_states
from sharnir.dynamics.evaluation.right_hand_sides import DERIVATIVES
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import Constraints, constraints_at, elements
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales
from sharnir.model.constraints import (
    Constraint,
    Distance,
    JointCoordinate,
    PointDistance,
    PointOnCurve,
    PointOnSurface,
    scalar_equation,
)

if TYPE_CHECKING:
    from sharnir.dynamics.constraints.constraint_records import Element
    from sharnir.dynamics.memory.equations import Equations

FLAT = 1e-5  # of the slope in neighbouring positions
NEIGHBOUR = 0.05  # how far these are, in radians or in sizes of the mechanism


def formula_fault(system: Equations, y: np.ndarray, t: float = 0.0) -> str | None:
    """What is infinite or not a number among the equations at a state, with the values it was computed from; None if nothing is.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("car", mass=1), sr.Prismatic("road", "ground", "car", axis="x"))
    >>> _ = m.add(sr.Constraint("rest", "log(road.q + 1)"))
    >>> formula_fault(m.compile(), np.array([-2.0, 0.0]))
    "Constraint 'rest': formula = 'log(road.q + 1)' is not a number where road.q = -2"
    """
    if not system.constrained:
        system.observe_rates(np.array([float(t)]), y[None])  # brings prescribed motions to this time
    found = constraints_at(system, y, t)
    motion = _faulty_motion(system, t) or _faulty_joint(system, y, t)
    if motion is not None:
        return motion
    bad = ~(np.isfinite(found.g) & np.isfinite(found.gdot) & np.isfinite(found.bias))
    bad[found.rows[~np.isfinite(found.values)]] = True
    for element, record in zip(system.assembly.elements, elements(system), strict=True):
        if bad[element.row : element.row + element.count].any():
            return _described(system, element, record, t)
    return None


def is_finite(found: Constraints) -> bool:
    """True if residuals, rates and the Jacobian are numbers."""
    return bool(np.isfinite(found.g).all() and np.isfinite(found.gdot).all() and np.isfinite(found.values).all())


def _faulty_motion(system: Equations, t: float) -> str | None:
    """A prescribed motion that is not a number."""
    c = system.assembly.coordinates
    first = int(system.table[L.W_MOTION])
    numbers = np.cumsum([f.motion is not None for f in c.freedoms]) - 1
    for joint in (*system.tree.joints, *system.tree.cuts):
        for row in c.joint_freedoms.get(joint.name, ()):  # ball and free joints have none when they are cut
            if c.freedoms[row].motion is not None:
                values = system.work[first + int(numbers[row]) * L.W_MOTION_SIZE :][:3]
                for what, value in zip(("motion", "speed of its motion", "acceleration of its motion"), values, strict=True):
                    if not np.isfinite(value):
                        return f"joint '{joint.name}': the {what} is {value:g} at t = {t:g}"
    return None


def _faulty_joint(system: Equations, y: np.ndarray, t: float) -> str | None:
    """A joint whose formulas, or their derivatives, are not numbers."""
    rows = [(k, row.formulas[0]) for k, row in enumerate(system.assembly.coordinates.freedoms) if row.formulas is not None]
    if not rows:
        return None
    if not system.constrained:  # method "symbolic" does not fill the engine's memory
        scratch, q, v = np.zeros(2 * len(y)), y[None, : system.n_q], y[None, system.n_q : system.n_q + system.n_v]
        f = DERIVATIVES["articulated"].address
        accelerate_states(
            f, np.array([t]), q, v, np.zeros_like(v), np.zeros((0, 0)), system.table, system.params, system.work, scratch
        )
    for k, joint in rows:
        at = int(system.table[system.table[L.T_FREEDOM] + k * L.T_FREEDOM_SIZE + L.JOINT_MEMORY])
        n = joint.n_v + joint.depends_on_time
        numbers = system.work[at : at + 9 * n + L.FORMULA_OUT]
        if not np.isfinite(numbers[3 * n :]).all():
            given = zip((*joint.variables, *(["t"] if joint.depends_on_time else [])), numbers[: 3 * n : 3], strict=True)
            where = ", ".join(f"{name} = {value:.6g}" for name, value in given)
            return f"joint '{joint.name}': its formulas, or derivatives of them, are not numbers where {where}"
    return None


def _described(system: Equations, element: Element, record: np.ndarray, t: float) -> str:
    """An element whose equations are not numbers."""
    x = system.model.constraints.get(element.name)
    work = system.work[int(record[L.E_WORK]) :]
    if isinstance(x, PointOnCurve):
        return _curve_fault(x, work)
    if isinstance(x, PointOnSurface):
        place = ", ".join(f"{name} = {value + 0.0:.6g}" for name, value in zip("xyz", work[L.SURFACE_IN :][:3], strict=True))
        if np.isfinite(work[L.SURFACE_OUT :][:4]).all() and not work[L.SURFACE_OUT + 1 :][:3].any():
            return f"{x.label}: surface = '{x.surface}' has zero gradient at {place}; it must change sign where it is zero"
        return f"{x.label}: surface = '{x.surface}' or its slope is not a number at {place}"
    if isinstance(x, Distance):
        if work[0] == 0.0:
            return f"{x.label}: its points coincide, so the distance has no direction"
        return f"{x.label}: length = {x.length!r}, or a derivative of it, is not a number at t = {t:g}"
    if element.kind == L.FORMULA and x is not None:
        return _scalar_fault(system, x, record, work, t)
    label = f"joint '{element.name}'" if x is None else x.label
    return f"{label}: its equations are not numbers at t = {t:g}"


def _curve_fault(x: PointOnCurve, work: np.ndarray) -> str:
    s, out = work[L.CURVE_S], work[L.CURVE_OUT :][:6]
    if np.isfinite(out).all() and not out[3:].any():
        place = ", ".join(f"{value + 0.0:.6g}" for value in out[:3])
        return f"{x.label}: the curve has no tangent at s = {s:g}, at ({place}): its derivative by s is zero there"
    where = f"s = {s:g}" if np.isfinite(s) else f"the point that the search from s = {x.s:g} comes to"
    return f"{x.label}: curve = {x.curve!r}, or its derivative by s, is not a number at {where}"


def _scalar_fault(system: Equations, x: Any, record: np.ndarray, work: np.ndarray, t: float) -> str:
    names, values = given_values(system, x, record, work, t)
    n = int(system.table[record[L.E_DATA]])
    own = work[2 * n + 1]
    what = "is not a number" if not np.isfinite(own) else "has a derivative that is not a number"
    text = x.described
    where = ", ".join(f"{name} = {value + 0.0:.6g}" for name, value in zip(names, values, strict=True))
    return f"{x.label}: {text} {what} where {where}"


def given_values(system: Equations, x: Any, record: np.ndarray, work: np.ndarray, t: float) -> tuple[list[str], list[float]]:
    """Names in the formula of a scalar constraint, and what they are at the state where constraints_at was called last."""
    equation = scalar_equation(x, system.model)
    n = int(system.table[record[L.E_DATA]])
    own = isinstance(x, Constraint)  # names that the user wrote
    both = zip(equation.names, equation.variables, strict=True)
    shown = [name if own or not isinstance(v, JointCoordinate) else f"{v.joint}.q" for name, v in both]
    pairs = [(text, float(work[k])) for k, (name, text) in enumerate(zip(equation.names, shown, strict=True))]
    used = equation.value.names
    listed = [pair for pair, name in zip(pairs, equation.names, strict=True) if name in used]
    listed += [(f"{name}_dot", float(work[n + k])) for k, name in enumerate(equation.names) if f"{name}_dot" in used]
    listed += [("t", t)] if "t" in used else []
    return [name for name, _ in listed], [value for _, value in listed]


def flat_formula(system: Equations, y: np.ndarray) -> str | None:
    """A formula or surface whose slope vanishes at a position where it holds, so that it cannot hold anything; None if none.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("car", mass=1), sr.Prismatic("road", "ground", "car", axis="x"))
    >>> _ = m.add(sr.Constraint("rest", "road.q + road.q^2"))
    >>> flat_formula(m.compile(), np.array([0.0, 0.0])) is None
    True
    """
    if not system.assembly.structure.constraints:  # joints are not formulas
        return None
    met = _distance_of_nothing(system, y)
    if met is not None:
        return met
    chosen = [e for e in system.assembly.elements if e.kind in (L.FORMULA, L.ON_SURFACE) and e.holonomic != 0]
    if not chosen:
        return None
    here = _slopes(system, y, chosen)
    rng, around = np.random.default_rng(0), np.zeros(len(chosen))
    for _ in range(3):
        step = NEIGHBOUR * rng.uniform(-1.0, 1.0, system.n_v) * size_of(system) / speed_scales(system)
        around = np.fmax(around, _slopes(system, moved(system, y, step), chosen))
    flat = np.flatnonzero(here <= FLAT * around)
    constraints_at(system, y)
    if not len(flat):
        return None
    element = chosen[int(flat[0])]
    record = elements(system)[element.number]
    x: Any = system.model.constraints[element.name]
    work = system.work[int(record[L.E_WORK]) :]
    if isinstance(x, PointOnSurface):
        names, values, text = list("xyz"), list(work[L.SURFACE_IN :][:3]), f"surface = '{x.surface}'"
    else:
        names, values = given_values(system, x, record, work, 0.0)
        text = x.described
    where = ", ".join(f"{name} = {round(value, 6) + 0.0:g}" for name, value in zip(names, values, strict=True))
    return (
        f"{x.label}: {text} has zero gradient where it is satisfied ({where}), so no force can enforce it there; it must change "
        f"sign: write 'x - 1' instead of '(x - 1)^2', or start from another position"
    )


def _distance_of_nothing(system: Equations, y: np.ndarray) -> str | None:
    """A formula that holds a distance whose points coincide, so that its force has no direction; None if there is none."""
    chosen = [e for e in system.assembly.elements if _distances(system.model.constraints.get(e.name))]
    if not chosen:
        return None
    rest = y.copy()
    rest[system.n_q : system.n_q + system.n_v] = 0.0
    found = constraints_at(system, rest)
    size = np.bincount(found.rows, np.abs(found.values), len(found.g))
    constraints_at(system, y)
    for element in chosen:
        if not size[element.row : element.row + element.count].all():
            x: Any = system.model.constraints[element.name]
            names = ", ".join(sorted(_distances(x)))
            return (
                f"{x.label}: the points of its distance '{names}' coincide, so a force along it has no direction; use a Ball "
                f"joint to hold them together, or start from another position"
            )
    return None


def _distances(constraint: Any) -> set[str]:
    """Names of a constraint's variables that are distances of points."""
    variables = getattr(constraint, "variables", None) or {}
    return {name for name, variable in variables.items() if isinstance(variable, PointDistance)}


def _slopes(system: Equations, y: np.ndarray, chosen: list[Element]) -> np.ndarray:
    """Length of the gradient of every chosen element, in its own units."""
    found, records = constraints_at(system, y), elements(system)
    values = []
    for element in chosen:
        if element.kind == L.ON_SURFACE:
            at = int(records[element.number][L.E_WORK]) + L.SURFACE_OUT + 1
            values.append(float(np.linalg.norm(system.work[at : at + 3])))
        else:
            values.append(float(found.size[element.row]))
    return np.nan_to_num(np.array(values), nan=0.0)
