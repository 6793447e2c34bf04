"""What every factorization of a sparse symmetric positive definite matrix can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np


class Factorization(ABC):
    """A = L Lᵀ or L U; `solve(B)` gives A⁻¹ B for one column or many."""

    name: ClassVar[str]
    package: ClassVar[str]
    extra: ClassVar[str | None]

    @classmethod
    def available(cls) -> bool:
        """True if its package is installed."""
        return find_spec(cls.package) is not None

    @abstractmethod
    def __init__(self, matrix: Any, nodes: np.ndarray | None = None, places: np.ndarray | None = None) -> None:
        """Factorize. Rows belong to `nodes`, rows of `places`: where they are known, they suggest the order of elimination."""

    @abstractmethod
    def solve(self, right: np.ndarray) -> np.ndarray:
        """A⁻¹ right."""

    @abstractmethod
    def free(self) -> None:
        """Give the memory back."""


def not_definite(reason: str) -> str:
    """The message for a matrix that cannot be factorized."""
    return (
        f"the stiffness matrix with its supports is not positive definite ({reason}): some part moves without stiffness. "
        "Remove freedoms without any element and tie loose parts; FEModel.check() gives details"
    )
