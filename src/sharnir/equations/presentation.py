"""Equations as people write them: closed, with common factors collected, or, where that is long, with named parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import fill, indent
from typing import TYPE_CHECKING

from sharnir.symbolic.collecting import collected
from sharnir.symbolic.expression_graph import names_of, ordered, rebuilt, uses
from sharnir.symbolic.fourier import Form, Fourier, TooLarge, added, summed
from sharnir.symbolic.nodes import ZERO, Call, Name, Node, negative, product, total
from sharnir.symbolic.printing import Latex, Mathml, Style, Text, digits, plain_name, written

if TYPE_CHECKING:
    from sharnir.equations.equations_of_motion import Equations

MOST_TERMS = 400  # of one canonical form; beyond that named intermediate results are easier to read
LONGEST_ROW = 4000.0  # nodes of one equation
LONG_LINE = 30.0  # nodes beyond which a part of a long expression gets a name of its own


@dataclass(frozen=True)
class Row:
    """One equation, left = right.

    >>> from sharnir.symbolic import symbols
    >>> x, y = symbols("x y")
    >>> print(Row(x, 2 * y))
    x = 2*y
    """

    left: Node
    right: Node

    def written(self, style: Style) -> str:
        """In a style."""
        return f"{written(self.left, style)[0]}{style.sign('=')}{written(self.right, style)[0]}"

    def __str__(self) -> str:
        return self.written(Text())


@dataclass
class Presentation:
    """What is printed: equations of motion, kinematic equations q̇ = …, constraints, definitions, given motions, letters.

    >>> shown = Presentation("of a pendulum", ["q"])
    >>> shown.parts
    []
    """

    title: str
    unknowns: list[str]
    rows: list[Row] = field(default_factory=list)
    kinematics: list[Row] = field(default_factory=list)
    constraints: list[Row] = field(default_factory=list)
    velocities: list[Row] = field(default_factory=list)
    definitions: list[Row] = field(default_factory=list)
    given: list[Row] = field(default_factory=list)
    letters: dict[str, float] = field(default_factory=dict)
    opaque: dict[str, str] = field(default_factory=dict)
    closed: bool = True

    @property
    def parts(self) -> list[tuple[str, list[Row]]]:
        """Headings and rows in the order of printing."""
        found = [
            ("equations of motion", self.rows),
            ("kinematic equations", self.kinematics),
            ("constraints", self.constraints),
            ("constraints on speeds", self.velocities),
            ("where", self.definitions),
            ("given motions", self.given),
        ]
        return [(title, rows) for title, rows in found if rows]

    def text(self) -> str:
        """As plain text; every line can be read back as a formula, with ' for derivatives by time."""
        lines = [f"{self.title}; unknowns: {', '.join(self.unknowns)}"]
        for title, rows in self.parts:
            lines += ["", f"{title}:", *(f"  {row}" for row in rows)]
        if self.opaque:
            lines += ["", "forces without a closed form:", *(f"  {name}: {label}" for name, label in self.opaque.items())]
        if self.letters:
            values = ", ".join(f"{name}={digits(float(value))}" for name, value in self.letters.items())
            wrapped = fill(values, 100, break_long_words=False, break_on_hyphens=False)
            lines += ["", "with", indent(wrapped.replace("=", " = "), "  ")]
        return "\n".join(lines)

    def latex(self) -> str:
        """As an aligned block of LaTeX."""
        style = Latex()
        rows = [row for _, part in self.parts for row in part]
        lines = [f"{written(row.left, style)[0]} &= {written(row.right, style)[0]}" for row in rows]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def mathml(self) -> list[tuple[str, list[str]]]:
        """Headings with rows in MathML; terms are formulas of their own, so that long rows break between them."""
        found = []
        for title, rows in self.parts:
            lines = ["".join(f"<math>{x}</math> " for x in broken(row)).strip() for row in rows]
            found.append((title, [f'<div class="formula">{line}</div>' for line in lines]))
        return found


