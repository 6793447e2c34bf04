"""Why a run could not continue, as far as the last state shows it: a formula without a value, a dead point."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from sharnir.dynamics.friction.loads_of_given_motion import jammed
from sharnir.dynamics.initial.assembly_failure import speed_contradiction
from sharnir.dynamics.initial.loop_closure import LARGE
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.drives_of_loops import loop_drives, quoted
from sharnir.dynamics.mobility.formula_faults import formula_fault
from sharnir.dynamics.mobility.redundancy import weakened_elements
from sharnir.dynamics.model_compilation import compile_model
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.integrate import Solution, integrate

WORK = 2e7  # numbers that finding the last state may cost
AHEAD = (1e-9, 1e-6, 1e-4)  # of the time, how far beyond the end a reason is looked for
MOST = 50  # forces that are left out one by one
EXPLAINED = ("step too small", "not finite", "constraints not satisfied", "too many evaluations")


def explanation(system: System, solution: Solution) -> str:
    """A sentence that names the element which stopped the run, to be put behind the integrator's message; or nothing."""
    if solution.status not in EXPLAINED or system.n_v == 0:
        return ""
    t, y = last_state(system, solution) if len(solution.t) else (0.0, system.y0)
    for time, state in _beyond(system, t, y):
        fault = jammed(system, state, time) or formula_fault(system, state, time) or faulty_force(system, state, time)
        fault = fault or deep_contact(system, state, time)
        if fault:
            return f"; {fault}"
    if solution.status == "constraints not satisfied":
        for time, state in _beyond(system, t, y):
            contrary = contrary_speeds(system, state, time)
            if contrary:
                return contrary
    names = weakened_elements(system, y, t) if system.constrained else []
    if not names:
        return ""
    drives = [name for name in loop_drives(system.model, names) if name not in names]
    led = f", where {quoted(drives)} lead{'s' if len(drives) == 1 else ''} it" if drives else ""
    if len(names) == 1:
        return (
            f"; there {quoted(names)} no longer constrains a motion of its own: the mechanism is stretched or at a "
            f"dead point{led}"
        )
    return f"; there {quoted(names)} constrain the same motion: the mechanism is stretched or at a dead point{led}"


def contrary_speeds(system: System, y: np.ndarray, t: float) -> str:
    """Which equations for speeds no speeds satisfy at a position, as a clause; "" if there are some."""
    if not system.constrained or system.n_v > LARGE:
        return ""
    still = y.copy()
    still[system.n_q : system.n_q + system.n_v] = 0.0
    found = constraints_at(system, still, t)
    if not (np.isfinite(found.values).all() and np.isfinite(found.gdot).all()):
        return ""
    said = speed_contradiction(system, found).lstrip(":; ")
    return f"; {said}" if said else ""


