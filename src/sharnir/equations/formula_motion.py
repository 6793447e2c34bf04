"""Motion in a joint that is given by formulas: velocities, accelerations and motion axes by differentiation of ρ and G.

With ρ(q, t) and G(q, t), child's axes → parent's, in body axes: v = Gᵀ ρ̇, ω = (Gᵀ Ġ)^∨, and the same along one coordinate is its
motion axis. Time is a freedom like the others whose rate is 1: its motion axis is the velocity of the joint's own motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sharnir.equations.joint_motion import Coordinate, RelativeMotion, by_speed
from sharnir.model import FormulaJoint
from sharnir.model.formula import parse
from sharnir.symbolic.differentiation import rates
from sharnir.symbolic.expression_graph import substituted
from sharnir.symbolic.functions import call
from sharnir.symbolic.matrices import (
    IDENTITY,
    NOTHING,
    Matrix,
    Vector,
    add,
    axis_rotation,
    cross,
    dot,
    multiply,
    nodes,
    opposite,
    rodrigues,
    rotate,
    rotate_back,
    scale,
    transposed,
)
from sharnir.symbolic.nodes import ONE, Call, Name, Node, Number, product, quotient, total

TIME = Name("t")


class Spin(NamedTuple):
    """A turn D (axes after → axes before), its angular velocity, its rate, and its part along every freedom; axes after."""

    D: Matrix
    velocity: Vector
    rate: Vector
    axes: list[Vector]


class Derivation:
    """Derivatives of a joint's formulas; `tables` are the names under which its Tables and their two derivatives are called."""

    def __init__(self, joint: FormulaJoint, tables: Mapping[str, Sequence[str]]) -> None:
        self.joint, self.tables = joint, tables
        self.slopes = {names[k]: (names[k + 1],) for names in tables.values() for k in range(2)}
        self.freedoms = [*map(Name, joint.variables), *([TIME] if joint.depends_on_time else [])]
        self.along: dict[Node, Node] = {TIME: ONE}
        for name in joint.variables:
            self.along[Name(name)] = Name(f"{name}'")
        self.twice = dict(self.along)
        for name in joint.variables:
            self.twice[Name(f"{name}'")] = Name(f"{name}''")

    def node(self, entry: float | str) -> Node:
        """A number or formula as an expression; parameters stay names."""
        if not isinstance(entry, str):
            return Number(entry)
        return _renamed(parse(entry, (), None, tables=self.joint.table_sizes).node, self.tables)

    def rates(self, x: Iterable[Node]) -> Vector:
        """First derivatives by time, of expressions of coordinates."""
        return tuple(rates(x, self.along, self.slopes))

    def second_rates(self, x: Iterable[Node]) -> Vector:
        """Derivatives by time, of expressions of coordinates and speeds."""
        return tuple(rates(x, self.twice, self.slopes))

    def partials(self, x: Iterable[Node]) -> list[Vector]:
        """Derivatives by every coordinate, and by time."""
        x = list(x)
        return [tuple(rates(x, {by: ONE}, self.slopes)) for by in self.freedoms]

    def turns(self) -> list[Spin]:
        """The rotation as turns one after the other."""
        rotation = self.joint.rotation or ()
        if self.joint.is_matrix:
            return [self.matrix_spin(tuple(self.node(x) for row in rotation for x in row))]
        return [self.axis_spin(axis, self.node(angle)) for axis, angle in rotation]

    def axis_spin(self, axis: Sequence[Any], angle: Node) -> Spin:
        """A turn about an axis, fixed or moving; a moving one need not have the length 1."""
        if any(isinstance(x, str) for x in axis):
            a = tuple(self.node(x) for x in axis)
            a = scale(a, quotient(ONE, call("sqrt", total(*(product(x, x) for x in a)))))
            return self.matrix_spin(rodrigues(a, call("sin", angle), call("cos", angle)))
        a, (rate,) = nodes(axis), self.rates([angle])
        known = self.second_rates([rate])[0]
        return Spin(axis_rotation(axis, angle), scale(a, rate), scale(a, known), [scale(a, x) for (x,) in self.partials([angle])])

    def matrix_spin(self, D: Matrix) -> Spin:
        """Any rotation: ω = (Dᵀ Ḋ)^∨."""
        velocity = skew_part(D, self.rates(D))
        return Spin(D, velocity, self.second_rates(velocity), [skew_part(D, x) for x in self.partials(D)])

    def motion(self, turned: bool) -> tuple[RelativeMotion, list[tuple[Vector, Vector]]]:
        """The child as the parent sees it, or, `turned`, the parent as the child does; motion axes of all freedoms."""
        r: Vector = tuple(self.node(x) for x in self.joint.position)
        spins = self.turns()
        if turned:
            E = IDENTITY
            for spin in spins:
                E = multiply(E, spin.D)
            r, spins = opposite(rotate_back(E, r)), [self.matrix_spin(transposed(E))]
        v = self.rates(r)
        al, om, aa, E = self.second_rates(v), NOTHING, NOTHING, IDENTITY
        axes = [(x, NOTHING) for x in self.partials(r)]
        for D, velocity, rate, along in spins:
            v, om, al, aa = (rotate_back(D, x) for x in (v, om, al, aa))
            aa = add(aa, add(cross(om, velocity), rate))
            om, E = add(om, velocity), multiply(E, D)
            axes = [(rotate_back(D, s), add(rotate_back(D, w), x)) for (s, w), x in zip(axes, along, strict=True)]
        return RelativeMotion(E, r, v, om, al, aa, []), axes


