"""A graph of expressions as LLVM code without branches: every shared node is computed once."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Mapping

from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.nodes import Call, Node, Number

FAST = "nsz arcp contract"  # the freedom that kernels have, too
COMPARISONS = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
INTRINSICS = {"exp": "exp", "log": "log", "sqrt": "sqrt", "abs": "fabs", "floor": "floor"}
C_LIBRARY = {"tan": 1, "asin": 1, "acos": 1, "atan": 1, "sinh": 1, "cosh": 1, "tanh": 1, "atan2": 2, "hypot": 2}
LARGEST_POWER = 16  # whole exponents up to here are products
HALF_PI = (1.5707963267948966, 6.123233995736766e-17)  # their sum is π/2 to 107 bits
SIGN_BIT = -(2**63)


def literal(value: float) -> str:
    """A double as LLVM writes it.

    >>> literal(1.0)
    '0x3FF0000000000000'
    """
    return f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016X}"


class Lines:
    """Instructions one after the other, each with a name for its value."""

    def __init__(self, prefix: str) -> None:
        self.lines: list[str] = []
        self._prefix, self._count = prefix, 0

    def new(self, instruction: str) -> str:
        """An instruction whose value has a name of its own."""
        self._count += 1
        name = f"%{self._prefix}{self._count}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def double(self, operation: str, a: str, b: str) -> str:
        """An operation on two doubles."""
        return self.new(f"{operation} {FAST} double {a}, {b}")

    def call(self, function: str, *arguments: str) -> str:
        """A call of a function of doubles."""
        return self.new(f"call double @{function}({', '.join(f'double {x}' for x in arguments)})")


def place(lines: Lines, base: str, k: int) -> str:
    """The address of a double."""
    at = lines.new(f"add i64 {base}, {8 * k}") if k else base
    return lines.new(f"inttoptr i64 {at} to double*")


def called_at(address: int, lines: Lines, arguments: list[str]) -> str:
    """A call of a C function of three numbers at an address, of which those that are missing do not matter."""
    given = ", ".join(f"double {x}" for x in [*arguments, literal(0.0), literal(0.0)][:3])
    return lines.new(f"call double inttoptr (i64 {address} to double (double, double, double)*)({given})")


class GraphCode(Lines):
    """Code of expressions; `known` nodes have a value already, `functions` are opaque ones: name -> code of a call.

    >>> from sharnir.symbolic.nodes import Name
    >>> code = GraphCode({Name("x"): "%x"})
    >>> code.values([Name("x") * 2 + 1])
    ['%v2']
    """

    def __init__(
        self, known: Mapping[Node, str], functions: Mapping[str, Callable[[Lines, list[str]], str]] | None = None
    ) -> None:
        super().__init__("v")
        self.known: dict[Node, str] = dict(known)
        self._functions = functions or {}
        self.held: dict[Call, tuple[str, str]] = {}  # switches: whether a side is held, and which (both doubles)
        self.watched: dict[Call, str] = {}  # what a run watches of them, as functions of switch_memory.py leave it
        self._angles: dict[str, str] = {}
        self._truths: dict[Node, str] = {}

    def values(self, roots: Iterable[Node]) -> list[str]:
        """What the values of these nodes are called."""
        roots = list(roots)
        for node in ordered(roots, self.known):
            self.known[node] = literal(float(node.value)) if isinstance(node, Number) else self._written(node)
        return [self.known[root] for root in roots]

    def _written(self, node: Node) -> str:
        assert isinstance(node, Call), f"{node} has no value"
        function, a = node.function, [self.known[x] for x in node.arguments]
        if node in self.held and function not in COMPARISONS:
            return self._held(node, a)
        if function == "+":
            return self._sum(node)
        if function == "*":
            return self._chain("fmul", a)
        if function == "/":
            return self.double("fdiv", *a)
        if function == "neg":
            return self.new(f"fneg double {a[0]}")
        if function == "^":
            return self._power(node, a)
        if function in ("sin", "cos"):
            return self._angle(function, a[0])
        return self._special(node, function, a)

    def _special(self, node: Call, function: str, a: list[str]) -> str:
        if function in INTRINSICS:
            return self.call(f"llvm.{INTRINSICS[function]}.f64", *a)
        if function in C_LIBRARY:
            return self.call(function, *a)
        if function in COMPARISONS:
            return self.new(f"uitofp i1 {self._truth(node)} to double")
        if function == "if":
            return self.new(f"select i1 {self._truth(node.arguments[0])}, double {a[1]}, double {a[2]}")
        if function in ("min", "max"):
            return self._extreme("olt" if function == "min" else "ogt", a)
        if function == "smooth":
            return a[0]
        if function == "step":
            return self.new(f"uitofp i1 {self.new(f'fcmp oge double {a[0]}, {literal(0.0)}')} to double")
        if function == "sign":
            zero = self.new(f"fcmp oeq double {a[0]}, {literal(0.0)}")
            one = self.call("llvm.copysign.f64", literal(1.0), a[0])
            return self.new(f"select i1 {zero}, double {literal(0.0)}, double {one}")
        return self._functions[function](self, a)

    def _held(self, node: Call, a: list[str]) -> str:
        """A jump or bend whose side may be held."""
        held, side = self.held[node]
        self._watch(node, a)
        is_held = self.new(f"fcmp ogt double {held}, {literal(0.0)}")
        above = self.new(f"fcmp ogt double {side}, {literal(0.0)}")
        if node.function in ("min", "max"):
            sign = "olt" if node.function == "min" else "ogt"
            first = self.new(f"select i1 {is_held}, i1 {above}, i1 {self.new(f'fcmp {sign} double {a[0]}, {a[1]}')}")
            return self.new(f"select i1 {first}, double {a[0]}, double {a[1]}")
        plain = self._special(node, node.function, a)
        kept = self.new(f"uitofp i1 {above} to double") if node.function == "step" else side
        return self.new(f"select i1 {is_held}, double {kept}, double {plain}")

    def _watch(self, node: Call, a: list[str]) -> None:
        """The function that is zero where a switch turns."""
        if len(a) == 2:
            first, second = a if node.function in (">", ">=", "max") else reversed(a)
            self.watched[node] = self.double("fsub", first, second)
        elif node.function != "floor":
            self.watched[node] = a[0]
        else:
            below = self.held[node][1]
            left = self.double("fsub", a[0], below)
            self.watched[node] = self.double("fmul", left, self.double("fsub", literal(1.0), left))

    def _chain(self, operation: str, a: list[str]) -> str:
        found = a[0]
        for x in a[1:]:
            found = self.double(operation, found, x)
        return found

    def _sum(self, node: Call) -> str:
        """Terms with a minus are taken off."""
        signed = [(x, isinstance(x, Call) and x.function == "neg") for x in node.arguments]
        plus = [self.known[x] for x, minus in signed if not minus]
        minus = [self.known[x.arguments[0]] for x, minus in signed if minus]
        found = self._chain("fadd", plus) if plus else self.new(f"fneg double {minus.pop(0)}")
        for x in minus:
            found = self.double("fsub", found, x)
        return found

    def _power(self, node: Call, a: list[str]) -> str:
        exponent = node.arguments[1]
        if not (isinstance(exponent, Number) and isinstance(exponent.value, int) and 0 < abs(exponent.value) <= LARGEST_POWER):
            return self.call("llvm.pow.f64", *a)
        found, square, left = "", a[0], abs(exponent.value)
        while left:
            if left & 1:
                found = self.double("fmul", found, square) if found else square
            left >>= 1
            if left:
                square = self.double("fmul", square, square)
        return found if exponent.value > 0 else self.double("fdiv", literal(1.0), found)

    def _angle(self, function: str, x: str) -> str:
        """Sine and cosine of an angle come together."""
        if x not in self._angles:
            self._angles[x] = self.new(f"call {{double, double}} @sincos(double {x})")
        return self.new(f"extractvalue {{double, double}} {self._angles[x]}, {int(function == 'cos')}")

    def _truth(self, node: Node) -> str:
        """A condition: a comparison itself, anything else where it is not zero."""
        if node not in self._truths:
            if isinstance(node, Call) and node.function in COMPARISONS:
                a, b = (self.known[x] for x in node.arguments)
                self._truths[node] = self.new(f"fcmp {COMPARISONS[node.function]} double {a}, {b}")
                if node in self.held:
                    held, side = self.held[node]
                    self._watch(node, [a, b])
                    is_held = self.new(f"fcmp ogt double {held}, {literal(0.0)}")
                    above = self.new(f"fcmp ogt double {side}, {literal(0.0)}")
                    self._truths[node] = self.new(f"select i1 {is_held}, i1 {above}, i1 {self._truths[node]}")
            else:
                self._truths[node] = self.new(f"fcmp une double {self.known[node]}, {literal(0.0)}")
        return self._truths[node]

    def _extreme(self, sign: str, a: list[str]) -> str:
        """As Python's min and max: a later one counts if it is beyond all before it."""
        found = a[0]
        for x in a[1:]:
            found = self.new(f"select i1 {self.new(f'fcmp {sign} double {x}, {found}')}, double {x}, double {found}")
        return found


