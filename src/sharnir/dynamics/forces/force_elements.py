"""Force elements: what acts along coordinates (`tau`) and on bodies (W_EXTERNAL), at one state."""

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import ball_spring_record, coordinate_params, external_work, force_record, joint_force_record
from sharnir.kernel import address_of, call_derivative, call_given, call_scalar, jit
from sharnir.spatial.rotation import rotation_vector
from sharnir.spatial.vector import add, cross, load3, rotate, rotate_back, store3, sub

CONSTANT, DAMPING, STIFFNESS, REST = 0, 1, 2, 3  # of a coordinate in P_COORDINATE
SPEED, COORDINATE, ADDRESS = 0, 1, 2  # of a record in T_JOINT_FORCE; the first two also in T_BALL_SPRING


@jit
def given(tab, w, f, x, y, z):
    """A number that a user gives: f(x, y, z) by its address; below zero it is that of f(x, y, z, signals), negated."""
    if f > 0:
        return call_scalar(f, x, y, z)
    return call_given(-f, x, y, z, address_of(w, tab[L.W_SIGNAL]))


@jit
def update_coordinate_forces(tab, par, w, q, v, tau):
    """Given generalized force (W_DRIVE), constant force, damping and linear spring of every coordinate."""
    d = tab[L.W_DRIVE]
    if tab[L.HAS_COORDINATE_FORCE] == 0:
        for k in range(tab[L.N_V]):
            tau[k] = w[d + k]
    else:
        for k in range(tab[L.N_V]):
            p = coordinate_params(tab, k)
            x = w[d + k] + par[p + CONSTANT] - par[p + DAMPING] * v[k]
            c = tab[tab[L.T_COORDINATE] + k]
            if c >= 0:
                x = x - par[p + STIFFNESS] * (q[c] - par[p + REST])
            tau[k] = x


@jit
def update_function_forces(t, tab, par, w, q, v, tau):
    """Functions f(q, v, t) of one coordinate, and isotropic springs of ball joints (torque -k φ)."""
    for k in range(tab[L.N_JOINT_FORCE]):
        f = joint_force_record(tab, k)
        speed = tab[f + SPEED]
        tau[speed] += given(tab, w, tab[f + ADDRESS], q[tab[f + COORDINATE]], v[speed], t)
    for k in range(tab[L.N_BALL_SPRING]):
        f = ball_spring_record(tab, k)
        i, c = tab[f + SPEED], tab[f + COORDINATE]
        phi = rotation_vector((q[c], q[c + 1], q[c + 2], q[c + 3]))
        stiffness = par[coordinate_params(tab, i) + STIFFNESS]
        for j in range(3):
            tau[i + j] -= stiffness * phi[j]


COINCIDENT = 1e-14  # of how far two points are from the origins of the world and of their bodies


@jit
def apply(tab, w, i, point, force, torque):
    """Add a world force at a world point, and a world torque, to body i."""
    if i >= 0:
        R, r, _, _ = pose_of(tab, w, i, 0.0)
        x = external_work(tab, i)
        store3(w, x, add(load3(w, x), rotate_back(R, force)))
        store3(w, x + 3, add(load3(w, x + 3), rotate_back(R, add(torque, cross(sub(point, r), force)))))


@jit
def point_state(tab, w, i, r):
    """World position and velocity of the point r of body i."""
    R, o, v, om = pose_of(tab, w, i, 0.0)
    d = rotate(R, r)
    return add(o, d), add(v, cross(om, d))


@jit
def call_element(function, t, f, place, tab, par, w):
    """Call the C function f(t, record, place, table, params, work) of an element with its record."""
    call_derivative(function, t, f, place, address_of(tab, 0), address_of(par, 0), address_of(w, 0))


@jit
def update_forces(t, tab, par, w):
    """W_EXTERNAL of all bodies; needs update_poses."""
    x = tab[L.W_EXTERNAL]
    for k in range(tab[L.N_BODY] * L.W_EXTERNAL_SIZE):
        w[x + k] = 0.0
    for k in range(tab[L.N_FORCE]):
        f = force_record(tab, k)
        call_element(tab[f + L.FUNCTION], t, f, 0, tab, par, w)
