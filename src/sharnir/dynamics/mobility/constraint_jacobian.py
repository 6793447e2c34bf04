"""Constraint equations of one state as matrices: residuals g, rates ġ, bias, and the Jacobian C (m × n_v), with labels.

A row of C is a force on the bodies of its equation; carried down the tree it leaves sᵀ p at every freedom it meets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.constraints.constraint_equations import update_acceleration_residual
from sharnir.dynamics.evaluation.constrained_right_hand_side import update_position_system, update_tracks
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_of,
    body_record,
    body_work,
    element_record,
    end_freedom,
    first_freedom,
    speed_of,
    world_pose,
)
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.kernel import address, doubles, entry, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import Integers, Matrix, Vector
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate_back

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

AXES = ("x", "y", "z")


@jit
def add_path(tab, w, i, at, row, count, rows, columns, values):
    """Entries of one row of C from the force at `at` (6 numbers, axes of body i) on body i; returns their new number."""
    f, m = load3(w, at), load3(w, at + 3)
    while i >= 0:
        b = body_record(tab, i)
        for k in range(first_freedom(tab, b), end_freedom(tab, b)):
            speed = speed_of(tab, k)
            if speed >= 0:
                sl, sa = axis_of(tab, w, k)
                rows[count], columns[count] = row, speed
                values[count] = dot(sl, f) + dot(sa, m)
                count += 1
        if tab[b + L.KIND] == L.NODE:
            S = tab[b + L.ELASTIC_W]
            for k in range(tab[b + L.COUNT_ELASTIC]):
                rows[count], columns[count] = row, tab[b + L.ELASTIC_V] + k
                values[count] = dot(load3(w, S + 6 * k), f) + dot(load3(w, S + 6 * k + 3), m)
                count += 1
        wb = body_work(tab, i)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        f = rotate_back(R, f)
        m = add(rotate_back(R, m), cross(rho, f))
        i = tab[b + L.PARENT]
    return count


LOST = 1e-10  # length of a row, in units of its forces, that is rounding: no speed moves this equation


@entry
def list_constraints(
    t: float,
    y: Vector,
    nothing: Vector,
    vectors: Matrix,
    rows: Integers,
    columns: Integers,
    values: Vector,
    table: Integers,
    params: Vector,
    work: Vector,
) -> int:
    """g, ġ, bias, size of every equation (4 × m) and the entries of C as (row, column, value); returns how many entries.

    The bias is what g̈ holds at v̇ = 0 (nothing: n_v zeros), accelerations that the tree has there included.

    Tracked coordinates in y are brought to the position; all elements keep their numbers of this state in work.
    """
    tab, par, w, q = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work)), doubles(address(y))
    v, z = shift(q, tab[L.N_Q]), shift(q, tab[L.N_Q] + tab[L.N_V])
    update_position_system(t, tab, par, w, q, v, z)
    update_tracks(tab, w, z)
    update_body_accelerations(tab, par, w, doubles(address(nothing)), False)
    count, reach = 0, par[L.REACH]
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        update_acceleration_residual(tab, par, w, doubles(address(nothing)), e)
        n, terms = tab[e + L.E_TERMS], tab[e + L.E_TERM]
        for r in range(tab[e + L.E_COUNT]):
            row = tab[e + L.E_ROW] + r
            vectors[0, row], vectors[1, row] = w[tab[L.W_G] + row], w[tab[L.W_GDOT] + row]
            damped = par[L.STABILIZE_POSITION] * vectors[0, row] + par[L.STABILIZE_SPEED] * vectors[1, row]
            vectors[2, row] = -w[tab[L.W_ROW_RIGHT] + row] - damped
            size = 0.0
            for k in range(n):
                target, at = tab[terms + 2 * k], tab[e + L.E_JACOBIAN] + (r * n + k) * 6
                if target < -1:
                    rows[count], columns[count], values[count] = row, -2 - target, w[at]
                    count += 1
                    size += w[at] * w[at]
                else:
                    f, m = load3(w, at), load3(w, at + 3)
                    size += dot(f, f) + dot(m, m) / (reach * reach)
                    count = add_path(tab, w, target, at, row, count, rows, columns, values)
            vectors[3, row] = size
    return count


@dataclass(frozen=True)
class Constraints:
    """All equations at one state: g = 0 (of the `holonomic` ones), ġ = C v + ∂g/∂t = 0, C v̇ + bias = 0.

    size : what a row's length would be if nothing in it cancelled; y : the state with its tracked coordinates up to date.
    """

    g: np.ndarray
    gdot: np.ndarray
    bias: np.ndarray
    size: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    holonomic: np.ndarray
    n_v: int
    y: np.ndarray

    @property
    def C(self) -> np.ndarray:
        """The Jacobian as a dense matrix."""
        C = np.zeros((len(self.g), self.n_v))
        np.add.at(C, (self.rows, self.columns), self.values)
        return C

    def scaled(self, speeds: np.ndarray) -> np.ndarray:
        """C with rows in units of their forces, for speeds in these units; rows that are nothing but rounding are zero."""
        C = self.C / speeds / np.maximum(self.size, 1e-300)[:, None]
        C[np.linalg.norm(C, axis=1) <= LOST] = 0.0
        return C

    @property
    def sparse(self) -> Any:
        """The Jacobian as a sparse matrix (CSR)."""
        from scipy.sparse import csr_array

        return csr_array((self.values, (self.rows, self.columns)), shape=(len(self.g), self.n_v))


def constraints_at(system: Equations, y: np.ndarray, t: float = 0.0) -> Constraints:
    """The equations of a system at a full state y = (q, v, z)."""
    table, m = system.table, int(system.table[L.N_ROW])
    e = elements(system)
    most = int((e[:, L.E_COUNT] * e[:, L.E_TERMS] * np.maximum(e[:, L.E_SPEEDS], 1)).sum())
    vectors, values, y = np.zeros((4, m)), np.zeros(most), np.array(y, float)
    rows, columns = np.zeros(most, np.int64), np.zeros(most, np.int64)
    n = (
        list_constraints(float(t), y, np.zeros(system.n_v), vectors, rows, columns, values, table, system.params, system.work)
        if len(e)
        else 0
    )
    holonomic = np.zeros(m, bool)
    for first, count in e[:, [L.E_ROW, L.E_HOLONOMIC]]:
        holonomic[first : first + count] = True
    g, gdot, bias, size = vectors
    g[~holonomic] = 0.0
    return Constraints(g, gdot, bias, np.sqrt(size), rows[:n], columns[:n], values[:n], holonomic, system.n_v, y)


def elements(system: Equations) -> np.ndarray:
    """Records of the constraint elements in the engine's table."""
    first, n = int(system.table[L.T_ELEMENT]), int(system.table[L.N_ELEMENT])
    return system.table[first : first + n * L.T_ELEMENT_SIZE].reshape(n, L.T_ELEMENT_SIZE)


