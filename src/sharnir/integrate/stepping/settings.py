"""Settings of a run: tolerances, step sizes, limits; checked before anything runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.arguments import mapping
from sharnir.errors import ModelError
from sharnir.integrate.stepping.problem import Problem


@dataclass(frozen=True, eq=False)
class Settings:
    """Settings of a run, with the meaning and the defaults they have in `integrate`.

    >>> Settings(rtol=1e-6).atol
    1e-10
    >>> Settings(rtol=-1.0)
    Traceback (most recent call last):
    sharnir.errors.ModelError: integrate: rtol = -1.0 must lie between 0 and 1
    """

    rtol: float = 1e-8
    atol: float | Sequence[float] | np.ndarray = 1e-10
    step: float | None = None
    max_step: float = math.inf
    max_evaluations: int = 10**9
    dense: bool = False
    control: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.rtol < 1:
            raise ModelError(f"integrate: rtol = {self.rtol} must lie between 0 and 1", field="rtol")
        atol = np.array(self.atol, dtype=float)
        if not (atol >= 0).all() or (self.rtol == 0 and not (atol > 0).all()):
            raise ModelError("integrate: atol must not be negative, and must be positive where rtol = 0", field="atol")
        for name in ("step", "max_step", "max_evaluations"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ModelError(f"integrate: {name} = {value} must be positive", field=name)

    def absolute_tolerance(self, problem: Problem) -> np.ndarray:
        """Absolute tolerance of every number of the state."""
        values = np.array(self.atol, dtype=float)
        if values.size not in (1, problem.n):
            raise ModelError(f"integrate: atol has {values.size} numbers; give one, or {problem.n}", field="atol")
        # a tiny positive tolerance keeps entries that stay exactly zero from giving 0/0
        return np.repeat(np.maximum(values * problem.scale, 1e-290), problem.lanes)

    def step_length(self, grid: np.ndarray, even: bool) -> float:
        """Length of even steps (default: one per grid interval), or of the first controlled step (0: the run finds it)."""
        longest = float(np.diff(grid).max(initial=0.0))
        if self.step is None:
            return longest if even else 0.0
        if even and longest / self.step > 1e15:
            raise ModelError(f"integrate: step = {self.step:g} is too small for intervals of {longest:g}", field="step")
        return float(self.step)


def allowed_evaluations(options: Mapping[str, float] | None, otherwise: int = 10**9) -> int:
    """`max_evaluations` among the options of a run; it is there for every integrator.

    >>> allowed_evaluations({"max_evaluations": 1e6, "rho": 0.5})
    1000000
    """
    value: Any = ({} if options is None else mapping(options, "run", "options", "numbers by name")).get(
        "max_evaluations", otherwise
    )
    if not (isinstance(value, (int, float, np.integer, np.floating)) and 1 <= value < 2**62):
        raise ModelError(f"options: max_evaluations = {value!r} must be a positive number, such as 1e9", field="options")
    return int(value)


def checked_grid(t_grid: Any) -> np.ndarray:
    """Times of output as an array.

    >>> checked_grid([0, 1, 2]).dtype
    dtype('float64')
    """
    grid = np.array(t_grid, dtype=float)
    if grid.ndim != 1 or grid.size == 0 or not np.isfinite(grid).all() or not (np.diff(grid) > 0).all():
        raise ModelError("integrate: t_grid must be a list of increasing finite times", field="t_grid")
    return grid


def checked_state(problem: Problem, y0: Any) -> np.ndarray:
    """Initial state as a flat array.

    >>> checked_state(Problem(0, 2), [1, 2]).tolist()
    [1.0, 2.0]
    """
    state = np.array(y0, dtype=float)
    if state.size != problem.size:
        shape = f"({problem.n},)" if problem.lanes == 1 else f"({problem.n}, {problem.lanes})"
        raise ModelError(f"integrate: y0 has {state.size} numbers, the problem needs shape {shape}", field="y0")
    return state.reshape(-1)
