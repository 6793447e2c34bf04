"""Quantities that depend on forces and accelerations: reactions, drives, outputs of force elements, energies, momenta.

Names in formulas are those of the result's channels: `O.reaction.fx`, `O.drive`, `spring.force`, `energy.total`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from sharnir.arguments import shown
from sharnir.model.checks import choice, fail, reference, settle
from sharnir.model.constraints.variables import Variable, unit_of_freedom
from sharnir.model.element import WRENCH
from sharnir.model.values import JointName, OptionalFreedomChoice, OptionalText, Reference, default, element

ALIASES = dict(zip(("x", "y", "z", "mx", "my", "mz"), WRENCH, strict=True))
SIZES = ("force", "torque")  # magnitudes of both vectors
ENERGIES = ("kinetic", "potential", "total")
MOMENTA = ("center_of_mass", "momentum", "angular_momentum")
XYZ = ("x", "y", "z")


class Observed(Variable, listed=False):
    """A variable that only signals and events may have: it follows from forces and accelerations."""

    elementary: ClassVar[bool] = False

    def unit(self, rate: int, joints: Mapping[str, Any]) -> str:
        return ""


def aliased(component: Any) -> Any:
    """The name of a component by another one of its names."""
    return ALIASES.get(component, component) if isinstance(component, str) else component


@element
class JointReaction(Observed):
    """A component of the reaction of a joint on its child, at the joint's point of the child.

    component : "fx" … "tz" (or "x", "y", "z", "mx", "my", "mz"), or "force", "torque": the magnitude of both vectors.
    axes : "world", or "local": axes of the joint on the child, as in the channel `reaction_local`.

    >>> JointReaction("O", "mz").component
    'tz'
    """

    joint: JointName
    component: str = "force"
    axes: Literal["world", "local"] = "world"

    def __post_init__(self) -> None:
        label = "JointReaction"
        settle(self, joint=reference(self.joint, label, "joint", "joint"), component=aliased(self.component))
        choice(self.component, (*SIZES, *WRENCH), label, "component")
        choice(self.axes, ("world", "local"), label, "axes")

    @property
    def joints(self) -> tuple[str, ...]:
        """The joint's name."""
        return (str(self.joint),)

    def unit(self, rate: int, joints: Mapping[str, Any]) -> str:
        return "N" if self.component.startswith("f") else "N m"


@element
class JointDrive(Observed):
    """The force or torque that the prescribed motion of a joint requires; `freedom`: number or name, None: the only one.

    >>> JointDrive("O").joints
    ('O',)
    """

    joint: JointName
    freedom: OptionalFreedomChoice = default(None)

    def __post_init__(self) -> None:
        settle(self, joint=reference(self.joint, "JointDrive", "joint", "joint"))

    @property
    def joints(self) -> tuple[str, ...]:
        """The joint's name."""
        return (str(self.joint),)

    def unit(self, rate: int, joints: Mapping[str, Any]) -> str:
        return {"m": "N", "rad": "N m"}.get(unit_of_freedom(str(self.joint), self.freedom, joints), "")


@element
class ForceOutput(Observed):
    """An output of a force element, named as its channel: such as "force", "length" of a Spring.

    component : of an output with several numbers, such as "fx" of a Bushing's "force".

    >>> ForceOutput("s", "force").output
    'force'
    """

    force: Reference
    output: str
    component: OptionalText = default(None)

    def __post_init__(self) -> None:
        settle(self, force=reference(self.force, "ForceOutput", "force", "force"))
        if not isinstance(self.output, str) or not self.output:
            fail("ForceOutput", "output", f"= {shown(self.output)} must be the name of an output, such as 'force'")


@element
class SystemNumber(Observed, listed=False):
    """An energy of the whole model, or a component of its centre of mass or momentum (world axes).

    >>> SystemNumber("angular_momentum", "z").component
    'z'
    """

    quantity: str
    component: Any = None

    def __post_init__(self) -> None:
        choice(self.quantity, (*ENERGIES, *MOMENTA), "SystemNumber", "quantity")
        if self.quantity in MOMENTA:
            choice(self.component, XYZ, "SystemNumber", "component")
        elif self.component is not None:
            fail("SystemNumber", "component", f"= {shown(self.component)}: an energy has no components; leave it out")

    def unit(self, rate: int, joints: Mapping[str, Any]) -> str:
        return {"center_of_mass": "m", "momentum": "N s", "angular_momentum": "N m s"}.get(self.quantity, "J")


# what users write; energies and momenta have names
ALL_OBSERVED: tuple[type[Observed], ...] = tuple(kind for kind in Observed.family.own() if issubclass(kind, Observed))


def observed_variable(name: str) -> Observed | None:
    """What a dotted name in a formula observes; None: it is a sensor's or nothing.

    >>> observed_variable("O.reaction_local.x")
    JointReaction(joint='O', component='fx', axes='local')
    >>> observed_variable("spring.force")
    ForceOutput(force='spring', output='force', component=None)
    >>> observed_variable("rod.x"), observed_variable("O.v.angle")
    (None, None)
    """
    element, key, *rest = name.split(".")
    if (
        key.removesuffix("_dot").removesuffix("_ddot") in ("q", "v", "a", *XYZ)
        or name.endswith(("_dot", "_ddot"))
        or len(rest) > 1
    ):
        return None
    if element == "energy" and key in ENERGIES and not rest:
        return SystemNumber(key)
    if element == "system" and key in MOMENTA and rest:
        return SystemNumber(key, rest[0]) if rest[0] in XYZ else None
    if key in ("reaction", "reaction_local"):
        known = (*WRENCH, *ALIASES, *SIZES)
        return (
            JointReaction(element, rest[0], "local" if key == "reaction_local" else "world")
            if rest and rest[0] in known
            else None
        )
    if key == "drive":
        return JointDrive(element, rest[0] if rest else None)
    return ForceOutput(element, key, rest[0] if rest else None)
