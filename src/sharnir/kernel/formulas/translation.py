"""A few constructs of Python as LLVM code: those in which formulas, tables and programs of signals are written.

Numbers are doubles and integers of 64 bits, `memory[k]` is a double at an address. There are assignments, `if`, `while`,
`for … in range`, `return`, calls of other such functions, of `math` and of C functions by their address; names of modules and
closures are constants. Every operation is the one that Numba would write, with the same freedom to fuse and to divide, so that
the same source gives the same numbers both ways.
"""

from __future__ import annotations

import ast
import struct
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np


class Untranslatable(Exception):
    """Something that only Numba can compile, such as a user's function."""


class Code(NamedTuple):
    """A value that is known when the code runs: its type, and what the code calls it."""

    kind: str
    text: str


DOUBLE, INTEGER, TRUTH, MEMORY = "double", "i64", "i1", "double*"
KINDS = {"d": DOUBLE, "i": INTEGER, "m": MEMORY}
FAST = "nsz arcp contract"  # as OPTIONS in compilation.py
INTRINSICS = {"sin", "cos", "exp", "log", "fabs", "copysign", "pow"}
C_LIBRARY = {"tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "sqrt", "atan2", "hypot"}
SIGNS: dict[type, tuple[str, str]] = {  # of comparisons, for doubles and for integers
    ast.Lt: ("olt", "slt"),
    ast.LtE: ("ole", "sle"),
    ast.Gt: ("ogt", "sgt"),
    ast.GtE: ("oge", "sge"),
    ast.Eq: ("oeq", "eq"),
    ast.NotEq: ("une", "ne"),
}
OPERATIONS: dict[type, tuple[str, str]] = {ast.Add: ("fadd", "add"), ast.Sub: ("fsub", "sub"), ast.Mult: ("fmul", "mul")}
LONGEST = 256  # numbers of an array that are written into the code; longer ones stay where they are


def written(lines: list[str], name: str, scope: dict[str, Any]) -> Any:
    """The function `name` that these lines of ours define, which remembers them."""
    text = "\n".join(lines)
    exec(text, scope)
    scope[name].text = text
    return scope[name]


@cache
def _source(path: str, first: int) -> str:
    """The text of the function that begins in a line of a file, which is much less than the file."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()[first - 1 :]
    depth = len(lines[0]) - len(lines[0].lstrip())
    found: list[str] = []
    for line in lines:
        text = line.strip()
        begun = any(part.lstrip().startswith("def ") for part in found)
        if begun and text and len(line) - len(line.lstrip()) <= depth and not text.startswith(")"):
            break
        found.append(line)
    return textwrap.dedent("\n".join(found))


def _definition(function: FunctionType) -> ast.FunctionDef:
    """The tree of a function: of the text that it was made of, or of its file."""
    code = function.__code__
    try:
        text = getattr(function, "text", None) or _source(code.co_filename, code.co_firstlineno)
        return next(x for x in ast.parse(text).body if isinstance(x, ast.FunctionDef) and x.name == function.__name__)
    except (OSError, IndexError, StopIteration, SyntaxError):
        raise Untranslatable(f"{function.__qualname__} has no source") from None


class Translation:
    """LLVM code of one function for C, of arguments `kinds` ("d" a double, "i" an integer, "m" memory by its address).

    noted : address of four numbers. Where the function raises, its first arguments are left there, and it returns not-a-number.

    >>> f = written(["def f(x, s): return s[1] * x"], "f", {})
    >>> "fmul" in Translation(f, "dm").text
    True
    """

    NAME = "formula"

    def __init__(self, function: Any, kinds: str, noted: int = 0) -> None:
        self.parts: list[str] = []
        self.declared: dict[str, str] = {}
        self.kept: list[Any] = []  # arrays whose addresses are in the code
        self.made: dict[tuple[int, tuple[str, ...]], tuple[str, str]] = {}
        self._alive: list[Any] = []
        self.arrays: dict[int, str] = {}
        self.noted = noted
        inner, kind = self.function(function, tuple(KINDS[k] for k in kinds))
        given = [f"{DOUBLE if k == 'd' else INTEGER} %a{n}" for n, k in enumerate(kinds)]
        views = [f"%p{n} = inttoptr i64 %a{n} to double*" for n, k in enumerate(kinds) if k == "m"]
        passed = ", ".join(f"{KINDS[k]} %{'p' if k == 'm' else 'a'}{n}" for n, k in enumerate(kinds))
        call = f"call {FAST} double" if kind == DOUBLE else f"call {kind}"
        last = ["ret void"] if kind == "void" else [f"ret {kind} %result"]
        called = f"{'' if kind == 'void' else '%result = '}{call} {inner}({passed})"
        outer = [f"define {kind} @{self.NAME}({', '.join(given)}) {{", *views, called, *last, "}"]
        self.text = "\n".join([*self.declared.values(), *self.parts, *outer, "attributes #0 = { nounwind readnone }"])

    def function(self, function: Any, kinds: tuple[str, ...]) -> tuple[str, str]:
        """The name and the kind of the result of a function, which is translated once."""
        plain = getattr(function, "py_func", function)
        if not isinstance(plain, FunctionType):
            raise Untranslatable(f"{function!r} is no function")
        key = id(plain), kinds
        if key not in self.made:
            name = f"@f{len(self.made)}"
            self._alive.append(plain)
            translated = _Function(self, plain, kinds, name, top=not self.made)
            self.made[key] = name, "void"  # its place; a function that calls itself has no result yet
            self.made[key] = name, translated.run()
            self.parts.append("\n".join(translated.lines))
        return self.made[key]

    def declare(self, name: str, count: int, pure: bool = True) -> str:
        """A function of the C library, or one that LLVM knows, of `count` doubles."""
        self.declared[name] = f"declare double @{name}({', '.join([DOUBLE] * count)}){' #0' if pure else ''}"
        return f"@{name}"

    def array(self, x: np.ndarray) -> str:
        """A pointer to the numbers of an array."""
        if id(x) not in self.arrays:
            numbers = np.ascontiguousarray(x, float)
            self._alive.append(x)
            if numbers.size > LONGEST:
                self.kept.append(numbers)
                self.arrays[id(x)] = f"inttoptr (i64 {numbers.ctypes.data} to double*)"
            else:
                name, kind = f"@n{len(self.arrays)}", f"[{numbers.size} x double]"
                self.parts.append(
                    f"{name} = internal unnamed_addr constant {kind} [{', '.join(f'double {literal(v)}' for v in numbers.flat)}]"
                )
                self.arrays[id(x)] = f"getelementptr inbounds ({kind}, {kind}* {name}, i64 0, i64 0)"
        return self.arrays[id(x)]


def literal(value: float) -> str:
    """A double as LLVM reads it without rounding.

    >>> literal(1.0)
    '0x3FF0000000000000'
    """
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


class _Function:
    """One function on its way from a tree to lines of code."""

    def __init__(self, whole: Translation, function: FunctionType, kinds: tuple[str, ...], name: str, top: bool) -> None:
        self.whole, self.plain, self.name, self.top = whole, function, name, top
        self.tree = _definition(function)
        names = [a.arg for a in self.tree.args.args]
        if len(names) < len(kinds) or self.tree.args.vararg or self.tree.args.kwonlyargs:
            raise Untranslatable(f"{function.__qualname__} takes other arguments")
        self.parameters = [(n, k) for n, k in zip(names, kinds, strict=False)]
        self.places: dict[str, Code] = {}  # names that are assigned: where they stand
        self.result: str | None = None
        self.first: list[str] = []  # places of names, at the beginning
        self.body: list[str] = []
        self.count = 0
        self.block = "entry"
        self.open = True  # the block has no end yet
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self.names: dict[str, Any] = {**function.__globals__, **{n: c.cell_contents for n, c in cells}}
        defaults = function.__defaults__ or ()
        self.names |= dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)) if len(kinds) < len(names) else {}

    @property
    def lines(self) -> list[str]:
        """The code."""
        given = ", ".join(f"{kind} %arg{k}" for k, (_, kind) in enumerate(self.parameters))
        return [f"define internal {self.result} {self.name}({given}) {{", "entry:", *self.first, *self.body, "}"]

    def run(self) -> str:
        """Translate; returns the kind of the result."""
        for k, (name, kind) in enumerate(self.parameters):
            self.store(name, Code(kind, f"%arg{k}"))
        self.statements(self.tree.body)
        if self.open:
            if self.result not in (None, "void"):
                raise Untranslatable(f"{self.plain.__qualname__} may end without a result")
            self.result = "void"
            self.end("ret void")
        return self.result or "void"

    # lines

    def new(self, kind: str, operation: str) -> Code:
        """A new value."""
        self.count += 1
        self.body.append(f"%v{self.count} = {operation}")
        return Code(kind, f"%v{self.count}")

    def label(self) -> str:
        self.count += 1
        return f"b{self.count}"

    def begin(self, label: str) -> None:
        """Begin a block."""
        if self.open:
            self.end(f"br label %{label}")
        self.body.append(f"{label}:")
        self.block, self.open = label, True

    def end(self, line: str) -> None:
        """End the block."""
        self.body.append(line)
        self.open = False

    def branch(self, condition: Code, yes: str, no: str) -> None:
        self.end(f"br i1 {condition.text}, label %{yes}, label %{no}")

    def store(self, name: str, value: Code) -> None:
        """Assign to a name; the first value says of what kind it is."""
        if name not in self.places:
            self.places[name] = Code(value.kind, f"%n{len(self.places)}")
            self.first.append(f"{self.places[name].text} = alloca {value.kind}")
        place = self.places[name]
        self.body.append(f"store {place.kind} {self.cast(value, place.kind).text}, {place.kind}* {place.text}")

    def cast(self, value: Any, kind: str) -> Code:
        """A constant or value as one of a kind."""
        if not isinstance(value, Code):
            value = constant(value)
        if value.kind == kind:
            return value
        if kind == DOUBLE and value.kind == INTEGER:
            if not value.text.startswith("%"):
                return Code(DOUBLE, literal(float(int(value.text))))
            return self.new(DOUBLE, f"sitofp i64 {value.text} to double")
        raise Untranslatable(f"{value.kind} where {kind} is needed")

    # statements

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if not self.open:
                return
            method = getattr(self, f"do_{type(statement).__name__}", None)
            if method is None:
                raise Untranslatable(f"{type(statement).__name__} in {self.plain.__qualname__}")
            method(statement)

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def do_Assign(self, node: ast.Assign) -> None:
        (target,) = node.targets
        if isinstance(target, ast.Tuple):
            if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != len(target.elts):
                raise Untranslatable("a tuple that is not a list of values")
            values = [self.code(x) for x in node.value.elts]
            for part, value in zip(target.elts, values, strict=True):
                self.assign(part, value)
        else:
            self.assign(target, self.code(node.value))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        read = ast.Name(node.target.id) if isinstance(node.target, ast.Name) else node.target
        self.assign(node.target, self.code(ast.BinOp(read, node.op, node.value)))

    def assign(self, target: ast.expr, value: Code) -> None:
        if isinstance(target, ast.Name):
            self.store(target.id, value)
        elif isinstance(target, ast.Subscript):
            place = self.element(self.value(target.value), target.slice)
            self.body.append(f"store double {self.cast(value, DOUBLE).text}, double* {place.text}, align 8")
        else:
            raise Untranslatable(f"assignment to {type(target).__name__}")

    def do_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.result = self.result or "void"
            self.end("ret void")
            return
        value = self.code(node.value)
        value = self.new(INTEGER, f"zext i1 {value.text} to i64") if value.kind == TRUTH else value
        self.result = self.result or value.kind
        self.end(f"ret {self.result} {self.cast(value, self.result).text}")

    def do_Raise(self, node: ast.Raise) -> None:
        if not (self.top and self.whole.noted):
            raise Untranslatable(f"{self.plain.__qualname__} raises")
        note = f"inttoptr (i64 {self.whole.noted} to double*)"
        first = self.new(DOUBLE, f"load double, double* {note}")
        write, done = self.label(), self.label()
        self.branch(self.new(TRUTH, f"fcmp oeq double {first.text}, {literal(0.0)}"), write, done)
        self.begin(write)
        for k, value in enumerate([literal(1.0), *(f"%arg{n}" for n in range(min(3, len(self.parameters))))]):
            place = self.new(MEMORY, f"getelementptr double, double* {note}, i64 {k}")
            self.body.append(f"store double {value}, double* {place.text}")
        self.begin(done)
        self.result = self.result or DOUBLE
        self.end(f"ret double {literal(float('nan'))}")

    def do_If(self, node: ast.If) -> None:
        condition = self.truth(node.test)
        if isinstance(condition, bool):
            self.statements(node.body if condition else node.orelse)
            return
        yes, no, after = self.label(), self.label(), self.label()
        self.branch(condition, yes, no)
        leaves = []
        for label, body in ((yes, node.body), (no, node.orelse)):
            self.begin(label)
            self.statements(body)
            leaves.append(self.open)
            if self.open:
                self.end(f"br label %{after}")
        if any(leaves):
            self.begin(after)

    def do_While(self, node: ast.While) -> None:
        test, body, after = self.label(), self.label(), self.label()
        self.begin(test)
        condition = self.truth(node.test)
        if isinstance(condition, bool):
            raise Untranslatable("a loop without end")
        self.branch(condition, body, after)
        self.begin(body)
        self.statements(node.body)
        if self.open:
            self.end(f"br label %{test}")
        self.begin(after)

    def do_For(self, node: ast.For) -> None:
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            raise Untranslatable("a loop over anything but range")
        if not isinstance(node.target, ast.Name):
            raise Untranslatable("a loop with several names")
        bounds = [self.value(x) for x in call.args]
        first, last, step = {1: (0, *bounds, 1), 2: (*bounds, 1), 3: tuple(bounds)}[len(bounds)]
        if not isinstance(step, int):
            raise Untranslatable("a loop with a variable step")
        counter = f"{node.target.id} at {node.lineno}"
        self.store(counter, self.cast(first, INTEGER))
        end = self.cast(last, INTEGER)
        test, body, after = self.label(), self.label(), self.label()
        self.begin(test)
        now = self.load(counter)
        self.branch(self.new(TRUTH, f"icmp {'slt' if step > 0 else 'sgt'} i64 {now.text}, {end.text}"), body, after)
        self.begin(body)
        self.store(node.target.id, now)
        self.statements(node.body)
        if self.open:
            self.store(counter, self.new(INTEGER, f"add i64 {self.load(counter).text}, {step}"))
            self.end(f"br label %{test}")
        self.begin(after)

    # values

    def load(self, name: str) -> Code:
        place = self.places[name]
        return self.new(place.kind, f"load {place.kind}, {place.kind}* {place.text}")

    def code(self, node: ast.expr) -> Code:
        """A value in the code."""
        value = self.value(node)
        return value if isinstance(value, Code) else constant(value)

    def number(self, node: ast.expr) -> Code:
        """A value as a double."""
        return self.cast(self.value(node), DOUBLE)

    def value(self, node: ast.expr) -> Any:
        """A value in the code, or a constant."""
        method = getattr(self, f"of_{type(node).__name__}", None)
        if method is None:
            raise Untranslatable(f"{type(node).__name__} in {self.plain.__qualname__}")
        return method(node)

    def of_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def of_NamedExpr(self, node: ast.NamedExpr) -> Code:
        value = self.code(node.value)
        self.store(node.target.id, value)
        return value

    def of_Name(self, node: ast.Name) -> Any:
        if node.id in self.places:
            return self.load(node.id)
        if node.id in self.names:
            return self.names[node.id]
        raise Untranslatable(f"unknown name {node.id}")

    def of_Attribute(self, node: ast.Attribute) -> Any:
        owner = self.value(node.value)
        if isinstance(owner, Code) or not hasattr(owner, node.attr):
            raise Untranslatable(f"attribute {node.attr}")
        return getattr(owner, node.attr)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            if not isinstance(value, Code):
                return -value
            if value.kind == INTEGER:
                return self.new(INTEGER, f"sub i64 0, {value.text}")
            return self.new(DOUBLE, f"fsub {FAST} double {literal(-0.0)}, {self.cast(value, DOUBLE).text}")
        if isinstance(node.op, ast.Not):
            value = self.truth(node.operand)
            return not value if isinstance(value, bool) else self.new(TRUTH, f"xor i1 {value.text}, true")
        raise Untranslatable(type(node.op).__name__)

    def of_BinOp(self, node: ast.BinOp) -> Any:
        chain: list[ast.BinOp] = []  # a long sum is a deep tree, to the left
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            chain.append(left)
            left = left.left
        value = self.value(left)
        for part in reversed(chain):
            value = self.operation(part.op, value, self.value(part.right))
        return value

    def operation(self, op: ast.operator, a: Any, b: Any) -> Any:
        """a op b."""
        whole = all(x.kind == INTEGER if isinstance(x, Code) else isinstance(x, int) for x in (a, b))
        if whole and not isinstance(a, Code) and not isinstance(b, Code):
            known: dict[type, Callable] = {ast.Add: int.__add__, ast.Sub: int.__sub__, ast.Mult: int.__mul__}
            if type(op) in known:
                return known[type(op)](a, b)
        if type(op) in OPERATIONS:
            double, integer = OPERATIONS[type(op)]
            if whole:
                return self.new(INTEGER, f"{integer} i64 {self.cast(a, INTEGER).text}, {self.cast(b, INTEGER).text}")
            return self.new(DOUBLE, f"{double} {FAST} double {self.cast(a, DOUBLE).text}, {self.cast(b, DOUBLE).text}")
        if isinstance(op, ast.Pow) and isinstance(b, int) and not whole:
            return self.whole_power(self.cast(a, DOUBLE), b)
        if isinstance(op, ast.FloorDiv) and whole:
            return self.floor_division(self.cast(a, INTEGER), self.cast(b, INTEGER))
        count = b if isinstance(b, Code) and b.kind == INTEGER else None
        a, b = self.cast(a, DOUBLE), self.cast(b, DOUBLE)
        if isinstance(op, ast.Div):
            return self.new(DOUBLE, f"fdiv {FAST} double {a.text}, {b.text}")
        if isinstance(op, ast.Pow) and a.text == literal(-1.0) and isinstance(count, Code):
            odd = self.new(TRUTH, f"trunc i64 {count.text} to i1")
            return self.new(DOUBLE, f"select i1 {odd.text}, double {a.text}, double {literal(1.0)}")
        if isinstance(op, ast.Pow):
            return self.library("llvm.pow.f64", a, b)
        if isinstance(op, ast.Mod):
            return self.remainder(a, b)
        raise Untranslatable(type(op).__name__)

    def whole_power(self, x: Code, exponent: int) -> Code:
        """x to a whole number, by products."""
        result, left = Code(DOUBLE, literal(1.0)), abs(exponent)
        while left:
            if left & 1:
                result = self.new(DOUBLE, f"fmul {FAST} double {result.text}, {x.text}")
            left >>= 1
            x = self.new(DOUBLE, f"fmul {FAST} double {x.text}, {x.text}")
        return self.new(DOUBLE, f"fdiv {FAST} double {literal(1.0)}, {result.text}") if exponent < 0 else result

    def floor_division(self, a: Code, b: Code) -> Code:
        """a // b of integers, downwards."""
        quotient = self.new(INTEGER, f"sdiv i64 {a.text}, {b.text}")
        rest = self.new(INTEGER, f"srem i64 {a.text}, {b.text}")
        signs = self.new(INTEGER, f"xor i64 {rest.text}, {b.text}")
        other = self.new(TRUTH, f"icmp slt i64 {signs.text}, 0")
        some = self.new(TRUTH, f"icmp ne i64 {rest.text}, 0")
        lower = self.new(INTEGER, f"zext i1 {self.new(TRUTH, f'and i1 {other.text}, {some.text}').text} to i64")
        return self.new(INTEGER, f"sub i64 {quotient.text}, {lower.text}")

    def remainder(self, a: Code, b: Code) -> Code:
        """a % b of doubles, with the sign of b."""
        rest = self.new(DOUBLE, f"frem {FAST} double {a.text}, {b.text}")
        zero = literal(0.0)
        below = [self.new(TRUTH, f"fcmp {FAST} olt double {x.text}, {zero}") for x in (rest, b)]
        other = self.new(TRUTH, f"xor i1 {below[0].text}, {below[1].text}")
        some = self.new(TRUTH, f"fcmp {FAST} une double {rest.text}, {zero}")
        moved = self.new(DOUBLE, f"fadd {FAST} double {rest.text}, {b.text}")
        both = self.new(TRUTH, f"and i1 {other.text}, {some.text}")
        return self.new(DOUBLE, f"select i1 {both.text}, double {moved.text}, double {rest.text}")

    def of_Compare(self, node: ast.Compare) -> Any:
        if len(node.ops) > 1:
            raise Untranslatable("a chain of comparisons")
        a, b = self.value(node.left), self.value(node.comparators[0])
        return self.compare(type(node.ops[0]), a, b)

    def compare(self, op: type, a: Any, b: Any) -> Any:
        if op not in SIGNS:
            raise Untranslatable(op.__name__)
        double, integer = SIGNS[op]
        if not isinstance(a, Code) and not isinstance(b, Code):
            table: dict[type, str] = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
            import operator

            return bool(getattr(operator, table[op])(a, b))
        if all(x.kind == INTEGER if isinstance(x, Code) else isinstance(x, int) for x in (a, b)):
            return self.new(TRUTH, f"icmp {integer} i64 {self.cast(a, INTEGER).text}, {self.cast(b, INTEGER).text}")
        return self.new(TRUTH, f"fcmp {FAST} {double} double {self.cast(a, DOUBLE).text}, {self.cast(b, DOUBLE).text}")

    def truth(self, node: ast.expr) -> Any:
        """A condition: a constant, or a value that is true or false."""
        value = self.value(node)
        if not isinstance(value, Code):
            return bool(value)
        if value.kind == DOUBLE:
            return self.new(TRUTH, f"fcmp {FAST} une double {value.text}, {literal(0.0)}")
        return value if value.kind == TRUTH else self.new(TRUTH, f"icmp ne i64 {value.text}, 0")

    def of_BoolOp(self, node: ast.BoolOp) -> Any:
        stops = isinstance(node.op, ast.Or)  # the value that decides
        after = self.label()
        ends: list[tuple[str, str]] = []
        for k, part in enumerate(node.values):
            value = self.truth(part)
            if isinstance(value, bool):
                if value != stops:
                    if k + 1 < len(node.values):
                        continue
                    value = Code(TRUTH, "false" if stops else "true")
                elif not ends:
                    return stops
                else:
                    value = Code(TRUTH, "true" if stops else "false")
            ends.append((value.text, self.block))
            if k + 1 == len(node.values):
                self.end(f"br label %{after}")
            else:
                following = self.label()
                self.branch(value, *((after, following) if stops else (following, after)))
                self.begin(following)
        if self.open:  # the last part was a constant that decides nothing
            ends.append(("false" if stops else "true", self.block))
        self.begin(after)
        return self.new(TRUTH, f"phi i1 {', '.join(f'[{value}, %{block}]' for value, block in ends)}")

    def of_IfExp(self, node: ast.IfExp) -> Any:
        condition = self.truth(node.test)
        if isinstance(condition, bool):
            return self.value(node.body if condition else node.orelse)
        yes, no, after = self.label(), self.label(), self.label()
        self.branch(condition, yes, no)
        found: list[tuple[Any, str, int]] = []
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.begin(label)
            found.append((self.code(part), self.block, len(self.body)))
            self.end(f"br label %{after}")
        kinds = {value.kind for value, _, _ in found}
        kind = kinds.pop() if len(kinds) == 1 else DOUBLE
        values = []
        for value, block, at in reversed(found):  # a conversion belongs into its own block
            if value.kind != kind:
                rest, self.body = self.body[at:], self.body[:at]
                value = self.cast(value, kind)
                self.body += rest
            values.append((value.text, block))
        self.begin(after)
        return self.new(kind, f"phi {kind} {', '.join(f'[{value}, %{block}]' for value, block in reversed(values))}")

    def element(self, memory: Any, index: ast.expr) -> Code:
        """Where an item of memory stands."""
        if isinstance(memory, Code):
            if memory.kind != MEMORY:
                raise Untranslatable("an index of a number")
            start, place = memory.text, self.cast(self.value(index), INTEGER)
        elif isinstance(memory, np.ndarray):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            if len(parts) != memory.ndim:
                raise Untranslatable("a part of an array")
            start, at = self.whole.array(memory), self.value(parts[0])
            for part, size in zip(parts[1:], memory.shape[1:], strict=True):
                at = self.operation(ast.Add(), self.operation(ast.Mult(), at, int(size)), self.value(part))
            place = self.cast(at, INTEGER)
        else:
            raise Untranslatable(f"an index of {type(memory).__name__}")
        return self.new(MEMORY, f"getelementptr double, double* {start}, i64 {place.text}")

    def of_Subscript(self, node: ast.Subscript) -> Any:
        place = self.element(self.value(node.value), node.slice)
        return self.new(DOUBLE, f"load double, double* {place.text}, align 8")

    # calls

    def library(self, name: str, *arguments: Code) -> Code:
        """A function of the C library or of LLVM."""
        place = self.whole.declare(name, len(arguments), pure=not name.startswith("llvm."))
        return self.new(DOUBLE, f"call {FAST} double {place}({', '.join(f'double {a.text}' for a in arguments)})")

    def floor(self, x: Code) -> Code:
        return self.library("floor", x)

    def of_Call(self, node: ast.Call) -> Any:
        if node.keywords:
            raise Untranslatable("a call with names")
        called = node.func
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id in ("math", "np"):
            return self.mathematics(called.value.id, called.attr, node.args)
        if not isinstance(called, ast.Name) or called.id in self.places:
            raise Untranslatable("a call of a value")
        method = getattr(self, f"call_{called.id}", None)
        if method is not None:
            return method(node.args)
        if called.id not in self.names:
            raise Untranslatable(f"unknown function {called.id}")
        arguments = [self.code(x) for x in node.args]
        name, kind = self.whole.function(self.names[called.id], tuple(a.kind for a in arguments))
        passed = ", ".join(f"{a.kind} {a.text}" for a in arguments)
        if kind == "void":
            self.body.append(f"call void {name}({passed})")
            return None
        return self.new(kind, f"call {FAST + ' ' if kind == DOUBLE else ''}{kind} {name}({passed})")

    def mathematics(self, module: str, name: str, given: list[ast.expr]) -> Code:
        """A function of the modules math and numpy."""
        arguments = [self.number(x) for x in given]
        if name == "floor":
            value = self.floor(*arguments)
            return value if module == "np" else self.new(INTEGER, f"fptosi double {value.text} to i64")
        if module == "math" and name in INTRINSICS:
            return self.library(f"llvm.{name}.f64", *arguments)
        if module == "math" and name in C_LIBRARY:
            return self.library(name, *arguments)
        raise Untranslatable(f"{module}.{name}")

    def call_float(self, given: list[ast.expr]) -> Code:
        return self.number(given[0])

    def call_int(self, given: list[ast.expr]) -> Code:
        value = self.code(given[0])
        return value if value.kind == INTEGER else self.new(INTEGER, f"fptosi double {value.text} to i64")

    def call_abs(self, given: list[ast.expr]) -> Code:
        return self.library("llvm.fabs.f64", self.number(given[0]))

    def call_min(self, given: list[ast.expr]) -> Code:
        return self.extreme(ast.Lt, given)

    def call_max(self, given: list[ast.expr]) -> Code:
        return self.extreme(ast.Gt, given)

    def extreme(self, op: type, given: list[ast.expr]) -> Code:
        """The first argument that no other one beats."""
        values = [self.code(x) for x in given]
        kind = INTEGER if all(value.kind == INTEGER for value in values) else DOUBLE
        best, *others = [self.cast(value, kind) for value in values]
        for other in others:
            better = self.compare(op, other, best)
            best = self.new(kind, f"select i1 {better.text}, {kind} {other.text}, {kind} {best.text}")
        return best

    def call_doubles(self, given: list[ast.expr]) -> Any:
        value = self.value(given[0])
        if not isinstance(value, Code):
            return Code(MEMORY, f"inttoptr (i64 {int(value)} to double*)")
        if value.kind == MEMORY:
            return value
        return self.new(MEMORY, f"inttoptr i64 {self.cast(value, INTEGER).text} to double*")

    def call_call_scalar(self, given: list[ast.expr]) -> Code:
        address, *rest = given
        values = [self.number(x) for x in rest]
        place = self.value(address)
        if isinstance(place, Code):
            raise Untranslatable("a call by a variable address")
        function = f"inttoptr (i64 {place} to double (double, double, double)*)"
        return self.new(DOUBLE, f"call {FAST} double {function}({', '.join(f'double {v.text}' for v in values)})")


def constant(value: Any) -> Code:
    """A constant in the code."""
    if isinstance(value, (bool, np.bool_)):
        return Code(TRUTH, "true" if value else "false")
    if isinstance(value, (int, np.integer)):
        return Code(INTEGER, str(int(value)))
    if isinstance(value, (float, np.floating)):
        return Code(DOUBLE, literal(float(value)))
    raise Untranslatable(f"a constant of type {type(value).__name__}")
