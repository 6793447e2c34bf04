"""Isoparametric solids: reference nodes, shape functions, quadrature and faces of every kind of cell.

Nodes are numbered as in VTK and meshio. Shape functions are the combinations of the listed monomials that are 1 at one reference
node and 0 at the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np


@dataclass(frozen=True)
class SolidElement:
    """One kind of cell. nodes (a, 3) in the reference cell.

    Powers (a, 3) of the monomials; faces: corner nodes first, then mid nodes.
    """

    nodes: np.ndarray
    powers: np.ndarray
    faces: tuple[tuple[int, ...], ...]
    stiffness_rule: tuple[np.ndarray, np.ndarray]
    mass_rule: tuple[np.ndarray, np.ndarray]

    def shapes(self, points: np.ndarray) -> np.ndarray:
        """(q, a) shape functions at points of the reference cell."""
        return _monomials(points, self.powers) @ np.linalg.inv(_monomials(self.nodes, self.powers))

    def gradients(self, points: np.ndarray) -> np.ndarray:
        """(q, a, 3) their derivatives with respect to the reference coordinates."""
        inverse = np.linalg.inv(_monomials(self.nodes, self.powers))
        slopes = []
        for axis in range(3):
            lower = self.powers.copy()
            lower[:, axis] = np.maximum(lower[:, axis] - 1, 0)
            slopes.append((_monomials(points, lower) * self.powers[:, axis]) @ inverse)
        return np.stack(slopes, axis=2)


def _monomials(points: np.ndarray, powers: np.ndarray) -> np.ndarray:
    return np.prod(np.asarray(points)[:, None, :] ** powers[None, :, :], axis=2)


def _mids(corners: np.ndarray, edges: tuple[tuple[int, int], ...]) -> np.ndarray:
    return np.array([(corners[a] + corners[b]) / 2 for a, b in edges])


TET = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
TET_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
TET_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
HEX = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], dtype=float)
HEX_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
HEX_FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))
WEDGE = np.array([[0, 0, -1], [1, 0, -1], [0, 1, -1], [0, 0, 1], [1, 0, 1], [0, 1, 1]], dtype=float)
WEDGE_EDGES = ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5))
WEDGE_FACES = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))


def _second_order(
    faces: tuple[tuple[int, ...], ...], edges: tuple[tuple[int, int], ...], corners: int, middles: bool = False
) -> tuple[tuple[int, ...], ...]:
    """Faces with the mid nodes of their edges, and with their own mid node where cells have one."""
    number = {frozenset(edge): corners + k for k, edge in enumerate(edges)}
    result = []
    for k, face in enumerate(faces):
        mids = tuple(number[frozenset((face[i], face[(i + 1) % len(face)]))] for i in range(len(face)))
        result.append(face + mids + ((corners + len(edges) + k,) if middles else ()))
    return tuple(result)


def _gauss(n: int) -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(n)
    return np.array(list(product(x, repeat=3))), np.array([a * b * c for a, b, c in product(w, repeat=3)])


def _triangle(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss points of the square collapsed onto the triangle x, y ≥ 0, x + y ≤ 1; exact to degree 2 n - 2."""
    x, w = np.polynomial.legendre.leggauss(n)
    u, wu = (1 + x) / 2, w / 2
    points = np.array([(a, b * (1 - a)) for a in u for b in u])
    return points, np.array([p * q * (1 - a) for p, a in zip(wu, u, strict=True) for q in wu])


def _wedge(n: int) -> tuple[np.ndarray, np.ndarray]:
    flat, area = _triangle(n)
    x, w = np.polynomial.legendre.leggauss(n)
    points = np.array([(*p, z) for p in flat for z in x])
    return points, np.array([a * q for a in area for q in w])


