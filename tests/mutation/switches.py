"""A source text with many changes at once, each in force while its number is set: it is compiled once for all of them.

What a change belongs to is written twice, one of them behind the switch: a simple statement, so that types may differ inside of
it, or an expression at the head of a compound one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from .changes import Change

SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr, ast.Break, ast.Continue, ast.Delete)
ON = "_mutation_on"


class Slot(NamedTuple):
    """What is written twice: its place in the text (in bytes), and the indentation of a statement, None for an expression."""

    start: int
    end: int
    indent: str | None


def switched(text: str, numbered: dict[int, Change], module: str) -> str:
    """The text with changes by their numbers; `module` has the switch (switch.py)."""
    raw, slots = text.encode(), list(_slots(text))
    groups: dict[Slot, list[tuple[int, bytes]]] = {}
    for k, change in numbered.items():
        change = _inside_of_range(raw, change)
        around = [s for s in slots if s.start <= change.start and change.end <= s.end]
        slot = min(around, key=lambda s: s.end - s.start)
        new = raw[slot.start : change.start] + change.new.encode() + raw[change.end : slot.end]
        groups.setdefault(slot, []).append((k, new))
    for slot, variants in sorted(groups.items(), key=lambda group: -group[0].start):
        old = raw[slot.start : slot.end]
        raw = raw[: slot.start] + _written(slot, old, variants) + raw[slot.end :]
    kernels = any(change.kernel for change in numbered.values())
    lines = [f"from {module} import kernel_on", f"{ON} = kernel_on()"] if kernels else [f"from {module} import on as {ON}"]
    return _with_lines(raw.decode(), lines)


def _written(slot: Slot, old: bytes, variants: list[tuple[int, bytes]]) -> bytes:
    if slot.indent is None:
        return b"(" + b"".join(b"(%b) if %b(%d) else " % (new, ON.encode(), k) for k, new in variants) + b"(%b))" % old
    lines = [b"%b %b(%d): %b" % (b"elif" if n else b"if", ON.encode(), k, new) for n, (k, new) in enumerate(variants)]
    return f"\n{slot.indent}".encode().join([*lines, b"else: " + old])


def _slots(text: str) -> Iterator[Slot]:
    offsets, lines = [0], text.encode().split(b"\n")
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)

    def slot(node: ast.expr | ast.stmt) -> Slot:
        start = offsets[node.lineno - 1] + node.col_offset
        end = offsets[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before = lines[node.lineno - 1][: node.col_offset].decode()
        return Slot(start, end, before if isinstance(node, ast.stmt) and not before.strip() else None)

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, SIMPLE) and (found := slot(node)).indent is not None:
            yield found
        heads: list[ast.expr] = []
        if isinstance(node, (ast.If, ast.While)):
            heads = [node.test]
        elif isinstance(node, ast.For):
            heads = node.iter.args if _is_range(node.iter) else [node.iter]
        elif isinstance(node, ast.With):
            heads = [item.context_expr for item in node.items]
        elif isinstance(node, ast.Match):
            heads = [node.subject]
        yield from map(slot, heads)


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and not node.keywords


def _inside_of_range(raw: bytes, change: Change) -> Change:
    """`range(n)` that becomes `range(n - 1)`: the argument does; Numba knows no choice between two ranges."""
    old, new = raw[change.start : change.end].decode(), change.new
    if not (old.startswith("range(") and new.startswith("range(")):
        return change
    parts = change.start + len("range("), change.end - 1, new.removeprefix("range(").removesuffix(")")
    return Change(*parts, change.what, change.function, change.line, change.first_line, change.kernel)


def _with_lines(text: str, new: list[str]) -> str:
    """They stand behind the docstring and `from __future__`, which must come first."""
    body, last = ast.parse(text).body, 0
    for node in body:
        words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not words and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        last = node.end_lineno or 0
    lines = text.split("\n")
    return "\n".join([*lines[:last], *new, *lines[last:]])
