"""What the rooms below `System` need to know of it: the engine's memory, the initial state, and a few questions about states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from sharnir.dynamics.memory.blocks import Assembly
from sharnir.integrate.stepping.problem import Problem
from sharnir.model import Model
from sharnir.topology import Tree

if TYPE_CHECKING:
    from typing import Self


class Equations(Protocol):
    """Equations of motion M v̇ = f + Cᵀ λ as three flat arrays (see layout), their initial state, and their values at states.

    `System` answers to this description. Rooms below it take an `Equations`, so that a file says what it needs and none of
    them has to know the whole.
    """

    assembly: Assembly
    method: str
    table: np.ndarray
    params: np.ndarray
    work: np.ndarray
    n_q: int
    n_v: int
    n_z: int
    q0: np.ndarray
    v0: np.ndarray
    z0: np.ndarray
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]

    @property
    def model(self) -> Model: ...
    @property
    def tree(self) -> Tree: ...
    @property
    def formulation(self) -> str: ...
    @property
    def constrained(self) -> bool: ...
    @property
    def vectorizes(self) -> bool: ...
    @property
    def n_equations(self) -> int: ...
    @property
    def y0(self) -> np.ndarray: ...
    @property
    def derivative(self) -> Any: ...
    @property
    def least_norm_twin(self) -> Self | None: ...
    def with_own_work(self, work: np.ndarray | None = None) -> Self: ...
    def observe(self, t: np.ndarray, y: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, ...]: ...
    def observe_rates(self, t: np.ndarray, y: np.ndarray) -> np.ndarray: ...
    def observe_energy(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...
    def observe_multipliers(self, t: np.ndarray, y: np.ndarray) -> np.ndarray: ...
    def observe_work(self, t: np.ndarray, y: np.ndarray, first: int, out: np.ndarray) -> None: ...
    def checked(self, name: str, values: Any) -> np.ndarray: ...
    def number(self, body: Any) -> int: ...
    def bodies(self, q: Any, v: Any, t: float = 0.0) -> dict[str, Any]: ...
    def problem(self, lanes: int = 1) -> Problem: ...
    def inverse_dynamics(
        self, q: Any, v: Any, vdot: Any, t: float = 0.0, elements: bool = True, drives: Sequence[str] | None = None
    ) -> np.ndarray: ...
    def constraint_jacobian(self, q: Any, t: float = 0.0) -> np.ndarray: ...
    def mass_matrix(self, q: Any, t: float = 0.0) -> np.ndarray: ...


AnyEquations = TypeVar("AnyEquations", bound=Equations)  # what comes in comes out