def _tet_fourteen() -> tuple[np.ndarray, np.ndarray]:
    """Fourteen points, exact to degree 5 (Walkington 2000): the mass of tetrahedra of second order."""
    corners = [(0.31088591926330060980, 0.11268792571801585080), (0.092735250310891226402, 0.073493043116361949544)]
    edge, edge_weight = 0.045503704125649649492, 0.042546020777081466438
    points, weights = [], []
    for a, weight in corners:
        points += [(a, a, a), (1 - 3 * a, a, a), (a, 1 - 3 * a, a), (a, a, 1 - 3 * a)]
        weights += [weight] * 4
    near, far = edge, 0.5 - edge
    for place in ((near, near, far), (near, far, near), (far, near, near), (near, far, far), (far, near, far), (far, far, near)):
        points.append(place)
        weights.append(edge_weight)
    return np.array(points), np.array(weights) / 6


def _tet_four() -> tuple[np.ndarray, np.ndarray]:
    """Four points, exact to degree 2: the stiffness of straight tetrahedra of second order."""
    a, b = (5 + 3 * np.sqrt(5)) / 20, (5 - np.sqrt(5)) / 20
    return np.array([[b, b, b], [a, b, b], [b, a, b], [b, b, a]]), np.full(4, 1 / 24)


def _tet_one() -> tuple[np.ndarray, np.ndarray]:
    return np.full((1, 3), 0.25), np.array([1 / 6])


def _powers(kind: str) -> np.ndarray:
    """Exponents of the monomials of a kind of cell."""
    every = np.array(list(product(range(3), repeat=3)))
    flat = every[:, 0] + every[:, 1]  # degree in the triangle of a wedge
    keep = {
        "tetra": every.sum(axis=1) <= 1,
        "tetra10": every.sum(axis=1) <= 2,
        "hexahedron": every.max(axis=1) <= 1,
        # serendipity: powers of 1 do not count
        "hexahedron20": np.where(every > 1, every, 0).sum(axis=1) <= 2,
        "hexahedron27": every.max(axis=1) <= 2,
        "wedge": (flat <= 1) & (every[:, 2] <= 1),
        "wedge15": ((flat <= 2) & (every[:, 2] <= 1)) | ((flat <= 1) & (every[:, 2] == 2)),
    }[kind]
    return every[keep]


@cache
def solid_element(kind: str) -> SolidElement:
    """The cell that meshio calls `kind`: tetra, tetra10, hexahedron, hexahedron20, hexahedron27, wedge, wedge15.

    >>> solid_element("tetra10").shapes(np.array([[0.5, 0.0, 0.0]])).round(12).nonzero()[1]  # the middle of edge 0-1 is node 4
    array([4])
    """
    tet = np.vstack([TET, _mids(TET, TET_EDGES)])
    cube = np.vstack([HEX, _mids(HEX, HEX_EDGES)])
    wedge = np.vstack([WEDGE, _mids(WEDGE, WEDGE_EDGES)])
    full = np.vstack([cube, [HEX[list(face)].mean(axis=0) for face in HEX_FACES], [[0, 0, 0]]])
    tet_faces, wedge_faces = _second_order(TET_FACES, TET_EDGES, 4), _second_order(WEDGE_FACES, WEDGE_EDGES, 6)
    return {
        "tetra": lambda: SolidElement(TET, _powers(kind), TET_FACES, _tet_one(), _tet_four()),
        "tetra10": lambda: SolidElement(tet, _powers(kind), tet_faces, _tet_four(), _tet_fourteen()),
        "hexahedron": lambda: SolidElement(HEX, _powers(kind), HEX_FACES, _gauss(2), _gauss(2)),
        "hexahedron20": lambda: SolidElement(cube, _powers(kind), _second_order(HEX_FACES, HEX_EDGES, 8), _gauss(3), _gauss(3)),
        "hexahedron27": lambda: SolidElement(
            full, _powers(kind), _second_order(HEX_FACES, HEX_EDGES, 8, True), _gauss(3), _gauss(3)
        ),
        "wedge": lambda: SolidElement(WEDGE, _powers(kind), WEDGE_FACES, _wedge(2), _wedge(2)),
        "wedge15": lambda: SolidElement(wedge, _powers(kind), wedge_faces, _wedge(3), _wedge(4)),
    }[kind]()


KINDS = ("tetra", "tetra10", "hexahedron", "hexahedron20", "hexahedron27", "wedge", "wedge15")
