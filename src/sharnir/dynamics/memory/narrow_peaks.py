"""Parts of formulas that may be flat but for a narrow peak of the state, so that steps could pass over it unseen.

They are watched (switch_memory.py): steps end where a peak begins to count, and on its flanks. Such parts are exp(x) with an
exponent that is no straight line, cosh(x) and sums of exponentials in denominators, other sums there such as 1 + (q/0.01)²,
tanh or atan of which there are several, or powers (the difference of two steps is a pulse), or of what is no straight line
(it may pass a step and turn back), and high powers such as cos(q)^500.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from sharnir.errors import FormulaError
from sharnir.model.formula import parse
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.nodes import Call, Name, Node, Number, negative, product, total

STEPS = ("tanh", "atan")
ALONE, STEP = re.compile(r"\b(?:exp|cosh)\s*\("), re.compile(r"\b(?:tanh|atan)\s*\(")
BELOW = re.compile(r"/\s*\(|\)\s*(?:\^|\*\*)\s*\(?\s*-")  # a denominator that is more than a name or a number
POWER = re.compile(r"(?:\^|\*\*)\s*\(?\s*(?![\s(\-]|\d(?![\d.eE])|\d\.\d*(?![\deE]))")  # not of a number below 10
FOOT, FLANK = 30.0, 3.0  # exp(-30) = 1e-13, exp(-3) = 0.05: where a peak begins to count, and where it is steep
WIDE, CLOSE = 15.0, 4.7  # of an argument: cosh(15)^-2 = 4e-13, cosh(4.7)^-2 = 3e-4
FAR_FOOT, NEAR_FOOT = 1e4, 10.0  # what is added to a constant in a denominator, in its units: the tails of such peaks are long
HIGH = 16.0  # powers from which on a base between 0 and 1 makes narrow peaks


def most_peaks(text: str, parameters: Collection[str] = ()) -> int:
    """An upper bound of such parts in the text of a formula; most formulas have none.

    >>> [most_peaks(text) for text in ("tanh(v/0.01)", "v/(1 + t)", "1/(1 + q^2)", "exp(-q*q)", "tanh(q) - tanh(2*q)")]
    [0, 0, 1, 1, 2]
    >>> [most_peaks(text) for text in ("cos(q)^500", "cos(q)^n", "q^2 + q**3.5", "q^(-2)")]
    [1, 1, 0, 0]
    >>> [most_peaks(text, {"w"}) for text in ("tanh((q - 1)/w)", "tanh((sin(q) - 1)/w)")]
    [0, 1]
    """
    steps = len(STEP.findall(text))
    several = steps > 1 or "^" in text or "**" in text or (steps == 1 and _turns(text, parameters))
    powers = len(POWER.findall(text)) if "^" in text or "**" in text else 0
    below = len(BELOW.findall(text)) if "^" in text or "*" in text else 0
    return len(ALONE.findall(text)) + (steps if several else 0) + below + powers


def _turns(text: str, parameters: Collection[str]) -> bool:
    """Whether the argument of a step in a formula is no straight line in its names."""
    try:
        node = parse(text, (), None, dotted=True).node
    except FormulaError:  # it calls tables
        return True
    nodes = [x for x in ordered((node,)) if isinstance(x, Call) and x.function in STEPS]
    varies = {x.name for x in ordered((node,)) if isinstance(x, Name)} - set(parameters) - {"t"}
    return not all(is_line(x.arguments[0], varies) for x in nodes)


def peaked_nodes(root: Node, varies: set[str]) -> set[Node]:
    """The parts of a formula, exp, cosh, tanh, atan, sums and high powers, that may make a narrow peak of what varies.

    >>> from sharnir.model.formula import parse
    >>> [node.function for node in peaked_nodes(parse("q/(1 + (q/0.01)^2)", ("q",)).node, {"q"})]
    ['+']
    >>> peaked_nodes(parse("tanh(q/0.001) + q/(2 - q)^1.5 + exp(-q)", ("q",)).node, {"q"})
    set()
    """
    kinds: dict[Node, tuple[bool, bool]] = {}
    for node in ordered((root,)):
        kinds[node] = _line(node, [kinds[part] for part in node.arguments], varies)
    nodes = [node for node in kinds if isinstance(node, Call) and kinds[node][1]]
    found: set[Node] = {node for node in nodes if node.function == "exp" and not kinds[node.arguments[0]][0]}
    found |= {node for node in nodes if node.function == "cosh"}
    steps: set[Node] = {node for node in nodes if node.function in STEPS}
    found |= steps if len(steps) > 1 else steps & {node.arguments[0] for node in nodes if node.function == "^"}
    found |= {node for node in steps if isinstance(node, Call) and not kinds[node.arguments[0]][0]}
    for node in nodes:
        if node.function == "/":
            found |= _sums(node.arguments[1], kinds) | _exponentials(node.arguments[1], kinds)
        elif node.function == "^" and isinstance(node.arguments[1], Number) and float(node.arguments[1].value) <= -1.0:
            found |= _sums(node.arguments[0], kinds) | _exponentials(node.arguments[0], kinds)
        elif node.function == "^" and _is_high(node.arguments[1], kinds):
            found.add(node)
    return found


def is_line(root: Node, varies: set[str]) -> bool:
    """Whether a formula is a straight line in what varies."""
    kinds: dict[Node, tuple[bool, bool]] = {}
    for node in ordered((root,)):
        kinds[node] = _line(node, [kinds[part] for part in node.arguments], varies)
    return kinds[root][0]


def _is_high(power: Node, kinds: dict[Node, tuple[bool, bool]]) -> bool:
    """A number that is large, or one that is known only in the run."""
    return float(power.value) >= HIGH if isinstance(power, Number) else not kinds[power][1]


def _exponentials(node: Node, kinds: dict[Node, tuple[bool, bool]]) -> set[Node]:
    """Two or more exponentials that a denominator adds: one falls while the other rises."""
    found: set[Node] = {x for x in ordered((node,)) if isinstance(x, Call) and x.function == "exp" and kinds[x][1]}
    return found if len(found) > 1 else set()


def _sums(node: Node, kinds: dict[Node, tuple[bool, bool]]) -> set[Node]:
    """Sums of a constant and something that is no straight line, among the factors of a denominator."""
    if not isinstance(node, Call):
        return set()
    if node.function == "*":
        return {part for argument in node.arguments for part in _sums(argument, kinds)}
    if node.function == "^" and isinstance(node.arguments[1], Number) and float(node.arguments[1].value) >= 1.0:
        return _sums(node.arguments[0], kinds)
    still = any(not kinds[argument][1] for argument in node.arguments)
    return {node} if node.function == "+" and still and not kinds[node][0] else set()


def _line(node: Node, parts: list[tuple[bool, bool]], varies: set[str]) -> tuple[bool, bool]:
    """Whether a formula is a straight line in what varies, and whether it varies."""
    if isinstance(node, (Name, Number)):
        return True, isinstance(node, Name) and node.name in varies
    moving = [line for line, moves in parts if moves]
    if not moving:
        return True, False
    scaled = (node.function == "*" and len(moving) == 1) or (node.function == "/" and not parts[1][1])
    return all(moving) and (node.function in ("+", "neg") or scaled), True


def peak_limits(root: Node, varies: set[str]) -> list[Node]:
    """Functions that cross zero where peaks of a formula begin to count, and on their flanks; of time, say.

    >>> from sharnir.model.formula import parse
    >>> from sharnir.model.formula.expression import Expression
    >>> [str(Expression(x)) for x in peak_limits(parse("exp(-(t - 5)^2)", ("t",)).node, {"t"})]
    ['(-((t + (-5.0))^2.0)) + 30.0', '(-((t + (-5.0))^2.0)) + 3.0']
    """
    found: list[Node] = []
    for node in peaked_nodes(root, varies):
        assert isinstance(node, Call)
        inner = node.arguments[0]
        if node.function == "exp" and not is_line(inner, varies):
            found += [_plus(inner, FOOT), _plus(inner, FLANK)]
        elif node.function == "+":
            still = [x for x in node.arguments if not _names(x) & varies]
            rest = [negative(x) for x in node.arguments if _names(x) & varies]
            found += [total(*(product(Number(limit), x) for x in still), *rest) for limit in (FAR_FOOT, NEAR_FOOT)]
        elif node.function == "^":
            power = node.arguments[1]
            if isinstance(power, Number):
                square = product(inner, inner)
                found += [_plus(square, -math.exp(-2.0 * limit / float(power.value))) for limit in (FOOT, FLANK)]
        else:
            found += [_plus(inner, limit) for limit in (WIDE, -WIDE, CLOSE, -CLOSE)]
    return found


def _plus(node: Node, value: float) -> Node:
    return total(node, Number(value))


def _names(node: Node) -> set[str]:
    return {x.name for x in ordered((node,)) if isinstance(x, Name)}
