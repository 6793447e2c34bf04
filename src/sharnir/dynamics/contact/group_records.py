"""Groups of contacts → their records: shapes with their bounding spheres, kinds of pairs, and memory for lists of neighbours."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from sharnir.dynamics.contact import contact_group as G
from sharnir.dynamics.contact import contact_pair as C
from sharnir.dynamics.contact import distance_fields as F
from sharnir.dynamics.contact import neighbour_list as N
from sharnir.dynamics.contact.box_box import BOX_SCRATCH
from sharnir.dynamics.contact.contact_records import boundary_numbers, law_numbers, probe_numbers, swapped
from sharnir.dynamics.contact.group_horizon import GROUP_HORIZON
from sharnir.dynamics.contact.shape_extents import ball, body_point, half_thickness
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.model.contact import ExponentialLaw
from sharnir.model.forces import ContactGroup
from sharnir.model.forces.contact_group import SOLID

MOVES = 0.1  # of a usual radius: how far a shape may move before neighbours are looked for again
LARGER = 4.0  # than a usual radius: too large for the grid
ROOM = 64  # pairs in the list, per shape
FADED = 40.0  # exponents after which an exponential law is lost in rounding


@force_record(ContactGroup, G.CONTACT_GROUP, horizon=GROUP_HORIZON)
def group_row(blocks: Blocks, row: np.ndarray, force: ContactGroup, drawing: Drawing) -> None:
    """The record of a group."""
    members = force.members(drawing.model)
    solid = [member for member in members if isinstance(member[1], SOLID)]
    walls = [member for member in members if not isinstance(member[1], SOLID)]
    balls = np.array([[*body_point(drawing, body, center), r] for body, (center, r) in ((b, ball(s)) for b, s in solid)])
    balls = balls.reshape(-1, 4)
    usual = float(np.median(balls[:, 3])) if len(balls) else 1.0
    large = balls[:, 3] > LARGER * usual
    margin, reach = MOVES * usual, FADED / force.law.steepness if isinstance(force.law, ExponentialLaw) else 0.0
    cell = 2.0 * float(balls[~large, 3].max(initial=0.0)) + 2.0 * margin + reach
    group = Group(blocks, force, drawing, [*solid, *walls], len(solid))
    n, buckets = len(solid), 1 << max(1, 2 * len(solid) - 1).bit_length()
    room = min(n * (n - 1) // 2, ROOM * n)
    space = np.full(N.EACH * n + buckets + 1 + 2 * room, np.nan)  # no list yet
    integers = np.zeros(N.THICKNESSES + 1, np.int64)
    integers[[N.SHAPES, N.WALLS, N.KINDS, N.BUCKETS, N.CAPACITY]] = n, len(walls), group.kinds, buckets, room
    integers[N.CONTACTS] = blocks.append("table", None, group.contacts())
    integers[N.MEMBERS] = blocks.append("table", None, group.records(large))
    integers[N.BALLS] = blocks.append("params", None, balls)
    thicknesses = [half_thickness(shape, drawing.model.parameters) for _, shape in [*solid, *walls]]
    integers[N.THICKNESSES] = blocks.append("params", None, thicknesses)
    integers[N.SIZES] = blocks.append("params", None, [margin, reach, cell])
    integers[N.SPACE] = blocks.append("work", None, space)
    pairs = jointed(force, drawing)
    integers[N.EXCEPT] = blocks.append("table", None, [len(pairs), *(drawing.number(x) for pair in pairs for x in pair)])
    integers[N.LARGES] = blocks.append("table", None, [int(large.sum()), *np.flatnonzero(large)])
    integers[N.OUT] = blocks.append("work", None, np.zeros(C.OUTPUTS))
    row[L.BODY_A], row[L.BODY_B] = -1, -1
    row[L.F_PARAMS] = blocks.append("params", None, [*law_numbers(force), 1.0])
    row[L.F_DATA] = blocks.append("table", None, integers)


def jointed(force: ContactGroup, drawing: Drawing) -> list[tuple[str, str]]:
    """Pairs of bodies of the group that a joint connects."""
    names = {body for body, _ in force.members(drawing.model)}
    joints = [(joint.parent, joint.child) for joint in drawing.model.joints.values()]
    return [pair for pair in dict.fromkeys(joints) if names.issuperset(pair)]


class Group:
    """Kinds of shapes: one for each class, one for each wall without an end."""

    def __init__(self, blocks: Blocks, force: ContactGroup, drawing: Drawing, members: list[Any], n: int) -> None:
        self._blocks, self._force, self._drawing, self._members, self._n = blocks, force, drawing, members, n
        classes = list(dict.fromkeys(type(shape) for _, shape in members[:n]))
        self._kind = [classes.index(type(s)) if k < n else len(classes) + k - n for k, (_, s) in enumerate(members)]
        self.kinds = len(classes) + len(members) - n
        self._example = {kind: k for k, kind in reversed(list(enumerate(self._kind)))}
        self._boundary = [boundary_numbers(force, shape, body, drawing) for body, shape in members]
        self._pairs = {(kind, other): self._turned(kind, other) for kind, other in self._meetings()}

    def _meetings(self) -> list[tuple[int, int]]:
        """Pairs of kinds that occur on different bodies."""
        bodies: dict[int, set[str]] = {}
        for (body, _), kind in zip(self._members, self._kind, strict=True):
            bodies.setdefault(kind, set()).add(body)
        first = self._kind[self._n :]
        found = [(a, b) for a, b in combinations(sorted(bodies), 2) if a not in first and len(bodies[a] | bodies[b]) > 1]
        return [*found, *((b, a) for a, b in found), *((a, a) for a in bodies if a not in first and len(bodies[a]) > 1)]

    def _shape(self, kind: int) -> Any:
        return self._members[self._example[kind]][1]

    def _turned(self, kind: int, other: int) -> bool:
        return swapped(self._force, self._shape(kind), self._shape(other))

    def contacts(self) -> np.ndarray:
        """For each pair of kinds what `contact_row` writes for a pair, and whether the second gives the points."""
        rows = np.zeros((self.kinds, self.kinds, G.CONTACT_SIZE), np.int64)
        for (kind, other), turned in self._pairs.items():
            points, wall = (other, kind) if turned else (kind, other)
            sort, count, _ = probe_numbers(self._drawing, self._members[0][0], self._shape(points), self._shape(wall))
            field, function, _ = self._boundary[self._example[wall]]
            space = self._blocks.append("work", None, np.zeros(BOX_SCRATCH if sort == C.BOX else F.SCRATCH))
            rows[kind, other] = [int(turned), sort, count, field, 0, function, space]
        return rows

    def records(self, large: np.ndarray) -> np.ndarray:
        """Members: body, kind, boundary, size, and the numbers of points for each kind of boundary that they meet."""
        rows = np.zeros((len(self._members), N.PROBES + self.kinds), np.int64)
        for k, (body, shape) in enumerate(self._members):
            kind, entries = self._kind[k], self._boundary[k][2]
            at = self._blocks.append("params", None, entries)
            rows[k, : N.PROBES] = self._drawing.number(body), kind, at, int(k < self._n and large[k])
            for other in range(self.kinds):
                if self._pairs.get((kind, other)) is False or self._pairs.get((other, kind)) is True:
                    numbers = probe_numbers(self._drawing, body, shape, self._shape(other))[2]
                    rows[k, N.PROBES + other] = self._blocks.append("params", None, numbers) + 1
        return rows
