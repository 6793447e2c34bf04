"""Flexible bodies and their nodes → records of bodies, parameters and memory of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.coordinates import Coordinates
from sharnir.dynamics.memory.engine_frames import Placement
from sharnir.errors import ModelError
from sharnir.model import Attachment, Fixed, FlexibleBody, Model
from sharnir.model.links import referenced_bodies
from sharnir.topology import Tree

if TYPE_CHECKING:
    from sharnir.dynamics.memory.memory_builder import Blocks


def append_elastic(blocks: Blocks, rows: np.ndarray, model: Model, tree: Tree, c: Coordinates, place: Placement) -> None:
    """Fill the elastic columns of the records of bodies, and append what they point to."""
    from sharnir.dynamics.methods.flexible_articulated_body import addresses

    check_attached(model, c)
    kept: dict[bytes, int] = {}  # equal bodies share their numbers: a chain of them then fits into the cache

    def shared(values: np.ndarray) -> int:
        key = values.tobytes()
        if key not in kept:
            kept[key] = blocks.append("params", None, values)
        return kept[key]

    for name, (q, v, h) in c.elastic.items():
        body, i = model.bodies[name], place.number[name]
        assert isinstance(body, FlexibleBody)
        rows[i, L.COUNT_ELASTIC], rows[i, L.ELASTIC_Q], rows[i, L.ELASTIC_V] = h, q, v
        params = elastic_params(body.reduced)
        rows[i, L.ELASTIC_P] = shared(params)
        rows[i, L.ELASTIC_W] = blocks.append("work", None, elastic_work(params, h))
    for joint, name in zip(tree.joints, tree.bodies, strict=True):
        if isinstance(joint, Attachment):
            i, (q, v, h) = place.number[name], c.elastic[str(joint.parent)]
            reduced = model.bodies[str(joint.parent)].reduced  # type: ignore[attr-defined]
            rows[i, L.COUNT_ELASTIC], rows[i, L.ELASTIC_Q], rows[i, L.ELASTIC_V] = h, q, v
            rows[i, L.ELASTIC_P] = shared(node_params(reduced, joint.interface))
            rows[i, L.ELASTIC_W] = blocks.append("work", None, np.zeros(6 * h))
    blocks.header[L.N_ELASTIC] = sum(h for _, _, h in c.elastic.values())
    for slot, address in addresses().items():
        blocks.header[slot] = address
    blocks.append("work", L.W_GATHER, np.zeros((len(rows), L.W_BRANCH_SIZE)))


def check_attached(model: Model, c: Coordinates) -> None:
    """Elements act on nodes of flexible bodies: what a point between them does, the reduced model does not say."""
    elements: list[Any] = [*model.joints.values(), *model.forces.values(), *model.constraints.values()]
    for element in elements:
        for field, name in referenced_bodies(element):
            if name not in c.elastic:
                continue
            nodes = [node.name for node in model.bodies[name].nodes()]  # type: ignore[attr-defined]
            if isinstance(element, Fixed) and {str(element.parent), str(element.child)} & set(nodes):
                continue
            message = f"{element.label}: {field} = '{name}' is a flexible body; attach it to one of its interfaces"
            raise ModelError(f"{message} ({', '.join(nodes) or 'it has none'})", field=field)


def elastic_params(reduced: Any) -> np.ndarray:
    """How many shapes stiffening adds; inertia polynomials, stiffness and damping of all, drag; curvatures: foreshortening."""
    stiffened, J = reduced.stiffened_inertia, reduced.inertia
    curvature = np.zeros(0)
    if stiffened is not None:
        J, curvature = stiffened.linear, stiffened.curvature
    stiffness, damping = np.zeros((2, J.count, J.count))
    stiffness[: reduced.count, : reduced.count] = reduced.stiffness
    if reduced.damping is not None:
        damping[: reduced.count, : reduced.count] = reduced.damping
    parts = [np.array([J.count - reduced.count]), J.J_rr, J.R0, J.P0, J.R, J.P, J.P2, J.J_rw.T, J.Q0.T, J.Q.transpose(0, 2, 1)]
    parts += [J.J_ww, stiffness, damping, np.array([reduced.drag]), curvature]
    return np.concatenate([np.ascontiguousarray(part, float).ravel() for part in parts])


def elastic_work(params: np.ndarray, h: int) -> np.ndarray:
    """Memory of a flexible body: that of its coordinates, and with stiffening that of all shapes, and slopes."""
    n, r = h + int(params[0]), int(params[0])
    return np.zeros(10 * h + h * h + (10 * n + n * n + r * h if r else 0))


def node_params(reduced: Any, interface: str) -> np.ndarray:
    """Shift and rotation of a node per coordinate; then 1 and those of second order, per pair of coordinates, else 0."""
    parts = [reduced.interfaces[interface].shape.T, np.zeros(1)]
    if reduced.stiffening is not None and interface in reduced.stiffening.nodes:
        parts[1:] = [np.ones(1), reduced.stiffening.nodes[interface][:, 6:, 6:].transpose(1, 2, 0)]
    return np.concatenate([np.ascontiguousarray(part, float).ravel() for part in parts])
