"""All constraint equations at one state: residuals, rates, Jacobians, bias; and what they make of accelerations."""

from sharnir.dynamics import layout as L
from sharnir.dynamics.constraint_paths import equation_value
from sharnir.dynamics.cut_joint import add_ball_equations, add_joint_equations
from sharnir.dynamics.measured_constraints import add_formula_equation, add_linear_equations
from sharnir.dynamics.point_constraints import add_curve_equations, add_surface_equation
from sharnir.dynamics.rolling_constraint import add_rolling_equations
from sharnir.kernel import jit
from sharnir.spatial.vector import load3


@jit
def update_constraints(t, tab, par, w, q, v, z):
    """g, ġ, bias and Jacobian of all equations; needs update_poses and update_motions."""
    for x in range(tab[L.N_ELEMENT]):
        e = tab[L.T_ELEMENT] + x * L.T_ELEMENT_SIZE
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
def update_acceleration_residuals(tab, par, w, vdot):
    """W_ROW_RIGHT = what λ must bring: -(C v̇ + bias) - k₀ g - k₁ ġ. Bodies' accelerations hold -gravity, the base too."""
    g = load3(par, L.GRAVITY)
    k0, k1 = par[L.STABILIZE_POSITION], par[L.STABILIZE_SPEED]
    for x in range(tab[L.N_ELEMENT]):
        e = tab[L.T_ELEMENT] + x * L.T_ELEMENT_SIZE
        n, terms, row = tab[e + L.E_TERMS], tab[e + L.E_TERM], tab[e + L.E_ROW]
        for r in range(tab[e + L.E_COUNT]):
            a = equation_value(tab, w, e, r, tab[L.W_BODY] + L.ACC, L.W_BODY_SIZE, vdot)
            for k in range(n):
                if tab[terms + 2 * k] == -1:
                    J = load3(w, tab[e + L.E_JACOBIAN] + (r * n + k) * 6)
                    a -= J[0] * g[0] + J[1] * g[1] + J[2] * g[2]
            a += w[tab[L.W_ROW_BIAS] + row + r]
            w[tab[L.W_ROW_RIGHT] + row + r] = -a - k0 * w[tab[L.W_G] + row + r] - k1 * w[tab[L.W_GDOT] + row + r]
