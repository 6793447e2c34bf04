"""Rigid and averaged ties: exact elimination, rigid motions, forces that spread."""

from __future__ import annotations

import numpy as np
import pytest

from flexible.boxes import box, frequencies
from sharnir.errors import ModelError
from sharnir.flexible import AveragedTie, Material, RigidTie, Section, solid, straight_beam

LIGHT = Material(E=1e9, nu=0.25, density=1000.0)
BAR = solid(box("tetra10", (4, 1, 1), (1.0, 0.2, 0.2)), LIGHT, name="bar")
BEAM = straight_beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.03), LIGHT, elements=6)


def ends(model):
    return model.select(x=0.0), model.select(x=1.0)


@pytest.mark.parametrize("kind", [RigidTie, AveragedTie])
def test_rigid_body_stays_what_it_was(kind: type) -> None:
    left, right = ends(BAR)
    tied = BAR.with_ties(kind(left, at=(-0.1, 0.1, 0.1), label=1000), kind(right, label=2000))
    found = tied.check()
    assert found.free
    before = BAR.rigid_inertia()
    assert found.rigid.mass == pytest.approx(before.mass, rel=1e-11)
    np.testing.assert_allclose(found.rigid.center, before.center, atol=1e-11)
    np.testing.assert_allclose(found.rigid.inertia, before.inertia, rtol=1e-10, atol=1e-10)
    # nodes without freedoms of their own still move as they should
    motion = (tied.node_motion() @ tied.rigid_motions()).reshape(len(tied.nodes), 6, 6)
    for axis in range(3):
        expected = np.cross(np.eye(3)[axis], tied.nodes)
        np.testing.assert_allclose(motion[:, :3, 3 + axis], expected, atol=1e-11)
    np.testing.assert_allclose(motion[tied.node(1000), 3:, 3:], np.eye(3), atol=1e-12)


def test_rigid_tie_has_the_fewest_freedoms_and_stiffens() -> None:
    left, right = ends(BAR)
    rigid = BAR.with_ties(RigidTie(left, label=1000), RigidTie(right, label=2000))
    assert rigid.size == BAR.size - 3 * (len(left) + len(right)) + 12
    averaged = BAR.with_ties(AveragedTie(left, label=1000), AveragedTie(right, label=2000))
    assert averaged.size == BAR.size
    # an averaged tie adds no stiffness to a free body, a rigid one some (Rayleigh)
    free = frequencies(BAR, 12)[6:]
    np.testing.assert_allclose(frequencies(averaged, 12)[6:], free, rtol=1e-7)
    stiff = frequencies(rigid, 12)[6:]
    assert np.all(stiff >= free * (1 - 1e-9))
    assert stiff[0] > 1.0005 * free[0]


def test_rigid_tie_of_beam_nodes_is_a_rigid_piece() -> None:
    """The last two elements tied to their end: the same as a shorter beam with a rigid body at its end."""
    tied = BEAM.with_ties(RigidTie([4, 5], node=6))
    short = straight_beam((0, 0, 0), (4 / 6, 0, 0), Section.rectangle(0.02, 0.03), LIGHT, elements=4)
    piece = straight_beam((4 / 6, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.03), LIGHT, elements=2).rigid_inertia()
    # the rigid piece as a 6×6 inertia at node 4 of the short beam
    c = piece.center - short.nodes[4]
    tilde = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    block = np.block(
        [[piece.mass * np.eye(3), -piece.mass * tilde], [piece.mass * tilde, piece.inertia - piece.mass * tilde @ tilde]]
    )
    rows = short.freedoms_of(4)
    M = short.mass.tolil()
    M[np.ix_(rows, rows)] = M[np.ix_(rows, rows)].toarray() + block
    from dataclasses import replace

    np.testing.assert_allclose(frequencies(tied, 14)[6:], frequencies(replace(short, mass=M.tocsr()), 14)[6:], rtol=1e-8)


def test_averaged_motion_is_the_least_squares_fit() -> None:
    """For any displacement the interface node moves as the rigid motion that fits the weighted shifts best."""
    _, right = ends(BAR)
    weights = np.linspace(1.0, 2.0, len(right))
    tied = BAR.with_ties(AveragedTie(right, at=(1.1, 0.1, 0.1), weights=weights, label=500))
    u = np.random.default_rng(3).standard_normal(tied.size)
    motion = (tied.node_motion() @ u).reshape(-1, 6)
    rows = tied.rows_of(right)
    arms = tied.nodes[rows] - (1.1, 0.1, 0.1)
    A = np.zeros((3 * len(rows), 6))
    for k, (x, y, z) in enumerate(arms):
        A[3 * k : 3 * k + 3] = np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]])
    root = np.sqrt(np.repeat(weights, 3))
    fit = np.linalg.lstsq(root[:, None] * A, root * motion[rows, :3].ravel(), rcond=None)[0]
    np.testing.assert_allclose(motion[tied.node(500)], fit, atol=1e-9)


