"""The equations of motion solved for the accelerations, as expressions: what a machine computes, not what a person reads."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sharnir.equations.affine_loads import why_whole, with_loads
from sharnir.equations.closure import close_loops
from sharnir.equations.derivation import constraint_rows, without_redundant
from sharnir.equations.elements.constraints import add_constraints
from sharnir.equations.elements.control import Control
from sharnir.equations.elements.forces import applied_forces
from sharnir.equations.elements.left_forces import LeftForces
from sharnir.equations.equations_of_motion import ConstraintRow, Equations
from sharnir.equations.flexible_bodies import FlexibleInertia, add_flexible, elastic_power
from sharnir.equations.letters import OTHER_METHODS, Letters
from sharnir.equations.mechanism import Mechanism
from sharnir.equations.model_numbers import ModelNumbers
from sharnir.equations.opened_joints import OpenedJoints
from sharnir.equations.recursion import Wrench
from sharnir.equations.separate_bodies import tree_accelerations
from sharnir.equations.tracking import Track, follow_cuts
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.symbolic.elimination_order import elimination_order
from sharnir.symbolic.expression_graph import names_of, ordered, substituted
from sharnir.symbolic.linear_systems import Factors
from sharnir.symbolic.matrices import add, cross, dot, opposite, scale, sub, symmetric_times
from sharnir.symbolic.nodes import ZERO, Call, Node, minus, negative, plus, times
from sharnir.topology import Tree


@dataclass
class Solution:
    """v̇ and what belongs to it, as expressions of the mechanism's symbols.

    accelerations : v̇.   rates : q̇.   multipliers : λ of the constraints.
    pivots : of every constraint that part, in the metric of the masses, which those eliminated before it do not have. One of them
    is small, beside what it usually is, near singular positions.
    control : states of control (control.py).
    power : what flows into the mechanism beside gravity (dynamics/evaluation/power_balance.py).
    """

    mechanism: Mechanism
    accelerations: list[Node]
    constraints: list[ConstraintRow]
    multipliers: list[Node]
    power: Node
    equations: Equations | None = None
    elimination: Elimination | None = None
    control: list[Track] = field(default_factory=list)

    @property
    def rates(self) -> list[Node]:
        """q̇."""
        return [self.mechanism.rates[x] for x in self.mechanism.coordinates]

    @property
    def pivots(self) -> list[Node]:
        """Of the constraints, in the order of their elimination."""
        return [] if self.elimination is None else self.elimination.pivots

    def correction(self, wanted: list[Node]) -> list[Node]:
        """The least motion δ, in the metric of the masses, with G δ = wanted."""
        if self.elimination is None:  # a tree with a free joint that is declared from the far side
            return [ZERO] * len(self.mechanism.speeds)
        return self.elimination.solved([ZERO] * len(self.mechanism.speeds), wanted)[0]


class Elimination:
    """M x - Gᵀ λ = a, G x = b by elimination, in a given order of the unknowns x (0 … n-1) and λ (n …), the last one first."""

    def __init__(self, mass: list[list[Node]], rows: list[list[Node]], order: list[int]) -> None:
        n = len(mass)
        self.order, self.n = order, n

        def entry(i: int, j: int) -> Node:
            if i >= n and j >= n:
                return ZERO
            return rows[max(i, j) - n][min(i, j)] if max(i, j) >= n else mass[i][j]

        self.factors = Factors([[entry(i, j) if b <= a else ZERO for b, j in enumerate(order)] for a, i in enumerate(order)])
        self.pivots = [negative(x) for x, i in zip(self.factors.pivots, order, strict=True) if i >= n]

    def solved(self, a: list[Node], b: list[Node]) -> tuple[list[Node], list[Node]]:
        """x and λ."""
        given = [*a, *b]
        found = [ZERO] * len(given)  # type: list[Node]
        for i, value in zip(self.order, self.factors.solve([given[i] for i in self.order]), strict=True):
            found[i] = value
        return found[: self.n], [negative(x) for x in found[self.n :]]


def solution_of(model: Model, tree: Tree, numbers: Letters | None = None, engine: LeftForces | None = None) -> Solution:
    """The accelerations of a model as expressions, along a given tree; a ModelError says what has no closed form.

    numbers : which of the model's numbers are to stand in memory (model_numbers.py); None: none of them.
    engine : takes the forces that have no closed form, which are symbols then; None: they are refused.

    >>> import sharnir as sr
    >>> from sharnir.topology import build_tree
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
    >>> [str(x) for x in solution_of(m, build_tree(m)).accelerations]
    ['-8*x/2']
    """
    m = Mechanism(model, tree, Letters() if numbers is None else numbers, for_machines=True, engine=engine)
    follow_cuts(m)
    n = len(m.speeds)
    bias = m.recursion.bias()
    applied = applied_forces(m)
    close_loops(m)
    add_constraints(m)
    control = Control(m)
    check_closed_form(m)
    if engine is not None:
        engine.signals = {name: control.value_of(name) for name in engine.asked_signals(m)}
    applied, own = control.put_in(applied), control.put_in(m.tau)
    on_bodies = [(tuple(control.put_in(f)), tuple(control.put_in(t))) for f, t in m.wrenches]
    if not (m.positions or m.velocities or m.explicit_rows or m.dependent or m.elastic):
        loads = [(sub(f, F), sub(t, T)) for (f, t), (F, T) in zip(bias, on_bodies, strict=True)]
        found = tree_accelerations(m.recursion, own, loads)
        if reactions_asked(m, 0):

            def solver(along: list[Node], wrenches: list[Wrench]) -> tuple[list[Node], list[Node]]:
                return tree_accelerations(m.recursion, [ZERO] * n, [(opposite(f), opposite(t)) for f, t in wrenches]), []

            found, _, applied = with_loads(m, opened_joints(m, []), solver, (found, []), applied)
        return with_control(Solution(m, found, [], [], power_of(m, applied, found, [], [])), control)
    mass, bias_forces = m.recursion.mass_matrix(n), m.recursion.generalized(bias, n)
    add_flexible(m, mass, bias_forces, applied)
    equations = Equations(model.name, m, mass, bias_forces, applied, constraint_rows(m))
    count = len(equations.constraints)
    rows = (without_redundant(equations) if equations.constraints else equations).constraints
    return with_control(with_multipliers(m, equations, rows, count - len(rows)), control)


def reactions_asked(m: Mechanism, dropped: int) -> bool:
    """Whether there is friction that depends on reactions, for which there are formulas."""
    if m.engine is None or not m.engine.frictions:
        return False
    m.engine.whole = why_whole(m, dropped)
    return not m.engine.whole


def opened_joints(m: Mechanism, rows: list[int]) -> OpenedJoints:
    """Reactions of the joints with friction; the derivation asks for the same numbers once more."""
    numbers = ModelNumbers(varying=m.letters.varying) if isinstance(m.letters, ModelNumbers) else Letters()
    assert m.engine is not None
    return OpenedJoints(m.model, m.tree, numbers, [x.joint for x in m.engine.frictions], rows)


def moving_rows(m: Mechanism) -> list[int]:
    """Which equations, positions first, can be violated at all: constraint_rows leaves the others out."""
    found = [k for k, (_, g) in enumerate(m.positions) if m.rate(g) is not ZERO]
    return [*found, *range(len(m.positions), len(m.positions) + len(m.velocities) + len(m.explicit_rows))]


def with_control(solution: Solution, control: Control) -> Solution:
    """The same with the states of control; what they change in the power is that of masses that are burnt."""
    solution.control = control.states(solution.accelerations)
    solution.power = plus(solution.power, control.power_of_masses(solution.control))
    return solution


def with_multipliers(m: Mechanism, equations: Equations, rows: list[ConstraintRow], dropped: int) -> Solution:
    """M v̇ = τ - h + Gᵀ λ, G v̇ + γ = 0 by elimination; `dropped`: how many equations have been left out as redundant."""
    masses = np.array([[x is not ZERO for x in row] for row in equations.mass_matrix])
    held = np.array([[x is not ZERO for x in row.jacobian] for row in rows]).reshape(len(rows), len(m.speeds))
    order = elimination_order(masses, held, equations.samples)
    elimination = Elimination(equations.mass_matrix, [row.jacobian for row in rows], order)
    load = [minus(a, b) for a, b in zip(equations.applied, equations.bias, strict=True)]
    found, multipliers = elimination.solved(load, [negative(row.bias) for row in rows])
    applied = equations.applied
    if reactions_asked(m, dropped):

        def solver(along: list[Node], _: list[Wrench]) -> tuple[list[Node], list[Node]]:
            return elimination.solved(along, [ZERO] * len(rows))

        reactions = opened_joints(m, moving_rows(m))
        found, multipliers, applied = with_loads(m, reactions, solver, (found, multipliers), applied)
    power = power_of(m, applied, found, rows, multipliers)
    return Solution(m, found, rows, multipliers, power, equations, elimination)


def check_closed_form(m: Mechanism) -> None:
    """Refuse what the derivation cannot write down."""
    if m.opaque:
        label = next(iter(m.opaque.values()))
        raise ModelError(f"{label} has no closed form, which method 'symbolic' needs; {OTHER_METHODS}")
    asked = names_of(*(row for _, row in (*m.positions, *m.velocities))) & set(m.entries.signals)
    if asked:
        name = m.entries.signals[min(asked)]
        raise ModelError(f"'{name}' is a signal in a constraint, and method 'symbolic' would need its rate; {OTHER_METHODS}")
    in_rows = ordered([row for _, row in (*m.positions, *m.velocities)])
    users = [m.entries.users[x.function] for x in in_rows if isinstance(x, Call) and x.function in m.entries.users]
    if users:
        raise ModelError(
            f"'{users[0].name}' is a Python function in a constraint, and method 'symbolic' needs a formula; {OTHER_METHODS}"
        )
    if m.on_curve:
        name = next(iter(m.on_curve))
        raise ModelError(
            f"PointOnCurve '{name}' has its place on the curve as an unknown, and method 'symbolic' has none; {OTHER_METHODS}"
        )
    if len(m.speeds) > m.n_tree:
        names = ", ".join(f"'{channel}'" for channel in m.speed_channels[m.n_tree :][:3])
        raise ModelError(
            f"method 'symbolic' has no closed form for {names}, coordinates of a joint that closes a loop; {OTHER_METHODS}"
        )


def power_of(
    m: Mechanism, applied: list[Node], accelerations: list[Node], rows: list[ConstraintRow], multipliers: list[Node]
) -> Node:
    """τ·v, and where something is driven what its drives give: along given rates alone, inertia and constraint forces."""
    still: dict[Node, Node] = dict.fromkeys(m.speeds, ZERO)
    found = plus(dot(applied, m.speeds), dot(multipliers, [_left_of_rate(m, row, still) for row in rows]))
    found = plus(found, elastic_power(m))
    if not m.given:
        return found
    wrenches = total_wrenches(m, accelerations)
    motions = [x for body in m.recursion.motion for x in (*body.v, *body.om)]
    given = substituted(motions, still)
    for i, (force, torque) in enumerate(wrenches):
        v, om = tuple(given[6 * i : 6 * i + 3]), tuple(given[6 * i + 3 : 6 * i + 6])
        found = plus(found, plus(dot(force, v), dot(torque, om)))
    return plus(found, _power_of_rotors(m))


def _power_of_rotors(m: Mechanism) -> Node:
    """J q̈ q̇ of rotors whose freedoms are driven."""
    found: Node = ZERO
    for joint in (x for x in m.joints.values() if any(x.armature) and x.coordinates == "angles"):
        for J, name, x in zip(joint.armature, joint.freedom_names, m.coordinates_of[joint.name], strict=True):
            if not x.speeds:
                found = plus(found, times(m.letters.number(J, "J", joint.name, name), times(x.known, x.rate)))
    return found


def _left_of_rate(m: Mechanism, row: ConstraintRow, still: dict[Node, Node]) -> Node:
    """G v - ġ: along it a multiplier has power. Of rates that are linear in speeds it is what is left at rest, negative."""
    if substituted(row.jacobian, still) == row.jacobian:
        return negative(substituted([row.rate], still)[0])
    return minus(dot(row.jacobian, m.speeds), row.rate)


def total_wrenches(m: Mechanism, accelerations: list[Node]) -> list[Wrench]:
    """What the bodies need for their whole accelerations, weight included: Newton and Euler."""
    found: list[Wrench] = []
    bodies: list[Wrench] = []
    elastic = {m.bodies.number(name): FlexibleInertia(m, name) for name in m.elastic}
    biased = m.recursion.bias_accelerations() if elastic else []
    for i, (motion, (force, torque)) in enumerate(zip(m.recursion.motion, m.recursion.bias(), strict=True)):
        a, alpha = ((ZERO,) * 3, (ZERO,) * 3) if motion.parent < 0 else bodies[motion.parent]
        a, alpha = motion.outwards(add(a, cross(alpha, motion.rho))), motion.outwards(alpha)
        for k, s, w in motion.axes:
            a, alpha = add(a, scale(s, accelerations[k])), add(alpha, scale(w, accelerations[k]))
        bodies.append((a, alpha))
        x = m.recursion.bodies.inertia[i]
        force = add(force, add(scale(a, x.mass), cross(alpha, x.first)))
        torque = add(torque, add(symmetric_times(x.second, alpha), cross(x.first, a)))
        if i in elastic:
            al, aa = biased[i]
            own = elastic[i].wrench(add(al, a), add(aa, alpha), accelerations)
            force, torque = add(force, own[0]), add(torque, own[1])
        found.append((force, torque))
    return found
