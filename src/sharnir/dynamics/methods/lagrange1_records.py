"""Tables and memory of Lagrange I: neighbours of every joint, inverse inertias; with flexible bodies their units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.flexible_lagrange1_units import (
    AFTER,
    BEFORE,
    COLUMNS,
    ITSELF,
    LEADS,
    MAIN,
    MEMORY,
    NODE,
    ROLE,
    SIZE,
    UNIT_T,
)
from sharnir.dynamics.methods.lagrange1 import FIRST_PAIR, FREE, JOINT, JOINT_T, PAIR, PAIRS
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.memory_builder import Assembly

LIMIT = 4e9  # bytes of blocks before the method is refused


def allocate_lagrange1(a: Assembly) -> None:
    """Append the sections of the method to the blocks."""
    units = _units(a) if a.coordinates.elastic else None
    rows, others = _neighbours(a, units)
    b, n = a.blocks, a.count
    if 8.0 * PAIR * len(others) > LIMIT:
        raise ModelError("method 'lagrange1' needs too much memory for bodies with so many children; use 'articulated'")
    size = n * JOINT + PAIR * len(others)
    parts = [rows.ravel(), np.array(others, np.int64)]
    if units is None:
        b.append("params", L.P_METHOD, _inverse_inertias(a))
    else:
        size = _place_units(a, units, size)
        parts.append(units.ravel())
    b.append("table", L.T_METHOD, np.concatenate(parts))
    b.append("work", L.W_METHOD, np.zeros(size))


def _neighbours(a: Assembly, units: np.ndarray | None) -> tuple[np.ndarray, list[int]]:
    """Per joint its freedoms without a rotor, its first pair, their number; per pair the other joint: sisters, the parent."""
    n = a.count
    rows = np.zeros((n, JOINT_T), np.int64)
    others: list[int] = []
    rows[:, FREE] = a.coordinates.count_v
    for f in a.coordinates.freedoms:
        rows[f.body, FREE] -= f.body >= 0 and f.speed >= 0 and f.armature != 0.0
    leads = np.ones(n, bool) if units is None else units[:, LEADS] == 1
    main = np.arange(n) if units is None else units[:, MAIN]
    joint_of = {int(main[i]): int(i) for i in np.flatnonzero(leads)}
    rows[~leads, FREE] = 6  # inside of a unit: no multipliers
    sisters: dict[int, list[int]] = {}
    for i, p in enumerate(a.placement.parent):
        rows[i, FIRST_PAIR] = len(others)
        if p >= 0 and leads[i]:
            before = sisters.setdefault(int(main[p]), [])
            others += [*before, joint_of[int(main[p])]]
            before.append(i)
        rows[i, PAIRS] = len(others) - rows[i, FIRST_PAIR]
    return rows, others


def _inverse_inertias(a: Assembly) -> np.ndarray:
    """Per body 1/m, centre of mass, inverse inertia about it, in engine axes."""
    turn, r = a.placement.user_to_engine(), a.placement.user_origin()
    c = np.einsum("nij,nj->ni", turn, a.placement.com) + r
    inertia, mass = np.einsum("nij,njk,nlk->nil", turn, a.placement.inertia, turn), a.placement.mass.copy()
    if a.model.base_motion is not None:
        mass[0], inertia[0] = 1.0, np.eye(3)  # its motion is given, so any inertia will do
    J = np.linalg.inv(inertia)
    return np.concatenate([1.0 / mass[:, None], c, J[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]], axis=1)


def _units(a: Assembly) -> np.ndarray:
    """Main bodies and roles: a flexible body has its nodes with it, any other body is a unit of its own."""
    number, parent = a.placement.number, a.placement.parent
    units = np.zeros((a.count, UNIT_T), np.int64)
    units[:, MAIN], units[:, ROLE], units[:, SIZE], units[:, LEADS] = np.arange(a.count), ITSELF, 6, 1
    for name, (_, _, h) in a.coordinates.elastic.items():
        main = number[name]
        units[main, SIZE] = 6 + h
        for node in a.model.bodies[name].nodes():  # type: ignore[attr-defined]
            i = number[node.name]
            role = NODE if a.coordinates.kind[i] == L.NODE else AFTER if parent[i] == main else BEFORE
            units[i] = (main, role, 0, 6 + h, 0, role == BEFORE)
            if role == BEFORE:
                units[main, LEADS] = 0
    return units


def _place_units(a: Assembly, units: np.ndarray, size: int) -> int:
    """Offsets of the memory of units and of the columns of joints, from `size` on; returns the whole size."""
    for i in range(a.count):
        d = int(units[i, SIZE])
        if units[i, MAIN] == i:
            units[i, MEMORY], size = size, size + d * d + 2 * d
    units[:, MEMORY] = units[units[:, MAIN], MEMORY]
    for i, p in enumerate(a.placement.parent):
        if units[i, LEADS] == 0:
            continue
        units[i, COLUMNS], size = size, size + 6 * int(units[i, SIZE]) + (6 * int(units[p, SIZE]) if p >= 0 else 0)
    return size
