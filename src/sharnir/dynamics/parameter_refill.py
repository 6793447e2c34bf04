"""Other values of a model's parameters in a system that is there already: only `params` and the initial state are filled again.

The numbers come from the formulas of the model's templates, and from the same functions that fill `params` at assembly. This is
done where those functions need nothing but numbers: trees of rigid bodies whose masses, centres, inertias, positions, points of
joints, initial values, springs and dampers are formulas (decision 27). Everything else is built again, which is right and slower;
so is a value at which something else than a number would change: a mass that becomes zero, an inertia close to its limits. A
plan is compared with models that are built anew, at two other values of all parameters, before it is used.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from sharnir.dynamics.evaluation.inertia_check import check_inertia
from sharnir.dynamics.forces.force_records import force_kernel, forces_along_freedoms, forces_on_bodies
from sharnir.dynamics.initial.coincident_springs import check_springs
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.blocks import Assembly, aligned
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.thread_memory import FirstMemory, ThreadMemory
from sharnir.errors import SharnirError
from sharnir.kernel.mode import CHECKED
from sharnir.model import Body, Joint, Model
from sharnir.model.bodies.body import six
from sharnir.model.bodies.shapes import solid
from sharnir.model.formula import parse
from sharnir.model.frames import Frame
from sharnir.model.links import element_formulas
from sharnir.model.parameters.entry_formulas import names_in, read
from sharnir.model.parameters.template import Template
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.graph import ordered
from sharnir.symbolic.nodes import Name, Node, Number
from sharnir.topology import build_tree

METHODS = ("articulated", "composite", "direct")  # those whose memory holds no numbers of the model
OF_BODIES = {"mass", "com", "inertia", "position"}
OF_JOINTS = {"at", "q", "v", "damping", "stiffness", "rest"}


class NotRefillable(Exception):
    """Something else than numbers would change, or is not known here; the model is built again."""


class LateAssembly(Assembly):
    """An assembly whose model and tree are made when someone asks for them."""

    late: Callable[[], Model]
    original: Model

    @property
    def structure(self) -> Model:
        return self.original

    @cached_property
    def _model(self) -> Model:
        return self.late()

    @property
    def model(self) -> Model:  # type: ignore[override]
        return self._model

    @cached_property
    def tree(self) -> Any:  # type: ignore[override]
        return build_tree(self._model)


class Entries:
    """Formulas and constants, each with a place in one vector of values."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def place(self, entry: Any) -> int:
        """Where the value of a number or formula will stand."""
        self.nodes.append(read(entry).node if isinstance(entry, str) else Number(float(entry)))
        return len(self.nodes) - 1

    def compiled(self) -> Callable[[Mapping[str, float]], list[float]]:
        """One function of the parameters that gives all values; shared parts are computed once."""
        lines: list[str] = []
        texts: dict[Any, str] = {}
        for k, node in enumerate(ordered(self.nodes)):
            parts = [texts[argument] for argument in node.arguments]
            if isinstance(node, Number):
                texts[node] = repr(float(node.value))
                continue
            texts[node] = f"v{k}"
            lines.append(f"    v{k} = {_source(node, parts)}")
        body = "\n".join(lines)
        scope: dict[str, Any] = {"math": math} | {f"f{k}": row.value for k, row in enumerate(ROWS.values())}
        exec(f"def values(p):\n{body}\n    return [{', '.join(texts[node] for node in self.nodes)}]", scope)
        return scope["values"]


def _source(node: Any, parts: list[str]) -> str:
    """Python text of one operation, as `symbolic.evaluation` computes it."""
    if isinstance(node, Name):
        return f"p[{node.name!r}]"
    if node.function in ("+", "*"):
        return f" {node.function} ".join(f"({part})" for part in parts)
    if node.function == "neg":
        return f"-({parts[0]})"
    if node.function in ("sin", "cos"):
        return f"math.{node.function}({parts[0]})"
    return f"float(f{list(ROWS).index(node.function)}({', '.join(parts)}))"


