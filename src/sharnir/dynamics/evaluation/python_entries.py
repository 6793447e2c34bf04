"""Entry points for Python: evaluations over many states, inverse dynamics, matrices, poses, energy."""

from typing import NamedTuple

from sharnir.dynamics.bodies.kinematics import pose_of, update_kinematics, update_motions, update_poses, update_rates
from sharnir.dynamics.constraints.constraint_equations import update_constraints
from sharnir.dynamics.constraints.cut_joint_forces import add_constraint_forces, cut_potential, observe_cut_drives, observe_cuts
from sharnir.dynamics.constraints.measure_equations import add_given_drives
from sharnir.dynamics.evaluation.right_hand_sides import prepare
from sharnir.dynamics.forces.energy import kinetic_energy, potential_energy, potential_of_bodies, update_momentum
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    armature_of,
    axis_of,
    axis_work,
    body_record,
    body_work,
    end_freedom,
    first_freedom,
    frame_params,
    motion_of,
    reaction_work,
    rotor_load,
    speed_of,
)
from sharnir.dynamics.methods.composite_body import update_composites, update_mass_matrix
from sharnir.dynamics.methods.ltl_factorization import mirror
from sharnir.dynamics.methods.newton_euler import project_reactions, update_body_accelerations, update_reactions
from sharnir.dynamics.signals.signal_evaluation import update_states
from sharnir.kernel import LANES, address, call_derivative, doubles, entry, fixed_doubles, fixed_ints, jit, shift, shift_address
from sharnir.kernel.signatures import Cube, Integers, Matrix, Vector
from sharnir.spatial.rotation import quaternion_of
from sharnir.spatial.vector import add, cross, dot, load3, load9, multiply, rotate, store3

BODY_OUT = 19  # position 3, quaternion 4, velocity 3, angular velocity 3, acceleration 3, angular acceleration 3
JOINT_OUT = 6  # force and torque through the joint on the child, world axes, at the joint


@entry
def accelerate_states(
    f: int, t: Vector, q: Matrix, v: Matrix, vdot: Matrix, drive: Matrix, table: Integers, params: Vector, work: Vector, y: Vector
) -> None:
    """v̇ of many states, one after the other. t: one time, or one per state; drive: generalized forces, or no rows.

    y: scratch for a state and its rates; tracked coordinates stand in it already.
    """
    tab, w = fixed_ints(address(table)), doubles(address(work))
    n_q, n_v, count = tab[L.N_Q], tab[L.N_V], v.shape[0]
    n = n_q + n_v + tab[L.N_Z]
    qs, vs, out, g = doubles(address(q)), doubles(address(v)), doubles(address(vdot)), doubles(address(drive))
    state = doubles(address(y))
    rates = shift_address(address(y), n)
    for i in range(count):
        for k in range(n_q):
            state[k] = qs[i * n_q + k]
        for k in range(n_v):
            state[n_q + k] = vs[i * n_v + k]
            if drive.size > 0:
                w[tab[L.W_DRIVE] + k] = g[i * n_v + k]
        call_derivative(f, t[i if t.size > 1 else 0], address(y), rates, address(table), address(params), address(work))
        for k in range(n_v):
            out[i * n_v + k] = state[n + n_q + k]
    for k in range(n_v):
        w[tab[L.W_DRIVE] + k] = 0.0


@entry
def accelerate_lanes(
    f: int, t: Vector, q: Matrix, v: Matrix, vdot: Matrix, drive: Matrix, table: Integers, params: Vector, work: Vector, y: Vector
) -> None:
    """v̇ of many states at one time, LANES at once; the last group repeats its last state. y: scratch of 2 n LANES numbers."""
    tab, w = fixed_ints(address(table)), doubles(address(work))
    n_q, n_v, count = tab[L.N_Q], tab[L.N_V], v.shape[0]
    qs, vs, out, g = doubles(address(q)), doubles(address(v)), doubles(address(vdot)), doubles(address(drive))
    state = doubles(address(y))
    rates = shift_address(address(y), (n_q + n_v) * LANES)
    for first in range(0, count, LANES):
        for j in range(LANES):
            i = min(first + j, count - 1)
            for k in range(n_q):
                state[k * LANES + j] = qs[i * n_q + k]
            for k in range(n_v):
                state[(n_q + k) * LANES + j] = vs[i * n_v + k]
                if drive.size > 0:
                    w[(tab[L.W_DRIVE] + k) * LANES + j] = g[i * n_v + k]
        call_derivative(f, t[0], address(y), rates, address(table), address(params), address(work))
        for j in range(min(LANES, count - first)):
            for k in range(n_v):
                out[(first + j) * n_v + k] = state[(2 * n_q + n_v + k) * LANES + j]


