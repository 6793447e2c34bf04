"""Inertia of the motions that constraints allow: bodies may lack mass where others must move with them, or be very light."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at, mimic_rows
from sharnir.dynamics.mobility.redundancy import dependent_rows
from sharnir.dynamics.mobility.state_steps import speed_scales
from sharnir.errors import ModelError
from sharnir.model import Body, FlexibleBody, Model
from sharnir.topology import build_tree
from sharnir.topology.weld import light_bodies

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

MOST_SPEEDS = 300  # up to which the null space is an answer: its work grows with the third power
NOTHING = 1e-13  # of the largest inertia of a motion, in speeds of points
SMALL_PIVOT = 1e-7  # of C M⁻¹ Cᵀ with a diagonal of ones: from here on half of all digits may be lost
LIGHT = 1e-6  # of the largest mass in a mechanism
MISSED = 1e-7  # of the accelerations in the equations
BY_POSITION = 1e3  # times the pivot: C itself is as near to a loss of rank, and masses have no part in it


def null_space(system: Equations, rows: np.ndarray, rank: int) -> np.ndarray:
    """(n_v, n_v - rank) motions that rows of C allow, orthonormal in speeds of points; masses have no part in it."""
    scale = speed_scales(system)
    scaled = rows / scale
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    scaled = np.divide(scaled, length, out=np.zeros_like(scaled), where=length > 0.0)
    N = np.linalg.svd(scaled)[2][rank:].T if len(rows) else np.eye(system.n_v)
    return N / scale[:, None]


def check_motions(system: Equations) -> None:
    """Raise an error that names bodies and freedoms if the constraints allow a motion at the start that moves no mass."""
    if system.n_v == 0:
        return
    found = constraints_at(system, system.y0)
    mimics = mimic_rows(system)
    rank = len(found.g) - len(dependent_rows(system, found)) + len(mimics)
    if rank >= system.n_v:
        return
    N = null_space(system, np.vstack([found.C, mimics]), rank)
    values, vectors = np.linalg.eigh(N.T @ system.mass_matrix(system.q0) @ N)
    if values[0] > NOTHING * values[-1] > 0.0:
        return
    motion = np.abs(N @ vectors[:, 0]) * speed_scales(system)
    moving = [system.speeds[k] for k in np.flatnonzero(motion > 1e-6 * motion.max())]
    light = light_bodies(system.model)
    raise ModelError(
        f"the mechanism can move without moving anything that has mass or inertia ({_listed(moving)}): its acceleration is "
        f"not determined; give mass and inertia to {'one of ' if len(light) > 1 else ''}{_listed(light)}, or hold the motion by "
        f"a joint or a drive"
    )


def _listed(names: list[str], most: int = 4) -> str:
    """The first names, quoted, and how many there are besides."""
    text = ", ".join(f"'{name}'" for name in names[:most])
    return text + (f" and {len(names) - most} more" if len(names) > most else "")


def has_loops(model: Model) -> bool:
    """Whether constraints tie motions of the joints together, so that a body without inertia may have to move with others."""
    return bool(model.constraints or build_tree(model).cuts)


def massless_beside_flexible(model: Model, reason: str) -> str:
    """The error for bodies without inertia in loops of a mechanism that has flexible bodies, too; reason: the first one."""
    nodes = {name for body in model.bodies.values() if isinstance(body, FlexibleBody) for name in body.node_names}
    rigid = [name for name in light_bodies(model) if isinstance(model.bodies[name], Body) and name not in nodes]
    if not rigid:
        return reason
    names = ", ".join(map(repr, rigid[:8]))
    who = f"body {names} lacks" if len(rigid) == 1 else f"bodies {names} lack"
    return (
        f"model '{model.name}': {who} mass or a moment of inertia. In a loop, where others move with such a body, "
        "this is allowed, but with flexible bodies every rigid body needs both, since bodies are eliminated one after the "
        "other, before the loops are closed. Give it some, a millionth of its neighbours' for example, or make the joint "
        "that carries it Fixed"
    )


def light_bodies_hide_constraints(system: Equations) -> bool:
    """Whether C M⁻¹ Cᵀ has lost what C knows: beside huge accelerations of light bodies those of others are rounding.

    The dense solver's pivots say so, unless C itself is near a loss of rank; of the sparse one the accelerations, which do not
    satisfy the equations. Needs an evaluation at the initial state.
    """
    m = int(system.table[L.N_ROW])
    if not 0 < system.n_v <= MOST_SPEEDS or m == 0 or system.table[L.N_ELASTIC]:
        return False
    if system.table[L.SOLVER] == L.SPARSE:
        return _violates_equations(system)
    if system.table[L.SOLVER] != L.DENSE:
        return False
    at = int(system.table[L.W_MATRIX]) + 3 * m * m + 5 * m
    rank, pivot = int(system.work[at]), float(system.work[at + 1])
    if pivot > SMALL_PIVOT and rank == m:
        return False
    found = constraints_at(system, system.y0)
    kept = np.setdiff1d(np.arange(m), dependent_rows(system, found))
    if rank != len(kept):  # more than C has: a position so near a singular one that the two judge its last pivot differently
        return rank < len(kept)
    C = found.scaled(speed_scales(system))[kept]  # not of unit length: a row that vanishes in a singular position is small
    smallest = float(np.linalg.svd(C, compute_uv=False).min(initial=1.0))
    return pivot <= SMALL_PIVOT and smallest**2 > BY_POSITION * pivot


def _violates_equations(system: Equations) -> bool:
    """Whether light bodies are among others, and accelerations at the start miss the equations."""
    mass = system.assembly.placement.mass
    if not mass.min() < LIGHT * mass.max():
        return False
    n, m = system.n_q, system.n_q + system.n_v
    vdot = system.observe_rates(np.zeros(1), system.y0[None])[0, n:m]
    found = constraints_at(system, system.y0)
    usual = np.abs(found.C) @ np.abs(vdot) + np.abs(found.bias)
    return bool(np.abs(found.C @ vdot + found.bias).max() > MISSED * usual.max())
