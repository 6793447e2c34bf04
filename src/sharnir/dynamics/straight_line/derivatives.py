"""Exact derivatives of accelerations and constraints at one state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.dynamics.straight_line.derivability import check_derivable
from sharnir.dynamics.straight_line.derived_directions import DerivedDirections, directions_of
from sharnir.dynamics.straight_line.derived_functions import Derivation, DerivedFunctions
from sharnir.dynamics.straight_line.parametric_code import ParametricCode


@dataclass(frozen=True)
class Derivatives:
    """Derivatives at a state, from the formulas of the model.

    q, v : ∂v̇/∂q (n_v, n_q) and ∂v̇/∂v (n_v, n_v).   parameters : ∂v̇/∂p (n_v,) by name.
    constraint_names : an element for every constraint equation; equations that follow from others are left out.
    constraints_q : ∂g/∂q (equations, n_q), g the residuals of positions; constraint_rates_q, constraint_rates_v : ∂ġ/∂q, ∂ġ/∂v.
    constraint_parameters : ∂g/∂p by name.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", stiffness=8, damping=1))
    >>> found = m.compile().derivatives()
    >>> found.q, found.v
    (array([[-4.]]), array([[-0.5]]))
    """

    q: np.ndarray
    v: np.ndarray
    parameters: dict[str, np.ndarray]
    constraint_names: tuple[str, ...]
    constraints_q: np.ndarray
    constraint_rates_q: np.ndarray
    constraint_rates_v: np.ndarray
    constraint_parameters: dict[str, np.ndarray]


def derivatives_at(system: Any, q: np.ndarray, v: np.ndarray, t: float, parameters: Sequence[str]) -> Derivatives:
    """Derivatives of a system at a state; see System.derivatives."""
    slopes = np.zeros((0, len(parameters)))
    if parameters:
        code = parametric_code(system, parameters)
        found, slopes = code.directions(system), code.slopes
    else:
        found = plain_directions(system)
    n, n_q, m = len(system.y0), system.n_q, len(parameters)
    y = np.concatenate([q, v, system.z0])
    dy, dn = np.hstack([np.eye(n), np.zeros((n, m))]), np.hstack([np.zeros((len(slopes), n)), slopes])
    rates = found.rate_changes(t, y, dy, dn)[n_q : n_q + system.n_v]
    rows = found.constraint_changes(t, y, dy, dn)
    g, gd, s = rows[: found.rows], rows[found.rows :], slice(n_q, n_q + system.n_v)
    return Derivatives(
        q=rates[:, :n_q],
        v=rates[:, s],
        parameters={name: rates[:, n + k] for k, name in enumerate(parameters)},
        constraint_names=tuple(row.name for row in found.derivation.solution.constraints),
        constraints_q=g[:, :n_q],
        constraint_rates_q=gd[:, :n_q],
        constraint_rates_v=gd[:, s],
        constraint_parameters={name: g[:, n + k] for k, name in enumerate(parameters)},
    )


def parametric_code(system: Any, names: Sequence[str]) -> ParametricCode:
    """Code with numbers that follow from parameters, made once for the same names."""
    key = tuple(names)
    if key not in system.parametric:
        system.parametric[key] = ParametricCode(system, key)
    return system.parametric[key]


def plain_code(system: Any) -> DerivedFunctions:
    """Derived code of a system, without parameters; made once, and not used for runs."""
    if system.derived is not None:
        return system.derived
    if () not in system.parametric:
        check_derivable(system)
        system.parametric[()] = DerivedFunctions(system, Derivation(system))
    return system.parametric[()]


def plain_directions(system: Any) -> DerivedDirections:
    """Derivatives along the state alone."""
    return directions_of(system, plain_code(system))
