"""reduce: interfaces, Ritz and user shapes, damping, fixed frames, the report, and errors that name the remedy."""

from __future__ import annotations

import numpy as np
import pytest

from flexible.modes.test_craig_bampton import box
from sharnir.errors import FormulaError, ModelError
from sharnir.flexible.finite_elements.beams import straight_beam
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.finite_elements.rigid_inertia import RigidInertia
from sharnir.flexible.finite_elements.section import Section
from sharnir.flexible.finite_elements.ties import RigidTie
from sharnir.flexible.interface import fitted_rotations
from sharnir.flexible.modes.damping import Rayleigh, damping_matrix
from sharnir.flexible.modes.ritz import ritz_columns
from sharnir.flexible.reduction import reduce

BEAM = straight_beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.03), elements=8, theory="euler")


def test_interfaces_carry_the_motion_of_their_nodes():
    body = reduce(BEAM, interfaces={"root": 0, "middle": 4, "tip": 8}, modes=3)
    for name, node in (("root", 0), ("middle", 4), ("tip", 8)):
        one = body.interface(name)
        assert one.turns and one.node == node and (one.position == BEAM.nodes[node]).all()
        assert np.abs(one.shape[:3] - body.shapes[node]).max() == 0.0
        assert np.abs(one.shape[3:] - body.rotations[node]).max() == 0.0
    with pytest.raises(ModelError, match="has no interface 'end'"):
        body.interface("end")


def test_tied_face_is_an_interface_with_six_freedoms():
    model = box()
    face = np.flatnonzero(model.nodes[:, 0] < 1e-9)
    tied = model.with_ties(RigidTie(model.labels[face], label=1000))
    body = reduce(tied, interfaces={"face": 1000}, modes=3)
    one = body.interface("face")
    assert one.turns
    for node in face:  # every tied node moves with it
        arm = tied.nodes[node] - one.position
        expected = one.shape[:3] + np.cross(one.shape[3:].T, arm).T
        assert np.abs(body.shapes[node] - expected).max() < 1e-9 * np.abs(one.shape).max()


def test_fitted_rotation_of_a_rigid_motion_is_its_rotation():
    model = box()
    turn, shift = np.random.default_rng(1).normal(size=(2, 3, 2))
    motion = shift + np.cross(turn.T[None], model.nodes[:, None, :]).transpose(0, 2, 1)
    found = fitted_rotations(model, motion, np.array([0, 7, 62]))
    assert np.abs(found - turn).max() < 1e-12


def test_node_of_a_solid_turns_with_its_surroundings():
    """The shapes shifted to the node: a fitted rotation of a rigid motion is that motion, so nothing is left near the node."""
    model = box()
    body = reduce(model, interfaces={"corner": 0, "far": 62}, modes=4)
    one = body.interface("corner")
    assert not one.turns
    held = body.fixed_at("corner")
    near = np.argsort(np.linalg.norm(model.nodes - one.position, axis=1))[1:4]
    far = np.argsort(np.linalg.norm(model.nodes - one.position, axis=1))[-1]
    assert np.abs(held.shapes[near][:, :, 0]).max() < 0.2 * np.abs(held.shapes[far][:, 0]).max()


@pytest.mark.parametrize("kind", ["general", "shifted"])
def test_fixed_at_is_the_same_body_seen_from_the_interface(kind):
    """The same motion of all nodes: the frame moves with the interface; kinetic energy of rest shapes agrees."""
    body = reduce(BEAM, interfaces={"root": 0, "tip": 8}, modes=2, inertia=kind)
    held = body.fixed_at("root")
    assert not held.interface("root").shape.any()
    assert np.abs(held.shapes[0]).max() < 1e-12 * np.abs(body.shapes).max()
    xi = np.random.default_rng(1).normal(size=body.count)
    at = body.interface("root").shape @ xi  # speed of the root in the old frame at rest: the new frame has it
    zero = np.zeros(body.count)
    omega = at[3:]
    v = at[:3] - np.cross(omega, body.interface("root").position)
    assert held.inertia.kinetic(zero, v, omega, xi) == pytest.approx(
        body.inertia.kinetic(zero, zero[:3], zero[:3], xi), rel=1e-10
    )
    assert (held.stiffness == body.stiffness).all()
    # elastic energy of the held body under a tip force is that of a cantilever: F L³ / 3 EI
    force = held.interface("tip").shape[1]
    EI = 2.1e11 * 0.03 * 0.02**3 / 12
    material_factor = force @ np.linalg.solve(held.stiffness, force) * 3 * EI
    assert material_factor == pytest.approx(1.0, rel=0.05)


