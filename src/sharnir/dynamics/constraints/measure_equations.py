"""Equations between measures: sums with constant factors, and formulas."""

from sharnir.dynamics.constraints.cut_joint import store_residuals
from sharnir.dynamics.constraints.measures import measure_places, measure_record, update_measures
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record
from sharnir.kernel import address_of, call_vector, inline, jit


@jit
def clear_jacobian(tab, w, e):
    for k in range(6 * tab[e + L.E_COUNT] * tab[e + L.E_TERMS]):
        w[tab[e + L.E_JACOBIAN] + k] = 0.0


@jit
def add_measure(tab, w, e, row, k, c):
    """Add c times the Jacobian of measure k to an equation; several measures may share a body."""
    m, block = measure_record(tab, e, k), measure_places(tab, e).block + 12 * k
    J = tab[e + L.E_JACOBIAN] + 6 * row * tab[e + L.E_TERMS]
    a, b = tab[m + L.M_A], tab[m + L.M_B]
    for j in range(6):
        if a >= 0:
            w[J + 6 * a + j] += c * w[block + j]
        if b >= 0:
            w[J + 6 * b + j] += c * w[block + 6 + j]


@inline
def linear_factor(tab, e, r, k):
    """Where c_k of equation r stands in `params`; k = -1: c₀."""
    n = tab[tab[e + L.E_DATA]]
    return tab[e + L.E_PARAMS] + n * L.P_MEASURE_SIZE + r * (n + 1) + 1 + k


@jit
def add_linear_equations(t, tab, par, w, q, v, e):
    """g = c₀ + Σ c_k x_k; of an equation on speeds ġ = Σ c_k ẋ_k only."""
    update_measures(t, tab, par, w, q, v, e)
    clear_jacobian(tab, w, e)
    s = measure_places(tab, e)
    for r in range(tab[e + L.E_COUNT]):
        g, gdot, bias = par[linear_factor(tab, e, r, -1)], 0.0, 0.0
        for k in range(s.n):
            y = par[linear_factor(tab, e, r, k)]
            g += y * w[s.value + k]
            gdot += y * w[s.rate + k]
            bias += y * w[s.bias + k]
            add_measure(tab, w, e, r, k, y)
        if r >= tab[e + L.E_HOLONOMIC]:
            g = 0.0
        store_residuals(tab, w, tab[e + L.E_ROW] + r, g, gdot, bias)


@jit
def add_formula_equation(t, tab, par, w, q, v, e):
    """g, ġ, bias and the factors c_k of the highest derivatives as the model room's compiled formula gives them."""
    update_measures(t, tab, par, w, q, v, e)
    clear_jacobian(tab, w, e)
    s = measure_places(tab, e)
    call_vector(tab[tab[e + L.E_DATA] + 1], address_of(w, s.value), address_of(w, s.result))
    bias = w[s.result + 2]
    for k in range(s.n):
        bias += w[s.factor + k] * w[s.bias + k]
        add_measure(tab, w, e, 0, k, w[s.factor + k])
    g = w[s.result] if tab[e + L.E_HOLONOMIC] == 1 else 0.0
    store_residuals(tab, w, tab[e + L.E_ROW], g, w[s.result + 1], bias)


@jit
def add_given_drives(tab, par, w, drives):
    """What equations ask of prescribed coordinates that they name (a gear on a driven axle): Γ = sᵀR - λ ∂g/∂q."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        if tab[e] not in (L.LINEAR, L.FORMULA):
            continue
        s = measure_places(tab, e)
        for k in range(s.n):
            m = measure_record(tab, e, k)
            if tab[m] != L.GIVEN_MEASURE:
                continue
            for r in range(tab[e + L.E_COUNT]):
                c = w[s.factor + k]
                if tab[e] == L.LINEAR:
                    c = par[linear_factor(tab, e, r, k)]
                drives[tab[m + L.M_DATA]] -= c * w[tab[L.W_LAMBDA] + tab[e + L.E_ROW] + r]
