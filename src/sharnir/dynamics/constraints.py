"""All constraint equations at one state: residuals, rates, Jacobians, bias; and what they make of accelerations."""

from sharnir.dynamics import layout as L
from sharnir.dynamics.cut_joint import add_ball_equations, add_joint_equations
from sharnir.dynamics.measured_constraints import add_formula_equation, add_linear_equations
from sharnir.dynamics.point_constraints import add_curve_equations, add_surface_equation
from sharnir.dynamics.rolling_constraint import add_rolling_equations
from sharnir.kernel import jit
from sharnir.spatial.vector import dot6, load3, load6


@jit
def update_element(t, tab, par, w, q, v, z, e):
    """g, ġ, bias and Jacobian of the equations of one element."""
    kind = tab[e]
    if kind == L.CUT_BALL:
        add_ball_equations(tab, par, w, e)
    elif kind == L.CUT_JOINT:
        add_joint_equations(tab, par, w, z, e)
    elif kind == L.LINEAR:
        add_linear_equations(t, tab, par, w, q, v, e)
    elif kind == L.FORMULA:
        add_formula_equation(t, tab, par, w, q, v, e)
    elif kind == L.ON_SURFACE:
        add_surface_equation(tab, par, w, e)
    elif kind == L.ON_CURVE:
        add_curve_equations(tab, par, w, z, e)
    elif kind == L.ROLLING:
        add_rolling_equations(tab, par, w, e)


@jit
def update_constraints(t, tab, par, w, q, v, z):
    """g, ġ, bias and Jacobian of all equations; needs update_poses and update_motions."""
    for x in range(tab[L.N_ELEMENT]):
        update_element(t, tab, par, w, q, v, z, tab[L.T_ELEMENT] + x * L.T_ELEMENT_SIZE)


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
