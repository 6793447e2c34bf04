"""Model + Tree → the engine's three blocks: table, params, work (see layout)."""

from __future__ import annotations

import zlib
from operator import attrgetter
from typing import Any

import numpy as np

from sharnir.dynamics import contact, forces, friction
from sharnir.dynamics.constraints.constraint_kinds import constraint_elements
from sharnir.dynamics.constraints.constraint_records import append_constraints
from sharnir.dynamics.constraints.cut_force_records import append_cut_forces
from sharnir.dynamics.evaluation.joint_stops import append_stops
from sharnir.dynamics.forces.force_records import append_coordinate_forces, append_forces
from sharnir.dynamics.forces.held_springs import append_held_springs
from sharnir.dynamics.forces.thrust import append_tanks
from sharnir.dynamics.friction.friction_records import add_bristles, append_friction
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.c_functions import Functions
from sharnir.dynamics.memory.coordinates import Coordinates, list_coordinates
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.engine_frames import Placement, in_axes, in_many_axes, place_bodies, settled, stacked
from sharnir.dynamics.memory.memory_builder import Assembly, Blocks, nothing
from sharnir.dynamics.memory.switch_count import most_of, most_switches
from sharnir.dynamics.straight_line.joint_function import check_rotation, joint_function
from sharnir.families import import_room
from sharnir.model import Cam, Constraint, FormulaJoint, Model, PointOnCurve, PointOnSurface
from sharnir.model.followed_inputs import followed_inputs
from sharnir.model.placement import placements
from sharnir.topology import Tree

FOLLOWED = (FormulaJoint, Cam, Constraint, PointOnCurve, PointOnSurface)  # have formulas that the mechanism must follow

# rooms whose files register what the engine has for each class of forces
ROOMS_OF_FORCES = (forces, contact, friction)
for room in ROOMS_OF_FORCES:
    import_room(room)


class Draft:
    """A model on its way into the engine's memory: its drawing, and what stages of the assembly leave to those behind them.

    fold : mimic joints of a plain tree are folded into the mass matrix, instead of being constraint equations.
    lone : bodies that all fly by themselves (absolute coordinates) need no tree.
    """

    def __init__(self, model: Model, tree: Tree, fold: bool = True, lone: bool = True) -> None:
        self.model, self.tree, self.way = model, tree, (fold, lone)
        self.functions = Functions(model.parameters)
        self.placed = placements(model)
        self.coordinates = list_coordinates(model, tree, self.placed, fold)
        self.placement = place_bodies(model, tree, self.placed)
        self.elements: list[Any] = []  # of constraints
        self.pairs = np.zeros((0, 2), np.int64)
        self.program: Any = None  # of signals
        self.outputs: dict[str, int] = {}  # of forces

    @property
    def drawing(self) -> Drawing:
        """The drawing as writers of records need it."""
        cuts = {e.name: k for k, e in enumerate(self.elements) if e.name in self.coordinates.cuts}
        return Drawing(self.model, self.coordinates, self.placement, self.placed, self.functions, cuts)

    def assembly(self, blocks: Blocks) -> Assembly:
        """What is known at the end."""
        c, place, tree, model = self.coordinates, self.placement, self.tree, self.model
        found = (self.outputs, tree, model, self.elements, self.pairs, self.program, self.way)
        return Assembly(blocks, c, place, self.functions, *found)


def assemble(model: Model, tree: Tree, fold: bool = True, lone: bool = True) -> Assembly:
    """Build the engine's memory for a model and its tree; `fold` and `lone` as in Draft."""
    draft, blocks = Draft(model, tree, fold, lone), Blocks()
    blocks.append("params", None, [*model.gravity, *np.zeros(L.P_HEADER - 3)])
    for stage in STAGES:
        stage(blocks, draft)
    return draft.assembly(blocks)


