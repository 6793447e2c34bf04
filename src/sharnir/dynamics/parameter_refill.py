"""Other values of a model's parameters in a system that is there already: what depends on them is written again, in its place.

The assembly is a list of stages (assembly.py). Which of them depend on parameters is found out by comparing the memory of
systems that are built anew, at two other values of all parameters. For other values, the model is made again (value_plan.py),
and those stages write their sections of `params`, `table` and `work` a second time; all others are copied. Nothing is compiled:
functions of formulas read parameters from memory. Where a section would have another size, or a word of the header would
change, more than numbers has changed, and the system is built anew: right, and slower (decision 27).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sharnir.dynamics.assembly import OF_FUNCTIONS, STAGES, Draft
from sharnir.dynamics.events.event_records import append_actions
from sharnir.dynamics.initial.driven_mimics import with_driven_followers
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.c_functions import Functions
from sharnir.dynamics.memory.coordinates import Coordinates
from sharnir.dynamics.memory.engine_frames import Placement
from sharnir.dynamics.memory.memory_builder import Assembly, Blocks, aligned
from sharnir.dynamics.memory.thread_memory import FirstMemory, ThreadMemory
from sharnir.kernel.mode import CHECKED
from sharnir.model import Model
from sharnir.model.changed_structure import at_start
from sharnir.model.frames import Frame
from sharnir.topology import Tree

BLOCKS = ("table", "params", "work")
ELEMENTS, SIGNALS, CONSTRAINTS = STAGES[3], STAGES[4], STAGES[7]
SKEW, GOLDEN = 1e-8, 0.6180339887498949  # by how much factors of parameters differ: less than most checks of axes notice
Sizes = tuple[int, ...]


class NotRefillable(Exception):
    """More than numbers would change; the system is built anew."""


class Sections:
    """Memory that is there, to be written again section by section; stands in for Blocks.

    >>> sections = Sections({"params": np.zeros(4)}, np.zeros(2, np.int64))
    >>> sections.begin((0, 1, 0), (0, 3, 0))
    >>> sections.append("params", 1, [5.0, 6.0])
    1
    >>> sections.memory["params"]
    array([0., 5., 6., 0.])
    """

    def __init__(self, memory: dict[str, np.ndarray], header: np.ndarray) -> None:
        self.memory, self.header = memory, header
        self._at: dict[str, int] = {}
        self._end: dict[str, int] = {}

    def begin(self, start: Sizes, end: Sizes) -> None:
        """The stage whose sections lie between these places comes next."""
        self._at, self._end = dict(zip(BLOCKS, start, strict=True)), dict(zip(BLOCKS, end, strict=True))

    def append(self, block: str, slot: int | None, values: Any) -> int:
        """Write a section in its place, note its offset in the header slot, and return the offset."""
        section = np.asarray(values, np.int64 if block == "table" else np.float64).ravel()
        at = self._at[block]
        self._at[block] = end = at + section.size
        if end > self._end[block]:
            raise NotRefillable
        self.memory[block][at:end] = section
        if slot is not None:
            self.header[slot] = at
        return at

    def size(self, block: str) -> int:
        """Where the next section of a block begins."""
        return self._at[block]

    @property
    def sizes(self) -> Sizes:
        """The same for all blocks."""
        return tuple(self._at.values())

    def finish(self) -> None:
        """The stage has written what it had written the first time."""
        if self._at != self._end:
            raise NotRefillable


class Refill:
    """How the memory of a system follows from parameters.

    >>> import sharnir as sr
    >>> m = sr.Model(parameters={"l": 1.0})
    >>> bob = m.add(sr.Body("bob", mass=1, position=("l", 0, 0)))
    >>> _ = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
    >>> plan = Refill(m.compile().origin, set())
    >>> [stage.__name__ for stage in plan.stages]
    ['_bodies']
    >>> plan.system({"l": 0.5}).accelerations([0.0], [0.0])
    array([19.62])
    """

    def __init__(self, origin: Any, fixed: set[str], skew: float = 0.0) -> None:
        self.origin, self.base, self.fixed = origin, origin.system, fixed
        _check_structure(self.base)
        self.places = _places(self.base)
        built = [origin.build(_other_values(origin.model, factor, fixed, skew)) for factor in (1.0625, 0.890625)]
        self._check_rest(built)
        changed = {stage for stage in self.places if any(self._differs(stage, other) for other in built)}
        self.repoints = any(self._differs(stage, other, ("table",)) for stage in self.places for other in built)
        compiles = any(self._differs(stage, other, ("table",)) for stage in OF_FUNCTIONS for other in built)
        self.compiles = compiles or SIGNALS in changed
        # functions with switches and breaks are listed, so all of them are made again; a constraint begins as an element
        if self.compiles and _lists_functions(self.base.assembly):
            changed |= set(OF_FUNCTIONS)
        if CONSTRAINTS in changed:
            changed.add(ELEMENTS)
        self.stages = [stage for stage in self.places if stage in changed]
        self.changes_events = _actions in changed
        self.turned = any(self._turned(other) for other in built)
        self.redraws = SIGNALS in changed or self.turned
        for other, factor in zip(built, (1.0625, 0.890625), strict=True):
            _check_same(self.system(_other_values(origin.model, factor, fixed, skew)), other)

    def _turned(self, other: Any) -> bool:
        """Whether another system has other axes, or other coordinates than by their initial values."""
        one, two = self.base.assembly, other.assembly
        c, d = (replace(x.coordinates, q0=[], v0=[]) for x in (one, two))
        names = ("rotation", "user_rotation", "joint_axes")
        turned = any(not np.array_equal(getattr(one.placement, name), getattr(two.placement, name)) for name in names)
        framed = any(joint.uses_frames or joint.mimic for joint in one.model.joints.values())
        return turned or framed or c != d

    def _differs(self, stage: Callable, other: Any, blocks: tuple[str, ...] = BLOCKS) -> bool:
        """Whether another system has other numbers in the sections of a stage."""
        start, end = self.places[stage]
        mine, others = _memory(self.base), _memory(other)
        ranges = {name: slice(a, b) for name, a, b in zip(BLOCKS, start, end, strict=True)}
        return any(not _equal(mine[name][ranges[name]], others[name][ranges[name]]) for name in blocks)

    def _check_rest(self, built: list[Any]) -> None:
        """Behind the sections of all stages lies what does not depend on parameters: memory of the method, records of events."""
        mine = _memory(self.base)
        for other in built:
            if not np.array_equal(self.base.table[: L.HEADER], other.table[: L.HEADER]):
                raise NotRefillable
            for k, (name, numbers) in enumerate(_memory(other).items()):
                rest = np.ones(mine[name].size, bool)
                for start, end in self.places.values():
                    rest[start[k] : end[k]] = False
                rest[: L.HEADER if name == "table" else 0] = False
                if numbers.shape != mine[name].shape or not _equal(numbers[rest], mine[name][rest]):
                    raise NotRefillable

    def system(self, parameters: Mapping[str, float]) -> Any:
        """The system for these values of all parameters; NotRefillable if more than numbers would change."""
        base, model = self.base, self.origin.varied(parameters)
        model = with_driven_followers(at_start(model) if model.events else model)
        draft = self.draft(model)
        table, params, work = base.table.copy(), base.pristine.params.copy(), aligned([np.zeros(base.pristine.work.size)])
        work[base.pristine.places] = base.pristine.values
        params[:3] = model.gravity
        header = table[: L.HEADER].copy()
        sections: Any = Sections({"table": table, "params": params, "work": work}, header)
        for stage in self.stages:
            sections.begin(*self.places[stage])
            stage(sections, draft)
            sections.finish()
        if not np.array_equal(header, base.table[: L.HEADER]):
            raise NotRefillable
        return self.started(draft.assembly(base.assembly.blocks), table, params, work)

    def draft(self, model: Model) -> Any:
        """The model on its way into memory: drawn again, with what stages that are not repeated have found."""
        old = self.base.assembly
        draft = object.__new__(Draft)
        draft.model, draft.tree, draft.way = model, with_joints(old.tree, model), old.way
        if self.redraws:
            draft.__init__(model, draft.tree, *old.way)  # type: ignore[misc]
        else:
            draft.placed = _placed(model)
            draft.placement, draft.coordinates = _moved(old.placement, draft.tree, model), _with_start(old.coordinates, model)
        if not self.compiles:
            draft.functions = old.functions
        elif not _lists_functions(old):
            draft.functions = _new_functions(old.functions, model.parameters)
        elif not self.redraws:
            draft.functions = Functions(model.parameters)
        draft.elements, draft.pairs, draft.program, draft.outputs = old.elements, old.pairs, old.program, old.force_outputs
        return draft

    def started(self, assembly: Assembly, table: np.ndarray, params: np.ndarray, work: np.ndarray) -> Any:
        """A system with these numbers, in memory of its own and in its initial state."""
        base, c = self.base, assembly.coordinates
        other = copy.copy(base)
        for name in ("extents", "constraint_names", "least_norm_twin", "redundancy"):
            other.__dict__.pop(name, None)
        other.assembly, other.table, other.quicker = assembly, table, {}
        other.pristine = FirstMemory(table, params, work)
        other._memory = ThreadMemory(other.pristine)
        other.q0, other.v0, other.z0 = np.array(c.q0, float), np.array(c.v0, float), np.array(c.z0, float)
        other.start = other.q0.copy(), other.v0.copy(), other.z0.copy()
        other.plan, other.may_derive = self, False
        other.numbers_only = not self.compiles and not self.changes_events
        if not base.rebuilding.restarted(other, self.origin.settings):
            raise NotRefillable
        return other


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether numbers are the same; some are not known yet, and not-a-number."""
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def _memory(system: Any) -> dict[str, np.ndarray]:
    """The memory of a system as it was assembled; numbers of the run in front of `params` are left out."""
    first, params = system.pristine, system.pristine.params.copy()
    work = np.zeros(first.work.size)
    work[first.places] = first.values
    params[: L.P_HEADER] = 0.0
    return {"table": system.table, "params": params, "work": work}


