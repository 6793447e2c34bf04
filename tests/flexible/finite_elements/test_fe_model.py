"""FEModel: sizes, labels, units, rigid motions, supports, and what cannot be a body."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from flexible.boxes import box, frequencies
from sharnir.errors import ModelError
from sharnir.flexible import FEModel, Material, Section, from_matrices, solid, straight_beam

LIGHT = Material(E=1e9, nu=0.25, density=1000.0)


def beam(**options):
    return straight_beam((0.1, 0.2, 0.3), (0.9, 0.5, 0.4), Section.rectangle(0.02, 0.03), LIGHT, elements=4, **options)


def changed(model, **fields):
    names = ("nodes", "freedoms", "mass", "stiffness", "labels", "name")
    return FEModel(**({key: getattr(model, key) for key in names} | fields))


def test_rigid_motion_is_a_small_turn_of_all_nodes() -> None:
    model = beam()
    angle = 1e-6 * np.array([1.0, -2.0, 3.0])
    motion = model.rigid_motions() @ np.concatenate([[1e-6, 2e-6, 3e-6], angle])
    shift = np.array([1e-6, 2e-6, 3e-6]) + np.cross(angle, model.nodes)
    np.testing.assert_allclose(motion.reshape(-1, 6)[:, :3], shift, atol=1e-18)
    np.testing.assert_allclose(motion.reshape(-1, 6)[:, 3:], np.tile(angle, (5, 1)), atol=1e-18)


def test_names_are_imported_late() -> None:
    """Asking for the room, or for FEModel, loads neither SciPy nor the optional packages."""
    import subprocess
    import sys

    code = "import sys, sharnir.flexible as f; f.FEModel, f.read_fe, f.solid; print([m for m in HEAVY if m in sys.modules])"
    heavy = "HEAVY = ('scipy', 'meshio', 'pyyeti', 'numba', 'pandas'); "
    done = subprocess.run([sys.executable, "-c", heavy + code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_check_says_free_or_fixed() -> None:
    model = beam()
    assert model.check().free
    fixed = model.with_fixed([0], ["x", "y", "z"])
    found = fixed.check()
    assert not found.free
    assert set(found.resisted) >= {"shift x", "shift y", "shift z"}
    assert "fixed to ground" in str(found)
    assert fixed.size == model.size - 3


def test_far_origin_does_not_hide_a_support() -> None:
    far = straight_beam((1e4, 0, 0), (1e4 + 1, 0, 0), Section.round(0.01), elements=3)
    assert far.check().free
    assert not far.with_fixed([0], ["ry"]).check().free


@pytest.mark.parametrize(("units", "length", "mass", "time"), [("mm-t-s", 1e-3, 1e3, 1.0), ("mm-kg-ms", 1e-3, 1.0, 1e-3)])
def test_units(units: str, length: float, mass: float, time: float) -> None:
    """The same beam built in SI and in other units, then scaled, agrees in everything."""
    E, density = LIGHT.E * length * time**2 / mass, LIGHT.density * length**3 / mass
    other = straight_beam(
        np.array((0.1, 0.2, 0.3)) / length,
        np.array((0.9, 0.5, 0.4)) / length,
        Section.rectangle(0.02 / length, 0.03 / length),
        Material(E, LIGHT.nu, density),
        elements=4,
    ).scaled(units)
    model = beam()
    np.testing.assert_allclose(other.nodes, model.nodes, rtol=1e-12)
    np.testing.assert_allclose(other.mass.toarray(), model.mass.toarray(), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(other.stiffness.toarray(), model.stiffness.toarray(), rtol=1e-9, atol=1e-6)


def test_units_of_tied_nodes() -> None:
    from sharnir.flexible import RigidTie

    model = beam().with_ties(RigidTie([3, 4], at=(1, 1, 1), label=9))
    motion = model.rigid_motions()
    scaled = model.scaled(length=0.001)
    back = scaled.node_motion() @ scaled.rigid_motions()
    plain = model.node_motion() @ motion
    shift = np.arange(len(plain)) % 6 < 3
    np.testing.assert_allclose(back[shift, 3:], 0.001 * plain[shift, 3:], atol=1e-15)
    np.testing.assert_allclose(back[shift, :3], plain[shift, :3], atol=1e-12)


def test_labels_and_selection() -> None:
    model = changed(beam(), labels=[10, 20, 30, 40, 50])
    assert model.node(40) == 3
    assert list(model.rows_of([50, 10])) == [4, 0]
    assert list(model.select(x=(0.85, 1.0))) == [50]
    assert model.node_near((0.9, 0.5, 0.4)) == 4
    with pytest.raises(ModelError, match=r"has no node 41; the nearest labels are 10, 20, 30, 40, 50"):
        model.node(41)
    with pytest.raises(ModelError, match="has no node set 'foot'; it has none"):
        model.rows_of("foot")


def test_point_mass() -> None:
    model = beam()
    heavier = model.with_point_mass(4, 2.0, (0.1, 0.2, 0.3))
    before, after = model.rigid_inertia(), heavier.rigid_inertia()
    assert after.mass == pytest.approx(before.mass + 2.0, rel=1e-12)
    center = (before.mass * before.center + 2.0 * model.nodes[4]) / after.mass
    np.testing.assert_allclose(after.center, center, rtol=1e-12)
    assert np.trace(after.inertia) > np.trace(before.inertia) + 0.6
    with pytest.raises(ModelError, match="no rotations"):
        solid(box("tetra"), LIGHT).with_point_mass(0, 1.0, (1, 1, 1))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"nodes": np.zeros((5, 2))}, r"nodes has the shape \(5, 2\)"),
        ({"nodes": np.full((5, 3), np.nan)}, "node row 0 is not finite"),
        ({"mass": np.eye(29)}, "the mass matrix is 29 × 29, but it must be 30 × 30"),
        ({"stiffness": np.full((30, 30), np.inf)}, "row 0 of the stiffness matrix holds numbers that are not finite"),
        ({"labels": [1, 2, 3]}, "3 labels for 5 nodes"),
        ({"labels": [1, 2, 3, 3, 4]}, "the label 3 is used by 2 nodes"),
        ({"freedoms": np.zeros((30, 2))}, r"rows 0 and 1 are the same freedom \(node 0, component 0\)"),
        ({"freedoms": np.full((30, 2), 7)}, r"freedom 0 is \(node 7, component 7\)"),
    ],
)
def test_wrong_arrays(fields: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        changed(beam(), **fields)


def test_matrices_that_cannot_be() -> None:
    model = beam()
    K = model.stiffness.toarray()
    lopsided = K.copy()
    lopsided[2, 8] *= 1.01
    with pytest.raises(ModelError, match=r"not symmetric: .* at \(node 0, z; node 1, z\)"):
        changed(model, stiffness=lopsided).check()
    with pytest.raises(ModelError, match=r"stiffness matrix has -.* on its diagonal at node 1, x"):
        changed(model, stiffness=-K).check()
    indefinite = K.copy()
    indefinite[[0, 6], [6, 0]] *= 1.5
    with pytest.raises(ModelError, match="stiffness matrix is not positive semi-definite"):
        changed(model, stiffness=indefinite).check()
    with pytest.raises(ModelError, match="diagonal of the mass matrix is zero"):
        changed(model, mass=csr_array((30, 30))).check()


def test_large_indefinite_matrix_is_found_too() -> None:
    """Beyond the dense size Lanczos looks for negative energies."""
    model = solid(box("tetra", (10, 5, 5)), LIGHT)
    assert model.size > 800
    model.check()
    K = model.stiffness.tolil()
    K[0, 3] = K[3, 0] = -3.0 * K[0, 0]
    with pytest.raises(ModelError, match=r"not positive semi-definite: a motion mainly of node [01]"):
        changed(model, stiffness=K.tocsr()).check()


def test_from_matrices() -> None:
    model = beam()
    K, M = model.stiffness, model.mass
    triangle = from_matrices(np.tril(M.toarray()), np.triu(K.toarray()), model.nodes)
    np.testing.assert_allclose(triangle.stiffness.toarray(), K.toarray(), rtol=1e-12, atol=1e-6)
    order = np.random.default_rng(0).permutation(30)
    names = ("UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ")
    freedoms = [(int(k) // 6 + 1, names[k % 6]) for k in order]
    mixed = from_matrices(
        M[order][:, order], K[order][:, order], model.nodes, freedoms=freedoms, labels=[1, 2, 3, 4, 5], lines=[(1, 2)]
    )
    np.testing.assert_allclose(frequencies(mixed, 10), frequencies(model, 10), rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose(mixed.rigid_inertia().inertia, model.rigid_inertia().inertia, rtol=1e-10, atol=1e-15)
    assert mixed.lines.tolist() == [[0, 1]]
    with pytest.raises(ModelError, match=r"30 rows do not fit 7 nodes with three \(21\) or six \(42\)"):
        from_matrices(M, K, np.zeros((7, 3)))
    with pytest.raises(ModelError, match="the stiffness matrix has 30 rows, the mass matrix 29"):
        from_matrices(M[:29][:, :29], K, model.nodes)
    with pytest.raises(ModelError, match=r"1 nodes of the matrices are not in the node table: 5"):
        from_matrices(M[order][:, order], K[order][:, order], model.nodes[:4], freedoms=freedoms, labels=[1, 2, 3, 4])
    with pytest.raises(ModelError, match="units = 'mm-kg-h' is not known"):
        from_matrices(M, K, model.nodes, units="mm-kg-h")
