"""Frames of beams with six freedoms per node, as FE models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sharnir.arguments import bool_of, fail, integer, numbers, sequence, shown, text, vector, whole_numbers, with_advice
from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.beam_element import BeamProperties, consistent_mass, lumped_mass, stiffness
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.finite_elements.material import STEEL, Material
from sharnir.flexible.finite_elements.section import Section

THEORIES = ("timoshenko", "euler")
MASSES = ("consistent", "lumped")
MOST_ELEMENTS = 100_000  # of a straight beam


@with_advice
def beam_frame(
    nodes: Any,
    elements: Any,
    section: Section | Sequence[Section],
    material: Material | Sequence[Material] = STEEL,
    *,
    orientation: Any = None,
    theory: str = "timoshenko",
    mass: str = "consistent",
    rotary: bool | None = None,
    labels: Any = None,
    name: str = "frame",
) -> FEModel:
    """A frame of straight beams: node table (n, 3) in m and element table (e, 2) of node labels (0 … n-1 unless given).

    section, material : one for all, or one per element.
    orientation : a vector (or one per element) to whose side the section's z axis (its height) points; default: z of the frame,
        or x for beams along z.
    theory : "timoshenko" (shear deformation) or "euler".   mass : "consistent" or "lumped".
    rotary : inertia of turning sections in bending; default: with Timoshenko only.

    >>> mast = beam_frame([[0, 0, 0], [0, 0, 2], [1, 0, 2]], [[0, 1], [1, 2]], Section.tube(0.05, 0.045))
    >>> mast
    <FEModel 'frame': 3 nodes, 18 freedoms from beams>
    """
    name = text(name, "beam_frame", "name")
    nodes = np.ascontiguousarray(numbers(nodes, f"beam_frame {name!r}", "nodes", shape=(None, 3)))
    if len(nodes) < 2:
        fail(f"beam_frame {name!r}", "nodes", f"has {len(nodes)} rows; a beam needs two nodes")
    _require(name, "theory", theory, THEORIES)
    _require(name, "mass", mass, MASSES)
    labels = np.arange(len(nodes)) if labels is None else whole_numbers(labels, f"beam_frame {name!r}", "labels")
    if labels.shape != (len(nodes),):
        fail(f"beam_frame {name!r}", "labels", f"has {labels.size} entries for {len(nodes)} nodes")
    lines = element_rows(name, elements, labels)
    axes, length = local_axes(name, nodes, lines, orientation)
    rotary = theory == "timoshenko" if rotary is None else bool_of(rotary, f"beam_frame {name!r}", "rotary")
    beam = beam_properties(name, length, section, material, theory, rotary)
    # the same 3×3 turn for shifts and rotations of both nodes
    turn = np.zeros((len(lines), 12, 12))
    for k in range(0, 12, 3):
        turn[:, k : k + 3, k : k + 3] = axes
    K = np.swapaxes(turn, 1, 2) @ stiffness(beam) @ turn
    local = consistent_mass(beam) if mass == "consistent" else lumped_mass(beam)
    M = np.swapaxes(turn, 1, 2) @ local @ turn
    rows = (6 * lines[:, :, None] + np.arange(6)).reshape(len(lines), 12)
    size = 6 * len(nodes)
    freedoms = np.stack(np.divmod(np.arange(size), 6), axis=1)
    return FEModel(
        nodes, freedoms, _summed(rows, M, size), _summed(rows, K, size), labels=labels, lines=lines, name=name, source="beams"
    )


@with_advice
def straight_beam(
    start: Any,
    end: Any,
    section: Section | Sequence[Section],
    material: Material | Sequence[Material] = STEEL,
    *,
    elements: int = 10,
    orientation: Any = None,
    theory: str = "timoshenko",
    mass: str = "consistent",
    rotary: bool | None = None,
    name: str = "beam",
) -> FEModel:
    """A straight beam from `start` to `end` in equal elements; nodes 0 … elements. Options as in `beam_frame`.

    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=8)
    >>> round(beam.rigid_inertia().mass, 6)  # 7850 kg/m³ · π · 0.01² · 1
    2.46615
    """
    label = f"straight_beam {text(name, 'straight_beam', 'name')!r}"
    elements = integer(elements, label, "elements", low=1, most=MOST_ELEMENTS)
    s = np.linspace(0.0, 1.0, elements + 1)[:, None]
    start, end = np.array(vector(start, 3, label, "start")), np.array(vector(end, 3, label, "end"))
    table = np.stack([np.arange(elements), np.arange(1, elements + 1)], axis=1)
    return beam_frame(
        (1 - s) * start + s * end,
        table,
        section,
        material,
        orientation=orientation,
        theory=theory,
        mass=mass,
        rotary=rotary,
        name=name,
    )


def element_rows(name: str, elements: Any, labels: np.ndarray) -> np.ndarray:
    """(e, 2) rows of the node table from the labels in the element table."""
    table = whole_numbers(elements, repr(name), "elements")
    if table.ndim != 2 or table.shape[1] != 2 or len(table) == 0:
        raise ModelError(
            f"{name!r}: the element table has the shape {table.shape}; it must be (e, 2): two node labels each", field="elements"
        )
    order = np.argsort(labels)
    found = np.searchsorted(labels, table, sorter=order).clip(max=len(labels) - 1)
    rows = order[found]
    wrong = labels[rows] != table
    if wrong.any():
        raise ModelError(
            f"{name!r}: element {int(np.argmax(wrong.any(axis=1)))} names the node {table[wrong][0]}, which is not"
            " in the node table",
            field="elements",
        )
    result: np.ndarray = rows
    return result


def local_axes(name: str, nodes: np.ndarray, lines: np.ndarray, orientation: Any) -> tuple[np.ndarray, np.ndarray]:
    """(e, 3, 3) local axes x y z as rows, and (e,) lengths."""
    along = nodes[lines[:, 1]] - nodes[lines[:, 0]]
    length = np.linalg.norm(along, axis=1)
    if not np.isfinite(length).all():
        raise ModelError(f"{name!r}: the distance between nodes is not a finite number; check units", field="nodes")
    if not np.all(length > 0):
        raise ModelError(
            f"{name!r}: element {int(np.argmin(length))} has no length; its two nodes lie at the same place", field="elements"
        )
    x = along / length[:, None]
    if orientation is None:
        upright = np.abs(x[:, 2]) > 1 - 1e-8
        up = np.where(upright[:, None], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    else:
        given = numbers(orientation, repr(name), "orientation")
        if given.shape not in ((3,), (len(lines), 3)):
            fail(repr(name), "orientation", f"has the shape {given.shape}; give three numbers, or three per element")
        up = np.broadcast_to(given, (len(lines), 3))
    y = np.cross(up, x)
    size = np.linalg.norm(y, axis=1)
    flat = size <= 1e-8 * np.linalg.norm(up, axis=1)
    if flat.any():
        raise ModelError(
            f"{name!r}: the orientation of element {int(np.argmax(flat))} lies along the beam; give a direction across it",
            field="orientation",
        )
    y /= size[:, None]
    return np.stack([x, y, np.cross(x, y)], axis=1), length


def beam_properties(name: str, length: np.ndarray, section: Any, material: Any, theory: str, rotary: bool) -> BeamProperties:
    """Arrays over elements from sections and materials."""
    sections = _each(section, Section, len(length), name, "section")
    materials = _each(material, Material, len(length), name, "material")
    for what, given in (("section", sections), ("material", materials)):
        if len(given) != len(length):
            raise ModelError(
                f"{name!r}: {len(given)} entries of {what} for {len(length)} elements; give one, or one per element", field=what
            )

    def of(things: list[Any], key: str) -> np.ndarray:
        return np.array([getattr(thing, key) for thing in things], dtype=float)

    E, G, density, area = of(materials, "E"), of(materials, "G"), of(materials, "density"), of(sections, "area")
    Iy, Iz = of(sections, "Iy"), of(sections, "Iz")
    soft = 1.0 if theory == "timoshenko" else 0.0
    turning = 1.0 if rotary else 0.0
    return BeamProperties(
        length=length,
        EA=E * area,
        EIy=E * Iy,
        EIz=E * Iz,
        GJ=G * of(sections, "J"),
        phi_y=soft * 12 * E * Iz / (of(sections, "shear_y") * G * area * length**2),
        phi_z=soft * 12 * E * Iy / (of(sections, "shear_z") * G * area * length**2),
        line_mass=density * area,
        rotary_x=density * (Iy + Iz),
        rotary_y=turning * density * Iy,
        rotary_z=turning * density * Iz,
    )


def _summed(rows: np.ndarray, blocks: np.ndarray, size: int) -> Any:
    """The global matrix: blocks added at their rows and columns."""
    from scipy.sparse import coo_array

    i = np.broadcast_to(rows[:, :, None], blocks.shape).ravel()
    j = np.broadcast_to(rows[:, None, :], blocks.shape).ravel()
    matrix = coo_array((blocks.ravel(), (i, j)), shape=(size, size)).tocsr()
    matrix.eliminate_zeros()
    return matrix


def _each(given: Any, kind: type, count: int, name: str, field: str) -> list[Any]:
    """One section or material for all elements, or one for each."""
    if isinstance(given, kind):
        return [given] * count
    found = sequence(given, repr(name), field, f"a {kind.__name__}, or one per element")
    if not all(isinstance(one, kind) for one in found):
        fail(repr(name), field, f"= {shown(given)} must be a {kind.__name__}, or one per element")
    return list(found)


def _require(name: str, key: str, value: str, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise ModelError(f"{name!r}: {key} = {shown(value)} is not known; use one of {', '.join(allowed)}", field=key)
