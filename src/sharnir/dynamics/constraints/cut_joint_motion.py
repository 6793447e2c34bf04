"""Coordinates, rates and accelerations of cut joints: what they would be if the joint were part of the tree."""

from sharnir.dynamics.bodies.kinematics import pose_of, update_poses
from sharnir.dynamics.constraints.cut_joint import relative_frame, update_parts
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_work, element_record, target_of
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.kernel import address, call_derivative, doubles, entry, fixed_doubles, fixed_ints, jit, shift, shift_address
from sharnir.kernel.signatures import Cube, Integers, Matrix, Vector
from sharnir.spatial.rotation import quaternion_of
from sharnir.spatial.vector import add, cross, load3, load9, multiply_back, rotate, rotate_back, scale, store3, sub

CUT_OUT = 19  # coordinates 7 (ball: quaternion; free: shift, quaternion), rates 6, accelerations 6


@jit
def acceleration_of(tab, par, w, i):
    """Acceleration less gravity of the origin and angular acceleration of body i, or of the base, world axes."""
    if i < 0:
        return scale(load3(par, L.GRAVITY), -1.0), (0.0, 0.0, 0.0)
    R, _, _, _ = pose_of(tab, w, i, 0.0)
    at = body_work(tab, i) + L.ACC
    return rotate(R, load3(w, at)), rotate(R, load3(w, at + 3))


@jit
def observe_cut_joint(tab, par, w, e, out):
    """One cut joint; needs an evaluation, update_body_accelerations and update_poses."""
    x = relative_frame(tab, par, w, e)
    ai, wi = acceleration_of(tab, par, w, target_of(tab, e, 0))
    aj, wj = acceleration_of(tab, par, w, target_of(tab, e, 1))
    # of the second body as an observer on the first one sees it
    lin = add(x.lin, sub(add(aj, cross(wj, x.arms.db)), add(ai, cross(wi, x.arms.da))))
    ang = add(x.ang, sub(wj, wi))
    if tab[e] == L.CUT_JOINT:
        at = tab[e + L.E_WORK]
        own, parts = at + L.CUT_TWIST, at + L.CUT_GAP  # both are computed in every evaluation
        store3(w, own, sub(rotate_back(x.B, lin), load3(w, at + L.CUT_PSI)))
        store3(w, own + 3, sub(rotate_back(x.B, ang), load3(w, at + L.CUT_PSI + 3)))
        n = 6 - tab[e + L.E_COUNT]
        update_parts(w, at, n, own, parts)
        for k in range(n):
            out[k], out[7 + k], out[13 + k] = w[at + L.CUT_U + k], w[at + L.CUT_RATE + k], w[parts + k]
        return
    C = load9(par, tab[e + L.E_PARAMS] + L.CUT_CHILD_AXES)  # axes of the joint on the child -> the child's own
    k = 3 if tab[e] == L.CUT_FREE_JOINT else 0
    u = quaternion_of(multiply_back(x.A, x.B))
    out[k] = u[0]
    store3(out, k + 1, rotate(C, (u[1], u[2], u[3])))
    store3(out, 7 + k, rotate(C, rotate_back(x.B, x.om)))
    store3(out, 13 + k, rotate(C, rotate_back(x.B, ang)))
    if k == 3:
        store3(out, 0, rotate_back(x.A, x.d))
        store3(out, 7, rotate(C, rotate_back(x.B, x.v)))
        store3(out, 13, rotate(C, rotate_back(x.B, sub(lin, cross(x.om, x.v)))))  # of components in axes that turn


@entry
def observe_cut_joints(
    f: int, t: Vector, y: Matrix, elements: Integers, out: Cube, table: Integers, params: Vector, work: Vector, yd: Vector
) -> None:
    """CUT_OUT numbers of chosen elements, all of them cut joints, at many states."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    n, m = y.shape[1], elements.size
    for i in range(t.size):
        where = shift_address(address(y), i * n)
        call_derivative(f, t[i], where, address(yd), address(table), address(params), address(work))
        update_body_accelerations(tab, par, w, shift(doubles(address(yd)), tab[L.N_Q]), True)
        update_poses(tab, w, 0.0)
        for k in range(m):
            e = element_record(tab, elements[k])
            observe_cut_joint(tab, par, w, e, shift(doubles(address(out)), (i * m + k) * CUT_OUT))


@entry
def observe_residuals(
    projection: int, t: Vector, y: Matrix, out: Matrix, table: Integers, params: Vector, work: Vector, state: Vector
) -> None:
    """Largest residuals of positions and speeds at many states; `table` has its corrections switched off, state: scratch."""
    n = y.shape[1]
    report = shift_address(address(state), n)
    for i in range(t.size):
        for k in range(n):
            state[k] = y[i, k]
        call_derivative(projection, t[i], address(state), report, address(table), address(params), address(work))
        out[i, 0], out[i, 1] = state[n], state[n + 1]


@entry
def observe_multipliers(
    f: int, t: Vector, y: Matrix, out: Matrix, table: Integers, params: Vector, work: Vector, yd: Vector
) -> None:
    """λ of all equations at many states."""
    tab, w = fixed_ints(address(table)), doubles(address(work))
    n = y.shape[1]
    for i in range(t.size):
        where = shift_address(address(y), i * n)
        call_derivative(f, t[i], where, address(yd), address(table), address(params), address(work))
        for k in range(out.shape[1]):
            out[i, k] = w[tab[L.W_LAMBDA] + k]
