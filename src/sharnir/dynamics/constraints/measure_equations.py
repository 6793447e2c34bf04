"""Equations between measures: sums with constant factors, and formulas."""

from sharnir.dynamics.constraints.cut_joint import store_residuals
from sharnir.dynamics.constraints.measures import update_measures
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record
from sharnir.kernel import address_of, call_vector, jit


@jit
def clear_jacobian(tab, w, e):
    for k in range(6 * tab[e + L.E_COUNT] * tab[e + L.E_TERMS]):
        w[tab[e + L.E_JACOBIAN] + k] = 0.0


@jit
def add_measure(tab, w, e, row, k, c):
    """Add c times the Jacobian of measure k to an equation; several measures may share a body."""
    data = tab[e + L.E_DATA]
    n, m = tab[data], data + 2 + k * L.T_MEASURE_SIZE
    block = tab[e + L.E_WORK] + 4 * n + 4 + 12 * k
    J = tab[e + L.E_JACOBIAN] + 6 * row * tab[e + L.E_TERMS]
    a, b = tab[m + L.M_A], tab[m + L.M_B]
    for j in range(6):
        if a >= 0:
            w[J + 6 * a + j] += c * w[block + j]
        if b >= 0:
            w[J + 6 * b + j] += c * w[block + 6 + j]


@jit
def add_linear_equations(t, tab, par, w, q, v, e):
    """g = c₀ + Σ c_k x_k; of an equation on speeds ġ = Σ c_k ẋ_k only."""
    update_measures(t, tab, par, w, q, v, e)
    clear_jacobian(tab, w, e)
    n, at = tab[tab[e + L.E_DATA]], tab[e + L.E_WORK]
    for r in range(tab[e + L.E_COUNT]):
        c = tab[e + L.E_PARAMS] + n * L.P_MEASURE_SIZE + r * (n + 1)
        g, gdot, bias = par[c], 0.0, 0.0
        for k in range(n):
            y = par[c + 1 + k]
            g += y * w[at + k]
            gdot += y * w[at + n + k]
            bias += y * w[at + 3 * n + 4 + k]
            add_measure(tab, w, e, r, k, y)
        if r >= tab[e + L.E_HOLONOMIC]:
            g = 0.0
        store_residuals(tab, w, tab[e + L.E_ROW] + r, g, gdot, bias)


@jit
def add_formula_equation(t, tab, par, w, q, v, e):
    """g, ġ, bias and the factors c_k of the highest derivatives as the model room's compiled formula gives them."""
    update_measures(t, tab, par, w, q, v, e)
    clear_jacobian(tab, w, e)
    data, at = tab[e + L.E_DATA], tab[e + L.E_WORK]
    n = tab[data]
    out = at + 2 * n + 1
    call_vector(tab[data + 1], address_of(w, at), address_of(w, out))
    bias = w[out + 2]
    for k in range(n):
        bias += w[out + 3 + k] * w[at + 3 * n + 4 + k]
        add_measure(tab, w, e, 0, k, w[out + 3 + k])
    g = w[out] if tab[e + L.E_HOLONOMIC] == 1 else 0.0
    store_residuals(tab, w, tab[e + L.E_ROW], g, w[out + 1], bias)


@jit
def add_given_drives(tab, par, w, drives):
    """What equations ask of prescribed coordinates that they name (a gear on a driven axle): Γ = sᵀR - λ ∂g/∂q."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        if tab[e] not in (L.LINEAR, L.FORMULA):
            continue
        data, at = tab[e + L.E_DATA], tab[e + L.E_WORK]
        n = tab[data]
        for k in range(n):
            m = data + 2 + k * L.T_MEASURE_SIZE
            if tab[m] != L.GIVEN_MEASURE:
                continue
            for r in range(tab[e + L.E_COUNT]):
                c = w[at + 2 * n + 4 + k]
                if tab[e] == L.LINEAR:
                    c = par[tab[e + L.E_PARAMS] + n * L.P_MEASURE_SIZE + r * (n + 1) + 1 + k]
                drives[tab[m + L.M_DATA]] -= c * w[tab[L.W_LAMBDA] + tab[e + L.E_ROW] + r]
