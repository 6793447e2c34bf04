"""Kinematic dragging: a point of a body, or the coordinate of a joint, is pulled; constraints hold, everything else moves least.

Each step solves  min |W Δ|² + |J Δ - r|²/ε²  subject to  C Δ = -g,  where g are the constraint equations with Jacobian C, r is
the way that is left for what is pulled and J its Jacobian. What cannot be reached is approached as far as the mechanism allows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sharnir.dynamics.mobility.state_steps import moved, speed_scales
from sharnir.dynamics.system import System
from sharnir.errors import ModelError

STEPS = 20  # of Newton's method for one movement of the mouse
PULL = 1e3  # weight of what is pulled against the motion of everything else
CLOSED = 1e-9  # residuals of constraints
LONGEST = 0.5  # m, or rad at the size of the mechanism: rotations beyond that are not linear
HALVINGS = 8
HELD = 1e-9  # of what a unit of speed moves


def drag_point(system: System, y: np.ndarray, body: str, point: list[float], target: list[float]) -> np.ndarray:
    """The state in which a point of a body (in its axes) is as near to a target (world axes) as the mechanism allows.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("arm", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="z"))
    >>> system = m.compile()
    >>> bool(abs(drag_point(system, system.y0, "arm", [1, 0, 0], [0, 2, 0])[0] - np.pi / 2) < 1e-6)
    True
    """
    if body not in system.tree.bodies:
        raise ModelError(f"drag: there is no body {body!r} that moves")
    at, goal = np.array(point, float), np.array(target, float)

    def residual(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, n = state[: system.n_q], system.number(body)
        pose = system.observe(np.array([0.0]), state[None], np.array([n]))[0][0, 0]
        here = pose[:3] + rotated(pose[3:7], at)
        return goal - here, system.jacobian(body, q, point)[:3]

    return pulled(system, y, residual)


def drag_joint(system: System, y: np.ndarray, joint: str, freedom: int, value: float) -> np.ndarray:
    """The state in which a coordinate of a joint has a value, or comes as near to it as the mechanism allows.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("arm", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="z"))
    >>> system = m.compile()
    >>> round(float(drag_joint(system, system.y0, "O", 0, 0.7)[0]), 9)
    0.7
    """
    from sharnir.dynamics.mobility.joint_coordinates import coordinate_values, find_freedoms, speed_rows

    found = find_freedoms(system, joint)

    def residual(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        here = coordinate_values(system, found, state)[freedom]
        system._prepare(state[: system.n_q], state[system.n_q : system.n_q + system.n_v], 0.0)
        return np.array([value - here]), speed_rows(system, found)[freedom : freedom + 1]

    return pulled(system, y, residual)


def coordinates(system: System, y: np.ndarray, names: Iterable[str]) -> dict[str, list[float]]:
    """The coordinates of those joints that have some which are not prescribed, in a state.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("foot", mass=1), sr.Fixed("weld", "ground", "foot", at=(0, 0, 0)))
    >>> _ = m.add(sr.Body("arm", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "foot", "arm", at=(0, 0, 0), axis="z", q=0.3))
    >>> coordinates(m.compile(), m.compile().y0, ["weld", "O"])
    {'O': [0.3]}
    """
    from sharnir.dynamics.mobility.joint_coordinates import coordinate_values, freedoms_of

    wanted = set(names)
    found = {}
    for joint in (*system.tree.joints, *system.tree.cuts):
        free = tuple(range(sum(motion is None for motion in joint.motion)))
        if joint.name in wanted and free:
            found[joint.name] = coordinate_values(system, freedoms_of(system, joint, free), y).tolist()
    return found


def pulled(system: System, y: np.ndarray, residual: Any) -> np.ndarray:
    """Newton's method with least motion, steps halved until what is pulled comes nearer; then onto the constraints."""
    state, scale = y.copy(), speed_scales(system)
    for _ in range(STEPS):
        r, J = residual(state)
        g = system.constraints(state[: system.n_q]) if system.constrained else np.zeros(0)
        C = system.constraint_jacobian(state[: system.n_q]) if system.constrained else np.zeros((0, system.n_v))
        step = least_step(C / scale, -g, J / scale, r) / scale
        longest = float(np.abs(step * scale).max(initial=0.0))
        step *= min(1.0, LONGEST / max(longest, 1e-300))
        for _ in range(HALVINGS):
            there = closed(system, moved(system, state, step), state)
            hoped = r @ (J @ step)  # Armijo's rule for |r|²/2
            if r @ r - float(np.sum(residual(there)[0] ** 2)) > 0.2 * abs(hoped):
                break
            step *= 0.5
        else:  # it comes no nearer
            return closed(system, state, y)
        state = there
        if longest < 1e-10:
            break
    return closed(system, state, y)


def closed(system: System, state: np.ndarray, best: np.ndarray) -> np.ndarray:
    """The state brought onto the constraints; `best` if that fails."""
    if not system.constrained:
        return state
    scale = speed_scales(system)
    for _ in range(STEPS):
        g = system.constraints(state[: system.n_q])
        if np.abs(g).max(initial=0.0) < CLOSED:
            return state
        C = system.constraint_jacobian(state[: system.n_q])
        state = moved(system, state, least_norm(C / scale, -g) / scale)
    return state if np.abs(system.constraints(state[: system.n_q])).max(initial=0.0) < 1e-6 else best


def least_step(C: np.ndarray, g: np.ndarray, J: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Δ of least norm with C Δ = g as far as possible, then J Δ ≈ r among what is left free."""
    first = least_norm(C, g) if len(C) else np.zeros(J.shape[1])
    free = np.eye(J.shape[1]) - (np.linalg.pinv(C, rcond=1e-9) @ C if len(C) else 0.0)
    if not np.abs(free).max(initial=0.0) > HELD:
        raise ModelError("joints and prescribed motions leave the mechanism no freedom")
    if not np.abs(J).max(initial=0.0) > HELD:
        raise ModelError("joints hold it to the ground, or its motion is prescribed")
    K = J @ free
    weighted = K.T @ K * PULL**2 + np.eye(J.shape[1])
    return first + free @ np.linalg.solve(weighted, K.T @ (r - J @ first) * PULL**2)


def least_norm(C: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The least Δ with C Δ = g, redundant rows allowed."""
    return np.linalg.lstsq(C, g, rcond=1e-9)[0]


def rotated(q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A vector turned by a quaternion (w, x, y, z)."""
    w, u = q[0], q[1:]
    return x + 2.0 * np.cross(u, np.cross(u, x) + w * x)
