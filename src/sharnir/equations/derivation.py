"""Model → Equations: tree and symbols, the recursions with expressions, applied forces, constraints without redundant ones."""

from __future__ import annotations

import numpy as np

from sharnir.equations.closure import close_loops
from sharnir.equations.constraints import add_constraints
from sharnir.equations.equations import ConstraintRow, Equations
from sharnir.equations.forces import applied_forces
from sharnir.equations.mechanism import Mechanism
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.model.local_names import check_all_names
from sharnir.model.placement import check_placements, open_joints
from sharnir.model.structure import at_start
from sharnir.symbolic.graph import names_of, ordered
from sharnir.symbolic.nodes import ZERO
from sharnir.symbolic.printing import plain_name
from sharnir.topology import build_tree

LETTERS = ("m", "J", "k", "d", "T", "F", "i", "g", "l", "c", "a", "r")
MOMENTS = ("x", "y", "z", "xy", "xz", "yz")
DEPENDENT = 1e-8  # part of a constraint's row that others do not have, below which it is redundant
STATES, SPREAD = 3, 0.05  # states near the drawing at which redundancy is looked for, and how far they are from it


def equations_of(model: Model, letters: bool = False) -> Equations:
    """The equations of motion of a model; see Model.equations.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=2, position=(0, 0, -1)), sr.Revolute("phi", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> print(equations_of(m, letters=True).rows[0])
    m_bob*c_bob^2*phi'' + m_bob*g*c_bob*sin(phi) = 0
    """
    if not model.bodies:
        raise ModelError(f"model '{model.name}' has no bodies; add at least one")
    check_all_names(model.original)
    check_placements(model.original)
    if model.events:
        model = at_start(model)
    m = Mechanism(model, build_tree(model, open_joints(model)), letters)
    count = len(m.speeds)
    mass = m.recursion.mass_matrix(count)
    bias = m.recursion.generalized(m.recursion.bias(), count)
    applied = applied_forces(m)
    close_loops(m)
    add_constraints(m)
    equations = Equations(
        name=model.name,
        mechanism=m,
        mass_matrix=mass,
        bias=bias,
        applied=applied,
        constraints=constraint_rows(m),
    )
    if equations.constraints:
        equations = without_redundant(equations)
    return with_short_letters(equations) if letters else equations


def with_short_letters(equations: Equations) -> Equations:
    """Only letters that occur; where one moment of inertia of a body does, its letter has no axis: J_arm, not J_arm_y."""
    m = equations.mechanism
    values = m.letters.values
    used = names_of(*equations.nodes)
    m.letters.values = {name: values[name] for name in sorted(used & set(values), key=lambda name: rank(name, list(values)))}
    short = {}
    for body in m.model.bodies:
        own = f"J_{plain_name(body)}"
        moments = [name for name in m.letters.values if name.startswith(own + "_") and name[len(own) + 1 :] in MOMENTS]
        if len(moments) == 1 and own not in m.letters.taken:
            short[moments[0]] = own
    equations = equations.renamed(short)
    found = set(ordered(equations.nodes))
    for node, body, axis in equations.mechanism.bodies.about_joint:
        if node in found:
            single = f"J_{plain_name(body)}" in short.values()
            equations.mechanism.define(node, "I", body, *(() if single else (axis,)))
    return equations


def rank(name: str, order: list[str]) -> tuple[int, int]:
    """Where a letter stands in products: masses, moments and stiffnesses first, then g, then lengths; else as in the model."""
    head = name.partition("_")[0]
    return (LETTERS.index(head) if head in LETTERS else len(LETTERS)), order.index(name)


def constraint_rows(m: Mechanism) -> list[ConstraintRow]:
    """Every equation with its Jacobian and what is left of its second derivative (velocity equations: first) without v̇."""
    rows = []
    for name, g in m.positions:
        rate = m.rate(g)
        if rate is not ZERO:
            rows.append(ConstraintRow(name, g, rate, m.by_speeds(rate), m.rate(rate)))
    for name, a in m.velocities:
        rows.append(ConstraintRow(name, None, a, m.by_speeds(a), m.rate(a)))
    return rows


def without_redundant(equations: Equations) -> Equations:
    """The same without constraint equations that follow from earlier ones wherever the mechanism can be."""
    rng = np.random.default_rng(1)
    needed: set[int] = set()
    start = equations.closed_state(np.array(equations.mechanism.start, float))
    for k in range(STATES):
        q = start if k == 0 else equations.closed_state(start + rng.uniform(-SPREAD, SPREAD, len(start)))
        needed |= independent(equations.constraint_jacobian(q, rng.uniform(-1, 1, len(equations.speeds))))
    equations.constraints = [row for k, row in enumerate(equations.constraints) if k in needed]
    return equations


def independent(G: np.ndarray) -> set[int]:
    """Numbers of rows that are not combinations of rows before them."""
    found: set[int] = set()
    basis: list[np.ndarray] = []
    for k, row in enumerate(G):
        size = np.linalg.norm(row)
        rest = row.copy()
        for _ in range(2):
            for e in basis:
                rest -= (rest @ e) * e
        if size > 0.0 and np.linalg.norm(rest) > DEPENDENT * size:
            basis.append(rest / np.linalg.norm(rest))
            found.add(k)
    return found
