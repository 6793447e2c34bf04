"""Positions that satisfy the constraints and the user's conditions: damped Newton's method, mass-weighted.

Every step is the smallest one in the metric of the mass matrix that meets the linearized equations; what it cannot meet, it
meets in the sense of least squares. Steps are cut by a line search on the residuals, then damped (Levenberg–Marquardt), and
where that ends in a dead point, the search begins again from positions around the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.initial.user_conditions import Condition
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import Constraints, constraints_at, elements, mimic_rows
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

CLOSED = 1e-9  # scaled residual below which a position counts as closed
EXACT = 1e-14
STEPS = 60
LONGEST = 0.7  # of one step: radians, or sizes of the mechanism
NEAR = 0.5  # the most that a position on a branch is moved at once, in the same measure
DAMPING = (0.0, 0.01, 0.1, 1.0)  # of the largest singular value
TRIES = 12
SMALL = 100  # speeds up to which the least gap is looked for from many positions
LARGE = 1200  # speeds above which sparse matrices are used, with the diagonal of M as metric


@dataclass(frozen=True)
class Closure:
    """The end of a search: the state, the largest scaled residual, and the equations there."""

    y: np.ndarray
    residual: float
    found: Constraints

    @property
    def closed(self) -> bool:
        """True if all equations and conditions hold."""
        return self.residual <= CLOSED


def close_positions(system: Equations, y: np.ndarray, conditions: list[Condition], t: float = 0.0) -> Closure:
    """The position near y that satisfies constraints and conditions; joints of the tree among these do not move.

    Flexible bodies keep their shapes if the mechanism can be closed so.
    """
    if system.assembly.coordinates.elastic:
        rigid = _search(system, y, conditions, t, rigid=True)
        if rigid.closed:
            return rigid
        y = rigid.y if np.isfinite(rigid.residual) else y
    first = _search(system, y, conditions, t)
    if first.closed or system.n_v > LARGE:
        return first
    best = first
    free = ~_held(system, conditions)
    rng = np.random.default_rng(0)
    reached: list[tuple[float, Closure]] = []
    for k in range(TRIES):
        step = rng.uniform(-1.0, 1.0, system.n_v) * free * (0.1 + 0.1 * k) * size_of(system) / speed_scales(system)
        end = _search(system, moved(system, y, step), conditions, t)
        if end.closed:
            reached.append((_distance(system, y, end.y), end))
            if len(reached) == 3:
                break
        elif end.residual < best.residual:
            best = end
    return min(reached, key=lambda pair: pair[0])[1] if reached else best


def least_gap(system: Equations, y: np.ndarray, end: Closure, t: float = 0.0) -> Closure:
    """Of a mechanism that cannot be closed: the position with the smallest gaps that can be found from y and from `end`.

    Gaps are measured in lengths and angles themselves, with weights that do not change on the way.
    """
    weights = gap_weights(system, constraints_at(system, y, t))
    if system.n_v > LARGE or not np.isfinite(weights).all():
        return end
    rng = np.random.default_rng(0)
    starts = [y, end.y]
    for k in range(TRIES if system.n_v <= SMALL else 0):
        step = rng.uniform(-1.0, 1.0, system.n_v) * (0.1 + 0.1 * k) * size_of(system) / speed_scales(system)
        starts.append(moved(system, y, step))
    ends = [_search(system, start, [], t, weights) for start in starts]
    best = min(ends, key=lambda x: float(np.linalg.norm(x.found.g * weights)) if np.isfinite(x.residual) else np.inf)
    constraints_at(system, best.y, t)  # the numbers that elements keep are those of this position
    return best if np.isfinite(best.residual) else end


def gap_weights(system: Equations, found: Constraints) -> np.ndarray:
    """Per equation: 1 for an angle, 1/size of the mechanism for a length; of other equations what makes them such."""
    reach = size_of(system)
    weights = np.where(found.holonomic, 1.0 / (np.maximum(found.size, 1e-9) * reach), 0.0)
    for element, record in zip(system.assembly.elements, elements(system), strict=True):
        if element.kind in (L.CUT_BALL, L.CUT_JOINT):
            for r in range(element.count):
                force = np.linalg.norm(system.work[int(record[L.E_JACOBIAN]) + 12 * r + 6 :][:3])
                weights[element.row + r] = 1.0 / (reach * force) if force > 1e-9 else 1.0
    return weights


def closed_near(system: Equations, y: np.ndarray, conditions: list[Condition], t: float = 0.0) -> np.ndarray | None:
    """The closed position that a few plain steps of Newton's method reach, or None; for following a branch."""
    if system.assembly.coordinates.elastic:
        found = _closed_near(system, y, conditions, t, rigid=True)
        if found is not None:
            return found
    return _closed_near(system, y, conditions, t)


