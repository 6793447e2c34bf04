"""Forces of the surroundings: drag of air or water, the gravity of a central body."""

from __future__ import annotations

from typing import Any, ClassVar

from sharnir.model.checks import fail, number, point, settle, unit_axis, vector
from sharnir.model.element import three_entries
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.given_functions import stored_entry
from sharnir.model.values import (
    Axis,
    BodyName,
    FunctionValue,
    Number,
    OptionalFunctionValue,
    OptionalNumber,
    OptionalVector,
    ThreeFunctions,
    Vector,
    default,
    element,
)


@element
class Drag(ForceElement):
    """Drag (k + ½ ρ C A v) v against the velocity v of a point relative to the surrounding air or liquid.

    area : A [m²].   coefficient : C, number, formula, Table or function of x and h: x is the Mach number if `sound` is given,
        else the speed [m/s].
    linear : k of slow motion [N s/m], such as 6 π η r of a ball (Stokes): number, formula, Table or function of h.
    density : ρ [kg/m³] of the height h = z, number, formula, Table or function.   sound : speed of sound of h [m/s].
    wind : velocity of the air, three entries of t [m/s].   at : point in the drawing; default: the centre of mass.

    Channels `<name>.force` (world axes), `.speed` (relative to the air).

    >>> Drag("air", "ball", area=0.03, coefficient=0.47, density="1.225*exp(-h/8500)").wind
    (0.0, 0.0, 0.0)
    """

    name: str
    body: BodyName
    area: Number = default(0.0)
    coefficient: FunctionValue = default(0.0)
    density: FunctionValue = default(1.225)
    sound: OptionalFunctionValue = default(None)
    wind: ThreeFunctions = default((0.0, 0.0, 0.0))
    at: OptionalVector = default(None)
    linear: FunctionValue = default(0.0)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {
        "coefficient": ("x", "h"),
        "density": ("h",),
        "sound": ("h",),
        "wind": ("t",),
        "linear": ("h",),
    }
    outputs: ClassVar[Any] = (("force", "N", ("x", "y", "z")), ("speed", "m/s", ()))

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, area=number(self.area, label, "area", low=0), at=point(self.at, label, "at"))
        settle(self, coefficient=stored_entry(self.coefficient, ("x", "h"), label, "coefficient"))
        settle(self, density=stored_entry(self.density, ("h",), label, "density"), wind=three_entries(self.wind, label, "wind"))
        if self.sound is not None:
            settle(self, sound=stored_entry(self.sound, ("h",), label, "sound"))
        settle(self, linear=stored_entry(self.linear, ("h",), label, "linear"))


@element
class CentralGravity(ForceElement):
    """The gravity of a central body on all others: μ/r², with its flattening and the gravity gradient on extended bodies.

    mu : G M [m³/s²].   center : where the central body is, in axes of `body`; default: its origin.
    body : what the centre is fixed to; if it is not the ground, it receives the opposite forces.
    J2, radius, axis : flattening of the central body, its equatorial radius [m] and its axis, in axes of `body`.

    Every body is attracted according to its mass and inertia, to second order in its size over r: force and gravity-gradient
    torque have one potential (MacCullagh). For flexible bodies, centre and inertia are those of the deformed body, and the same
    potential acts on the elastic coordinates. The model's uniform gravity is added: switch it off by Model(gravity=(0, 0, 0)).
    Channel `<name>.energy`.

    >>> CentralGravity("earth", mu=3.986004418e14).body
    'ground'
    """

    name: str
    mu: Number
    body: BodyName = default("ground")
    center: Vector = default((0.0, 0.0, 0.0))
    J2: Number = default(0.0)
    radius: OptionalNumber = default(None)
    axis: Axis = default("z")
    outputs: ClassVar[Any] = (("energy", "J", ()),)

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, mu=number(self.mu, label, "mu", above=0), center=vector(self.center, 3, label, "center"))
        settle(self, J2=number(self.J2, label, "J2"), axis=unit_axis(self.axis, label))
        if self.radius is not None:
            settle(self, radius=number(self.radius, label, "radius", above=0))
        if self.J2 and self.radius is None:
            fail(label, "radius", "is missing: J2 needs the equatorial radius of the central body")
