"""Solids from meshes, as FE models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.arguments import choice, fail, mapping, numbers, shown, text, whole_numbers, with_advice
from sharnir.errors import MissingExtraError, ModelError
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.finite_elements.material import STEEL, Material
from sharnir.flexible.finite_elements.solid_assembly import assembled
from sharnir.flexible.finite_elements.solid_element import KINDS
from sharnir.flexible.finite_elements.surface import surface_triangles
from sharnir.flexible.finite_elements.units import unit_factors
from sharnir.input_file import is_file, permitted

#: kinds of cells without volume: they stand beside solids in mesh files and are passed over
FLAT = ("vertex", "line", "line3", "triangle", "triangle6", "quad", "quad8", "quad9")


@with_advice
def solid(
    mesh: Any,
    material: Material = STEEL,
    *,
    materials: Mapping[str, Material] | None = None,
    mass: str = "consistent",
    units: str = "m-kg-s",
    name: str | None = None,
) -> FEModel:
    """A body of solid elements: tetrahedra, hexahedra, wedges of first and second order.

    mesh : a file that meshio reads (.msh, .vtk, .vtu, .inp, .bdf, .med, …), a `meshio.Mesh`, or (points, {kind: cells}) with
        meshio's kinds of cells.
    material : of all cells, SI units.   materials : others for named groups of cells of the mesh.
    mass : "consistent" or "lumped".   units : the mesh's unit of length is that of this set, such as "mm-t-s".

    First-order elements are far too stiff in bending.

    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> tet = solid((corners, {"tetra": [[0, 1, 2, 3]]}), Material(1e9, 0.3, 6000))
    >>> round(tet.rigid_inertia().mass, 9)
    1000.0
    """
    choice(mass, ("consistent", "lumped"), "solid", "mass")
    for one in (material, *({} if materials is None else mapping(materials, "solid", "materials", "materials by name")).values()):
        if not isinstance(one, Material):
            fail("solid", "material", f"= {shown(one)} must be a Material")
    if name is not None:
        text(name, "solid", "name")
    unit_factors(units)
    points, cells, groups, sets, source = mesh_parts(mesh)
    name = name or (Path(source).stem if source else "solid")
    chosen, stuff = _materials(name, cells, groups, material, materials)
    used = np.unique(np.concatenate([table.ravel() for _, table in chosen]))
    place = np.full(len(points), -1, dtype=np.int64)
    place[used] = np.arange(len(used))
    tables = [(kind, place[table]) for kind, table in chosen]
    nodes = points[used] * unit_factors(units)[0]
    K, M = assembled(nodes, tables, stuff, mass == "lumped")
    freedoms = np.stack(np.divmod(np.arange(3 * len(nodes)), 3), axis=1)
    return FEModel(
        nodes,
        freedoms,
        M,
        K,
        labels=used,
        faces=surface_triangles(tables),
        sets={key: place[rows][place[rows] >= 0] for key, rows in sets.items()},
        name=name,
        source=source or "solids",
    )


def mesh_parts(mesh: Any) -> tuple[np.ndarray, list[tuple[str, np.ndarray]], list[set[str]], dict[str, np.ndarray], str]:
    """Points (n, 3), solid blocks of cells, the groups each block belongs to, node sets, and the file's name."""
    if isinstance(mesh, tuple):
        if len(mesh) != 2:
            fail("solid", "mesh", f"= {shown(mesh)} must be a file, a meshio.Mesh, or (points, {{kind: cells}})")
        places = numbers(mesh[0], "solid", "mesh points", shape=(None, 3))
        given = mapping(mesh[1], "solid", "mesh", "(points, {kind: cells})")
        blocks = [(kind, whole_numbers(table, "solid", f"mesh {kind}")) for kind, table in given.items()]
        found, rows = _solid_blocks(blocks, "mesh")
        _check_cells(found, len(places), "mesh")
        return places, found, [set() for _ in rows], {}, ""
    source = ""
    if isinstance(mesh, (str, Path)):
        source = Path(mesh).name
        mesh = _read(Path(mesh))
    if not (hasattr(mesh, "points") and hasattr(mesh, "cells")):
        fail("solid", "mesh", f"= {shown(mesh)} must be a file, a meshio.Mesh, or (points, {{kind: cells}})")
    points = numbers(mesh.points, source or "mesh", "points", shape=(None, None))
    if points.shape[1] != 3:
        raise ModelError(f"{source or 'mesh'}: points have {points.shape[1]} coordinates; solids need three", field="mesh")
    blocks = [(block.type, np.asarray(block.data, dtype=np.int64)) for block in mesh.cells]
    _check_cells(blocks, len(points), source or "mesh")
    return (points, *_grouped(mesh, blocks, source or "mesh"), _node_sets(mesh), source)


