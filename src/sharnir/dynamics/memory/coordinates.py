"""Names, numbers and initial values of coordinates and speeds, and the elementary freedoms behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.engine_frames import elementary_joints, is_hinge, single_axis
from sharnir.errors import ModelError
from sharnir.model import Attachment, FlexibleBody, FormulaJoint, Model
from sharnir.model.frames import Frame
from sharnir.topology import Tree

UNIT_AXES = tuple(tuple(row) for row in np.eye(6).tolist())  # of speeds in body axes: three velocities, three rates
NO_AXIS, ABOUT_Z, ALONG_Z = (0.0,) * 6, (0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
TYPES = {"rotation": L.ROTATION, "translation": L.TRANSLATION, "screw": L.SCREW, "formula": L.OF_FORMULA}


class FreedomRow(NamedTuple):
    """One elementary freedom as the engine sees it."""

    body: int
    type: int
    speed: int
    coordinate: int
    label: str
    unit_axis: tuple[float, ...] = NO_AXIS  # constant motion axis where there is one
    axis: Any = None  # of a sequence, world axes of the drawing (or body axes)
    pitch: float = 0.0
    motion: Any = None
    armature: float = 0.0
    in_world: bool = True
    formulas: Any = None  # of the first freedom of a joint by formulas: the joint, and whether it is run backwards


@dataclass(frozen=True)
class Mimic:
    """A speed that is a multiple of another."""

    speed: int
    leader: int
    multiplier: float


@dataclass
class Coordinates:
    """Per body: kind and ranges; per freedom: a row; names, units and initial values in the order of the state."""

    kind: list[int] = field(default_factory=list)
    first_q: list[int] = field(default_factory=list)
    first_v: list[int] = field(default_factory=list)
    count_v: list[int] = field(default_factory=list)
    first_freedom: list[int] = field(default_factory=list)
    count_freedom: list[int] = field(default_factory=list)
    freedoms: list[FreedomRow] = field(default_factory=list)
    ancestor: list[int] = field(default_factory=list)
    q0: list[float] = field(default_factory=list)
    v0: list[float] = field(default_factory=list)
    q_names: list[str] = field(default_factory=list)
    v_names: list[str] = field(default_factory=list)
    q_units: list[str] = field(default_factory=list)
    v_units: list[str] = field(default_factory=list)
    quaternions: list[int] = field(default_factory=list)
    mimics: list[Mimic] = field(default_factory=list)
    speed_of: dict[tuple[str, int], int] = field(default_factory=dict)  # (joint, freedom) -> speed
    coordinate_of: dict[tuple[str, int], int] = field(default_factory=dict)
    ranges: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)  # joint -> first q, count q, first v, count v
    joint_freedoms: dict[str, list[int]] = field(default_factory=dict)  # joint -> rows of its freedoms, in the user's order
    cuts: frozenset[str] = frozenset()  # names of cut joints
    z0: list[float] = field(default_factory=list)  # tracked coordinates of cut joints
    z_names: list[str] = field(default_factory=list)
    first_z: dict[str, int] = field(default_factory=dict)  # cut joint -> its first tracked coordinate
    first_cut_freedom: dict[str, int] = field(default_factory=dict)  # cut joint -> its first freedom
    tracked: dict[tuple[str, int], int] = field(default_factory=dict)  # (cut joint, freedom) -> tracked coordinate
    elastic: dict[str, tuple[int, int, int]] = field(default_factory=dict)  # flexible body -> first w, first ẇ, how many

    @property
    def n_q(self) -> int:
        return len(self.q0)

    @property
    def n_v(self) -> int:
        return len(self.v0)

    @property
    def n_z(self) -> int:
        return len(self.z0)


def control_state(name: str) -> str:
    """Name of a state of control among all further states; no joint, constraint or force has a name that begins with a dot.

    >>> control_state("filter.s")
    '.filter.s'
    """
    return f".{name}"


def list_coordinates(model: Model, tree: Tree, placed: dict[str, Frame], fold: bool = True) -> Coordinates:
    """Coordinates of all joints in regular numbering; a moving ground has six freedoms with prescribed motion.

    fold: mimic joints of a plain tree become multiples of their leaders in the mass matrix, and no equations.
    """
    c = Coordinates(cuts=frozenset(joint.name for joint in tree.cuts))
    last: list[int] = []  # last speed on the path of each body
    moving = 0
    if model.base_motion is not None:
        moving = 1
        _add_base(c, model.base_motion)
        last.append(-1)
    joints = elementary_joints(tree.joints)
    hinges = [is_hinge(joint) for joint in joints]
    i = 0
    while i < len(joints):
        joint, parent = joints[i], tree.parent[i] + moving
        above = last[parent] if parent >= 0 else -1
        body = i + moving
        first = (c.n_q, c.n_v, len(c.freedoms))
        if hinges[i]:
            end = next((k for k in range(i, len(joints)) if not hinges[k]), len(joints))
            _add_hinges(c, joints[i:end], body, tree.reversed[i:end])
            for k in range(i, end):
                parent = tree.parent[k] + moving
                c.ancestor.append(last[parent] if parent >= 0 else -1)
                last.append(first[1] + k - i)
            i = end
            continue
        if joint.coordinates != "angles":
            _add_quaternion(c, body, joint)
        elif isinstance(joint, Attachment):
            c.kind.append(L.NODE)
            c.joint_freedoms[joint.name] = []
        elif isinstance(joint, FormulaJoint):
            _add_formulas(c, body, joint, tree.reversed[i])
        else:
            _add_sequence(c, body, joint, tree.reversed[i], placed)
        q, v, n_v = first[0], first[1], c.n_v
        for k in range(v, n_v):
            c.ancestor.append(above if k == v else k - 1)
        last.append(n_v - 1 if n_v > v else above)
        _close(c, first)
        c.ranges[joint.name] = (q, c.n_q - q, v, n_v - v)
        i += 1
    for name in tree.bodies:
        if isinstance(model.bodies[name], FlexibleBody):
            _add_elastic(c, model.bodies[name])
    for joint in tree.cuts:
        refuse_rotor(joint)
        if joint.coordinates == "angles":
            _add_cut(c, joint)
    _link_mimics(c, model, fold=fold and not tree.cuts and not model.constraints)
    return c


def _add_elastic(c: Coordinates, body: Any) -> None:
    """Elastic coordinates of a flexible body, after all others."""
    c.elastic[body.name] = (c.n_q, c.n_v, body.reduced.count)
    for k in range(body.reduced.count):
        _add_state(c, f"{body.name}.w.{k + 1}", "", body.w[k], f"{body.name}.xi.{k + 1}", "1/s", body.xi[k])
        c.ancestor.append(-1)


def refuse_rotor(joint: Any) -> None:
    """A rotor needs the rate of its freedom as a speed of its own, and a cut joint has none."""
    if any(joint.armature):
        raise ModelError(
            f"joint '{joint.name}': armature = {max(joint.armature):g} needs a joint with coordinates of its own; this one is "
            "kept by constraint equations (it closes a loop, or the coordinates are absolute); use formulation='joint', leave "
            "armature to other joints of the loop, or make the rotor a body of its own (geared_rotor)"
        )


def _add_cut(c: Coordinates, joint: Any) -> None:
    """Freedoms of a cut joint: speed and coordinate count within the joint, axes are in its frame on the child."""
    c.first_z[joint.name] = len(c.z0)
    c.first_cut_freedom[joint.name] = len(c.freedoms)
    c.joint_freedoms[joint.name] = []
    free = 0
    start = len(c.freedoms)
    for k, f in enumerate(joint.freedoms):
        number = -1
        if joint.motion[k] is None:
            number = free
            free += 1
            name = joint.freedom_names[k]
            c.tracked[joint.name, k] = len(c.z0)
            c.z0.append(joint.q[k])
            c.z_names.append(f"{joint.name}.q" + (f".{name}" if name else ""))
        c.joint_freedoms[joint.name].append(len(c.freedoms))
        row = FreedomRow(-1, TYPES[f.kind], number, number, f"joint '{joint.name}'", axis=f.axis, pitch=f.pitch)
        c.freedoms.append(row._replace(motion=joint.motion[k], in_world=False))
    _close_formulas(c, start, -1, joint, False)


def _close(c: Coordinates, first: tuple[int, int, int]) -> None:
    c.first_q.append(first[0])
    c.first_v.append(first[1])
    c.count_v.append(c.n_v - first[1])
    c.first_freedom.append(first[2])
    c.count_freedom.append(len(c.freedoms) - first[2])


def _add_base(c: Coordinates, motion: Any) -> None:
    c.kind.append(L.SEQUENCE)
    axes = np.eye(3)
    for k, name in enumerate(("x", "y", "z", "rx", "ry", "rz")):
        entry = getattr(motion, name)
        if entry is not None:
            kind = L.TRANSLATION if k < 3 else L.ROTATION
            c.freedoms.append(FreedomRow(0, kind, -1, -1, f"base_motion.{name}", axis=tuple(axes[k % 3]), motion=entry))
    _close(c, (0, 0, 0))


def _add_hinges(c: Coordinates, joints: Sequence[Any], body: int, turned: Sequence[bool]) -> None:
    """The same as `_add_sequence` and `_close`, for a row of hinges and slides that lead to this body and those after it."""
    count, q, v, row = len(joints), len(c.q0), len(c.v0), len(c.freedoms)
    names, freedoms = [joint.name for joint in joints], [joint.freedoms[0] for joint in joints]
    rotates = [f.kind == "rotation" for f in freedoms]
    coordinates, speeds, rows = range(q, q + count), range(v, v + count), range(row, row + count)
    c.kind += [L.REVOLUTE if turns else L.PRISMATIC for turns in rotates]
    c.q_names += [f"{name}.q" for name in names]
    c.v_names += [f"{name}.v" for name in names]
    c.q_units += ["rad" if turns else "m" for turns in rotates]
    c.v_units += ["rad/s" if turns else "m/s" for turns in rotates]
    c.q0 += [joint.q[0] for joint in joints]
    c.v0 += [joint.v[0] for joint in joints]
    keys = [(name, 0) for name in names]
    c.speed_of.update(zip(keys, speeds, strict=True))
    c.coordinate_of.update(zip(keys, coordinates, strict=True))
    c.joint_freedoms.update((name, [k]) for name, k in zip(names, rows, strict=True))
    c.ranges.update((name, (q + k, 1, v + k, 1)) for k, name in enumerate(names))
    axes = [tuple([-x for x in f.axis]) if back else f.axis for f, back in zip(freedoms, turned, strict=True)]
    columns = (
        range(body, body + count),
        [L.ROTATION if turns else L.TRANSLATION for turns in rotates],
        speeds,
        coordinates,
        [f"joint '{name}'" for name in names],
        [ABOUT_Z if turns else ALONG_Z for turns in rotates],
        axes,
        [f.pitch for f in freedoms],
        repeat(None),  # motion
        [joint.armature[0] for joint in joints],
        repeat(True),  # in world axes
        repeat(None),  # formulas
    )
    c.freedoms += map(FreedomRow._make, zip(*columns))  # noqa: B905 - some repeat forever
    c.first_q += coordinates
    c.first_v += speeds
    c.first_freedom += rows
    c.count_v += [1] * count
    c.count_freedom += [1] * count


def _add_sequence(c: Coordinates, body: int, joint: Any, turned: bool, placed: dict) -> None:
    """Elementary freedoms; a joint declared from the far side runs backwards about opposite axes: (ΠXk)⁻¹ = ΠXk⁻¹ reversed."""
    simple = single_axis(joint)
    kind, unit = L.SEQUENCE, NO_AXIS
    if simple:
        kind, unit = (L.REVOLUTE, ABOUT_Z) if joint.freedoms[0].kind == "rotation" else (L.PRISMATIC, ALONG_Z)
    c.kind.append(kind)
    turn = None
    if joint.uses_frames:
        world = placed[joint.parent] @ joint.parent_frame if joint.parent_frame else placed[joint.parent]
        turn = np.array(world.rotation_matrix)
    rows, name, label, names = [], joint.name, f"joint '{joint.name}'", joint.freedom_names
    for k, f in enumerate(joint.freedoms):
        speed = coordinate = -1
        motion = joint.motion[k]
        if motion is None:
            speed, coordinate = c.n_v, c.n_q
            dot, angle = f".{names[k]}" if names[k] else "", f.unit
            _add_state(c, f"{name}.q{dot}", angle, joint.q[k], f"{name}.v{dot}", f"{angle}/s", joint.v[k])
            key = (name, k)
            c.speed_of[key], c.coordinate_of[key] = speed, coordinate
        axis = f.axis if turn is None else tuple((turn @ np.array(f.axis)).tolist())
        axis = tuple([-x for x in axis]) if turned else axis
        rows.append(FreedomRow(body, TYPES[f.kind], speed, coordinate, label, unit, axis, f.pitch, motion, joint.armature[k]))
    start, count = len(c.freedoms), len(rows)
    c.freedoms.extend(reversed(rows) if turned else rows)
    c.joint_freedoms[name] = [start + (count - 1 - k if turned else k) for k in range(count)]


def _add_formulas(c: Coordinates, body: int, joint: FormulaJoint, turned: bool) -> None:
    """Freedoms of a joint by formulas; the engine's frame of the body has the axes in which they are written."""
    c.kind.append(L.SEQUENCE)
    start = len(c.freedoms)
    for k, f in enumerate(joint.freedoms):
        speed = coordinate = -1
        if joint.motion[k] is None:
            speed, coordinate = c.n_v, c.n_q
            dot = f".{joint.freedom_names[k]}" if joint.freedom_names[k] else ""
            _add_state(c, f"{joint.name}.q{dot}", f.unit, joint.q[k], f"{joint.name}.v{dot}", f"{f.unit}/s", joint.v[k])
            c.speed_of[joint.name, k], c.coordinate_of[joint.name, k] = speed, coordinate
        row = FreedomRow(body, L.OF_FORMULA, speed, coordinate, f"joint '{joint.name}'", motion=joint.motion[k])
        c.freedoms.append(row._replace(armature=joint.armature[k]))
    c.joint_freedoms[joint.name] = list(range(start, len(c.freedoms)))
    _close_formulas(c, start, body, joint, turned)


