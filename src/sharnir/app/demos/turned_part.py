"""Meshes of turned parts with arms, of 20-node hexahedra: made here, so that demos need no files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

# pairs of corners between which a 20-node hexahedron has its other nodes, in meshio's order
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))


@dataclass
class TurnedPart:
    """A tube along z of one layer of cells, whose radii change from station to station, and arms attached to it.

    stations : heights z of the cells' ends, rising or falling [m].
    outer, inner : radii at the stations [m].
    sectors : cells around; a cell begins at angle 0 (x axis) and the next ones follow towards y.

    >>> part = TurnedPart((0.0, 1.0), (0.2, 0.1), (0.1, 0.05), sectors=4)
    >>> points, cells = part.mesh()
    >>> points.shape, cells["hexahedron20"].shape
    ((48, 3), (4, 20))
    """

    stations: Sequence[float]
    outer: ArrayLike
    inner: ArrayLike
    sectors: int
    points: np.ndarray = field(init=False)
    cells: np.ndarray = field(init=False)
    turned: int = field(init=False)

    def __post_init__(self) -> None:
        angle = 2 * np.pi * np.arange(self.sectors) / self.sectors
        radius = np.stack([self.inner, self.outer], axis=1)  # station, layer
        shape = (*radius.shape, self.sectors)
        z = np.broadcast_to(np.asarray(self.stations, float)[:, None, None], shape)
        x, y = (radius[:, :, None] * f(angle) for f in (np.cos, np.sin))
        self.points = np.stack([x, y, z], axis=-1).reshape(-1, 3)
        k, j = (a.ravel() for a in np.meshgrid(range(len(self.stations) - 1), range(self.sectors), indexing="ij"))
        low, high = (k, k + 1) if self.stations[1] > self.stations[0] else (k + 1, k)
        self.cells = np.stack([self.corner(s, r, j + d) for s in (low, high) for r, d in ((0, 0), (1, 0), (1, 1), (0, 1))], 1)
        self.turned = len(self.points)

    def corner(self, station: np.ndarray, layer: int, sector: np.ndarray) -> np.ndarray:
        """Row of a corner of the tube; layer 0 is inside, 1 outside."""
        return (station * 2 + layer) * self.sectors + sector % self.sectors

    def grow(self, sectors: range, stations: range, layers: int, end: Callable[[float, float], Sequence[float]]) -> None:
        """An arm of `layers` cells from the cells of the outside between these corners to the end face.

        end : place of the arm's end for the part 0 … 1 of the way along the sectors and along the stations.
        """
        j, k = np.array(sectors), np.array(stations)
        foot = self.corner(k[:, None], 1, j[None, :])
        ends = np.array([[end(b, a) for b in np.linspace(0, 1, len(j))] for a in np.linspace(0, 1, len(k))])
        rows = [foot]
        for part in np.arange(1, layers + 1) / layers:
            rows.append(len(self.points) + np.arange(foot.size).reshape(foot.shape))
            self.points = np.vstack([self.points, ((1 - part) * self.points[foot] + part * ends).reshape(-1, 3)])
        for near, far in pairwise(rows):
            quads = [[face[:-1, :-1], face[:-1, 1:], face[1:, 1:], face[1:, :-1]] for face in (near, far)]
            if self.stations[1] < self.stations[0]:
                quads = [quad[::-1] for quad in quads]  # keeps volumes positive
            self.cells = np.vstack([self.cells, np.stack([c.ravel() for quad in quads for c in quad], axis=1)])

    def mesh(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Points and cells as `sharnir.flexible.solid` takes them; nodes between corners of the tube lie on its circles."""
        pairs = np.concatenate([np.sort(self.cells[:, edge], axis=1) for edge in EDGES])
        found, where = np.unique(pairs, axis=0, return_inverse=True)
        ends = self.points[found]
        middle = ends.mean(axis=1)
        radii = np.hypot(ends[..., 0], ends[..., 1]).mean(axis=1)
        round_ones = (found < self.turned).all(axis=1)
        middle[round_ones, :2] *= (radii / np.hypot(middle[:, 0], middle[:, 1]))[round_ones, None]
        extra = len(self.points) + where.reshape(len(EDGES), len(self.cells)).T
        return np.vstack([self.points, middle]), {"hexahedron20": np.hstack([self.cells, extra])}
