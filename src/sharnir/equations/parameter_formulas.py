"""Numbers of a model as formulas of its parameters: found from models with other values, and checked on more of them.

Every number that the derivation asks for is counted. Those that change with parameters are sums of formulas that the user gave
(`mass="rho*l"`), times constants, wherever a model is drawn with formulas of lengths; which sums, models with other values tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from sharnir.equations.closure import close_loops
from sharnir.equations.elements.constraints import add_constraints
from sharnir.equations.elements.forces import applied_forces
from sharnir.equations.letters import Letters, settled_entry
from sharnir.equations.mechanism import Mechanism
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.model.changed_structure import at_start
from sharnir.model.parameters.entry_formulas import read
from sharnir.model.placement import open_joints
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.expression_graph import names_of
from sharnir.symbolic.matrices import Vector
from sharnir.symbolic.nodes import Name, Node, Number, product, total
from sharnir.topology import Tree, build_tree, free_tree

SPREAD = 0.2  # how far other values of parameters are from the given ones
NEAREST = 1e-3  # the same, at least
FURTHER = 6  # models beyond those that are needed to find the formulas: they check them
EXACT = 1e-11  # error of a formula, relative to its terms
ROUNDING = 1e-12  # error of a coefficient that is meant to be a simple number
INDEPENDENT = 1e-7  # what a formula must have of its own to count as another one


@dataclass
class ParameterLetters(Letters):
    """Letters, or numbers, with the model's own parameters where numbers follow from them; `asked` are all numbers in order.

    formulas : by the number of a number, what it is in terms of parameters.
    """

    parameters: Mapping[str, float] = field(default_factory=dict)
    formulas: dict[int, Node] = field(default_factory=dict)
    asked: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.taken |= set(self.parameters)

    def number(self, value: float, letter: str, *below: str) -> Node:
        """A formula of parameters, a letter, or a number."""
        k = len(self.asked)
        self.asked.append(float(value))
        if k not in self.formulas:
            return super().number(value, letter, *below)
        for name in names_of(self.formulas[k]):
            self.parameter(name, self.parameters[name])
        return self.formulas[k]

    def parameter(self, name: str, value: float) -> Node:
        """A parameter under its own name."""
        self.values[name] = float(value)
        return Name(name)

    def gravity(self, gravity: Any) -> Vector:
        """By components if they follow from parameters."""
        first = len(self.asked)
        if any(first + k in self.formulas for k in range(3)):
            return tuple(self.number(x, "g", axis) for x, axis in zip(gravity, "xyz", strict=True))
        self.asked += map(float, gravity)
        size = sum(x * x for x in gravity) ** 0.5
        if not self.wanted or size == 0.0 or "g" not in self.parameters:
            return super().gravity(gravity)
        own = self.name(size, "g", "0")  # the model has another g
        return tuple(Number(settled_entry(x / size)) * Name(own) for x in gravity)


def derivation_tree(model: Model, absolute: bool) -> Tree:
    """The tree along which equations are derived; `absolute`: every body hangs on the ground by a free joint."""
    return free_tree(model) if absolute else build_tree(model, open_joints(model))


def parameter_letters(model: Model, wanted: bool, absolute: bool = False) -> ParameterLetters:
    """Letters for a model whose numbers are formulas of its parameters; a ModelError says which number is no sum of formulas."""
    plain = dict(model.parameters)
    features = feature_nodes(model)
    if not features:
        return ParameterLetters(wanted, parameters=plain)
    changed = list(changed_models(model, features, len(features) + FURTHER))
    samples = [plain, *(dict(x.parameters) for x in changed)]
    rows = [asked_numbers(at_start(x) if x.events else x, absolute) for x in (model, *changed)]
    if any(len(row) != len(rows[0]) for row in rows):
        raise ModelError(f"model '{model.name}': parameters change more than numbers of the equations; leave letters out")
    table = np.array([evaluated(features, values) for values in samples])
    return ParameterLetters(wanted, parameters=plain, formulas=fitted(model, features, table, np.array(rows)))


def feature_nodes(model: Model) -> list[Node]:
    """Parameters that stand in the place of numbers, and the formulas that do; short ones first."""
    texts = [text for template in model.templates for _, text in template.formulas()]
    texts += [text for text in model._gravity_formulas or () if isinstance(text, str)]
    nodes = {read(text).node: None for text in texts}
    used = names_of(*nodes)
    found: dict[Node, None] = dict.fromkeys(Name(name) for name in model.parameters if name in used)
    found |= dict.fromkeys(sorted((node for node in nodes if names_of(node)), key=lambda node: node.size))
    return list(found)


def changed_models(model: Model, features: list[Node], count: int) -> Iterator[Model]:
    """Models with other values of the parameters, inside of their ranges; closer ones where those are impossible."""
    rng, names, spread = np.random.default_rng(3), sorted(names_of(*features)), SPREAD
    while count:
        values = {}
        for name, x in zip(names, rng.uniform(-spread, spread, len(names)), strict=True):
            given, note = model.parameters[name], model.parameters.notes.get(name)
            low, high = note.range if note is not None and note.range is not None else (-np.inf, np.inf)
            values[name] = float(min(high, max(low, given * (1.0 + x) if given else abs(x))))
        try:
            yield model.with_parameters(**values)
            count -= 1
        except ModelError:  # a body that is not physical, for instance
            spread *= 0.5
            if spread < NEAREST:
                raise


def asked_numbers(model: Model, absolute: bool) -> list[float]:
    """All numbers that the derivation asks for."""
    letters = ParameterLetters(False, parameters=dict(model.parameters))
    m = Mechanism(model, derivation_tree(model, absolute), letters)
    applied_forces(m)
    close_loops(m)
    add_constraints(m)
    m.ask_origins()
    return letters.asked


def fitted(model: Model, features: list[Node], table: np.ndarray, rows: np.ndarray) -> dict[int, Node]:
    """Formulas of the numbers that change: sums of independent features."""
    basis: list[int] = []
    columns = [np.ones(len(table))]
    for k in range(len(features)):
        rest = table[:, k] - np.stack(columns, 1) @ np.linalg.lstsq(np.stack(columns, 1), table[:, k], rcond=None)[0]
        if np.abs(rest).max() > INDEPENDENT * np.abs(table[:, k]).max():
            basis.append(k)
            columns.append(table[:, k])
    A = np.stack(columns, 1)
    sizes = np.abs(A).max(0)
    found: dict[int, Node] = {}
    for k in np.flatnonzero(np.any(rows != rows[0], axis=0)).tolist():
        x = np.linalg.lstsq(A / sizes, rows[:, k], rcond=None)[0] / sizes
        most = max(np.abs(rows[:, k]).max(), np.abs(x) @ sizes)  # of a small difference of large terms: these
        x = np.array([0.0 if abs(c) * size < EXACT * most else tidy(c) for c, size in zip(x, sizes, strict=True)])
        if np.abs(A @ x - rows[:, k]).max() > EXACT * most:
            names = ", ".join(f"'{name}'" for name in sorted(names_of(*features)))
            raise ModelError(
                f"model '{model.name}': a number of its equations, {rows[0, k]:.6g}, depends on parameters ({names}) in a way "
                "that no formula of the model expresses, such as a distance in the drawing; give it as a formula, or leave "
                "letters out"
            )
        terms = [product(number_node(c), features[j]) for c, j in zip(x[1:], basis, strict=True) if c]
        found[k] = total(*terms, *([number_node(x[0])] if x[0] else []))
    return found


def tidy(c: float) -> float:
    """A coefficient without the rounding of its fit.

    >>> tidy(0.4999999999999), tidy(1 / 3 + 1e-14) == 1 / 3
    (0.5, True)
    """
    for near in (float(Fraction(c).limit_denominator(144)), round(c, 9)):
        if abs(near - c) <= ROUNDING * abs(c):
            return near
    return float(c)


def number_node(c: float) -> Node:
    """An exact quotient where it is one."""
    exact = Fraction(c).limit_denominator(144)
    return Number(exact if float(exact) == c else c)