def _elements(blocks: Blocks, x: Draft) -> None:
    """Elements of constraints, before they are written."""
    x.elements = constraint_elements(x.model, x.tree, x.coordinates, x.placement, x.placed, x.functions)


def _signals(blocks: Blocks, x: Draft) -> None:
    """Bristles of friction, and the program of signals, if there are any; forces may name them from here on."""
    add_bristles(x.model, x.coordinates)
    model, functions, drawing = x.model, x.functions, x.drawing
    functions.sides.capacity = most_switches(model)
    if any(issubclass(kind, FOLLOWED) for kind in {type(x) for x in (*model.joints.values(), *model.constraints.values())}):
        from sharnir.dynamics.signals.kinematic_peaks import add_breaks, kinematic_peaks

        add_breaks(model, functions.breaks)
        functions.sides.capacity += sum(most_of(watched.text, 1) for watched in kinematic_peaks(model).values())
    own = any(force.signals() for force in model.forces.values())
    if not (model.signals or model.events or own or functions.sides.capacity):
        return
    from sharnir.dynamics.signals.signal_records import append_signals, changing_parameters, make_program

    program = x.program = make_program(drawing)
    append_signals(blocks, program, drawing)
    functions.signals = {name: program.place(name) for name in (*model.signals, *changing_parameters(model))}
    functions.late = frozenset(program.late_names)
    functions.places = {name: program.place(name) for name in program.signals}
    functions.places |= {name: len(program.signals) + len(program.held) + k for k, name in enumerate(program.states)}


def _coordinate_forces(blocks: Blocks, x: Draft) -> None:
    """Drives, dampers and springs along coordinates, also of freedoms that are held."""
    append_coordinate_forces(blocks, x.model, x.coordinates, x.functions)
    append_held_springs(blocks, x.model, x.coordinates, x.functions, x.placed)


def _forces(blocks: Blocks, x: Draft) -> None:
    """Forces on bodies."""
    x.outputs = append_forces(blocks, x.drawing, bool(x.elements))
    append_tanks(blocks, x.functions.tanks)


def _constraints(blocks: Blocks, x: Draft) -> None:
    """Equations of constraints, and forces in cut joints."""
    if x.elements:
        x.pairs = append_constraints(blocks, x.elements, x.coordinates, x.placement, x.way[1])
        append_cut_forces(blocks, x.model, x.elements, x.functions)


def _stops(blocks: Blocks, x: Draft) -> None:
    """Stops in joints."""
    append_stops(blocks, x.drawing)


def _observed(blocks: Blocks, x: Draft) -> None:
    """Quantities that signals observe and that depend on accelerations; outputs of force elements have their places by now."""
    if x.program is None:
        return
    from sharnir.dynamics.signals.late_sensor_records import append_observed

    first = x.program.sensor_work + 16 * len(x.program.measures) + 4
    append_observed(blocks, x.program.observed, first, x.drawing, x.tree, x.outputs, x.elements)


def _friction(blocks: Blocks, x: Draft) -> None:
    """Friction in joints."""
    append_friction(blocks, x.drawing, x.tree)


def _closing(blocks: Blocks, x: Draft) -> None:
    """What is known behind all others: switches, functions of potentials, vectors of the solution."""
    blocks.header[L.N_SWITCH] = x.functions.sides.count
    plain = x.functions.potentials.items()
    blocks.append("table", L.T_PLAIN, [len(plain), *(address for pair in plain for address in pair)])
    n_v = x.coordinates.n_v
    blocks.header[L.N_Z] = x.coordinates.n_z
    for slot in (L.W_DRIVE, L.W_TAU, L.W_VDOT):
        blocks.append("work", slot, nothing(n_v))


def _bodies(blocks: Blocks, x: Draft) -> None:
    """Bodies: tree, frames, inertias."""
    _append_bodies(blocks, x.model, x.tree, x.coordinates, x.placement)


