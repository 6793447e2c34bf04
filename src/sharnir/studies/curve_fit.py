"""Identification: parameters of a model from measured curves, by least squares, with covariance and confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.arguments import fail, mapping, number, numbers, sequence
from sharnir.errors import ModelError, SharnirError, SimulationError
from sharnir.model import Model
from sharnir.results import Result
from sharnir.results.channel import UnknownChannelError
from sharnir.studies.optimization import checked_bounds, checked_start
from sharnir.studies.prepared_runs import SETTINGS, PreparedRuns, Recipe, reason_of


@dataclass(frozen=True)
class Fit:
    """Parameters that fit measured curves.

    parameters : by name.   deviations : their standard deviations.   covariance : in the order of `parameters`.
    residuals : measured minus computed, by channel.   rms : root mean square of the weighted residuals.
    gradients : "exact" or "differences".   result : the run with these parameters.   free : measurements minus parameters.

    >>> Fit({"k": 2.0}, {"k": 0.1}, np.array([[0.01]]), {}, 0.0, "exact", None, 10, 5).interval("k")[0] < 1.8
    True
    """

    parameters: dict[str, float]
    deviations: dict[str, float]
    covariance: np.ndarray
    residuals: dict[str, np.ndarray]
    rms: float
    gradients: str
    result: Result | None
    free: int
    evaluations: int

    def interval(self, name: str, confidence: float = 0.95) -> tuple[float, float]:
        """The confidence interval of a parameter, by Student's t distribution.

        >>> fitted = Fit({"k": 2.0}, {"k": 0.1}, np.array([[0.01]]), {}, 0.0, "exact", None, 10**6, 5)
        >>> [round(end, 3) for end in fitted.interval("k")]
        [1.804, 2.196]
        """
        from scipy.stats import t

        if name not in self.parameters:
            fail("Fit.interval", "name", f"= {name!r} was not fitted; there are {', '.join(self.parameters)}")
        level = number(confidence, "Fit.interval", "confidence", above=0.0)
        reach = float(t.ppf(0.5 + 0.5 * level, max(1, self.free))) * self.deviations[name]
        return self.parameters[name] - reach, self.parameters[name] + reach

    def correlation(self, one: str, other: str) -> float:
        """How far the errors of two parameters go together, -1 … 1.

        >>> covariance = np.array([[1.0, 1.0], [1.0, 4.0]])
        >>> Fit({"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 2.0}, covariance, {}, 0, "", None, 1, 1).correlation("a", "b")
        0.5
        """
        names = list(self.parameters)
        return float(self.covariance[names.index(one), names.index(other)] / (self.deviations[one] * self.deviations[other]))

    def report(self) -> str:
        """Each parameter with its 95 % interval.

        >>> print(Fit({"k": 2.0}, {"k": 0.1}, np.array([[0.01]]), {}, 0.03, "exact", None, 10**6, 5).report())
        k = 2 ± 0.195997
        rms of the residuals 0.03, exact gradients, 5 runs
        """
        lines = [f"{name} = {value:.6g} ± {self.interval(name)[1] - value:.6g}" for name, value in self.parameters.items()]
        return "\n".join([*lines, f"rms of the residuals {self.rms:.6g}, {self.gradients} gradients, {self.evaluations} runs"])


def fit(
    model: Model,
    measured: Mapping[str, tuple[Any, Any]],
    *,
    parameters: Mapping[str, tuple[float, float]],
    start: Mapping[str, float] | None = None,
    deviations: Mapping[str, float] | None = None,
    **settings: Any,
) -> Fit:
    """Parameters and initial values with which a model follows measured curves best, by weighted least squares.

    Parameters
    ----------
    measured : (times, values) by channel, such as {"O.q": (t, q)}; times begin at 0 or later.
    parameters : (least, greatest) of what is to be found: parameters of the model, or initial values such as "O.v".
    start : values to begin with; default: those of the model, within the bounds.
    deviations : standard deviation of the errors of each channel; needed where channels of different units are mixed. They
        weight the channels; the size of the errors itself is estimated from the residuals.
    settings : of the runs, as in `Model.simulate`.

    Jacobians are exact where the run has sensitivities, otherwise central differences. The covariance is that of the linear
    theory, s² (JᵀJ)⁻¹, for independent errors.

    >>> import sharnir as sr
    >>> m = sr.Model("brake", gravity=(0, 0, 0), parameters={"c": 1.0})
    >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", v=3, damping="c"))
    >>> t = np.linspace(0, 2, 9)
    >>> found = fit(m, {"x.v": (t, 3 * np.exp(-0.4 * t))}, parameters={"c": (0.1, 5)})
    >>> round(found.parameters["c"], 6), found.gradients
    (0.8, 'exact')
    """
    curves = _curves(measured)
    spread = _deviations(deviations, curves)
    for name in settings:
        if name not in SETTINGS or name in ("step", "output", "changes"):
            fail("fit", name, "is not a setting of a fit; the outputs are the times of the measurements")
    times = np.unique(np.concatenate([[0.0], *(t for t, _ in curves.values())]))
    system = model.compile()
    bounds = checked_bounds(parameters, (*model.parameters, *system.coordinates, *system.speeds), "fit")
    recipe = Recipe(model.copy(), float(times[-1]), settings | {"output": times}, tuple(bounds), ())
    return _fitted(_Residuals(PreparedRuns(recipe, 1), curves, spread, bounds), start)


class _Residuals:
    """Weighted residuals and their Jacobian over scaled parameters."""

    def __init__(self, prepared: PreparedRuns, curves: Any, spread: dict[str, float], bounds: Any) -> None:
        self.prepared, self.curves, self.spread, self.names = prepared, curves, spread, tuple(bounds)
        self.low, self.high = (np.array([pair[k] for pair in bounds.values()]) for k in (0, 1))
        self.gradients, self.evaluations = "exact", 0
        self._kept: tuple[bytes, Result] | None = None

    def row(self, x: np.ndarray) -> np.ndarray:
        """Values of the parameters at a point of the unit cube."""
        found: np.ndarray = self.low + x * (self.high - self.low)
        return found

    def run(self, x: np.ndarray) -> Result:
        """The run at a point."""
        if self._kept is None or self._kept[0] != x.tobytes():
            self.evaluations += 1
            try:
                result = self.prepared._result(self.row(x))
            except SharnirError as error:
                values = ", ".join(f"{name} = {value:.6g}" for name, value in zip(self.names, self.row(x), strict=True))
                raise SimulationError(f"fit: the run with {values} failed: {reason_of(error)}; narrow the bounds") from error
            self._kept = (x.tobytes(), result)
        return self._kept[1]

    def parts(self, curve: Any) -> np.ndarray:
        """Something over time, channel by channel at the measured times, divided by their deviations."""
        run_t = self._kept[1].t if self._kept is not None else np.zeros(0)
        return np.concatenate([np.interp(t, run_t, curve(name)) / self.spread[name] for name, (t, _) in self.curves.items()])

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """Computed minus measured."""
        result = self.run(x)
        target = np.concatenate([y / self.spread[name] for name, (_, y) in self.curves.items()])
        found: np.ndarray = self.parts(lambda name: result[name]) - target
        return found

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """∂residuals/∂x."""
        if self.gradients == "exact":
            try:
                result = self.run(x)
                slopes = [self.parts(lambda name, by=by: result.sensitivity(name, by)) for by in self.names]
                found: np.ndarray = np.column_stack(slopes) * (self.high - self.low)
                return found
            except SharnirError:
                self.gradients = "differences"
        columns = []
        for k in range(len(x)):
            up, down = x.copy(), x.copy()
            up[k], down[k] = min(1.0, x[k] + 1e-4), max(0.0, x[k] - 1e-4)
            columns.append((self.residuals(up) - self.residuals(down)) / (up[k] - down[k]))
        return np.column_stack(columns)


def _fitted(problem: _Residuals, start: Mapping[str, float] | None) -> Fit:
    from scipy.optimize import least_squares

    model, system = problem.prepared.recipe.model, problem.prepared.system
    own = dict(zip(system.coordinates, system.q0, strict=True)) | dict(zip(system.speeds, system.v0, strict=True))
    given = checked_start(start, own | dict(model.parameters), problem.names, "fit")
    begin = (np.array(given) - problem.low) / (problem.high - problem.low)
    begin = np.clip(begin, 1e-3, 1.0 - 1e-3)
    _check_channels(problem, begin)
    found = least_squares(problem.residuals, begin, problem.jacobian, bounds=(0.0, 1.0), xtol=1e-10, ftol=1e-12, gtol=1e-12)
    residual, J = problem.residuals(found.x), problem.jacobian(found.x)
    result = problem.run(found.x)
    free = len(residual) - len(found.x)
    if free < 1:
        raise ModelError(f"fit: {len(residual)} measurements for {len(found.x)} parameters; more are needed", field="measured")
    _, sizes, directions = np.linalg.svd(J, full_matrices=False)
    if sizes[-1] <= 1e-10 * sizes[0]:
        blamed = [name for name, part in zip(problem.names, directions[-1], strict=True) if abs(part) > 0.1]
        raise ModelError(f"fit: the measurements do not determine {' and '.join(blamed)}; fix one, or measure other channels")
    scale = problem.high - problem.low
    covariance = float(residual @ residual) / free * np.linalg.inv(J.T @ J) * np.outer(scale, scale)
    deviations = dict(zip(problem.names, np.sqrt(np.diag(covariance)).tolist(), strict=True))
    left = {name: y - np.interp(t, result.t, result[name]) for name, (t, y) in problem.curves.items()}
    values = dict(zip(problem.names, problem.row(found.x).tolist(), strict=True))
    rms = float(np.sqrt(np.mean(residual**2)))
    return Fit(values, deviations, covariance, left, rms, problem.gradients, result, free, problem.evaluations)


def _check_channels(problem: _Residuals, x: np.ndarray) -> None:
    """Channels are there and scalars, before the search."""
    result = problem.run(x)
    for name in problem.curves:
        try:
            values = result[name]
        except UnknownChannelError as error:
            raise ModelError(f"fit: measured: {error}", field="measured") from None
        if values.ndim > 1:
            fail("fit", "measured", f"[{name!r}] has components; name one of them: {', '.join(result.components(name))}")


def _curves(measured: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    found = {}
    for name, pair in mapping(measured, "fit", "measured", "(times, values) by channel").items():
        ends = sequence(pair, "fit", f"measured[{name!r}]", "(times, values)")
        if len(ends) != 2:
            fail("fit", "measured", f"[{name!r}] must be (times, values)")
        t, y = (numbers(part, "fit", f"measured[{name!r}]", shape=(None,)) for part in ends)
        if len(t) != len(y) or not len(t) or t.min() < 0.0 or t.max() <= 0.0:
            fail("fit", "measured", f"[{name!r}]: {len(t)} times for {len(y)} values; give one time for each value, from 0 s on")
        found[name] = (t, y)
    if not found:
        fail("fit", "measured", "is empty; give curves, such as {'O.q': (t, q)}")
    return found


def _deviations(given: Any, curves: Mapping[str, Any]) -> dict[str, float]:
    if given is None:
        return dict.fromkeys(curves, 1.0)
    found = mapping(given, "fit", "deviations", "a number by channel")
    if found.keys() != curves.keys():
        fail("fit", "deviations", f"must have the channels that are measured: {', '.join(curves)}")
    return {name: number(value, "fit", f"deviations[{name!r}]", above=0.0) for name, value in found.items()}