class Refill:
    """How `params` and the initial state of a system follow from parameters.

    >>> import sharnir as sr
    >>> m = sr.Model(parameters={"l": 1.0})
    >>> bob = m.add(sr.Body("bob", mass=1, position=("l", 0, 0)))
    >>> _ = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
    >>> Refill(m.compile()).system({"l": 0.5}).accelerations([0.0], [0.0])
    array([19.62])
    """

    def __init__(self, system: Any) -> None:
        self.base, self.model = system, system.origin.model
        self.baked = _baked(self.model) & set(self.model.parameters)
        _check_structure(system)
        self.entries = Entries()
        place = system.assembly.placement
        self.mass: list[tuple[int, int]] = []  # body, place of the value
        self.com: list[tuple[int, int, int]] = []  # body, component, place of the value
        self.position: list[tuple[int, int, int]] = []
        self.points: list[tuple[int, int, int]] = []  # of the joint that leads to a body
        self.inertia: list[tuple[int, int, int, float]] = []  # body, which of the six, place of the value, its factor
        for k, name in enumerate(system.tree.bodies):
            self._add_body(k, self.model.bodies[name])
        self.joint_numbers: list[tuple[int, int, int]] = []  # place of the value, speed, column of P_COORDINATE
        self.starts: list[tuple[int, str, int]] = []  # place of the value, "q" or "v", number
        for k, joint in enumerate(system.tree.joints):
            self._add_joint(k, joint)
        given = self.model._gravity_formulas
        self.gravity = None if given is None else [self.entries.place(x) for x in given]
        self.forces = forces_on_bodies(self.model)
        self.templates = {x.name: self.model.template(x) for x in self.forces}
        self.values = self.entries.compiled()
        self._settle_cells(len(place.parent) - len(system.tree.bodies))

    def _settle_cells(self, first: int) -> None:
        """Where values go, as arrays of indices; `first` is the number of the first body of the tree."""
        self.cells: dict[str, tuple[Any, np.ndarray]] = {}
        if self.mass:
            rows, numbers = np.array(self.mass).T
            self.cells["mass"] = ((rows + first,), numbers)
        for target, cells in (("com", self.com), ("user_position", self.position), ("position", self.points)):
            if cells:
                rows, columns, numbers = np.array(cells).T
                self.cells[target] = ((rows + first, columns), numbers)
        if self.inertia:
            rows, columns, numbers, factors = (np.array(x) for x in zip(*self.inertia, strict=True))
            i, j = np.array([0, 1, 2, 0, 0, 1])[columns], np.array([0, 1, 2, 1, 2, 2])[columns]
            self.inertia_cells = ((rows + first, i, j), numbers, factors, np.unique(rows) + first)

    def _add_body(self, k: int, body: Body) -> None:
        template = self.model.template(body)
        if template is None:
            return
        if template.formula_fields - OF_BODIES or body.velocity is not None or body.angular_velocity is not None:
            raise NotRefillable
        given, formulas, place = template.entries, template.formula_fields, self.entries.place
        if "mass" in formulas:
            mass = place(given["mass"])
            self.mass.append((k, mass))
            if given.get("inertia") is None and body.shapes:
                self.inertia += [(k, j, mass, unit) for j, unit in enumerate(six(np.array(solid(body.shapes)[2])))]
        if "inertia" in formulas:
            if len(given["inertia"]) not in (3, 6) or not all(isinstance(x, (str, int, float)) for x in given["inertia"]):
                raise NotRefillable
            self.inertia += [(k, j, place(x), 1.0) for j, x in enumerate(given["inertia"])]
        for field, target in (("com", self.com), ("position", self.position)):
            if field in formulas:
                target += [(k, j, place(x)) for j, x in enumerate(given[field])]

    def _add_joint(self, k: int, joint: Joint) -> None:
        template = self.model.template(joint) if joint.name in self.model.joints else None
        moves = "position" in self._fields(joint.child) if joint.at is None else False
        if moves and joint.coordinates != "free":  # the joint goes with its child
            at = self.model.template(self.model.bodies[str(joint.child)]).entries["position"]
            self.points += [(k, j, self.entries.place(x)) for j, x in enumerate(at)]
        elif joint.coordinates == "free" and "position" in self._fields(self.base.tree.bodies[k]):
            at = self.model.template(self.model.bodies[self.base.tree.bodies[k]]).entries["position"]
            self.points += [(k, j, self.entries.place(x)) for j, x in enumerate(at)]
        if template is None:
            return
        formulas, c = template.formula_fields, self.base.assembly.coordinates
        if formulas - OF_JOINTS or (formulas - {"at"} and (joint.coordinates != "angles" or any(joint.driven))):
            raise NotRefillable
        if "at" in formulas and joint.coordinates != "free":
            self.points += [(k, j, self.entries.place(x)) for j, x in enumerate(template.entries["at"])]
        for field in formulas - {"at"}:
            entry = template.entries[field]
            listed = entry if isinstance(entry, tuple) else (entry,) * joint.n_v
            for freedom, value in enumerate(listed):
                speed, number = c.speed_of[joint.name, freedom], self.entries.place(value)
                if field in ("q", "v"):
                    self.starts.append((number, field, c.coordinate_of[joint.name, freedom] if field == "q" else speed))
                else:
                    self.joint_numbers.append((number, speed, 1 + ("damping", "stiffness", "rest").index(field)))

    def _fields(self, body: Any) -> set[str]:
        template = self.model.template(self.model.bodies[body]) if body in self.model.bodies else None
        return set() if template is None else template.formula_fields

    def system(self, parameters: Mapping[str, float]) -> Any:
        """The system for these values of all parameters; NotRefillable if more than numbers would change."""
        with np.errstate(all="ignore"):
            values = np.array(self.values(parameters))
        if not np.isfinite(values).all():
            raise NotRefillable
        base = self.base
        table, params = base.table, base.pristine.params.copy()
        place = self._placement(values)
        if self.gravity is not None:
            params[:3] = values[self.gravity]
        _fill(params, table[L.P_BODY], place.body_params())
        _fill(params, table[L.P_FRAME], place.frame_params())
        linear = params[table[L.P_COORDINATE] :][: base.n_v * L.P_COORDINATE_SIZE].reshape(-1, L.P_COORDINATE_SIZE)
        before = linear.copy()
        for number, speed, column in self.joint_numbers:
            linear[speed, column] = values[number]
            if column < 3 and values[number] < 0.0:
                raise NotRefillable
        if not np.array_equal(linear != 0.0, before != 0.0):  # a damper that vanishes, or appears
            raise NotRefillable
        light = self._write_forces(params, parameters, place, values)
        return self._copy(params, place, values, light, parameters)

    def _placement(self, values: np.ndarray) -> Any:
        """Engine frames and masses with other numbers, or NotRefillable where bodies could have become other ones."""
        old = self.base.assembly.placement
        new = copy.copy(old)
        for target, (cells, numbers) in self.cells.items():
            changed = getattr(old, target).copy()
            changed[cells] = values[numbers]
            setattr(new, target, changed)
        if self.inertia:
            (rows, i, j), numbers, factors, changed_rows = self.inertia_cells
            entry = values[numbers] * factors
            new.inertia = old.inertia.copy()
            new.inertia[rows, i, j] = entry
            new.inertia[rows, j, i] = entry
            _check_inertias(new.inertia[changed_rows])
            if not np.array_equal(new.inertia != 0.0, old.inertia != 0.0):
                raise NotRefillable
        if not (np.array_equal(new.mass > 0.0, old.mass > 0.0) and np.all(new.mass >= 0.0)):
            raise NotRefillable
        return new

    def _write_forces(self, params: np.ndarray, parameters: Mapping[str, float], place: Any, values: np.ndarray) -> Model:
        """Records of forces again, by the functions that have written them; the model with their numbers, for checks."""
        light = copy.copy(self.model)
        if not self.forces:
            return light
        made = {name: template.element(parameters) for name, template in self.templates.items() if template is not None}
        light._forces = {name: made.get(name, force) for name, force in self.model.forces.items()}
        first = len(place.parent) - len(self.base.tree.bodies)
        rotations = {name: body.rotation for name, body in self.model.bodies.items()}
        placed = {name: _frame(place.user_position[k + first], rotations[name]) for k, name in enumerate(self.base.tree.bodies)}
        placed["ground"] = Frame()
        drawing = Drawing(light, self.base.assembly.coordinates, place, placed, _NoFunctions(), {})  # type: ignore[arg-type]
        start = int(self.base.table[L.T_FORCE])
        for k, force in enumerate(forces_on_bodies(light)):
            row = self.base.table[start + k * L.T_FORCE_SIZE :][: L.T_FORCE_SIZE]
            sections = _Sections(params, int(row[L.F_PARAMS]))
            written = np.zeros(L.T_FORCE_SIZE, np.int64)
            force_kernel(force).write(sections, written, force, drawing)  # type: ignore[arg-type]
            fixed = [L.BODY_A, L.BODY_B, L.F_PARAMS]
            same = force.conservative == self.model.forces[force.name].conservative
            if not same or not np.array_equal(written[fixed], row[fixed]):
                raise NotRefillable
        return light

    def _copy(self, params: np.ndarray, place: Any, values: np.ndarray, light: Model, parameters: Mapping[str, float]) -> Any:
        """A system with these numbers, in memory of its own."""
        base, given = self.base, dict(parameters)
        other = copy.copy(base)
        for name in ("_extents", "constraint_names", "least_norm_twin", "redundancy"):
            other.__dict__.pop(name, None)
        work = aligned([np.zeros(base.pristine.work.size)])
        work[base.pristine.places] = base.pristine.values
        other.table = base.table.copy()
        other.pristine = FirstMemory(other.table, params, work)
        other._memory = ThreadMemory(other.pristine)
        other.q0, other.v0, other.z0 = base.start[0].copy(), base.start[1].copy(), base.start[2].copy()
        for number, letter, k in self.starts:
            (other.q0 if letter == "q" else other.v0)[k] = values[number]
        old = base.assembly
        other.assembly = copy.copy(old)
        other.assembly.placement, other.assembly.model = place, light
        coordinates = replace(old.coordinates, q0=other.q0.tolist(), v0=other.v0.tolist())
        other.assembly.coordinates = coordinates
        check_inertia(other)
        check_springs(other)
        late = object.__new__(LateAssembly)
        late.__dict__.update({name: x for name, x in other.assembly.__dict__.items() if name not in ("model", "tree")})
        late.late, late.original = lambda: self.model.with_parameters(**given), self.model
        other.assembly, other.numbers_only, other.may_derive = late, True, False
        return other


