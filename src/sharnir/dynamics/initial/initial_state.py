"""A consistent initial state: positions that close all loops, speeds that keep them closed, under the user's conditions.

Coordinates and speeds that the user gave (other than zero) are kept; all others follow with the smallest mass-weighted change.
Values that contradict the constraints by no more than their rounding are corrected together with the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.python_entries import prepare_state
from sharnir.dynamics.initial.assembly_failure import closing_error, condition_error, fault_error, speed_error
from sharnir.dynamics.initial.consistent_speeds import solve_speeds
from sharnir.dynamics.initial.continuation import follow_conditions
from sharnir.dynamics.initial.lasting_speeds import lasting_speeds
from sharnir.dynamics.initial.loop_closure import Closure, close_positions, start_residual
from sharnir.dynamics.initial.user_conditions import Condition, as_initial, given_conditions, own_conditions
from sharnir.dynamics.memory.records import world_pose
from sharnir.dynamics.mobility.constraint_jacobian import Constraints, constraints_at, linear_in_speeds, speed_equations
from sharnir.dynamics.mobility.formula_faults import flat_formula, is_finite
from sharnir.errors import ModelError
from sharnir.model.initial import Initial

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

ROUNDING = 1e-3  # contradictions below this, relative to the mechanism or to its speeds, come from rounded values
SPEED_STEPS = 20  # of Newton's method on equations that are not linear in speeds


def assemble_state(system: Equations, initial: Any = None) -> None:
    """Make q0, v0, z0 satisfy the constraints, the model's own initial values and those of `initial`."""
    initial = as_initial(initial)
    given, guesses = given_conditions(system, initial)
    conditions = given + own_conditions(system, initial)
    _assemble_positions(system, [c for c in conditions if c.letter == "q"], guesses)
    if any(body.velocity is not None or body.angular_velocity is not None for body in system.model.bodies.values()):
        update_initial_speeds(system)
        conditions = given_conditions(system, Initial(v=initial.v))[0] + own_conditions(system, initial)
    _assemble_speeds(system, [c for c in conditions if c.letter == "v"])


def assemble_speeds(system: Equations) -> None:
    """Make v0 satisfy the constraints at q0, with the speeds that stand in the model."""
    _assemble_speeds(system, [c for c in own_conditions(system, Initial()) if c.letter == "v"])


def _store(system: Equations, y: np.ndarray) -> None:
    n, m = system.n_q, system.n_q + system.n_v
    system.q0[:], system.v0[:], system.z0[:] = y[:n], y[n:m], y[m:]


def _assemble_positions(system: Equations, conditions: list[Condition], guesses: list[Condition]) -> None:
    y = system.y0
    if (conditions or guesses) and start_residual(system, y, conditions) > ROUNDING:
        followed = follow_conditions(system, guesses, conditions)
        y = y if followed is None else followed
    end = close_positions(system, y, conditions)
    if not end.closed and conditions:
        loose = close_positions(system, end.y if end.residual <= ROUNDING else y, [])
        if not loose.closed:
            raise closing_error(system, y, loose)
        if not _rounded(system, loose, conditions):
            raise condition_error(system, y, conditions)
        end = loose
    if not end.closed:
        raise closing_error(system, y, end)
    flat = flat_formula(system, end.y)
    if flat is not None:
        raise ModelError(f"model '{system.model.name}': {flat}")
    _store(system, end.y)


def _rounded(system: Equations, end: Closure, conditions: list[Condition]) -> bool:
    """True if a position without conditions misses them by rounding only."""
    misses = [np.abs(c.miss(system, end.y)) / (ROUNDING * (1.0 + np.abs(np.array(c.values or 0.0)))) for c in conditions]
    return all((miss <= 1.0).all() for miss in misses)