def test_ritz_shapes_of_a_cantilever():
    """x² and x³ are exact for a tip force; the rotation is ½ rot."""
    shapes = [("-2*y*x", "x^2", "0"), ("-3*y*x^2", "x^3", "0")]
    body = reduce(BEAM, interfaces={"tip": 8}, shapes=shapes)
    assert (
        body.count == 2
        and body.interface("tip").shape[1] == pytest.approx([1, 1])
        and body.interface("tip").shape[5] == pytest.approx([2, 3])
    )
    exact = reduce(BEAM, interfaces={"root": 0, "tip": 8}, basis="static").fixed_at("root")
    for one in (body, exact):
        tip = one.interface("tip").shape[1]
        one_compliance = tip @ np.linalg.solve(one.stiffness, tip)
        assert one_compliance == pytest.approx(
            exact.interface("tip").shape[1] @ np.linalg.solve(exact.stiffness, exact.interface("tip").shape[1]), rel=1e-6
        )
    # the first frequency is a little above the exact one of a cantilever
    held = reduce(BEAM, interfaces={"root": 0}, basis="held modes", modes=6)
    assert 1.0 <= body.frequencies[0] / held.frequencies[0] < 1.005


def test_ritz_rotation_is_half_the_curl():
    columns = ritz_columns(BEAM, [("a*y*z", "x*z", "sin(x)")], {"a": 2.0})[:, 0].reshape(-1, 6)
    x, y, z = BEAM.nodes.T
    curl = np.stack([0 * x - x, 2 * y - np.cos(x), z - 2 * z], axis=1)
    assert np.abs(columns[:, 3:] - 0.5 * curl).max() < 1e-14
    with pytest.raises(FormulaError, match="unknown name 'q'"):
        ritz_columns(BEAM, [("q", "0", "0")])
    with pytest.raises(ModelError, match="three formulas"):
        ritz_columns(BEAM, ["x"])
    with pytest.raises(ModelError, match="not finite"):
        ritz_columns(BEAM, [("1/x", "0", "0")])


def test_user_shapes_in_all_forms():
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(BEAM.size, 2))
    a = reduce(BEAM, shapes=columns)
    b = reduce(BEAM, shapes=columns.reshape(-1, 6, 2))
    assert np.abs(a.stiffness - b.stiffness).max() == 0.0
    assert a.stiffness == pytest.approx(columns.T @ (BEAM.stiffness @ columns))
    with pytest.raises(ModelError, match="give no rotations"):
        reduce(BEAM, shapes=rng.normal(size=(9, 3, 2)))
    with pytest.raises(ModelError, match="must be"):
        reduce(BEAM, shapes=rng.normal(size=(5, 2)))
    with pytest.raises(ModelError, match="linearly dependent"):
        reduce(BEAM, shapes=np.column_stack([columns, columns.sum(1)]))
    with pytest.raises(ModelError, match="rigid motion"):
        reduce(BEAM, shapes=np.column_stack([columns, BEAM.rigid_motions()[:, 1]]))


def test_damping():
    K, M = np.array([[5.0, 1.0], [1.0, 3.0]]), np.array([[2.0, 0.3], [0.3, 1.0]])
    D = damping_matrix(0.05, K, M)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    values = np.linalg.eigvals(A)
    assert -values.real / np.abs(values) == pytest.approx(np.full(4, 0.05), rel=1e-9)
    assert damping_matrix(Rayleigh(0.1, 0.2), K, M) == pytest.approx(0.1 * K + 0.2 * M)
    assert damping_matrix(None, K, M) is None
    assert damping_matrix([0.01, 0.02], np.diag([1.0, 4.0]), np.eye(2)).diagonal() == pytest.approx([0.02, 0.08])
    for wrong in (-0.1, [0.1], [[1.0, 2.0], [0.0, 1.0]]):
        with pytest.raises(ModelError, match="damping"):
            damping_matrix(wrong, K, M)


