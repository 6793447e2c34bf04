"""A wheel on a plane, with slip."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, number, settle
from sharnir.model.contact import check_law
from sharnir.model.element import XYZ
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.forces.tyres import OF_LOAD, OF_X, OF_Y, Tyre
from sharnir.model.given_functions import stored_entry
from sharnir.model.plane_checks import settle_wheel
from sharnir.model.values import Axis, BodyName, FunctionValue, Law, Number, OptionalVector, TyreValue, Vector, default, element


@element
class Wheel(ForceElement):
    """A wheel on a plane fixed in `surface`: it is carried by `law`, and driven, braked and steered by the slip of its `tyre`.

    center : centre of the wheel in the drawing (world axes); default: the wheel's position.   axis : its axis in the drawing.
    radius : from the centre to the plane when the wheel is upright and not loaded [m].   tube : radius of its rounded edge.
    normal, through : the plane in the drawing; the normal points towards the wheel.
    law : load by the depth: LinearLaw, HuntCrossley, … as in Contact; it never pulls.
    tyre : LinearTyre, BrushTyre, MagicFormula or FormulaTyre.
    resistance : of rolling, part of the load: number, formula of (v, load), Table of the speed v, or function.
    trail : how far behind the contact the side force acts [m], number, formula of (alpha, kappa, load), Table of alpha, function.
    grip : factor of friction, number, formula of (x, y, t) with the contact point, Table of x, or function.
    camber : slope of the camber thrust over the lean of the wheel [N/rad]: number, formula, Table or function of load. It pushes
        to the side to which the wheel leans and shares the friction with the side force by slip.
    lateral_compliance : sideways displacement of the contact patch per side force [m/N]; load × shift is the overturning moment.
    low_speed : below it slip is smoothed, so that it is defined at rest [m/s].

    The result has `<name>.load`, `.slip` (κ), `.slip_angle` (α), `.longitudinal`, `.lateral` (forces on the wheel along its
    heading and to the left of it), `.depth`, `.energy` (elastic, part of the potential energy), `.loss` (dissipated power),
    `.force` (total, on the wheel, world axes), `.point` (of contact), `.camber` (lean to the left), `.overturning` (moment on
    the wheel about its heading).

    >>> from sharnir.model import LinearLaw, LinearTyre
    >>> Wheel("tyre", "wheel", radius=0.3, law=LinearLaw(2e5, 500), tyre=LinearTyre(60e3, 50e3)).surface
    'ground'
    """

    name: str
    wheel: BodyName
    center: OptionalVector = default(None)
    axis: Axis = default("y")
    radius: Number = field(kw_only=True)
    surface: BodyName = default("ground")
    normal: Axis = default("z")
    through: Vector = default((0.0, 0.0, 0.0))
    tube: Number = default(0.0)
    law: Law = field(kw_only=True)
    tyre: TyreValue = field(kw_only=True)
    resistance: FunctionValue = default(0.0)
    trail: FunctionValue = default(0.0)
    grip: FunctionValue = default(1.0)
    low_speed: Number = default(0.1)
    camber: FunctionValue = default(0.0)
    lateral_compliance: Number = default(0.0)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {
        "resistance": ("v", "load"),
        "trail": OF_Y,
        "grip": ("x", "y", "t"),
        "camber": OF_LOAD,
        "slopes": OF_LOAD,
        "curves": OF_X,
    }
    outputs: ClassVar[Any] = (
        ("load", "N", ()),
        ("slip", "1", ()),
        ("slip_angle", "rad", ()),
        ("longitudinal", "N", ()),
        ("lateral", "N", ()),
        ("depth", "m", ()),
        ("energy", "J", ()),
        ("loss", "W", ()),
        ("force", "N", XYZ),
        ("point", "m", XYZ),
        ("camber", "rad", ()),
        ("overturning", "N m", ()),
    )

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle_wheel(self, label)
        check_law(self.law, label)
        if not isinstance(self.tyre, Tyre):
            fail(label, "tyre", f"= {shown(self.tyre)} must be one of {Tyre.family.names}")
        for name in ("resistance", "trail", "grip", "camber"):
            settle(self, **{name: stored_entry(getattr(self, name), self.formula_fields[name], label, name)})
        settle(self, low_speed=number(self.low_speed, label, "low_speed", above=0))
        settle(self, lateral_compliance=number(self.lateral_compliance, label, "lateral_compliance", low=0))

    @property
    def sliding_speeds(self) -> tuple[float, ...]:
        return (self.low_speed,)

    @property
    def slopes(self) -> tuple[Any, ...]:
        """Formulas of the tyre in `load` alone."""
        return self.tyre.entries if OF_LOAD in self.tyre.formula_fields.values() else ()

    @property
    def curves(self) -> tuple[Any, ...]:
        """Formulas of the tyre in slip and load."""
        return self.tyre.entries if OF_X in self.tyre.formula_fields.values() else ()
