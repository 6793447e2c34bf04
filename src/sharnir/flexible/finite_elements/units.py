"""Sets of units that FE programs are used with, as factors to SI."""

from __future__ import annotations

from sharnir.arguments import shown
from sharnir.errors import ModelError

#: name: (m per unit of length, kg per unit of mass, s per unit of time)
UNIT_SETS = {
    "m-kg-s": (1.0, 1.0, 1.0),
    "mm-t-s": (1e-3, 1e3, 1.0),
    "mm-kg-s": (1e-3, 1.0, 1.0),
    "mm-kg-ms": (1e-3, 1.0, 1e-3),
    "mm-g-ms": (1e-3, 1e-3, 1e-3),
    "cm-g-s": (1e-2, 1e-3, 1.0),
    "in-lbf-s": (0.0254, 4.4482216152605 / 0.0254, 1.0),
    "ft-lbf-s": (0.3048, 4.4482216152605 / 0.3048, 1.0),
}


def unit_factors(units: str) -> tuple[float, float, float]:
    """Factors (length, mass, time) from a named set of units to m, kg, s.

    >>> unit_factors("mm-t-s")
    (0.001, 1000.0, 1.0)
    """
    key = units.lower() if isinstance(units, str) else ""
    key = "m-kg-s" if key == "si" else key
    if key not in UNIT_SETS:
        raise ModelError(
            f"units = {shown(units)} is not known; use one of {', '.join(UNIT_SETS)}, or scaled(length=, mass=, time=)",
            field="units",
        )
    return UNIT_SETS[key]
