"""Numbers of many systems at once, one system for each row of a table of parameter values.

A plan (parameter_refill.py) writes the sections of one system after the other, in Python. Most numbers in these sections are the
value of a formula, the difference of two, or the inertia of a body in the engine's frame. Which formula stands where is seen from
a few systems that the plan has filled; then all formulas are one function of machine code, and frames and inertias are computed
for all systems together. What is found that way is compared with the plan bit by bit, at the outermost values again. Where
anything else depends on a parameter, there is no such table, and the plan is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from sharnir.dynamics.assembly import STAGES
from sharnir.dynamics.initial.driven_mimics import with_driven_followers
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.engine_frames import Placement
from sharnir.dynamics.memory.memory_builder import Assembly, aligned
from sharnir.dynamics.parameter_refill import NotRefillable, Refill, other_value, with_joints
from sharnir.errors import ModelError
from sharnir.kernel.formulas.translation import Untranslatable
from sharnir.kernel.formulas.vector_formula import Step, vector_formula
from sharnir.kernel.mode import PLAIN
from sharnir.kernel.signatures import VECTOR_C
from sharnir.model import Body, Model
from sharnir.model.changed_structure import at_start
from sharnir.model.formula.expression import literal
from sharnir.model.value_plan import Entries, NotPlain, ValuePlan, check_moments
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import Call, Name, Number
from sharnir.topology import Tree

BODIES = STAGES[0]
SAMPLES = 5  # systems in which formulas are recognized, beside the one that is there
LARGEST = 400  # formulas: pairs of them are looked at
Place = tuple[int, int, float, float]  # formula, another one that is subtracted or -1, sign, constant that is added


class VariedAssembly(Assembly):
    """An assembly with other numbers; the model and its tree are made when somebody asks for them.

    Elements of constraints are those of the first assembly: their numbers have been written, and nobody reads them again.
    """

    def __init__(self, plan: Refill, parameters: Mapping[str, float], coordinates: Any, placement: Placement) -> None:
        base = plan.base.assembly
        shared = ("blocks", "functions", "force_outputs", "elements", "pairs", "program", "way")
        self.__dict__.update({name: getattr(base, name) for name in shared})
        self.coordinates, self.placement = coordinates, placement
        self._plan, self._parameters = plan, parameters

    @property
    def structure(self) -> Model:
        """A model with the same elements, whose numbers may be others."""
        return self._plan.base.assembly.model

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints of the tree."""
        return self._plan.base.assembly.joint_names

    @cached_property
    def model(self) -> Model:  # type: ignore[override]
        """The model with these values."""
        model = self._plan.origin.varied(self._parameters)
        return with_driven_followers(at_start(model) if model.events else model)

    @cached_property
    def tree(self) -> Any:  # type: ignore[override]
        """The tree with joints of that model."""
        base = self._plan.base.assembly.tree
        tree = object.__new__(VariedTree)
        tree.__dict__.update(base.__dict__, made=lambda: with_joints(base, self.model))
        for name in ("joints", "cuts"):
            del tree.__dict__[name]
        return tree


class VariedTree(Tree):
    """A tree whose joints are made when somebody asks for them."""

    def __getattr__(self, name: str) -> Any:
        if name not in ("joints", "cuts"):
            raise AttributeError(name)
        whole = self.__dict__["made"]()
        self.__dict__.update(joints=whole.joints, cuts=whole.cuts)
        return self.__dict__[name]


