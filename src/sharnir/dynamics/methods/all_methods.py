"""The solution methods: what each needs in memory, what it can handle, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.memory_builder import Assembly
from sharnir.errors import ModelError

DENSE_LIMIT = 4e9  # bytes of matrices before a dense method is refused
FEW_EQUATIONS = 60  # up to which a dense solver of multipliers is the faster one, and more robust in singular positions


@dataclass(frozen=True)
class Method:
    """A way to accelerations; what computes them is registered with it, see evaluation.registered_methods.

    order : how its cost grows with the number of bodies of a chain.
    size : of its section of `work`, from the numbers of bodies and of speeds; `memory`: what appends its sections instead.
    folds_mimics : mimic joints of plain trees are folded into its mass matrix; otherwise they are constraint equations.
    by_bodies : in absolute coordinates it does the same as all others of this kind: M⁻¹ of every body, multipliers of all joints.
    remembers : it starts from the state before, so that evaluations must come one after the other.
    candidate : method="auto" may choose it; the cost model has its coefficients.

    >>> ALL_METHODS["articulated"].order, ALL_METHODS["composite"].order
    (1, 3)
    """

    name: str
    description: str
    order: int
    size: Callable[[int, int], int] = lambda bodies, speeds: 0
    memory: Callable[[Assembly], None] | None = None
    folds_mimics: bool = True
    by_bodies: bool = False
    handles_massless: bool = True
    handles_flexible: bool = True
    remembers: bool = False
    candidate: bool = False

    def allocate(self, a: Assembly) -> None:
        """Append the method's own sections to the blocks."""
        if self.memory is not None:
            self.memory(a)
            return
        n, b = a.coordinates.n_v, a.blocks
        size = self.size(a.count, n)
        if 8.0 * size > DENSE_LIMIT:
            raise ModelError(
                f"method '{self.name}' needs {8e-9 * size:.1f} GB of matrices for {n} speeds; use 'articulated' or 'lagrange1'"
            )
        b.append("work", L.W_METHOD, np.zeros(size))
        if a.coordinates.elastic and size:
            b.append("table", L.T_METHOD, order_of_speeds(a))

    def check(self, a: Assembly) -> None:
        """Refuse models that the method cannot solve, saying which can."""
        if a.coordinates.mimics and not self.folds_mimics:  # assembled for another method
            raise ModelError(f"method '{self.name}' needs mimic joints as constraint equations; use 'composite' or 'auto'")
        if a.coordinates.elastic and not self.handles_flexible:
            raise ModelError(f"method '{self.name}' does not support flexible bodies; use 'articulated' or 'auto'")
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


def composite_size(bodies: int, speeds: int) -> int:
    """Composites and the mass matrix."""
    return 21 * bodies + speeds * speeds


def direct_size(bodies: int, speeds: int) -> int:
    """The tangent basis and the mass matrix."""
    return 6 * bodies * speeds + speeds * speeds


def iterative_size(bodies: int, speeds: int) -> int:
    """Composites, the mass matrix, what is kept of the last one, scratch, four vectors, a flag."""
    return 21 * bodies + 3 * speeds * speeds + 4 * speeds + 1


def lagrange1_memory(a: Assembly) -> None:
    """Joints, pairs of joints and their plan; its kernels are loaded with it."""
    from sharnir.dynamics.methods.lagrange1_records import allocate_lagrange1

    allocate_lagrange1(a)


METHODS: dict[str, Method] = {}


def list_method(method: Method) -> None:
    """Add a method to those that models may choose."""
    METHODS[method.name] = method


for method in (
    Method(
        *("articulated", "separate bodies: elimination along the tree", 1), folds_mimics=False, by_bodies=True, candidate=True
    ),
    Method("composite", "composite bodies, then Cholesky", 3, composite_size, candidate=True),
    Method("direct", "tangent basis B, then Bᵀ M B and Cholesky", 3, direct_size, candidate=True),
    Method(
        *("lagrange1", "multipliers of the joints, Cholesky along the tree", 1),
        memory=lagrange1_memory,
        folds_mimics=False,
        by_bodies=True,
        handles_massless=False,
        candidate=True,
    ),
    Method("inverse-iterative", "composite bodies; last step's inverse, corrected", 2, iterative_size, remembers=True),
    Method("direct-iterative", "composite bodies; last step's factors, corrected", 2, iterative_size, remembers=True),
    Method("symbolic", "equations derived for the model, as code without branches and loops", 1),
    Method(*("extended", "the extended system (E), sparse LU in Python: the reference", 1), folds_mimics=False, remembers=True),
):
    list_method(method)
ALL_METHODS = dict(METHODS)  # those of this package


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