def _freedoms(blocks: Blocks, x: Draft) -> None:
    """Freedoms of joints: axes, prescribed motions."""
    _append_freedoms(blocks, x.coordinates, x.placement, x.functions, x.model)


def _ancestors(blocks: Blocks, x: Draft) -> None:
    """Paths of speeds to the base."""
    _append_ancestors(blocks, x.coordinates)


STAGES = (
    _bodies,
    _freedoms,
    _ancestors,
    _elements,
    _signals,
    _coordinate_forces,
    _forces,
    _constraints,
    _stops,
    _observed,
    _friction,
    _closing,
)
# those that compile functions of formulas, or list what others have compiled
OF_FUNCTIONS = (_freedoms, _elements, _signals, _coordinate_forces, _forces, _constraints, _closing)


def _append_bodies(blocks: Blocks, model: Model, tree: Tree, c: Coordinates, place: Placement) -> None:
    from sharnir.dynamics.methods.flexible_records import append_elastic

    n = len(place.parent)
    rows = np.zeros((n, L.T_BODY_SIZE), np.int64)
    parent = np.array(place.parent, np.int64)
    rows[:, L.PARENT] = parent
    rows[:, L.KIND] = rows[:, L.ELIMINATED_AS] = c.kind
    rows[[f.body for f in c.freedoms if f.armature and f.body >= 0], L.ELIMINATED_AS] = L.SEQUENCE
    rows[:, L.FIRST_Q], rows[:, L.FIRST_V], rows[:, L.COUNT_V] = c.first_q, c.first_v, c.count_v
    rows[:, L.FIRST_FREEDOM], rows[:, L.COUNT_FREEDOM] = c.first_freedom, c.count_freedom
    # a child that does not stand right after its parent hands its inertia over through memory
    apart = parent[(parent != np.arange(n) - 1) & (parent >= 0)]
    branching = np.unique(apart)
    rows[:, L.BRANCH] = -1
    rows[branching, L.BRANCH] = np.arange(branching.size)
    depth: list[int] = []
    for p in place.parent:
        depth.append(1 if p < 0 else depth[p] + 1)
    rows[:, L.DEPTH] = depth
    if c.elastic:
        append_elastic(blocks, rows, model, tree, c, place)
    blocks.header[L.N_BODY], blocks.header[L.N_Q], blocks.header[L.N_V] = n, c.n_q, c.n_v
    blocks.append("table", L.T_BODY, rows)
    blocks.append("params", L.P_BODY, place.body_params())
    blocks.append("params", L.P_FRAME, place.frame_params())
    blocks.append("work", L.W_BODY, nothing(n * L.W_BODY_SIZE))
    prescribed = sum(f.motion is not None for f in c.freedoms)
    blocks.append("work", L.W_ELIMINATION, nothing((c.n_v + prescribed) * L.W_ELIMINATION_SIZE))
    blocks.append("work", L.W_BRANCH, nothing(branching.size * L.W_BRANCH_SIZE))


