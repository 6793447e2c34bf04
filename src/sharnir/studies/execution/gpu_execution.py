"""Runs of a study on a GPU; some are made on processors as well, to see that both agree, and those that a GPU cannot finish."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.gpu.gpu_runs import GpuRuns
from sharnir.studies.execution.block_execution import Take, Work
from sharnir.studies.prepared_runs import BlockOutcome, PreparedRuns, Recipe

LARGEST_BLOCK = 2**18  # runs: enough to fill a GPU, few enough to show progress
CHECKED = 2  # runs that are made on processors, too
AGREE = {"rk4": 1e-8, "dopri5": 1e3, "single": 1e-3}  # differences relative to the largest output; of dopri5 in tolerances


def gpu_runs(recipe: Recipe, precision: str) -> GpuRuns:
    """The kernel of a study."""
    for output in recipe.outputs:
        if not isinstance(output.formula, str):
            raise ModelError(
                f"{output.label} is a function in Python, which a GPU does not run; give a formula, or use executor=None",
                field="outputs",
            )
    nodes = {output.name: output.node() for output in recipe.outputs}
    names = recipe.outputs[0].names
    return GpuRuns(recipe.model, recipe.t_end, recipe.settings, recipe.names, nodes, precision, names)


def execute_on_gpu(work: Work, gpu: GpuRuns, prepared: PreparedRuns, take: Take) -> None:
    """Make all runs, in blocks."""
    work.size = min(work.size if work.fixed else LARGEST_BLOCK, gpu.block, LARGEST_BLOCK)
    work.fixed = True
    checked = False
    while (runs := work.next_block()) is not None:
        begin, rows = perf_counter(), work.table[runs]
        values, finished = gpu.outcome(rows)
        outcome = BlockOutcome(runs, np.where(finished[:, None], values, np.nan))
        if not finished.all():  # singular positions, jumps that need many steps, failures: with their reasons
            _put(outcome, prepared, np.flatnonzero(~finished), rows)
        if not checked and finished.any():
            checked = True
            _compare(outcome, gpu, prepared, np.flatnonzero(finished), rows)
        outcome.seconds = perf_counter() - begin
        take(outcome)


def _put(outcome: BlockOutcome, prepared: PreparedRuns, places: np.ndarray, rows: np.ndarray) -> None:
    """Runs on processors in place of those that the GPU has left."""
    found = prepared.outcome(outcome.runs[places], rows[places])
    outcome.values[places] = found.values
    outcome.failures |= found.failures
    outcome.warnings |= found.warnings


def _compare(outcome: BlockOutcome, gpu: GpuRuns, prepared: PreparedRuns, places: np.ndarray, rows: np.ndarray) -> None:
    """The first and the last run by processors: what these warn about, and whether both agree."""
    places = places[np.unique(np.linspace(0, len(places) - 1, CHECKED).astype(int))]
    found = prepared.outcome(outcome.runs[places], rows[places])
    with np.errstate(all="ignore"):
        sizes = np.nanmax(np.abs(np.vstack([outcome.values, found.values])), axis=0, initial=0.0)
    limit = allowed_difference(gpu)
    for place, wanted in zip(places, found.values, strict=True):
        run = int(outcome.runs[place])
        said: list[Any] = [found.warnings[run]] if run in found.warnings else []
        for k, output in enumerate(prepared.recipe.outputs):
            a, b = float(outcome.values[place, k]), float(wanted[k])
            if not (abs(a - b) <= limit * sizes[k] or (np.isnan(a) and np.isnan(b))):
                said.append(f"{output.name} = {a:.9g} on the GPU and {b:.9g} on processors: its other runs may be as far off")
        if said:
            outcome.warnings[run] = "; ".join(said)


def allowed_difference(gpu: GpuRuns) -> float:
    """How far a run on the GPU may be from the same on processors."""
    integrator = gpu.settings["integrator"]
    limit = AGREE[integrator] * (gpu.settings["rtol"] if integrator == "dopri5" else 1.0)
    return max(limit, AGREE["single"]) if gpu.single else limit