def _places(system: Any) -> dict[Callable, tuple[Sizes, Sizes]]:
    """Where the sections of each stage begin and end, from assembling the model once more."""
    draft, blocks = Draft(system.assembly.model, system.assembly.tree, *system.assembly.way), Blocks()
    blocks.append("params", None, np.zeros(L.P_HEADER))
    places: dict[Callable, tuple[Sizes, Sizes]] = {}
    for stage in STAGES:
        start = blocks.sizes
        stage(blocks, draft)
        places[stage] = (start, blocks.sizes)
    return places | {_actions: system.actions}


def _actions(blocks: Any, draft: Any) -> None:
    """What events do."""
    append_actions(draft.assembly(blocks))


def _check_structure(system: Any) -> None:
    """Refuse what has more in its memory than stages have written."""
    a, h = system.assembly, system.table
    solver = h[L.N_ELEMENT] and h[L.SOLVER] != L.DENSE  # orders of elimination follow from the drawing, others from masses
    methods = system.engine_method not in ("articulated", "composite", "direct")
    if CHECKED or solver or methods or h[L.F_MASSES] or a.coordinates.elastic:
        raise NotRefillable


def with_joints(tree: Tree, model: Model) -> Tree:
    """The tree with the joints of another model of the same structure."""
    joints, known = tuple(model.joints.get(joint.name, joint) for joint in tree.joints), model.joints
    loose = set(tree.loose)
    joints = tuple(old if body in loose else new for old, new, body in zip(tree.joints, joints, tree.bodies, strict=True))
    return replace(tree, joints=joints, cuts=tuple(known[joint.name] for joint in tree.cuts))


