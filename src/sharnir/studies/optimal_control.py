"""Optimal drives: inputs over time that bring a mechanism from its initial state to a final one at the least cost."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.arguments import choice, fail, integer, mapping, number, sequence, shown, with_advice
from sharnir.equations.derivation import equations_of
from sharnir.errors import FormulaError, MissingExtraError, ModelError, RunWarning, SharnirError
from sharnir.model import Input, Model, Signal, Table
from sharnir.model.changed_elements import exchange
from sharnir.model.formula import parse
from sharnir.results import Result
from sharnir.studies.collocation import Course, Ends, Task, optimal_course
from sharnir.symbolic.expression_graph import names_of
from sharnir.symbolic.nodes import Name, Node

ACCURATE = 1e-3  # of the range of a coordinate or speed: a run that is farther from the plan than that is told
RAMP = 1e-6  # of an interval: what a step of a constant drive takes
TOLERANCE = 1e-9  # of the run with the drives


@dataclass(frozen=True)
class OptimalControl:
    """Drives that were found, and the motion with them.

    t : nodes; the last one is the end.   inputs, states : values at the nodes, by name of the signal and of the channel.
    cost : what was minimized.   success, message, iterations : how the search ended.
    model : a copy of the model in which the inputs follow the drives.   result : its run; None if it failed.
    error : largest distance between plan and run at the nodes, by channel.

    >>> t = np.array([0.0, 1.0])
    >>> OptimalControl(t, {"u": 3 * t}, {}, 3.0, True, "", 9, False, Model(), None, {}).inputs["u"].tolist()
    [0.0, 3.0]
    """

    t: np.ndarray
    inputs: dict[str, np.ndarray]
    states: dict[str, np.ndarray]
    cost: float
    success: bool
    message: str
    iterations: int
    constant: bool
    model: Model
    result: Result | None
    error: dict[str, float]

    def drive(self, name: str) -> Table:
        """A drive as a Table of time, for other models.

        >>> t, u = np.array([0.0, 1.0]), {"u": np.array([0.0, 2.0])}
        >>> OptimalControl(t, u, {}, 0.0, True, "", 1, False, Model(), None, {}).drive("u").evaluate(0.5)
        1.0
        """
        if name not in self.inputs:
            fail("OptimalControl.drive", "name", f"= {shown(name)} is not an input; there are {', '.join(self.inputs)}")
        return drive_of(self.t, self.inputs[name], self.constant)


@with_advice
def optimal_control(
    model: Model,
    t_end: float | tuple[float, float],
    *,
    inputs: Mapping[str, tuple[float | None, float | None] | None],
    cost: str = "0",
    final: Mapping[str, Any] | None = None,
    final_cost: str = "0",
    limits: Mapping[str, Any] | None = None,
    intervals: int = 40,
    profile: str = "linear",
    initial: Any = None,
    iterations: int = 1000,
) -> OptimalControl:
    """Drives of a mechanism with the least cost, by direct collocation (extra `casadi`).

    Parameters
    ----------
    t_end : duration, or (least, greatest) if it may be chosen.
    inputs : (least, greatest) of every Input of the model, None for no limit.
    cost : formula whose integral over time is minimized, of t, coordinates and speeds ("O.q", "O.v"), inputs and parameters;
        "1" asks for the shortest time.   final_cost : formula at the end, which is added.
    final : number or (least, greatest) of formulas at the end, such as {"O.q": 3.14, "O.v": 0}.
    limits : (least, greatest) of formulas along the way, such as {"O.q": (-1, 1)}.
    intervals : of equal length.   profile : "linear" or "constant" drives between nodes.
    initial : initial conditions, as in `Model.simulate`.   iterations : of IPOPT, at most.

    What is found is a local optimum of the discretized task. The model is then run with the drives; `error` says how far that
    motion is from the planned one, and a warning is given where this is more than a thousandth of a channel's range.

    >>> import sharnir as sr
    >>> m = sr.Model("slide")
    >>> _ = m.add(sr.Body("car", mass=2), sr.Input("u", unit="N"), sr.Prismatic("x", "ground", "car", axis="x"))
    >>> _ = m.add(sr.JointForce("drive", "x", "u"))
    >>> found = optimal_control(m, 2.0, inputs={"u": None}, cost="u^2", final={"x.q": 1, "x.v": 0}, intervals=10)
    >>> found.success, found.inputs["u"].round(6)[[0, 5, 10]].tolist(), round(found.cost, 6)
    (True, [3.0, 0.0, -3.0], 6.0)
    """
    pieces = integer(intervals, "optimal_control", "intervals", low=1)
    constant = choice(profile, ("linear", "constant"), "optimal_control", "profile") == "constant"
    task = task_of(model, t_end, inputs, (cost, final_cost), limits, final, initial, (pieces, constant))
    limit = integer(iterations, "optimal_control", "iterations", low=1)
    try:
        import casadi
    except ImportError:
        raise MissingExtraError("casadi", "optimal_control") from None
    return with_run(task, optimal_course(casadi, task, limit), initial)


def task_of(
    model: Model, t_end: Any, inputs: Any, costs: Any, limits: Any, final: Any, initial: Any, pieces: tuple[int, bool]
) -> Task:
    """The task of checked arguments. costs : along the way, at the end.   pieces : how many, and whether drives are constant."""
    equations = equations_of(model)
    states = (*equations.mechanism.coordinate_channels, *equations.mechanism.speed_channels)
    drives = checked_inputs(model, equations, inputs)
    known = {"t", *states, *drives, *model.parameters}
    start = start_state(model, equations, states, initial)
    ends, way = (
        [(read(name, known, word), pair_of(pair, f"{word}[{name!r}]")) for name, pair in given.items()]
        for word, given in (("final", conditions(final, "final")), ("limits", conditions(limits, "limits")))
    )
    guess = start.copy()
    for node, (low, high) in ends:
        if isinstance(node, Name) and node.name in states:
            k = states.index(node.name)
            guess[k] = np.clip(start[k], low, high)
    check_start(way, states, start)
    duration = pair_of(t_end, "t_end")
    if not 0.0 < duration[0] <= duration[1] < np.inf:
        fail("optimal_control", "t_end", f"= {shown(t_end)} must be a time after 0, or (least, greatest)")
    running, closing = (read(text, known, word) for text, word in zip(costs, ("cost", "final_cost"), strict=True))
    return Task(model, equations, states, drives, start, duration, running, closing, way, ends, guess, *pieces)


def checked_inputs(model: Model, equations: Any, given: Any) -> dict[str, Ends]:
    """Limits of all inputs of the equations, by name; what else is unknown in the equations is refused."""
    label = "optimal_control"
    own = [name for name, signal in model.signals.items() if isinstance(signal, Input)]
    found = {}
    for name, pair in mapping(given, label, "inputs", "(least, greatest) by Input").items():
        if name not in own:
            fail(label, f"inputs[{name!r}]", f"is not an Input of the model; it has {', '.join(own) or 'none'}")
        found[name] = (-np.inf, np.inf) if pair is None else pair_of(pair, f"inputs[{name!r}]")
    if not found:
        fail(label, "inputs", "is empty; name the inputs to be found, such as {'u': (-1, 1)}")
    used = names_of(*equations.nodes)
    for symbol in equations.inputs:
        if symbol in found or symbol not in used:
            continue
        if symbol in own:
            fail(label, "inputs", f"does not mention Input {symbol!r}; give its limits, or None for no limits")
        what = equations.mechanism.opaque.get(symbol) or equations.mechanism.entries.signals.get(symbol, symbol)
        remedy = "leave it out here, or write it as a formula of coordinates, speeds and inputs"
        raise ModelError(f"optimal_control: {what!r} has no closed form in the equations of motion; {remedy}")
    if missing := sorted(set(found) - used):
        fail(label, f"inputs[{missing[0]!r}]", "moves nothing: no force of the model depends on it")
    return found


def conditions(given: Any, word: str) -> dict[str, Any]:
    """Conditions by formula."""
    return {} if given is None else mapping(given, "optimal_control", word, "numbers or (least, greatest) by formula")


def pair_of(value: Any, field: str) -> Ends:
    """(least, greatest) from a number, or from two numbers with None for no limit."""
    if not isinstance(value, (tuple, list, np.ndarray)):
        x = number(value, "optimal_control", field)
        return x, x
    ends = sequence(value, "optimal_control", field, "(least, greatest)")
    if len(ends) != 2:
        fail("optimal_control", field, f"= {shown(value)} must be a number or (least, greatest)")
    low, high = (
        free if end is None else number(end, "optimal_control", field) for end, free in zip(ends, (-np.inf, np.inf), strict=True)
    )
    if low > high:
        fail("optimal_control", field, f"= {shown(value)}: the least value is greater than the greatest")
    return low, high


def read(text: Any, known: set[str], field: str) -> Node:
    """A formula of known names."""
    try:
        node = parse(
            text if isinstance(text, str) else f"{number(text, 'optimal_control', field)!r}", (), known, dotted=True
        ).node
    except FormulaError as error:
        raise FormulaError(f"optimal_control: {field}: {error.reason}", text=error.text, position=error.position) from None
    return node


def start_state(model: Model, equations: Any, states: tuple[str, ...], initial: Any) -> np.ndarray:
    """Initial coordinates and speeds in the order of the equations."""
    system = model.compile(initial=initial)
    numbers = dict(zip((*system.coordinates, *system.speeds), system.y0[: system.n_q + system.n_v].tolist(), strict=True))
    m = equations.mechanism
    q = np.array([numbers[name] for name in m.coordinate_channels[: m.n_tree_q]])
    v = np.array([numbers[name] for name in m.speed_channels[: m.n_tree]])
    return np.concatenate(equations._completed(q, v, 0.0))


def check_start(limits: list[tuple[Node, Ends]], states: tuple[str, ...], start: np.ndarray) -> None:
    """The initial state must keep the limits of single coordinates and speeds."""
    for node, (low, high) in limits:
        if isinstance(node, Name) and node.name in states:
            x = start[states.index(node.name)]
            if not low - 1e-9 <= x <= high + 1e-9:
                fail("optimal_control", f"limits[{node.name!r}]", f"= ({low:g}, {high:g}) excludes the initial value {x:g}")


def drive_of(t: np.ndarray, u: np.ndarray, constant: bool) -> Table:
    """A drive as a table of time."""
    if not constant:
        return Table(t, u)
    ramp = RAMP * (t[1] - t[0])
    x, y = [t[0]], [u[0]]
    for k in range(1, len(t) - 1):
        x += [t[k], t[k] + ramp]
        y += [u[k - 1], u[k]]
    return Table([*x, t[-1]], [*y, u[-1]])


def with_run(task: Task, course: Course, initial: Any) -> OptimalControl:
    """What was found, with a run of the model that follows it."""
    inputs = {name: course.inputs[:, k].copy() for k, name in enumerate(task.inputs)}
    driven = task.model.copy()
    for name, values in inputs.items():
        table, signal = drive_of(course.t, values, task.constant), driven.signals[name]
        follower = Signal(name, "drive(t)", tables={"drive": table}, unit=getattr(signal, "unit", ""))
        exchange(driven, {id(signal): follower})
    states = {name: course.states[:, k].copy() for k, name in enumerate(task.states)}
    settings = {} if initial is None else {"initial": initial}
    result, error = None, {}
    try:
        result = driven.simulate(float(course.t[-1]), output=course.t, tolerance=TOLERANCE, **settings)
    except SharnirError as reason:
        warnings.warn(f"optimal_control: the run with the drives failed: {reason}", RunWarning, stacklevel=4)
    if result is not None:
        at = np.interp(course.t, result.t, np.arange(len(result.t))).round().astype(int)
        error = {
            name: float(np.abs(result[name][at] - values).max()) for name, values in states.items() if name in result.channels
        }
        far = {name: e for name, e in error.items() if not e <= ACCURATE * max(float(np.ptp(states[name])), 1e-9)}
        if far and course.success:
            name = max(far, key=lambda one: far[one] / max(float(np.ptp(states[one])), 1e-9))
            remedy = "take more intervals; a motion that is unstable needs a controller beside the drives"
            message = f"optimal_control: the run with the drives leaves the planned motion, {name} by {far[name]:.3g}; {remedy}"
            warnings.warn(message, RunWarning, stacklevel=4)
    return OptimalControl(
        course.t,
        inputs,
        states,
        course.cost,
        course.success,
        course.message,
        course.iterations,
        task.constant,
        driven,
        result,
        error,
    )