def skew_part(D: Matrix, rate: Matrix) -> Vector:
    """The vector of Dᵀ Ḋ, which is skew where D is a rotation: products of different columns."""
    columns, moving = ([tuple(M[k::3]) for k in range(3)] for M in (D, rate))
    return dot(columns[2], moving[1]), dot(columns[0], moving[2]), dot(columns[1], moving[0])


def formula_motion(
    joint: FormulaJoint,
    coordinates: Sequence[Coordinate],
    tables: Mapping[str, Sequence[str]],
    known: Mapping[str, Node],
    turned: bool = False,
) -> RelativeMotion:
    """Motion in a joint whose coordinates, parameters and time are given expressions.

    >>> from sharnir.symbolic.nodes import ZERO
    >>> x = Coordinate(Name("a"), Name("a'"), ZERO, {0: ONE})
    >>> ring = FormulaJoint("ring", "ground", "car", variables={"q": "rad"}, position=("cos(q)", "sin(q)", 0))
    >>> [str(e) for e in formula_motion(ring, [x], {}, {}).v]
    ["-sin(a)*a'", "cos(a)*a'", '0']
    """
    m, axes = Derivation(joint, tables).motion(turned)
    given: dict[Node, Node] = {Name(name): x for name, x in known.items()}
    for name, c in zip(joint.variables, coordinates, strict=True):
        given |= {Name(name): c.value, Name(f"{name}'"): c.rate, Name(f"{name}''"): c.known}
    parts = [m.E, m.r, m.v, m.om, m.al, m.aa, *(x for pair in axes for x in pair)]
    flat = iter(substituted([x for part in parts for x in part], given))
    E, r, v, om, al, aa, *rest = [tuple(next(flat) for _ in part) for part in parts]
    own = [(c.speeds, rest[2 * k], rest[2 * k + 1]) for k, c in enumerate(coordinates)]
    return RelativeMotion(E, r, v, om, al, aa, by_speed(own))


def in_axes(m: RelativeMotion, D: Matrix) -> RelativeMotion:
    """The same motion in other body axes; D: axes of the formulas → body axes, both at zero."""
    if D == IDENTITY:
        return m
    E = multiply(multiply(D, m.E), transposed(D))
    r, v, om, al, aa = (rotate(D, x) for x in (m.r, m.v, m.om, m.al, m.aa))
    return RelativeMotion(E, r, v, om, al, aa, [(k, rotate(D, s), rotate(D, w)) for k, s, w in m.axes])


def _renamed(node: Node, tables: Mapping[str, Sequence[str]]) -> Node:
    """An expression whose Tables are called by other names."""
    from sharnir.symbolic.expression_graph import rebuilt, walk

    def copy(x: Node, parts: list[Node]) -> Node:
        if not isinstance(x, Call):
            return x
        return Call(tables[x.function][0], tuple(parts)) if x.function in tables else rebuilt(x.function, tuple(parts))

    return walk(node, copy) if tables else node