def _fill(params: np.ndarray, at: int, numbers: np.ndarray) -> None:
    params[at : at + numbers.size] = numbers.ravel()


def _frame(position: np.ndarray, rotation: Any) -> Frame:
    """A frame without the checks of its constructor."""
    frame = object.__new__(Frame)
    object.__setattr__(frame, "position", tuple(position.tolist()))
    object.__setattr__(frame, "rotation", rotation)
    return frame


def _check_inertias(inertia: np.ndarray) -> None:
    """Moments of bodies that are physical without doubt; others are left to the usual checks."""
    low, middle, high = np.linalg.eigvalsh(inertia).T
    if not (np.all(low >= -1e-10 * high) and np.all(high <= (low + middle) * (1.0 + 1e-10) + 1e-300)):
        raise NotRefillable


def _baked(model: Model) -> set[str]:
    """Parameters that compiled formulas contain as numbers."""
    elements: Iterator[Any] = (
        x for part in (model.joints, model.forces, model.constraints, model.signals, model.events) for x in part.values()
    )
    found: set[str] = set()
    for x in elements:
        tables = getattr(x, "table_sizes", None)
        for _, text, _ in element_formulas(x):
            found |= parse(text, (), None, tables=tables).names if tables else names_in(text)
    return found


def _check_structure(system: Any) -> None:
    """Refuse what this file does not know how to fill."""
    a, model = system.assembly, system.origin.model
    settings = system.origin.settings
    plain = not (
        a.elements or a.coordinates.elastic or a.program or a.coordinates.mimics or a.functions.tanks or a.coordinates.z0
    )
    plain = plain and system.method in METHODS and a.model is model and not CHECKED
    plain = plain and not (model.signals or model.events or model.constraints or model.base_motion or model.released)
    plain = plain and settings["initial"] is None and settings["formulation"] == "joint" and not settings["cut"]
    plain = plain and not any(joint.uses_frames or joint.mimic for joint in model.joints.values())
    along = {force.label for force in forces_along_freedoms(model)}
    templates: list[Template] = model.templates
    plain = plain and not (along and any(issubclass(x.kind, Joint) and x.formula_fields - {"at", "q", "v"} for x in templates))
    plain = plain and not any(template.label in along for template in templates)
    bodies = (body for body in model.bodies.values())
    if not plain or any(body.velocity is not None or body.angular_velocity is not None for body in bodies):
        raise NotRefillable