class ParameterTable:
    """How the numbers of many systems follow from a table of parameters; NotRefillable where a plan has to do it.

    >>> import sharnir as sr
    >>> m = sr.Model(parameters={"l": 1.0})
    >>> bob = m.add(sr.Body("bob", mass=1, position=("l", 0, 0)))
    >>> _ = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
    >>> table = ParameterTable(Refill(m.compile().origin, set()))
    >>> [float(s.accelerations([0.0], [0.0])[0]) for s in table.systems([{"l": 0.5}, {"l": 2.0}])]
    [19.62, 4.905]
    """

    def __init__(self, plan: Refill) -> None:
        if plan.turned or plan.repoints or plan.base.assembly.structure.base_motion is not None:
            raise NotRefillable
        self.plan, self.values = plan, plan.origin.values
        self.varied = {name for name in plan.origin.model.parameters if name not in plan.fixed}
        self._check_elements()
        self.formulas = _Formulas(self.values, plan.origin.model)
        self.made = [template for _, _, template in self.values.made if template.parameters & self.varied]
        samples = self._samples()
        systems = [plan.base, *(plan.system(row) for row in samples[1:])]
        if len(self.formulas) > LARGEST:
            raise NotRefillable
        F = np.array([self.formulas.python(row) for row in samples])
        self.formulas.check(samples)
        known = _Known(F)
        self.frames = _Frames(self.values, plan)
        self.places = {name: _places(known, [_numbers(s, name) for s in systems], self._left(name)) for name in NUMBERS}
        self.box = np.array([[row[name] for name in self.formulas.names] for row in samples[:1]]).repeat(2, axis=0)
        self._compare(samples[1:], systems[1:])

    def _check_elements(self) -> None:
        """Bodies whose numbers follow from shapes, not from formulas, are left to the plan; so are velocities of bodies."""
        for part, _, template in self.values.made:
            if part == "_bodies" and template.parameters & self.varied:
                raise NotRefillable
        for body in self.plan.base.assembly.structure.bodies.values():
            if not isinstance(body, Body) or body.velocity is not None or body.angular_velocity is not None:
                raise NotRefillable

    def _samples(self) -> list[dict[str, float]]:
        """Values of parameters, the given ones first."""
        rng, model = np.random.default_rng(7), self.plan.origin.model
        rows = [dict(model.parameters)]
        for _ in range(SAMPLES):
            factors = 1.0 + rng.uniform(0.01, 0.06, len(model.parameters)) * rng.choice([-1.0, 1.0], len(model.parameters))
            rows.append(
                {
                    name: other_value(name, value, float(factor), model, self.plan.fixed)
                    for (name, value), factor in zip(model.parameters.items(), factors, strict=True)
                }
            )
        return rows

    def _left(self, name: str) -> np.ndarray:
        """Places of a block that frames and inertias fill, or the start of a run."""
        left = np.zeros(len(_numbers(self.plan.base, name)), bool)
        if name == "params":
            left[3 : L.P_HEADER] = True
            for start, end in self.frames.sections.values():
                left[start:end] = True
        return left

    def _compare(self, rows: list[dict[str, float]], systems: list[Any]) -> None:
        """Refuse what does not give the numbers of the plan to the last bit; what it does give then counts as looked at."""
        for made, system in zip(self._made(rows), systems, strict=True):
            same = all(
                np.array_equal(_numbers(made, name), _numbers(system, name), equal_nan=True) for name in ("params", "work")
            )
            if not same or not np.array_equal(made.y0, system.y0):
                raise NotRefillable
        given = np.array([[row[name] for name in self.formulas.names] for row in rows])
        self.box = np.array([np.minimum(self.box[0], given.min(0)), np.maximum(self.box[1], given.max(0))])

    def systems(self, rows: list[dict[str, float]]) -> list[Any]:
        """Systems for these values of all parameters; NotRefillable where one of them is not just another set of numbers."""
        given = np.array([[row[name] for name in self.formulas.names] for row in rows])
        outside = np.flatnonzero(((given < self.box[0]) | (given > self.box[1])).any(0))
        if outside.size:  # the outermost values are looked at
            ends = {int(k) for j in outside for k in (given[:, j].argmin(), given[:, j].argmax())}
            self._compare([rows[k] for k in sorted(ends)], [self.plan.system(rows[k]) for k in sorted(ends)])
        return list(self._made(rows))

    def _made(self, rows: list[dict[str, float]]) -> Iterator[Any]:
        """Systems one after the other, their numbers computed together."""
        F, base = self.formulas.of_rows(rows), self.plan.base
        bounded = self.formulas.place_of[self.values.bounded]
        if not np.isfinite(F).all() or (F[:, bounded] < 0.0).any():
            raise NotRefillable
        try:
            for row in rows:
                for template in self.made:
                    template.element(row)
            placements = self.frames.placements(F, self.formulas.place_of)
        except (NotPlain, ModelError):
            raise NotRefillable from None
        params = np.tile(base.pristine.params, (len(rows), 1))
        self._fill(params, F, "params")
        for slot, section in self.frames.sections_of(placements).items():
            start, end = self.frames.sections[slot]
            params[:, start:end] = section
        others = {name: np.tile(_numbers(base, name), (len(rows), 1)) for name in NUMBERS if name != "params"}
        for name, numbers in others.items():
            self._fill(numbers, F, name)
        for k, row in enumerate(rows):
            c = replace(base.assembly.coordinates, **{name: others[name][k].tolist() for name in ("q0", "v0", "z0")})
            assembly = VariedAssembly(self.plan, row, c, self.frames.placement(placements, k))
            yield self.plan.started(assembly, base.table.copy(), params[k].copy(), aligned([others["work"][k]]))

    def _fill(self, numbers: np.ndarray, F: np.ndarray, name: str) -> None:
        """Values of formulas at their places, in all rows."""
        places, first, second, sign, constant = self.places[name]
        numbers[:, places] = (sign * F[:, first] - np.where(second >= 0, F[:, second], 0.0) * sign) + constant


NUMBERS = ("params", "work", "q0", "v0", "z0")


