"""A constraint given as a formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from sharnir.arguments import shown
from sharnir.errors import FormulaError
from sharnir.model.checks import AXES, fail, settle
from sharnir.model.constraints.constraint_element import ScalarConstraint
from sharnir.model.constraints.constraint_equation import ScalarEquation, formula_equation
from sharnir.model.constraints.curves import check_equation
from sharnir.model.constraints.variables import RATE, JointCoordinate, PointCoordinate, Variable
from sharnir.model.formula import parse
from sharnir.model.formula.parser import reserved
from sharnir.model.values import VariablesByName, default, element

if TYPE_CHECKING:
    from sharnir.model.contents import Contents


class Occurrence(NamedTuple):
    """A name in a formula: as it is written, the name of the variable it belongs to, and whether it is its rate."""

    text: str
    name: str
    variable: Variable
    rate: bool


@element
class Constraint(ScalarConstraint):
    """Any constraint g = 0 by a formula g of the mechanism's coordinates, of time and of the model's parameters.

    formula : text. In it the names in `variables`, their rates `x_dot`, `t`, parameters of the model, and in short
        `O.q`, `O.v` (coordinate of joint O and its rate; `O.q.angle` if it has several freedoms) and
        `rod.x`, `rod.y`, `rod.z` (world position of body rod; `rod.x_dot` its velocity).
    variables : JointCoordinate, PointCoordinate, PointDistance, DirectionCosine or PointVelocity by name.

    A formula with a rate or a PointVelocity restricts the speeds only (nonholonomic). Derivatives are computed symbolically.

    >>> c = Constraint("rail", "h - 0.1*sin(x)", {"x": PointCoordinate("car"), "h": PointCoordinate("car", axis="z")})
    >>> c.bodies, c.nonholonomic
    (('car', 'ground'), False)
    >>> Constraint("ratio", "O.v - 2*A.v").nonholonomic
    True
    """

    name: str
    formula: str
    variables: VariablesByName = field(default_factory=default(dict), hash=False)

    def __post_init__(self) -> None:
        label = self._settle_names()
        if not isinstance(self.formula, str):
            fail(label, "formula", f"= {shown(self.formula)} must be text, such as 'x**2 + y**2 - 1'")
        check_equation(self.formula, label, "formula")
        if not isinstance(self.variables, Mapping):
            fail(label, "variables", f"= {shown(self.variables)} must be a dict of variables by name")
        settle(self, variables=dict(self.variables))
        for name, variable in self.variables.items():
            _check_variable(name, variable, label)
        names = self.formula_names
        for name in self.variables:
            if name not in names and name + RATE not in names:
                fail(label, "variables", f"has {name!r}, which the formula does not contain; use it or leave it out")
        if not self.occurrences:
            remedy = "name coordinates in `variables`, or write O.q for a joint, rod.x for a body"
            fail(label, "formula", f"= {shown(self.formula)} contains no coordinate of the mechanism; {remedy}")
        rates = any(occurrence.rate for occurrence in self.occurrences)
        settle(self, n_holonomic=0 if rates else 1, n_nonholonomic=1 if rates else 0)

    @property
    def formula_names(self) -> tuple[str, ...]:
        """The names in the formula, those of `variables` first in their order, then by place."""
        try:
            found = parse(self.formula, (), None, dotted=True).names
        except FormulaError as error:
            message = f"{self.label}: formula: {error.reason}"
            raise FormulaError(message, text=error.text, position=error.position, field="formula") from None
        given = [name + end for name in self.variables for end in ("", RATE)]
        return tuple(sorted(found, key=lambda n: (given.index(n) if n in given else len(given), self.formula.index(n), n)))

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Every name in the formula that means a variable or its rate."""
        result = []
        for text in self.formula_names:
            base = text.removesuffix(RATE)
            if text in self.variables:
                result.append(Occurrence(text, text, self.variables[text], self.variables[text].is_rate))
            elif base in self.variables:
                if self.variables[base].is_rate:
                    fail(
                        self.label,
                        "formula",
                        f"contains {text!r}, an acceleration; formulas may contain positions and velocities",
                    )
                result.append(Occurrence(text, base, self.variables[base], True))
            elif "." in text:
                result.append(shorthand(text, self.formula, self.label))
        return tuple(result)

    @property
    def body_references(self) -> list[tuple[str, str]]:
        """(field, name) of every body that is named in the variables or in the formula."""
        return [(self._field(o.name), body) for o in self.occurrences for body in o.variable.bodies]

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        """(field, name) of every joint that is named in the variables or in the formula."""
        return [(self._field(o.name), joint) for o in self.occurrences for joint in o.variable.joints]

    def _field(self, name: str) -> str:
        return "variables" if name in self.variables else "formula"

    def equation(self, model: Contents) -> ScalarEquation:
        return formula_equation(self, model)

    @property
    def described(self) -> str:
        return f"formula = '{self.formula}'"

    @property
    def driven(self) -> tuple[bool, ...]:
        return ("t" in self.formula_names,)

    @property
    def conservative(self) -> bool:
        return False  # a formula may have any slope

    @property
    def named_formulas(self) -> tuple[tuple[str, str], ...]:
        return (("formula", self.formula),)

    def force_unit(self, joints: Mapping[str, Any]) -> str:
        return "J"  # per unit of the formula


def _check_variable(name: Any, variable: Any, label: str) -> None:
    """The name must be usable in formulas, the variable one of the known kinds."""
    if not isinstance(name, str) or reserved(name) or name == "t" or name.endswith(RATE):
        remedy = "use letters, digits and _, no name of a function, not t, and no _dot at the end (x_dot is the rate of x)"
        fail(label, "variables", f"has the name {name!r}, which cannot be used in formulas; {remedy}")
    if not (isinstance(variable, Variable) and variable.elementary):
        kinds = ", ".join(kind.__name__ for kind in Variable.family if kind.elementary)  # type: ignore[attr-defined]
        fail(label, "variables", f"has {name!r} = {variable!r}, which must be one of {kinds}")


def shorthand(name: str, text: str, label: str) -> Occurrence:
    """What a dotted name in the formula `text` means.

    >>> shorthand("table.v.angle", "table.v.angle - 1", "Constraint 'c'")[1:]
    ('table.q.angle', JointCoordinate(joint='table', freedom='angle'), True)
    >>> shorthand("rod.x_dot", "rod.x_dot", "Constraint 'c'").name
    'rod.x'
    """
    element, *rest = name.removesuffix(RATE).split(".")
    rate = name.endswith(RATE)
    if rest[0] in ("q", "v") and len(rest) <= 2 and not (rate and rest[0] == "v"):
        freedom = rest[1] if len(rest) == 2 else None
        return Occurrence(name, ".".join([element, "q", *rest[1:]]), JointCoordinate(element, freedom), rate or rest[0] == "v")
    if len(rest) == 1 and rest[0] in AXES:
        return Occurrence(name, f"{element}.{rest[0]}", PointCoordinate(element, axis=AXES[rest[0]]), rate)
    known = "O.q, O.v, O.q.angle for a joint O, or rod.x, rod.y, rod.z for a body rod"
    message = f"{label}: formula: {name!r} is not known; write {known}"
    raise FormulaError(message, text=text, position=text.find(name), field="formula")
