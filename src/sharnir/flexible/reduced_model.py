"""ReducedModel: everything that a mechanism needs to know about a flexible body."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path

import numpy as np

from sharnir.errors import ModelError
from sharnir.face import upward
from sharnir.flexible.finite_elements.rigid_inertia import tilde
from sharnir.flexible.inertia.inertia_moments import InertiaMoments
from sharnir.flexible.inertia.massless_shapes import massless_shapes
from sharnir.flexible.inertia.modal_inertia import ModalInertia
from sharnir.flexible.inertia.nodal_masses import tildes
from sharnir.flexible.inertia.stiffened_inertia import StiffenedInertia
from sharnir.flexible.interface import Interface
from sharnir.flexible.modes.stiffening import Stiffening
from sharnir.flexible.reduction_report import ReductionReport


def _no_labels() -> np.ndarray:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class ReducedModel:
    """A flexible body by h elastic coordinates w; made by `reduce`.

    interfaces : by name.   frequencies (h,) : of the shapes [Hz].   report : the report of the reduction.
    stiffness, damping (h, h) : damping may be None.   drag : part of its momentum that the body loses per second [1/s].
    inertia : ModalInertia.   moments : what it is made from.
    nodes (n, 3) : positions.   shapes (n, 3, h) : shifts of all nodes.   rotations (n, 3, h) : their rotations, or None.
    labels (n,) : the FE program's numbers of the nodes.   lines, faces : for pictures.
    free : True if it is not fixed to ground.   stiffening : second-order displacements of beams, if asked for.

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.reduction import reduce
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2)
    <ReducedModel 'beam': 8 elastic coordinates, interfaces root, tip>
    """

    name: str
    interfaces: dict[str, Interface]
    stiffness: np.ndarray
    damping: np.ndarray | None
    frequencies: np.ndarray
    inertia: ModalInertia
    moments: InertiaMoments
    nodes: np.ndarray
    shapes: np.ndarray
    rotations: np.ndarray | None
    lines: np.ndarray
    faces: np.ndarray
    report: ReductionReport
    free: bool = True
    stiffening: Stiffening | None = None
    labels: np.ndarray = field(default_factory=_no_labels)
    drag: float = 0.0

    def __post_init__(self) -> None:
        if len(self.labels) == 0:
            object.__setattr__(self, "labels", np.arange(len(self.nodes)))

    @property
    def count(self) -> int:
        """The number h of elastic coordinates."""
        return len(self.stiffness)

    def __repr__(self) -> str:
        names = ", ".join(self.interfaces) or "none"
        return f"<ReducedModel {self.name!r}: {self.count} elastic coordinates, interfaces {names}>"

    @cached_property
    def stiffened_inertia(self) -> StiffenedInertia | None:
        """The inertia with which the body moves in a mechanism, if it has `stiffening`: that of mass that moves with u₂, too."""
        return None if self.stiffening is None else StiffenedInertia.of_moments(self.moments, self.stiffening)

    @cached_property
    def massless(self) -> int:
        """How many deformations move no mass; such a body must be held, see massless_shapes."""
        return massless_shapes(self.inertia)

    @cached_property
    def amplitudes(self) -> np.ndarray:
        """(2, h): the largest shift [m] and the largest rotation [rad] of any node per elastic coordinate."""
        shift, turn = (np.zeros(self.count) if x is None else np.abs(x).max((0, 1)) for x in (self.shapes, self.rotations))
        return np.array([shift, turn])

    def interface(self, name: str) -> Interface:
        """The interface of this name.

        >>> from sharnir.flexible import Section, reduce, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> body = reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2)
        >>> body.interface("tip").position
        array([1., 0., 0.])
        """
        if name not in self.interfaces:
            raise ModelError(
                f"{self.name!r} has no interface {name!r}; it has {', '.join(self.interfaces) or 'none'}", field="interface"
            )
        return self.interfaces[name]

    def __eq__(self, other: object) -> bool:
        """The same numbers; reports may differ."""
        if self is other or not isinstance(other, ReducedModel):
            return self is other
        digest = upward("sharnir.flexible.reduced_files", "digest")
        found: bool = digest(self) == digest(other)
        return found

    def __hash__(self) -> int:
        return hash((self.name, self.count, len(self.nodes)))

    def save(self, path: str | PathLike[str]) -> Path:
        """Write to a .npz file: arrays only, no code. `load` brings it back digit for digit; model files name it.

        >>> import tempfile
        >>> from sharnir.flexible import Section, reduce, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> body = reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2)
        >>> file = body.save(tempfile.mkdtemp() + "/beam.npz")
        >>> ReducedModel.load(file) == body
        True
        """
        found: Path = upward("sharnir.flexible.reduced_files", "save")(self, path)
        return found

    @classmethod
    def load(cls, path: str | PathLike[str]) -> ReducedModel:
        """The reduced model that was saved; a missing or damaged file is an error that says so.

        >>> ReducedModel.load("no such file.npz")
        Traceback (most recent call last):
        sharnir.errors.ModelError: ...
        """
        found: ReducedModel = upward("sharnir.flexible.reduced_files", "load")(path)
        return found

    def places(self, w: np.ndarray) -> np.ndarray:
        """(n, 3) positions of all nodes in the body's frame at elastic coordinates w.

        >>> from sharnir.flexible import Section, reduce, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> body = reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2)
        >>> body.places([0.0] * body.count)[4]
        array([1., 0., 0.])
        """
        found: np.ndarray = self.nodes + self.shapes @ np.asarray(w, float)
        return found

    def rigid_motion(self, name: str) -> np.ndarray:
        """(6, h) shift and rotation of the body about its origin that move it as each shape moves this interface.

        >>> from sharnir.flexible import Section, reduce, straight_beam
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> body = reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2)
        >>> body.rigid_motion("root").shape
        (6, 8)
        """
        at = self.interface(name)
        if not self.free:
            raise ModelError(f"{self.name!r} is fixed to ground; its shapes cannot be referred to {name!r}", field="interface")
        turn = at.shape[3:]  # u = s + t × ρ: t the rotation of the interface, s its shift - t × ρ_k
        return np.concatenate([at.shape[:3] + tilde(at.position) @ turn, turn])

    def fixed_at(self, name: str) -> ReducedModel:
        """The same body with shapes shifted by rigid motions so that this interface neither shifts nor turns in the body's frame.

        The frame then moves with the interface (a cantilever's root, say). Stiffness does not change, inertia does.

        >>> from sharnir.flexible.finite_elements.beams import straight_beam
        >>> from sharnir.flexible.reduction import reduce
        >>> from sharnir.flexible.finite_elements.section import Section
        >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
        >>> held = reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2).fixed_at("root")
        >>> float(abs(held.interfaces["root"].shape).max())
        0.0
        """
        at, motion = self.interface(name), self.rigid_motion(name)
        if not at.shape.any():
            return self
        shift, turn = motion[:3], motion[3:]
        moments = self.moments.combined(np.eye(self.count), shift, turn)
        shapes = self.shapes - shift + tildes(self.nodes) @ turn
        rotations = None if self.rotations is None else self.rotations - turn
        interfaces = {key: replace(one, shape=_relative(one, shift, turn)) for key, one in self.interfaces.items()}
        interfaces[name] = replace(at, shape=np.zeros_like(at.shape))
        inertia = ModalInertia.of_moments(moments).balanced()
        places = {key: one.position for key, one in interfaces.items()}
        stiffening = self.stiffening and self.stiffening.shifted(motion, name, places)
        return replace(
            self,
            interfaces=interfaces,
            moments=moments,
            inertia=inertia,
            shapes=shapes,
            rotations=rotations,
            stiffening=stiffening,
        )


def _relative(one: Interface, shift: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """The shape of an interface less a rigid motion."""
    return np.concatenate([one.shape[:3] - shift + tilde(one.position) @ turn, one.shape[3:] - turn])