def _closed_near(system: Equations, y: np.ndarray, conditions: list[Condition], t: float, rigid: bool = False) -> Any:
    free = np.flatnonzero(~_held(system, conditions, rigid))
    found, r, A = _equations(system, y, conditions, t)
    limits = speed_scales(system) / (NEAR * size_of(system))
    moved_by = np.zeros(system.n_v)
    for _ in range(6):
        worst = np.abs(r).max(initial=0.0)
        if not np.isfinite(worst) or np.abs(moved_by * limits).max(initial=0.0) > 1.0 or system.n_v > LARGE:
            return None
        if worst <= CLOSED**1.3 or not len(free):
            return found.y if worst <= CLOSED else None
        step = np.zeros(system.n_v)
        step[free] = _Metric(system, found.y, t, A, free).step(-r, 0.0)
        moved_by += step
        found, r, A = _equations(system, moved(system, found.y, step), conditions, t)
    return None


def closed_rigidly(system: Equations, y: np.ndarray, t: float = 0.0) -> np.ndarray:
    """A position nearer to the constraints by motion of bodies as they are: elastic coordinates stay.

    These are light, so the metric of the masses would rather strain a body than move it, and a strain over a tiny gap holds much
    energy. What only strains can close is left open.
    """
    free = np.flatnonzero(~elastic_speeds(system))
    found, r, A = _equations(system, y, [], t)
    for _ in range(6):
        worst = np.abs(r).max(initial=0.0)
        if worst <= EXACT or not len(free) or system.n_v > LARGE:
            break
        step = np.zeros(system.n_v)
        step[free] = _Metric(system, found.y, t, A, free).step(-r, 0.0)
        better = _equations(system, moved(system, found.y, step), [], t)
        if not np.abs(better[1]).max() < 0.5 * worst:
            break
        found, r, A = better
    return found.y


def start_residual(system: Equations, y: np.ndarray, conditions: list[Condition]) -> float:
    """Largest scaled residual at a position."""
    return float(np.abs(_equations(system, y, conditions, 0.0)[1]).max(initial=0.0))


def _distance(system: Equations, a: np.ndarray, b: np.ndarray) -> float:
    """How far bodies have moved between two states, weighted by their masses."""
    v = np.zeros(system.n_v)
    here, there = system.bodies(a[: system.n_q], v), system.bodies(b[: system.n_q], v)
    mass = system.model.bodies
    return sum(mass[name].mass * float(((here[name].position - there[name].position) ** 2).sum()) for name in mass)


def elastic_speeds(system: Equations) -> np.ndarray:
    """Which speeds are rates of elastic coordinates."""
    elastic = np.zeros(system.n_v, bool)
    for _, first, count in system.assembly.coordinates.elastic.values():
        elastic[first : first + count] = True
    return elastic


def _held(system: Equations, conditions: list[Condition], rigid: bool = False) -> np.ndarray:
    """Speeds of the tree that conditions keep where they are; elastic ones too, if bodies are to be rigid."""
    held = elastic_speeds(system) if rigid else np.zeros(system.n_v, bool)
    for condition in conditions:
        if condition.held is not None:
            held[condition.held.speeds(system)] = True
    return held


