"""The power supplied to a mechanism, without gravity and the elasticity of its bodies: it must balance the change of energy.

With T the kinetic energy, V_b the potential of gravity and of deformed bodies, at every state of the exact motion

    d(T + V_b)/dt = τ·v + Σ F_i·V_i - dissipation of flexible bodies + Σ ṡ_k R_k - Σ λ ∂g/∂t + what leaves with mass

τ along coordinates, F_i on bodies (springs, dampers, contacts, friction, drives, users' forces), R_k reactions along freedoms
with prescribed rates ṡ_k, λ multipliers of equations that depend on time. No term but that of drives holds accelerations: the
forces that an evaluation has found are taken along the velocities of the state, so that wrong accelerations, a state that leaves
its constraints and what a projection takes away all show as a difference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.bodies.flexible_body import elastic_momentum, is_flexible
from sharnir.dynamics.bodies.flexible_memory import damping_at, drag_at
from sharnir.dynamics.bodies.foreshortening import all_shapes
from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.constraints.cut_joint_forces import add_constraint_forces
from sharnir.dynamics.forces.thrust import CONTENT, FULL, TANK_BODY, TANK_MASS, TANK_PARAMS, least_in_tank, tank_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.coordinates import Coordinates, FreedomRow
from sharnir.dynamics.memory.memory_builder import Assembly
from sharnir.dynamics.memory.records import (
    axis_of,
    body_record,
    body_work,
    drive_work,
    end_freedom,
    external_work,
    first_freedom,
    motion_of,
    motion_work,
    reaction_work,
    rotor_load,
)
from sharnir.dynamics.methods.newton_euler import update_body_accelerations, update_reactions
from sharnir.kernel import Pointer, call_derivative, doubles, fixed_doubles, fixed_ints, inline, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.inertia import inertia_times, rigid
from sharnir.spatial.vector import dot, dot6, load3, load6, rotate

# record of a balance in the table, at T_BALANCE
DRIVES = 0  # how many freedoms of the tree have a prescribed motion that is not one number
FLEXIBLE = 1  # 1: there are flexible bodies
READY = 2  # 1: the elimination of separate bodies leaves what every drive needs, so that no reactions need be found
ELEMENTS = 3  # how many constraint elements may depend on time, then their offsets in the table, then body and motion of drives


@jit
def external_power(tab, w):
    """Σ F_i·V_i of force elements and of forces in cut joints; needs an evaluation."""
    total = 0.0
    for i in range(tab[L.N_BODY]):
        total += dot6(load6(w, external_work(tab, i)), load6(w, body_work(tab, i) + L.VEL))
    return total


@jit
def elastic_dissipation(tab, par, w):
    """ẇᵀ D ẇ of flexible bodies, and β (v, ω, ẇ)·∂T/∂(v, ω, ẇ) of damping in proportion to mass."""
    total = 0.0
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        if is_flexible(tab, b):
            s = all_shapes(tab, par, w, b)
            for j in range(s.h):
                for k in range(s.h):
                    total += w[s.rate + j] * par[damping_at(s, j, k)] * w[s.rate + k]
            drag = par[drag_at(s)]
            if drag > 0.0:
                v, om = load3(w, body_work(tab, i) + L.VEL), load3(w, body_work(tab, i) + L.VEL + 3)
                p, pi, extra = elastic_momentum(tab, par, w, b, v, om)
                total += drag * (dot(v, p) + dot(om, pi) + extra)
    return total


@jit
def explicit_power(tab, w, v):
    """-Σ λ ∂g/∂t: multipliers of equations that depend on time, along what their Jacobians leave of ġ."""
    total, record = 0.0, tab[L.T_BALANCE]
    for x in range(tab[record + ELEMENTS]):
        e = tab[record + ELEMENTS + 1 + x]
        n, terms, row = tab[e + L.E_TERMS], tab[e + L.E_TERM], tab[e + L.E_ROW]
        for r in range(tab[e + L.E_COUNT]):
            rate = w[tab[L.W_GDOT] + row + r]
            for k in range(n):
                target, J = tab[terms + 2 * k], load6(w, tab[e + L.E_JACOBIAN] + (r * n + k) * 6)
                if target >= 0:
                    rate -= dot6(J, load6(w, body_work(tab, target) + L.VEL))
                elif target < -1:
                    rate -= J[0] * v[-2 - target]
            total -= w[tab[L.W_LAMBDA] + row + r] * rate
    return total


@jit
def drives_move(tab, w):
    """Whether any prescribed freedom has a rate at this moment."""
    found = False
    for k in range(tab[L.N_MOTION]):
        found = found or w[motion_work(tab, k) + 1] != 0.0
    return found


@jit
def drive_power(tab, par, w, vdot):
    """Σ ṡ_k R_k over the prescribed freedoms of the tree; W_EXTERNAL then holds the multipliers' forces too."""
    if not drives_move(tab, w):
        return 0.0
    has_external = tab[L.N_FORCE] > 0
    if tab[L.N_ELEMENT] > 0:
        add_constraint_forces(tab, w)
        has_external = True
    update_body_accelerations(tab, par, w, vdot, True)
    update_reactions(tab, par, w, has_external)
    total = 0.0
    for i in range(tab[L.N_BODY]):
        b, x = body_record(tab, i), reaction_work(tab, i)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = motion_of(tab, f)
            if k >= 0:
                sl, sa = axis_of(tab, w, f)
                force = dot(sl, load3(w, x)) + dot(sa, load3(w, x + 3)) + rotor_load(tab, par, w, k)
                total += w[motion_work(tab, k) + 1] * force
    return total