def test_averaged_motion_with_rotations_is_the_least_squares_fit() -> None:
    """Shifts and rotations of beam nodes: Σ w (|u - u_I - θ_I × r|² + a² |θ - θ_I|²) is least, a² the mean of |r - r̄|²."""
    nodes, weights, center = (1, 3, 4, 6), np.array([0.5, 2.0, 1.5, 3.0]), np.array([0.4, 0.3, -0.2])
    tied = BEAM.with_ties(AveragedTie(nodes, at=center, weights=weights, rotations=True, label=50))
    motion = (tied.node_motion() @ np.random.default_rng(8).standard_normal(tied.size)).reshape(-1, 6)
    places = tied.nodes[tied.rows_of(nodes)]
    away = places - weights @ places / weights.sum()
    a = np.sqrt(weights @ (away**2).sum(1) / weights.sum())
    rows, right = [], []
    for row, weight, (x, y, z) in zip(motion[tied.rows_of(nodes)], weights, places - center, strict=True):
        rows += [np.sqrt(weight) * np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]])]
        rows += [np.sqrt(weight) * a * np.hstack([np.zeros((3, 3)), np.eye(3)])]
        right += [np.sqrt(weight) * row[:3], np.sqrt(weight) * a * row[3:]]
    fit = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=None)[0]
    np.testing.assert_allclose(motion[tied.node(50)], fit, atol=1e-9)


def test_averaged_tie_to_an_existing_node() -> None:
    """The middle node of the face keeps its mass and moves as the mean of the rim."""
    _, right = ends(BAR)
    middle = int(BAR.labels[BAR.node_near((1.0, 0.1, 0.1))])
    rim = [k for k in right if k != middle]
    tied = BAR.with_ties(AveragedTie(rim, node=middle))
    assert tied.size == BAR.size - 3  # six equations less three new rotations
    assert tied.check().free
    u = np.random.default_rng(5).standard_normal(tied.size)
    motion = (tied.node_motion() @ u).reshape(-1, 6)
    np.testing.assert_allclose(motion[tied.node(middle), :3], motion[tied.rows_of(rim), :3].mean(axis=0), atol=1e-10)


def test_force_on_an_averaged_node_spreads_by_weights() -> None:
    """A force through the centre of four symmetric corners: each gets its share, as virtual work says."""
    left, right = ends(BAR)
    corners = [k for k in right if np.all(np.abs(BAR.nodes[BAR.node(k), 1:] - 0.1) > 0.09)]
    assert len(corners) == 4
    tied = BAR.with_ties(AveragedTie(corners, label=500)).with_fixed(left)
    plain = BAR.with_fixed(left)
    force = np.zeros(tied.size)
    force[tied.freedoms_of(tied.node(500))[:3]] = (1.0, 2.0, -3.0)
    shares = np.zeros(plain.size)
    for corner in corners:
        shares[plain.freedoms_of(plain.node(corner))[:3]] = np.array([1.0, 2.0, -3.0]) / 4
    one = tied.node_motion() @ np.linalg.solve(tied.stiffness.toarray(), force)
    two = plain.node_motion() @ np.linalg.solve(plain.stiffness.toarray(), shares)
    shift = np.arange(len(two)) % 6 < 3
    np.testing.assert_allclose(one[: len(two)][shift], two[shift], atol=1e-9 * np.abs(two).max())


def test_rotations_of_beam_nodes_count_where_asked() -> None:
    """Nodes on a line determine an averaged rotation only with their own rotations."""
    with pytest.raises(ModelError, match="7 tied nodes do not determine the rotations"):
        BEAM.with_ties(AveragedTie(range(7), label=50))
    tied = BEAM.with_ties(AveragedTie(range(7), rotations=True, label=50))
    assert tied.check().free
    np.testing.assert_allclose(frequencies(tied, 12)[6:], frequencies(BEAM, 12)[6:], rtol=1e-6)


def test_tie_to_a_solid_node_gives_it_rotations() -> None:
    _, right = ends(BAR)
    tied = BAR.with_ties(RigidTie(right[1:], node=int(right[0])))
    assert np.all(tied.freedoms_of(tied.node(int(right[0]))) >= 0)
    assert tied.check().free
    other = BAR.with_ties(RigidTie(right, label=900))
    np.testing.assert_allclose(frequencies(tied, 14)[6:], frequencies(other, 14)[6:], rtol=1e-7)


def test_pinned_tie_leaves_rotations_free() -> None:
    tied = BEAM.with_ties(RigidTie([0, 1], at=(0, 0, 0.1), label=30, rotations=False))
    assert tied.size == BEAM.size - 6 + 6
    assert tied.check().free


def test_wrong_ties() -> None:
    left, right = ends(BAR)
    tied = BAR.with_ties(RigidTie(left, label=1000))
    with pytest.raises(ModelError, match="0 free translations; it is fixed to ground or already tied"):
        tied.with_ties(RigidTie(left[:1], label=1001))
    with pytest.raises(ModelError, match="has no node 99999"):
        BAR.with_ties(RigidTie([99999]))
    with pytest.raises(ModelError, match="is among the nodes tied to it"):
        BAR.with_ties(RigidTie(right, node=int(right[0])))
    with pytest.raises(ModelError, match="cannot have the label 0, which another node has"):
        BAR.with_ties(RigidTie(right, label=0))
    with pytest.raises(ModelError, match="must not have `at`"):
        BAR.with_ties(RigidTie(right[1:], node=int(right[0]), at=(0, 0, 0)))
    with pytest.raises(ModelError, match="a tie names a node twice"):
        BAR.with_ties(RigidTie([1, 1]))
    with pytest.raises(ModelError, match="needs as many positive weights"):
        BAR.with_ties(AveragedTie(right, weights=[1.0]))
    with pytest.raises(ModelError, match="is not a tie"):
        BAR.with_ties([1, 2])
