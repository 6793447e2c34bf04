"""Drives, dampers and springs in cut joints → their records in the engine's memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.forces.force_records import forces_along_freedoms, function_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.c_functions import Functions
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.model.forces import FreedomForce

COORDINATE, NO_FUNCTION = ("q", "v", "t"), (0, 0, 0)


def append_cut_forces(blocks: Blocks, model: Model, elements: list[Any], functions: Functions) -> None:
    """One record per force and freedom of a cut joint, in the order of the elements."""
    records: list[tuple[int, ...]] = []
    numbers: list[tuple[float, float, float, float]] = []
    acting: dict[str, list[FreedomForce]] = {}
    for force in forces_along_freedoms(model):
        acting.setdefault(force.joint, []).append(force)
    for e in elements:
        joint = model.joints.get(e.name) if e.kind in (L.CUT_BALL, L.CUT_JOINT, L.CUT_FREE_JOINT) else None
        if joint is None:
            continue
        places = _places(joint)
        for k in range(joint.n_v):
            _own_forces(blocks, joint, k, places[k], e.number, records, numbers, functions)
        for force in acting.get(joint.name, ()):
            _element_force(blocks, force, joint, places, e.number, records, numbers, functions)
    blocks.header[L.N_CUT_FORCE] = len(records)
    blocks.append("table", L.T_CUT_FORCE, np.array(records, np.int64))
    blocks.append("params", L.P_CUT_FORCE, np.array(numbers))


def _places(joint: Any) -> list[int]:
    """Place of every freedom among those that are free, -1 for prescribed ones."""
    places, n = [], 0
    for entry in joint.motion:
        places.append(-1 if entry is not None else n)
        n += entry is None
    return places


def _split(blocks: Blocks, entry: Any, label: str, functions: Functions) -> tuple[float, tuple[int, ...]]:
    """A torque entry as a constant or as the record of a function."""
    if isinstance(entry, (int, float)):
        return float(entry), NO_FUNCTION
    return 0.0, function_record(blocks, entry, COORDINATE, label, functions)


def _own_forces(
    blocks: Blocks, joint: Any, k: int, place: int, e: int, records: list, numbers: list, functions: Functions
) -> None:
    entry, damping, stiffness = joint.torque[k], joint.damping[k], joint.stiffness[k]
    if place < 0:
        if entry != 0.0 or (all(joint.driven) and (damping or stiffness)):
            raise ModelError(
                f"joint '{joint.name}': freedom {k} has a prescribed motion; "
                "its torque, damping and stiffness have no effect; remove them"
            )
        return
    if entry == 0.0 and not damping and not stiffness:
        return
    constant, function = _split(blocks, entry, f"joint '{joint.name}'", functions)
    records.append((e, place, *function))
    numbers.append((constant, damping, stiffness, joint.rest[k]))


def _element_force(
    blocks: Blocks, force: FreedomForce, joint: Any, places: list[int], e: int, records: list, numbers: list, functions: Functions
) -> None:
    k = force.freedom
    if k >= joint.n_v:
        raise ModelError(f"{force.label}: freedom = {k} does not exist; joint '{joint.name}' has {joint.n_v}; count from 0")
    if places[k] < 0:
        raise ModelError(
            f"{force.label}: freedom {k} of joint '{joint.name}' has a prescribed motion; a force along it has no "
            "effect; remove the force or the motion"
        )
    quaternion = joint.coordinates != "angles"
    if quaternion and not isinstance(force.torque or 0.0, (int, float)):
        raise ModelError(
            f"{force.label}: joint '{joint.name}' has a quaternion and no single angle; use FreedomSequence or UserForce"
        )
    damping, stiffness, angle = force.damping, force.stiffness, force.angle
    if quaternion and stiffness:
        raise ModelError(f"{force.label}: joint '{joint.name}' has a quaternion and no single angle; use a Bushing")
    constant, function = (0.0, NO_FUNCTION) if force.torque is None else _split(blocks, force.torque, force.label, functions)
    # as one spring with the joint's own rest value and a constant: the same energy as in a joint of the tree
    rest = 0.0 if quaternion else joint.rest[k]
    records.append((e, places[k], *function))
    numbers.append((constant + stiffness * (angle - rest), damping, stiffness, rest))
