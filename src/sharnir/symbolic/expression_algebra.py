"""Algebra with expressions, for users: symbols, substitution, derivatives, canonical form, vectors, matrices, linear equations.

Every function takes expressions, numbers and the text of formulas alike. Vectors are lists of them, matrices lists of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sharnir.arguments import number, shown
from sharnir.errors import FormulaError
from sharnir.face import upward
from sharnir.symbolic.collecting import simplified
from sharnir.symbolic.differentiation import gradient
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.expression_graph import names_of, ordered, substituted, uses
from sharnir.symbolic.fourier import Fourier, TooLarge
from sharnir.symbolic.functions import CONSTANTS
from sharnir.symbolic.nodes import ONE, ZERO, Call, Name, Node, Operand, minus, node_of, plus, quotient, times, total
from sharnir.symbolic.printing import latex as latex_of

LARGEST_SYSTEM = 12  # unknowns: the solution of a full system grows faster than anyone can read
LARGEST_BY_DETERMINANTS = 5
SINGULAR = "solve: the matrix is singular for all values of its names; remove an equation"
SEQUENCES = (list, tuple, np.ndarray)
Expression = Any  # an expression, a number, or the text of a formula
Vector = Sequence[Expression]
Matrix = Sequence[Sequence[Expression]]


def expression(value: Expression) -> Node:
    """A formula as text, a number, or an expression, as an expression.

    >>> str(expression("2*l + l"))
    '2*l + l'
    """
    if isinstance(value, str):
        found: Node = upward("sharnir.model.parameters.entry_formulas", "expression")(value)
        return found
    if isinstance(value, Operand):
        return value  # type: ignore[return-value]
    try:
        return node_of(value)
    except (TypeError, ValueError, AttributeError):
        raise FormulaError(f"{shown(value)} is neither an expression, nor a number, nor the text of a formula") from None


def symbols(names: str) -> Any:
    """Symbols by their names, with blanks or commas between them; one alone is not in a tuple.

    >>> l, m = symbols("l m")
    >>> str(m * l**2 / 3)
    'm*l^2/3'
    """
    listed = [name for name in re.split(r"[\s,]+", names) if name] if isinstance(names, str) else []
    for name in listed:
        if not re.fullmatch(r"[A-Za-z_][\w.']*", name):
            raise FormulaError(f"symbols({shown(names)}): {name!r} is not a name; use letters, digits and _")
        if name in CONSTANTS:
            raise FormulaError(f"symbols({shown(names)}): {name!r} is a number in formulas; choose another name")
    if not listed:
        raise FormulaError(f"symbols({shown(names)}): give names, such as symbols('l m')")
    return Name(listed[0]) if len(listed) == 1 else tuple(Name(name) for name in listed)


def names(*values: Any) -> set[str]:
    """Names that occur in expressions, vectors and matrices.

    >>> sorted(names("2*l + m", ["k", 3]))
    ['k', 'l', 'm']
    """
    return {node.name for node in ordered(_leaves(values)) if isinstance(node, Name)}


def operations(*values: Any) -> int:
    """How many operations expressions need: what they share counts once.

    >>> x = symbols("x")
    >>> y = (x + 1)**2
    >>> operations(y + y**2)
    4
    """
    return sum(isinstance(node, Call) for node in ordered(_leaves(values)))


def substitute(value: Any, values: Mapping[Any, Expression]) -> Any:
    """The same with other expressions in the place of symbols, or of parts that occur as they are; all at once.

    >>> str(substitute("a*sin(q) + b", {"a": 2, "b": "c^2"}))
    '2*sin(q) + c^2'
    >>> str(substitute("x + y", {"x": "y", "y": "x"}))
    'y + x'
    """
    given = {expression(key): expression(part) for key, part in _by_name(values, "substitute").items()}
    return _each(value, lambda node: substituted([node], given)[0])


def evaluate(value: Any, values: Mapping[str, float] | None = None) -> Any:
    """The number of an expression for given numbers of its names; of a vector or matrix an array.

    >>> evaluate("2*l + 1", {"l": 0.5})
    2.0
    >>> evaluate([["a", 0], [1, "a^2"]], {"a": 3})
    array([[3., 0.],
           [1., 9.]])
    """
    leaves, given = _leaves([value]), _by_name({} if values is None else values, "evaluate")
    found = iter(evaluated(leaves, {str(name): number(x, "evaluate", str(name), finite=False) for name, x in given.items()}))
    numbers = _each(value, lambda node: next(found), list)
    return np.array(numbers) if isinstance(numbers, list) else numbers


def derivative(value: Any, *by: Expression) -> Any:
    """The partial derivative by one symbol, or by several one after the other.

    >>> str(derivative("a*sin(2*t)", "t"))
    '2*a*cos(2*t)'
    >>> str(derivative("x^3", "x", "x"))
    '6*x'
    """
    for symbol in map(_symbol, by):
        value = _each(value, lambda node, symbol=symbol: simplify(gradient(node, [symbol])[0]))
    return value


def jacobian(values: Vector, by: Vector) -> list[list[Node]]:
    """The matrix of partial derivatives of several expressions by several symbols.

    >>> [[str(x) for x in row] for row in jacobian(["r*cos(a)", "r*sin(a)"], ["r", "a"])]
    [['cos(a)', '-r*sin(a)'], ['sin(a)', 'r*cos(a)']]
    """
    symbols_of = [_symbol(x) for x in _list(by, "jacobian")]
    return [[simplify(x) for x in gradient(expression(value), symbols_of)] for value in _list(values, "jacobian")]


def simplify(value: Any) -> Any:
    """Canonical form with common factors before brackets; an expression for which that is too large stays as it is.

    >>> str(simplify("(a*cos(x) - b*sin(x))^2 + (a*sin(x) + b*cos(x))^2"))
    'a^2 + b^2'
    """
    return _each(value, _simplified)


def _simplified(node: Node) -> Node:
    try:
        return simplified(node, sorted(names_of(node)))
    except TooLarge:
        return node


def canonical(value: Any) -> Any:
    """Canonical form, multiplied out: polynomials of names times sines and cosines of sums of angles.

    >>> str(canonical("2*sin(a)*cos(b)"))
    'sin(a - b) + sin(a + b)'
    """

    def form(node: Node) -> Node:
        fourier = Fourier(sorted(names(node)))
        try:
            return fourier.node(fourier.form(node))
        except TooLarge:
            raise FormulaError(f"canonical: the form has more than {fourier.most} terms; use simplify on its parts") from None

    return _each(value, form)


def equal(a: Any, b: Any) -> bool:
    """Whether two expressions (vectors, matrices) are equal for all values of their names, as far as the canonical form knows.

    It decides polynomials of names, sines and cosines; other functions count as equal where their arguments are.

    >>> equal("cos(2*x)", "1 - 2*sin(x)^2"), equal("x", "y")
    (True, False)
    """
    one, two = _leaves([a]), _leaves([b])
    if len(one) != len(two):
        return False
    order = sorted(names(a, b))
    for x, y in zip(one, two, strict=True):
        fourier = Fourier(order)
        try:
            if fourier.form(minus(x, y)):
                return False
        except TooLarge:
            raise FormulaError("equal: the canonical form is too large to decide; compare parts") from None
    return True


def collect(value: Expression, *by: Expression) -> Node:
    """An expression as a polynomial in some symbols, with what stands before each of their powers in brackets.

    >>> str(collect("a*x + b*x + x^2*c + d", "x"))
    'c*x^2 + (a + b)*x + d'
    """
    terms = []
    for powers, factor in sorted(coefficients(value, *by).items(), key=lambda item: (-sum(item[0]), [-p for p in item[0]])):
        term = factor
        for symbol, exponent in zip(map(_symbol, by), powers, strict=True):
            term = times(term, symbol**exponent) if exponent else term
        terms.append(term)
    return total(*terms) if terms else ZERO


def coefficients(value: Expression, *by: Expression) -> dict[tuple[int, ...], Node]:
    """What stands before every product of powers of some symbols, by the exponents.

    >>> {powers: str(factor) for powers, factor in coefficients("a*x*y + 2*x + 3", "x", "y").items()}
    {(1, 1): 'a', (1, 0): '2', (0, 0): '3'}
    """
    symbols_of = [_symbol(x) for x in by]
    fourier = Fourier()
    try:
        form = fourier.form(expression(value))
    except TooLarge:
        raise FormulaError("coefficients: the expression is too large to be multiplied out; use its parts") from None
    places = {fourier.number[x]: k for k, x in enumerate(symbols_of) if x in fourier.number}
    parts: dict[tuple[int, ...], dict[Any, Any]] = {}
    for (powers, kind, angles), factor in form.items():
        exponents = [0] * len(symbols_of)
        for atom, exponent in powers:
            if atom in places:
                exponents[places[atom]] = exponent
        left = tuple((atom, exponent) for atom, exponent in powers if atom not in places)
        part = parts.setdefault(tuple(exponents), {})
        part[left, kind, angles] = factor
    found = {}
    for exponents_of, part in parts.items():
        factor = simplify(fourier.node(part))
        inside = [x for x in symbols_of if x.name in names(factor)]
        if inside or any(exponent != int(exponent) or exponent < 0 for exponent in exponents_of):
            symbol = (inside or symbols_of)[0]
            raise FormulaError(
                f"coefficients: the expression is not a polynomial in {symbol}; it occurs inside a function or in a denominator"
            )
        found[tuple(int(exponent) for exponent in exponents_of)] = factor
    return found


def dot(a: Vector, b: Vector) -> Node:
    """The scalar product.

    >>> str(dot(["x", 2], ["y", "z"]))
    'x*y + 2*z'
    """
    left, right, found = _vector(a, "dot"), _vector(b, "dot"), ZERO
    if len(left) != len(right):
        raise FormulaError(f"dot: the vectors have {len(left)} and {len(right)} entries; give as many")
    for x, y in zip(left, right, strict=True):
        found = plus(found, times(x, y))
    return found


def cross(a: Vector, b: Vector) -> list[Node]:
    """The vector product.

    >>> [str(x) for x in cross([1, 0, 0], ["x", "y", "z"])]
    ['0', '-z', 'y']
    """
    left, right = _vector(a, "cross"), _vector(b, "cross")
    if (len(left), len(right)) != (3, 3):
        raise FormulaError(f"cross: the vectors have {len(left)} and {len(right)} entries; give three each")
    (x, y, z), (u, v, w) = left, right
    return [minus(times(y, w), times(z, v)), minus(times(z, u), times(x, w)), minus(times(x, v), times(y, u))]


def product(a: Matrix, b: Any) -> Any:
    """A matrix times a vector or a matrix.

    >>> [str(x) for x in product([["a", "b"], [0, 1]], ["x", "y"])]
    ['a*x + b*y', 'y']
    """
    left, right = _matrix(a, "product"), _list(b, "product")
    whole = any(isinstance(row, SEQUENCES) for row in right)
    columns = transpose(b) if whole else [_vector(right, "product")]
    if left and len(left[0]) != len(right):
        raise FormulaError(f"product: rows of {len(left[0])} entries and columns of {len(right)}; give as many")
    if not whole:
        return [dot(row, columns[0]) for row in left]
    return [[dot(row, column) for column in columns] for row in left]


def transpose(a: Matrix) -> list[list[Node]]:
    """A matrix with rows and columns exchanged.

    >>> [[str(x) for x in row] for row in transpose([["a", "b"], [0, 1]])]
    [['a', '0'], ['b', '1']]
    """
    return [list(column) for column in zip(*_matrix(a, "transpose"), strict=True)]


def determinant(a: Matrix) -> Node:
    """The determinant of a small square matrix.

    >>> str(determinant([["a", "b"], ["c", "d"]]))
    'a*d - b*c'
    """
    A = _square(a, "determinant")
    # over subsets of columns, row by row: each minor once
    minors: dict[int, Node] = {0: ONE}
    for row in A:
        below: dict[int, Node] = {}
        for used, minor in minors.items():
            for k, entry in enumerate(row):
                if used >> k & 1:
                    continue
                after = bin(used >> k).count("1") % 2
                term = times(entry, minor)
                if term is not ZERO:
                    before = below.get(used | 1 << k, ZERO)
                    below[used | 1 << k] = minus(before, term) if after else plus(before, term)
        minors = below
    return _simplified(minors.get((1 << len(A)) - 1, ZERO))


def solve(matrix: Matrix, right: Vector) -> list[Node]:
    """x with matrix · x = right, for a small matrix: by determinants, from six unknowns on by elimination.

    >>> [str(x) for x in solve([["a", 1], [0, 2]], ["b", "c"])]
    ['(2*b - c)/(2*a)', 'c/2']
    >>> solve([["a", "a"], ["b", "b"]], [1, 2])
    Traceback (most recent call last):
    sharnir.errors.FormulaError: solve: the matrix is singular for all values of its names; remove an equation
    """
    A, b = _square(matrix, "solve"), _vector(right, "solve")
    n = len(A)
    if len(b) != n:
        raise FormulaError(f"solve: the matrix has {n} rows and the right side {len(b)} entries; give as many")
    if n > LARGEST_BY_DETERMINANTS:
        return _eliminated(A, b)
    below = determinant(A)
    if below is ZERO:
        raise FormulaError(SINGULAR)
    above = [determinant([[*row[:k], x, *row[k + 1 :]] for row, x in zip(A, b, strict=True)]) for k in range(n)]
    return [_simplified(_over(x, below)) for x in above]


def _over(above: Node, below: Node) -> Node:
    """A quotient, divided by one factor after the other: what is above a line and below it is then cancelled."""
    if isinstance(below, Call) and below.function == "*":
        for factor in below.arguments:
            above = _over(above, factor)
        return above
    if isinstance(below, Call) and below.function == "/":
        return _over(times(above, below.arguments[1]), below.arguments[0])
    return times(above, quotient(ONE, below))


def _eliminated(A: list[list[Node]], b: list[Node]) -> list[Node]:
    """The solution by elimination, with pivots that do not vanish for all values of names."""
    n = len(A)
    for k in range(n):
        best = _pivot(A, k)
        A[k], A[best], b[k], b[best] = A[best], A[k], b[best], b[k]
        for i in range(k + 1, n):
            if A[i][k] is not ZERO:
                factor = quotient(A[i][k], A[k][k])
                A[i] = [ZERO if j <= k else minus(A[i][j], times(factor, A[k][j])) for j in range(n)]
                b[i] = minus(b[i], times(factor, b[k]))
    x: list[Node] = [ZERO] * n
    for k in reversed(range(n)):
        rest = b[k]
        for j in range(k + 1, n):
            rest = minus(rest, times(A[k][j], x[j]))
        x[k] = quotient(rest, A[k][k])
    return x


def _pivot(A: list[list[Node]], k: int) -> int:
    """The row with the shortest entry in column k that is not zero: neither as it stands nor at random values of its names."""
    rng = np.random.default_rng(k)
    values = {name: rng.uniform(0.5, 1.5) for name in sorted(names(A))}
    size = {i: abs(evaluated([A[i][k]], values)[0]) for i in range(k, len(A)) if A[i][k] is not ZERO}
    largest = max((x for x in size.values() if np.isfinite(x)), default=0.0)
    rows = [i for i, x in size.items() if not x <= 1e-9 * largest]  # also where those values give no number
    if not rows:
        raise FormulaError(SINGULAR)
    return min(rows, key=lambda i: A[i][k].size)


def shared(values: Any, least: int = 2) -> tuple[dict[str, Node], Any]:
    """What occurs several times, under names of its own (s1, s2, …), and the same expressions with these names.

    >>> definitions, y = shared("sqrt(x^2 + y^2) + 1/(x^2 + y^2)")
    >>> {name: str(x) for name, x in definitions.items()}, str(y)
    ({'s1': 'x^2 + y^2'}, 'sqrt(s1) + 1/s1')
    """
    leaves = _leaves([values])
    counted = uses(leaves)
    taken = names(values)
    free = (f"s{k}" for k in range(1, 10**9) if f"s{k}" not in taken)
    definitions: dict[str, Node] = {}
    known: dict[Node, Node] = {}
    for node in ordered(leaves):
        if isinstance(node, Call) and counted[node] >= least and node.function != "neg" and operations(node) > 1:
            name = next(free)
            definitions[name] = substituted([node], known)[0]
            known[node] = Name(name)
    return definitions, _each(values, lambda node: substituted([node], known)[0])


def latex(value: Expression) -> str:
    """An expression as LaTeX.

    >>> latex("2*x") == "2 x"
    True
    """
    return latex_of(expression(value))


def _symbol(value: Expression) -> Name:
    found = expression(value)
    if not isinstance(found, Name):
        raise FormulaError(f"{shown(str(found))} is not a symbol; name one, such as 'x'")
    return found


def _each(value: Any, change: Any, sequence: type = list) -> Any:
    """change(x) of an expression, or of every entry of a vector or matrix."""
    if isinstance(value, SEQUENCES):
        return sequence(_each(part, change, sequence) for part in value)
    return change(expression(value))


def _leaves(values: Iterable[Any]) -> list[Node]:
    """Expressions in vectors and matrices, one after the other."""
    found: list[Node] = []
    for value in values:
        found += _leaves(value) if isinstance(value, SEQUENCES) else [expression(value)]
    return found


def _list(values: Any, label: str) -> list[Any]:
    """The entries of a vector, or the rows of a matrix."""
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable) or not getattr(values, "ndim", 1):
        raise FormulaError(f"{label}: {shown(values)} is not a list of expressions")
    return list(values)


def _vector(values: Vector, label: str) -> list[Node]:
    return [expression(value) for value in _list(values, label)]


def _matrix(values: Matrix, label: str) -> list[list[Node]]:
    """Rows that are equally long."""
    rows = [_vector(row, label) for row in _list(values, label)]
    if len({len(row) for row in rows}) > 1:
        raise FormulaError(f"{label}: the rows of a matrix must be equally long; they have {[len(row) for row in rows]} entries")
    return rows


def _by_name(values: Any, label: str) -> Mapping[Any, Any]:
    if not isinstance(values, Mapping):
        raise FormulaError(f"{label}: give values by name, such as {{'x': 2}}, not {shown(values)}")
    return values


def _square(values: Matrix, label: str) -> list[list[Node]]:
    """A square matrix that is not too large."""
    A = [_vector(row, label) for row in _list(values, label)]
    if any(len(row) != len(A) for row in A):
        raise FormulaError(
            f"{label}: the matrix must be square; it has {len(A)} rows of {sorted({len(row) for row in A})} entries"
        )
    if len(A) > LARGEST_SYSTEM:
        remedy = "use numbers: numpy.linalg.solve with evaluate(…)" if label == "solve" else "use numbers: numpy.linalg.det"
        raise FormulaError(f"{label}: {len(A)} rows are more than {LARGEST_SYSTEM}; {remedy}")
    return A
