"""The polynomial inertia against the double sum over nodes and against Lagrange's equations differentiated by the computer."""

from __future__ import annotations

import numpy as np
import pytest

from flexible.free_body import accelerations, energy, lagrange_force, random_body, speeds, tilde
from sharnir.errors import ModelError
from sharnir.flexible.inertia import general_inertia
from sharnir.flexible.inertia.general_inertia import general_moments
from sharnir.flexible.inertia.inertia_moments import inertia_matrices
from sharnir.flexible.inertia.modal_inertia import ModalInertia


def inertia_of(body):
    return ModalInertia.of_moments(general_moments(body.model(), body.shapes))


def state(seed, h):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=6 + h) for _ in range(3)]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_mass_matrix_is_the_double_sum_over_nodes(seed):
    body = random_body(seed, h=seed)
    inertia = inertia_of(body)
    w = np.random.default_rng(seed).normal(size=body.h)
    expected = body.matrix(w)
    assert np.abs(inertia.matrix(w) - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_inertia_force_is_that_of_lagrange_equations(seed):
    """No term is taken from a book: energy by the double sum, derivatives by complex steps, true coordinates (angles)."""
    body = random_body(seed, h=3)
    inertia = inertia_of(body)
    q, qdot, qddot = state(seed, 3)
    u = speeds(q, qdot)
    found = inertia.matrix(q[6:]) @ accelerations(q, qdot, qddot) - inertia.force(q[6:], u[:3], u[3:6], u[6:])
    expected = lagrange_force(body, q, qdot, qddot)
    assert np.abs(found - expected).max() < 1e-11 * np.abs(expected).max()
    assert inertia.kinetic(q[6:], u[:3], u[3:6], u[6:]) == pytest.approx(energy(body, q, qdot), rel=1e-13)


def test_derivatives_of_the_mass_matrix_by_complex_steps():
    body = random_body(5, h=4)
    inertia = inertia_of(body)
    w = np.random.default_rng(5).normal(size=4)
    expected = np.array([body.matrix(w + 1e-30j * e).imag / 1e-30 for e in np.eye(4)])
    assert np.abs(inertia.matrix_derivatives(w) - expected).max() < 1e-12 * np.abs(expected).max()


def test_printed_force_of_the_general_method():
    """The equations of Yudakov 2012, term by term, with q̈ holding the acceleration of the origin: they are right as printed."""
    body = random_body(6, h=3)
    inertia = inertia_of(body)
    rng = np.random.default_rng(6)
    w, v, om, xi = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    D = inertia.matrix_derivatives(w)
    M, rate = inertia.matrix(w), np.einsum("iab,i->ab", D, xi)
    rr, rp, rw, pp, pw = M[:3, :3], M[:3, 3:6], M[:3, 6:], M[3:6, 3:6], M[3:6, 6:]
    O, V = tilde(om), tilde(v)
    k_r = (O @ rr - rr @ O) @ v + O @ rp @ om + rate[:3, 3:6] @ om + O @ rw @ xi
    k_p = V @ rr @ v + O @ pp @ om + rate[3:6, 3:6] @ om
    k_p += (rate[:3, 3:6].T + O @ rp.T - rp.T @ O - tilde(rp @ om)) @ v + (V @ rw + O @ pw + rate[3:6, 6:]) @ xi
    k_w = -rw.T @ O @ v + rate[3:6, 6:].T @ om
    k_w += [-om @ d[:3, 3:6].T @ v - 0.5 * om @ d[3:6, 3:6] @ om - om @ d[3:6, 6:] @ xi for d in D]
    expected = -np.concatenate([k_r, k_p, k_w])
    assert np.abs(inertia.force(w, v, om, xi) - expected).max() < 1e-12 * np.abs(expected).max()


def test_the_18_matrices_are_the_double_sums_that_define_them():
    body = random_body(7, n=3, h=2)
    I = inertia_matrices(general_moments(body.model(), body.shapes))
    n, h = 3, 2
    m = body.mass.reshape(n, 6, n, 6).transpose(0, 2, 1, 3)
    H = body.shapes.reshape(n, 6, h)
    rho = [tilde(x) for x in body.nodes]
    hat = [[tilde(H[k, :3, i]) for i in range(h)] for k in range(n)]

    def total(term):
        return sum(
            term(k, l, *(m[k, l][a : a + 3, b : b + 3] for a in (0, 3) for b in (0, 3))) for k in range(n) for l in range(n)
        )

    expected = {
        "rr": total(lambda k, l, rr, rp, pr, pp: rr),
        "rφ": total(lambda k, l, rr, rp, pr, pp: rp),
        "φφ": total(lambda k, l, rr, rp, pr, pp: pp),
        "rr,ρ": total(lambda k, l, rr, rp, pr, pp: rr @ rho[l]),
        "φr,ρ": total(lambda k, l, rr, rp, pr, pp: pr @ rho[l]),
        "rr,ρρ": total(lambda k, l, rr, rp, pr, pp: rho[k] @ rr @ rho[l]),
        "rr,H": total(lambda k, l, rr, rp, pr, pp: rr @ H[l, :3]),
        "rφ,H": total(lambda k, l, rr, rp, pr, pp: rp @ H[l, 3:]),
        "φr,H": total(lambda k, l, rr, rp, pr, pp: pr @ H[l, :3]),
        "φφ,H": total(lambda k, l, rr, rp, pr, pp: pp @ H[l, 3:]),
        "rr,ρH": total(lambda k, l, rr, rp, pr, pp: rho[k] @ rr @ H[l, :3]),
        "rφ,ρH": total(lambda k, l, rr, rp, pr, pp: rho[k] @ rp @ H[l, 3:]),
        "rr,hi": np.array([total(lambda k, l, rr, rp, pr, pp, i=i: rr @ hat[l][i]) for i in range(h)]),
        "φr,hi": np.array([total(lambda k, l, rr, rp, pr, pp, i=i: pr @ hat[l][i]) for i in range(h)]),
        "rr,ρhi": np.array([total(lambda k, l, rr, rp, pr, pp, i=i: rho[k] @ rr @ hat[l][i]) for i in range(h)]),
        "rr,hiH": np.array([total(lambda k, l, rr, rp, pr, pp, i=i: hat[k][i] @ rr @ H[l, :3]) for i in range(h)]),
        "rφ,hiH": np.array([total(lambda k, l, rr, rp, pr, pp, i=i: hat[k][i] @ rp @ H[l, 3:]) for i in range(h)]),
        "rr,hihj": np.array(
            [[total(lambda k, l, rr, rp, pr, pp, i=i, j=j: hat[k][i] @ rr @ hat[l][j]) for j in range(h)] for i in range(h)]
        ),
        "ww": body.shapes.T @ body.mass @ body.shapes,
    }
    assert set(I) == set(expected)
    for name, value in expected.items():
        assert np.abs(I[name] - value).max() < 1e-12 * np.abs(value).max(), name


def test_moments_of_changed_shapes_are_those_of_the_changed_body():
    body = random_body(8, h=3)
    rng = np.random.default_rng(8)
    Y, shift, turn = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    R = body.node_speeds(np.zeros(3))[:, :6]
    changed = body.shapes @ Y - R @ np.concatenate([shift, turn])
    expected = general_moments(body.model(), changed)
    found = general_moments(body.model(), body.shapes).combined(Y, shift, turn)
    for key in ("rr", "rp", "pp"):
        assert np.abs(getattr(found, key) - getattr(expected, key)).max() < 1e-11 * np.abs(getattr(expected, key)).max()


def test_products_in_slices_are_the_same(monkeypatch):
    body = random_body(9, h=4)
    whole = general_moments(body.model(), body.shapes)
    monkeypatch.setattr(general_inertia, "SLICE", 10)
    parts = general_moments(body.model(), body.shapes)
    assert np.abs(parts.rr - whole.rr).max() < 1e-12 * np.abs(whole.rr).max()


def test_wrong_number_of_coordinates_is_named():
    with pytest.raises(ModelError, match="this body has 3"):
        inertia_of(random_body()).matrix(np.zeros(2))
