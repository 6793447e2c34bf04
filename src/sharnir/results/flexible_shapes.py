"""Shapes of a flexible body: how all its nodes move with the elastic coordinates. Plain arrays, kept once for a whole run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sharnir.arguments import shown
from sharnir.errors import ModelError

BLOCK = 2**23  # numbers that are computed at a time


class NodeShape(NamedTuple):
    """One node of a flexible body.

    word : how names of channels call it.   row : among the nodes.   place (3,) : in the undeformed body [m].
    shift, turn (3, h) : its shifts and rotations per elastic coordinate; turn is None where the shapes have no rotations.
    second (6, h, h) : of bodies with stiffening, ½ wᵀ N w are shifts and rotations of second order.

    >>> NodeShape("tip", 4, np.zeros(3), np.ones((3, 1)), None).word
    'tip'
    """

    word: str
    row: int
    place: np.ndarray
    shift: np.ndarray  # (3, h)
    turn: np.ndarray | None  # (3, h); None if the shapes have no rotations there
    second: np.ndarray | None = None  # (6, h, h): ½ wᵀ N w are shifts and rotations of second order, of stiffened bodies


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleShapes:
    """Nodes and shapes of a flexible body in its own frame.

    nodes (n, 3) : positions [m].   labels (n,) : the FE program's numbers of the nodes.
    shapes (n, 3, h) : shifts of all nodes per elastic coordinate.   rotations (n, 3, h) : their rotations, or None.
    interfaces : name → row of its node.   interface_shapes (i, 6, h) : shifts and rotations of the i interfaces.
    lines (k, 2), faces (k, 3) : rows, for pictures.
    interface_second (i, 6, h, h) : of bodies with stiffening, what interfaces move by in second order.

    >>> bar = FlexibleShapes("bar", np.eye(2, 3), np.array([10, 20]), np.ones((2, 3, 1)), None, {"end": 1}, np.ones((1, 6, 1)))
    >>> bar.node(20).word, bar.node("end").row, bar.displacements([0.5])[0]
    ('20', 1, array([0.5, 0.5, 0.5]))
    """

    name: str
    nodes: np.ndarray
    labels: np.ndarray
    shapes: np.ndarray
    rotations: np.ndarray | None
    interfaces: Mapping[str, int]
    interface_shapes: np.ndarray
    lines: np.ndarray = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))
    faces: np.ndarray = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64))
    interface_second: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"<FlexibleShapes {self.name!r}: {len(self.nodes)} nodes, {self.shapes.shape[2]} elastic coordinates>"

    def node(self, which: int | str) -> NodeShape:
        """A node by its label (a number), or by the name of its interface; a text that names no interface is a label too.

        >>> bar = FlexibleShapes("bar", np.eye(2, 3), np.r_[10, 20], np.ones((2, 3, 1)), None, {"end": 1}, np.ones((1, 6, 1)))
        >>> bar.node("end").row, bar.node(10).row
        (1, 0)
        """
        if isinstance(which, str) and which in self.interfaces:
            return self._interface(which, list(self.interfaces).index(which))
        label = self._label(which)
        found = np.flatnonzero(self.labels == label)
        if not len(found):
            raise ModelError(f"flexible body {self.name!r} has no node {label}; {self._near(label)}", field="node")
        row = int(found[0])
        for k, at in enumerate(self.interfaces.values()):
            if at == row:
                return self._interface(str(label), k)
        turn = None if self.rotations is None else self.rotations[row]
        return NodeShape(str(label), row, self.nodes[row], self.shapes[row], turn)

    def _interface(self, word: str, k: int) -> NodeShape:
        row, shape = int(list(self.interfaces.values())[k]), self.interface_shapes[k]
        second = None if self.interface_second is None else self.interface_second[k]
        return NodeShape(word, row, self.nodes[row], shape[:3], shape[3:], second)

    def _label(self, which: int | str) -> int:
        try:
            return int(which)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(
                f"flexible body {self.name!r} has no interface {shown(which)}; it has {', '.join(self.interfaces) or 'none'}, "
                f"and nodes {self.labels.min()} … {self.labels.max()}",
                field="node",
            ) from None

    def _near(self, label: int) -> str:
        near = self.labels[np.argsort(np.abs(self.labels - label), kind="stable")[:5]]
        return f"the nearest labels are {', '.join(str(k) for k in sorted(near))} (of {len(self.labels)})"

    def displacements(self, w: np.ndarray) -> np.ndarray:
        """(n, 3) displacements of all nodes in the body's axes at elastic coordinates w (h,).

        >>> bar = FlexibleShapes("bar", np.eye(2, 3), np.r_[10, 20], np.ones((2, 3, 1)), None, {"end": 1}, np.ones((1, 6, 1)))
        >>> bar.displacements([0.5])[1]
        array([0.5, 0.5, 0.5])
        """
        return self.shapes @ np.asarray(w, float)

    def largest(self, w: np.ndarray) -> np.ndarray:
        """(nt,) size of the largest displacement of any node at every row of w (nt, h).

        >>> bar = FlexibleShapes("bar", np.eye(2, 3), np.r_[10, 20], np.ones((2, 3, 1)), None, {"end": 1}, np.ones((1, 6, 1)))
        >>> bar.largest(np.array([[0.0], [0.5]])).round(6)
        array([0.      , 0.866025])
        """
        n, _, h = self.shapes.shape
        most = np.zeros(len(w))
        step = max(1, BLOCK // (3 * max(1, len(w))))
        for first in range(0, n, step):
            u = self.shapes[first : first + step].reshape(-1, h) @ w.T
            squares = np.square(u, out=u).reshape(-1, 3, len(w)).sum(axis=1)
            np.maximum(most, squares.max(axis=0), out=most)
        return np.sqrt(most)
