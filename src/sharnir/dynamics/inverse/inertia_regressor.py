"""Inverse dynamics as a linear function of masses, first moments, inertias and rotors: τ = Y(q, q̇, q̈) π, for identification.

Newton–Euler of one body about the origin O of its frame, with a the acceleration of O less gravity and h = m c:
f = m a + α × h + ω × (ω × h), n = J α + ω × (J ω) + h × a. Both are linear in m, h, J; what each of the ten numbers needs is
carried down the tree and projected onto the freedoms it meets (Khalil, Dombre 2002, ch. 12).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.right_hand_sides import prepare
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_of,
    body_record,
    body_work,
    end_freedom,
    first_freedom,
    frame_params,
    speed_of,
    user_frame,
)
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.errors import ModelError
from sharnir.kernel import address, doubles, entry, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import Integers, Matrix, Vector
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate, rotate_back

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

PARTS = ("m", "mx", "my", "mz", "Jxx", "Jxy", "Jxz", "Jyy", "Jyz", "Jzz")
UNITS = ("kg", "kg m", "kg m", "kg m", *("kg m²",) * 6)


@jit
def unit(k):
    """The unit vector along axis k."""
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@jit
def needed(part, a, al, om):
    """Force and torque (about O) that one of the ten numbers needs, per unit."""
    zero = (0.0, 0.0, 0.0)
    if part == 0:
        return a, zero
    if part < 4:
        e = unit(part - 1)
        return add(cross(al, e), cross(om, cross(om, e))), cross(e, a)
    i = 0 if part < 7 else 1 if part < 9 else 2  # Jxx Jxy Jxz Jyy Jyz Jzz
    j = part - 4 if part < 7 else part - 6 if part < 9 else 2
    return zero, add(times(i, j, al), cross(om, times(i, j, om)))


@jit
def times(i, j, x):
    """E x, E with ones at (i, j) and (j, i)."""
    a, b = unit(i), unit(j)
    y = (a[0] * dot(b, x), a[1] * dot(b, x), a[2] * dot(b, x))
    if i == j:
        return y
    return add(y, (b[0] * dot(a, x), b[1] * dot(a, x), b[2] * dot(a, x)))


@entry
def regressor_at(
    t: float,
    q: Vector,
    v: Vector,
    vdot: Vector,
    numbers: Integers,
    Y: Matrix,
    table: Integers,
    params: Vector,
    work: Vector,
) -> None:
    """Ten columns for each of the bodies with these numbers, in axes of the user's frames; Y: zeros at first."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    prepare(t, tab, par, w, doubles(address(q)), doubles(address(v)))
    update_body_accelerations(tab, par, w, doubles(address(vdot)), True)
    for c in range(numbers.size):
        i = numbers[c]
        frame, wb = frame_params(tab, i), body_work(tab, i)
        F, d = load9(par, frame), load3(par, frame + 9)
        om, al = load3(w, wb + L.VEL + 3), load3(w, wb + L.ACC + 3)
        a = add(load3(w, wb + L.ACC), add(cross(al, d), cross(om, cross(om, d))))
        om, al, a = rotate_back(F, om), rotate_back(F, al), rotate_back(F, a)
        for part in range(10):
            f, n = needed(part, a, al, om)
            f, n = rotate(F, f), rotate(F, n)
            project(tab, w, i, f, add(n, cross(d, f)), 10 * c + part, Y)


@jit
def project(tab, w, i, f, n, column, Y):
    """A force and a torque on body i (its axes, at its origin) along all freedoms between it and the base."""
    while i >= 0:
        b = body_record(tab, i)
        for k in range(first_freedom(tab, b), end_freedom(tab, b)):
            speed = speed_of(tab, k)
            if speed >= 0:
                sl, sa = axis_of(tab, w, k)
                Y[speed, column] += dot(sl, f) + dot(sa, n)
        wb = body_work(tab, i)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        f = rotate_back(R, f)
        n = add(rotate_back(R, n), cross(rho, f))
        i = tab[b + L.PARENT]


