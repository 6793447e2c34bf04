"""Cut joints and constraints of a model → their records in the engine's memory: equations, paths, pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.coordinates import Coordinates
from sharnir.dynamics.memory.engine_frames import Placement
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.model import FormulaJoint, Model
from sharnir.model.frames import Frame
from sharnir.model.placement import joint_frames
from sharnir.topology import Tree


@dataclass
class Element:
    """One constraint element before it is written: its numbers and functions, and which bodies or speeds its equations act on."""

    name: str
    kind: int
    count: int
    targets: list[int]  # bodies, -1 the base, -2 - k speed k
    params: list[float] = field(default_factory=list)
    work: int = 0  # numbers of its own in work
    holonomic: int | None = None  # equations that hold for positions; None: all
    first_freedom: int = 0
    count_freedom: int = 0
    first_z: int = 0
    n_z: int = 0  # tracked coordinates
    z_value: int = 0  # where their values and rates stand among its own numbers
    z_rate: int = 0
    data: list[int] = field(default_factory=list)  # its own numbers in table
    labels: tuple[str, ...] = ()  # what each equation holds fast, for reports
    row: int = 0  # first equation
    number: int = 0


def append_constraints(
    blocks: Blocks, elements: list[Element], c: Coordinates, place: Placement, may_be_lone: bool = True
) -> np.ndarray:
    """Records of all elements with their paths, vectors per equation, and the pairs that share speeds, which it returns."""
    m = sum(e.count for e in elements)
    from sharnir.dynamics.constraints.constraint_equations import function_of

    lone = may_be_lone and all_lone(elements, c, place) and not blocks.header[L.F_MASSES]
    if lone:
        blocks.header[L.LONE] = 1
        blocks.append("params", L.P_INVERSE, inverse_inertias(place))
    paths = _Paths(c, place, lone)
    rows = np.zeros((len(elements), L.T_ELEMENT_SIZE), np.int64)
    first, widest, longest = 0, 1, 1
    listed = []
    for number, (row, e) in enumerate(zip(rows, elements, strict=True)):
        e.row, e.number = first, number
        path = paths.of(e.targets)
        listed.append(path)
        row[L.E_KIND], row[L.E_ROW], row[L.E_COUNT] = e.kind, first, e.count
        row[L.E_FUNCTION] = function_of(e.kind)
        row[L.E_HOLONOMIC] = e.count if e.holonomic is None else e.holonomic
        row[L.FIRST_FREEDOM], row[L.COUNT_FREEDOM], row[L.E_Z] = e.first_freedom, e.count_freedom, e.first_z
        row[L.E_TERMS] = len(e.targets)
        row[L.E_TERM] = blocks.append("table", None, [(t, path.place(t)) for t in e.targets])
        row[L.E_PARAMS] = blocks.append("params", None, e.params)
        row[L.E_WORK] = blocks.append("work", None, np.zeros(e.work))
        row[L.E_N_Z], row[L.E_Z_VALUE], row[L.E_Z_RATE] = e.n_z, row[L.E_WORK] + e.z_value, row[L.E_WORK] + e.z_rate
        row[L.E_JACOBIAN] = blocks.append("work", None, np.zeros(e.count * len(e.targets) * 6))
        row[L.E_PATH] = blocks.append("table", None, path.table)
        row[L.E_BODIES], row[L.E_SPEEDS] = len(path.bodies), path.n_speeds
        row[L.E_LOAD] = row[L.E_JACOBIAN] if lone else blocks.append("work", None, np.zeros(e.count * path.n_speeds))
        row[L.E_DATA] = blocks.append("table", None, e.data)
        first += e.count
        widest, longest = max(widest, 6 * e.count * len(path.bodies)), max(longest, e.count * path.n_speeds)
    blocks.header[L.N_ELEMENT], blocks.header[L.N_ROW] = len(elements), m
    for slot in (L.W_G, L.W_GDOT, L.W_ROW_BIAS, L.W_LAMBDA, L.W_ROW_RIGHT, L.W_ROW_REST, L.W_ROW_SIZE):
        blocks.append("work", slot, np.zeros(m))
    blocks.append("work", L.W_STATE, np.zeros(c.n_q + 2 * c.n_v + c.n_z))
    blocks.append("work", L.W_PATH, np.zeros(widest))
    distance = blocks.header[L.HAND_SHADOW] = -(-longest // 8) * 8  # no cache line belongs to two threads
    blocks.append("work", L.W_SHADOW, np.zeros(2 * distance))
    blocks.append("work", L.W_LOAD, np.zeros(c.n_v))
    blocks.append("work", L.W_RESPONSE, np.zeros(c.n_v + 6 * len(place.parent)))
    pairs = _append_pairs(blocks, listed, [e.count for e in elements])
    rows[:, L.E_PAIR] = np.searchsorted(pairs[:, 0], np.arange(len(elements)))
    blocks.append("table", L.T_ELEMENT, rows)
    return pairs


@dataclass(frozen=True)
class Path:
    """Bodies between some bodies and the base, children first, and their speeds."""

    bodies: list[int]
    local: dict[int, int]  # body -> place
    first_speed: list[int]  # place of the first speed of every body
    count_speed: list[int]
    table: np.ndarray
    first_v: dict[int, int]  # speed of the engine -> place
    n_speeds: int

    def place(self, target: int) -> int:
        """Where a target stands in the path: place of a body, or of a speed."""
        if target >= 0:
            return self.local[target]
        return self.first_v[-2 - target] if target < -1 else -1


class _Paths:
    def __init__(self, c: Coordinates, place: Placement, lone: bool) -> None:
        self.c, self.parent, self.lone = c, place.parent, lone
        self.elastic = {place.number[name]: range(v, v + h) for name, (_, v, h) in c.elastic.items()}
        self.body_of = np.repeat(np.arange(len(place.parent)), c.count_v)

    def of(self, targets: list[int]) -> Path:
        if self.lone:
            return self.of_lone(targets)
        c, found = self.c, set()
        for t in targets:
            i = t if t >= -1 else int(self.body_of[-2 - t])
            while i >= 0 and i not in found:
                found.add(i)
                i = self.parent[i]
        bodies = sorted(found, reverse=True)
        local = {i: k for k, i in enumerate(bodies)}
        rows, firsts, counts = [], [], []
        speeds: list[int] = []
        for i in bodies:
            rows.append((i, local.get(self.parent[i], -1), len(speeds)))
            firsts.append(len(speeds))
            counts.append(c.count_v[i] + len(self.elastic.get(i, ())))
            speeds += range(c.first_v[i], c.first_v[i] + c.count_v[i])
            speeds += self.elastic.get(i, ())
        table = np.array([x for row in rows for x in row] + speeds, np.int64)
        return Path(bodies, local, firsts, counts, table, {k: j for j, k in enumerate(speeds)}, len(speeds))

    def of_lone(self, targets: list[int]) -> Path:
        """Every body for itself; speeds stand as in the Jacobian, six for every term."""
        firsts = {i: 6 * k for k, i in enumerate(targets) if i >= 0}
        local = {i: k for k, i in enumerate(firsts)}
        return Path(list(firsts), local, list(firsts.values()), [6] * len(firsts), np.zeros(0, np.int64), {}, 6 * len(targets))


def all_lone(elements: list[Element], c: Coordinates, place: Placement) -> bool:
    """True if every body flies by itself, none without inertia, and equations act on bodies alone, each on a body once."""
    if c.elastic or not all(kind == L.FREE for kind in c.kind) or max(place.parent, default=-1) >= 0:
        return False
    if not (place.mass.min() > 0.0 and np.linalg.eigvalsh(place.inertia).min() > 0.0):
        return False
    return all(min(e.targets, default=0) >= -1 and len(set(e.targets)) == len(e.targets) for e in elements)


def inverse_inertias(place: Placement) -> np.ndarray:
    """M⁻¹ of bodies in the order of spatial.inertia: α = J⁻¹ (n - c × f) about the mass centre c, a = f/m + c × α."""
    n, turn = len(place.parent), place.user_to_engine()
    x, y, z = (np.einsum("nij,nj->ni", turn, place.com) + place.user_origin()).T
    c = np.stack([0 * x, -z, y, z, 0 * x, -x, -y, x, 0 * x], axis=1).reshape(n, 3, 3)
    J = turn @ np.linalg.inv(place.inertia) @ turn.transpose(0, 2, 1)
    A = np.eye(3) / place.mass[:, None, None] - c @ J @ c
    i, j = np.triu_indices(3)
    return np.concatenate([A[:, i, j], (c @ J).reshape(n, 9), J[:, i, j]], axis=1)


def _append_pairs(blocks: Blocks, paths: list[Path], counts: list[int]) -> np.ndarray:
    """Pairs of elements e ≥ f whose paths share speeds, with the runs of speeds they share."""
    on_body: dict[int, list[int]] = {}
    for e, path in enumerate(paths):
        for i, n in zip(path.bodies, path.count_speed, strict=True):
            if n and counts[e]:
                on_body.setdefault(i, []).append(e)
    shared: dict[tuple[int, int], list[int]] = {}
    for i in sorted(on_body, reverse=True):
        here = on_body[i]
        for a, e in enumerate(here):
            for f in here[: a + 1]:
                shared.setdefault((e, f), []).append(i)
    pairs: list[list[int]] = []
    runs: list[list[int]] = []
    for (e, f), bodies in sorted(shared.items()):
        own: list[list[int]] = []
        for i in bodies:
            a, b, n = paths[e].first_speed[paths[e].local[i]], paths[f].first_speed[paths[f].local[i]], 0
            n = paths[e].count_speed[paths[e].local[i]]
            if own and own[-1][0] + own[-1][2] == a and own[-1][1] + own[-1][2] == b:
                own[-1][2] += n
            else:
                own.append([a, b, n])
        pairs.append([e, f, len(runs), len(own)])
        runs += own
    table = np.array(pairs, np.int64).reshape(-1, L.T_PAIR_SIZE)
    at = blocks.append("table", None, np.array(runs, np.int64).reshape(-1))
    table[:, 2] = at + L.T_RUN_SIZE * table[:, 2]
    blocks.header[L.N_PAIR] = len(table)
    blocks.append("table", L.T_PAIR, table)
    return table[:, :2].copy()


def frame_numbers(place: Placement, i: int, frame: Frame) -> list[float]:
    """A frame in the user's body axes as 12 numbers in engine axes: rotation (frame → engine), position."""
    R, p = np.array(frame.rotation_matrix), np.array(frame.position)
    if i >= 0:
        turn = place.rotation[i].T @ place.user_rotation[i]
        p = turn @ p + place.rotation[i].T @ (place.user_position[i] - place.position[i])
        R = turn @ R
    return [*R.ravel(), *p]


