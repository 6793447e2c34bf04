"""Expressions as statements of CUDA C, in numbers of the type `real`: every shared part is computed once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.nodes import Call, Name, Node, Number

LIBRARY = ("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "atan2", "hypot", "floor")
OWN = {"sign": "sign_of", "step": "step_of", "min": "lesser", "max": "greater"}  # in kernels.cuh
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
LARGEST_POWER = 16  # whole exponents up to here are products


def literal(value: float) -> str:
    """A number of the type `real`, exact to the last bit.

    >>> literal(0.5), literal(-2)
    ('R(0.5)', 'R(-2.0)')
    """
    return f"R({float(value)!r})"


class CudaText:
    """Statements for expressions; `known` nodes have a text already, `functions` are tables: name -> text of a call.

    fixed : names that do not change during a run.   constant : the text of an expression of these alone; default: its number.

    >>> from sharnir.symbolic.nodes import Name
    >>> x = Name("x")
    >>> code = CudaText({x: "x"})
    >>> code.texts([x * x + 2]), code.lines
    (['z2'], ['const real z1 = x * x;', 'const real z2 = z1 + R(2.0);'])
    """

    def __init__(
        self,
        known: Mapping[Node, str],
        functions: Mapping[str, Callable[[str], str]] | None = None,
        fixed: Collection[str] = (),
        constant: Callable[[Node], str] | None = None,
        prefix: str = "z",
    ) -> None:
        self.known: dict[Node, str] = dict(known)
        self.lines: list[str] = []
        self._functions, self._fixed = functions or {}, fixed
        self._constant = constant or (lambda node: literal(evaluated([node], {})[0]))
        self._prefix, self._count = prefix, 0
        self._angles: dict[str, tuple[str, str]] = {}

    def texts(self, roots: Iterable[Node]) -> list[str]:
        """Names of the values of expressions, or what they are."""
        roots = list(roots)
        order = ordered(roots, self.known)
        fixed: set[Node] = set()
        for node in order:
            if isinstance(node, Name):
                is_fixed = node.name in self._fixed
            else:  # an opaque function is not evaluated here
                opaque = isinstance(node, Call) and node.function in self._functions
                is_fixed = not opaque and all(x in fixed for x in node.arguments)
            if is_fixed:
                fixed.add(node)
        used = [x for node in order if node not in fixed for x in node.arguments]
        for node in dict.fromkeys([*used, *roots]):
            if node in fixed:
                self.known[node] = self._constant(node)
        for node in order:
            if node not in fixed:
                self.known[node] = self._written(node)
        return [self.known[root] for root in roots]

    def new(self, expression: str) -> str:
        """A value under a name."""
        self._count += 1
        name = f"{self._prefix}{self._count}"
        self.lines.append(f"const real {name} = {expression};")
        return name

    def _written(self, node: Node) -> str:
        assert isinstance(node, Call), f"{node} has no value"
        function, a = node.function, [self.known[x] for x in node.arguments]
        if function == "+":
            return self.new(self._sum(node))
        if function == "*":
            return self.new(" * ".join(a))
        if function == "/":
            return self.new(f"{a[0]} / {a[1]}")
        if function == "neg":
            return self.new(f"-{a[0]}")
        if function == "^":
            return self._power(node, a)
        if function in ("sin", "cos"):
            return self._angle(function, a[0])
        return self._called(function, a)

    def _sum(self, node: Call) -> str:
        """Terms with a minus are taken off."""
        found = ""
        for term in node.arguments:
            minus = isinstance(term, Call) and term.function == "neg" and term.arguments[0] in self.known
            text = self.known[term.arguments[0] if minus else term]
            found += (f" {'-' if minus else '+'} " if found else "-" if minus else "") + text
        return found

    def _power(self, node: Call, a: list[str]) -> str:
        exponent = node.arguments[1]
        if not (isinstance(exponent, Number) and isinstance(exponent.value, int) and 0 < abs(exponent.value) <= LARGEST_POWER):
            return self.new(f"pow({a[0]}, {a[1]})")
        found, square, left = "", a[0], abs(exponent.value)
        while left:
            if left & 1:
                found = self.new(f"{found} * {square}") if found else square
            left >>= 1
            if left:
                square = self.new(f"{square} * {square}")
        return found if exponent.value > 0 else self.new(f"{literal(1)} / {found}")

    def _angle(self, function: str, x: str) -> str:
        """Sine and cosine of an angle come together."""
        if x not in self._angles:
            self._count += 1
            s, c = f"s{self._prefix}{self._count}", f"c{self._prefix}{self._count}"
            self.lines += [f"real {s}, {c};", f"sine_and_cosine({x}, &{s}, &{c});"]
            self._angles[x] = s, c
        return self._angles[x][function == "cos"]

    def _called(self, function: str, a: list[str]) -> str:
        if function in COMPARISONS:
            return self.new(f"{a[0]} {function} {a[1]} ? {literal(1)} : {literal(0)}")
        if function == "if":
            return self.new(f"{a[0]} != {literal(0)} ? {a[1]} : {a[2]}")
        if function == "abs":
            return self.new(f"fabs({a[0]})")
        if function == "smooth":
            return a[0]
        if function in LIBRARY:
            return self.new(f"{function}({', '.join(a)})")
        if function in ("min", "max"):
            found = a[0]
            for x in a[1:]:
                found = self.new(f"{OWN[function]}({found}, {x})")
            return found
        if function in OWN:
            return self.new(f"{OWN[function]}({', '.join(a)})")
        return self.new(self._functions[function](a[0]))
