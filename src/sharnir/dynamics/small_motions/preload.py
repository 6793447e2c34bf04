"""Runs that begin in equilibrium: under their weight and loads, or in steady motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sharnir.arguments import shown
from sharnir.dynamics.initial.initial_state import assemble_speeds
from sharnir.dynamics.small_motions.equilibrium import Equilibrium, find_equilibrium
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

KINDS = ("equilibrium", "steady")


def is_preload(initial: Any) -> bool:
    """True if `initial` asks for an equilibrium, or is one.

    >>> is_preload("steady"), is_preload(None)
    (True, False)
    """
    if isinstance(initial, str) and initial not in KINDS:
        raise ModelError(
            f"initial = {shown(initial)} must be 'equilibrium', 'steady', an Equilibrium, or an Initial(q=…, v=…, guess=…)"
        )
    return isinstance(initial, (str, Equilibrium))


def start_in_equilibrium(system: Equations, initial: str | Equilibrium) -> None:
    """Initial positions of a system in joint coordinates from an equilibrium; speeds are those of the model.

    "steady": positions in which the speeds do not change.
    """
    rest = initial if isinstance(initial, Equilibrium) else _found(system, steady=initial == "steady")
    if not fits(system, rest):
        raise ModelError(
            f"model '{system.model.name}': the equilibrium has {len(rest.q)} coordinates, the {system.formulation} formulation "
            f"of this model has {system.n_q}; use one that was found with the same bodies, joints and formulation"
        )
    system.q0[:], system.z0[:] = rest.q, rest.linearization.state[system.n_q + system.n_v :]
    if rest.v.any():
        system.v0[:] = rest.v
    elif system.constrained:
        assemble_speeds(system)


def _found(system: Equations, steady: bool) -> Equilibrium:
    """The stable equilibrium near the initial state, or the steady motion with its speeds."""
    return find_equilibrium(system, system.q0, 0.0, True, system.v0.copy() if steady else None)


def fits(system: Equations, rest: Equilibrium) -> bool:
    """True if an equilibrium has as many coordinates as the system."""
    return len(rest.q) == system.n_q and len(rest.linearization.state) == system.n_q + system.n_v + system.n_z
