"""Reactions, drives, energies and outputs of forces in formulas of signals → places in memory and records of the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.memory import late_sensor_layout as O
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.engine_frames import in_axes
from sharnir.errors import ModelError
from sharnir.model import JointCoordinate, JointReaction, Model
from sharnir.model.element import WRENCH
from sharnir.model.forces import ForceElement
from sharnir.model.links import advice
from sharnir.model.signals.observed import ENERGIES, MOMENTA, SIZES, XYZ, ForceOutput, JointDrive, SystemNumber

if TYPE_CHECKING:
    from sharnir.dynamics.memory.drawing import Drawing
    from sharnir.dynamics.memory.memory_builder import Blocks
    from sharnir.topology import Tree


@dataclass
class ObservedNumbers:
    """What formulas observe, each thing once: (kind, name) → its first number behind the sensors."""

    model: Model  # as it was drawn
    present: Model | None = None  # as events have made it
    places: dict[tuple[str, str], int] = field(default_factory=dict)
    size: int = 0

    def place(self, kind: str, name: str, count: int) -> int:
        """Where the numbers of one thing begin."""
        if (kind, name) not in self.places:
            self.places[kind, name] = self.size
            self.size += count
        return self.places[kind, name]

    def of_stop(self, variable: Any, label: str) -> tuple[str, JointCoordinate] | None:
        """What a force along a freedom reports, as a formula of the coordinate q and speed v; None: it is something else."""
        stop = self.model.forces.get(str(variable.force)) if isinstance(variable, ForceOutput) else None
        acting = None if stop is None or not stop.freedom_outputs else stop.along_freedom(self.model.joints)
        if stop is None or acting is None:
            return None
        if variable.output not in stop.freedom_outputs or variable.component is not None:
            name = ".".join(str(x) for x in (variable.force, variable.output, variable.component) if x is not None)
            known = " and ".join(f"{stop.name}.{key}" for key in stop.freedom_outputs)
            raise ModelError(f"{label}: formula: {name!r} does not exist; {stop.label} has {known}", field="formula")
        # forces rest where their joint is apart or held
        rests = self.present is not None and stop.name not in self.present.forces
        is_force = stop.freedom_outputs[variable.output] == "force"
        text = "0" if rests and is_force else stop.freedom_formula(variable.output, self.model.joints)
        return text, JointCoordinate(acting.joint, acting.freedom)

    def code(self, variable: Any, label: str) -> str:
        """A number as code; m holds the sensors, of which there are n, and these numbers after them."""
        first, numbers = self._numbers(variable, label)
        entries = [f"m[16 * n + {4 + first + k}]" for k in numbers]
        if len(entries) == 1:
            return entries[0]
        return f"math.sqrt({' + '.join(f'{x} * {x}' for x in entries)})"

    def _numbers(self, variable: Any, label: str) -> tuple[int, list[int]]:
        """The first number of a thing, and which of its numbers a variable is the length of."""
        if isinstance(variable, JointReaction):
            first = self.place("reaction", str(variable.joint), O.REACTION_NUMBERS)
            shift = 6 if variable.axes == "local" else 0
            if variable.component in SIZES:
                at = shift + 3 * SIZES.index(variable.component)
                return first, [at, at + 1, at + 2]
            return first, [shift + WRENCH.index(variable.component)]
        if isinstance(variable, SystemNumber):
            if variable.quantity in ENERGIES:
                return self.place("energy", "", 3), [ENERGIES.index(variable.quantity)]
            axis = XYZ.index(variable.component)
            return self.place("momentum", "", 10), [1 + 3 * MOMENTA.index(variable.quantity) + axis]
        if isinstance(variable, JointDrive):
            freedom = driven_freedom(self.model, variable, label)
            return self.place("drive", f"{variable.joint} {freedom}", 1), [0]
        return self._output(variable, label)

    def _output(self, variable: ForceOutput, label: str) -> tuple[int, list[int]]:
        force = self.model.forces.get(str(variable.force))
        name = f"{variable.force}.{variable.output}"
        if str(variable.force) in self.model.constraints:
            constraint = self.model.constraints[str(variable.force)]
            labels = equation_labels(constraint, variable, label)
            return self.place("constraint", constraint.name, len(labels) or 1), component(variable, labels, label)
        if force is None:
            known = (
                "O.q, O.v, O.a, O.reaction.fx, O.drive of a joint O, rod.x of a body rod, energy.total, or an output of a force"
            )
            remedy = f"; '{variable.force}' is not a force{advice(str(variable.force), self.model.forces)}; write {known}"
            raise ModelError(f"{label}: formula: {name!r} does not exist{remedy}", field="formula")
        outputs = force_numbers(force)
        for key, labels, at in outputs:
            if key == variable.output:
                places = [at[k] for k in component(variable, labels, label)]
                return self.place("output", force.name, 1 + max(max(x[2]) for x in outputs)), places
        known = ", ".join(key for key, *_ in outputs) or "nothing"
        raise ModelError(f"{label}: formula: {force.label} has no output {variable.output!r}; it has {known}", field="formula")


def force_numbers(force: ForceElement) -> list[tuple[str, tuple[str, ...], list[int]]]:
    """Keys, names of components and places of the outputs of a force, from its first number on."""
    found, at = [], 0
    for key, _, labels in force.outputs:
        count = len(labels) or 1
        found.append((key, labels, list(range(at, at + count))))
        at += count
    return found


def equation_labels(constraint: Any, variable: ForceOutput, label: str) -> tuple[str, ...]:
    """Names of the equations of a constraint, none if it has one; it has only its force as an output."""
    if variable.output != "force":
        raise ModelError(f"{label}: formula: {constraint.label} has only its force as an output", field="formula")
    n = constraint.n_holonomic + constraint.n_nonholonomic
    return tuple(f"{k + 1}" for k in range(n)) if n > 1 else ()


def component(variable: ForceOutput, labels: tuple[str, ...], label: str) -> list[int]:
    """Which number of an output a variable names."""
    name = f"{variable.force}.{variable.output}"
    if not labels:
        if variable.component is not None:
            raise ModelError(
                f"{label}: formula: {name} is a single number without the component {variable.component!r}", field="formula"
            )
        return [0]
    if variable.component not in labels:
        raise ModelError(f"{label}: formula: {name} has several components; name one: {', '.join(labels)}", field="formula")
    return [labels.index(variable.component)]


def driven_freedom(model: Model, variable: JointDrive, label: str) -> int:
    """The number of a freedom with prescribed motion."""
    joint = model.joints[str(variable.joint)]
    names, driven = joint.freedom_names, [k for k, given in enumerate(joint.driven) if given]
    wanted = variable.freedom
    if wanted is None and len(driven) == 1:
        return driven[0]
    number = names.index(wanted) if wanted in names else wanted
    if isinstance(number, str) and number.isdigit():
        number = int(number)
    if not isinstance(number, int) or number not in driven:
        known = ", ".join(f"{k}{f' ({names[k]})' if names[k] else ''}" for k in driven) or "none"
        raise ModelError(
            f"{label}: formula: {joint.label} has a drive only in freedoms with prescribed motion: {known}; name one of them",
            field="formula",
        )
    return number


def append_observed(
    blocks: Blocks, observed: ObservedNumbers, first: int, drawing: Drawing, tree: Tree, outputs: dict, elements: list
) -> None:
    """Records; `first`: where the numbers stand in work, `outputs`: where force elements leave theirs."""
    if not observed.places:
        return
    head = np.zeros(O.O_HEADER, np.int64)
    rows = []
    for (kind, name), place in observed.places.items():
        row = np.zeros(O.OBSERVED_SIZE, np.int64)
        row[O.TO] = first + place
        if not is_there(kind, name, drawing, outputs):
            continue  # what events have taken away: its numbers stay zero
        if kind == "reaction":
            fill_reaction(blocks, row, name, drawing, tree)
        elif kind == "output":
            count = 1 + max(max(places) for _, _, places in force_numbers(drawing.model.forces[name]))
            row[[O.KIND, O.A, O.B]] = O.COPY, outputs[name], count
        elif kind == "constraint":
            element = next(e for e in elements if e.name == name)
            row[[O.KIND, O.A, O.B]] = O.COPY, blocks.header[L.W_LAMBDA] + element.row, element.count
        elif kind == "drive":
            joint, freedom = name.rsplit(" ", 1)
            row[[O.KIND, O.A]] = O.DRIVE, motion_number(drawing.coordinates, joint, int(freedom))
        else:
            row[O.KIND] = O.ENERGY if kind == "energy" else O.MOMENTUM
        rows.append(row)
    kinds = {kind for kind, _ in observed.places}
    bodies = len(drawing.place.parent)
    head[O.O_COUNT], head[O.O_REACTIONS], head[O.O_DRIVES] = len(rows), int(bool(kinds & {"reaction", "drive"})), -1
    head[O.O_SAVED] = blocks.append("work", None, np.zeros(L.W_EXTERNAL_SIZE * bodies))
    head[O.O_CUTS] = blocks.append("work", None, np.zeros(6 * int(blocks.header[L.N_ELEMENT])))
    if "drive" in kinds:
        head[O.O_DRIVES] = blocks.append("work", None, np.zeros(int(blocks.header[L.N_MOTION])))
    blocks.append("table", L.T_OBSERVED, np.concatenate([head, *rows]))
    blocks.header[L.F_OBSERVED] = observed_address()


def is_there(kind: str, name: str, drawing: Drawing, outputs: dict) -> bool:
    """Whether the joint, drive or force is part of the mechanism as it is now."""
    if kind == "reaction":
        return name in drawing.model.joints
    if kind == "output":
        return name in outputs
    if kind == "constraint":
        return name in drawing.model.constraints
    if kind == "drive":
        joint, freedom = name.rsplit(" ", 1)
        return joint in drawing.model.joints and drawing.model.joints[joint].motion[int(freedom)] is not None
    return True


def observed_address() -> int:
    """Address of the function."""
    from sharnir.dynamics.signals.late_sensors import OBSERVED

    return OBSERVED.address


def fill_reaction(blocks: Blocks, row: np.ndarray, name: str, drawing: Drawing, tree: Tree) -> None:
    """Where the reaction of a joint comes from, its point and its axes on the child."""
    place, joint = drawing.place, drawing.model.joints[name]
    child = place.number[str(joint.child)]
    point = np.zeros(3)
    if name in drawing.cuts:
        row[[O.KIND, O.A, O.B]] = O.CUT_REACTION, drawing.cuts[name], child
    else:
        body = next(body for other, body in zip(tree.joints, tree.bodies, strict=True) if other.name == name)
        i = place.number[body]
        point = place.point(child, place.position[i])
        row[[O.KIND, O.A, O.B, O.SIGN]] = O.TREE_REACTION, i, child, 1 if joint.child == body else -1
    row[O.P] = blocks.append("params", None, [*point, *joint_axes(joint, drawing, child).ravel()])


def joint_axes(joint: Any, drawing: Drawing, child: int) -> np.ndarray:
    """Axes of the joint on its child → the child's engine axes; given by `at` they are those of the drawing."""
    place = drawing.place
    turn = np.eye(3)
    if joint.uses_frames:
        frame = np.array(joint.child_frame.rotation_matrix) if joint.child_frame else np.eye(3)
        turn = frame if child < 0 else place.user_rotation[child] @ frame
    return turn if child < 0 else in_axes(place.rotation[child], turn)


def motion_number(coordinates: Any, joint: str, freedom: int) -> int:
    """Which of the prescribed freedoms a freedom of a joint is."""
    row = coordinates.joint_freedoms[joint][freedom]
    return sum(other.motion is not None for other in coordinates.freedoms[:row])
