"""Where formulas are not smooth: comparisons, steps and kinks, and the times at which those that depend on time alone switch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.model.formula.expression import Expression
from sharnir.model.formula.intervals import bounds
from sharnir.symbolic.expression_graph import ordered, walk
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import Call, Node, Number, negative, product, total

JUMPS = ("<", "<=", ">", ">=", "sign", "step", "floor")  # the value jumps
KINKS = ("abs", "min", "max")  # the slope jumps
FIRST_PIECES = 32  # of a run
ROUNDINGS = 8  # of a time on both sides of a jump: rounding decides there on which side a function is
SMALLEST = 1e-12  # part of a run: a zero that is not isolated by then is one where the sign does not change, or noise
MOST_PIECES = 400_000  # that are looked at together
MOST_TIMES = 200_000  # of one formula in one run


@dataclass(frozen=True)
class Switch:
    """A place in a formula where it is not smooth: at zeros of `argument`; of floor: where it is a whole number."""

    function: str
    argument: Expression

    @property
    def jumps(self) -> bool:
        """True if the value jumps there, and not only the slope."""
        return self.function in JUMPS

    @property
    def names(self) -> frozenset[str]:
        """What decides which side holds."""
        return self.argument.names - set(self.argument.parameters)


def difference(a: Node, b: Node) -> Node:
    """a - b."""
    return total(a, negative(b))


def arguments_of(node: Call) -> list[Node]:
    """The functions whose zeros are where a call switches."""
    if node.function in ("<", "<="):
        return [difference(node.arguments[1], node.arguments[0])]
    if node.function in (">", ">="):
        return [difference(*node.arguments)]
    if node.function in ("min", "max"):
        first, *rest = node.arguments
        return [difference(other, first) for other in rest]
    return [node.arguments[0]] if node.function in (*JUMPS, *KINKS) else []


def switches(expression: Expression) -> list[Switch]:
    """All places where a formula is not smooth, short ones first; what stands in smooth(…) is taken for smooth.

    >>> from sharnir.model.formula import parse
    >>> [(s.function, str(s.argument)) for s in switches(parse("if(t > 5, abs(q), 0)", ("q", "t")))]
    [('abs', 'q'), ('>', 't + (-5.0)')]
    >>> switches(parse("q*smooth(sign(t))", ("q", "t")))
    []
    """
    found: list[Switch] = []
    nodes: list[Call] = []
    smoothed = smoothed_nodes(expression.node)
    walk(expression.node, lambda node, parts: nodes.append(node) if isinstance(node, Call) else None)
    for node in nodes:
        for argument in arguments_of(node) if id(node) not in smoothed else ():
            found.append(Switch(node.function, Expression(argument, expression.variables, expression.parameters)))
    return sorted(found, key=lambda s: s.argument.node.size)


def smoothed_nodes(root: Node) -> set[int]:
    """Identities of the nodes that stand in smooth(…) and nowhere else."""
    bare: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node not in bare and not (isinstance(node, Call) and node.function == "smooth"):
            bare.add(node)
            stack.extend(node.arguments)
    return {id(node) for node in ordered((root,)) if node not in bare}


def switching_times(expression: Expression, end: float, kinks: bool = True) -> np.ndarray | None:
    """Times in [0, end] at which a formula of t, and of what else there may be, stops being smooth whatever else is there.

    Only what depends on t alone counts. None: they are too many to be listed.

    >>> from sharnir.model.formula import parse
    >>> switching_times(parse("if((t > 5)*(t < 5.5), 100, 0)*q", ("q", "t")), 20.0).tolist()
    [5.0, 5.5]
    >>> switching_times(parse("floor(2*t)", ("t",)), 2.0).tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    times: list[np.ndarray] = []
    for switch in switches(expression):
        if switch.names == {"t"} and (kinks or switch.jumps):
            found = _times_of(switch, end)
            if found is None:
                return None
            times.append(found)
    if not times:
        return np.zeros(0)
    every = np.unique(np.concatenate(times))
    return every if len(every) <= MOST_TIMES else None


def _times_of(switch: Switch, end: float) -> np.ndarray | None:
    line = straight_line(switch.argument)
    if line is not None:
        return _times_on_line(switch.function, *line, end)
    g = switch.argument
    if switch.function == "floor":  # whole numbers are zeros of sin πg
        g = Expression(Call("sin", (product(Number(float(np.pi)), g.node),)), g.variables, g.parameters)
    return zeros(g, 0.0, end)


