"""A joint by formulas as one C function: from coordinates, speeds and given accelerations to its motion and motion axes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np

from sharnir.dynamics.straight_line.graph_code import GraphCode, Lines, called_at, declarations, place
from sharnir.equations.formula_motion import TIME, Derivation
from sharnir.errors import ModelError
from sharnir.kernel.formulas.machine_code import MachineCode
from sharnir.kernel.formulas.vector_formula import vector_formula
from sharnir.kernel.mode import PLAIN
from sharnir.kernel.user import UserFunction
from sharnir.model import FormulaJoint
from sharnir.model.constraints.vector_formula import table_function
from sharnir.model.formula.expression import call_source, literal
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.expression_graph import names_of, ordered, substituted
from sharnir.symbolic.matrices import transposed
from sharnir.symbolic.nodes import Call, Name, Node, Number

SAMPLES = 12  # positions in which a matrix must be a rotation
NEAR_ROTATION = 1e-8


class JointCode:
    """Expressions of a joint, with numbers for the model's parameters.

    inputs : for every freedom, time among them, its value, speed and given acceleration.
    outputs : H (9), r, v, ω, accelerations without q̈ (linear, angular), then the motion axis of every freedom (6).
    """

    def __init__(self, joint: FormulaJoint, parameters: Mapping[str, float], turned: bool) -> None:
        self.tables = {name: (name, f"{name}'", f"{name}''") for name in joint.tables}
        self.functions = {own[k]: (joint.tables[name], k) for name, own in self.tables.items() for k in range(3)}
        x = Derivation(joint, self.tables)
        m, axes = x.motion(turned)
        known: dict[Node, Node] = {Name(name): Number(value) for name, value in parameters.items() if name not in joint.variables}
        parts = [transposed(m.E), m.r, m.v, m.om, m.al, m.aa, *(part for pair in axes for part in pair)]
        self.outputs = substituted([node for part in parts for node in part], known)
        names = [y.name for y in x.freedoms]
        self.inputs = [Name(name + dots) for name in names for dots in ("", "'", "''")]

    def compiled(self) -> UserFunction:
        """As machine code, or as Python where kernels are."""
        return self._interpreted() if PLAIN else self._machine_code()

    def _machine_code(self) -> UserFunction:
        loads = Lines("y")
        known: dict[Node, str] = {
            x: loads.new(f"load double, double* {place(loads, '%in', k)}") for k, x in enumerate(self.inputs)
        }
        kept = {name: table_function(*x) for name, x in self.functions.items()}
        code = GraphCode(known, {name: partial(called_at, f.address) for name, f in kept.items()})
        code.lines = loads.lines
        values = code.values(self.outputs)
        stores = Lines("o")
        for k, value in enumerate(values):
            stores.lines.append(f"store double {value}, double* {place(stores, '%out', k)}")
        body = "\n".join([*code.lines, *stores.lines])
        text = f"{declarations()}\ndefine void @formula(i64 %in, i64 %out) {{\n{body}\nret void\n}}"
        machine = MachineCode(text)
        return UserFunction(machine.address, True, (machine, kept))

    def _interpreted(self) -> UserFunction:
        """One line of Python for every node."""
        own: dict[Node, str] = {x: f"x{k}" for k, x in enumerate(self.inputs)}
        kept = {name: table_function(*x) for name, x in self.functions.items()}
        steps = []
        for k, node in enumerate(ordered(self.outputs, own)):
            if isinstance(node, Number):
                own[node] = literal(float(node.value))
                continue
            assert isinstance(node, Call)
            parts = [own[x] for x in node.arguments]
            text = f"call_scalar({kept[node.function].address}, {parts[0]}, 0.0, 0.0)" if node.function in kept else ""
            steps.append((f"v{k}", text or call_source(node, parts)))
            own[node] = f"v{k}"
        found = vector_formula(tuple(own[x] for x in self.inputs), tuple(own[x] for x in self.outputs), (), tuple(steps))
        return UserFunction(found.address, found.compiled, (found, kept), found)

    def numbers(self, values: Mapping[str, float]) -> np.ndarray:
        """The outputs at given inputs, without the compiler; missing inputs are zero."""
        functions = {name: partial(table.evaluate, derivative=k) for name, (table, k) in self.functions.items()}
        given = {x.name: 0.0 for x in self.inputs} | dict(values)
        return np.array(evaluated(self.outputs, given, functions))


def joint_function(joint: FormulaJoint, parameters: Mapping[str, float], turned: bool) -> UserFunction:
    """The C function of a joint; equal joints share it.

    >>> ring = FormulaJoint("ring", "ground", "car", variables={"q": "rad"}, position=("r*cos(q)", "r*sin(q)", 0))
    >>> joint_function(ring, {"r": 2.0}, False).address > 0
    True
    """
    return _code(*_key(joint, parameters), turned).compiled_once


def check_rotation(joint: FormulaJoint, parameters: Mapping[str, float]) -> None:
    """A matrix of formulas must be a rotation wherever the joint can be: at the start, and in random positions.

    >>> wrong = FormulaJoint("w", "ground", "b", variables={"q": "rad"}, position=(0, 0, 0),
    ...     rotation=(("cos(q)", "-sin(q)", 0), ("sin(q)", "cos(q)", 0), (0, 0, -1)))
    >>> check_rotation(wrong, {})
    Traceback (most recent call last):
    sharnir.errors.ModelError: FormulaJoint 'w': rotation is not a rotation matrix at q = 0: its determinant is -1; ...
    """
    if not joint.is_matrix:
        return
    code, rng = _code(*_key(joint, parameters), False).code, np.random.default_rng(1)
    for k in range(SAMPLES):
        q = np.array(joint.q) + (rng.uniform(-2.0, 2.0, joint.n_v) if k else 0.0)
        at = dict(zip(joint.variables, q, strict=True)) | ({TIME.name: rng.uniform(0.0, 5.0) if k else 0.0})
        try:
            with np.errstate(all="ignore"):
                R = code.numbers(at)[:9].reshape(3, 3).T
        except (ArithmeticError, ValueError):  # outside of what the formulas are for
            continue
        if not np.isfinite(R).all() and k:
            continue
        where = ", ".join(f"{name} = {value:.6g}" for name, value in at.items() if name != "t" or joint.depends_on_time)
        gap, sense = np.abs(R.T @ R - np.eye(3)).max(), np.linalg.det(R)
        if not gap <= NEAR_ROTATION or sense < 0.0:
            said = f"its determinant is {sense:.6g}" if gap <= NEAR_ROTATION else f"Gᵀ G differs from 1 by {gap:.3g}"
            remedy = "columns are the child's axes in the parent's; check it, or give turns (axis, angle)"
            raise ModelError(f"{joint.label}: rotation is not a rotation matrix at {where}: {said}; {remedy}", field="rotation")


class _Kept:
    """The code of a joint and what is made of it."""

    def __init__(self, code: JointCode) -> None:
        self.code = code
        self._compiled: UserFunction | None = None

    @property
    def compiled_once(self) -> UserFunction:
        if self._compiled is None:
            self._compiled = self.code.compiled()
        return self._compiled


def _key(joint: FormulaJoint, parameters: Mapping[str, float]) -> tuple[Any, ...]:
    """What the code of a joint depends on."""
    x = Derivation(joint, {name: (name, name, name) for name in joint.tables})
    entries = [*joint.position, *(entry for part in joint.rotation or () for entry in _flat(part))]
    used = names_of(*(x.node(entry) for entry in entries)) - set(joint.variables) - {TIME.name}
    given = tuple((name, float(parameters[name])) for name in sorted(used))
    return tuple(joint.variables.items()), joint.position, joint.rotation, tuple(joint.tables.items()), given


def _flat(part: Any) -> list[Any]:
    return [x for entry in part for x in _flat(entry)] if isinstance(part, tuple) else [part]


@lru_cache(maxsize=256)
def _code(variables: Any, position: Any, rotation: Any, tables: Any, parameters: Any, turned: bool) -> _Kept:
    joint = FormulaJoint("joint", "a", "b", variables=dict(variables), position=position, rotation=rotation, tables=dict(tables))
    return _Kept(JointCode(joint, dict(parameters), turned))
