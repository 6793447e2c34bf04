"""Optimization: the values of parameters for which an output is least, within bounds and constraints on other outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.arguments import choice, fail, integer, mapping, number, sequence, shown
from sharnir.errors import MissingExtraError, SharnirError, SimulationError
from sharnir.studies.formula_slopes import output_slope
from sharnir.studies.prepared_runs import PreparedRuns
from sharnir.studies.study_result import StudyResult

METHODS = ("local", "global", "optuna")
PENALTY = 1e3  # of global methods, per scale of the objective and of a constraint


@dataclass(frozen=True)
class Optimum:
    """The best values that were found.

    parameters, outputs : by name.   value : of the objective.   success, message : how the search ended.
    gradients : "exact" (sensitivities), "differences" or "none".   runs : all runs of the search, as a study.

    >>> from sharnir.studies.study_result import StudyResult
    >>> Optimum({"k": 2.0}, {"y": 1.0}, 1.0, True, "", "none", StudyResult.of({"k": [2]}, {"y": [1]})).parameters
    {'k': 2.0}
    """

    parameters: dict[str, float]
    outputs: dict[str, float]
    value: float
    success: bool
    message: str
    gradients: str
    runs: StudyResult


class Search:
    """An objective and constraints over the unit cube, with a record of all runs.

    bounds : by name.   limits : by output, (least, greatest).
    """

    def __init__(self, prepared: PreparedRuns, objective: str, bounds: Mapping[str, tuple[float, float]], limits: Any) -> None:
        self.prepared, self.names = prepared, tuple(bounds)
        self.low, self.high = (np.array([pair[k] for pair in bounds.values()]) for k in (0, 1))
        self.outputs = {output.name: k for k, output in enumerate(prepared.recipe.outputs)}
        self.objective, self.limits = objective, limits
        self.rows: list[np.ndarray] = []
        self.values: list[np.ndarray] = []
        self.failures: dict[int, str] = {}
        self.gradients = "exact"
        self._slopes: dict[bytes, np.ndarray] = {}

    def at(self, x: np.ndarray) -> np.ndarray:
        """Outputs at points of the unit cube, (points, outputs); not-a-number where a run fails."""
        rows = self.low + np.clip(np.atleast_2d(x), 0.0, 1.0) * (self.high - self.low)
        first = len(self.rows)
        found = self.prepared.outcome(np.arange(first, first + len(rows)), rows)
        self.rows.extend(rows)
        self.values.extend(found.values)
        self.failures |= found.failures
        return found.values

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """∂outputs/∂x, (outputs, parameters): exact where there are sensitivities, otherwise by differences."""
        key = x.tobytes()
        if key not in self._slopes:
            found = self._exact(x) if self.gradients == "exact" else None
            self._slopes = {key: self._differences(x) if found is None else found}
        return self._slopes[key]

    def _exact(self, x: np.ndarray) -> np.ndarray | None:
        row = self.low + x * (self.high - self.low)
        recipe = self.prepared.recipe
        used = {self.objective, *self.limits}
        slopes = np.zeros((len(recipe.outputs), len(x)))
        try:
            result = self.prepared._result(row)
            if "stopped" in result.stats:  # its end moves, too
                self.gradients = "differences"
                return None
            known = dict(result_parameters(self.prepared, row))
            for k, output in enumerate(recipe.outputs):
                if output.name in used:
                    slopes[k] = [output_slope(output, result, known, name) for name in self.names]
        except SharnirError:
            self.gradients = "differences"
            return None
        found: np.ndarray | None = slopes * (self.high - self.low)
        return found

    def _differences(self, x: np.ndarray, step: float = 1e-4) -> np.ndarray:
        """Central differences, one-sided at the bounds."""
        up, down = (np.clip(x + sign * step * np.eye(len(x)), 0.0, 1.0) for sign in (1.0, -1.0))
        found = self.at(np.vstack([up, down]))
        result: np.ndarray = ((found[: len(x)] - found[len(x) :]) / np.diag(up - down)[:, None]).T
        return result

    def excess(self, outputs: np.ndarray) -> np.ndarray:
        """By how much constraints are violated at each point, a sum of parts of their limits."""
        total = np.zeros(len(outputs))
        for name, (least, most) in self.limits.items():
            y = outputs[:, self.outputs[name]]
            for over, limit in ((y - most, most), (least - y, least)):
                if np.isfinite(limit):
                    total += np.maximum(over, 0.0) / max(abs(limit), 1e-12)
        return total

    def best(self) -> int:
        """The run with the least objective of those that keep the constraints, or the one that violates them least."""
        values = np.array(self.values)
        excess, y = self.excess(values), values[:, self.outputs[self.objective]]
        excess = np.where(np.isfinite(y) & np.isfinite(excess), excess, np.inf)
        if not np.isfinite(excess).any():
            raise SimulationError(
                f"minimize: all {len(values)} runs failed, such as: {next(iter(self.failures.values()), 'no value')}"
            )
        kept = excess <= max(1e-6, float(excess.min()))
        return int(np.argmin(np.where(kept, y, np.inf)))


def result_parameters(prepared: PreparedRuns, row: np.ndarray) -> dict[str, float]:
    """Values of the model's parameters in a run."""
    return dict(prepared.recipe.model.parameters) | {name: float(row[k]) for k, name in prepared._parameters}


