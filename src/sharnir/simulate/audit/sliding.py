"""Formulas that switched back and forth without end, so that their switches were no longer located."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.system import System

LISTED = 5  # formulas that are named


def sliding(system: System, work: np.ndarray) -> str:
    """A sentence about such formulas of a run, given by its system and its memory; "" if there were none."""
    names = system.sliding_switches(work)
    if not names:
        return ""
    return (
        f"{', '.join(names[:LISTED])}: a formula switches back and forth without end, as sign(v) does for dry friction "
        "that sticks; from then on its branches were blended within a narrow band, so what should stick creeps; use "
        "JointFriction or Friction, or write a smooth formula, such as tanh(v/0.001)"
    )
