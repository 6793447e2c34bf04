"""Solids against scikit-fem, against beam theory, and as bodies: null space, mass, surface."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flexible.boxes import box, frequencies
from sharnir.errors import ModelError
from sharnir.flexible import STEEL, Material, Section, solid, straight_beam
from sharnir.flexible.finite_elements.solid_element import KINDS, solid_element

LIGHT = Material(E=1e9, nu=0.25, density=1000.0)
SIZE = (1.0, 0.7, 0.5)


def bent(points):
    """A curved copy of a box: cells with varying Jacobians."""
    x, y, z = points.T
    return np.stack([x + 0.1 * y * z, y + 0.1 * x**2, z - 0.05 * x * y], axis=1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_rigid_inertia_and_null_space(kind: str, mass: str) -> None:
    model = solid(box(kind), LIGHT, mass=mass)
    found = model.check()
    assert found.free
    assert found.rigid.mass == pytest.approx(350.0, rel=1e-12)
    np.testing.assert_allclose(found.rigid.center, np.array(SIZE) / 2, rtol=1e-10)
    squares = np.array(SIZE) ** 2
    if mass == "consistent":
        np.testing.assert_allclose(found.rigid.inertia, np.diag(350 / 12 * (squares.sum() - squares)), rtol=1e-10, atol=1e-9)
    else:
        assert np.all(model.mass.diagonal() > 0)
        assert model.mass.nnz == model.size


@pytest.mark.parametrize("kind", KINDS)
def test_constant_strain_is_exact(kind: str) -> None:
    """Displacements u = A x of any mesh, curved ones too, make the energy of a uniform stress: the patch test."""
    points, cells = box(kind)
    if kind in ("hexahedron20", "hexahedron27", "wedge15"):
        points = points + 0.02 * np.sin(7 * points[:, [1, 2, 0]])
    model = solid((points, cells), LIGHT)
    A = np.array([[1.0, 0.3, -0.2], [0.5, -0.7, 0.4], [0.1, 0.6, 0.2]]) * 1e-3
    u = (model.nodes @ A.T).ravel()
    strain = (A + A.T) / 2
    density = 0.5 * (LIGHT.lame * np.trace(strain) ** 2 + 2 * LIGHT.G * np.sum(strain**2))
    volume = model.rigid_inertia().mass / LIGHT.density
    assert 0.5 * u @ (model.stiffness @ u) == pytest.approx(density * volume, rel=1e-9)
    inner = np.setdiff1d(np.arange(len(model.nodes)), model.faces)
    force = (model.stiffness @ u).reshape(-1, 3)
    assert len(inner)
    assert np.abs(force[inner]).max() < 1e-9 * np.abs(model.stiffness).max() * np.abs(u).max()


@pytest.mark.parametrize("kind", ["tetra", "tetra10", "hexahedron", "hexahedron27"])
def test_same_matrices_as_scikit_fem(kind: str) -> None:
    skfem = pytest.importorskip("skfem", reason="scikit-fem (extra fem) is the second opinion")
    from skfem.helpers import ddot, dot, eye, sym_grad, trace

    points, cells = box(kind, (2, 2, 1))
    points = bent(points) if kind in ("tetra", "hexahedron") else points
    model = solid((points, cells), LIGHT)
    types = {
        "tetra": (skfem.MeshTet, skfem.ElementTetP1()),
        "tetra10": (skfem.MeshTet, skfem.ElementTetP2()),
        "hexahedron": (skfem.MeshHex, skfem.ElementHex1()),
        "hexahedron27": (skfem.MeshHex, skfem.ElementHex2()),
    }
    make, element = types[kind]
    corners = 4 if kind.startswith("tet") else 8
    table = cells[kind][:, :corners]
    # scikit-fem numbers the corners of hexahedra in another order
    order = list(range(4)) if corners == 4 else [0, 4, 3, 1, 7, 5, 2, 6]
    used = np.unique(table)
    mesh = make(points[used].T.copy(), np.searchsorted(used, table[:, order]).T.copy())
    basis = skfem.Basis(mesh, skfem.ElementVector(element), intorder=4 if kind != "hexahedron" else 3)

    @skfem.BilinearForm
    def stiffness(u, v, _):
        strain = sym_grad(u)
        return ddot(LIGHT.lame * eye(trace(strain), 3) + 2 * LIGHT.G * strain, sym_grad(v))

    @skfem.BilinearForm
    def mass(u, v, _):
        return LIGHT.density * dot(u, v)

    places = np.round(basis.doflocs.T, 9)
    rows = np.array([int(np.argmin(np.sum((model.nodes - place) ** 2, axis=1))) for place in places])
    component = np.zeros(len(rows), dtype=int)
    seen: dict[int, int] = {}
    for k, row in enumerate(rows):
        component[k] = seen.get(row, 0)
        seen[row] = component[k] + 1
    at = 3 * rows + component
    ours_K, ours_M = (matrix[at][:, at] for matrix in (model.stiffness, model.mass))
    assert len(at) == model.size
    # the rule for the stiffness of hexahedra is exact for boxes only; so it is for bent first-order ones within the rule's error
    tolerance = 5e-3 if kind == "hexahedron" else 1e-10
    for ours, theirs in ((ours_K, stiffness.assemble(basis)), (ours_M, mass.assemble(basis))):
        assert np.abs(ours - theirs).max() < tolerance * np.abs(theirs).max()


@pytest.mark.parametrize(
    ("kind", "counts"), [("tetra10", (12, 2, 2)), ("hexahedron20", (10, 1, 1)), ("hexahedron27", (10, 1, 1))]
)
def test_solid_cantilever_against_beam_theory(kind: str, counts: tuple[int, int, int]) -> None:
    size = (1.0, 0.05, 0.08)
    bar = solid(box(kind, counts, size), Material(E=STEEL.E, nu=0.0, density=STEEL.density))
    bar = bar.with_fixed(bar.select(x=0.0))
    section = Section.rectangle(size[1], size[2], nu=0.0)
    beam = straight_beam((0, 0, 0), (1, 0, 0), section, Material(STEEL.E, 0.0, STEEL.density), elements=40).with_fixed([0])
    np.testing.assert_allclose(frequencies(bar, 4), frequencies(beam, 4), rtol=6e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_surface_is_closed_and_faces_outward(kind: str) -> None:
    model = solid(box(kind), LIGHT)
    edges = np.vstack([model.faces[:, [0, 1]], model.faces[:, [1, 2]], model.faces[:, [2, 0]]])
    # in a closed oriented surface every edge is run through once in each direction
    forward = {tuple(edge) for edge in edges.tolist()}
    assert len(forward) == len(edges)
    assert all((b, a) in forward for a, b in forward)
    a, b, c = (model.nodes[model.faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(0.35, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_rules_integrate_volumes_and_shapes_are_nodal(kind: str) -> None:
    element = solid_element(kind)
    np.testing.assert_allclose(element.shapes(element.nodes), np.eye(len(element.nodes)), atol=1e-12)
    volume = {"t": 1 / 6, "h": 8.0, "w": 1.0}[kind[0]]
    for _, weights in (element.stiffness_rule, element.mass_rule):
        assert weights.sum() == pytest.approx(volume, rel=1e-14)
    np.testing.assert_allclose(element.gradients(element.nodes).sum(axis=1), 0.0, atol=1e-12)


def test_fourteen_points_are_exact_to_degree_five() -> None:
    from math import factorial

    points, weights = solid_element("tetra10").mass_rule
    for a in range(6):
        for b in range(6 - a):
            for c in range(6 - a - b):
                exact = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3)
                assert weights @ np.prod(points ** np.array([a, b, c]), axis=1) == pytest.approx(exact, rel=1e-12)


def test_mesh_file_with_groups(tmp_path: Path) -> None:
    """A mesh through a file: units, unused points, named groups with their own materials, node sets."""
    meshio = pytest.importorskip("meshio", reason="meshio (extra fem) reads mesh files")
    points, cells = box("hexahedron", (4, 1, 1), (400.0, 100.0, 100.0))
    table = cells["hexahedron"]
    triangles = np.array([[0, 1, 2]])
    mesh = meshio.Mesh(
        np.vstack([points, [[9e9, 9e9, 9e9]]]),
        [("hexahedron", table), ("triangle", triangles)],
        cell_sets={"core": [np.array([0, 1]), np.array([], dtype=int)], "mark": [np.array([], dtype=int), np.array([0])]},
    )
    model = solid(mesh, LIGHT, materials={"core": Material(1e9, 0.3, 3000.0)}, units="mm-t-s")
    assert len(model.nodes) == len(points)
    assert model.rigid_inertia().mass == pytest.approx(0.002 * 3000 + 0.002 * 1000, rel=1e-12)
    assert sorted(model.sets["mark"].tolist()) == [0, 1, 2]
    path = tmp_path / "bar.vtk"
    meshio.write_points_cells(path, points, {"hexahedron": table})
    same = solid(path, LIGHT, units="mm-t-s")
    assert same.name == "bar" and same.source == "bar.vtk"
    assert same.rigid_inertia().mass == pytest.approx(4.0, rel=1e-12)
    with pytest.raises(ModelError, match="no group of solid cells 'shell'; it has core"):
        solid(mesh, LIGHT, materials={"shell": LIGHT})


@pytest.mark.parametrize("suffix", ["msh", "vtu", "inp", "bdf", "med"])
@pytest.mark.parametrize("kind", ["tetra10", "hexahedron20"])
def test_second_order_meshes_through_files(suffix: str, kind: str, tmp_path: Path) -> None:
    """Programs number mid nodes differently; meshio puts them in order, and the body stays the same."""
    meshio = pytest.importorskip("meshio", reason="meshio (extra fem) reads mesh files")
    if suffix == "med":
        pytest.importorskip("h5py", reason="meshio needs h5py for .med")
    points, cells = box(kind)
    path = tmp_path / f"bar.{suffix}"
    meshio.write_points_cells(path, points, cells, file_format="gmsh" if suffix == "msh" else None)
    ours, read = solid((points, cells), LIGHT), solid(path, LIGHT)
    assert read.rigid_inertia().mass == pytest.approx(350.0, rel=1e-6)
    np.testing.assert_allclose(frequencies(read, 12)[6:], frequencies(ours, 12)[6:], rtol=1e-6)


def test_wrong_meshes(tmp_path: Path) -> None:
    pytest.importorskip("meshio", reason="meshio (extra fem) reads mesh files")
    points, cells = box("tetra")
    with pytest.raises(ModelError, match="cell 0 of the mesh is inverted"):
        solid((points, {"tetra": cells["tetra"][:, [1, 0, 2, 3]]}), LIGHT)
    with pytest.raises(ModelError, match=r"no solid cells \(it has triangle"):
        solid((points, {"triangle": [[0, 1, 2]]}), LIGHT)
    with pytest.raises(ModelError, match="cells of the kind pyramid are not supported"):
        solid((points, {"pyramid": [[0, 1, 2, 3, 4]]}), LIGHT)
    with pytest.raises(ModelError, match="mass = 'diagonal' must be one of"):
        solid((points, cells), LIGHT, mass="diagonal")
    with pytest.raises(ModelError, match="does not exist"):
        solid(tmp_path / "nothing.msh", LIGHT)
    with pytest.raises(ModelError, match=r"nu = 0\.5 must lie between"):
        Material(1e9, 0.5, 1000)