@entry
def inverse_dynamics_at(
    t: float,
    q: Vector,
    v: Vector,
    vdot: Vector,
    use_vdot: bool,
    with_forces: bool,
    tau: Vector,
    table: Integers,
    params: Vector,
    work: Vector,
) -> None:
    """Generalized forces that give q̈, less those of the model's own elements if `with_forces`; bias with q̈ = 0."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    x, out = doubles(address(vdot)), doubles(address(tau))
    has_external = prepare(t, tab, par, w, doubles(address(q)), doubles(address(v)))
    update_body_accelerations(tab, par, w, x, use_vdot)
    update_reactions(tab, par, w, has_external and with_forces)
    project_reactions(tab, w, out)
    if use_vdot:
        for k in range(tab[L.N_V]):
            out[k] += armature_of(tab, par, k) * x[k]
    if with_forces:
        for k in range(tab[L.N_V]):
            out[k] -= w[tab[L.W_TAU] + k]


@entry
def mass_matrix_at(t: float, q: Vector, M: Matrix, table: Integers, params: Vector, work: Vector, composites: int) -> None:
    """M(q), both triangles."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    x = doubles(address(q))
    update_motions(t, tab, w, 0.0)
    update_kinematics(tab, par, w, x, x, 0.0)  # velocities do not matter here
    n = tab[L.N_V]
    out = doubles(address(M))
    update_composites(tab, par, w, composites)
    update_mass_matrix(tab, par, w, composites, out, n)
    mirror(out, n)


class Observation(NamedTuple):
    """What observe_bodies fills, per state: bodies (BODY_OUT each), reactions in their joints (JOINT_OUT), forces of prescribed
    motions, and per constraint element 6 numbers, what passes through a cut joint (or no numbers)."""

    bodies: Cube
    reactions: Cube
    drives: Matrix
    cuts: Cube


@entry
def observe_bodies(
    f: int, t: Vector, y: Matrix, numbers: Integers, found: Observation, table: Integers, params: Vector, work: Vector, yd: Vector
) -> None:
    """Poses, velocities, accelerations of bodies with given numbers, reactions, forces of prescribed motions: an Observation."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    n = y.shape[1]
    p, r, dr = doubles(address(found.bodies)), doubles(address(found.reactions)), doubles(address(found.drives))
    m = numbers.size
    for i in range(t.size):
        where = shift_address(address(y), i * n)
        call_derivative(f, t[i], where, address(yd), address(table), address(params), address(work))
        update_body_accelerations(tab, par, w, shift(doubles(address(yd)), tab[L.N_Q]), True)
        update_poses(tab, w, 0.0)
        if tab[L.N_ELEMENT] > 0:
            add_constraint_forces(tab, w)
        update_reactions(tab, par, w, tab[L.N_FORCE] > 0 or tab[L.N_ELEMENT] > 0)
        for k in range(m):
            observe_body(tab, par, w, numbers[k], shift(p, (i * m + k) * BODY_OUT))
            observe_joint(tab, w, numbers[k], shift(r, (i * m + k) * JOINT_OUT))
        drives = shift(dr, i * tab[L.N_MOTION])
        observe_drives(tab, par, w, drives)
        if found.cuts.size > 0:
            cuts = shift(doubles(address(found.cuts)), i * JOINT_OUT * tab[L.N_ELEMENT])
            observe_cuts(tab, par, w, cuts)
            observe_cut_drives(tab, par, w, cuts, drives)
            add_given_drives(tab, par, w, drives)


@jit
def observe_body(tab, par, w, i, out):
    """The user's frame of body i: pose, velocity and acceleration in world axes."""
    R, r, v, om = pose_of(tab, w, i, 0.0)
    frame = frame_params(tab, i)
    d = rotate(R, load3(par, frame + 9))
    wb = body_work(tab, i)
    al = add(rotate(R, load3(w, wb + L.ACC)), load3(par, L.GRAVITY))
    aa = rotate(R, load3(w, wb + L.ACC + 3))
    store3(out, 0, add(r, d))
    e = quaternion_of(multiply(R, load9(par, frame)))
    out[3] = e[0]
    store3(out, 4, (e[1], e[2], e[3]))
    store3(out, 7, add(v, cross(om, d)))
    store3(out, 10, om)
    store3(out, 13, add(al, add(cross(aa, d), cross(om, cross(om, d)))))
    store3(out, 16, aa)


