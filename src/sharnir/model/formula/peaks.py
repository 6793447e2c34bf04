"""Narrow peaks of formulas of time, beside which they are flat: steps of a run that saw the flat parts only would miss them."""

from __future__ import annotations

import numpy as np

from sharnir.model.formula.expression import Expression
from sharnir.model.formula.switches import is_smooth
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.nodes import Name, Node

CELLS, SAMPLES = 512, 64  # of a run, and within each: a peak is seen if it is wider than two samples
CURVED = 1e-3  # of the range of a function: a cell in which it is off a straight line by more is looked at
SEVERAL = CELLS // 8  # curved cells: with more of them a function is not flat beside its peaks, and steps are short anyway


def peak_times(expression: Expression, start: float, end: float) -> np.ndarray:
    """Times between start and end at which steps have to end, so that none jumps over a narrow peak of what depends on t alone.

    >>> from sharnir.model.formula import parse
    >>> peak_times(parse("q*exp(-((t - 5)/0.01)^2)", ("q", "t")), 0.0, 20.0).round(2).tolist()
    [4.96, 4.98, 5.0, 5.02, 5.04]
    """
    found = [_peaks(Expression(node, ("t",), expression.parameters), start, end) for node in functions_of_time(expression)]
    return np.unique(np.concatenate([np.zeros(0), *found]))


def functions_of_time(expression: Expression) -> list[Node]:
    """The largest smooth parts of a formula that depend on t alone; those of them that are t itself say nothing."""
    known, alone, names = set(expression.parameters), {}, {}  # type: set[str], dict[Node, bool], dict[Node, frozenset[str]]
    parts: list[Node] = []
    nodes = ordered((expression.node,))
    for node in nodes:
        own = frozenset([node.name]) - known if isinstance(node, Name) else frozenset()
        names[node] = own.union(*(names[x] for x in node.arguments))
        alone[node] = names[node] == {"t"} and is_smooth(node)
    for node in nodes:
        parts += [x for x in node.arguments if alone[x] and not alone[node] and not isinstance(x, Name)]
    return [*parts, expression.node] if alone[expression.node] and not isinstance(expression.node, Name) else parts


def _peaks(g: Expression, start: float, end: float) -> np.ndarray:
    t = np.linspace(start, end, CELLS * SAMPLES + 1)
    with np.errstate(all="ignore"):
        f = np.broadcast_to(np.asarray(g.evaluate(t=t), float), t.shape)
    if not np.isfinite(f).all():
        return np.zeros(0)
    corners = f[::SAMPLES]
    part = np.arange(SAMPLES) / SAMPLES
    straight = corners[:-1, None] + part * np.diff(corners)[:, None]
    apart = np.abs(f[:-1].reshape(CELLS, SAMPLES) - straight)
    curved = np.flatnonzero(apart.max(axis=1) > CURVED * np.ptp(f))
    if len(curved) > SEVERAL:
        return np.zeros(0)
    edges = np.concatenate([curved, curved + 1]) * SAMPLES
    tops = curved * SAMPLES + apart[curved].argmax(axis=1)
    return np.asarray(t[np.unique(np.concatenate([edges, tops]))])
