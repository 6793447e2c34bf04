"""What an exported program computes, in no language yet: functions of time, state, inputs and parameters, as expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sharnir.equations.equations_of_motion import Equations
from sharnir.errors import ModelError
from sharnir.model import Table
from sharnir.symbolic.expression_graph import ordered, substituted
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.linear_systems import Factors
from sharnir.symbolic.matrices import dot
from sharnir.symbolic.nodes import ZERO, Call, Name, Node, minus, negative, plus, times
from sharnir.symbolic.printing import plain_name

LIGHT = 1e-12  # pivots of the mass matrix below this part of its largest entry: speeds without inertia


@dataclass(frozen=True)
class Output:
    """An array that a function gives: its symbol, its entries by rows, its shape."""

    symbol: str
    nodes: tuple[Node, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Function:
    """A function of a program: its name, what it gives in words, its arrays. `system`: they follow from a linear system, see
    Program.dense."""

    name: str
    meaning: str
    outputs: tuple[Output, ...]
    system: bool = False


@dataclass
class Program:
    """Functions of (t, q, v, u, p).

    q, v : states.   u : inputs by name (signals, rates of motions that follow them, forces without a closed form).
    p : parameters with their values.   tables : functions that are a Table or its derivative.
    dense : whether v̇ and λ need a linear system at run time, because some unknowns have no inertia of their own.
    """

    title: str
    q: tuple[str, ...]
    v: tuple[str, ...]
    u: tuple[str, ...]
    p: dict[str, float]
    functions: tuple[Function, ...]
    tables: dict[str, tuple[Table, int]]
    n_constraints: int
    dense: bool
    notes: dict[str, str] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """The title as an identifier.

        >>> import sharnir as sr
        >>> m = sr.Model("2-link arm")
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
        >>> program_of(m.equations()).name
        'model_2_link_arm'
        """
        plain = plain_name(self.title).lower() or "model"
        plain = "".join(c if c.isascii() else "_" for c in plain)
        return f"model_{plain}" if not plain[0].isalpha() else plain

    @property
    def symbols(self) -> dict[str, dict[str, int]]:
        """Where each name stands: array → name → number."""
        return {array: {name: k for k, name in enumerate(getattr(self, array))} for array in "qvup"}

    def used_tables(self) -> dict[str, tuple[Table, int]]:
        """Tables that functions call."""
        called = {node.function for node in ordered(self.nodes) if isinstance(node, Call)}
        return {name: table for name, table in self.tables.items() if name in called}

    @property
    def nodes(self) -> list[Node]:
        """All expressions."""
        return [node for function in self.functions for output in function.outputs for node in output.nodes]


def program_of(equations: Equations, more: Mapping[str, tuple[str, Iterable[Node]]] | None = None) -> Program:
    """The program of derived equations; `more`: further functions by name, each with what it gives and its expressions.

    >>> import sharnir as sr
    >>> m = sr.Model("cart")
    >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
    >>> [function.name for function in program_of(m.equations()).functions]
    ['rates', 'mass_matrix', 'bias', 'applied', 'constraints', 'accelerations']
    """
    m, rows, n = equations.mechanism, equations.constraints, len(equations.speeds)
    factors = None if without_inertia(equations) else Factors(equations.mass_matrix)
    vdot, lam = ([ZERO] * n, [ZERO] * len(rows)) if factors is None else solved(equations, factors)
    found = [
        function("rates", "rates of the coordinates", qdot=equations.rates),
        function("mass_matrix", "M in M v' + h = tau + G^T lambda", M=equations.mass_matrix),
        function("bias", "h: velocity products and gravity", h=equations.bias),
        function("applied", "tau: all other forces", tau=equations.applied),
        function(
            "constraints",
            "g (0 for equations of speeds), their rates, G and gamma in g'' = G v' + gamma = 0",
            g=[row.value or ZERO for row in rows],
            gdot=[row.rate for row in rows],
            G=Output("G", tuple(x for row in rows for x in row.jacobian), (len(rows), n)),
            gamma=[row.bias for row in rows],
        ),
        function("accelerations", "v' and the multipliers", system=True, vdot=vdot, lam=lam),
    ]
    found += [function(name, meaning, y=list(nodes)) for name, (meaning, nodes) in (more or {}).items()]
    follow: dict[Node, Node] = {
        Name(name + dots): node
        for name, course in m.given.items()
        for dots, node in zip(("", "'", "''"), course, strict=True)
        if Name(name + dots) is not node
    }
    found = [with_courses(one, follow) for one in found]
    used = Program(
        equations.name,
        equations.coordinates,
        equations.speeds,
        equations.inputs,
        equations.letters,
        tuple(found),
        dict(m.entries.tables),
        len(rows),
        factors is None,
        {**m.entries.signals, **m.opaque},
    )
    check_functions(used)
    return used


def function(name: str, meaning: str, system: bool = False, **arrays: object) -> Function:
    """A function from vectors and matrices of nodes."""
    outputs = []
    for symbol, array in arrays.items():
        if isinstance(array, Output):
            outputs.append(array)
            continue
        rows = list(array)  # type: ignore[call-overload]
        matrix = bool(rows) and isinstance(rows[0], list)
        nodes = [node for row in rows for node in row] if matrix else rows
        outputs.append(Output(symbol, tuple(nodes), (len(rows), len(rows[0])) if matrix else (len(rows),)))
    return Function(name, meaning, tuple(outputs), system)


def with_courses(one: Function, follow: Mapping[Node, Node]) -> Function:
    """The same with prescribed motions as functions of time."""
    if not follow:
        return one
    outputs = [Output(x.symbol, tuple(substituted(x.nodes, follow)), x.shape) for x in one.outputs]
    return Function(one.name, one.meaning, tuple(outputs), one.system)


def without_inertia(equations: Equations) -> bool:
    """Whether some speeds have no inertia of their own: those of cut joints, of points on curves, of bodies without mass."""
    m = equations.mechanism
    if len(m.speeds) > m.n_tree:
        return True
    rng = np.random.default_rng(2)
    moved = [rng.uniform(-0.1, 0.1) if isinstance(m.rates[x], Name) else 0.0 for x in m.coordinates]  # quaternions stay
    q = np.array(m.start, float) + moved
    known = dict.fromkeys(equations.inputs, 0.0)
    n = len(m.speeds)
    M = equations.evaluate([x for row in equations.mass_matrix for x in row], q, np.zeros(n), 0.0, **known).reshape(n, n)
    return bool(np.linalg.eigvalsh(M).min(initial=1.0) <= LIGHT * np.abs(M).max(initial=0.0))


def solved(equations: Equations, factors: Factors) -> tuple[list[Node], list[Node]]:
    """v̇ and λ from M v̇ + h = τ + Gᵀ λ, G v̇ + γ = 0 by elimination: first the masses, then the multipliers."""
    rows = equations.constraints
    load = factors.inwards([minus(a, b) for a, b in zip(equations.applied, equations.bias, strict=True)])
    inwards = [factors.inwards(row.jacobian) for row in rows]
    shared = [factors.shared(row) for row in inwards]
    A = [[dot(a, b) if j <= i else ZERO for j, b in enumerate(shared)] for i, a in enumerate(inwards)]
    lam = Factors(A).solve([negative(plus(row.bias, dot(x, load))) for row, x in zip(rows, shared, strict=True)])
    for row, x in zip(inwards, lam, strict=True):
        load = [plus(a, times(b, x)) for a, b in zip(load, row, strict=True)]
    return factors.outwards(factors.shared(load)), lam


def check_functions(program: Program) -> None:
    """Refuse functions that only Python knows."""
    for node in ordered(program.nodes):
        if isinstance(node, Call) and node.function not in ROWS and node.function not in program.tables:
            raise ModelError(
                f"equations of '{program.title}': {node.function}(…) is a function in Python, which cannot be exported; "
                "give a formula or a Table instead, or an Input"
            )