@jit
def observe_joint(tab, w, i, out):
    """What passes through joint i onto body i, world axes, at the joint."""
    R, _, _, _ = pose_of(tab, w, i, 0.0)
    x = reaction_work(tab, i)
    store3(out, 0, rotate(R, load3(w, x)))
    store3(out, 3, rotate(R, load3(w, x + 3)))


@jit
def observe_drives(tab, par, w, out):
    """Force along every freedom with prescribed motion: what its drive must give."""
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        x = reaction_work(tab, i)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = motion_of(tab, f)
            if k >= 0:
                sl, sa = axis_of(tab, w, f)
                out[k] = dot(sl, load3(w, x)) + dot(sa, load3(w, x + 3)) + rotor_load(tab, par, w, k)


@entry
def observe_energy(
    t: Vector, y: Matrix, energies: Matrix, momenta: Matrix, table: Integers, params: Vector, work: Vector
) -> None:
    """Kinetic and potential energy, and mass, centre of mass, momentum, angular momentum of many states."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    n = y.shape[1]
    for i in range(t.size):
        q = shift(doubles(address(y)), i * n)
        update_states(tab, w, q)
        prepare(t[i], tab, par, w, q, shift(q, tab[L.N_Q]))
        update_poses(tab, w, 0.0)
        e = shift(doubles(address(energies)), 2 * i)
        e[0] = kinetic_energy(tab, par, w, shift(q, tab[L.N_Q]))
        e[1] = potential_energy(t[i], tab, par, w, q)
        if tab[L.N_CUT_FORCE] > 0:
            update_constraints(t[i], tab, par, w, q)
            e[1] += cut_potential(t[i], tab, par, w)
        update_momentum(tab, par, w, shift(doubles(address(momenta)), 10 * i))


@entry
def observe_stored(t: Vector, y: Matrix, out: Matrix, table: Integers, params: Vector, work: Vector) -> None:
    """Kinetic energy, and the potential of gravity and of flexible bodies, of many states: two numbers each."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    n = y.shape[1]
    for i in range(t.size):
        q = shift(doubles(address(y)), i * n)
        update_motions(t[i], tab, w, 0.0)
        update_kinematics(tab, par, w, q, shift(q, tab[L.N_Q]), 0.0)
        update_poses(tab, w, 0.0)
        out[i, 0] = kinetic_energy(tab, par, w, shift(q, tab[L.N_Q]))
        out[i, 1] = potential_of_bodies(tab, par, w)


@entry
def call_once(f: int, t: float, y: Vector, out: Vector, table: Integers, params: Vector, work: Vector) -> None:
    """One call of a function with the signature of a right-hand side."""
    call_derivative(f, t, address(y), address(out), address(table), address(params), address(work))


@entry
def call_program(f: int, t: float, sensors: Vector, signals: Vector, out: Vector) -> None:
    """One call of a program of signals (dynamics/signals/compiled_program.py)."""
    call_derivative(f, t, address(sensors), address(signals), address(out), 0, 0)


