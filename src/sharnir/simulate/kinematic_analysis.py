"""Kinematic analysis: a mechanism whose freedoms are all driven moves as its drives prescribe, without integration.

Positions by Newton's method at every time, from a prediction with speeds and accelerations; speeds and accelerations follow from
linear equations. Between output times that are far apart the way is followed in steps, so that no other branch is met.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from sharnir.arguments import numbers
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.dynamics.friction.loads_of_given_motion import refuse_bristles
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at, mimic_rows
from sharnir.dynamics.mobility.drives_of_loops import is_driven_element, loop_drives, quoted
from sharnir.dynamics.mobility.motion_basis import own_copy
from sharnir.dynamics.mobility.redundancy import dependent_rows
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales
from sharnir.dynamics.model_compilation import compile_model
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.integrate import Solution
from sharnir.model import Model
from sharnir.results import Result
from sharnir.simulate.finished_run import finish

PREDICTION = 0.02  # how far a prediction may be off: radians, or sizes of the mechanism
SHORTEST = 1e-9  # of the whole time
CONTRARY = 1e-6  # residual of an equation, or its rate per second, that is more than rounding
MANY = 2000  # equations of a mechanism that is not asked without need whether it can move
CHECKED = 400  # speeds up to which every position is checked for being unique


def kinematics(model: Model, times: Any, *, formulation: str = "joint", initial: Any = None) -> Result:
    """Positions, speeds, accelerations, reactions and drive forces of a driven mechanism; see Model.kinematics.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("arm", mass=1, position=(1, 0, 0)))
    >>> _ = m.add(sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="y", motion="2*t"))
    >>> kinematics(m, [0.0, 1.0])["O.v"]
    array([2., 2.])
    """
    grid = np.atleast_1d(numbers(times, "kinematics", "times"))
    if grid.ndim != 1 or not grid.size or not np.isfinite(grid).all() or not (np.diff(grid) > 0.0).all() or grid[0] < 0.0:
        raise ModelError("kinematics: times must be numbers that increase, from 0 on")
    system = compile_model(model, formulation, initial=initial)
    if not is_driven(system):
        raise _not_driven(system)
    if system.has_controls:
        raise ModelError(
            f"model '{model.name}': kinematics does not compute states of control, such as those of filters; use simulate"
        )
    begin = perf_counter()
    return finish(system, driven_solution(system, grid), perf_counter() - begin)


def _not_driven(system: System) -> ModelError:
    """The error that says what is left free."""
    start = f"model '{system.model.name}': kinematics needs a mechanism whose motion is prescribed"
    found, free = constraints_at(system, system.y0), system.motions
    speeds = [e.name for e in system.assembly.elements if not found.holonomic[e.row : e.row + e.count].all()]
    if system.freedoms == 0 and speeds:
        return ModelError(
            f"{start}; here {', '.join(repr(name) for name in speeds[:6])} hold{'s' if len(speeds) == 1 else ''} for speeds "
            f"only, so {free} position{'s' if free > 1 else ''} must be found by integration; use simulate"
        )
    return ModelError(
        f"{start}, and {system.freedoms} of its freedoms are free; prescribe them with motion= in a joint, or use simulate"
    )


def is_driven(system: System) -> bool:
    """True if constraints and prescribed motions determine all positions."""
    if system.n_v == 0:
        return True
    if not system.constrained or system.n_equations < system.n_v:
        return False
    return (system.n_equations <= MANY or system.n_motions > 0) and system.motions == 0


def driven_solution(system: System, grid: np.ndarray, advance: Callable[[float], None] | None = None) -> Solution:
    """States of a driven mechanism on the grid, as an integrator would return them."""
    refuse_bristles(system, "kinematics integrates nothing")
    own = own_copy(system)
    y, t, steps = system.y0, 0.0, 0
    states: list[np.ndarray] = []
    stats: dict[str, Any] = {"steps": 0, "evaluations": 0, "integrator": "kinematics"}
    for time in grid:
        y, count, failure = _followed(own, y, t, float(time), float(grid[-1]))
        steps += count
        if not failure and not _unique(own, y, float(time)):
            failure = _dead_point(own, y, float(time))
        stats |= {"steps": steps, "evaluations": steps, "t_reached": float(time)}
        if failure:
            message = f"at t = {time:.6g} s {failure}"
            done = np.array(states).reshape(len(states), len(y))
            return Solution(grid[: len(states)], done, "failed", message, stats)
        states.append(y.copy())
        t = float(time)
        if advance is not None and grid[-1] > 0.0:
            advance(t / float(grid[-1]))
    return Solution(grid, np.array(states).reshape(len(grid), len(y)), "finished", "", stats)


def _followed(system: System, y: np.ndarray, t: float, end: float, whole: float) -> tuple[np.ndarray, int, str]:
    """The state at `end`, in as many steps as predictions need."""
    scale, h, steps = speed_scales(system) / size_of(system), end - t, 0
    y, ok = _placed(system, y.copy(), t)
    while t < end and system.n_v:
        h = min(h, end - t)
        n_q, n = system.n_q, system.n_q + system.n_v
        vdot = system.observe_rates(np.array([t]), y[None])[0, n_q:n]
        guess = moved(system, y, h * y[n_q:n] + 0.5 * h * h * vdot)
        guess[n_q:n] += h * vdot
        placed, ok = _placed(system, guess.copy(), t + h)
        steps += 1
        off = np.abs((placed[n_q:n] - guess[n_q:n]) * h * scale).max(initial=0.0)
        if ok and off <= PREDICTION:
            y, t = placed, t + h
            h *= 2.0
        elif h <= SHORTEST * max(whole, 1e-12):
            name = _open(system, placed, t + h)
            drives = loop_drives(system.model, [name])
            who = f"{quoted(drives)} lead{'s' if len(drives) == 1 else ''}" if drives else "the drives lead"
            return y, steps, f"{who} where the mechanism cannot follow: '{name}' cannot be closed"
        else:
            h *= 0.5
    if not system.n_v:
        y, ok = _placed(system, y, end)
        if ok:
            return y, steps, _contradiction(system, y, end)
    return y, steps, "" if ok else f"'{_open(system, y, end)}' cannot be closed"


def prescribed_solution(system: System, grid: np.ndarray) -> Solution:
    """A mechanism in which nothing is free to move, at all times of the grid, up to where drives and constraints contradict."""
    stats: dict[str, Any] = {"steps": 0, "evaluations": 0}
    y = tracked_states(system, grid)
    for k, t in enumerate(grid):
        failure = _contradiction(system, y[k], float(t))
        if failure:
            stats["t_reached"] = float(t)
            return Solution(grid[:k], y[:k], "failed", f"at t = {t:.6g} s {failure}", stats)
    return Solution(grid, y, "finished", "nothing is free to move", stats)


def tracked_states(system: System, grid: np.ndarray) -> np.ndarray:
    """States of a system without speeds of its own: only the coordinates of cut joints are left to follow the drives."""
    y, out = np.tile(system.y0, (len(grid), 1)), np.zeros(8)
    if system.constrained:
        for k in range(len(grid)):
            y[k] = y[max(k - 1, 0)]
            call_once(PROJECTION.address, float(grid[k]), y[k], out, system.table, system.params, system.work)
    return y


def _contradiction(system: System, y: np.ndarray, t: float) -> str:
    """What is prescribed contradicts a constraint, where no speed is left that could give way."""
    if not system.constrained:
        return ""
    found = constraints_at(system, y, t)
    off = np.fmax(np.abs(found.g), np.abs(found.gdot))
    if not off.max(initial=0.0) > CONTRARY:
        return ""
    k = int(np.nanargmax(off))
    name = next((e.name for e in system.assembly.elements if e.row <= k < e.row + e.count), "")
    drives = [joint.name for joint in system.model.joints.values() if is_driven_element(joint)]
    many = f"{found.g[k]:.3g}, and {found.gdot[k]:.3g} per second"
    return f"what {quoted(drives[:6])} prescribe{'s' if len(drives) == 1 else ''} contradicts '{name}', by {many}"


def _placed(system: System, y: np.ndarray, t: float) -> tuple[np.ndarray, bool]:
    """Onto the constraints at a time; False if that failed."""
    if not system.constrained:
        return y, True
    out = np.zeros(8)
    for _ in range(3):
        call_once(PROJECTION.address, float(t), y, out, system.table, system.params, system.work)
        if out[2] == 0.0 or out[3] == 1.0 or not np.isfinite(y).all():
            break
    return y, bool(np.isfinite(y).all() and out[3] == 0.0)


def _unique(system: System, y: np.ndarray, t: float) -> bool:
    if not system.constrained or system.n_v > CHECKED:
        return True
    found = constraints_at(system, y, t)
    held = int(found.holonomic.sum()) - len(dependent_rows(system, found, found.holonomic))
    return held + len(system.assembly.coordinates.mimics) >= system.n_v


def _dead_point(system: System, y: np.ndarray, t: float) -> str:
    """Which drives leave open which way something goes."""
    found, scale = constraints_at(system, y, t), speed_scales(system)
    rows = np.vstack([found.C[found.holonomic], mimic_rows(system)]) / scale
    open_way = np.linalg.svd(rows)[2][-1] / scale
    name = system.speeds[int(np.argmax(np.abs(open_way * scale)))]
    model = system.model
    elements: list[Any] = [*model.joints.values(), *model.constraints.values()]
    drives = [x.name for x in elements if is_driven_element(x)]
    who = f"{quoted(drives[:6])} do{'es' if len(drives) == 1 else ''} not say" if drives else "nothing says"
    return (
        f"the position is singular (a dead point): {who} which way '{name}' goes from here; start from another position, or "
        f"prescribe the motion of another joint"
    )


def _open(system: System, y: np.ndarray, t: float) -> str:
    """Name of the element with the largest residual."""
    found = constraints_at(system, np.nan_to_num(y), t)
    worst = int(np.argmax(np.abs(found.g) / np.maximum(found.size, 1e-300))) if len(found.g) else 0
    return next((e.name for e in system.assembly.elements if e.row <= worst < e.row + e.count), "")
