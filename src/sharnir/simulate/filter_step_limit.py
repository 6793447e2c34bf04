"""Steps of the method of order 8 that fast filters allow: near its limit of stability, values between steps are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate.choice import integrator_named

LONGEST = 3.0  # step over the time constant of the fastest state of control; the method is stable to 6
MOST_STATES = 100  # of control that are looked at
NUDGE = 1e-6
DIGITS = 6


def with_filters(system: System, settings: dict[str, Any]) -> dict[str, Any]:
    """Settings of a run whose steps are short enough for the filters of a system; `free_step` is the bound without them.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.LowPass("f", "b.z", time_constant=0.01))
    >>> round(with_filters(m.compile(), {"integrator": "auto", "rtol": 1e-8, "max_step": 9.0})["max_step"], 9)
    0.03
    """
    program = system.assembly.program
    if program is None or not 0 < len(program.moving) <= MOST_STATES or not settings.get("control", True):
        return settings
    chosen = integrator_named(settings["integrator"], settings.get("order"), settings["rtol"], settings.get("options"))
    rate = fastest_rate(system) if chosen.name == "dop853" else 0.0
    if rate <= 0.0:
        return settings
    free = settings.get("free_step", settings["max_step"])
    return settings | {"max_step": min(settings["max_step"], LONGEST / rate), "free_step": free}


def fastest_rate(system: System) -> float:
    """Largest |λ| of the states of control by themselves, at the start [1/s], to as many digits as differences are worth."""
    program, y0 = system.assembly.program, system.y0
    first = len(y0) - len(program.states)
    places = np.array([first + k for k, name in enumerate(program.states) if name in program.moving])
    steps = NUDGE * np.maximum(1.0, np.abs(y0[places]))
    states = np.tile(y0, (2 * len(places), 1))
    for k, (place, step) in enumerate(zip(places, steps, strict=True)):
        states[2 * k, place] -= step
        states[2 * k + 1, place] += step
    rates = system.observe_rates(np.zeros(len(states)), states)[:, places]
    J = ((rates[1::2] - rates[::2]) / (2.0 * steps)[:, None]).T
    return float(f"{np.abs(np.linalg.eigvals(J)).max():.{DIGITS}g}") if np.isfinite(J).all() else 0.0