def _check_cells(blocks: list[tuple[str, np.ndarray]], count: int, source: str) -> None:
    """Cells must have as many nodes as their kind, all of them among the points."""
    for kind, table in blocks:
        if table.ndim != 2 or (len(table) and not (table.min() >= 0 and table.max() < count)):
            raise ModelError(
                f"{source}: cells of the kind {kind} refer to points that do not exist (0 … {count - 1})", field="mesh"
            )


def _read(path: Path) -> Any:
    try:
        import meshio
    except ImportError:
        raise MissingExtraError("fem", f"reading the mesh {path.name}") from None
    permitted(path)
    if not is_file(path):
        raise ModelError(f"mesh file {str(path)!r} does not exist", field="mesh")
    try:
        return meshio.read(path)
    except SystemExit:  # meshio leaves the program where it finds no reader
        raise ModelError(
            f"{path.name}: meshio cannot read this mesh; known suffixes are .msh .vtk .vtu .inp .bdf .med .xdmf …", field="mesh"
        ) from None
    except Exception as trouble:
        raise ModelError(f"{path.name}: meshio cannot read this mesh: {trouble}", field="mesh") from trouble


def _solid_blocks(blocks: list[tuple[str, np.ndarray]], source: str) -> tuple[list[tuple[str, np.ndarray]], list[int]]:
    """The blocks with volume and their places in the list; an error for kinds that have no elements here."""
    unknown = sorted({kind for kind, _ in blocks if kind not in KINDS and kind not in FLAT})
    if unknown:
        raise ModelError(
            f"{source}: cells of the kind {', '.join(unknown)} are not supported; solids are made of {', '.join(KINDS)}",
            field="mesh",
        )
    rows = [k for k, (kind, table) in enumerate(blocks) if kind in KINDS and len(table)]
    if not rows:
        kinds = ", ".join(sorted({kind for kind, _ in blocks})) or "no cells"
        raise ModelError(f"{source}: no solid cells (it has {kinds}); mesh the volume, with {', '.join(KINDS)}", field="mesh")
    return [blocks[k] for k in rows], rows


def _grouped(mesh: Any, blocks: list[tuple[str, np.ndarray]], source: str) -> tuple[list[tuple[str, np.ndarray]], list[set[str]]]:
    """Blocks cut so that each lies in the same named groups of cells throughout."""
    found, rows = _solid_blocks(blocks, source)
    names = dict(getattr(mesh, "cell_sets", None) or {})
    cells: list[tuple[str, np.ndarray]] = []
    groups: list[set[str]] = []
    for (kind, table), k in zip(found, rows, strict=True):
        inside = {
            key: np.asarray(parts[k], dtype=np.int64) for key, parts in names.items() if k < len(parts) and parts[k] is not None
        }
        inside = {key: part for key, part in inside.items() if len(part) and not key.startswith("gmsh:")}
        code = np.zeros(len(table), dtype=np.int64)
        for bit, part in enumerate(inside.values()):
            code[part] |= 1 << bit
        for value in np.unique(code):
            cells.append((kind, table[code == value]))
            groups.append({key for bit, key in enumerate(inside) if value >> bit & 1})
    return cells, groups


def _node_sets(mesh: Any) -> dict[str, np.ndarray]:
    """Named node sets, and the nodes of named groups of cells (surfaces marked in a mesher are such groups)."""
    sets = {key: np.asarray(rows, dtype=np.int64).ravel() for key, rows in (getattr(mesh, "point_sets", None) or {}).items()}
    for key, parts in (getattr(mesh, "cell_sets", None) or {}).items():
        tables = [
            block.data[np.asarray(part, dtype=np.int64)].ravel()
            for block, part in zip(mesh.cells, parts, strict=False)
            if part is not None
        ]
        if tables and not key.startswith("gmsh:"):
            sets.setdefault(key, np.unique(np.concatenate(tables)).astype(np.int64))
    return sets


def _materials(
    name: str,
    cells: list[tuple[str, np.ndarray]],
    groups: list[set[str]],
    material: Material,
    others: Mapping[str, Material] | None,
) -> tuple[list[tuple[str, np.ndarray]], list[Material]]:
    """Blocks of the same kind and material put together, and the material of each."""
    others = dict(others or {})
    known = set().union(*groups) if groups else set()
    missing = [key for key in others if key not in known]
    if missing:
        raise ModelError(
            f"{name!r}: the mesh has no group of solid cells {missing[0]!r}; it has {', '.join(sorted(known)) or 'none'}",
            field="materials",
        )
    together: dict[tuple[str, Material], list[np.ndarray]] = {}
    for (kind, table), inside in zip(cells, groups, strict=True):
        mine = {others[key] for key in sorted(inside) if key in others} or {material}
        if len(mine) > 1:
            raise ModelError(
                f"{name!r}: cells lie in several groups with different materials: {', '.join(sorted(inside))}", field="materials"
            )
        together.setdefault((kind, mine.pop()), []).append(table)
    tables = [(kind, np.vstack(parts)) for (kind, _), parts in together.items()]
    return tables, [stuff for _, stuff in together]