def _beyond(system: System, t: float, y: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Where the run stopped, and states a little further on its way."""
    yield t, y
    rate = system.observe_rates(np.array([t]), y[None])[0]
    for step in AHEAD:
        h = step * max(1e-3, abs(t))
        yield t + h, y + h * np.nan_to_num(rate, nan=0.0, posinf=0.0, neginf=0.0)


def faulty_force(system: System, y: np.ndarray, t: float) -> str:
    """A force, or the torque in a joint, without which accelerations at a state would be numbers; "" if there is none."""
    model = system.model
    if np.isfinite(system.observe_rates(np.array([t]), y[None])).all():
        return ""
    driven = [joint for joint in model.joints.values() if any(not isinstance(entry, float) for entry in joint.torque)]
    if len(model.forces) + len(driven) > MOST or system.n_v > LARGE:
        return ""
    elements: list[Any] = [*model.forces.values(), *driven]
    for element in elements:
        if _finite_without(system, element, y, t):
            return f"{element.label}: its force is not a number at t = {t:.6g}"
    return ""


def _finite_without(system: System, element: Any, y: np.ndarray, t: float) -> bool:
    """True if accelerations are numbers in the same model without a force, or without the torque in a joint."""
    without = system.model.copy()
    if element.name in without._joints and without._joints[element.name] is element:
        without._joints[element.name] = replace(element, torque=0.0)
    else:
        del without._forces[element.name]
    try:
        other = compile_model(without, system.formulation)
    except ModelError:  # it cannot start, for reasons of its own
        return False
    return len(other.y0) == len(y) and bool(np.isfinite(other.observe_rates(np.array([t]), y[None])).all())


def last_state(system: System, solution: Solution) -> tuple[float, np.ndarray]:
    """Time and state nearest to where a run stopped; outputs may lie far before it, so the way there is gone once more."""
    t, y = float(solution.t[-1]), solution.y[-1].copy()
    end = float(solution.stats.get("t_reached", t))
    if not end > t:
        return t, y
    if solution.end is not None and system.assembly.program is not None:  # ticks and events are not gone through again
        return end, solution.end
    again = integrate(system.problem(), y, [t, end], max_evaluations=min(20_000, int(WORK / len(y))), dense=True)
    if again.success:
        return end, again.y[-1]
    if again.dense is not None and len(again.dense.breakpoints) > 1:
        return again.dense.t_end, np.asarray(again(again.dense.t_end))
    return t, y


LOUD = 1e3  # times the values at the beginning (at least 1 in SI units): what has grown so much is worth a word


def whereabouts(system: System, solution: Solution) -> str:
    """A clause for the message of a failed run; "" where nothing has grown much.

    >>> import sharnir as sr
    >>> m = sr.Model("runaway", gravity=(0, 0, 0))
    >>> _ = m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("x", "ground", "b", axis="x", q=1.0, torque="q^3"))
    >>> s = m.compile()
    >>> whereabouts(s, Solution(s.y0[:0], s.y0[:0], "stalled", "", {"t_reached": 1.8}, end=s.y0 + np.array([0.0, 5e6])))
    '; by then x.v = 5e+06 m/s'
    """
    end, t = solution.end, float(solution.stats.get("t_reached", math.nan))
    if end is None or not (np.isfinite(end).all() and math.isfinite(t)):
        return ""
    if system.n_v == 0:
        return ""
    found = [text for text in (_fastest(system, end), _strongest(system, t, end)) if text]
    return f"; by then {', '.join(found)}" if found else ""


def _fastest(system: System, end: np.ndarray) -> str:
    speeds = end[system.n_q : system.n_q + system.n_v]
    k, usual = int(np.argmax(np.abs(speeds))), np.abs(system.v0).max(initial=1.0)
    if not abs(speeds[k]) > LOUD * usual:
        return ""
    said = f"{system.speeds[k]} = {speeds[k]:.3g} {system.assembly.coordinates.v_units[k]}"
    name = system.speeds[k].split(".v")[0]
    fast = [speed for speed, v in zip(system.speeds, speeds, strict=True) if abs(v) > LOUD * usual]
    if sum(speed.split(".v")[0] == name for speed in fast) < 2 or name not in system.model.joints:
        return said
    return f"{said}: the axes of joint {name!r} become dependent, which locks what it carries; give it other axes"


def _strongest(system: System, t: float, end: np.ndarray) -> str:
    """The element with the largest multiplier, if that has grown beyond those at the beginning."""
    if not system.constrained:
        return ""
    times, states = np.array([0.0, t]), np.array([system.y0, end])
    first, last = np.abs(system.observe_multipliers(times, states))
    if not len(last):  # a free joint that is declared from the far side
        return ""
    k = int(np.argmax(np.nan_to_num(last, nan=0.0, posinf=np.finfo(float).max)))
    if not last[k] > LOUD * np.nanmax(first, initial=1.0):
        return ""
    name = next(e.name for e in system.assembly.elements if e.row <= k < e.row + e.count)
    kind = "joint" if name in system.model.joints else "constraint"
    return f"{kind} '{name}' holds a force of {last[k]:.3g}: a singular position is near"


FIERCE = 1e8  # m/s²: force over the mass of the whole model


def deep_contact(system: System, y: np.ndarray, t: float) -> str:
    """A contact whose bodies are thrown apart at a state, in words; "" if there is none."""
    mass = max(sum(float(body.mass or 0.0) for body in system.model.bodies.values()), 1e-9)
    worst, said = FIERCE, ""
    for force in system.model.forces.values():
        keys = [key for key, _, labels in force.outputs if not labels]
        if "depth" in keys and "force" in keys:
            out = np.zeros((1, force.output_count))
            system.observe_work(np.array([t]), y[None], system.assembly.force_outputs[force.name], out)
            depth, normal = (out[0, force.output_place(key)] for key in ("depth", "force"))
            if depth > 0.0 and normal > worst * mass:
                worst = normal / mass
                said = f"{force.label}: its bodies overlap by {depth:.3g} m there and are pushed apart by {normal:.3g} N"
    return f"{said}; start with them apart, exchange what is free and what is solid, or use a softer law" if said else ""
