"""All constraint equations at one state: residuals, rates, Jacobians, bias; and the residuals of given accelerations."""

from sharnir.dynamics.constraints.cut_joint import add_ball_equations, add_joint_equations
from sharnir.dynamics.constraints.measure_equations import add_formula_equation, add_linear_equations
from sharnir.dynamics.constraints.rolling import add_rolling_equations
from sharnir.dynamics.constraints.surface_and_curve import add_curve_equations, add_surface_equation
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record
from sharnir.kernel import Pointer, address_of, call_derivative, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import dot6, load3, load6

# One C function per kind: only the kinds that a model has are compiled, and once for all callers. (q, v, z) stands at y, the
# element's record at e in the table.


def ball_joint(_t, _y, e, table, params, work):
    add_ball_equations(fixed_ints(table), fixed_doubles(params), doubles(work), e)


def joint(_t, y, e, table, params, work):
    tab = fixed_ints(table)
    add_joint_equations(tab, fixed_doubles(params), doubles(work), shift(doubles(y), tab[L.N_Q] + tab[L.N_V]), e)


def linear(t, y, e, table, params, work):
    tab, q = fixed_ints(table), doubles(y)
    add_linear_equations(t, tab, fixed_doubles(params), doubles(work), q, shift(q, tab[L.N_Q]), e)


def formula(t, y, e, table, params, work):
    tab, q = fixed_ints(table), doubles(y)
    add_formula_equation(t, tab, fixed_doubles(params), doubles(work), q, shift(q, tab[L.N_Q]), e)


def surface(_t, _y, e, table, params, work):
    add_surface_equation(fixed_ints(table), fixed_doubles(params), doubles(work), e)


def curve(_t, y, e, table, params, work):
    tab = fixed_ints(table)
    add_curve_equations(tab, fixed_doubles(params), doubles(work), shift(doubles(y), tab[L.N_Q] + tab[L.N_V]), e)


def rolling(_t, _y, e, table, params, work):
    add_rolling_equations(fixed_ints(table), fixed_doubles(params), doubles(work), e)


KINDS = {
    L.CUT_BALL: Pointer(ball_joint, DERIVATIVE),
    L.CUT_JOINT: Pointer(joint, DERIVATIVE),
    L.LINEAR: Pointer(linear, DERIVATIVE),
    L.FORMULA: Pointer(formula, DERIVATIVE),
    L.ON_SURFACE: Pointer(surface, DERIVATIVE),
    L.ON_CURVE: Pointer(curve, DERIVATIVE),
    L.ROLLING: Pointer(rolling, DERIVATIVE),
}


def function_of(kind: int) -> int:
    """Address for the record of an element, 0 if there is nothing to update.

    >>> function_of(L.CUT_FREE_JOINT)
    0
    """
    return KINDS[kind].address if kind in KINDS else 0


@jit
def update_element(t, tab, par, w, q, e):
    """g, ġ, bias and Jacobian of the equations of one element at a state (q, v, z)."""
    f = tab[e + L.E_FUNCTION]
    if f != 0:
        call_derivative(f, t, address_of(q, 0), e, address_of(tab, 0), address_of(par, 0), address_of(w, 0))


@jit
def update_constraints(t, tab, par, w, q):
    """g, ġ, bias and Jacobian of all equations at a state (q, v, z); needs update_poses and update_motions."""
    for x in range(tab[L.N_ELEMENT]):
        update_element(t, tab, par, w, q, element_record(tab, x))


@jit
def update_acceleration_residual(tab, par, w, vdot, e):
    """W_ROW_RIGHT = what λ must bring: -(C v̇ + bias) - k₀ g - k₁ ġ. Bodies' accelerations hold -gravity, the base too."""
    g, body = load3(par, L.GRAVITY), tab[L.W_BODY] + L.ACC
    k0, k1 = par[L.STABILIZE_POSITION], par[L.STABILIZE_SPEED]
    n, terms, row = tab[e + L.E_TERMS], tab[e + L.E_TERM], tab[e + L.E_ROW]
    for r in range(tab[e + L.E_COUNT]):
        a = w[tab[L.W_ROW_BIAS] + row + r] + k0 * w[tab[L.W_G] + row + r] + k1 * w[tab[L.W_GDOT] + row + r]
        for k in range(n):
            target, J = tab[terms + 2 * k], load6(w, tab[e + L.E_JACOBIAN] + (r * n + k) * 6)
            if target >= 0:
                a += dot6(J, load6(w, body + target * L.W_BODY_SIZE))
            elif target == -1:
                a -= J[0] * g[0] + J[1] * g[1] + J[2] * g[2]
            else:
                a += J[0] * vdot[-2 - target]
        w[tab[L.W_ROW_RIGHT] + row + r] = -a