def _close_formulas(c: Coordinates, start: int, body: int, joint: Any, turned: bool) -> None:
    """The last freedom of a joint that moves by itself is time, prescribed as t; the first one has the formulas."""
    if not isinstance(joint, FormulaJoint):
        return
    if joint.depends_on_time:
        c.freedoms.append(FreedomRow(body, L.OF_FORMULA, -1, -1, f"joint '{joint.name}'", motion="t", in_world=False))
    if len(c.freedoms) > start:
        c.freedoms[start] = c.freedoms[start]._replace(formulas=(joint, turned))


def _add_state(c: Coordinates, q_name: str, q_unit: str, q: float, v_name: str, v_unit: str, v: float) -> None:
    c.q_names.append(q_name)
    c.q_units.append(q_unit)
    c.q0.append(q)
    c.v_names.append(v_name)
    c.v_units.append(v_unit)
    c.v0.append(v)


def _add_quaternion(c: Coordinates, body: int, joint: Any) -> None:
    """Ball and free joints: speeds are components in body axes, motion axes are unit vectors there."""
    free = joint.coordinates == "free"
    c.kind.append(L.FREE if free else L.BALL)
    first = len(c.freedoms)
    c.quaternions.append(c.n_q + (3 if free else 0))
    axes, label = UNIT_AXES if free else UNIT_AXES[3:], f"joint '{joint.name}'"
    for k, name in enumerate(joint.freedom_names):
        c.freedoms.append(FreedomRow(body, L.QUATERNION, c.n_v + k, -1, label, axes[k], armature=joint.armature[k]))
        c.speed_of[joint.name, k] = c.n_v + k
        c.v_names.append(f"{joint.name}.v.{name}")
    c.v_units.extend([f"{unit}/s" for unit in joint.units])
    c.joint_freedoms[joint.name] = list(range(first, len(c.freedoms)))
    c.q_names.extend([f"{joint.name}.q.{name}" for name in joint.coordinate_names])
    c.q_units.extend(joint.coordinate_units)
    c.q0.extend(joint.q)
    c.v0.extend(joint.v)


