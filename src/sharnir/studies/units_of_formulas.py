"""Units of formulas as far as they are known: None where they are not."""

from __future__ import annotations

from collections.abc import Callable

from sharnir.studies.reductions import REDUCTIONS
from sharnir.symbolic.expression_graph import walk
from sharnir.symbolic.functions import COMPARISONS
from sharnir.symbolic.nodes import Name, Node, Number

ANY = "*"  # of a plain number, which goes with every unit
KEPT = ("abs", "neg", "smooth", "floor")
ALIKE = ("+", "min", "max", "hypot")


def unit_of(root: Node, named: Callable[[str], str]) -> str | None:
    """The unit of a formula from those of its names.

    >>> from sharnir.model.formula import parse
    >>> unit_of(parse("2*a*b/c", (), None).node, {"a": "N", "b": "m", "c": "s"}.get)
    'N m/s'
    >>> unit_of(parse("a + b", (), None).node, {"a": "N", "b": "m"}.get) is None
    True
    """
    found = walk(root, lambda node, parts: _unit(node, parts, named))
    return "" if found == ANY else found


def _unit(node: Node, parts: list[str | None], named: Callable[[str], str]) -> str | None:
    if isinstance(node, Number):
        return ANY
    if isinstance(node, Name):
        return named(node.name)
    function = node.function
    if function in COMPARISONS:
        return ""
    if function in REDUCTIONS and len(parts) == REDUCTIONS[function].arguments:
        rule = REDUCTIONS[function].unit
        return {"same": parts[0], "time": "s", "times time": _product([parts[0], "s"])}[rule]
    if any(part is None for part in parts):
        return None
    if function in KEPT:
        return parts[0]
    if function in ALIKE:
        return _same(parts)
    if function == "if":
        return _same(parts[1:])
    if function == "*":
        return _product(parts)
    if function == "/":
        return _quotient(parts[0], parts[1])
    if function in ("^", "sqrt"):
        return parts[0] if parts[0] in ("", ANY) else None
    return ""  # of sines, exponentials, …


def _same(parts: list[str | None]) -> str | None:
    kinds = {part for part in parts if part != ANY}
    return ANY if not kinds else kinds.pop() if len(kinds) == 1 else None


def _product(parts: list[str | None]) -> str | None:
    kinds = [part for part in parts if part not in ("", ANY)]
    if None in kinds or (len(kinds) > 1 and any("/" in str(kind) for kind in kinds)):
        return None
    return " ".join(map(str, kinds)) if kinds else "" if "" in parts else ANY


def _quotient(above: str | None, below: str | None) -> str | None:
    if below in ("", ANY):
        return above
    if above == below:
        return ""
    if above is None or below is None or "/" in above + below:
        return None
    return f"{'1' if above in ('', ANY) else above}/{f'({below})' if ' ' in below else below}"