def has_forces(model: Model, joint: Any) -> bool:
    """True if something acts along the freedoms of a joint."""
    own = any(joint.damping) or any(joint.stiffness) or any(entry != 0.0 for entry in joint.torque)
    return own or any(getattr(force, "joint", None) == joint.name for force in model.forces.values())


def cut_elements(model: Model, tree: Tree, c: Coordinates, place: Placement, placed: dict[str, Frame]) -> list[Element]:
    """Equations of the joints that were cut; a free joint has none."""
    elements = []
    for joint in tree.cuts:
        a, b = joint_frames(joint, placed)
        if joint.coordinates == "free":  # its speeds are those of the child's own origin
            a, b = placed[str(joint.parent)].inverse() @ placed[str(joint.child)], Frame()
        i, j = place.number[str(joint.parent)], place.number[str(joint.child)]
        params = frame_numbers(place, i, a) + frame_numbers(place, j, b)
        if joint.coordinates != "angles":
            ball = joint.coordinates == "ball"
            params += list(np.array(b.rotation_matrix).ravel())
            kind, work = (L.CUT_BALL if ball else L.CUT_FREE_JOINT), L.CUT_SIZE if has_forces(model, joint) else 0
            elements.append(Element(joint.name, kind, 3 if ball else 0, [i, j], params, work))
            continue
        rows = c.joint_freedoms[joint.name]
        free = sum(entry is None for entry in joint.motion)
        element = Element(joint.name, L.CUT_JOINT, 6 - free, [i, j], params, L.CUT_SIZE)
        own = isinstance(joint, FormulaJoint) and joint.depends_on_time  # time is one more
        element.first_freedom, element.count_freedom = c.first_cut_freedom[joint.name], len(rows) + own
        element.first_z, element.n_z = c.first_z.get(joint.name, 0), free
        element.z_value, element.z_rate = L.CUT_U, L.CUT_RATE
        elements.append(element)
    return elements
