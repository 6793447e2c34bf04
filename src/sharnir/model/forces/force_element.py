"""What every force declares: on what it acts, what it reports, what is drawn; files, channels, energy, scene follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sharnir.families import Family, Registered
from sharnir.model.element import Element

if TYPE_CHECKING:
    from sharnir.model.events import Event
    from sharnir.model.joints import Joint
    from sharnir.model.signals import SignalElement

Outputs = tuple[tuple[str, str | tuple[str, ...], tuple[str, ...]], ...]


@dataclass(frozen=True)
class FreedomForce:
    """A force along one freedom of a joint: -stiffness (q - angle) - damping v + torque(q, v, t).

    >>> from sharnir.model import TorsionSpring
    >>> TorsionSpring("spring", "hinge", stiffness=5).along_freedom({}).stiffness
    5.0
    """

    label: str
    joint: str
    freedom: int
    torque: Any = None
    stiffness: float = 0.0
    damping: float = 0.0
    angle: float = 0.0


class ForceElement(Registered, Element, listed=False):
    """A named force. Defining a subclass lists it among the forces.

    Fields say by their annotations what they hold (sharnir.model.values), and so what files and the schema hold; those with
    formulas stand in `formula_fields` with the names of their variables. A force acts either on bodies, by a kernel of the engine
    that is registered for its class (dynamics.forces.force_records), or along a freedom of a joint (`along_freedom`).

    outputs : what it reports about itself, in the order of its numbers in the engine's memory: key, unit (one, or one per
        component), names of components. They become channels `<name>.<key>`; "energy" is a part of the potential energy.
    freedom_outputs : the same of a force along a freedom, as formulas of its coordinate q and speed v (`freedom_formula`): key,
        and whether it has the unit of a "force" or of a "position" there.
    mutual : it acts between the bodies that it names, and on nothing else.
    always_written : fields that files hold even at their defaults.

    >>> from sharnir.model import Spring
    >>> spring = Spring("cable", "ground", "bob", stiffness=100)
    >>> spring.conservative, [key for key, unit, components in spring.outputs]
    (True, ['length', 'rate', 'force'])
    """

    family: ClassVar[Family] = Family("force")
    outputs: ClassVar[Outputs] = ()
    freedom_outputs: ClassVar[Mapping[str, str]] = {}
    mutual: ClassVar[bool] = True
    always_written: ClassVar[tuple[str, ...]] = ()

    @property
    def output_count(self) -> int:
        """How many numbers it reports about itself."""
        return sum(len(labels) or 1 for _, _, labels in self.outputs)

    def output_place(self, key: str) -> int:
        """Place of the first number of an output among them."""
        return [name for name, _, labels in self.outputs for _ in range(len(labels) or 1)].index(key)

    @property
    def conservative(self) -> bool:
        """Whether it keeps the energy: what it takes is stored in its potential."""
        return False

    @property
    def sliding_speeds(self) -> tuple[float, ...]:
        """Speeds within which its friction changes [m/s]; differences of the equations must be finer."""
        return ()

    def along_freedom(self, joints: Mapping[str, Joint]) -> FreedomForce | None:
        """The equivalent force along a freedom; None: it acts on bodies."""
        return None

    def freedom_formula(self, key: str, joints: Mapping[str, Joint]) -> str:
        """One of `freedom_outputs` as a formula of q and v."""
        raise NotImplementedError

    def check_joint(self, joint: Joint) -> None:
        """Refuse a joint in which it cannot act."""

    def accepts(self, joint: Joint) -> bool:
        """Whether it can act in a joint of this kind, once an event has changed it."""
        return True

    def events(self, joints: Mapping[str, Joint]) -> list[Event]:
        """Events that belong to it and are added with it."""
        return []

    def signals(self) -> dict[str, SignalElement]:
        """Signals that the engine computes for it, by names that no signal of a user has."""
        return {}

    def coil(self) -> tuple[tuple[str, Any], tuple[str, Any]] | None:
        """Two ends (body, point in the drawing or None: its position) between which an animation draws a coil."""
        return None

    def drawn_shapes(self, model: Any) -> list[tuple[str, Any]]:
        """Shapes on bodies that an animation draws with it: (body, shape in its axes)."""
        return []
