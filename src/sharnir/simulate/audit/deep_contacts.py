"""Contacts at the end of a run: bodies that penetrated deeply, fixed steps that may have jumped over one."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from sharnir.dynamics.contact.contact_reports import contact_reports
from sharnir.dynamics.system import System

DEEP = 1.0  # of half the thickness of the thinner body: then the nearest way out may be on the other side
NAMED = 5  # contacts in one warning


def contact_remarks(runs: Iterable[tuple[System, np.ndarray]], fixed: bool) -> list[str]:
    """Sentences about contacts of a run, given by its systems and their memory, that went beyond what they can describe.

    fixed : its steps were given, so that none was shortened.
    """
    deep: dict[str, tuple[float, float]] = {}
    long: dict[str, tuple[float, float]] = {}
    for system, work in runs:
        for label, report in contact_reports(system, work).items():
            if report.depth > max(DEEP, deep.get(label, (0.0, 0.0))[0]):
                deep[label] = report.depth, report.depth_at
            if fixed and report.long_steps and report.safe_step < long.get(label, (math.inf, 0.0))[0]:
                long[label] = report.safe_step, report.safe_step_at
    remarks = []
    if long:
        found = [f"{label} at t = {t:.4g} s, where {step:.2g} s are safe" for label, (step, t) in long.items()]
        remarks.append(
            f"fixed steps are so long that bodies may pass through each other unnoticed: {_listed(found)}; use a shorter step=, "
            "or an integrator that chooses its steps"
        )
    if deep:
        found = [f"{label} by {ratio:.3g} times that at t = {t:.4g} s" for label, (ratio, t) in deep.items()]
        remarks.append(
            "bodies penetrated deeper than half the thickness of the thinner one, which no contact law describes, and "
            f"may emerge on the other side: {_listed(found)}; use a stiffer law"
        )
    return remarks


def _listed(found: list[str]) -> str:
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return "; ".join(found[:NAMED]) + more