class _NoFunctions:
    """Stands where compiled functions are; who needs one cannot be filled again."""

    def __getattr__(self, name: str) -> Any:
        raise NotRefillable


class _Sections:
    """Takes the sections of `params` that a force writes, into the places that it has."""

    def __init__(self, params: np.ndarray, at: int) -> None:
        self.params, self.at = params, at

    def append(self, block: str, slot: int | None, numbers: Any) -> int:
        """Write a section behind the one before."""
        if block != "params" or slot is not None:
            raise NotRefillable
        section = np.asarray(numbers, float).ravel()
        start = self.at
        self.params[start : start + section.size] = section
        self.at += section.size
        return start


def refilled(system: Any, parameters: Mapping[str, float]) -> Any:
    """The system for other values of all parameters by filling its numbers again; None where it has to be built."""
    origin = system.origin
    if system.derived is not None:  # its code has the numbers in it
        return None
    if origin.plan is None:
        origin.plan = _checked_plan(origin)
    plan, known = origin.plan, origin.model.parameters
    if plan is False or any(parameters[name] != known[name] for name in plan.baked):
        return None
    try:
        return plan.system(parameters)
    except (NotRefillable, SharnirError):
        return None  # building again says what is wrong, if something is


def _checked_plan(origin: Any) -> Any:
    """A plan that gives the same as building anew, at two other values of all parameters; False if there is none.

    Where a number that is zero becomes another one, more than numbers may change; parameters that are zero then stay so.
    """
    try:
        plan = Refill(origin.system)
        if _holds(plan, origin):
            return plan
        plan.baked |= {name for name, value in origin.model.parameters.items() if value == 0.0}
        return plan if _holds(plan, origin) else False
    except NotRefillable:
        return False


