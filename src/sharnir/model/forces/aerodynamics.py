"""Forces and moments of the air on a body with a front and a top."""

from __future__ import annotations

from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, number, point, sequence, settle, vector
from sharnir.model.element import XYZ
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.frames import stored_rotation
from sharnir.model.given_functions import stored_entry
from sharnir.model.values import (
    BodyName,
    FunctionValue,
    Number,
    OptionalFunctionValue,
    OptionalVector,
    Orientation,
    ThreeFunctions,
    Vector,
    default,
    element,
)

FLOW, AIR = ("alpha", "beta", "x"), ("t", "h")


@element
class Aerodynamics(ForceElement):
    """Drag, side force, lift and moments of the air on wings, rockets, cars, by coefficients × ½ ρ v² area.

    area : reference area [m²].   length : reference length of moments [m].
    at : point where they act, in the drawing; default: the centre of mass. Its velocity relative to the air is v.
    rotation : the axes in the drawing, x forward, y to the left, z up; default: those of the body.
    drag, side, lift : coefficients against v, to the left and upwards across v; numbers, formulas of (alpha, beta, x), Tables of
        alpha, or functions. Angle of attack alpha > 0: nose up; sideslip beta > 0: it moves to the left; x: Mach number if
        `sound` is given, else the speed.
    moment : three coefficients about x, y, z (right-hand rule), as above; × length.
    damping : three numbers, torque -¼ ρ v area length² damping ω about x, y, z; ω relative to the ground.
    density : ρ of the height h = z; sound : speed of sound of h; wind : three entries of (t, h) [m/s].

    Channels `<name>.force`, `.torque` (world axes, at the point), `.alpha`, `.beta`, `.speed`, `.pressure` (½ ρ v²).

    >>> Aerodynamics("wing", "glider", area=12, lift="0.4 + 5.5*alpha", drag="0.02 + 0.045*(0.4 + 5.5*alpha)^2").length
    1.0
    """

    name: str
    body: BodyName
    area: Number
    length: Number = default(1.0)
    at: OptionalVector = default(None)
    rotation: Orientation = default(None)
    drag: FunctionValue = default(0.0)
    side: FunctionValue = default(0.0)
    lift: FunctionValue = default(0.0)
    moment: ThreeFunctions = default((0.0, 0.0, 0.0))
    damping: Vector = default((0.0, 0.0, 0.0))
    density: FunctionValue = default(1.225)
    sound: OptionalFunctionValue = default(None)
    wind: ThreeFunctions = default((0.0, 0.0, 0.0))
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {
        **dict.fromkeys(("drag", "side", "lift", "moment"), FLOW),
        **dict.fromkeys(("density", "sound"), ("h",)),
        "wind": AIR,
    }
    outputs: ClassVar[Any] = (
        ("force", "N", XYZ),
        ("torque", "N m", XYZ),
        ("alpha", "rad", ()),
        ("beta", "rad", ()),
        ("speed", "m/s", ()),
        ("pressure", "Pa", ()),
    )

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, area=number(self.area, label, "area", above=0), length=number(self.length, label, "length", above=0))
        settle(self, at=point(self.at, label, "at"), rotation=stored_rotation(self.rotation, label))
        settle(self, damping=vector(self.damping, 3, label, "damping"))
        for field in ("drag", "side", "lift"):
            settle(self, **{field: stored_entry(getattr(self, field), FLOW, label, field)})
        settle(self, moment=_three(self.moment, FLOW, label, "moment"), wind=_three(self.wind, AIR, label, "wind"))
        settle(self, density=stored_entry(self.density, ("h",), label, "density"))
        if self.sound is not None:
            settle(self, sound=stored_entry(self.sound, ("h",), label, "sound"))


def _three(value: Any, variables: tuple[str, ...], label: str, field: str) -> tuple[Any, ...]:
    """Three entries of given variables."""
    entries = sequence(value, label, field, f"three entries (x, y, z): numbers, or formulas of {', '.join(variables)}")
    if len(entries) != 3:
        fail(label, field, f"= {shown(value)} has {len(entries)} entries; 3 are needed")
    return tuple(stored_entry(entry, variables, label, f"{field}[{k}]") for k, entry in enumerate(entries))
