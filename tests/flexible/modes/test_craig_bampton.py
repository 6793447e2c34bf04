"""Craig–Bampton against the full model, closed forms and published-style numbers of beams in 34-digit arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.beams import straight_beam
from sharnir.flexible.finite_elements.fe_model import MODAL_COMPONENT, FEModel
from sharnir.flexible.finite_elements.material import STEEL, Material
from sharnir.flexible.finite_elements.section import Section
from sharnir.flexible.finite_elements.solids import solid
from sharnir.flexible.modes.craig_bampton import boundary_freedoms, craig_bampton
from sharnir.flexible.modes.normal_modes import free_modes, held_modes
from sharnir.flexible.modes.shape_matrix import frequencies_of
from sharnir.flexible.reduction import reduce

# Euler–Bernoulli, EI = ρA = L = 1; axial and torsional motion much faster
UNIT = Section(area=1.0, Iy=1.0, Iz=1.0, J=1.0)
# ω of the reference: 20 cubic elements, consistent mass, both ends are interfaces, k modes (computed with 34 digits)
FREE = {2: (22.45385139254708, 61.94405321718879), 4: (22.3824959662877, 61.73015542322599)}
HELD = {
    1: (3.517235479653213, 22.12651067829316),
    2: (3.516220620396663, 22.05856192419092),
    4: (3.516034418518891, 22.0376133485023),
}
FULL_FREE = (22.37333366914394, 61.67382546459987, 120.9108801946172)
FULL_HELD = (3.516015456969508, 22.03453778454234, 61.698224322917)


def unit_beam(elements=20):
    """Bending in the x-y plane only, so that every mode of the table is there once."""
    beam = straight_beam((0, 0, 0), (1, 0, 0), UNIT, Material(1.0, 0.0, 1.0), elements=elements, theory="euler")
    rows = np.flatnonzero(np.isin(beam.freedoms[:, 1], (1, 5)))
    return FEModel(beam.nodes, beam.freedoms[rows], beam.mass[rows][:, rows], beam.stiffness[rows][:, rows])


def box(cells=(6, 2, 2), size=(3.0, 0.5, 0.4)):
    """A bar of first-order hexahedra."""
    a, b, c = (np.linspace(0, s, n + 1) for s, n in zip(size, cells, strict=True))
    x, y, z = np.meshgrid(a, b, c, indexing="ij")
    number = np.arange(x.size).reshape(x.shape)
    p, q, r = cells
    order = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells_of = np.stack([number[i : p + i, j : q + j, k : r + k].ravel() for i, j, k in order], axis=1)
    return solid((np.stack([x.ravel(), y.ravel(), z.ravel()], 1), {"hexahedron": cells_of}), Material(70e9, 0.3, 2700.0))


def full_frequencies(model, count):
    """Elastic frequencies of the whole free model, dense."""
    values = eigh(model.stiffness.toarray(), model.mass.toarray(), eigvals_only=True)
    return np.sqrt(values[6 : 6 + count]) / (2 * np.pi)


@pytest.mark.parametrize("k", [2, 4])
def test_reference_numbers_of_a_free_beam(k):
    shapes = craig_bampton(unit_beam(), [0, 20], modes=k)
    assert 2 * np.pi * shapes.frequencies[:2] == pytest.approx(FREE[k], rel=1e-9)
    assert 2 * np.pi * free_modes(unit_beam(), modes=3).frequencies == pytest.approx(FULL_FREE, rel=1e-9)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_reference_numbers_of_a_cantilever(k):
    """The reduced body with its root held: the frame is fixed to the root, and then only w moves."""
    body = reduce(unit_beam(), interfaces={"root": 0, "tip": 20}, modes=k).fixed_at("root")
    found = 2 * np.pi * frequencies_of(body.stiffness, body.inertia.J_ww)
    assert found[:2] == pytest.approx(HELD[k], rel=1e-9)
    assert 2 * np.pi * held_modes(unit_beam(), [0], modes=3).frequencies == pytest.approx(FULL_HELD, rel=1e-9)


def test_free_beam_closed_form():
    """cos βL cosh βL = 1, with an error of cubic elements that falls with the fourth power of their length."""
    exact = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671]) ** 2
    error = [np.abs(2 * np.pi * free_modes(unit_beam(n), modes=3).frequencies / exact - 1.0) for n in (10, 20)]
    order = np.log2(error[0] / error[1])
    assert ((order > 3.8) & (order < 4.2)).all()


@pytest.mark.parametrize(
    "model", [box(), straight_beam((0, 0, 0), (1, 0.3, 0), Section.tube(0.03, 0.02), elements=24)], ids=["solid", "beam"]
)
def test_converges_to_the_full_model_from_above(model):
    nodes = [0, len(model.nodes) - 1] if model.freedoms[:, 1].max() > 2 else [0, 1, len(model.nodes) - 1, len(model.nodes) - 3]
    exact, errors = full_frequencies(model, 5), []
    for modes in (2, 8, 30, 80):
        found = craig_bampton(model, nodes, modes=modes).frequencies[:5]
        errors.append(found / exact - 1.0)
    errors = np.array(errors)
    assert (errors > -1e-9).all()  # Rayleigh–Ritz: never below
    assert (np.diff(errors, axis=0) <= 1e-9).all()  # more shapes are never worse
    assert errors[2].max() < 5e-3 and errors[3].max() < 3e-4


def test_all_modes_give_the_model_itself():
    model = box((2, 1, 1))
    everything = craig_bampton(model, [0, 1, 5], modes=10_000).frequencies
    assert len(everything) == model.size - 6
    assert everything == pytest.approx(full_frequencies(model, len(everything)), rel=1e-7)


def test_shapes_are_orthonormal_and_free_of_rigid_motion():
    model = box()
    shapes = craig_bampton(model, [0, 10, 60], modes=7)
    H, R = shapes.matrix, model.rigid_motions()
    assert H.shape[1] == 9 + 7 - 6 and shapes.dropped == 6
    assert np.abs(H.T @ (model.mass @ H) - np.eye(H.shape[1])).max() < 1e-9
    assert np.abs(H.T @ (model.stiffness @ H) - shapes.stiffness).max() < 1e-9 * shapes.stiffness.max()
    assert np.abs(R.T @ (model.mass @ H)).max() < 1e-9 * np.sqrt((R * (model.mass @ R)).sum(0)).max()


def test_interface_motion_is_exact():
    """A static load at the interfaces gives the displacement of the full model, however few the modes."""
    model = box()
    shapes = craig_bampton(model, [0, 62], modes=0)
    force = np.zeros(model.size)
    force[model.freedoms_of(0)[:3]] = [1e3, 2e3, -5e2]
    # balanced by inertia relief: a free body under load accelerates; compare deformations less rigid motion
    R = model.rigid_motions()
    balanced = force - model.mass @ (R @ np.linalg.solve(R.T @ (model.mass @ R), R.T @ force))
    u = np.linalg.lstsq(model.stiffness.toarray(), force * 0 + balanced, rcond=1e-12)[0]
    assert np.abs(model.stiffness @ u - balanced).max() < 1e-6 * np.abs(force).max()
    own = model.freedoms_of(62)[:3], model.freedoms_of(0)[:3]
    pair = np.zeros((model.size, 1))
    line = model.nodes[62] - model.nodes[0]
    pair[own[0], 0], pair[own[1], 0] = line, -line  # a pull along the line of the interfaces is balanced by itself
    exact = np.linalg.lstsq(model.stiffness.toarray(), pair[:, 0], rcond=1e-12)[0]
    reduced = shapes.matrix @ np.linalg.solve(shapes.stiffness, shapes.matrix.T @ pair[:, 0])
    assert pair[:, 0] @ reduced == pytest.approx(pair[:, 0] @ exact, rel=1e-7)


@pytest.mark.parametrize("nodes", [[], [0], [0, 4], [0, 4, 8]])
def test_interfaces_that_do_not_hold_the_body_are_completed(nodes):
    """Shifts of fewer than three nodes leave rigid motions; the most effective shifts of other nodes are held as well."""
    model = box()
    rows = boundary_freedoms(model, nodes)
    R = model.rigid_motions()[rows]
    assert np.linalg.matrix_rank(R, tol=1e-6) == 6
    exact = full_frequencies(model, 2)
    assert craig_bampton(model, nodes, modes=40).frequencies[:2] == pytest.approx(exact, rel=2e-3)


def test_interfaces_close_together_keep_their_compliance():
    """A millimetre apart on a body of a metre: the deformation between them is small beside the rigid swing, but it is kept."""
    model = straight_beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.01), elements=200)
    shapes = craig_bampton(model, [0, 1], modes=4)
    assert shapes.matrix.shape[1] == 12 + 4 - 6
    pull = np.zeros(model.size)
    pull[0], pull[6] = -1.0, 1.0
    reduced = shapes.matrix.T @ pull
    stretch = reduced @ np.linalg.solve(shapes.stiffness, reduced)
    assert stretch == pytest.approx(0.005 / (STEEL.E * 0.0002), rel=1e-4)  # L / EA


def test_frequency_limit():
    model = straight_beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.01), elements=60)
    count = craig_bampton(model, [0, 60], modes=60).fixed_frequencies
    shapes = craig_bampton(model, [0, 60], frequency=2000.0)
    assert len(shapes.fixed_frequencies) == (count <= 2000.0).sum() > 5
    assert free_modes(model, frequency=2000.0).frequencies.max() <= 2000.0


def test_large_model_uses_lanczos_and_agrees_with_dense(monkeypatch):
    model = box((8, 3, 3))
    dense = craig_bampton(model, [0, 20, 100], modes=6)
    assert model.size > 400
    exact = full_frequencies(model, 1)
    assert dense.frequencies[0] >= exact[0] * (1 - 1e-9)
    inner = np.setdiff1d(np.arange(model.size), boundary_freedoms(model, [0, 20, 100]))
    K, M = model.stiffness[inner][:, inner].toarray(), model.mass[inner][:, inner].toarray()
    values = eigh(K, M, eigvals_only=True)[:6]
    assert dense.fixed_frequencies == pytest.approx(np.sqrt(values) / (2 * np.pi), rel=1e-8)


def test_effective_masses_of_all_modes_are_the_inner_mass():
    model = straight_beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.01), elements=6)
    shapes = craig_bampton(model, [0], modes=1000)
    assert shapes.effective_masses.sum(0) == pytest.approx(shapes.effective_total, rel=1e-9)


def test_massless_freedoms_have_no_modes():
    """Rotations without inertia: the static part is exact, the number of modes is that of the masses."""
    lumped = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=6, mass="lumped", rotary=False, theory="euler")
    shapes = craig_bampton(lumped, [0], modes=1000)
    moving = int((lumped.mass.diagonal()[6:] > 0).sum())
    assert len(shapes.fixed_frequencies) == moving < lumped.size - 6


def test_superelement_with_modal_coordinates_is_the_same_body():
    """Boundary nodes and modal coordinates (steps 1 to 4 done by another program) give the body of the whole model."""
    beam = straight_beam((0, 0, 0), (1, 0.2, 0), Section.rectangle(0.02, 0.01), elements=8)
    boundary, k = boundary_freedoms(beam, [0, 8]), 5
    inner = np.setdiff1d(np.arange(beam.size), boundary)
    K, M = beam.stiffness.toarray(), beam.mass.toarray()
    H = np.zeros((beam.size, 12 + k))
    H[boundary, np.arange(12)] = 1.0
    H[inner, :12] = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, boundary)])
    H[inner, 12:] = eigh(K[np.ix_(inner, inner)], M[np.ix_(inner, inner)])[1][:, :k]
    nodes = np.vstack([beam.nodes[[0, 8]], np.repeat(beam.nodes.mean(axis=0)[None], k, axis=0)])
    freedoms = [[n, c] for n in (0, 1) for c in range(6)] + [[2 + i, MODAL_COMPONENT] for i in range(k)]
    small = FEModel(nodes, freedoms, H.T @ M @ H, H.T @ K @ H, modal=np.arange(2, 2 + k))
    given, whole = reduce(small, interfaces={"a": 0, "b": 1}, modes=k), reduce(beam, interfaces={"a": 0, "b": 8}, modes=k)
    assert given.frequencies == pytest.approx(whole.frequencies, rel=1e-7)
    zero = np.zeros(whole.count)
    A, B = given.fixed_at("a").inertia.matrix(zero), whole.fixed_at("a").inertia.matrix(zero)
    assert np.abs(A[:6, :6] - B[:6, :6]).max() < 1e-9 * np.abs(B[:6, :6]).max()
    assert np.abs(A[:6, 6:] @ A[6:, :6] - B[:6, 6:] @ B[6:, :6]).max() < 1e-6 * np.abs(B[:6, 6:] @ B[6:, :6]).max()
    with pytest.raises(ModelError, match="modal coordinates"):
        reduce(small, interfaces={"a": 0}, inertia="shifted")


def test_fixed_model_keeps_all_shapes():
    beam = straight_beam((0, 0, 0), (1, 0, 0), UNIT, elements=8)
    rows = np.flatnonzero(beam.freedoms[:, 0] > 0)
    held = FEModel(beam.nodes, beam.freedoms[rows], beam.mass[rows][:, rows], beam.stiffness[rows][:, rows])
    shapes = craig_bampton(held, [8], modes=3)
    assert shapes.matrix.shape[1] == 9 and shapes.dropped == 0
    with pytest.raises(ModelError, match="fixed to ground"):
        reduce(held, interfaces={"tip": 8}, modes=3).fixed_at("tip")
    with pytest.raises(ModelError, match="node 0 has no freedoms"):
        craig_bampton(held, [0], modes=1)


def test_free_modes_of_a_very_slender_beam_up_to_a_limit():
    """The shift that makes K regular is not small beside the first frequencies here; the limit must not be moved by it."""
    model = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.0005), elements=200)
    exact = full_frequencies(model, 8)
    limit = 0.5 * (exact[3] + exact[4])
    found = free_modes(model, frequency=limit).frequencies
    assert len(found) == 4 and found == pytest.approx(exact[:4], rel=1e-4)
    assert free_modes(model, modes=6).frequencies == pytest.approx(exact[:6], rel=1e-4)


def test_one_interface_of_an_ill_conditioned_model_adds_no_shape():
    """All its static shapes are rigid motions; what rounding leaves of them must not become elastic coordinates."""
    model = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.0005), elements=400)
    shapes = craig_bampton(model, [0], modes=4)
    assert shapes.matrix.shape[1] == 4 and shapes.dropped == 6
