"""The equations of motion solved for the accelerations, as expressions: what a machine computes, not what a person reads."""

from __future__ import annotations

from dataclasses import dataclass

from sharnir.equations.closure import close_loops
from sharnir.equations.constraints import add_constraints
from sharnir.equations.derivation import constraint_rows, without_redundant
from sharnir.equations.equations import ConstraintRow, Equations
from sharnir.equations.forces import applied_forces
from sharnir.equations.letters import Letters
from sharnir.equations.mechanism import Mechanism
from sharnir.equations.recursion import Wrench
from sharnir.equations.separate_bodies import tree_accelerations
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.symbolic.graph import substituted
from sharnir.symbolic.linear_systems import Factors
from sharnir.symbolic.matrices import add, cross, dot, rotate_back, scale, sub, symmetric_times
from sharnir.symbolic.nodes import ZERO, Node, minus, negative, plus, times
from sharnir.topology import Tree


@dataclass
class Solution:
    """v̇ and what belongs to it, as expressions of the mechanism's symbols.

    accelerations : v̇.   rates : q̇.   multipliers : λ of the constraints.
    own, alone : of every constraint A_kk and (A⁻¹)_kk, A = G M⁻¹ Gᵀ. 1/alone is the part of it that the others do not have, in
    the metric of the masses: small beside what `own` usually is near singular positions.
    power : what flows into the mechanism beside gravity (dynamics/evaluation/power_balance.py).
    metric : finds the least motions, in the metric of the masses, that take residuals of the constraints away.
    """

    mechanism: Mechanism
    accelerations: list[Node]
    constraints: list[ConstraintRow]
    multipliers: list[Node]
    own: list[Node]
    alone: list[Node]
    power: Node
    metric: Metric | None
    equations: Equations | None = None

    @property
    def rates(self) -> list[Node]:
        """q̇."""
        return [self.mechanism.rates[x] for x in self.mechanism.coordinates]


class Metric:
    """G M⁻¹ Gᵀ of some rows, factorized: multipliers and the motions that they cause."""

    def __init__(self, mass: Factors, rows: list[list[Node]]) -> None:
        self.mass = mass
        self.inwards = [mass.inwards(row) for row in rows]
        self.shared = [mass.shared(row) for row in self.inwards]
        n = len(rows)
        A = [[dot(self.inwards[i], self.shared[j]) if j <= i else ZERO for j in range(n)] for i in range(n)]
        self.factors = Factors(A)
        self.own = [A[k][k] for k in range(n)]
        self.alone = self.factors.inverse_diagonal()

    def multipliers(self, wanted: list[Node]) -> list[Node]:
        """λ with G M⁻¹ Gᵀ λ = wanted."""
        return self.factors.solve(wanted)

    def pushed(self, multipliers: list[Node]) -> list[Node]:
        """L⁻ᵀ Gᵀ λ: forces on their way through the elimination."""
        found: list[Node] = [ZERO] * len(self.mass.pivots)
        for row, x in zip(self.inwards, multipliers, strict=True):
            found = [plus(a, times(b, x)) for a, b in zip(found, row, strict=True)]
        return found

    def correction(self, wanted: list[Node]) -> list[Node]:
        """M⁻¹ Gᵀ λ with G M⁻¹ Gᵀ λ = wanted."""
        return self.mass.outwards(self.mass.shared(self.pushed(self.multipliers(wanted))))


def solution_of(model: Model, tree: Tree) -> Solution:
    """The accelerations of a model as expressions, along a given tree; a ModelError says what has no closed form.

    >>> import sharnir as sr
    >>> from sharnir.topology import build_tree
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8))
    >>> [str(x) for x in solution_of(m, build_tree(m)).accelerations]
    ['-8*x*0.5']
    """
    m = Mechanism(model, tree, Letters())
    n = len(m.speeds)
    bias = m.recursion.bias()
    applied = applied_forces(m)
    own, on_bodies = list(m.tau), list(m.wrenches)
    close_loops(m)
    add_constraints(m)
    check_closed_form(m)
    if not (m.positions or m.velocities or m.dependent):
        loads = [(sub(f, F), sub(t, T)) for (f, t), (F, T) in zip(bias, on_bodies, strict=True)]
        found = tree_accelerations(m.recursion, own, loads)
        return Solution(m, found, [], [], [], [], power_of(m, applied, found, [], []), None)
    mass = m.recursion.mass_matrix(n)
    equations = Equations(model.name, m, mass, m.recursion.generalized(bias, n), applied, constraint_rows(m))
    rows = (without_redundant(equations) if equations.constraints else equations).constraints
    return with_multipliers(m, equations, rows)