@inline
def eliminated_drive_power(tab, w, record):
    """The same sum where the elimination of separate bodies has left U = I s and sᵀp of every drive: R = U·a + sᵀp."""
    total, drives = 0.0, record + ELEMENTS + 1 + tab[record + ELEMENTS]
    for x in range(tab[record + DRIVES]):
        body, k = tab[drives + 2 * x], tab[drives + 2 * x + 1]
        e = drive_work(tab, k)
        total += w[motion_work(tab, k) + 1] * (dot6(load6(w, e), load6(w, body_work(tab, body) + L.ACC)) + w[e + L.DRIVE_FORCE])
    return total


@jit
def mass_power(tab, par, w, rates):
    """½ V·İ V - ṁ g·r - g·R ḣ of bodies whose tanks empty; `rates` are those of the states of control."""
    total, first, g = 0.0, tab[L.T_TANK], load3(par, L.GRAVITY)
    states = tab[L.W_SIGNAL] + tab[L.N_SIGNAL] + tab[L.N_HELD]
    for k in range(tab[first]):
        tank = tank_record(tab, k)
        i, p, mass = tab[tank + TANK_BODY], tab[tank + TANK_PARAMS], tab[tank + TANK_MASS]
        if w[mass] > least_in_tank(par, p):
            rate = rates[mass - states] / par[p + FULL]
            v, om = load3(w, body_work(tab, i) + L.VEL), load3(w, body_work(tab, i) + L.VEL + 3)
            R, r, _, _ = pose_of(tab, w, i, 0.0)
            m, h = par[p + CONTENT], load3(par, p + CONTENT + 1)
            x, y = inertia_times(rigid(m, h, load6(par, p + CONTENT + 4), 0.0), v, om)
            total += rate * (0.5 * (dot(v, x) + dot(om, y)) - m * dot(g, r) - dot(g, rotate(R, h)))
    return total


@jit
def power(tab, par, w, y, yd):
    """All of it, at the state y whose rates yd have just been evaluated."""
    n_q, n_v, record = tab[L.N_Q], tab[L.N_V], tab[L.T_BALANCE]
    v, total = shift(y, n_q), 0.0
    for k in range(n_v):
        total += w[tab[L.W_TAU] + k] * v[k]
    if tab[L.N_FORCE] > 0 or tab[L.N_CUT_FORCE] > 0:
        total += external_power(tab, w)
    if tab[record + FLEXIBLE] == 1:
        total -= elastic_dissipation(tab, par, w)
    if tab[L.F_MASSES] != 0:
        total += mass_power(tab, par, w, shift(yd, n_q + n_v + tab[L.N_Z] - tab[L.N_CONTROL]))
    if tab[record + ELEMENTS] > 0:
        total += explicit_power(tab, w, v)
    if tab[record + READY] == 1:
        total += eliminated_drive_power(tab, w, record)
    elif tab[record + DRIVES] > 0:
        total += drive_power(tab, par, w, shift(yd, n_q))
    return total