def minimized(search: Search, start: np.ndarray, method: str, evaluations: int, seed: int, title: str) -> Optimum:
    """The optimum by one of METHODS, from a start in the unit cube."""
    choice(method, METHODS, "minimize", "method")
    ended, message = {"local": _locally, "global": _globally, "optuna": _by_optuna}[method](search, start, evaluations, seed)
    k = search.best()
    runs = StudyResult.of(
        dict(zip(search.names, np.array(search.rows).T, strict=True)),
        dict(zip(search.outputs, np.array(search.values).T, strict=True)),
        title,
    )
    runs.failures.update(search.failures)
    outputs = dict(zip(search.outputs, map(float, search.values[k]), strict=True))
    parameters = dict(zip(search.names, map(float, search.rows[k]), strict=True))
    kept = bool(search.excess(search.values[k][None])[0] <= 1e-6)
    said = message if kept else f"the constraints are not satisfied; {message}"
    used = search.gradients if method == "local" else "none"
    return Optimum(parameters, outputs, outputs[search.objective], ended and kept, said, used, runs)


def _locally(search: Search, start: np.ndarray, evaluations: int, seed: int) -> tuple[bool, str]:
    """Sequential quadratic programming (SLSQP of SciPy) with gradients."""
    from scipy.optimize import minimize

    first = search.at(start)[0]
    k = search.outputs[search.objective]
    if not np.isfinite(first).all():
        raise SimulationError(f"minimize: the run at the start failed: {search.failures.get(0, 'an output is not a number')}")
    scale = max(abs(float(first[k])), 1e-12)
    seen = {start.tobytes(): first}

    def outputs(x: np.ndarray) -> np.ndarray:
        if x.tobytes() not in seen:
            seen[x.tobytes()] = search.at(x)[0]
        found: np.ndarray = seen[x.tobytes()]
        return found

    def least(x: np.ndarray) -> float:
        y = float(outputs(x)[k]) / scale
        return y if np.isfinite(y) else 1e6

    limits = []
    for name, pair in search.limits.items():
        for sign, limit in ((1.0, pair[0]), (-1.0, pair[1])):
            if np.isfinite(limit):
                size, j = sign / max(abs(limit), 1e-12), search.outputs[name]
                limits.append(
                    {
                        "type": "ineq",
                        "fun": lambda x, j=j, size=size, limit=limit: float(
                            np.nan_to_num(size * (outputs(x)[j] - limit), nan=-1e6)
                        ),
                        "jac": lambda x, j=j, size=size: size * search.slopes(x)[j],
                    }
                )
    found = minimize(
        least,
        start,
        jac=lambda x: search.slopes(x)[k] / scale,
        bounds=[(0.0, 1.0)] * len(start),
        constraints=limits,
        method="SLSQP",
        options={"maxiter": evaluations, "ftol": 1e-10},
    )
    return bool(found.success), str(found.message)