def broken(row: Row) -> list[str]:
    """The terms of an equation in MathML, each with the sign before it."""
    style, found = Mathml(), []
    for equal, side in ((False, row.left), (True, row.right)):
        terms = side.arguments if isinstance(side, Call) and side.function == "+" else (side,)
        for k, term in enumerate(terms):
            inside = written(term, style)[0]
            minus = style.sign("-").strip()
            before = style.sign("=") if equal and k == 0 else ""
            if k and inside.startswith(minus):
                before, inside = style.sign("-"), inside.removeprefix(minus)
            elif k:
                before = style.sign("+")
            found.append(f'<mrow displaystyle="true">{"<mrow/>" if before else ""}{before}{inside}</mrow>')
    return found


def presented(equations: Equations) -> Presentation:
    """Closed if that is readable, else with named intermediate results."""
    try:
        shown = closed_form(equations)
        if max((row.left.size + row.right.size for row in [*shown.rows, *shown.constraints]), default=0.0) <= LONGEST_ROW:
            return shown
    except TooLarge:
        pass
    return with_definitions(equations)


def empty(equations: Equations, closed: bool) -> Presentation:
    """Title, unknowns and what needs no simplification."""
    m = equations.mechanism
    unknowns = [*equations.coordinates, *(v for v in equations.speeds if not v.endswith("'"))]
    multipliers = [f"lambda_{k + 1}" for k in range(len(equations.constraints))]
    shown = Presentation(f"Equations of motion of '{equations.name}'", unknowns + multipliers, closed=closed)
    shown.letters, shown.opaque = equations.letters, dict(m.opaque)
    shown.given = [Row(Name(name), course[0]) for name, course in m.given.items()]
    return shown


class Closed:
    """Canonical forms of all parts of the equations in one set of atoms."""

    def __init__(self, equations: Equations) -> None:
        m = equations.mechanism
        self.equations = equations
        letters = list(equations.letters)
        speeds = list(equations.speeds)
        given = [name + dots for name in m.given for dots in ("'", "''")]
        defined = list(m.definitions.values())
        order = [*defined, *letters, *equations.inputs, *equations.coordinates, *m.given, "t", *given, *speeds]
        self.fourier = Fourier(order, m.definitions, MOST_TERMS)
        self.moving = {self.fourier.atom(Name(name)) for name in [*given, *speeds]}

    def form(self, node: Node) -> Form:
        return self.fourier.form(node)

    def node(self, node: Node) -> Node:
        """An expression collected; terms with speeds first."""
        return collected(self.fourier, self.form(node), self.moving)

    def parts(self, node: Node) -> list[Node]:
        """What depends on speeds, and what does not."""
        form = self.form(node)
        with_speeds = {key: c for key, c in form.items() if any(atom in self.moving for atom, _ in key[0])}
        others = {key: c for key, c in form.items() if key not in with_speeds}
        return [collected(self.fourier, part) for part in (with_speeds, others)]


def closed_form(equations: Equations) -> Presentation:
    """Every equation in canonical trigonometric form, common factors collected."""
    shown, c, m = empty(equations, True), Closed(equations), equations.mechanism
    forces = constraint_forces(equations, c)
    for k in range(len(equations.speeds)):
        terms = []
        for j, entry in enumerate(equations.mass_matrix[k]):
            factor = c.node(entry)
            if factor is not ZERO:
                terms.append(product(factor, m.accelerations[j]))
        left = summed(*terms, *c.parts(equations.bias[k]))
        shown.rows.append(Row(left, summed(c.node(equations.applied[k]), *forces[k])))
    shown.kinematics = [Row(_dotted(x), c.node(m.rates[x])) for x in m.coordinates if m.rates[x] is not Name(x.name + "'")]
    for row in equations.constraints:
        if row.value is not None:
            shown.constraints.append(Row(c.node(row.value), ZERO))
        else:
            shown.velocities.append(Row(c.node(row.rate), ZERO))
    rows = [side for _, part in shown.parts for row in part for side in (row.left, row.right)]
    for node, name in reversed(m.definitions.items()):
        if name in names_of(*rows):
            shown.definitions.insert(0, Row(Name(name), _inside(c, node)))
            rows.append(shown.definitions[0].right)
    return shown