def declarations() -> str:
    """What the code may call, and sine and cosine without a branch, as kernels have them (kernel/elementary.py)."""
    one = [*(f"llvm.{name}.f64" for name in INTRINSICS.values()), "llvm.rint.f64"]
    two = ["llvm.pow.f64", "llvm.copysign.f64"]
    one += [name for name, count in C_LIBRARY.items() if count == 1]
    two += [name for name, count in C_LIBRARY.items() if count == 2]
    found = [f"declare double @{name}(double)" for name in one]
    found += [f"declare double @{name}(double, double)" for name in two]
    found.append("declare double @llvm.fma.f64(double, double, double)")
    return "\n".join([*found, sincos_code()])


def sincos_code() -> str:
    """Reduce by multiples of π/2, expand, swap and sign by the quadrant."""
    c = Lines("t")
    multiple = c.call("llvm.rint.f64", c.double("fmul", "%x", literal(2.0 / math.pi)))
    back = c.new(f"fneg double {multiple}")
    r = "%x"
    for part in HALF_PI:
        r = c.call("llvm.fma.f64", back, literal(part), r)
    z = c.double("fmul", r, r)
    sine = _series(c, z, [s / math.factorial(k) for s, k in zip((-1, 1) * 4, range(3, 17, 2), strict=False)])
    cosine = _series(c, z, [s / math.factorial(k) for s, k in zip((1, -1) * 4, range(4, 18, 2), strict=False)])
    s = c.double("fadd", r, c.double("fmul", c.double("fmul", r, z), sine))
    start = c.double("fsub", literal(1.0), c.double("fmul", literal(0.5), z))
    k = c.double("fadd", start, c.double("fmul", c.double("fmul", z, z), cosine))
    quadrant = c.new(f"fptosi double {multiple} to i64")
    odd = c.new(f"trunc i64 {quadrant} to i1")
    first, second = (c.new(f"select i1 {odd}, double {a}, double {b}") for a, b in ((k, s), (s, k)))
    sine = _signed(c, first, quadrant)
    cosine = _signed(c, second, c.new(f"add i64 {quadrant}, 1"))
    pair = c.new(f"insertvalue {{double, double}} undef, double {sine}, 0")
    pair = c.new(f"insertvalue {{double, double}} {pair}, double {cosine}, 1")
    body = "\n".join([*c.lines, f"ret {{double, double}} {pair}"])
    return f"define internal {{double, double}} @sincos(double %x) alwaysinline {{\n{body}\n}}"


def _series(c: Lines, z: str, coefficients: list[float]) -> str:
    """Horner's scheme."""
    found = literal(coefficients[-1])
    for x in reversed(coefficients[:-1]):
        found = c.double("fadd", literal(x), c.double("fmul", z, found))
    return found


def _signed(c: Lines, x: str, quadrant: str) -> str:
    """x, negative if the second bit of the quadrant is set."""
    bit = c.new(f"and i64 {c.new(f'shl i64 {quadrant}, 62')}, {SIGN_BIT}")
    bits = c.new(f"xor i64 {c.new(f'bitcast double {x} to i64')}, {bit}")
    return c.new(f"bitcast i64 {bits} to double")
