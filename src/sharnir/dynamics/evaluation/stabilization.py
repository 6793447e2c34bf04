"""How constraints are kept: stabilization in the equations (Baumgarte), correction of the state after every step (projection).

Both as in V. G. Boikov, A. A. Yudakov, Inform. Tekhn. Vych. Sist., 2011, no. 1, 42–52, §6; see docs/theory/loops.md.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sharnir.arguments import shown, vector
from sharnir.dynamics.memory import layout as L
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import AnyEquations, Equations

USUAL_PERIOD = 0.1  # s, of stabilization=True: fast for a mechanism, slow for the steps of an integrator
STEPS_PER_PERIOD = 20  # of integrators with a fixed step: far inside the stability region of every explicit one
CORRECTIONS: dict[Any, tuple[int, int]] = {True: (1, 1), False: (0, 0), "position": (1, 0), "velocity": (0, 1)}


def stabilization_gains(stabilization: Any, step: float | None = None) -> tuple[float, float]:
    """k₀, k₁ of g̈ = -k₀ g - k₁ ġ: errors die out as an oscillator with a period T and a damping ratio ξ does.

    stabilization : None or False (off), True (T = 0.1 s, or 20 fixed steps if that is longer; ξ = 1), or (T, ξ).

    >>> stabilization_gains(None)
    (0.0, 0.0)
    >>> k0, k1 = stabilization_gains((2 * math.pi, 0.5))
    >>> round(k0, 12), round(k1, 12)
    (1.0, 1.0)
    """
    if stabilization is None or stabilization is False:
        return 0.0, 0.0
    if stabilization is True:
        stabilization = (max(USUAL_PERIOD, STEPS_PER_PERIOD * (step or 0.0)), 1.0)
    try:
        period, damping = vector(stabilization, 2, "run", "stabilization", finite=False)
    except ModelError:
        raise ModelError(
            f"stabilization = {shown(stabilization)} must be None, True, or two numbers: a period in seconds and a damping "
            "ratio, for example (0.1, 1.0)",
            field="stabilization",
        ) from None
    if not (0.0 < period < math.inf and 0.0 <= damping < math.inf):
        raise ModelError(
            f"stabilization = {stabilization!r}: the period must be positive [s] and the damping ratio not negative; "
            "(0.1, 1.0) is usual",
            field="stabilization",
        )
    return (2.0 * math.pi / period) ** 2, 4.0 * math.pi * damping / period


def correction_switches(correction: Any) -> tuple[int, int]:
    """Whether positions and speeds are corrected, as 0 or 1.

    >>> correction_switches("velocity")
    (0, 1)
    """
    if not isinstance(correction, bool | str) or correction not in CORRECTIONS:
        raise ModelError(
            f'correction = {shown(correction)} must be True, False, "position" or "velocity"',
            field="correction",
        )
    return CORRECTIONS[correction]


def keep_constraints(
    system: AnyEquations, stabilization: Any = None, correction: Any = True, step: float | None = None
) -> AnyEquations:
    """Write both settings into the numbers of a system; the system itself is returned.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "a", axis="z"))
    >>> s = keep_constraints(m.compile("absolute"), (0.2, 1.0), correction=False)
    >>> drift_of(s)
    ((0.2, 1.0), False)
    """
    gains, switches = stabilization_gains(stabilization, step), correction_switches(correction)
    if system.constrained:
        system.params[L.STABILIZE_POSITION], system.params[L.STABILIZE_SPEED] = gains
        system.table[L.CORRECT_POSITION], system.table[L.CORRECT_SPEED] = switches
    return system


def drift_of(system: Equations) -> tuple[tuple[float, float] | None, bool | str]:
    """Stabilization (period, damping ratio) or None, and correction, as they are set in a system."""
    k0, k1 = (float(system.params[k]) for k in (L.STABILIZE_POSITION, L.STABILIZE_SPEED))
    switches = int(system.table[L.CORRECT_POSITION]), int(system.table[L.CORRECT_SPEED])
    correction = next(name for name, pair in CORRECTIONS.items() if pair == switches)
    if k0 == 0.0:
        return None, correction
    period = 2.0 * math.pi / math.sqrt(k0)
    return (round(period, 12), round(k1 * period / (4.0 * math.pi), 12)), correction


def residual_limits(system: Equations) -> tuple[float | None, float | None]:
    """Residuals of positions and of speeds that corrections leave alone; None: they are not corrected.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "a", axis="z"))
    >>> residual_limits(keep_constraints(m.compile("absolute"), correction="velocity"))[0] is None
    True
    """
    positions = float(system.params[L.POSITION_TOLERANCE]) if system.table[L.CORRECT_POSITION] == 1 else None
    return positions, float(system.params[L.SPEED_TOLERANCE]) if system.table[L.CORRECT_SPEED] == 1 else None
