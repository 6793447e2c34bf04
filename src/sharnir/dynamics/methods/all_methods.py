"""The solution methods: what each needs in memory, what it can handle, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.blocks import Assembly
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
            from sharnir.dynamics.methods.lagrange1_records import allocate_lagrange1

            allocate_lagrange1(a)
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
        if a.coordinates.elastic and size:
            b.append("table", L.T_METHOD, order_of_speeds(a))

    def check(self, a: Assembly) -> None:
        """Refuse models that the method cannot solve, saying which can."""
        if a.coordinates.mimics and not self.handles_mimic:
            raise ModelError(f"method '{self.name}' cannot solve mimic joints; use 'composite', or leave the choice to 'auto'")
        if not self.handles_massless:
            mass, J = a.placement.mass, a.placement.inertia
            nodes = {node.name for name in a.coordinates.elastic for node in a.model.bodies[name].nodes()}  # type: ignore[attr-defined]
            for i, name in enumerate(a.tree.bodies, start=a.count - len(a.tree.bodies)):
                if name in nodes:  # these move with their body
                    continue
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


def order_of_speeds(a: Assembly) -> np.ndarray:
    """The table of the order, of int64."""
    c, parent, n = a.coordinates, a.placement.parent, a.coordinates.n_v
    elastic = {a.placement.number[name]: (v, h) for name, (_, v, h) in c.elastic.items()}
    place, before = np.zeros(n, np.int64), np.zeros(n, np.int64)
    frame: list[int] = []  # last place on the way to a body's frame
    deformed: list[int] = []  # the same with the body's own elastic coordinates
    count = 0
    for i, p in enumerate(parent):
        above = -1 if p < 0 else (deformed if c.kind[i] == L.NODE else frame)[p]
        for first, speeds, ends in ((c.first_v[i], c.count_v[i], frame), (*elastic.get(i, (0, 0)), deformed)):
            for k in range(first, first + speeds):
                place[k], before[count] = count, above
                above, count = count, count + 1
            ends.append(above)
    solve = before if not c.mimics else np.arange(n, dtype=np.int64) - 1
    run = np.zeros(n, np.int64)
    for k in range(n):
        run[k] = run[k - 1] if k > 0 and solve[k] == k - 1 else k
    return np.concatenate([place, before, solve, run, np.array(frame, np.int64)])
