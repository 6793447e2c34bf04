"""Base parameters: the fewest combinations of masses, moments and inertias that the dynamics depends on, found numerically.

The regressor at many random states shows which of its columns depend on others (Gautier 1991). Columns are taken from the last
body to the first, masses and rotors at the end, so that what cannot be told apart is gathered in the bodies near the base.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.inverse.inertia_regressor import InertialParameters, inertial_parameters, regressor
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at, mimic_rows
from sharnir.dynamics.mobility.motion_basis import corrected, full_state, motion_basis, own_copy
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

INDEPENDENT = 1e-8  # of a column's length, that others leave of it
CLOSED = 1e-8  # residual of constraints, in sizes of the mechanism
SPREAD = 0.5  # of positions with loops: radians, or sizes of the mechanism


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """Combinations of inertial parameters that forces depend on: `matrix @ π`.

    names : each combination, such as "arm.Jyy + 0.25*hand.m".   values : in this model.   columns : those of the regressor that
    belong to them: `Y[:, columns] @ values` are the forces.   matrix : (base, all).   lost : parameters without any effect.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=2, com=(0, 0, -1)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", armature=1))
    >>> m.compile().base_parameters()
    BaseParameters: 3 of 11
      bob.mx = 0
      bob.mz = -2
      bob.Jyy + O.armature = 3
    """

    names: tuple[str, ...]
    values: np.ndarray
    columns: np.ndarray
    matrix: np.ndarray
    lost: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        rows = [f"  {name} = {value + 0.0:.6g}" for name, value in zip(self.names, self.values, strict=True)]
        return "\n".join([f"BaseParameters: {len(self)} of {self.matrix.shape[1]}", *rows])


def base_parameters(system: Equations) -> BaseParameters:
    """See System.base_parameters."""
    known = inertial_parameters(system)
    W = _observations(system, known)
    length = np.linalg.norm(W, axis=0)
    seen = np.flatnonzero(length > INDEPENDENT * length.max(initial=0.0))
    W = W[:, seen] / length[seen]
    rank = np.where(seen % 10 == 0, 1, 2)  # masses are gathered in moments of the bodies before, rotors in inertias
    rank[seen >= len(known) - system.n_v] = 0
    kept = _independent(W, np.argsort(rank, kind="stable"))
    weights = np.linalg.lstsq(W[:, kept], W, rcond=None)[0]
    weights[np.abs(weights) < INDEPENDENT] = 0.0
    weights[:, kept] = np.eye(len(kept))
    matrix = np.zeros((len(kept), len(known)))
    matrix[:, seen] = weights * length[seen] / length[seen[kept]][:, None]
    columns = seen[kept]
    names = tuple(_combination(row, own, known.names) for row, own in zip(matrix, columns, strict=True))
    lost = tuple(name for k, name in enumerate(known.names) if not matrix[:, k].any())
    return BaseParameters(names, matrix @ known.values, columns, matrix, lost)


def _independent(W: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Columns that do not depend on those later in the order: Gram–Schmidt, from the last one on."""
    basis = np.zeros((len(W), 0))
    kept = []
    for k in order[::-1]:
        left = W[:, k]
        for _ in range(2):  # once more for what rounding leaves
            left = left - basis @ (basis.T @ left)
        size = float(np.linalg.norm(left))
        if size > INDEPENDENT:
            kept.append(k)
            basis = np.column_stack([basis, left / size])
    return np.array(sorted(kept), np.int64)


def _combination(row: np.ndarray, own: int, names: tuple[str, ...]) -> str:
    """The sum of parameters that a row means, its own one first."""
    text = names[own]
    for k in np.flatnonzero(row):
        if k != own:
            size = "" if abs(abs(row[k]) - 1.0) < INDEPENDENT else f"{abs(row[k]):.6g}*"
            text += f" {'-' if row[k] < 0 else '+'} {size}{names[k]}"
    return text


def _observations(system: Equations, known: InertialParameters) -> np.ndarray:
    """Rows of the regressor along motions that the mechanism can make, at random states."""
    rng = np.random.default_rng(0)
    own = own_copy(system)
    rows: list[np.ndarray] = []
    count, tried = 0, 0
    while count < 3 * len(known) + 30:
        tried += 1
        found = _motion(own, rng)
        if found is None:
            if tried > 200 and not rows:
                raise ModelError("base_parameters: no positions near the drawing that close all loops were found")
            continue
        t, q, v, vdot, N = found
        rows.append(N.T @ regressor(own, (), q[None], v[None], vdot[None], t))
        count += N.shape[1]
        if tried > 10_000:
            break
    return np.concatenate(rows)


def _motion(system: Equations, rng: np.random.Generator) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """A random time, position, speed and acceleration, and the directions in which the mechanism can move there; or None."""
    scale = speed_scales(system) / size_of(system)  # 1 for an angle

    def random() -> np.ndarray:
        return rng.uniform(-1.0, 1.0, system.n_v) / scale

    t = 0.0 if system.constrained else float(rng.uniform(0.0, 10.0))
    if not system.constrained and not system.assembly.coordinates.mimics:
        y = moved(system, full_state(system, system.q0, system.v0), np.pi * random())
        return t, y[: system.n_q], 2.0 * random(), 4.0 * random(), np.eye(system.n_v)
    start = motion_basis(system, full_state(system, system.q0, system.v0), t)
    y = moved(system, start.y, start.position @ (start.position.T @ start.M @ (SPREAD * random())))
    basis = motion_basis(system, corrected(system, y, t), t)
    found, N = basis.constraints, basis.speed
    if not N.shape[1]:
        raise ModelError("base_parameters: this mechanism cannot move, so its forces contain no information about its inertia")
    if np.abs(found.g[found.holonomic]).max(initial=0.0) > CLOSED * size_of(system):
        return None
    v = N @ (N.T @ basis.M @ (2.0 * random()))
    basis.y[system.n_q : system.n_q + system.n_v] = v
    found, mimics = constraints_at(system, basis.y, t), mimic_rows(system)
    C, right = np.vstack([found.C, mimics]), np.concatenate([-found.bias, np.zeros(len(mimics))])
    drift = np.linalg.lstsq(C, right, rcond=1e-10)[0]
    return t, basis.y[: system.n_q], v, drift + N @ (N.T @ basis.M @ (4.0 * random() - drift)), N