def _link_mimics(c: Coordinates, model: Model, fold: bool) -> None:
    """Dependent coordinates start where their leader says; chains of mimics are followed to their end.

    fold: they also become multiples of the leader's speed in the mass matrix. Else they are equations (constraint_kinds).
    """
    for joint in model.joints.values():
        if joint.mimic is None:
            continue
        leader, multiplier, offset = _leader(joint, model)
        if (leader, 0) not in c.coordinate_of and (leader, 0) not in c.tracked:
            raise ModelError(
                f"joint '{joint.name}': mimics joint '{leader}', which has no single free coordinate; choose another joint"
            )
        value = c.q0[c.coordinate_of[leader, 0]] if (leader, 0) in c.coordinate_of else c.z0[c.tracked[leader, 0]]
        if (joint.name, 0) in c.tracked:
            c.z0[c.tracked[joint.name, 0]] = multiplier * value + offset
            continue
        c.q0[c.coordinate_of[joint.name, 0]] = multiplier * value + offset
        own, lead = c.speed_of[joint.name, 0], c.speed_of.get((leader, 0))
        if lead is not None:
            c.v0[own] = multiplier * c.v0[lead]
            if fold:
                c.mimics.append(Mimic(own, lead, multiplier))


def _leader(joint: Any, model: Model) -> tuple[str, float, float]:
    """The free joint at the end of a chain of mimics, with the multiplier and offset of the whole chain."""
    leader, multiplier, offset = joint.mimic
    seen = {joint.name}
    while (followed := model.joints[leader].mimic) is not None:
        if leader in seen:
            raise ModelError(f"joint '{joint.name}': mimic joints form a cycle through '{leader}'; remove mimic from one of them")
        seen.add(leader)
        leader, m, o = followed
        multiplier, offset = multiplier * m, multiplier * o + offset
    return leader, multiplier, offset