def _holds(plan: Refill, origin: Any) -> bool:
    """Whether a plan gives the same as building anew."""
    model = origin.model
    try:
        for factor in (1.0625, 0.890625):
            values = {name: _other_value(name, value, factor, model, plan.baked) for name, value in model.parameters.items()}
            if not _same(plan.system(values), origin.build(values)):
                return False
    except (NotRefillable, SharnirError):
        return False
    return True


def _other_value(name: str, value: float, factor: float, model: Model, baked: set[str]) -> float:
    """A value near the one that a parameter has, within its range."""
    if name in baked:
        return value
    note = model.parameters.notes.get(name)
    low, high = (-math.inf, math.inf) if note is None or note.range is None else note.range
    return min(max(value * factor if value else factor - 1.0, low), high)


def _same(a: Any, b: Any) -> bool:
    """Whether two systems have the same numbers, to rounding; addresses of functions are not compared."""
    if a.params.shape != b.params.shape or a.work.shape != b.work.shape or a.table.shape != b.table.shape:
        return False
    if not np.array_equal(a.table[: L.HEADER], b.table[: L.HEADER]):
        return False
    scale = 1e-13 * (1.0 + np.abs(b.params))
    return bool((np.abs(a.params - b.params) <= scale).all() and np.allclose(a.y0, b.y0, rtol=1e-14, atol=1e-300))