def with_multipliers(m: Mechanism, equations: Equations, rows: list[ConstraintRow]) -> Solution:
    """M v̇ = τ - h + Gᵀ λ, G v̇ + γ = 0 by elimination: first the masses, then the multipliers."""
    factors = Factors(equations.mass_matrix)
    load = factors.inwards([minus(a, b) for a, b in zip(equations.applied, equations.bias, strict=True)])
    metric = Metric(factors, [row.jacobian for row in rows])
    wanted = [negative(plus(row.bias, dot(x, load))) for row, x in zip(rows, metric.shared, strict=True)]
    multipliers = metric.multipliers(wanted)
    pushed = [plus(a, b) for a, b in zip(load, metric.pushed(multipliers), strict=True)]
    found = factors.outwards(factors.shared(pushed))
    power = power_of(m, equations.applied, found, rows, multipliers)
    return Solution(m, found, rows, multipliers, metric.own, metric.alone, power, metric, equations)


def check_closed_form(m: Mechanism) -> None:
    """Refuse what the derivation cannot write down."""
    if m.elastic:
        raise ModelError(f"method 'symbolic' is for rigid bodies, and '{next(iter(m.elastic))}' can deform")
    if m.opaque:
        label = next(iter(m.opaque.values()))
        raise ModelError(f"{label} has no closed form; method 'symbolic' needs one for every force and motion")
    if m.entries.signals:
        name = next(iter(m.entries.signals.values()))
        raise ModelError(f"'{name}' is a signal, which is not known to method 'symbolic' as a formula of the state")
    users = sorted(set(m.entries.functions) - set(m.entries.tables))
    if users:
        raise ModelError(f"{users[0]} is a function in Python, which is not known to method 'symbolic' as a formula")
    if len(m.speeds) > m.n_tree:
        names = ", ".join(f"'{channel}'" for channel in m.speed_channels[m.n_tree :][:3])
        raise ModelError(f"method 'symbolic' has no unknowns beside the speeds of the tree, and {names} would be some")


def power_of(
    m: Mechanism, applied: list[Node], accelerations: list[Node], rows: list[ConstraintRow], multipliers: list[Node]
) -> Node:
    """τ·v, and where something is driven what its drives give: along given rates alone, inertia and constraint forces."""
    still: dict[Node, Node] = dict.fromkeys(m.speeds, ZERO)
    found = plus(dot(applied, m.speeds), dot(multipliers, [_left_of_rate(m, row, still) for row in rows]))
    if not m.given:
        return found
    wrenches = total_wrenches(m, accelerations)
    motions = [x for body in m.recursion.motion for x in (*body.v, *body.om)]
    given = substituted(motions, still)
    for i, (force, torque) in enumerate(wrenches):
        v, om = tuple(given[6 * i : 6 * i + 3]), tuple(given[6 * i + 3 : 6 * i + 6])
        found = plus(found, plus(dot(force, v), dot(torque, om)))
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
    for i, (motion, (force, torque)) in enumerate(zip(m.recursion.motion, m.recursion.bias(), strict=True)):
        a, alpha = ((ZERO,) * 3, (ZERO,) * 3) if motion.parent < 0 else bodies[motion.parent]
        a, alpha = rotate_back(motion.R, add(a, cross(alpha, motion.rho))), rotate_back(motion.R, alpha)
        for k, s, w in motion.axes:
            a, alpha = add(a, scale(s, accelerations[k])), add(alpha, scale(w, accelerations[k]))
        bodies.append((a, alpha))
        x = m.recursion.bodies.inertia[i]
        force = add(force, add(scale(a, x.mass), cross(alpha, x.first)))
        found.append((force, add(torque, add(symmetric_times(x.second, alpha), cross(x.first, a)))))
    return found