def test_report_compares_fe_model_reduced_model_and_geometry():
    own = BEAM.rigid_inertia()
    geometry = RigidInertia(1.1 * own.mass, own.center, 1.1 * own.inertia)
    body = reduce(BEAM, interfaces={"root": 0, "tip": 8}, modes=4, inertia="shifted", geometry=geometry)
    report = body.report
    assert report.fe.mass == pytest.approx(own.mass) and report.reduced.mass == pytest.approx(1.1 * own.mass)
    assert np.abs(report.reduced.inertia - geometry.inertia).max() < 1e-9 * np.abs(geometry.inertia).max()
    assert report.effective_masses.shape == (4, 6) and (report.effective_share <= 1.0 + 1e-9).all()
    text = str(report)
    for word in ("54 freedoms", "root, tip", "FE model", "geometry", "mass repair", "seconds"):
        assert word in text


def test_progress_is_told():
    parts = []
    reduce(BEAM, interfaces={"root": 0}, modes=2, progress=parts.append)
    assert parts == sorted(parts) and parts[-1] == 1.0 and len(parts) >= 3


def test_wrong_requests_are_named():
    with pytest.raises(ModelError, match="no node 99"):
        reduce(BEAM, interfaces={"tip": 99})
    with pytest.raises(ModelError, match="inertia = 'exact' is unknown"):
        reduce(BEAM, inertia="exact")
    with pytest.raises(ModelError, match="basis = 'modes' is unknown"):
        reduce(BEAM, basis="modes")
    with pytest.raises(ModelError, match="modes = -1"):
        reduce(BEAM, interfaces={"tip": 8}, modes=-1)
    with pytest.raises(ModelError, match="frequency"):
        reduce(BEAM, interfaces={"tip": 8}, frequency=0.0)


@pytest.mark.parametrize("end", [(1.0, 0.0, 0.0), (0.0, 1.2, 0.3), (0.4, -0.2, 0.9)])
def test_a_straight_beam_without_interfaces(end):
    """Shifts of nodes on a line do not hold the turning about it; free modes are the same as with a shift of K."""
    from scipy.linalg import eigh

    beam = straight_beam((0, 0, 0), end, Section.rectangle(0.04, 0.02), elements=8)
    values = eigh(beam.stiffness.toarray(), beam.mass.toarray(), eigvals_only=True)[6:9]
    body = reduce(beam, modes=12)
    assert 2 * np.pi * body.frequencies[:3] == pytest.approx(np.sqrt(values), rel=2e-2)


def test_rows_without_stiffness_and_mass_are_left_out():
    """Programs write six rows per node also for solids."""
    model = box((4, 1, 1))
    n = len(model.nodes)
    rows = 6 * model.freedoms[:, 0] + model.freedoms[:, 1]
    K, M = np.zeros((2, 6 * n, 6 * n))
    K[np.ix_(rows, rows)], M[np.ix_(rows, rows)] = model.stiffness.toarray(), model.mass.toarray()
    freedoms = np.array([(k, c) for k in range(n) for c in range(6)])
    full = FEModel(model.nodes, freedoms, M, K)
    ends = {"a": 0, "b": n - 1}
    assert reduce(full, ends, modes=4).frequencies == pytest.approx(reduce(model, ends, modes=4).frequencies, rel=1e-8)


@pytest.mark.parametrize("basis", ["free modes", "held modes"])
def test_modes_up_to_a_frequency(basis):
    """As many shapes as modes below it, whether they are counted or bounded."""
    limit = 3000.0
    bounded = reduce(BEAM, interfaces={"root": 0}, basis=basis, frequency=limit)
    counted = reduce(BEAM, interfaces={"root": 0}, basis=basis, modes=bounded.count)
    more = reduce(BEAM, interfaces={"root": 0}, basis=basis, modes=bounded.count + 1)
    assert bounded.count > 2
    assert bounded.stiffness == pytest.approx(counted.stiffness, rel=1e-9, abs=1e-9 * np.abs(counted.stiffness).max())
    assert bounded.frequencies.max() <= limit < more.frequencies.max()
