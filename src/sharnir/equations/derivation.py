"""Model → Equations: tree and symbols, the recursions with expressions, applied forces, constraints without redundant ones."""

from __future__ import annotations

import numpy as np

from sharnir.equations.closure import close_loops
from sharnir.equations.elements.constraints import add_constraints
from sharnir.equations.elements.forces import applied_forces
from sharnir.equations.equations_of_motion import ConstraintRow, Equations
from sharnir.equations.flexible_bodies import add_flexible
from sharnir.equations.letters import Letters
from sharnir.equations.mechanism import Mechanism
from sharnir.equations.parameter_formulas import (
    ParameterLetters,
    changed_models,
    derivation_tree,
    feature_nodes,
    parameter_letters,
)
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.model.changed_structure import at_start
from sharnir.model.frames import quaternion
from sharnir.model.local_names import check_all_names
from sharnir.model.placement import check_placements
from sharnir.symbolic.collecting import simplified
from sharnir.symbolic.expression_graph import names_of, ordered
from sharnir.symbolic.matrices import add, rotate
from sharnir.symbolic.nodes import ZERO, Call, Name, Node
from sharnir.symbolic.printing import plain_name

LETTERS = ("m", "J", "k", "d", "T", "F", "i", "g", "l", "c", "a", "r")
MOMENTS = ("x", "y", "z", "xy", "xz", "yz")
DEPENDENT = 1e-8  # part of a constraint's row that others do not have, below which it is redundant
STATES, SPREAD = 3, 0.05  # states near the drawing at which redundancy is looked for, and how far they are from it


def equations_of(model: Model, letters: bool | str = False, formulation: str = "joint") -> Equations:
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
    if letters not in (False, True, "parameters"):
        raise ModelError(f"equations: letters = {letters!r} must be False, True or 'parameters'")
    if formulation not in ("joint", "absolute"):
        raise ModelError(f"equations: formulation = {formulation!r} must be 'joint' or 'absolute'")
    found = lettered(model, letters, formulation == "absolute")
    if found.constraints:
        found = without_redundant(found)
    if letters:
        found.mechanism.letters.values = used_letters(found)
    return with_short_letters(found) if letters is True else found


def lettered(model: Model, letters: bool | str, absolute: bool) -> Equations:
    """Derived with numbers, letters, or parameters. Letters for every number by itself, where formulas do not say it all."""
    try:
        if letters == "parameters" or (letters and feature_nodes(model)):
            own = parameter_letters(model, letters is True, absolute)
            found = derived(model, own, absolute)
            check_formulas(model, found, own, absolute)
            return found
    except ModelError:
        if letters == "parameters":
            raise
    return derived(model, Letters(bool(letters)), absolute)


def derived(model: Model, letters: Letters, absolute: bool = False) -> Equations:
    """The equations of a model, redundant constraints among them; `absolute`: every body moves freely, joints are constraints."""
    if model.events:
        model = at_start(model)
    m = Mechanism(model, derivation_tree(model, absolute), letters)
    if absolute and m.elastic:
        raise ModelError(
            f"equations: flexible bodies have equations in joint coordinates only, and '{next(iter(m.elastic))}' is one"
        )
    if absolute:
        m.start = absolute_start(m, derived(model, Letters()))
    count = len(m.speeds)
    mass = m.recursion.mass_matrix(count)
    bias = m.recursion.generalized(m.recursion.bias(), count)
    applied = applied_forces(m)
    add_flexible(m, mass, bias, applied)
    close_loops(m)
    add_constraints(m)
    m.ask_origins()
    return Equations(name=model.name, mechanism=m, mass_matrix=mass, bias=bias, applied=applied, constraints=constraint_rows(m))


def absolute_start(m: Mechanism, by_joints: Equations) -> list[float]:
    """Start values in absolute coordinates: bodies are where their joints, at their own start values, bring them."""
    other, found = by_joints.mechanism, dict(zip((x.name for x in m.coordinates), m.start, strict=True))
    q = by_joints.closed_state(np.array(other.start, float))
    v, inputs = np.zeros(len(other.speeds)), dict.fromkeys(by_joints.inputs, 0.0)
    for joint, name in zip(m.tree.joints, m.tree.bodies, strict=True):
        i = other.tree.bodies.index(name)
        R, r = other.recursion.pose(i, -1)
        position = add(r, rotate(R, other.origins[i]))
        numbers = by_joints.evaluate([*position, *R], q, v, 0.0, **inputs)
        drawn = np.array(m.placed[name].rotation_matrix)
        e = quaternion(drawn.T @ numbers[3:].reshape(3, 3))
        symbols = m.quaternion_of[joint.name]
        place = next(k for k, x in enumerate(m.coordinates) if x is symbols[0]) - 3
        values = [*(numbers[:3] - np.array(m.placed[name].position)), *e]
        found |= {x.name: float(y) for x, y in zip(m.coordinates[place : place + 7], values, strict=True)}
    return list(found.values())