def _placed(model: Model) -> dict[str, Frame]:
    """Frames of bodies that say themselves where they are."""
    return {"ground": Frame()} | {name: body.frame for name, body in model.bodies.items()}


def _moved(place: Placement, tree: Tree, model: Model) -> Placement:
    """Engine frames that have not turned, with other masses and at other places; as place_bodies has them."""
    bodies, first = [model.bodies[name] for name in tree.bodies], len(place.parent) - len(tree.bodies)
    new = copy.copy(place)
    new.user_position, new.position, new.com = place.user_position.copy(), place.position.copy(), place.com.copy()
    new.mass, new.inertia = place.mass.copy(), place.inertia.copy()
    new.user_position[first:] = [body.position for body in bodies]
    new.mass[first:] = [float(body.mass) for body in bodies]
    new.com[first:] = [body.com for body in bodies]
    xx, yy, zz, xy, xz, yz = np.array([body.inertia for body in bodies]).T
    new.inertia[first:] = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
    points = []
    for joint, turned, body in zip(tree.joints, tree.reversed, bodies, strict=True):
        if joint.coordinates == "free" or (joint.at is None and not turned):
            points.append(body.position)
        else:
            points.append(model.body(str(joint.child)).position if joint.at is None else joint.at)
    new.position[first:] = points
    return new


