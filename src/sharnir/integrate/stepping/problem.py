"""What is integrated: a right-hand side by its address, its data, and what the entries of the state are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from sharnir.errors import ModelError


def _no_numbers() -> np.ndarray:
    return np.zeros(0)


class Quicker(NamedTuple):
    """Functions that give the same as those of a problem in less time; `keep` is what must live as long as they."""

    derivative: Any
    balance: Any
    projection: Any
    keep: Any
    jacobian: Any = None


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
    extent
        Given: the relative tolerance of entry i belongs to how far it has moved so far, at most to extent[i] (shape (n,),
        infinite where there is no bound), and not to its value (motion_scale.py). None: to the value, as textbooks have it.
    n_q, n_v
        y = (q, v, z): coordinates, speeds, and the rest, with q̇ = T(q) v. Implicit integrators then solve for v and z only.
        0: a textbook problem, everything is z.
    rates
        As `derivative`, but fills only ydot[0:n_q] = T(q) v. None: q̇ = v, and n_q = n_v.
    tangents
        As `derivative`; reads some δq in ydot[0:n_q] and writes ξ with δq ≈ T(q) ξ, by least squares, to ydot[n_q:n_q + n_v]; v
        is not read. None: ξ = δq.
    jacobian
        As `derivative`; writes to its third argument, column by column, ∂ẇ/∂q T (n_v columns) and ∂ẇ/∂w, w = (v, z), each column
        `run_memory.padded(n - n_q)` numbers long. Where one is not a number, and with None, they are taken by differences.
    projection
        As `derivative`, but changes y so that it satisfies the constraints of the problem, and reports in its third argument:
        [0] largest residual of positions before, [1] of speeds, [2] 1.0 if y was changed, [3] 1.0 if it failed; 8 numbers fit.
        It is called with the initial state, after every accepted step and with every output. None: no constraints.
    events
        As `derivative`, but fills its third argument with the values of functions whose zeros are events. None: no events.
    directions
        Per event function: 1 if only rising through zero counts, -1 falling, 0 both.
    passing
        Per event function: True if the run goes on and the time is only noted.
    stopping
        Per event function: True if its event turns something round, so that it is an error if the function goes on nevertheless.
    switches
        How many of the event functions, the last ones, are switches in the right-hand side itself: steps of one-step methods end
        at them.
    sides
        Which number of `work` says how sides of switches are held; -1: there are none. A run that goes back finds
        them anew.
    bends
        At how many of these the right-hand side does not jump; an integrator may pass over them.
    actions
        As `derivative`; does what events do, with the state of that moment and the book of events (event_book.py) in its third
        argument. None: the run ends at events.
    calm
        As `derivative`; called after the stages of every step with their last evaluation at its end, and writes to its third
        argument 1.0 if these stages show that no event function has come near zero: then the step is not searched. It finds there
        which part of the range over former steps counts as well. Not for problems with `history`. None: every step is searched.
    gentle
        True if event functions vary no faster than polynomials of low degree of the state, so that a few values of them say what
        lies between.
    balance
        As `derivative`, and fills ydot[n] too: the rate of a number whose integral is kept beside the state, by the same formulas
        of integration. No error norm, no tolerance and no Jacobian knows of it, so the motion is the same to the last bit. None:
        there is none.
    box
        Which number of `work` tells `derivative` of a second thread (kernel/threads.py); `integrate` starts one for the time of
        a run. -1: `derivative` has no use for it.
    breaks
        breaks(t0, t1): times between t0 and t1 at which the right-hand side stops being smooth, as rows (last moment before,
        first one behind). Steps end there exactly, and the run restarts, unless both are the same. None: there are none.
    history
        As `derivative`; called at the nodes of every accepted step in turn (history_tape.py), with the number of the node and the
        ends of the step in its third argument. It needs `events`, if only with no functions. None: nothing is kept.
    horizon
        As `derivative`; called at the beginning of every step with its length, and with the rates of the state, in its third
        argument, to which it writes how long the step may be (step_horizon.py). None: as long as its error allows.
    horizon_memory
        How many numbers it keeps there between its calls.
    quicker
        quicker(): other functions for `derivative` (or `balance`) and `projection` that give the same to rounding in less time,
        but take time to be made; None if there are none. A run asks for them at the first step after `quicker_after` evaluations.

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
    extent: np.ndarray | None = None
    lanes: int = 1
    n_q: int = 0
    n_v: int = 0
    rates: Any = None
    tangents: Any = None
    jacobian: Any = None
    projection: Any = None
    events: Any = None
    directions: Sequence[int] = ()
    passing: Sequence[bool] = ()
    stopping: Sequence[bool] = ()
    switches: int = 0
    sides: int = -1
    bends: int = 0
    actions: Any = None
    calm: Any = None
    gentle: bool = False
    balance: Any = None
    box: int = -1
    history: Any = None
    breaks: Callable[[float, float], np.ndarray] | None = None
    horizon: Any = None
    horizon_memory: int = 0
    quicker: Callable[[], Quicker | None] | None = None
    quicker_after: int = 0

    def __post_init__(self) -> None:
        if self.n < 1 or self.lanes < 1:
            raise ModelError(f"Problem: n = {self.n} and lanes = {self.lanes} must be at least 1")
        self._check_parts()
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

    def _check_parts(self) -> None:
        if self.n_q < 0 or self.n_v < 0 or self.n_q + self.n_v > self.n:
            raise ModelError(f"Problem: n_q = {self.n_q} and n_v = {self.n_v} must fit into a state of n = {self.n}", field="n_q")
        if (self.rates is None) != (self.tangents is None):
            raise ModelError("Problem: rates and tangents belong together; give both, or none where q̇ = v", field="rates")
        if self.rates is None and self.n_q != self.n_v:
            raise ModelError(
                f"Problem: n_q = {self.n_q} must equal n_v = {self.n_v}, or give rates and tangents for q̇ = T(q) v",
                field="rates",
            )
        if self.projection is not None and self.lanes > 1:
            raise ModelError(f"Problem: a projection handles one state; lanes = {self.lanes} must be 1", field="projection")
        if self.events is not None and self.lanes > 1:
            raise ModelError(f"Problem: events are those of one state; lanes = {self.lanes} must be 1", field="events")
        if self.horizon is not None and self.lanes > 1:
            raise ModelError(f"Problem: a horizon is that of one state; lanes = {self.lanes} must be 1", field="horizon")
        if self.balance is not None and self.lanes > 1:
            raise ModelError(f"Problem: a balance is that of one state; lanes = {self.lanes} must be 1", field="balance")
        for name in ("passing", "stopping"):
            if len(getattr(self, name)) not in (0, len(self.directions)):
                raise ModelError(f"Problem: {name} needs {len(self.directions)} entries, as directions has", field=name)

    @property
    def size(self) -> int:
        """Number of float64 that make up the state of all lanes."""
        return self.n * self.lanes

    @property
    def row_size(self) -> int:
        """Number of float64 of a row: the state, and the integral of a balance behind it."""
        return self.size + (self.balance is not None)

    @property
    def address(self) -> Any:
        """Address of the right-hand side (compiles it, if that has not happened yet)."""
        return address(self.derivative)

    def with_work(self, work: np.ndarray) -> Problem:
        """The same problem with its own scratch memory, for a run in another thread."""
        return replace(self, work=work)

    def take(self, **parts: Any) -> None:
        """From now on other arrays of the same sizes, and other breaks, which are not checked again; for its only owner."""
        for name, part in parts.items():
            object.__setattr__(self, name, part)

    def second_thread(self) -> AbstractContextManager[bool]:
        """For the time of a run; it changes how long that takes, and nothing else."""
        if self.box < 0:
            return nullcontext(False)
        from sharnir.kernel.threads import second_thread

        return second_thread(self.work, self.box)

    def alone(self) -> Problem:
        """The same problem without a second thread, for runs that are many enough to use all processors."""
        return replace(self, box=-1)


def address(function: Any) -> Any:
    """What a kernel calls: the address of a kernel.Pointer (compiled by now), the address itself, or 0 for None.

    >>> address(None)
    0
    """
    return 0 if function is None else getattr(function, "address", function)


def textbook_problem(
    function: Callable,
    n: int,
    quaternions: Sequence[int] = (),
    lanes: int = 1,
    scale: Sequence[float] | None = None,
    n_q: int = 0,
    n_v: int = 0,
    rates: Callable | None = None,
    tangents: Callable | None = None,
    projection: Callable | None = None,
    events: Callable | None = None,
    directions: Sequence[int] = (),
    passing: Sequence[bool] = (),
) -> Problem:
    """A Problem from a plain function f(t, y, yd) that fills yd; y[k] is a float, or a vector register if lanes > 1.

    `rates`, `tangents`, `projection` and `events` are functions of the same kind; what they do is said in `Problem`.

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
    view = kernel.doubles if lanes == 1 else kernel.lanes

    def pointer(plain: Callable) -> Any:
        inner = kernel.jit(plain)

        def with_data(t: float, y: Any, out: Any, table: Any, params: Any, work: Any) -> None:
            inner(t, view(y), view(out))

        # not cached: a closure's compiled code depends on more than its source line
        return kernel.Pointer(with_data, DERIVATIVE, False)

    others = {"rates": rates, "tangents": tangents, "projection": projection, "events": events}
    pointers: dict[str, Any] = {name: None if plain is None else pointer(plain) for name, plain in others.items()}
    watched: dict[str, Any] = {"directions": directions, "passing": passing}
    parts: dict[str, Any] = {"quaternions": quaternions, "scale": scale, "n_q": n_q, "n_v": n_v, **watched}
    return Problem(pointer(function), n, lanes=lanes, **parts, **pointers)
