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
    """The same without constraint equations that follow from the others wherever the mechanism can be.

    Of the sets that are independent in some position near the drawing, the one is kept that is best so in all of them.
    """
    rng = np.random.default_rng(1)
    start = equations.closed_state(np.array(equations.mechanism.start, float))
    positions = [start, *(equations.closed_state(start + rng.uniform(-SPREAD, SPREAD, len(start))) for _ in range(STATES))]
    matrices = [unit_rows(equations.constraint_jacobian(q, rng.uniform(-1, 1, len(equations.speeds)))) for q in positions]
    sets = [independent(G) for G in matrices]
    most = max(len(found) for found in sets)
    best = max((found for found in sets if len(found) == most), key=lambda found: sum(weakest(G, found) for G in matrices))
    equations.constraints = [row for k, row in enumerate(equations.constraints) if k in best]
    return equations


def unit_rows(G: np.ndarray) -> np.ndarray:
    """Rows of length 1; those that are zero but for rounding are zero."""
    sizes = np.linalg.norm(G, axis=1, keepdims=True)
    return np.where(sizes > DEPENDENT * sizes.max(initial=0.0), G / np.where(sizes > 0.0, sizes, 1.0), 0.0)


def weakest(G: np.ndarray, rows: list[int]) -> float:
    """How independent some rows are: the smallest singular value."""
    return float(np.linalg.svd(G[rows], compute_uv=False).min(initial=1.0))


def independent(G: np.ndarray) -> list[int]:
    """Numbers of rows of which none is a combination of the others: always the one next that has most of its own."""
    rest, found = G.copy(), []  # type: np.ndarray, list[int]
    for _ in range(len(G)):
        sizes = np.linalg.norm(rest, axis=1)
        sizes[found] = 0.0
        k = int(np.argmax(sizes > 0.999 * sizes.max(initial=0.0)))  # of equals the first
        if not sizes[k] > DEPENDENT:
            break
        e = rest[k] / sizes[k]
        for _ in range(2):
            rest = rest - np.outer(rest @ e, e)
        found.append(k)
    return sorted(found)
