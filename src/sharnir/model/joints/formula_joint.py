"""A joint that its user gives by formulas: where the child is, and how it is turned, as functions of coordinates and time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, ClassVar

import numpy as np

from sharnir.arguments import shown
from sharnir.errors import FormulaError
from sharnir.model.checks import AXES, fail, number, sequence, settle, unit_axis
from sharnir.model.formula import parse
from sharnir.model.formula.parser import reserved
from sharnir.model.formula.switches import switches
from sharnir.model.given_functions import Table
from sharnir.model.joints.freedom import Freedom
from sharnir.model.joints.joint import Joint
from sharnir.model.values import CurvesByName, ThreeFormulas, Turns, UnitsByName, default, element

UNITS = ("m", "rad", "1")
TURNS = 'three rows of three entries, or turns (axis, angle) one after the other, such as (("z", "q"), ("x", "0.3*q"))'
SMOOTH = "use smooth functions or a cubic Table in `tables`, or smooth(…) around what has no jump and no kink"


@element
class FormulaFreedom(Freedom):
    """A coordinate that formulas give a meaning: it has a unit, and no axis of its own.

    >>> FormulaFreedom("formula", None, 0.0, "m").unit
    'm'
    """

    measure: str = "rad"

    def __post_init__(self) -> None:
        pass

    @property
    def unit(self) -> str:
        return self.measure


@element
class FormulaJoint(Joint):
    """The child's joint frame has the position ρ(q, t) and the rotation G(q, t) in the parent's, by formulas.

    variables : the joint's coordinates and their units, such as {"s": "m", "roll": "rad"}; at most six.
    position : three numbers or formulas of these names, of t, of the model's parameters and of `tables`; axes of the drawing
        (or of parent_frame). In the drawing both joint frames coincide: it shows the place where ρ = 0 and G = 1.
    rotation : None; a 3×3 matrix of numbers or formulas, child's axes → parent's; one turn (axis, angle), or a sequence of
        turns, each about axes that those before it have turned. An axis is a letter, three numbers, or three formulas.
    tables : Tables that formulas call as functions, by name; cubic, and outside="extend", "repeat" or "error".

    Speeds are the rates of the coordinates. Velocities, accelerations and reactions follow from the formulas by
    differentiation, so they must be smooth: sign, abs, min, max, floor, step and comparisons are refused outside smooth(…).

    >>> track = FormulaJoint("track", "ground", "car", variables={"s": "m"}, position=("s", "0", "0.1*sin(s)"))
    >>> track.n_v, track.units, track.depends_on_time
    (1, ('m',), False)
    """

    variables: UnitsByName = field(kw_only=True, hash=False)
    position: ThreeFormulas = field(kw_only=True)
    rotation: Turns = field(kw_only=True, default=default(None))
    tables: CurvesByName = field(kw_only=True, default_factory=default(dict), hash=False)
    always_written: ClassVar[tuple[str, ...]] = ("rotation",)

    def _settle_axes(self) -> tuple[Freedom, ...]:
        self._settle_variables()
        self._settle_tables()
        entries = sequence(self.position, self.label, "position", "three numbers or formulas")
        if len(entries) != 3:
            fail(self.label, "position", f"= {shown(self.position)} has {len(entries)} entries; x, y and z are needed")
        settle(self, position=tuple(self._entry(x, "position") for x in entries))
        settle(self, rotation=None if self.rotation is None else self._stored_rotation())
        used = self._names("position") | self._names("rotation")
        for name in self.variables:
            if name not in used:
                fail(self.label, "variables", f"has {name!r}, which no formula contains, so that it would move nothing")
        names = (*self.variables, "t") if self.variables else ("t", "")  # ("t",) alone are those of motions
        settle(self, formula_fields={**type(self).formula_fields, "position": names, "rotation": names})
        return tuple(FormulaFreedom("formula", default(None), 0.0, unit) for unit in self.variables.values())

    def _settle_variables(self) -> None:
        if not isinstance(self.variables, Mapping):
            fail(self.label, "variables", f"= {shown(self.variables)} must be a dict of units by name, such as {{'s': 'm'}}")
        for name, unit in self.variables.items():
            if not isinstance(name, str) or reserved(name) or name == "t":
                fail(self.label, "variables", f"has the name {name!r}; use letters, digits and _, no name of a function, not t")
            if unit not in UNITS:
                fail(self.label, "variables", f"has {name!r} in {unit!r}; a coordinate is in {', '.join(UNITS)}")
        if len(self.variables) > 6:
            fail(self.label, "variables", f"has {len(self.variables)} names; at most 6 freedoms are possible")
        settle(self, variables=dict(self.variables))

    def _settle_tables(self) -> None:
        if not isinstance(self.tables, Mapping):
            fail(self.label, "tables", f"= {shown(self.tables)} must be a dict of Tables by name")
        for name, table in self.tables.items():
            if not isinstance(name, str) or reserved(name) or name in self.variables:
                fail(self.label, "tables", f"has the name {name!r}; use letters, digits and _, and no name that has a meaning")
            if not isinstance(table, Table):
                fail(self.label, "tables", f"has {name!r} = {shown(table)}, which must be a Table of one variable")
            if table.kind != "cubic" or table.outside == "constant":
                said = f"has {name!r} of kind {table.kind!r} with outside={table.outside!r}, whose slope jumps"
                fail(self.label, "tables", f'{said}; use kind="cubic" and outside="extend", "repeat" or "error"')
        settle(self, tables=dict(self.tables))

    def _stored_rotation(self) -> Any:
        """Three rows, or turns (axis, angle); axes by letters become numbers."""
        given = sequence(self.rotation, self.label, "rotation", TURNS)
        if len(given) == 2 and not _is_list(given[1]):
            given = (given,)
        parts = [sequence(part, self.label, "rotation", TURNS) for part in given]
        if len(parts) == 3 and all(len(part) == 3 for part in parts):
            return tuple(tuple(self._entry(x, "rotation") for x in row) for row in parts)
        if not all(len(part) == 2 for part in parts):
            fail(self.label, "rotation", f"= {shown(self.rotation)} must be {TURNS}")
        return tuple((self._axis(axis), self._entry(angle, "rotation")) for axis, angle in parts)

    def _axis(self, axis: Any) -> tuple[Any, ...]:
        if not _is_list(axis) or not any(isinstance(x, str) for x in axis):
            return unit_axis(axis, self.label, "rotation")
        if len(axis) != 3:
            fail(self.label, "rotation", f"has the axis {shown(axis)}; it needs three entries, or a letter {', '.join(AXES)}")
        return tuple(self._entry(x, "rotation") for x in axis)

    def _entry(self, value: Any, name: str) -> float | str:
        """A number, or a smooth formula."""
        if not isinstance(value, str):
            if isinstance(value, (int, float, np.number)):
                return number(value, self.label, name)
            fail(self.label, name, f"has the entry {shown(value)}, which must be a number or a formula as text")
        try:
            found = parse(value, (*self.variables, "t"), None, tables=self.table_sizes)
        except FormulaError as error:
            message = f"{self.label}: {name}: {error.reason}"
            raise FormulaError(message, text=error.text, position=error.position, field=name) from None
        sharp = switches(found)
        if sharp:
            fail(self.label, name, f"= {value!r} contains {sharp[0].function!r}, which is not smooth; {SMOOTH}")
        return value

    def _names(self, name: str) -> set[str]:
        """Names in the formulas of a field."""
        texts = _texts(getattr(self, name))
        return {x for text in texts for x in parse(text, (), None, tables=self.table_sizes).names}

    @property
    def is_matrix(self) -> bool:
        """True if the rotation is given by nine entries, which must be those of a rotation."""
        return self.rotation is not None and len(self.rotation[0]) == 3

    @property
    def built_in(self) -> Joint:
        """The hinge or slide that the formulas describe, which the engine computes faster; else the joint itself.

        >>> FormulaJoint("O", "ground", "arm", variables={"q": "rad"}, position=(0, 0, 0), rotation=("y", "q")).built_in.axis
        (0.0, 1.0, 0.0)
        """
        if self.n_v != 1:
            return self
        from sharnir.model.joints.prismatic import Prismatic
        from sharnir.model.joints.revolute import Revolute

        (unit,), shift = self.variables.values(), [_multiple(x, self.variables) for x in self.position]
        given = {x.name: getattr(self, x.name) for x in fields(Joint) if x.init}
        if self.rotation is None and unit == "m" and sorted(abs(2.0 if x is None else x) for x in shift) == [0.0, 0.0, 1.0]:
            return Prismatic(**given, axis=[x or 0.0 for x in shift])
        if shift != [0.0, 0.0, 0.0] or unit != "rad" or self.rotation is None or self.is_matrix or len(self.rotation) > 1:
            return self
        axis, angle = self.rotation[0]
        sign = _multiple(angle, self.variables)
        if sign is None or sign == 0.0 or any(isinstance(x, str) for x in axis):
            return self
        return Revolute(**given, axis=tuple(sign * x for x in axis))

    @property
    def depends_on_time(self) -> bool:
        """True if the joint moves by itself: a formula contains t."""
        return "t" in self._names("position") | self._names("rotation")

    @property
    def slides(self) -> bool:
        """True if the joint's point moves with a coordinate."""
        return bool(self._names("position") & set(self.variables))

    @property
    def table_sizes(self) -> dict[str, int]:
        """Tables that formulas call, and how many variables they have."""
        return dict.fromkeys(self.tables, 1)

    @property
    def freedom_names(self) -> tuple[str, ...]:
        """The names of the coordinates; ("",) if there is one."""
        return ("",) if self.n_v == 1 else tuple(self.variables)


def _is_list(value: Any) -> bool:
    return isinstance(value, (tuple, list, np.ndarray))


def _multiple(entry: float | str, variables: Mapping[str, str]) -> float | None:
    """0 of a zero, ±1 of plus or minus the only coordinate, None of anything else.

    >>> _multiple("-q", {"q": "m"}), _multiple(0.0, {"q": "m"}), _multiple("q^2", {"q": "m"})
    (-1.0, 0.0, None)
    """
    if not isinstance(entry, str):
        return 0.0 if entry == 0.0 else None
    text = "".join(entry.split())
    (name,) = variables
    return {name: 1.0, f"+{name}": 1.0, f"-{name}": -1.0, "0": 0.0, "0.0": 0.0}.get(text)


def _texts(entry: Any) -> list[str]:
    """The formulas in a stored entry."""
    if isinstance(entry, str):
        return [entry]
    return [text for part in entry for text in _texts(part)] if isinstance(entry, tuple) else []
