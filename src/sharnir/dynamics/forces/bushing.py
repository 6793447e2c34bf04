"""An elastic element with six axes between two bodies."""

import numpy as np

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.forces.force_elements import apply, point_state
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model import Bushing
from sharnir.model.frames import rotation_matrix
from sharnir.spatial.rotation import quaternion_of, rotation_vector, rotation_vector_slope
from sharnir.spatial.vector import (
    add,
    cross,
    load3,
    load6,
    load9,
    multiply,
    multiply_back,
    rotate,
    rotate_back,
    scale,
    store3,
    sub,
)

# params: the element's axes and point on a and on b, engine axes; then six numbers each
AXES_A, POINT_A, AXES_B, POINT_B, STIFFNESS, DAMPING, PRELOAD = 0, 9, 12, 21, 24, 30, 36
FORCE, TORQUE = 0, 3  # outputs: on b, in the element's axes on a


@jit
def bushing_state(tab, par, w, f):
    """Axes A, point B, displacement of B in axes A, rotation vector φ of B in A, and their rates."""
    p = tab[f + L.F_PARAMS]
    i, j = tab[f + L.BODY_A], tab[f + L.BODY_B]
    RA, _, _, wa = pose_of(tab, w, i, 0.0)
    RB, _, _, wb = pose_of(tab, w, j, 0.0)
    RA, RB = multiply(RA, load9(par, p + AXES_A)), multiply(RB, load9(par, p + AXES_B))
    a, va = point_state(tab, w, i, load3(par, p + POINT_A))
    b, vb = point_state(tab, w, j, load3(par, p + POINT_B))
    d = sub(b, a)
    x = rotate_back(RA, d)
    xd = rotate_back(RA, sub(sub(vb, va), cross(wa, d)))
    phi = rotation_vector(quaternion_of(multiply_back(RA, RB)))
    om = rotate_back(RA, sub(wb, wa))
    return RA, b, x, xd, phi, om


def add_bushing(t, f, _, table, params, work):
    """Six-axis spring and damper: potential ½ xᵀK x + ½ φᵀK φ, so the torque is J(φ)⁻ᵀ K φ and not K φ alone."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    RA, b, x, xd, phi, om = bushing_state(tab, par, w, f)
    p, out = tab[f + L.F_PARAMS], tab[f + L.W_OUT]
    K, D, F0 = load6(par, p + STIFFNESS), load6(par, p + DAMPING), load6(par, p + PRELOAD)
    e = (
        -K[0] * x[0] - D[0] * xd[0] + F0[0],
        -K[1] * x[1] - D[1] * xd[1] + F0[1],
        -K[2] * x[2] - D[2] * xd[2] + F0[2],
    )
    # φ̇ = (1 - ½ φ~ + k φ~²) ω in axes A (left Jacobian); torque on B = its transpose times -∂U/∂φ
    u = (-K[3] * phi[0], -K[4] * phi[1], -K[5] * phi[2])
    k = rotation_vector_slope(phi)
    c = cross(phi, u)
    m = add(u, add(scale(c, 0.5), scale(cross(phi, c), k)))
    m = (m[0] - D[3] * om[0] + F0[3], m[1] - D[4] * om[1] + F0[4], m[2] - D[5] * om[2] + F0[5])
    force, torque = rotate(RA, e), rotate(RA, m)
    apply(tab, w, tab[f + L.BODY_B], b, force, torque)
    # on A at B's point, since x is measured in axes that turn with A
    apply(tab, w, tab[f + L.BODY_A], b, scale(force, -1.0), scale(torque, -1.0))
    store3(w, out + FORCE, e)
    store3(w, out + TORQUE, m)


def bushing_potential(t, f, place, table, params, work):
    """½ xᵀK x + ½ φᵀK φ - F₀ᵀx; a torque of preload has no potential."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    _, _, x, _, phi, _ = bushing_state(tab, par, w, f)
    p, total = tab[f + L.F_PARAMS], 0.0
    for k in range(3):
        total += 0.5 * par[p + STIFFNESS + k] * x[k] * x[k] - par[p + PRELOAD + k] * x[k]
        total += 0.5 * par[p + STIFFNESS + 3 + k] * phi[k] * phi[k]
    w[place] = total


BUSHING, POTENTIAL = Pointer(add_bushing, DERIVATIVE), Pointer(bushing_potential, DERIVATIVE)


@force_record(Bushing, BUSHING, potential=POTENTIAL)
def bushing_row(blocks: Blocks, row: np.ndarray, force: Bushing, drawing: Drawing) -> None:
    """The record of a bushing, relaxed in the drawing."""
    a, b = str(force.a), str(force.b)
    axes = np.array(rotation_matrix(force.rotation))
    numbers = [*drawing.frame(a, force.at, axes), *drawing.frame(b, force.at, axes)]
    row[L.BODY_A], row[L.BODY_B] = drawing.number(a), drawing.number(b)
    row[L.F_PARAMS] = blocks.append("params", None, [*numbers, *force.stiffness, *force.damping, *force.preload])
