"""What forces and constraints have in common: a name, bodies or joints that they act on, formulas, outputs."""

from __future__ import annotations

from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import element_name, fail, reference, sequence, settle
from sharnir.model.given_functions import stored_entry
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import NamingFields, kinds_of

COORDINATE = ("q", "v", "t")  # variables of a force in a joint
ELONGATION = ("x", "v", "t")  # variables of a spring's characteristic
XYZ = ("x", "y", "z")
WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")  # force and torque
WRENCH_UNITS = ("N", "N", "N", "N m", "N m", "N m")


class Element(Parametric):
    """A named force or constraint.

    body_fields, joint_fields : which of its fields name bodies or joints; from their annotations BodyName, JointName.
    formula_fields : which may hold formulas, and of which variables.
    """

    name: str
    body_fields: ClassVar[Any] = NamingFields("body")
    joint_fields: ClassVar[Any] = NamingFields("joint")
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {}

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"{type(self).__name__} {self.name!r}"

    def _settle_names(self) -> str:
        """Check the name and turn references into names; returns the label for messages."""
        element_name(self.name, type(self).__name__)
        for field, kind in kinds_of(type(self)).items():
            if kind.word == "name" and kind.of:
                settle(self, **{field: reference(getattr(self, field), self.label, field, kind.of)})
        return self.label

    @property
    def body_references(self) -> list[tuple[str, str]]:
        """(field, name) of every body that is named."""
        return [(field, name) for field in self.body_fields for name in _names(getattr(self, field))]

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        """(field, name) of every joint that is named."""
        return [(field, name) for field in self.joint_fields for name in _names(getattr(self, field))]


def _names(value: Any) -> tuple[str, ...]:
    """Names in a field: one, several, or none."""
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def check_ends(a: str, b: str, label: str) -> None:
    """An element between two bodies needs two."""
    if a == b:
        fail(label, "b", f"= {b!r} is also a; the element needs two different bodies")


def check_freedom(freedom: Any, label: str) -> None:
    """Check the number or name of a freedom in a joint."""
    number = isinstance(freedom, int) and not isinstance(freedom, bool) and 0 <= freedom < 6
    if not number and not (isinstance(freedom, str) and freedom):
        fail(label, "freedom", f"= {shown(freedom)} must be a number 0 … 5, or a name such as 'x': which freedom of the joint")


def three_entries(value: Any, label: str, field: str) -> tuple[Any, ...]:
    """Three functions of time."""
    entries = sequence(value, label, field, "three entries (x, y, z): numbers, formulas of t, Tables or functions f(t)")
    if len(entries) != 3:
        fail(label, field, f"= {shown(value)} has {len(entries)} entries; 3 are needed")
    return tuple(stored_entry(entry, ("t",), label, f"{field}[{k}]") for k, entry in enumerate(entries))