def check_formulas(model: Model, equations: Equations, letters: ParameterLetters, absolute: bool) -> None:
    """Compare with a model that is built with other values: parameters in directions and rotations are not in the formulas."""
    if not letters.formulas:
        return
    rng, m = np.random.default_rng(5), equations.mechanism
    changed = next(changed_models(model, feature_nodes(model), 1))
    values, other = dict(changed.parameters), derived(changed, Letters(), absolute)
    moved = [rng.uniform(-0.3, 0.3) if isinstance(m.rates[x], Name) else 0.0 for x in m.coordinates]
    q, v = np.array(m.start, float) + moved, rng.uniform(-1.0, 1.0, len(m.speeds))
    inputs = dict.fromkeys(equations.inputs, 0.5)
    same = len(other.nodes) == len(equations.nodes) and other.inputs == equations.inputs
    if same:
        found = equations.evaluate(equations.nodes, q, v, 0.3, **(inputs | values))
        want = other.evaluate(other.nodes, q, v, 0.3, **inputs)
        same = bool(
            np.allclose(found, want, rtol=1e-8, atol=1e-8 * np.abs(want[np.isfinite(want)]).max(initial=0.0), equal_nan=True)
        )
    if not same:
        names = ", ".join(f"'{name}'" for name in sorted(names_of(*feature_nodes(model))))
        raise ModelError(
            f"model '{model.name}': its equations depend on parameters ({names}) also through axes, rotations or other fields "
            "that stay numbers in them; leave such formulas out, or take letters=False"
        )


def is_short(node: Node, equations: Equations) -> bool:
    """Whether a moment of inertia is one product of the user's parameters, such as m*l^2/3, and needs no name."""
    if names_of(node) - set(equations.mechanism.model.parameters):
        return False
    shown = simplified(node)
    return not (isinstance(shown, Call) and any(isinstance(x, Call) and x.function == "+" for x in ordered([shown])))


def only_one(equations: Equations, body: str, found: set[Node]) -> bool:
    """Whether the moments of a body are formulas of parameters, and one moment about its joint occurs."""
    m = equations.mechanism
    letters = [name for name in m.letters.values if name.startswith(f"J_{plain_name(body)}_")]
    return not letters and len({node for node, own, _ in m.bodies.about_joint if own == body and node in found}) == 1


def used_letters(equations: Equations) -> dict[str, float]:
    """Letters that occur, in the order in which products list them."""
    m = equations.mechanism
    values, used = m.letters.values, names_of(*equations.nodes, *(x for course in m.given.values() for x in course))
    order, own = list(values), list(m.model.parameters)
    return {name: values[name] for name in sorted(used & set(values), key=lambda name: rank(name, order, own))}


def with_short_letters(equations: Equations) -> Equations:
    """Where one moment of inertia of a body occurs, its letter has no axis: J_arm, not J_arm_y."""
    m = equations.mechanism
    short = {}
    for body in m.model.bodies:
        own = f"J_{plain_name(body)}"
        moments = [name for name in m.letters.values if name.startswith(own + "_") and name[len(own) + 1 :] in MOMENTS]
        if len(moments) == 1 and own not in m.letters.taken:
            short[moments[0]] = own
    equations = equations.renamed(short)
    found = set(ordered(equations.nodes))
    for node, body, axis in equations.mechanism.bodies.about_joint:
        if node in found and not is_short(node, equations):
            single = f"J_{plain_name(body)}" in short.values() or only_one(equations, body, found)
            equations.mechanism.define(node, "I", body, *(() if single else (axis,)))
    return equations


def rank(name: str, order: list[str], parameters: list[str]) -> tuple[int, int]:
    """Where a letter stands in products: the user's parameters as given, masses, moments and stiffnesses, g, lengths, others."""
    if name in parameters:
        return -1, parameters.index(name)
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
    for name, g, rate, bias, slopes in m.explicit_rows:
        rows.append(ConstraintRow(name, g, rate, m.by_speeds(rate), bias, slopes))
    return rows


def without_redundant(equations: Equations) -> Equations:
    """The same without constraint equations that follow from the others wherever the mechanism can be.

    Of the sets that are independent in some position near the drawing, the one is kept that is best so in all of them.
    """
    rng = np.random.default_rng(1)
    start = equations.closed_state(np.array(equations.mechanism.start, float))
    positions = [start, *equations.positions_near(start, SPREAD, STATES, rng)]
    matrices = [unit_rows(equations.constraint_jacobian(q, rng.uniform(-1, 1, len(equations.speeds)))) for q in positions]
    sets = [independent(G) for G in matrices]
    most = max(len(found) for found in sets)
    best = max((found for found in sets if len(found) == most), key=lambda found: sum(weakest(G, found) for G in matrices))
    equations.constraints = [row for k, row in enumerate(equations.constraints) if k in best]
    equations.samples = [G[best] for G in matrices]
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