def _globally(search: Search, start: np.ndarray, evaluations: int, seed: int) -> tuple[bool, str]:
    """Differential evolution of SciPy, a generation at a time."""
    from scipy.optimize import differential_evolution

    members = 8 * len(start)
    found = differential_evolution(
        lambda x: _penalized(search, np.atleast_2d(x.T)),
        [(0.0, 1.0)] * len(start),
        x0=start,
        popsize=8,
        maxiter=max(1, evaluations // members - 1),
        seed=np.random.default_rng(seed),
        vectorized=True,
        updating="deferred",
        polish=False,
        tol=1e-6,
    )
    return True, str(found.message)


def _by_optuna(search: Search, start: np.ndarray, evaluations: int, seed: int) -> tuple[bool, str]:
    """Optuna's tree-structured Parzen estimator."""
    try:
        import optuna
    except ImportError:
        raise MissingExtraError("optuna", "minimize(method='optuna')") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.enqueue_trial(dict(zip(search.names, start.tolist(), strict=True)))
    for _ in range(evaluations):
        trial = study.ask()
        x = np.array([trial.suggest_float(name, 0.0, 1.0) for name in search.names])
        study.tell(trial, float(_penalized(search, x[None])[0]))
    return True, f"{evaluations} trials"


def _penalized(search: Search, x: np.ndarray) -> np.ndarray:
    """The objective, with a penalty for what is violated; a failed run is worse than all others."""
    outputs = search.at(x)
    y, excess = outputs[:, search.outputs[search.objective]], search.excess(outputs)
    scale = max(abs(float(np.nanmedian(np.array(search.values)[:, search.outputs[search.objective]]))), 1e-12)
    return np.nan_to_num(y + PENALTY * scale * excess, nan=1e30, posinf=1e30)


def checked_limits(given: Any, known: Mapping[str, int]) -> dict[str, tuple[float, float]]:
    """Constraints: (least, greatest) by output; None for no limit."""
    found = {}
    for name, pair in ({} if given is None else mapping(given, "minimize", "constraints", "(least, greatest) by output")).items():
        if name not in known:
            fail("minimize", f"constraints[{name!r}]", f"is not an output of the study; there are {', '.join(known)}")
        ends = sequence(pair, "minimize", f"constraints[{name!r}]", "two numbers (least, greatest), None for no limit")
        if len(ends) != 2 or all(end is None for end in ends):
            fail("minimize", "constraints", f"[{name!r}] = {shown(pair)} must be (least, greatest), None for no limit")
        low, high = (
            free if end is None else number(end, "minimize", f"constraints[{name!r}]")
            for end, free in zip(ends, (-np.inf, np.inf), strict=True)
        )
        found[name] = (low, high)
    return found


def checked_bounds(given: Any, names: tuple[str, ...], label: str) -> dict[str, tuple[float, float]]:
    """(least, greatest) by parameter."""
    found = {}
    for name, pair in mapping(given, label, "bounds", "(least, greatest) by parameter").items():
        if name not in names:
            fail(label, f"bounds[{name!r}]", f"is neither a parameter nor an initial value; there are {', '.join(names)}")
        ends = sequence(pair, label, f"bounds[{name!r}]", "two numbers (least, greatest)")
        if len(ends) != 2:
            fail(label, "bounds", f"[{name!r}] = {shown(pair)} must be two numbers (least, greatest)")
        low = number(ends[0], label, f"bounds[{name!r}]")
        found[name] = (low, number(ends[1], label, f"bounds[{name!r}]", above=low))
    if not found:
        fail(label, "bounds", "is empty; name what may change, such as {'k': (1, 10)}")
    return found


def checked_start(given: Any, usual: Mapping[str, float], names: Iterable[str], label: str) -> list[float]:
    """Where a search begins: the given values, and those of the model for other names."""
    start = {} if given is None else mapping(given, label, "start", "numbers by parameter")
    names = list(names)
    for name in start:
        if name not in names:
            fail(label, f"start[{name!r}]", f"is not among the bounds, which are of {', '.join(names)}")
    return [number(start[name], label, f"start[{name!r}]") if name in start else float(usual[name]) for name in names]


def checked_count(value: Any) -> int:
    """How many runs a search may make."""
    return integer(value, "minimize", "evaluations", low=1)