def _append_freedoms(blocks: Blocks, c: Coordinates, place: Placement, functions: Functions, model: Model) -> None:
    n = len(c.freedoms)
    rows, numbers = np.full((n, L.T_FREEDOM_SIZE), -1, np.int64), np.zeros((n, L.P_FREEDOM_SIZE))
    axes = stacked([f.unit_axis for f in c.freedoms], L.W_AXES_SIZE)
    for column, entries in ((L.TYPE, "type"), (L.SPEED, "speed"), (L.COORDINATE, "coordinate"), (L.BODY, "body")):
        rows[:, column] = list(map(attrgetter(entries), c.freedoms))
    rows[:, L.HAS_ROTOR] = [f.armature != 0.0 for f in c.freedoms]
    given, kept = sum(f.motion is not None for f in c.freedoms), sum(len(joint.q) for joint in model.released.values())
    inputs = followed_inputs(model.original)
    functions.courses = {x.name: (L.W_MOTION_SIZE * (given + kept + k), x.initial) for k, x in enumerate(inputs.values())}
    motions: list[tuple[int, int, int]] = []
    values: list[float] = []
    armature = np.zeros(c.n_v + given)
    drawn = [k for k, f in enumerate(c.freedoms) if f.axis is not None]
    turned = [k for k in drawn if c.freedoms[k].in_world]
    numbers[drawn, :3] = stacked([c.freedoms[k].axis for k in drawn], 3)
    numbers[drawn, 3] = [c.freedoms[k].pitch for k in drawn]
    R, x = place.rotation[[c.freedoms[k].body for k in turned]], numbers[turned, :3]
    numbers[turned, :3] = settled(in_many_axes(R, x))
    for k, f in enumerate(c.freedoms):
        if not f.armature and f.motion is f.formulas is None:  # as most
            continue
        if f.armature and f.speed >= 0 and f.body >= 0:
            armature[f.speed] = f.armature
        if f.motion is not None:
            rows[k, L.MOTION] = len(motions)
            armature[c.n_v + len(motions)] = f.armature
            constant = isinstance(f.motion, float)
            motions.append((0, 0, 0) if constant else functions.motion(f.motion, f.label))
            values.append(f.motion if constant else 0.0)
        if f.formulas is not None:
            joint, turned = f.formulas
            check_rotation(joint, functions.constants)
            rows[k, L.JOINT_FUNCTION] = functions.keep(joint_function(joint, functions.constants, turned), f.label)
            n = joint.n_v + joint.depends_on_time
            rows[k, L.JOINT_MEMORY] = blocks.append("work", None, np.zeros(3 * n + L.FORMULA_OUT + 6 * n))
    flat = numbers.ravel()
    for i in np.flatnonzero(np.array(c.kind) == L.FREE):
        at = c.first_freedom[i] * L.P_FREEDOM_SIZE
        flat[at : at + 9] = in_axes(place.rotation[i], place.joint_axes[i]).ravel()
    blocks.header[L.N_MOTION] = len(motions)
    blocks.append("table", L.T_FREEDOM, rows)
    blocks.append("table", L.T_MOTION, np.array(motions, np.int64).reshape(-1, L.T_MOTION_SIZE))
    blocks.append("params", L.P_FREEDOM, flat)
    blocks.append("params", L.P_ARMATURE, armature)
    # a word of the header, so that a system whose rotors appear or vanish with a parameter is built anew
    blocks.header[L.ARMATURED] = zlib.crc32((armature != 0.0).tobytes()) if armature.any() else 0
    blocks.append("work", L.W_AXES, axes)
    # coordinates of joints that have come apart stay what they were, for signals: behind the prescribed ones
    values += [q for joint in model.released.values() for q in joint.q]
    values += [0.0] * len(inputs)  # where courses of inputs are, see input_course.py
    blocks.append("work", L.W_MOTION, np.outer(values, [1.0, 0.0, 0.0]).reshape(-1, L.W_MOTION_SIZE))


def _append_ancestors(blocks: Blocks, c: Coordinates) -> None:
    """Which speed stands before each on the way to the base; runs of consecutive ones make inner loops long."""
    lam = np.array(c.ancestor, np.int64)
    solve = lam if not c.mimics else np.arange(c.n_v, dtype=np.int64) - 1
    number = np.arange(c.n_v, dtype=np.int64)
    run = np.maximum.accumulate(np.where((number > 0) & (solve == number - 1), 0, number))
    blocks.append("table", L.T_ANCESTOR, lam)
    blocks.append("table", L.T_SOLVE, solve)
    blocks.append("table", L.T_RUN, run)
    blocks.header[L.N_MIMIC] = len(c.mimics)
    blocks.append("table", L.T_MIMIC, np.array([(m.speed, m.leader) for m in c.mimics], np.int64))
    blocks.append("params", L.P_MIMIC, np.array([m.multiplier for m in c.mimics]))