@entry
def observe_rates(f: int, t: Vector, y: Matrix, out: Matrix, table: Integers, params: Vector, work: Vector) -> None:
    """ẏ of many full states, one after the other."""
    n = y.shape[1]
    for i in range(t.size):
        where, to = shift_address(address(y), i * n), shift_address(address(out), i * n)
        call_derivative(f, t[i], where, to, address(table), address(params), address(work))


@entry
def observe_work(
    f: int, t: Vector, y: Matrix, first: int, out: Matrix, table: Integers, params: Vector, work: Vector, yd: Vector
) -> None:
    """Numbers from offset `first` of work, as an evaluation leaves them, at many full states."""
    w, n = doubles(address(work)), y.shape[1]
    for i in range(t.size):
        where = shift_address(address(y), i * n)
        call_derivative(f, t[i], where, address(yd), address(table), address(params), address(work))
        for k in range(out.shape[1]):
            out[i, k] = w[first + k]


@entry
def observe_forces(
    t: Vector, y: Matrix, first: int, count: int, out: Matrix, table: Integers, params: Vector, work: Vector
) -> None:
    """`count` numbers from offset `first` of work (a force element's own) at many states."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    n = y.shape[1]
    for i in range(t.size):
        q = shift(doubles(address(y)), i * n)
        update_states(tab, w, q)
        prepare(t[i], tab, par, w, q, shift(q, tab[L.N_Q]))
        for k in range(count):
            out[i, k] = w[first + k]


@entry
def prepare_state(t: float, q: Vector, v: Vector, table: Integers, params: Vector, work: Vector) -> None:
    """Stages 1–4 and poses at one state: what matrices are read from."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    prepare(t, tab, par, w, doubles(address(q)), doubles(address(v)))
    update_poses(tab, w, 0.0)


@entry
def point_jacobian(i: int, x: float, y: float, z: float, out: Matrix, table: Integers, work: Vector) -> None:
    """6 × n: velocity and angular velocity (world axes) of a point of body i per unit speed; needs prepare_state."""
    tab, w = fixed_ints(address(table)), doubles(address(work))
    point = (x, y, z)
    while i >= 0:
        b = body_record(tab, i)
        R, r, _, _ = pose_of(tab, w, i, 0.0)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, f)
            if k >= 0:
                s = axis_work(tab, f)
                om = rotate(R, load3(w, s + 3))
                v = add(rotate(R, load3(w, s)), cross(om, (point[0] - r[0], point[1] - r[1], point[2] - r[2])))
                for j in range(3):
                    out[j, k] = v[j]
                    out[3 + j, k] = om[j]
        if tab[b + L.KIND] == L.NODE:
            for e in range(tab[b + L.COUNT_ELASTIC]):
                s, k = tab[b + L.ELASTIC_W] + 6 * e, tab[b + L.ELASTIC_V] + e
                om = rotate(R, load3(w, s + 3))
                v = add(rotate(R, load3(w, s)), cross(om, (point[0] - r[0], point[1] - r[1], point[2] - r[2])))
                for j in range(3):
                    out[j, k] = v[j]
                    out[3 + j, k] = om[j]
        i = tab[b + L.PARENT]


@entry
def evaluate_rates(q: Vector, v: Vector, qdot: Vector, table: Integers, params: Vector) -> None:
    """q̇ from v at one state."""
    update_rates(
        fixed_ints(address(table)),
        fixed_doubles(address(params)),
        doubles(address(q)),
        doubles(address(v)),
        doubles(address(qdot)),
    )


@entry
def observe_motions(t: Vector, out: Cube, table: Integers, work: Vector) -> None:
    """Value, rate and acceleration of prescribed freedoms at many times."""
    tab, w = fixed_ints(address(table)), doubles(address(work))
    n = 3 * tab[L.N_MOTION]
    o = doubles(address(out))
    for i in range(t.size):
        update_motions(t[i], tab, w, 0.0)
        for k in range(n):
            o[i * n + k] = w[tab[L.W_MOTION] + k]
