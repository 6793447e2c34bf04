"""The three inertia methods: agreement where they must agree, and the short formulas of the shifted and unshifted bodies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import block_diag

from flexible.free_body import Body, tilde
from sharnir.flexible.finite_elements.beams import straight_beam
from sharnir.flexible.finite_elements.section import Section
from sharnir.flexible.inertia.general_inertia import general_moments
from sharnir.flexible.inertia.inertia_moments import inertia_matrices
from sharnir.flexible.inertia.modal_inertia import ModalInertia
from sharnir.flexible.inertia.nodal_masses import NodalMasses, nodal_masses
from sharnir.flexible.inertia.shifted_inertia import shifted_moments
from sharnir.flexible.inertia.unshifted_inertia import unshifted_inertia, unshifted_matrices
from sharnir.flexible.reduction import reduce

FIELDS = ("J_rr", "R0", "R", "J_rw", "P0", "P", "P2", "Q0", "Q", "J_ww")


def nodal_body(seed, shifted):
    """Rigid bodies at the nodes with random shapes, and the same as a general mass matrix."""
    rng = np.random.default_rng(seed)
    n, h = 5, 3
    X = rng.normal(size=(n, 3, 3))
    shift = 0.2 * rng.normal(size=(n, 3)) if shifted else np.zeros((n, 3))
    mass = rng.uniform(1, 2, n)
    inertia = X @ X.transpose(0, 2, 1) - np.array([m * tilde(s) @ tilde(s) for m, s in zip(mass, shift, strict=True)])
    masses = NodalMasses(mass, shift, inertia)
    body = Body(rng.normal(size=(n, 3)), block_diag(list(masses.blocks())).toarray(), rng.normal(size=(6 * n, h)))
    by_node = body.shapes.reshape(n, 6, h)
    return masses, body, by_node[:, :3], by_node[:, 3:]


def assert_same(a, b, rel=1e-12):
    for key in FIELDS:
        x, y = getattr(a, key), getattr(b, key)
        assert np.abs(x - y).max() < rel * max(np.abs(y).max(), 1e-3), key


@pytest.mark.parametrize("shifted", [True, False])
def test_general_method_on_a_block_diagonal_matrix_is_the_shifted_one(shifted):
    masses, body, shapes, rotations = nodal_body(1, shifted)
    general = ModalInertia.of_moments(general_moments(body.model(), body.shapes))
    assert_same(ModalInertia.of_moments(shifted_moments(masses, body.nodes, shapes, rotations)), general)


def test_zero_shift_is_the_unshifted_method():
    masses, body, shapes, rotations = nodal_body(2, False)
    shifted = ModalInertia.of_moments(shifted_moments(masses, body.nodes, shapes, rotations))
    assert_same(unshifted_inertia(masses, body.nodes, shapes, rotations), shifted)


def test_short_force_of_the_shifted_method():
    """Fewer terms than the general one, since m_rr is a number times E."""
    masses, body, shapes, rotations = nodal_body(3, True)
    moments = shifted_moments(masses, body.nodes, shapes, rotations)
    inertia, I = ModalInertia.of_moments(moments), inertia_matrices(moments)
    w, v, om, xi = np.random.default_rng(3).normal(size=(4, 3))
    D = inertia.matrix_derivatives(w)
    M, rate, O = inertia.matrix(w), np.einsum("iab,i->ab", D, xi), tilde(om)
    rp, rw, pp, pw = M[:3, 3:6], M[:3, 6:], M[3:6, 3:6], M[3:6, 6:]
    k_r = O @ rp @ om + O @ (2 * rw - I["rφ,H"]) @ xi
    k_p = O @ pp @ om + rate[3:6, 3:6] @ om + (tilde(v) @ I["rφ,H"] + O @ pw + rate[3:6, 6:]) @ xi
    k_w = -I["rφ,H"].T @ O @ v + rate[3:6, 6:].T @ om
    k_w += [-0.5 * om @ d[3:6, 3:6] @ om - om @ d[3:6, 6:] @ xi for d in D]
    expected = -np.concatenate([k_r, k_p, k_w])
    assert np.abs(inertia.force(w, v, om, xi) - expected).max() < 1e-12 * np.abs(expected).max()


def test_short_force_of_the_unshifted_method_and_its_misprint():
    """2 Σ J_w,φφ,i ξ_i ω needs Σ_j I_hjhi w_j; as printed, with I_hihj, it is wrong as soon as w is not zero."""
    masses, body, shapes, rotations = nodal_body(4, False)
    inertia, I = (
        unshifted_inertia(masses, body.nodes, shapes, rotations),
        unshifted_matrices(masses, body.nodes, shapes, rotations),
    )
    w, v, om, xi = np.random.default_rng(4).normal(size=(4, 3))
    D = inertia.matrix_derivatives(w)
    M, rate, O = inertia.matrix(w), np.einsum("iab,i->ab", D, xi), tilde(om)
    k_r = O @ M[:3, 3:6] @ om + 2 * O @ M[:3, 6:] @ xi
    k_w = 2 * rate[3:6, 6:].T @ om + [-0.5 * om @ d[3:6, 3:6] @ om for d in D]

    def force(order):
        slope = -(I["ρhi"] + np.einsum(order, I["hihj"], w))
        k_p = O @ M[3:6, 3:6] @ om + 2 * np.einsum("iab,i->ab", slope, xi) @ om + O @ I["JH"] @ xi
        return -np.concatenate([k_r, k_p, k_w])

    found = inertia.force(w, v, om, xi)
    assert np.abs(found - force("jiab,j->iab")).max() < 1e-12 * np.abs(found).max()
    assert np.abs(found - force("ijab,j->iab")).max() > 1e-3 * np.abs(found).max()


def test_lumped_beam_gives_the_same_by_all_methods():
    """A lumped mass matrix is block diagonal: nothing is left to approximate."""
    beam = straight_beam((0.1, 0, 0), (1, 0.2, 0.3), Section.rectangle(0.02, 0.03), elements=6, mass="lumped")
    bodies = [reduce(beam, interfaces={"a": 0, "b": 6}, modes=4, inertia=kind) for kind in ("general", "shifted", "unshifted")]
    for other in bodies[1:]:
        assert other.report.repair.largest_shift < 1e-12 and other.report.repair.error < 1e-12
        assert_same(other.inertia, bodies[0].inertia, rel=1e-9)


def test_methods_come_together_as_the_mesh_gets_finer():
    """Consistent mass: shifted bodies are an approximation, its error in the frequencies falls."""
    errors = []
    for elements in (4, 8, 16):
        beam = straight_beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.03), elements=elements)
        body = reduce(beam, interfaces={"a": 0, "b": elements}, modes=4, inertia="shifted")
        errors.append(np.abs(body.frequencies[:4] / body.report.fe_frequencies[:4] - 1.0).max())
    assert errors[0] > 2 * errors[1] > 4 * errors[2] and errors[2] < 0.02


def test_rigid_part_is_that_of_the_fe_model():
    """J_rr, J_rφ, J_φφ at w = 0 are Rᵀ M R, exactly for the general, by repair for the shifted method."""
    beam = straight_beam((0.1, 0, 0), (1, 0.2, 0.3), Section.rectangle(0.02, 0.03), elements=3)
    R = beam.rigid_motions()
    expected = R.T @ (beam.mass @ R)
    for kind, rel in (("general", 1e-13), ("shifted", 1e-11)):
        found = reduce(beam, interfaces={"a": 0}, modes=3, inertia=kind).inertia
        assert np.abs(found.matrix(np.zeros(found.count))[:6, :6] - expected).max() < rel * np.abs(expected).max()


def test_nodal_masses_of_a_block_diagonal_matrix_are_read_as_they_are():
    masses, body, _, _ = nodal_body(5, True)
    found = nodal_masses(body.model())
    assert found.mass == pytest.approx(masses.mass, rel=1e-12)
    assert np.abs(found.shift - masses.shift).max() < 1e-12
    assert np.abs(found.inertia - masses.inertia).max() < 1e-12
