"""What settings of systems and runs may be, as editors and type checkers see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sharnir.dynamics.small_motions.equilibrium import Equilibrium
    from sharnir.model.initial import Initial
    from sharnir.model.model import Model
    from sharnir.simulate.channels.moment import Moment

Formulation: TypeAlias = Literal["joint", "absolute"]
Method: TypeAlias = Literal[
    "auto",
    "articulated",
    "composite",
    "direct",
    "lagrange1",
    "inverse-iterative",
    "direct-iterative",
    "symbolic",
    "extended",
]
Integrator: TypeAlias = Literal[
    "auto",
    "rk4",
    "rkf45",
    "dopri5",
    "dop853",
    "abm",
    "radau5",
    "implicit-euler",
    "newmark",
    "hht",
    "generalized-alpha",
    "bdf",
    "park",
    "ida",
    "cvode",
]
Solver: TypeAlias = Literal["auto", "dense", "sparse", "null-space"]
Correction: TypeAlias = bool | Literal["position", "velocity"]
Stabilization: TypeAlias = bool | tuple[float, float] | list[float] | None
InitialState: TypeAlias = "Initial | Equilibrium | Literal['equilibrium', 'steady'] | None"
State: TypeAlias = float | Sequence[float] | Sequence[Sequence[float]] | NDArray[np.number[Any]]  # one state, or many
Output: TypeAlias = float | Sequence[float] | NDArray[np.number[Any]] | None
FilePath: TypeAlias = str | PathLike[str]
Callback: TypeAlias = "Callable[[Moment], Mapping[str, float] | None]"
Changes: TypeAlias = "Mapping[float, Mapping[str, float] | Model]"