def _assemble_speeds(system: Equations, conditions: list[Condition]) -> None:
    """v nearest to the given one with ġ = 0 and the wanted speeds; by Newton's method where formulas contain speeds."""
    y = system.y0
    wanted = y[system.n_q : system.n_q + system.n_v].copy()
    linear = linear_in_speeds(system)
    v = np.zeros(system.n_v) if linear else wanted
    for _ in range(1 if linear else SPEED_STEPS):
        about, found = v, speed_equations(system, y, v)
        if not is_finite(found):
            raise fault_error(system, found.y)
        v = _nearest_speeds(system, found, wanted, conditions)
        if np.abs(v - about).max(initial=0.0) <= 1e-14 * np.abs(v).max(initial=0.0):
            break
    if linear:
        v = lasting_speeds(system, y, v, conditions)
    y[system.n_q : system.n_q + system.n_v] = v
    _store(system, constraints_at(system, y).y)


def _nearest_speeds(system: Equations, found: Constraints, wanted: np.ndarray, conditions: list[Condition]) -> np.ndarray:
    """v nearest to `wanted` that satisfies linear equations and conditions."""
    for kept in (conditions, [c.without_zeros() if c.certain else c for c in conditions]):
        v, miss = solve_speeds(system, found, wanted, kept)
        if miss <= 1e-9:
            break
    else:
        v, rest = solve_speeds(system, found, wanted, [])
        if rest > 1e-9:
            raise speed_error(system, found)
        if miss > ROUNDING:
            raise condition_error(system, found.y, conditions, found, wanted)
    return v


def update_initial_speeds(system: Equations) -> None:
    """Fill `v0` of free joints whose bodies have a velocity of their own."""
    given = system.assembly.structure.bodies.values()
    if not any(body.velocity is not None or body.angular_velocity is not None for body in given):
        return
    tree = system.tree
    bodies = [system.model.bodies[name] for name in tree.bodies]
    told = [body.velocity is not None or body.angular_velocity is not None for body in bodies]
    # a body waits for those of its ancestors that have a velocity too
    generation: list[int] = []
    for p in tree.parent:
        generation.append(0 if p < 0 else generation[p] + told[p])
    for g in range(max(generation) + 1):
        prepare_state(0.0, system.q0, system.v0, system.table, system.params, system.work)
        for i, body in enumerate(bodies):
            if told[i] and generation[i] == g:
                _set_speeds(system, tree.joints[i], body)


def _set_speeds(system: Equations, joint: Any, body: Any) -> None:
    """Add what is missing to the velocity that the body has without it; needs prepare_state."""
    if joint.coordinates != "free":
        raise ModelError(
            f"Body '{body.name}': velocity and angular_velocity are for free bodies, but joint '{joint.name}' holds it; "
            f"{_other_way(system, body.name)}"
        )
    if any(joint.v):
        raise ModelError(f"Body '{body.name}': its velocity and v of joint '{joint.name}' are both given; give one of them")
    i, k = system.number(body), system.assembly.coordinates.ranges[joint.name][2]
    pose = world_pose(system, i)
    R = pose[:9].reshape(3, 3)
    system.v0[k : k + 3] += R.T @ (np.array(body.velocity or (0.0, 0.0, 0.0)) - pose[12:15])
    system.v0[k + 3 : k + 6] += R.T @ (np.array(body.angular_velocity or (0.0, 0.0, 0.0)) - pose[15:18])


def _other_way(system: Equations, body: str) -> str:
    """How a body that joints hold gets its speed: by v of joints on its way to the ground, by a free body on that way."""
    tree = system.tree
    way: list[str] = []
    i = tree.bodies.index(body)
    while i >= 0:
        joint = tree.joints[i]
        if joint.coordinates == "free":
            moving = f", and v of {_quoted(way)} what it moves relative to that" if way else ""
            return f"give velocity and angular_velocity to body '{tree.bodies[i]}', which carries it{moving}"
        if joint.mimic is None and not all(joint.driven) and joint.n_v:
            way.append(joint.name)
        i = tree.parent[i]
    if not way:
        return "leave them out: joints and prescribed motions on its way to the ground leave it no speed of its own"
    rest = "; speeds that are left out follow from the loop" if tree.cuts and len(way) > 1 else ""
    return f"set v of {_quoted(way)}{rest}"


def _quoted(names: list[str]) -> str:
    return ("joint " if len(names) == 1 else "joints ") + ", ".join(f"'{name}'" for name in names)
