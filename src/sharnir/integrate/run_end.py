"""What a run says about itself: finished, interrupted, or why it could not go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.integrate.stepping import run_memory

if TYPE_CHECKING:
    from sharnir.integrate.run import Run


def run_message(run: Run) -> str:
    """Where a run stands, and why it does not go on."""
    status, t = int(run._counter[run_memory.STATUS]), f"t = {run.t:.9g}"
    if status == run_memory.BAD_START:
        bad = np.flatnonzero(~np.isfinite(run._rows[0, : run.problem.size]))
        what = f"the initial state (entry {bad[0]})" if bad.size else "the derivative of the initial state"
        return f"{what} is not finite at {t}; check initial values and parameters"
    if status == run_memory.NOT_PROJECTED:
        position, speed = run._clock[run_memory.REPORT : run_memory.REPORT + 2]
        what = "the state after" if run._counter[run_memory.STEPS] else "the initial state at"
        return (
            f"{what} {t} cannot be brought onto the constraints (residuals {position:.3g} of positions, {speed:.3g} of "
            "speeds): they contradict each other there, or a step is too long; check initial values, or tighten the tolerance"
        )
    return {
        run_memory.FINISHED: f"finished at {t}",
        run_memory.EVENT: f"an event at {t}",
        run_memory.PAUSED: f"paused at {t}",
        run_memory.RUNNING: f"interrupted at {t}",
        run_memory.NOT_FINITE: f"the state or its derivative became infinite or NaN after {t}",
        run_memory.NOT_SOLVED: f"the equations of the step after {t} could not be solved: make the fixed step shorter, or let "
        "the integrator choose it (control=True)",
        run_memory.TOO_SMALL: f"the step became smaller than rounding allows after {t}: a singularity, a discontinuity, "
        f"or too tight a tolerance (rtol = {run._settings[run_memory.RTOL]:g})",
        run_memory.TOO_MANY: f"stopped at {t} after {run._counter[run_memory.EVALUATIONS]} evaluations: too stiff for an "
        "explicit integrator (radau5 is for that), or too tight a tolerance; loosen it, soften the stiffest spring, or "
        "raise max_evaluations",
        run_memory.STALLED: stall_message(run),
    }[status]


def stall_message(run: Run) -> str:
    """Steps become shorter and shorter."""
    done, limit = int(run._counter[run_memory.EVALUATIONS]), run._pace.limit
    place = f"would not pass t = {limit:.9g}" if limit < run._grid[-1] else "would not come to its end"
    return (
        f"stopped at t = {run.t:.9g} after {done} evaluations: steps become shorter and shorter (now "
        f"{run._clock[run_memory.DT]:.2g}) and the run {place}. Look for what becomes zero or infinite there, or for a force "
        f"that jumps to and fro; to go on nevertheless, raise max_evaluations ({run._sizes[run_memory.MAX_EVALUATIONS]:.3g})"
    )
