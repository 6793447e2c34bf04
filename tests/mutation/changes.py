"""Small wrong changes of a source text: signs, terms, branches, bounds, constants, statements."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .compiled import called_name

SWAPPED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mod, ast.Mod: ast.FloorDiv,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
TYPE_KEPT = {ast.Mult: ast.Add}  # in kernels: a quotient of integers is none, and no index
REVERSED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
FUNCTIONS = {"sin": "cos", "cos": "sin", "min": "max", "max": "min", "add": "sub", "sub": "add", "any": "all", "all": "any"}
TOLERANCE = 1e-5  # smaller constants are tolerances: twice as much is no fault, a million times as much is one
NOTHING = 1e-250  # still smaller ones stand for zero where one divides
MADE_AT_COMPILATION = {"intrinsic", "lower_builtin"}  # decorators
WORDS = {"fail", "raise", "warn", "print", "told", "advance"}  # calls whose arguments are words for the user, or progress


@dataclass(frozen=True)
class Change:
    """Text from `start` to `end` of a file (offsets) becomes `new`; `function`: qualified name, first line and kernel or not."""

    start: int
    end: int
    new: str
    what: str
    function: str
    line: int
    first_line: int
    kernel: bool


def changes(text: str, compiled: Collection[str] = ()) -> list[Change]:
    """All changes of the functions of a file; `compiled` names those that are kernels."""
    tree = ast.parse(text)
    offsets = [0]
    for line in text.encode().split(b"\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    found = []
    for function, name in _functions(tree, ""):
        kernel = name in compiled
        first = min([function.lineno, *(x.lineno for x in function.decorator_list)])  # as its code object says
        for node, new, what in _variants(function, kernel):
            start = offsets[node.lineno - 1] + node.col_offset
            end = offsets[node.end_lineno - 1] + node.end_col_offset
            old = text.encode()[start:end].decode()
            if "\n" not in new and new != old:
                found.append(Change(start, end, new, what, name, node.lineno, first, kernel))
    return found


def applied(text: str, change: Change) -> str:
    """The text with a change."""
    raw = text.encode()
    return (raw[: change.start] + change.new.encode() + raw[change.end :]).decode()


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Functions and methods; nested ones belong to the one around them. Texts for people are left out, and what runs
    while kernels are compiled: no switch reaches it then."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) and child.name not in ("__repr__", "__str__", "__hash__"):
            if any(called_name(x) in MADE_AT_COMPILATION for x in child.decorator_list):
                continue
            yield child, prefix + child.name
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What runs inside a function, without words: docstrings, messages, annotations."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Raise, ast.JoinedStr, ast.arguments, ast.Assert, ast.pattern)):
            continue
        if isinstance(child, ast.Call) and called_name(child) in WORDS:
            continue
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.keyword) and child.arg == "strict":  # a check of lengths that are equal
            continue
        if isinstance(node, ast.Call) and called_name(node) == "reshape" and isinstance(child, ast.UnaryOp):
            continue  # NumPy takes every negative length as the one that is left
        if isinstance(node, ast.AnnAssign) and child is node.annotation:
            continue
        if isinstance(node, ast.FunctionDef) and (child in node.decorator_list or child is node.returns):
            continue
        yield child
        yield from _nodes(child)


def _variants(function: ast.FunctionDef, kernel: bool) -> Iterator[tuple[ast.AST, str, str]]:
    for node in _nodes(function):
        yield from _of_operators(node, SWAPPED | TYPE_KEPT if kernel else SWAPPED)
        yield from _of_values(node)
        yield from _of_statements(node)


def _of_operators(node: ast.AST, swapped: dict[type, type]) -> Iterator[tuple[ast.AST, str, str]]:
    if isinstance(node, ast.BinOp) and not isinstance(node.left, ast.Constant | ast.JoinedStr) | _is_text(node):
        if type(node.op) in swapped:
            yield node, _text(ast.BinOp(node.left, swapped[type(node.op)](), node.right)), "operator swapped"
        if isinstance(node.op, (ast.Add, ast.Sub)):
            yield node, _text(node.left), "term dropped"
        if isinstance(node.op, ast.Mult):
            yield node, _text(node.right), "factor dropped"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield node, _text(node.operand), "sign or not dropped"
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        kind = type(node.ops[0])
        yield node, _text(ast.Compare(node.left, [swapped[kind]()], node.comparators)), "bound or comparison changed"
        if kind in REVERSED:
            yield node, _text(ast.Compare(node.left, [REVERSED[kind]()], node.comparators)), "comparison turned round"
    elif isinstance(node, ast.BoolOp):
        yield node, _text(ast.BoolOp(swapped[type(node.op)](), node.values)), "and ↔ or"
        yield node, _text(node.values[0]), "condition dropped"


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(x, ast.JoinedStr) or (isinstance(x, ast.Constant) and isinstance(x.value, str)) for x in ast.walk(node))


def _of_values(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield node, str(node.value + 1), "off by one"
    elif isinstance(node, ast.Constant) and type(node.value) is float:
        factor = 2.0 if abs(node.value) > TOLERANCE else 1e6
        if node.value == 0.0 or abs(node.value) > NOTHING:
            yield node, repr(1.0 if node.value == 0.0 else factor * node.value), "constant changed"
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield node, str(not node.value), "constant changed"
    elif isinstance(node, ast.IfExp):
        yield node, f"({_text(ast.IfExp(node.test, node.orelse, node.body))})", "branches swapped"
    elif isinstance(node, ast.Call) and called_name(node) in FUNCTIONS:
        other = FUNCTIONS[called_name(node)]
        swapped = ast.Attribute(node.func.value, other) if isinstance(node.func, ast.Attribute) else ast.Name(other)
        if isinstance(node.func, ast.Name) and other not in ("min", "max", "any", "all"):
            return  # the other function may not be imported
        yield node, _text(ast.Call(swapped, node.args, node.keywords)), "function swapped"
    elif isinstance(node, ast.Call) and called_name(node) == "range" and len(node.args) == 1:
        yield node, f"range({_text(node.args[0])} - 1)", "off by one"


def _of_statements(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    if isinstance(node, ast.If):
        yield node.test, f"not ({_text(node.test)})", "branches swapped"
    elif isinstance(node, ast.AugAssign):
        yield node, "pass", "statement dropped"
        if type(node.op) in SWAPPED:
            yield node, _text(ast.AugAssign(node.target, SWAPPED[type(node.op)](), node.value)), "operator swapped"
    elif isinstance(node, (ast.Break, ast.Continue)) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield node, "pass", "statement dropped"


def _text(node: ast.AST) -> str:
    text = ast.unparse(ast.fix_missing_locations(node))
    return f"({text})" if isinstance(node, (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp)) else text