def _numbers(system: Any, name: str) -> np.ndarray:
    """Numbers of a system as they were before its start was looked for."""
    if name == "params":
        return np.asarray(system.pristine.params)
    if name == "work":
        work = np.zeros(system.pristine.work.size)
        work[system.pristine.places] = system.pristine.values
        return work
    c = system.assembly.coordinates
    return np.array(getattr(c, name), float)


class _Formulas:
    """All formulas of a model in place of numbers, and its parameters, as one function: in Python, and in machine code.

    names : of the parameters.   place_of : where the values of the entries of a ValuePlan stand among these.
    """

    def __init__(self, values: ValuePlan, model: Model) -> None:
        self.names = list(model.parameters)
        texts = [text for _, _, template in values.made for _, text in template.formulas()]
        more = Entries()
        for text in texts:
            more.place(text)
        nodes = dict.fromkeys([*(Name(name) for name in self.names), *values.entries.nodes, *more.nodes])
        number = {node: k for k, node in enumerate(nodes)}
        self.place_of = np.array([number[node] for node in values.entries.nodes], int)
        self._entries = Entries()
        self._entries.nodes = list(nodes)
        self._values = self._entries.compiled()
        self.compiled = False

    def __len__(self) -> int:
        return len(self._entries.nodes)

    def python(self, row: Mapping[str, float]) -> list[float]:
        """Values of all of them."""
        with np.errstate(all="ignore"):
            try:
                return self._values(row)
            except (ArithmeticError, ValueError):
                raise NotRefillable from None

    def of_rows(self, rows: list[dict[str, float]]) -> np.ndarray:
        """The same for many sets of values, (rows, formulas)."""
        if not self.compiled or len(rows) == 1:
            return np.array([self.python(row) for row in rows])
        return self._by_code(rows)

    def check(self, rows: list[dict[str, float]]) -> None:
        """Use machine code where it gives the numbers of Python to the last bit; powers and exp may be rounded otherwise."""
        self.compiled = not PLAIN and np.array_equal(self._by_code(rows), [self.python(row) for row in rows])

    def _by_code(self, rows: list[dict[str, float]]) -> np.ndarray:
        out, call = np.empty((len(rows), len(self))), VECTOR_C(self._code.address)
        given = np.array([[row[name] for name in self.names] for row in rows])
        for k in range(len(rows)):
            call(given[k].ctypes.data, out[k].ctypes.data)
        return out

    @cached_property
    def _code(self) -> Any:
        """In machine code, without the freedom to fuse and to divide: the numbers are those of Python."""
        texts: dict[Any, str] = {}
        steps: list[Step] = []
        inputs = tuple(f"p{k}" for k in range(len(self.names)))
        for k, node in enumerate(ordered(self._entries.nodes)):
            if isinstance(node, Number):
                texts[node] = literal(float(node.value))
            elif isinstance(node, Name):
                texts[node] = inputs[self.names.index(node.name)]
            else:
                assert isinstance(node, Call)
                parts = [texts[argument] for argument in node.arguments]
                power = node.function == "^"
                steps.append((f"v{k}", f"math.pow({', '.join(parts)})" if power else ROWS[node.function].source(*parts)))
                texts[node] = f"v{k}"
        outputs = tuple(texts[node] for node in self._entries.nodes)
        try:
            return vector_formula(inputs, outputs, steps=tuple(steps), exact=True)
        except Untranslatable:
            raise NotRefillable from None


class _Known:
    """Formulas by their values in a few systems: which one, or which difference of two, has these values?"""

    def __init__(self, F: np.ndarray) -> None:
        self.F = F + 0.0
        self.single = {self.F[:, k].tobytes(): k for k in reversed(range(F.shape[1]))}

    @cached_property
    def pairs(self) -> dict[bytes, tuple[int, int]]:
        """Differences of two of them."""
        moving = sorted(k for k in self.single.values())
        return {(self.F[:, a] - self.F[:, b]).tobytes(): (a, b) for a in moving for b in moving if a != b}

    def place(self, e: np.ndarray) -> Place:
        """How these values follow from formulas; NotRefillable if they do in another way."""
        for sign in (1.0, -1.0):
            key = (sign * e + 0.0).tobytes()
            if key in self.single:
                return self.single[key], -1, sign, 0.0
        for k in self.single.values():
            for sign in (1.0, -1.0):
                constant = float(f"{np.median(e - sign * self.F[:, k]):.14g}")
                if np.array_equal(sign * self.F[:, k] + constant, e):
                    return k, -1, sign, constant
        key = (e + 0.0).tobytes()
        if key in self.pairs:
            return *self.pairs[key], 1.0, 0.0
        raise NotRefillable


