"""Python text of a formula whose shared parts are computed once: where one is needed first, it is given a name."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import Any

from sharnir.errors import FormulaError
from sharnir.symbolic.expression_graph import ordered, walk
from sharnir.symbolic.functions import COMPARISONS
from sharnir.symbolic.nodes import Call, Node

WRITTEN_OUT = 5_000  # nodes up to which shared parts are written each time: the compiler finds them itself


def operations(root: Node) -> int:
    """How many operations a formula has; a shared part counts once.

    >>> from sharnir.symbolic import symbols
    >>> x = symbols("x")
    >>> y = x*x + 1
    >>> operations(y*y + y)
    9
    """
    return sum(len(node.arguments) for node in ordered((root,)))


def text_with_parts(root: Node, visit: Callable[[Any, list[str]], str], longest: float = WRITTEN_OUT) -> str:
    """The text of a formula, from visit(node, texts of its arguments); names for shared parts where it would be too long.

    >>> from sharnir.model.formula import parse
    >>> y = parse("(q + 1)*(q + 1)", ("q",)).node
    >>> sums = lambda node, parts: f"({node.function.join(parts)})" if parts else getattr(node, "name", "1.0")
    >>> text_with_parts(y, sums, longest=1)
    '(shared_0_ := (q + 1.0)) * shared_0_'
    """
    if root.size <= longest:
        return walk(root, visit)
    uses = Counter(argument for node in ordered((root,)) for argument in node.arguments)
    texts: dict[Node, str] = {}
    parts: dict[str, str] = {}
    for node in ordered((root,)):
        texts[node] = visit(node, [texts[argument] for argument in node.arguments])
        if uses[node] > 1 and isinstance(node, Call) and node.function not in COMPARISONS:  # those stay with their choice
            name = f"shared_{len(parts)}_"
            parts[name], texts[node] = texts[node], name
    try:
        return ast.unparse(_Placed(parts).visit(ast.parse(texts[root], mode="eval")))
    except (RecursionError, MemoryError):
        raise FormulaError("the formula or its derivative is nested too deeply for Python; split it into signals") from None


class _Placed(ast.NodeTransformer):
    """Shared parts where they are needed first: what is computed on one side of a choice only is not known behind it."""

    def __init__(self, parts: dict[str, str]) -> None:
        self.parts, self.known = parts, set[str]()

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.parts or node.id in self.known:
            return node
        value = self.visit(ast.parse(self.parts[node.id], mode="eval").body)
        self.known.add(node.id)
        return ast.NamedExpr(ast.Name(node.id, ast.Store()), value)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node.test = self.visit(node.test)
        before = set(self.known)
        node.body = self.visit(node.body)
        on_one_side, self.known = self.known, before
        node.orelse = self.visit(node.orelse)
        self.known &= on_one_side
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        first, *others = node.values
        node.values = [self.visit(first)]
        before = set(self.known)
        node.values += [self.visit(other) for other in others]
        self.known = before
        return node
