"""What forces and constraints have in common: a name, bodies or joints that they act on, formulas, outputs."""

from __future__ import annotations

from typing import Any, ClassVar

from sharnir.model.checks import element_name, fail, reference, sequence, settle
from sharnir.model.functions import stored_entry

COORDINATE = ("q", "v", "t")  # variables of a force in a joint
ELONGATION = ("x", "v", "t")  # variables of a spring's characteristic
XYZ = ("x", "y", "z")


class Element:
    """A named force.

    body_fields, joint_fields : which of its fields name bodies or joints.
    formula_fields : which may hold formulas, and of which variables.
    outputs : what it tells about itself, in the order of its numbers in the engine's memory: key, unit, names of components.
    """

    name: str
    body_fields: ClassVar[tuple[str, ...]] = ()
    joint_fields: ClassVar[tuple[str, ...]] = ()
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {}
    outputs: ClassVar[tuple[tuple[str, str, tuple[str, ...]], ...]] = ()

    @property
    def label(self) -> str:
        """How messages call it."""
        return f"{type(self).__name__} {self.name!r}"

    def _settle_names(self) -> str:
        """Check the name and turn references into names; returns the label for messages."""
        element_name(self.name, type(self).__name__)
        for field in self.body_fields:
            settle(self, **{field: reference(getattr(self, field), self.label, field)})
        for field in self.joint_fields:
            settle(self, **{field: reference(getattr(self, field), self.label, field, "joint")})
        return self.label


def check_ends(a: str, b: str, label: str) -> None:
    """An element between two bodies needs two."""
    if a == b:
        fail(label, "b", f"= {b!r} is also a; the element needs two different bodies")


def check_freedom(freedom: Any, label: str) -> None:
    """Check the number or name of a freedom in a joint."""
    number = isinstance(freedom, int) and not isinstance(freedom, bool) and 0 <= freedom < 6
    if not number and not (isinstance(freedom, str) and freedom):
        fail(label, "freedom", f"= {freedom!r} must be a number 0 … 5, or a name such as 'x': which freedom of the joint")


def three_entries(value: Any, label: str, field: str) -> tuple[Any, ...]:
    """Three functions of time."""
    entries = sequence(value, label, field, "three entries (x, y, z): numbers, formulas of t, Tables or functions f(t)")
    if len(entries) != 3:
        fail(label, field, f"= {value!r} has {len(entries)} entries, needs 3")
    return tuple(stored_entry(entry, ("t",), label, f"{field}[{k}]") for k, entry in enumerate(entries))