def straight_line(g: Expression) -> tuple[float, float] | None:
    """a, b of a formula a t + b; None: it is not a straight line.

    >>> from sharnir.model.formula import parse
    >>> straight_line(parse("3*(t - 2)", ("t",)))
    (3.0, -6.0)
    """
    slope = g.derivative("t")
    if slope.names - set(slope.parameters):
        return None
    a, b = float(slope.evaluate()), float(g.evaluate(t=0.0))
    return (a, b) if is_smooth(g.node) and np.isfinite(a) and np.isfinite(b) else None


def is_smooth(node: Node) -> bool:
    """No call in it switches; then a constant slope makes a straight line."""
    return bool(walk(node, lambda n, parts: all(parts) and not (isinstance(n, Call) and not _smooth_call(n))))


def _smooth_call(node: Call) -> bool:
    return node.function in ROWS and node.function not in (*JUMPS, *KINKS, "if", "==", "!=")


def _times_on_line(function: str, a: float, b: float, end: float) -> np.ndarray | None:
    if a == 0.0:
        return np.zeros(0)
    if function != "floor":
        t = -b / a
        return np.array([t]) if 0.0 <= t <= end else np.zeros(0)
    first, last = sorted((b, a * end + b))
    if last - first > MOST_TIMES:
        return None
    times = np.sort((np.arange(np.ceil(first), np.floor(last) + 1.0) - b) / a)
    return times[(times >= 0.0) & (times <= end)]


def zeros(g: Expression, start: float, end: float) -> np.ndarray | None:
    """Where a formula of t changes its sign in (start, end): isolated by bounds of it and of its slope, then bisected.

    None: there are too many. A zero without a change of sign does not count.

    >>> from sharnir.model.formula import parse
    >>> (zeros(parse("sin(t) - 0.5", ("t",)), 0.0, 7.0) / np.pi).round(9).tolist()
    [0.166666667, 0.833333333, 2.166666667]
    >>> zeros(parse("t - floor(t) - 0.25", ("t",)), 0.0, 1.9).round(9).tolist()
    [0.25, 1.0, 1.25]
    """
    inner = switching_times(g, end)
    if inner is None:
        return None
    inner = inner[(inner > start) & (inner < end)]
    slope, (low, high) = g.derivative("t"), _smooth_pieces(inner, start, end)
    brackets = [(np.zeros(0), np.zeros(0))]
    while len(low):
        if len(low) > MOST_PIECES:
            return None
        least, most = bounds(g, t=(low, high))
        kept = (least <= 0.0) & (most >= 0.0) & (least < most)
        low, high = low[kept], high[kept]
        falls, rises = bounds(slope, t=(low, high))
        moves = (falls < 0.0) | (rises > 0.0)  # what stands still has no change of sign
        low, high, falls, rises = low[moves], high[moves], falls[moves], rises[moves]
        single = (falls > 0.0) | (rises < 0.0) | (high - low <= SMALLEST * (end - start))
        a, b = g.evaluate(t=low[single]), g.evaluate(t=high[single])
        change = np.asarray(a < 0.0) != np.asarray(b < 0.0)
        brackets.append((low[single][change], high[single][change]))
        low, high = low[~single], high[~single]
        middle = 0.5 * (low + high)
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    left, right = (np.concatenate(side) for side in zip(*brackets, strict=True))
    before, behind = _beside(inner)
    changes = np.sign(g.evaluate(t=before)) != np.sign(g.evaluate(t=behind))
    return np.unique(np.concatenate([_bisected(g, left, right), inner[np.broadcast_to(changes, inner.shape)]]))


def _smooth_pieces(inner: np.ndarray, start: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Beginnings and ends of the pieces to look at first, between the times at which a function itself is not smooth.

    A slope without a zero says that there is one change of sign at most only where the function does not jump.
    """
    edges = np.unique(np.concatenate([np.linspace(start, end, FIRST_PIECES + 1), *_beside(inner)]))
    low, high = edges[:-1], edges[1:]
    beside = np.searchsorted(inner, low, side="right") == np.searchsorted(inner, high)  # no such time inside
    return low[beside], high[beside]


def _beside(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A little before and behind: at a jump itself, rounding decides on which side a function is."""
    margin = ROUNDINGS * np.spacing(times)
    return times - margin, times + margin


def _bisected(g: Expression, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Changes of sign to rounding."""
    if not len(low):
        return low
    below = np.asarray(g.evaluate(t=low)) < 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        same = (np.asarray(g.evaluate(t=middle)) < 0.0) == below
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return high
