"""Friction loads for given accelerations: the reactions follow directly, without iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.right_hand_sides import prepare
from sharnir.dynamics.friction.joint_friction import W_POINT, W_SLIP
from sharnir.dynamics.friction.load_equations import (
    HEADER,
    OWN,
    RECORD,
    SIGN,
    STATUS,
    WHERE,
    WORST,
    friction_places,
    memory_of,
    record_of,
    update_loads,
)
from sharnir.dynamics.friction.load_iteration import JAMMED, SOLVED, WITH_FRICTION, set_loads
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.newton_euler import update_body_accelerations, update_reactions
from sharnir.dynamics.signals.late_sensors import tree_reaction_at
from sharnir.errors import ModelError
from sharnir.kernel import address, doubles, entry, fixed_doubles, fixed_ints
from sharnir.kernel.signatures import Integers, Vector
from sharnir.spatial.vector import load3, store3

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

RESTS = 1e-6  # of stribeck_speed: a sliding speed that is rounding


@entry
def update_friction_loads(t: float, q: Vector, v: Vector, vdot: Vector, table: Integers, params: Vector, work: Vector) -> None:
    """Loads into the memory of the elements, for accelerations of a tree; friction itself changes no load there."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    set_loads(tab, w, -1)
    prepare(t, tab, par, w, doubles(address(q)), doubles(address(v)))
    update_body_accelerations(tab, par, w, doubles(address(vdot)), True)
    update_reactions(tab, par, w, True)
    f = friction_places(tab)
    for j in range(f.m):
        r = record_of(tab, j)
        point = load3(w, memory_of(tab, j) + W_POINT)
        force, torque = tree_reaction_at(tab, w, tab[r + WHERE], float(tab[r + SIGN]), point)
        store3(w, f.R0 + 6 * j, force)
        store3(w, f.R0 + 6 * j + 3, torque)
    update_loads(tab, par, w, 0, 1.0)
    set_loads(tab, w, f.P)


def has_friction(system: Equations) -> bool:
    """True if joints of the model have friction."""
    return bool(system.table[L.T_FRICTION])


def with_friction(system: Equations, mechanism: Any) -> Any:
    """The right-hand side around one with given loads, if there is friction."""
    if not has_friction(system):
        return mechanism
    system.table[L.F_FRICTIONLESS] = getattr(mechanism, "address", mechanism)
    return WITH_FRICTION


def refuse_friction(system: Equations, asked: str, remedy: str) -> None:
    """What needs reactions of drives that are not yet known cannot have friction in it."""
    if has_friction(system):
        from sharnir.dynamics.friction.friction_records import frictions

        names = ", ".join(repr(force.name) for force in frictions(system.model))
        raise ModelError(f"{asked}: JointFriction {names} depends on reactions that the drives change; {remedy}")


def has_bristles(system: Equations) -> bool:
    """True if friction has states of its own."""
    from sharnir.dynamics.friction.friction_records import bristle_names

    return has_friction(system) and bool(bristle_names(system.model))


def refuse_bristles(system: Equations, asked: str) -> None:
    """What is not integrated holds no states of bristles."""
    if has_friction(system):
        from sharnir.dynamics.friction.friction_records import frictions

        bent = [force.label for force in frictions(system.model) if force.bristles]
        if bent:
            raise ModelError(f"{asked}; {bent[0]} has bristles, which are states; use law='coulomb', or leave it out")


def bend_bristles(system: Equations) -> None:
    """Initial bristles as after long sliding with the initial speeds; upright at rest."""
    first = system.n_q + system.n_v
    for place, (bend, peak) in _sliding_bends(system, system.y0, 0.0).items():
        system.z0[place - first] = (1.0 - peak) * bend


def settled_bristles(system: Equations, y: np.ndarray, t: float) -> np.ndarray:
    """The state with bristles that slide bent as long sliding leaves them; those at rest stay as they are."""
    bends = _sliding_bends(system, y, t)
    if bends:
        y = y.copy()
        y[list(bends)] = [bend for bend, _ in bends.values()]
    return y


def _sliding_bends(system: Equations, y: np.ndarray, t: float) -> dict[int, tuple[float, float]]:
    """By places in the state: the bend σ₀ z = g(s) s/|s| of steady sliding, and e^(-(s/stribeck_speed)²)."""
    from sharnir.dynamics.friction.friction_records import frictions

    bends: dict[int, tuple[float, float]] = {}
    if not any(force.bristles for force in frictions(system.assembly.structure)):
        return bends
    elements = frictions(system.model)
    system.observe_rates(np.array([t]), y[None])
    for j, force in enumerate(elements):
        at, _, _, _, first, count = system.table[system.table[L.T_FRICTION] + HEADER + RECORD * j :][:RECORD]
        slip = system.work[system.table[at + L.F_DATA] + W_SLIP :][:count]
        speed = float(np.linalg.norm(slip))
        if count and speed > RESTS * force.stribeck_speed:
            peak = float(np.exp(-((speed / force.stribeck_speed) ** 2)))
            g = force.coefficient + (force.static - force.coefficient) * peak
            for k in range(count):
                bends[system.n_q + system.n_v + int(first) + k] = g / float(force.stiffness or 1.0) * slip[k] / speed, peak
    return bends


def loads_at(system: Equations, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Loads of all friction at a state."""
    from sharnir.dynamics.friction.friction_records import frictions

    system.observe_rates(t, y)
    return np.array([system.work[system.assembly.force_outputs[force.name]] for force in frictions(system.model)])


def jammed(system: Equations, y: np.ndarray, t: float) -> str:
    """A sentence about friction that jams at a state, or nothing."""
    if not has_friction(system):
        return ""
    from sharnir.dynamics.friction.friction_records import frictions

    system.observe_rates(np.array([t]), y[None])
    own: Any = system.work[system.table[system.table[L.T_FRICTION] + OWN] :]
    if own[STATUS] == SOLVED:
        return ""
    force = frictions(system.model)[int(own[WORST])]
    told = "no load is consistent with its own friction" if own[STATUS] == JAMMED else "loads and reactions have no solution"
    return (
        f"{force.label} (joint {force.joint!r}, coefficient {force.coefficient:g}) jams at t = {t:.6g}: friction "
        f"increases the load faster than the load can be carried, {told}; use a smaller coefficient, a longer guide "
        "(`length`), or a smaller radius"
    )