def mimic_rows(system: Equations) -> np.ndarray:
    """Equations between speeds of mimic joints, v_dependent - multiplier v_leader = 0, as rows."""
    mimics = system.assembly.coordinates.mimics
    rows = np.zeros((len(mimics), system.n_v))
    for row, x in zip(rows, mimics, strict=True):
        row[x.speed], row[x.leader] = 1.0, -x.multiplier
    return rows


def constraint_labels(system: Equations) -> tuple[str, ...]:
    """One label per equation: the element's name, and which force it holds; directions are those of the initial state."""
    if not system.constrained:
        return ()
    constraints_at(system, system.y0)
    listed: list[str] = []
    for element, record in zip(system.assembly.elements, elements(system), strict=True):
        own = list(element.labels)
        if not own and element.kind <= L.CUT_FREE_JOINT:
            own = [_direction(system, record, r) for r in range(element.count)]
        if len(own) == element.count:
            listed += [f"{element.name}: {text}" for text in own]
        else:
            listed += [element.name] if element.count == 1 else [f"{element.name}[{k}]" for k in range(element.count)]
    return tuple(listed)


def _direction(system: Equations, record: np.ndarray, r: int) -> str:
    """What an equation of a cut joint holds: a force or a torque on the second body, about the joint, in world axes."""
    block = system.work[record[L.E_JACOBIAN] + 12 * r + 6 :][:6]
    body = int(system.table[record[L.E_TERM] + 2])
    R, arm = np.eye(3), system.params[record[L.E_PARAMS] + 21 :][:3]
    if body >= 0:
        R = world_pose(system, body)[:9].reshape(3, 3)
    force, torque = R @ block[:3], R @ (block[3:] - np.cross(arm, block[:3]))
    name, x = ("force along", force) if np.linalg.norm(force) > 1e-9 else ("torque about", torque)
    x = x / max(float(np.linalg.norm(x)), 1e-300)
    k = int(np.argmax(np.abs(x)))
    return f"{name} {AXES[k]}" if abs(x[k]) > 1.0 - 1e-9 else f"{name} ({', '.join(f'{c + 0.0:.3g}' for c in x)})"


def linear_in_speeds(system: Equations) -> bool:
    """False if a formula contains speeds, in whatever way."""
    return not any(e.kind == L.FORMULA and e.holonomic == 0 for e in system.assembly.elements)


def speed_equations(system: Equations, y: np.ndarray, about: np.ndarray) -> Constraints:
    """The equations at the position in y, linear about the speeds `about`; `gdot` is what they leave at v = 0.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("car", mass=1), sr.Prismatic("road", "ground", "car", axis="x", v=2.0))
    >>> _ = m.add(sr.Constraint("pace", "road.v^2 - 4"))
    >>> s = m.compile()
    >>> x = speed_equations(s, s.y0, np.array([3.0]))
    >>> x.C.tolist(), x.gdot.tolist()
    ([[6.0]], [-13.0])
    """
    y = y.copy()
    y[system.n_q : system.n_q + system.n_v] = about
    found = constraints_at(system, y)
    if not about.any():
        return found
    moved = np.zeros(len(found.gdot))
    np.add.at(moved, found.rows, found.values * about[found.columns])
    return replace(found, gdot=found.gdot - moved)