def _places(known: _Known, found: list[np.ndarray], left: np.ndarray) -> tuple[np.ndarray, ...]:
    """Places of numbers that change, and what they are; `left` are those that are found in another way."""
    if any(len(x) != len(found[0]) for x in found):
        raise NotRefillable
    table = np.array(found)
    changed = np.flatnonzero(((table != table[0]) & ~np.isnan(table)).any(0) & ~left)
    made = [known.place(table[:, k]) for k in changed]
    columns = np.array(made, float).reshape(-1, 4).T
    return changed, columns[0].astype(int), columns[1].astype(int), columns[2], columns[3]


class _Frames:
    """Frames, masses and inertias of the bodies of many systems, as numbers of one large drawing."""

    def __init__(self, values: ValuePlan, plan: Refill) -> None:
        a = plan.base.assembly
        self.base, self.count = a.placement, len(a.placement.parent)
        start = {L.P_BODY: L.P_BODY_SIZE, L.P_FRAME: L.P_FRAME_SIZE}
        at = {slot: int(plan.base.table[slot]) for slot in start}
        self.sections = {slot: (at[slot], at[slot] + size * self.count) for slot, size in start.items()}
        self.entries: list[tuple[str, tuple[int, ...], int]] = []  # array, place in it, place of the value
        self.units: list[tuple[int, np.ndarray]] = []  # bodies whose inertia is their mass times these numbers
        self.inertias: set[int] = set()
        plain = {(part, name): dict(fields) for part, name, _, fields in values.plain}
        for i, (body, joint, turned) in enumerate(zip(a.tree.bodies, a.tree.joints, a.tree.reversed, strict=True)):
            own, ends = plain.get(("_bodies", body), {}), plain.get(("_joints", joint.name), {})
            self._take_body(i, own)
            if joint.coordinates == "free" or (joint.at is None and not turned):
                point = own.get("position")
            elif joint.at is None:
                point = plain.get(("_bodies", str(joint.child)), {}).get("position")
            else:
                point = ends.get("at")
            self._take("position", i, point)
        self.indices = {name: self._indices(name) for name in {name for name, _, _ in self.entries}}

    def _indices(self, array: str) -> tuple[np.ndarray, np.ndarray]:
        """Places in an array, and those of the values."""
        shape = getattr(self.base, array).shape
        listed = [(np.ravel_multi_index(at, shape), place) for name, at, place in self.entries if name == array]
        found = np.array(listed).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def _take(self, array: str, i: int, places: Any) -> None:
        self.entries += [(array, (i, k), place) for k, place in enumerate(places or ())]

    def _take_body(self, i: int, fields: Mapping[str, Any]) -> None:
        self._take("user_position", i, fields.get("position"))
        self._take("com", i, fields.get("com"))
        self.entries += [("mass", (i,), place) for place in fields.get("mass", ())]
        if "unit" in fields:
            self.units.append((i, fields["unit"]))
        if "inertia" in fields:
            self.inertias.add(i)
            corners = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            for (j, k), place in zip(corners, fields["inertia"], strict=False):
                self.entries += [("inertia", (i, *at), place) for at in {(j, k), (k, j)}]

    def placements(self, F: np.ndarray, place_of: np.ndarray) -> Placement:
        """The bodies of all systems, one system after the other."""
        b, runs, n = self.base, len(F), self.count
        arrays = {name: np.tile(getattr(b, name), (runs,) + (1,) * getattr(b, name).ndim) for name in FRAMES}
        for name, (at, places) in self.indices.items():
            arrays[name].reshape(runs, -1)[:, at] = F[:, place_of[places]]
        for i, unit in self.units:
            arrays["inertia"][:, i] = arrays["mass"][:, i, None, None] * unit
        J = arrays["inertia"][:, sorted(self.inertias)].reshape(-1, 3, 3)
        check_moments(J)
        own = np.array(b.parent)
        parent = (np.where(own < 0, own, own + n * np.arange(runs)[:, None])).ravel().tolist()
        return replace(b, parent=parent, **{name: x.reshape(-1, *x.shape[2:]) for name, x in arrays.items()})

    def sections_of(self, all_of_them: Placement) -> dict[int, np.ndarray]:
        """What stands in `params` of each system."""
        found = {L.P_BODY: all_of_them.body_params(), L.P_FRAME: all_of_them.frame_params()}
        return {slot: x.reshape(-1, x.shape[1] * self.count) for slot, x in found.items()}

    def placement(self, all_of_them: Placement, k: int) -> Placement:
        """That of one system."""
        own = slice(k * self.count, (k + 1) * self.count)
        return replace(self.base, **{name: getattr(all_of_them, name)[own] for name in FRAMES})


FRAMES = ("rotation", "position", "user_rotation", "user_position", "mass", "com", "inertia", "joint_axes")
