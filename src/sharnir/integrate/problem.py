"""What is integrated: a right-hand side by its address, its data, and which entries of the state are unit quaternions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.errors import ModelError


def _no_numbers() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Problem:
    """ydot = f(t, y) for `lanes` problems side by side (entry i of lane l stands at y[i * lanes + l]).

    Parameters
    ----------
    derivative
        kernel.Pointer, or the address itself, of a function (t, y, ydot, table, params, work) with the C signature
        `kernel.signatures.DERIVATIVE`; it fills ydot and leaves y alone.
    n
        Number of state entries of one lane.
    table, params, work
        Handed on to `derivative` untouched and never copied. `work` is scratch: runs in parallel need their own (`with_work`).
    quaternions
        Index (0..n-4) of the first entry of every unit quaternion; they are put back on the sphere after every step.
    scale
        Typical size of every entry, shape (n,): the absolute tolerance of entry i is `atol * scale[i]`. None: ones.

    >>> def decay(t, y, yd):
    ...     yd[0] = -y[0]
    >>> textbook_problem(decay, 1).size
    1
    """

    derivative: Any
    n: int
    table: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    params: np.ndarray = field(default_factory=_no_numbers)
    work: np.ndarray = field(default_factory=_no_numbers)
    quaternions: Sequence[int] | np.ndarray = ()
    scale: Sequence[float] | np.ndarray | None = None
    lanes: int = 1

    def __post_init__(self) -> None:
        if self.n < 1 or self.lanes < 1:
            raise ModelError(f"Problem: n = {self.n} and lanes = {self.lanes} must be at least 1")
        for name, dtype in (("table", np.int64), ("params", np.float64), ("work", np.float64)):
            array = getattr(self, name)
            if not (isinstance(array, np.ndarray) and array.dtype == dtype and array.flags.c_contiguous):
                raise ModelError(f"Problem: {name} must be a C-contiguous array of {np.dtype(dtype).name}", field=name)
            object.__setattr__(self, name, array.reshape(-1))
        quaternions = np.array(self.quaternions, dtype=np.int64).reshape(-1)
        if quaternions.size and (quaternions.min() < 0 or quaternions.max() > self.n - 4):
            raise ModelError(
                f"Problem: quaternions = {quaternions.tolist()} must start within 0..{self.n - 4}", field="quaternions"
            )
        scale = np.ones(self.n) if self.scale is None else np.array(self.scale, dtype=float).reshape(-1)
        if scale.size != self.n or not (np.isfinite(scale).all() and (scale > 0).all()):
            raise ModelError(f"Problem: scale must hold {self.n} positive numbers", field="scale")
        object.__setattr__(self, "quaternions", quaternions)
        object.__setattr__(self, "scale", scale)

    @property
    def size(self) -> int:
        """Number of float64 that make up the state of all lanes."""
        return self.n * self.lanes

    @property
    def address(self) -> Any:
        """Address of the right-hand side (compiles it, if that has not happened yet)."""
        return getattr(self.derivative, "address", self.derivative)

    def with_work(self, work: np.ndarray) -> Problem:
        """The same problem with its own scratch memory, for a run in another thread."""
        return Problem(self.derivative, self.n, self.table, self.params, work, self.quaternions, self.scale, self.lanes)


def textbook_problem(
    function: Callable, n: int, quaternions: Sequence[int] = (), lanes: int = 1, scale: Sequence[float] | None = None
) -> Problem:
    """A Problem from a plain function f(t, y, yd) that fills yd; y[k] is a float, or a vector register if lanes > 1.

    >>> def pendulum(t, y, yd):
    ...     yd[0] = y[1]
    ...     yd[1] = -9.81 * math.sin(y[0])
    >>> import math
    >>> from sharnir.integrate import integrate
    >>> solution = integrate(textbook_problem(pendulum, 2), [0.1, 0.0], [0.0, 1.0, 2.0])
    >>> solution.status, solution.y.shape
    ('finished', (3, 2))
    """
    from sharnir import kernel
    from sharnir.kernel.signatures import DERIVATIVE

    if lanes not in (1, kernel.LANES):
        raise ModelError(f"textbook_problem: lanes = {lanes} must be 1 or {kernel.LANES}", field="lanes")
    inner = kernel.jit(function)
    view = kernel.doubles if lanes == 1 else kernel.lanes

    def derivative(t: float, y: Any, yd: Any, table: Any, params: Any, work: Any) -> None:
        inner(t, view(y), view(yd))

    # not cached: a closure's compiled code depends on more than its source line
    pointer = kernel.Pointer(derivative, DERIVATIVE, False)
    return Problem(pointer, n, quaternions=quaternions, scale=scale, lanes=lanes)