def _equations(
    system: Equations, y: np.ndarray, conditions: list[Condition], t: float, weights: np.ndarray | None = None
) -> tuple[Constraints, np.ndarray, Any]:
    """Equations, scaled residuals of them and of conditions on cut joints, and their rows (dense or sparse).

    Without `weights` every equation is divided by its length at this position. Residuals are NaN where the Jacobian is.
    """
    found = constraints_at(system, y, t)
    keep = found.holonomic
    reach = size_of(system)
    scale = 1.0 / (np.maximum(found.size[keep], 1e-3 * found.size.max(initial=1.0)) * reach)
    if weights is not None:
        scale = weights[keep]
    if not np.isfinite(found.values).all():
        scale = np.full(len(scale), np.nan)
    r, rows = [found.g[keep] * scale], []
    for condition in conditions:
        if condition.held is None:
            own = condition.rows(system, found.y)
            weight = 1.0 / np.maximum(np.linalg.norm(own / speed_scales(system), axis=1) * reach, 1e-6)
            r.append(-condition.miss(system, found.y) * weight)
            rows.append(own * weight[:, None])
    extra = np.vstack([*rows, mimic_rows(system)])
    r.append(np.zeros(len(extra) - sum(map(len, rows))))
    if system.n_v > LARGE:
        from scipy.sparse import csr_array, diags_array, vstack

        return found, np.concatenate(r), vstack([diags_array(scale) @ found.sparse[keep], csr_array(extra)]).tocsr()
    return found, np.concatenate(r), np.vstack([found.C[keep] * scale[:, None], extra])


def _search(
    system: Equations,
    y: np.ndarray,
    conditions: list[Condition],
    t: float,
    weights: np.ndarray | None = None,
    rigid: bool = False,
) -> Closure:
    free = np.flatnonzero(~_held(system, conditions, rigid))
    found, r, A = _equations(system, y, conditions, t, weights)
    for _ in range(STEPS):
        worst = np.abs(r).max(initial=0.0)
        if worst <= EXACT or not np.isfinite(worst):
            break
        better = _improved(system, found.y, r, A, free, conditions, t, weights)
        if better is None:
            break
        found, r, A = better
        if worst <= CLOSED and not np.abs(r).max() < 0.5 * worst:
            break
    residual = float(np.abs(r).max(initial=0.0))
    return Closure(found.y, residual if np.isfinite(residual) else np.inf, found)


def _improved(
    system: Equations,
    y: np.ndarray,
    r: np.ndarray,
    A: Any,
    free: np.ndarray,
    conditions: list[Condition],
    t: float,
    weights: np.ndarray | None = None,
) -> tuple[Constraints, np.ndarray, Any] | None:
    """The first of some steps that lowers the residual, or None."""
    if not len(free):
        return None
    before = float(r @ r)
    solve = _Metric(system, y, t, A, free)
    limits = speed_scales(system) / (LONGEST * size_of(system))
    for damping in DAMPING:
        step = np.zeros(system.n_v)
        step[free] = solve.step(-r, damping)
        longest = float(np.abs(step * limits).max())
        if not np.isfinite(longest) or longest == 0.0:
            continue
        for cut in (1.0, 0.5, 0.25, 0.1, 0.03):
            trial = _equations(system, moved(system, y, step * cut / max(1.0, longest)), conditions, t, weights)
            after = float(trial[1] @ trial[1])
            if after < before * (1.0 - 1e-3 * cut / max(1.0, longest)):
                return trial
    return None


class _Metric:
    """Smallest steps in the metric of the mass matrix, from one factorization."""

    def __init__(self, system: Equations, y: np.ndarray, t: float, A: Any, free: np.ndarray) -> None:
        self.sparse = system.n_v > LARGE
        if self.sparse:
            self.A, self.weight = A[:, free], speed_scales(system)[free]
            return
        M = system.mass_matrix(y[: system.n_q], t)[np.ix_(free, free)]
        diagonal = np.diag(M).copy()
        M[np.diag_indices(len(M))] += 1e-10 * diagonal + 1e-14 * diagonal.max()
        self.L = np.linalg.cholesky(M)
        self.U, self.s, self.Vt = np.linalg.svd(np.linalg.solve(self.L, A[:, free].T).T, full_matrices=False)

    def step(self, right: np.ndarray, damping: float) -> np.ndarray:
        """ξ of least weight with A ξ = right in the sense of least squares, damped."""
        if self.sparse:
            from scipy.sparse import diags_array
            from scipy.sparse.linalg import splu

            B = self.A @ diags_array(1.0 / self.weight)
            shift = (damping * damping + 1e-14) * float(B.multiply(B).sum(axis=1).max())
            lam = splu((B @ B.T + shift * diags_array(np.ones(len(right)))).tocsc()).solve(right)
            return (B.T @ lam) / self.weight
        largest = self.s.max(initial=0.0)
        keep = self.s > 1e-8 * largest
        s = self.s[keep]
        x = (s / (s * s + (damping * largest) ** 2)) * (self.U[:, keep].T @ right)
        return np.linalg.solve(self.L.T, self.Vt[keep].T @ x)
