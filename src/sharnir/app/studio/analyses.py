"""Analyses that the studio offers as buttons: equilibrium, modes, linear equations, kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.app.studio.examination import poses_of
from sharnir.dynamics.mobility.state_steps import moved
from sharnir.dynamics.system import System
from sharnir.errors import ModelError

FRAMES = 24  # pictures of one oscillation
AMPLITUDE = 0.15  # of a mode shape in a picture, its largest entry [m or rad]


def analysis(system: System, kind: str, **given: Any) -> dict[str, Any]:
    """The result of an analysis, with what the page draws of it.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(0, 0, -1)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", q=1))
    >>> round(abs(analysis(m.compile(), "equilibrium")["coordinates"][0]["value"]), 6)
    0.0
    """
    known = {"equilibrium": equilibrium, "modes": modes, "linear": linear}
    if kind not in known:
        raise ModelError(f"analysis: {kind!r} is unknown; there are {', '.join(known)}")
    return known[kind](system, **given)


def full(system: System, q: np.ndarray) -> np.ndarray:
    """A state at rest with given coordinates."""
    y = system.y0.copy()
    y[: system.n_q] = q
    y[system.n_q : system.n_q + system.n_v] = 0.0
    return y


def equilibrium(system: System) -> dict[str, Any]:
    """Coordinates at rest under the loads, and where the bodies are."""
    found = system.equilibrium()
    y = full(system, np.asarray(found.q))
    values = [
        {"name": name, "value": float(x)}
        for name, numbers in found.coordinates.items()
        for x in np.atleast_1d(np.asarray(numbers, float))
    ]
    return {"coordinates": values, "stable": bool(found.stable), "residual": found.residual, "poses": poses_of(system, y)}


def modes(system: System, most: int = 20) -> dict[str, Any]:
    """Frequencies, damping ratios and moving pictures of the shapes about the initial position."""
    found = system.modes()
    start = full(system, system.y0[: system.n_q])
    listed = []
    for k in range(min(most, len(found))):
        shape = found.shapes[:, k]
        shape = np.real(shape * np.exp(-1j * np.angle(shape[np.argmax(np.abs(shape))])))
        swings = AMPLITUDE * np.sin(2 * np.pi * np.arange(FRAMES) / FRAMES) / max(np.abs(shape).max(), 1e-300)
        frames = [poses_of(system, moved(system, start, s * shape)) for s in swings]
        frequency, damping = float(found.frequencies[k]), float(found.damping_ratios[k])
        listed.append({"frequency": frequency, "damping": damping, "frames": frames})
    return {"modes": listed, "stable": found.stable}


def linear(system: System) -> dict[str, Any]:
    """M, D, K and A of the linear equations about the initial position, with the names of the speeds."""
    found = system.linearize()
    eigenvalues = [[float(x.real), float(x.imag)] for x in np.asarray(found.eigenvalues)]
    matrices = {name: np.asarray(getattr(found, name)).tolist() for name in ("M", "D", "K", "A")}
    return {**matrices, "eigenvalues": eigenvalues, "speeds": list(system.speeds), "steady": bool(found.steady)}
