"""The solution methods: what each needs in memory, what it can handle, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics.assemble import Assembly, Blocks
from sharnir.errors import ModelError

DENSE_LIMIT = 4e9  # bytes of matrices before a dense method is refused


@dataclass(frozen=True)
class Method:
    """A way to accelerations. `order` is how its cost grows with the number of bodies of a chain."""

    name: str
    description: str
    order: int
    handles_mimic: bool = True
    handles_massless: bool = True

    def allocate(self, a: Assembly) -> None:
        """Append the method's own sections to the blocks."""
        n_body, n, b = a.count, a.coordinates.n_v, a.blocks
        if self.name == "lagrange1":
            _allocate_lagrange1(a)
            return
        sizes = {
            "articulated": 0,
            "extended": 0,
            "composite": 21 * n_body + n * n,
            "direct": 6 * n_body * n + n * n,
            "inverse-iterative": 21 * n_body + 3 * n * n + 4 * n + 1,
            "direct-iterative": 21 * n_body + 3 * n * n + 4 * n + 1,
        }
        size = sizes[self.name]
        if 8.0 * size > DENSE_LIMIT:
            raise ModelError(
                f"method '{self.name}' needs {8e-9 * size:.1f} GB of matrices for {n} speeds; use 'articulated' or 'lagrange1'"
            )
        b.append("work", L.W_METHOD, np.zeros(size))

    def check(self, a: Assembly) -> None:
        """Refuse models that the method cannot solve, saying which can."""
        if a.coordinates.elastic and self.name != "articulated":
            flexible = ", ".join(a.coordinates.elastic)
            raise ModelError(
                f"method '{self.name}' knows rigid bodies only, and {flexible} is flexible; use 'articulated' or 'auto'"
            )
        if a.coordinates.mimics and not self.handles_mimic:
            raise ModelError(f"method '{self.name}' cannot solve mimic joints; use 'composite', or leave the choice to 'auto'")
        if not self.handles_massless:
            mass, J = a.placement.mass, a.placement.inertia
            for i, name in enumerate(a.tree.bodies, start=a.count - len(a.tree.bodies)):
                if mass[i] <= 0.0 or np.linalg.eigvalsh(J[i])[0] <= 0.0:
                    raise ModelError(
                        f"method '{self.name}' divides by the inertia of every body, and body '{name}' has mass {mass[i]:g} kg "
                        f"and principal moments {np.linalg.eigvalsh(J[i])}; give it mass and inertia, or use 'articulated'"
                    )


ALL_METHODS = {
    m.name: m
    for m in (
        Method("articulated", "separate bodies: elimination along the tree", 1, handles_mimic=False),
        Method("composite", "composite bodies, then Cholesky", 3),
        Method("direct", "tangent basis B, then Bᵀ M B and Cholesky", 3),
        Method("lagrange1", "multipliers of the joints, Cholesky along the tree", 1, handles_mimic=False, handles_massless=False),
        Method("inverse-iterative", "composite bodies; last step's inverse, corrected", 2),
        Method("direct-iterative", "composite bodies; last step's factors, corrected", 2),
        Method("extended", "the extended system (E), sparse LU in Python: the reference", 1, handles_mimic=False),
    )
}


def _allocate_lagrange1(a: Assembly) -> None:
    """Neighbours of each joint (earlier sisters, then the parent), and memory for their blocks."""
    from sharnir.dynamics.lagrange1 import JOINT, JOINT_T, PAIR

    parent, n = a.placement.parent, a.count
    rows = np.zeros((n, JOINT_T), np.int64)
    rows[:, 0] = a.coordinates.count_v
    others: list[int] = []
    sisters: dict[int, list[int]] = {}
    for i, p in enumerate(parent):
        rows[i, 1] = len(others)
        if p >= 0:
            before = sisters.setdefault(p, [])
            others += [*before, p]
            before.append(i)
        rows[i, 2] = len(others) - rows[i, 1]
    if 8.0 * PAIR * len(others) > DENSE_LIMIT:
        raise ModelError("method 'lagrange1' needs too much memory for bodies with so many children; use 'articulated'")
    b: Blocks = a.blocks
    b.append("table", L.T_METHOD, np.concatenate([rows.ravel(), np.array(others, np.int64)]))
    turn, r = a.placement.user_to_engine(), a.placement.user_origin()
    c = np.einsum("nij,nj->ni", turn, a.placement.com) + r
    inertia, mass = np.einsum("nij,njk,nlk->nil", turn, a.placement.inertia, turn), a.placement.mass.copy()
    if a.model.base_motion is not None:
        mass[0], inertia[0] = 1.0, np.eye(3)  # its motion is given, so any inertia will do
    J = np.linalg.inv(inertia)
    inverse = np.concatenate([1.0 / mass[:, None], c, J[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]], axis=1)
    b.append("params", L.P_METHOD, inverse)
    b.append("work", L.W_METHOD, np.zeros(n * JOINT + PAIR * len(others)))