@jit
def run_unbalanced(t, y, yd, table, params, work):
    """The right-hand side itself."""
    call_derivative(fixed_ints(table)[L.F_BALANCE], t, y, yd, table, params, work)


def derivative_with_balance(t, y, yd, table, params, work):
    """ẏ, and behind it the power."""
    run_unbalanced(t, y, yd, table, params, work)
    tab, out = fixed_ints(table), doubles(yd)
    n = tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z]
    out[n] = power(tab, fixed_doubles(params), doubles(work), doubles(y), out)


WITH_BALANCE = Pointer(derivative_with_balance, DERIVATIVE)


def append_balance(assembly: Assembly, method: str) -> None:
    """The record of the balance: which terms of it a model has.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)))
    >>> s = m.compile()
    >>> s.table[s.table[L.T_BALANCE] + ELEMENTS]
    np.int64(0)
    """
    c, first = assembly.coordinates, int(assembly.blocks.header[L.T_ELEMENT])
    driven = [k for k, row in enumerate(c.freedoms) if row.motion is not None]
    tree = [k for at, n in zip(c.first_freedom, c.count_freedom, strict=True) for k in range(at, at + n)] if driven else []
    number = {k: i for i, k in enumerate(driven)}  # of motions, in the order of freedoms
    drives = [x for k in tree if moves(c.freedoms[k]) for x in (c.freedoms[k].body, number[k])]
    timed = [first + k * L.T_ELEMENT_SIZE for k, e in enumerate(assembly.elements) if may_depend_on_time(e, c)]
    plain = not (assembly.elements or c.elastic or assembly.blocks.header[L.T_FRICTION])
    record = [len(drives) // 2, bool(c.elastic), plain and method == "articulated", len(timed), *timed, *drives]
    assembly.blocks.append("table", L.T_BALANCE, np.array(record, np.int64))


def moves(row: FreedomRow) -> bool:
    """Whether a freedom has a prescribed motion that is not one number."""
    return row.motion is not None and not isinstance(row.motion, float)


def may_depend_on_time(element: Any, c: Coordinates) -> bool:
    """Whether the equations of a constraint element may hold the time: drives of cut joints, equations between measures."""
    if element.kind in (L.LINEAR, L.FORMULA):
        return True
    rows = c.freedoms[element.first_freedom : element.first_freedom + element.count_freedom]
    return element.kind == L.CUT_JOINT and any(map(moves, rows))


def exchanges_energy(table: np.ndarray) -> bool:
    """Whether anything but gravity and the elasticity of bodies can change the energy: forces, drives, mass that leaves, events.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)))
    >>> exchanges_energy(m.compile().table)
    False
    """
    counts = (L.N_FORCE, L.N_CUT_FORCE, L.N_JOINT_FORCE, L.N_BALL_SPRING, L.HAS_COORDINATE_FORCE, L.F_MASSES, L.N_EVENT)
    record = table[L.T_BALANCE]
    return bool(any(table[k] for k in counts) or table[record + DRIVES] or table[record + FLEXIBLE] or table[record + ELEMENTS])


def moves_by_drives(table: np.ndarray) -> bool:
    """Whether motions or constraints that depend on time can do work.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("x", "ground", "b", axis="x", motion="sin(t)"))
    >>> moves_by_drives(m.compile().table)
    True
    """
    record = table[L.T_BALANCE]
    return bool(table[record + DRIVES] or table[record + ELEMENTS])


def with_balance(table: np.ndarray, derivative: Any) -> Any:
    """A right-hand side that gives the power besides, around this one; None if there is no power."""
    if not exchanges_energy(table):
        return None
    table[L.F_BALANCE] = getattr(derivative, "address", derivative)
    return WITH_BALANCE