@dataclass(frozen=True)
class InertialParameters:
    """What inverse dynamics is linear in, one after the other: ten numbers for each body, then a rotor for each speed.

    names : "<body>.m", ".mx", ".my", ".mz" (mass times place of its centre), ".Jxx", ".Jxy", ".Jxz", ".Jyy", ".Jyz", ".Jzz"
    (inertia about the origin of the body's frame, in its axes), then "<speed>.armature".   values : those of the model.   units.

    >>> InertialParameters(("a.m",), np.array([2.0]), ("kg",)).units
    ('kg',)
    """

    names: tuple[str, ...]
    values: np.ndarray
    units: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)


def moving_bodies(system: Equations) -> dict[str, int]:
    """Bodies of the model, by name, with their numbers in the engine."""
    if system.table[L.N_ELASTIC]:
        elastic = next(iter(system.assembly.coordinates.elastic))
        raise ModelError(f"regressor: body '{elastic}' is flexible; only rigid bodies are described by ten numbers each")
    if system.table[L.F_MASSES]:
        raise ModelError("regressor: bodies of this model lose mass; leave out the Thrust that burns propellant")
    numbers = system.assembly.placement.number
    return {name: numbers[name] for name in system.model.bodies if numbers[name] >= 0}


def inertial_parameters(system: Equations) -> InertialParameters:
    """Names, values and units; see System.inertial_parameters."""
    names, values = [], []
    for name, i in moving_bodies(system).items():
        names += [f"{name}.{part}" for part in PARTS]
        values += _numbers(system, i)
    bodies = len(names) // 10
    values += system.params[system.table[L.P_ARMATURE] :][: system.n_v].tolist()
    names += [f"{speed.removesuffix('.v')}.armature" for speed in system.speeds]
    turning = system.assembly.coordinates.v_units
    units = (*UNITS * bodies, *("kg m²" if unit.startswith("rad") else "kg" for unit in turning))
    return InertialParameters(tuple(names), np.array(values, float), units)


def _numbers(system: Equations, i: int) -> list[float]:
    """m, h and J of body i, from the engine's frame into that of the user: x_engine = F x_user + d."""
    own = system.params[int(system.table[L.P_BODY]) + i * L.P_BODY_SIZE :][: L.P_BODY_SIZE]
    F, d = user_frame(system, i)
    m, h = own[L.MASS], own[L.FIRST_MOMENT : L.FIRST_MOMENT + 3]
    xx, xy, xz, yy, yz, zz = own[L.INERTIA : L.INERTIA + 6]
    second = _second_moments(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    second = second - np.outer(h, d) - np.outer(d, h) + m * np.outer(d, d)  # ∫ (x - d)(x - d)ᵀ dm
    S = F.T @ second @ F
    J = np.trace(S) * np.eye(3) - S
    return [m, *(F.T @ (h - m * d)), J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]]


def _second_moments(J: np.ndarray) -> np.ndarray:
    return 0.5 * np.trace(J) * np.eye(3) - J


def regressor(system: Equations, shape: tuple[int, ...], q: np.ndarray, v: np.ndarray, vdot: np.ndarray, t: float) -> Any:
    """Y at many states; see System.regressor."""
    numbers = np.array(list(moving_bodies(system).values()), np.int64)
    first, n_v = 10 * len(numbers), system.n_v
    Y = np.zeros((math.prod(shape), n_v, first + n_v))
    own = np.zeros((n_v, max(first, 1)))
    for k in range(len(Y)):
        own[:] = 0.0
        regressor_at(t, q[k], v[k], vdot[k], numbers, own, system.table, system.params, system.work)
        Y[k, :, :first] = own[:, :first]
        Y[k, range(n_v), range(first, first + n_v)] = vdot[k]
    return Y.reshape(*shape, n_v, first + n_v)
