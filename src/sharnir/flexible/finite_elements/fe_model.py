"""FEModel: mass and stiffness of a body as a finite-element program sees it, with the positions of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import advising, integer, number, numbers, vector, whole_numbers, with_advice
from sharnir.errors import ModelError
from sharnir.face import upward
from sharnir.flexible.finite_elements.rigid_inertia import RigidInertia, rigid_inertia
from sharnir.flexible.finite_elements.units import unit_factors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from sharnir.flexible.finite_elements.fe_check import FECheck

#: names of the six components of a node, as in `FEModel.freedoms`
COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
#: the component that the only freedom of a modal coordinate has (see `FEModel.modal`)
MODAL_COMPONENT = 3


def _no_nodes() -> np.ndarray:
    return np.empty(0, dtype=np.int64)


def _no_lines() -> np.ndarray:
    return np.empty((0, 2), dtype=np.int64)


def _no_faces() -> np.ndarray:
    return np.empty((0, 3), dtype=np.int64)


@advising
@dataclass(frozen=True, eq=False, repr=False)
class FEModel:
    """Mass and stiffness of a body as a finite-element program sees it, SI units, coordinates of the body's own frame.

    nodes (n, 3) : positions of the nodes [m].
    freedoms (N, 2) : node (a row of `nodes`) and component 0 … 5 (shifts x y z, rotations x y z) of every row of the matrices;
        a node may have all six, three (solids) or none (fixed to ground, or tied to another node).
    mass, stiffness (N, N) : sparse matrices.
    labels (n,) : the FE program's numbers of the nodes; default: 0 … n-1.
    lines (k, 2), faces (k, 3) : rows of `nodes`, for pictures.
    motion (6 n, N) : shifts and rotations of all nodes from the freedoms, where nodes are tied to others (default: a node moves
        with its own freedoms only); read it through `node_motion`.
    sets : rows of `nodes` by the name that the mesh or the FE program gives them.
    modal : rows of `nodes` that are not points but modal coordinates of a superelement reduced elsewhere; each has one freedom
        (component 3), which no rigid motion moves and which moves no node.

    >>> spring = [[2.0, -2.0], [-2.0, 2.0]]
    >>> two = FEModel(nodes=[[0, 0, 0], [1, 0, 0]], freedoms=[[0, 0], [1, 0]], mass=[[1, 0], [0, 3]], stiffness=spring)
    >>> two.size, two.rigid_inertia().mass
    (2, 4.0)
    """

    nodes: np.ndarray
    freedoms: np.ndarray
    mass: csr_array
    stiffness: csr_array
    labels: np.ndarray | None = None
    lines: np.ndarray = field(default_factory=_no_lines)
    faces: np.ndarray = field(default_factory=_no_faces)
    name: str = "FE model"
    source: str = ""
    motion: csr_array | None = None
    sets: dict[str, np.ndarray] = field(default_factory=dict)
    modal: np.ndarray = field(default_factory=_no_nodes)

    def __post_init__(self) -> None:
        from sharnir.flexible.finite_elements.fe_arrays import checked_arrays

        for key, value in checked_arrays(self).items():
            object.__setattr__(self, key, value)

    @property
    def size(self) -> int:
        """The number of freedoms N."""
        return len(self.freedoms)

    def __repr__(self) -> str:
        origin = f" from {self.source}" if self.source else ""
        return f"<FEModel {self.name!r}: {len(self.nodes)} nodes, {self.size} freedoms{origin}>"

    def node(self, label: int) -> int:
        """The row in `nodes` of the node with this label.

        >>> bar = FEModel([[0, 0, 0], [1, 0, 0]], [[0, 0], [1, 0]], [[1, 0], [0, 1]], [[1, -1], [-1, 1]], labels=[10, 20])
        >>> bar.node(20)
        1
        """
        assert self.labels is not None
        label = integer(label, repr(self.name), "node")
        found = np.flatnonzero(self.labels == label)
        if len(found) == 0:
            raise ModelError(f"{self.name!r} has no node {label}; {self._near_labels(label)}", field="node")
        return int(found[0])

    def node_near(self, place: Any) -> int:
        """The row in `nodes` of the node nearest to a place (3 numbers, m).

        >>> from sharnir.flexible import Section, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> beam.node_near((0.7, 0, 0))
        3
        """
        at = numbers(place, repr(self.name), "place", shape=(3,))
        return int(np.argmin(np.sum((self.nodes - at) ** 2, axis=1)))

    def rows_of(self, nodes: Any) -> np.ndarray:
        """Rows in `nodes` of nodes given by labels, or by the name of a set of nodes.

        >>> bar = FEModel([[0, 0, 0], [1, 0, 0]], [[0, 0], [1, 0]], [[1, 0], [0, 1]], [[1, -1], [-1, 1]], labels=[10, 20])
        >>> bar.rows_of([20, 10])
        array([1, 0])
        """
        assert self.labels is not None
        if isinstance(nodes, str):
            if nodes not in self.sets:
                raise ModelError(
                    f"{self.name!r} has no node set {nodes!r}; it has {', '.join(self.sets) or 'none'}", field="nodes"
                )
            return self.sets[nodes]
        asked = np.atleast_1d(whole_numbers(nodes, repr(self.name), "nodes")).ravel()
        order = np.argsort(self.labels)
        rows = order[np.searchsorted(self.labels, asked, sorter=order).clip(max=len(order) - 1)]
        wrong = self.labels[rows] != asked
        if wrong.any():
            self.node(int(asked[wrong][0]))
        found: np.ndarray = rows
        return found

    @with_advice
    def select(self, x: Any = None, y: Any = None, z: Any = None, tolerance: float = 1e-6) -> np.ndarray:
        """Labels of the nodes at a coordinate or between two: select(x=0.1), select(x=(0, 0.1), z=0).

        The tolerance is relative to the size of the model.

        >>> bar = FEModel([[0, 0, 0], [1, 0, 0]], [[0, 0], [1, 0]], [[1, 0], [0, 1]], [[1, -1], [-1, 1]], labels=[10, 20])
        >>> bar.select(x=(0.5, 2))
        array([20])
        """
        assert self.labels is not None
        slack = number(tolerance, repr(self.name), "tolerance", low=0) * float(np.max(np.ptp(self.nodes, axis=0), initial=0.0))
        inside = np.ones(len(self.nodes), dtype=bool)
        for axis, wanted in enumerate((x, y, z)):
            if wanted is not None:
                low, high = between(wanted, repr(self.name), "xyz"[axis])
                inside &= (self.nodes[:, axis] >= low - slack) & (self.nodes[:, axis] <= high + slack)
        return self.labels[inside]

    def freedoms_of(self, node: int) -> np.ndarray:
        """(6,) matrix rows of the components of a node (row in `nodes`), -1 where it has none.

        >>> from sharnir.flexible import Section, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> beam.freedoms_of(1)
        array([ 6,  7,  8,  9, 10, 11])
        """
        rows = np.full(6, -1, dtype=np.int64)
        own = np.flatnonzero(self.freedoms[:, 0] == node)
        rows[self.freedoms[own, 1]] = own
        return rows

    def node_motion(self) -> csr_array:
        """(6 n, N): shifts and rotations of node k in rows 6 k … 6 k + 5, from the displacements of all freedoms.

        Rows of components that a node does not have (rotations of solids, fixed nodes) are empty.

        >>> from sharnir.flexible import Section, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> beam.node_motion().shape
        (30, 30)
        """
        if self.motion is not None:
            return self.motion
        from scipy.sparse import csr_array

        columns = np.flatnonzero(~np.isin(self.freedoms[:, 0], self.modal))
        rows = 6 * self.freedoms[columns, 0] + self.freedoms[columns, 1]
        return csr_array((np.ones(len(columns)), (rows, columns)), shape=(6 * len(self.nodes), self.size))

    def rigid_motions(self) -> np.ndarray:
        """(N, 6) displacements of all freedoms for unit shifts x y z and unit rotations x y z about the frame's origin.

        >>> bar = FEModel([[0, 0, 0], [2, 0, 0]], [[0, 1], [1, 1]], [[1, 0], [0, 1]], [[0, 0], [0, 0]])
        >>> abs(bar.rigid_motions()[1])  # y of the second node
        array([0., 1., 0., 0., 0., 2.])
        """
        place = self.nodes[self.freedoms[:, 0]]
        component = self.freedoms[:, 1]
        R = np.zeros((self.size, 6))
        R[np.arange(self.size), component] = 1.0
        # shift of a node at p under a rotation e_j: e_j × p
        for axis in range(3):
            rows = component == axis
            one, two = (axis + 1) % 3, (axis + 2) % 3
            R[rows, 3 + one] = place[rows, two]
            R[rows, 3 + two] = -place[rows, one]
        R[np.isin(self.freedoms[:, 0], self.modal)] = 0.0
        return R

    def rigid_inertia(self) -> RigidInertia:
        """Mass, centre and inertia tensor of the model when it moves rigidly, from Rᵀ M R.

        >>> from sharnir.flexible import Section, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> beam.rigid_inertia().center.round(9) + 0.0
        array([0.5, 0. , 0. ])
        """
        R = self.rigid_motions()
        return rigid_inertia(R.T @ (self.mass @ R))

    @with_advice
    def scaled(self, units: str | None = None, *, length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> FEModel:
        """The model in SI units, when its numbers are in units of `length` m, `mass` kg, `time` s.

        `units` names a usual set: "mm-t-s" (N, MPa), "mm-kg-ms" (kN, GPa), "mm-kg-s", "mm-g-ms", "cm-g-s", "in-lbf-s",
        "ft-lbf-s".

        >>> bar = FEModel([[0, 0, 0], [1000, 0, 0]], [[0, 0], [1, 0]], [[1, 0], [0, 1]], [[1, -1], [-1, 1]])
        >>> si = bar.scaled("mm-t-s")
        >>> float(si.nodes[1, 0]), float(si.mass[0, 0]), float(si.stiffness[0, 0])
        (1.0, 1000.0, 1000.0)
        """
        if units is not None:
            length, mass, time = unit_factors(units)
        for word, factor in (("length", length), ("mass", mass), ("time", time)):
            number(factor, repr(self.name), word, above=0)
        from scipy.sparse import diags_array

        # a shift in m per number of the FE program: length; a rotation: 1; energy ∝ mass length²/time²
        arm = diags_array(np.where(self.freedoms[:, 1] < 3, 1.0, length))
        back = np.where(self.freedoms[:, 1] < 3, 1.0 / length, 1.0)
        motion = None
        if self.motion is not None:
            rows = np.where(np.arange(6 * len(self.nodes)) % 6 < 3, length, 1.0)
            motion = (diags_array(rows) @ self.motion @ diags_array(back)).tocsr()
        return replace(
            self,
            nodes=self.nodes * length,
            mass=(arm @ self.mass @ arm * mass).tocsr(),
            stiffness=(arm @ self.stiffness @ arm * (mass / time**2)).tocsr(),
            motion=motion,
        )

    def with_ties(self, *ties: Any) -> FEModel:
        """The model with rigid (`RigidTie`) and averaged (`AveragedTie`) ties of nodes to interface nodes, in the given order.

        >>> from sharnir.flexible import RigidTie, Section, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> beam.with_ties(RigidTie([3, 4], label=100)).node(100)
        5
        """
        found: FEModel = upward("sharnir.flexible.finite_elements.ties", "with_ties")(self, ties)
        return found

    def with_fixed(self, nodes: Any, components: Sequence[str] = COMPONENTS) -> FEModel:
        """The model with components ("x" … "rz", default all) of nodes (labels or a set) fixed to ground.

        >>> from sharnir.flexible import Section, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> beam.with_fixed([0]).size  # 6 of 30 freedoms go
        24
        """
        found: FEModel = upward("sharnir.flexible.finite_elements.supports", "with_fixed")(self, nodes, components)
        return found

    def with_point_mass(self, node: int, mass: float, inertia: Any = None) -> FEModel:
        """The model with a point mass (kg) at a node (label), and an inertia (3 or 3×3, kg m²) where the node has rotations.

        >>> from sharnir.flexible import Section, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> round(beam.with_point_mass(4, 10.0).rigid_inertia().mass, 5)
        12.46615
        """
        found: FEModel = upward("sharnir.flexible.finite_elements.supports", "with_point_mass")(self, node, mass, inertia)
        return found

    def check(self, tolerance: float = 1e-6) -> FECheck:
        """Symmetric? Semi-definite? Free or fixed to ground? An error where the model cannot be a body; otherwise a report.

        >>> from sharnir.flexible import Section, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> beam.check().free, beam.with_fixed([0]).check().free
        (True, False)
        """
        found: FECheck = upward("sharnir.flexible.finite_elements.fe_check", "check")(self, tolerance)
        return found

    def _near_labels(self, label: int) -> str:
        assert self.labels is not None
        if len(self.labels) == 0:
            return "it has no nodes at all"
        near = self.labels[np.argsort(np.abs(self.labels - float(max(min(label, 2**62), -(2**62)))), kind="stable")[:5]]
        words = ", ".join(str(k) for k in sorted(near))
        return f"the nearest labels are {words} (of {len(self.labels)}, {self.labels.min()} … {self.labels.max()})"


def between(wanted: Any, label: str, field: str) -> tuple[float, float]:
    """A coordinate twice, or two of them."""
    if np.ndim(wanted) == 0 if isinstance(wanted, (float, int, np.ndarray, np.number)) else False:
        place = number(wanted, label, field, finite=False)
        return place, place
    low, high = vector(wanted, 2, label, field, finite=False)
    return low, high
