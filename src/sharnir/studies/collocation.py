"""Direct collocation: a motion and its drives as unknowns of one large optimization, solved by IPOPT through CasADi.

In each of N equal intervals the state is a polynomial of degree D that satisfies the equations of motion at the D points of
Gauss and Legendre (order 2 D), and the intervals meet. Drives are straight or constant between nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.equations.exports.casadi_functions import casadi_functions, convert
from sharnir.model import Model
from sharnir.symbolic.nodes import Name, Node

DEGREE = 3
QUIET = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"}
Ends = tuple[float, float]


@dataclass(frozen=True)
class Task:
    """What is asked, checked already.

    states : channels, coordinates first.   inputs : symbols in the equations, with the limits of each.   start : initial state.
    cost, final_cost : formulas.   limits, final : formulas with their ends, along the way and at the end.
    """

    model: Model
    equations: Any
    states: tuple[str, ...]
    inputs: Mapping[str, Ends]
    start: np.ndarray
    t_end: Ends
    cost: Node
    final_cost: Node
    limits: Sequence[tuple[Node, Ends]]
    final: Sequence[tuple[Node, Ends]]
    guess: np.ndarray  # state at the end, to begin with
    intervals: int
    constant: bool


@dataclass(frozen=True)
class Course:
    """What was found: values at the nodes, a row for each, and how the search ended."""

    t: np.ndarray
    states: np.ndarray
    inputs: np.ndarray
    cost: float
    success: bool
    message: str
    iterations: int


def optimal_course(casadi: Any, task: Task, iterations: int) -> Course:
    """The task solved; the point where the search stopped, if it found no solution."""
    n, m, N = len(task.states), len(task.inputs), task.intervals
    nodes = N + 1
    T, X = casadi.MX.sym("T"), casadi.MX.sym("X", n, nodes)
    inner, U = casadi.MX.sym("Y", n * DEGREE, N), casadi.MX.sym("U", m, N if task.constant else nodes)
    begins, ends = U[:, :N], U[:, :N] if task.constant else U[:, 1:]
    outcome = interval(casadi, task).map(N)(X[:, :N], inner, begins, ends, T, casadi.DM(range(N)).T)
    formula = formulas(casadi, task, [node for node, _ in task.limits])
    last = U[:, -1]
    cost = casadi.sum2(outcome[2]) + formulas(casadi, task, [task.final_cost])(T, X[:, N], last)
    closing = [formulas(casadi, task, [node])(T, X[:, N], last) for node, _ in task.final]
    at_nodes = [formula(T * k / N, X[:, k], U[:, min(k, U.shape[1] - 1)]) for k in range(nodes)] if task.limits else []
    rows = casadi.vertcat(casadi.vec(outcome[0]), casadi.vec(outcome[1] - X[:, 1:]), *closing, *at_nodes)
    equal = n * (DEGREE + 1) * N
    low, high = (
        np.concatenate(
            [np.zeros(equal), [pair[k] for _, pair in task.final], np.tile([pair[k] for _, pair in task.limits], nodes)]
        )
        for k in (0, 1)
    )
    unknowns = casadi.vertcat(T, casadi.vec(X), casadi.vec(inner), casadi.vec(U))
    settings = QUIET | {"ipopt.max_iter": iterations, "ipopt.tol": 1e-9, "ipopt.bound_relax_factor": 0.0}
    solver = casadi.nlpsol("course", "ipopt", {"x": unknowns, "f": cost, "g": rows}, settings)
    found = solver(x0=guess(task, U.shape[1]), **bounds(task, U.shape[1]), lbg=low, ubg=high)
    x, said = np.array(found["x"]).ravel(), solver.stats()
    states = x[1 : 1 + n * nodes].reshape(nodes, n)
    inputs = x[1 + n * nodes + n * DEGREE * N :].reshape(-1, m)
    inputs = np.vstack([inputs, inputs[-1:]]) if task.constant else inputs
    t = float(x[0]) * np.arange(nodes) / N
    words = str(said["return_status"]).replace("_", " ").lower()
    return Course(t, states, inputs, float(found["f"]), bool(said["success"]), words, int(said["iter_count"]))


def formulas(casadi: Any, task: Task, nodes: Sequence[Node]) -> Any:
    """Formulas of t, states and inputs as one function of (t, x, u)."""
    t, x, u = casadi.SX.sym("t"), casadi.SX.sym("x", len(task.states)), casadi.SX.sym("u", len(task.inputs))
    known: dict[Node, Any] = {Name(name): casadi.SX(value) for name, value in task.model.parameters.items()}
    for names, column in ((task.states, x), (tuple(task.inputs), u)):
        for k, name in enumerate(names):
            known[Name(name)] = column[k]
    known[Name("t")] = t
    convert(casadi, list(nodes), {}, known)
    return casadi.Function("formulas", [t, x, u], [casadi.vertcat(*[known[node] for node in nodes])])


def interval(casadi: Any, task: Task) -> Any:
    """Function of one interval: what the equations of motion lack at inner points, the state at the end, its part of the cost.

    Arguments: state at its beginning, states at inner points, inputs at both ends, duration of the whole motion, its number.
    """
    functions = casadi_functions(task.equations)
    points = casadi.collocation_points(DEGREE, "legendre")
    slopes, ends, weights = casadi.collocation_coeff(points)
    n, m, n_q = len(task.states), len(task.inputs), len(task.equations.coordinates)
    first, inner = casadi.MX.sym("x", n), casadi.MX.sym("y", n * DEGREE)
    left, right, T, k = casadi.MX.sym("a", m), casadi.MX.sym("b", m), casadi.MX.sym("T"), casadi.MX.sym("k")
    h = T / task.intervals
    all_points = casadi.horzcat(first, casadi.reshape(inner, n, DEGREE))
    lacks, cost = [], 0
    running = formulas(casadi, task, [task.cost])
    symbols = list(task.equations.inputs)
    for j, tau in enumerate(points):
        x, u, t = all_points[:, j + 1], left + tau * (right - left), h * (k + tau)
        q, v = x[:n_q], x[n_q:]
        given = casadi.vertcat(*[u[list(task.inputs).index(name)] for name in symbols]) if symbols else casadi.MX(0, 1)
        rate = casadi.vertcat(functions["rates"](t, q, v, given, []), functions["accelerations"](t, q, v, given, [])[0])
        lacks.append(h * rate - casadi.mtimes(all_points, slopes[:, j]))
        cost += weights[j] * h * running(t, x, u)
    arguments = [first, inner, left, right, T, k]
    return casadi.Function("interval", arguments, [casadi.vertcat(*lacks), casadi.mtimes(all_points, ends), cost])


def guess(task: Task, drives: int) -> np.ndarray:
    """Where the search begins: states on straight lines from the start to the end, drives in the middle of their limits."""
    N = task.intervals
    share = np.arange(N + 1) / N
    line = task.start + share[:, None] * (task.guess - task.start)
    low, high = task.t_end
    middle = [np.clip(0.0, *ends) if np.isinf(ends).any() else 0.5 * (ends[0] + ends[1]) for ends in task.inputs.values()]
    return np.concatenate(
        [[0.5 * (low + high)], line.ravel(), np.repeat(line[:-1], DEGREE, axis=0).ravel(), np.tile(middle, drives)]
    )


def bounds(task: Task, drives: int) -> dict[str, np.ndarray]:
    """Least and greatest values of the unknowns: the start is given, and single states keep their limits at inner points, too."""
    N, n = task.intervals, len(task.states)
    found = {}
    for k, word, free in ((0, "lbx", -np.inf), (1, "ubx", np.inf)):
        own = np.full(n, free)
        for node, ends in task.limits:
            if isinstance(node, Name) and node.name in task.states:
                own[task.states.index(node.name)] = ends[k]
        states = np.concatenate([task.start, np.tile(own, N)])
        drive = np.tile([ends[k] for ends in task.inputs.values()], drives)
        found[word] = np.concatenate([[task.t_end[k]], states, np.tile(own, N * DEGREE), drive])
    return found
