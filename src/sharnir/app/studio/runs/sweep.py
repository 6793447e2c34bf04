"""A sweep: runs of a document for many values of one parameter, each with the numbers of a run of its own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from sharnir.app.studio.examination import Document, finite
from sharnir.app.studio.message_links import linked
from sharnir.app.studio.runs.channel_curves import channel_values, thinned_out
from sharnir.app.studio.runs.live_run import run_model
from sharnir.errors import ModelError, SharnirError, SimulationError
from sharnir.results import Result
from sharnir.simulate.simulation import simulate

MOST_RUNS = 1000
MOST_POINTS = 600  # of a curve of one run
Send = Callable[[dict[str, Any]], None]


def sweep_values(low: float, high: float, count: int, spacing: str = "linear") -> list[float]:
    """Values of the parameter, both ends included.

    >>> sweep_values(1.0, 100.0, 3, "logarithmic"), sweep_values(0.0, 1.0, 2)
    ([1.0, 10.0, 100.0], [0.0, 1.0])
    """
    if not 1 <= count <= MOST_RUNS:
        raise ModelError(f"sweep: {count} runs are not possible; choose 1 to {MOST_RUNS}")
    if spacing == "logarithmic":
        if not low * high > 0.0:
            raise ModelError(f"sweep: from {low:g} to {high:g} there is no logarithmic spacing; both must have the same sign")
        return [float(x) for x in np.geomspace(low, high, count)]
    return [float(x) for x in np.linspace(low, high, count)]


def sweep(
    document: Document, folder: Path, parameter: str, values: list[tuple[int, float]], channels: list[str], send: Send
) -> None:
    """Make the runs one after the other; each is told when it has ended, also one that failed."""
    model = run_model(document, folder)
    if parameter not in model.parameters:
        raise ModelError(f"sweep: there is no parameter {parameter!r}; there are {', '.join(model.parameters) or 'none'}")
    settings = {"t_end": 5.0, **(document.get("simulation") or {})}
    for number, value in values:
        send(
            {"kind": "member", "number": number, "value": value, **member(model, parameter, value, channels, settings, document)}
        )


def member(
    model: Any, parameter: str, value: float, channels: list[str], settings: dict[str, Any], document: Document
) -> dict[str, Any]:
    """One run: curves and numbers of the chosen channels, or why there are none."""
    begun, failure, result = perf_counter(), "", None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = simulate(model.with_parameters(**{parameter: value}), **settings, progress=False)
        except SimulationError as error:
            failure, result = str(error), error.result
        except SharnirError as error:
            failure = str(error)
    found = [] if result is None or not len(result.t) else [member_curve(result, name) for name in channels]
    told = [str(w.message) for w in caught if not issubclass(w.category, DeprecationWarning)]
    answer: dict[str, Any] = {"curves": found, "seconds": perf_counter() - begun, "warnings": told}
    if result is not None and len(result.t):
        answer |= {"trust": str(result.trust), "t_end": float(result.t[-1])}
    return answer | {"failure": linked(failure, document) if failure else None}


def member_curve(result: Result, name: str) -> dict[str, Any]:
    """A channel of one run: its curve, and numbers for a table."""
    values, unit = channel_values(result, name)
    times, thinned = thinned_out(result.t, values, MOST_POINTS)
    known = values[np.isfinite(values)]
    numbers = {
        "last": values[-1],
        "least": known.min(initial=np.inf),
        "largest": known.max(initial=-np.inf),
        "mean": mean(result.t, values),
    }
    numbers = {key: finite(float(x)) for key, x in numbers.items()}
    return {"name": name, "unit": unit, "t": times.tolist(), "values": finite(thinned.tolist()), **numbers}


def mean(t: np.ndarray, x: np.ndarray) -> float:
    """The mean over time.

    >>> mean(np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 2.0]))
    1.6666666666666667
    """
    return float(np.trapezoid(x, t) / (t[-1] - t[0])) if len(t) > 1 and t[-1] > t[0] else float(x[-1])