def constraint_forces(equations: Equations, c: Closed) -> list[list[Node]]:
    """λ Gᵀ by speeds."""
    found: list[list[Node]] = [[] for _ in equations.speeds]
    for i, row in enumerate(equations.constraints):
        for k, slope in enumerate(row.jacobian):
            factor = c.node(slope)
            if factor is not ZERO:
                found[k].append(product(factor, Name(f"lambda_{i + 1}")))
    return found


def _inside(c: Closed, node: Node) -> Node:
    """The canonical form of a node that has a name: of its arguments."""
    assert isinstance(node, Call)
    if node.function == "+":
        return collected(c.fourier, added(c.form(argument) for argument in node.arguments))
    return rebuilt(node.function, tuple(c.node(argument) for argument in node.arguments))


def _dotted(x: Name) -> Name:
    return Name(x.name + "'")


def with_definitions(equations: Equations) -> Presentation:
    """The recursions as they are: parts that are used again, or are long, get names."""
    shown, m = empty(equations, False), equations.mechanism
    rows: list[tuple[list[Row], Node, Node]] = []
    for k in range(len(equations.speeds)):
        terms = [(entry, m.accelerations[j]) for j, entry in enumerate(equations.mass_matrix[k]) if entry is not ZERO]
        left = total(*(product(*pair) for pair in terms), equations.bias[k])
        forces = [
            product(row.jacobian[k], Name(f"lambda_{i + 1}"))
            for i, row in enumerate(equations.constraints)
            if row.jacobian[k] is not ZERO
        ]
        rows.append((shown.rows, left, total(equations.applied[k], *forces)))
    rows += [(shown.kinematics, _dotted(x), m.rates[x]) for x in m.coordinates if m.rates[x] is not Name(x.name + "'")]
    for row in equations.constraints:
        if row.value is not None:
            rows.append((shown.constraints, row.value, ZERO))
        else:
            rows.append((shown.velocities, row.rate, ZERO))
    roots = [side for _, left, right in rows for side in (left, right)]
    definitions, found = named_parts(roots, m.definitions, set(equations.letters) | m.letters.taken)
    for (part, _, _), left, right in zip(rows, found[::2], found[1::2], strict=True):
        part.append(Row(left, right))
    shown.definitions = definitions
    return shown


def named_parts(roots: list[Node], names: dict[Node, str], taken: set[str]) -> tuple[list[Row], list[Node]]:
    """Definitions of the parts that are used more than once or are long, in order, and the roots by their means."""
    count = uses(roots)
    done: dict[Node, Node] = {}
    definitions: list[Row] = []
    number = 0
    whole = set(roots)
    for node in ordered(roots):
        if not isinstance(node, Call):
            done[node] = node
            continue
        parts = tuple(done[argument] for argument in node.arguments)
        own = _kept(node.function, parts)
        simple = own.function == "neg" if isinstance(own, Call) else True
        again = count[node] > 1 and not simple
        if node in names or ((again or own.size > LONG_LINE) and node not in whole):
            name = names.get(node) or _wave_name(own, taken)
            if name is None:
                number += 1
                while f"z{number}" in taken:
                    number += 1
                name = f"z{number}"
            definitions.append(Row(Name(name), own))
            done[node] = Name(name)
        else:
            done[node] = own
    return definitions, [done[root] for root in roots]


def _kept(function: str, parts: tuple[Node, ...]) -> Node:
    """A call of parts; signs and nested sums as they read best."""
    if function == "neg":
        return negative(parts[0])
    return rebuilt(function, parts) if function in ("+", "*") else Call(function, parts)


def _wave_name(node: Node, taken: set[str]) -> str | None:
    """sin(q_A) is called sin_A."""
    if isinstance(node, Call) and node.function in ("sin", "cos") and isinstance(node.arguments[0], Name):
        name = f"{node.function}_{plain_name(node.arguments[0].name.removeprefix('q_'))}"
        if name not in taken:
            taken.add(name)
            return name
    return None