def _with_start(c: Coordinates, model: Model) -> Coordinates:
    """Coordinates with the initial values of another model."""
    q0, v0 = list(c.q0), list(c.v0)
    for (name, k), speed in c.speed_of.items():
        joint = model.joints.get(name)
        if joint is not None:
            v0[speed] = joint.v[k]
    for (name, k), place in c.coordinate_of.items():
        joint = model.joints.get(name)
        if joint is not None:
            q0[place] = joint.q[k]
    return replace(c, q0=q0, v0=v0)


def _lists_functions(a: Assembly) -> bool:
    """Whether functions are known by more than their addresses, which depends on parameters: breaks in time, held sides."""
    timed = any(x.names & x.parameters.keys() for x, _ in a.functions.breaks.formulas)
    return bool(timed or a.functions.sides.count or a.functions.potentials or a.functions.breaks.delays)


def _new_functions(old: Functions, parameters: Mapping[str, float]) -> Functions:
    """The functions of an assembly, to which others are added, with other values of parameters."""
    new = copy.copy(old)
    new.parameters, new.kept = dict(parameters), list(old.kept)
    new.constants = {name: parameters[name] for name in old.constants}
    new.breaks = replace(old.breaks, formulas=list(old.breaks.formulas), tables=list(old.breaks.tables))
    return new


def _other_values(model: Model, factor: float, fixed: set[str], skew: float) -> dict[str, float]:
    """Values near those that parameters have, within ranges; `skew`: not all by one factor, which leaves directions alone."""
    return {
        name: other_value(name, value, factor * (1.0 + skew * (k * GOLDEN % 1.0)), model, fixed)
        for k, (name, value) in enumerate(model.parameters.items())
    }


def other_value(name: str, value: float, factor: float, model: Model, fixed: set[str]) -> float:
    if name in fixed:
        return value
    note = model.parameters.notes.get(name)
    low, high = (-math.inf, math.inf) if note is None or note.range is None else note.range
    return min(max(value * factor if value else factor - 1.0, low), high)


def _check_same(a: Any, b: Any) -> None:
    """Refuse a plan that gives another system than building anew; addresses of functions are not compared."""
    mine, others = _memory(a), _memory(b)
    same = all(_equal(mine[name], others[name]) for name in ("params", "work"))
    if not (same and np.array_equal(a.params[: L.P_HEADER], b.params[: L.P_HEADER]) and np.array_equal(a.y0, b.y0)):
        raise NotRefillable
