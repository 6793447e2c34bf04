"""From the canonical form to the form people write: common factors before brackets."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from math import gcd
from typing import Any

from sharnir.symbolic.fourier import Angles, Form, Fourier, place, summed
from sharnir.symbolic.nodes import Call, Node, Number, Value, negative, product, settled

Factor = tuple[str, Any]  # ("power", atom), ("inverse", atom) or ("wave", (kind, angles))

KINDS = ("inverse", "power", "wave")


def collected(fourier: Fourier, form: Form, first: Collection[int] = ()) -> Node:
    """A form as an expression with common factors collected; terms with an atom of `first` in them stand together, and before.

    >>> from sharnir.symbolic.nodes import Name
    >>> f = Fourier()
    >>> a, b, c = (Name(name) for name in "abc")
    >>> str(collected(f, f.form(a*b + a*c + b)))
    'a*(b + c) + b'
    """
    return _collected(fourier, {key: tidy(c) for key, c in form.items() if c}, frozenset(first))


def tidy(c: Value) -> Value:
    """A number without the rounding of its last digit: 0.9999999999999998 is 1.

    >>> tidy(0.9999999999999998), tidy(0.1 + 0.2)
    (1, 0.3)
    """
    return settled(float(f"{c:.15g}")) if isinstance(c, float) else c


def simplified(node: Node, order: Iterable[str] = ()) -> Node:
    """An expression in canonical form with common factors collected; `order`: names from first to last within a product.

    >>> from sharnir.symbolic.functions import cos, sin
    >>> from sharnir.symbolic.nodes import Name
    >>> a, b, x = (Name(name) for name in "abx")
    >>> str(simplified((a*cos(x) - b*sin(x))**2 + (a*sin(x) + b*cos(x))**2))
    'a^2 + b^2'
    """
    fourier = Fourier(order)
    return collected(fourier, fourier.form(node))


def _factors(key: Any) -> dict[Factor, Any]:
    """What a term is made of, with exponents."""
    powers, kind, angles = key
    found: dict[Factor, Any] = {("power" if e > 0 else "inverse", atom): abs(e) for atom, e in powers}
    if angles:
        found["wave", (kind, angles)] = 1
    return found


def _content(form: Form) -> Value:
    """The largest number that divides all coefficients: exact for exact ones, else the common size, or 1; negative if all are."""
    values = list(form.values())
    sign = -1 if all(c < 0 for c in values) else 1
    if any(isinstance(c, float) for c in values):
        size = abs(values[0])
        return sign * size if all(abs(abs(c) - size) <= 1e-15 * size for c in values) else sign
    above, below = 0, 1
    for c in values:
        c = Fraction(c)
        above = gcd(above, c.numerator)
        below = below * c.denominator // gcd(below, c.denominator)
    return sign * Fraction(above, below)


def _collected(f: Fourier, form: Form, first: frozenset[int]) -> Node:
    if not form:
        return Number(0)
    if len(form) == 1:
        key, c = next(iter(form.items()))
        return f.term(key, c)
    common = _common(form)
    content = _content(form)
    if common or abs(content) != 1:  # a sign alone stays inside
        rest = {_without(key, common): _exactly(c, content) for key, c in form.items()}
        inner = _collected(f, rest, first)
        factors = _nodes(f, common)
        if content == -1:
            return negative(product(*factors, inner))
        return product(Number(content), *factors, inner)
    if first:
        ahead = {key: c for key, c in form.items() if any(atom in first for atom, _ in key[0])}
        if 0 < len(ahead) < len(form):
            behind = {key: c for key, c in form.items() if key not in ahead}
            return summed(_collected(f, ahead, frozenset()), _collected(f, behind, frozenset()))
    best = _best(form)
    if best is None:
        return f.node(form)
    inside = {key: c for key, c in form.items() if best in _factors(key)}
    outside = {key: c for key, c in form.items() if key not in inside}
    grouped, others = _collected(f, inside, first), _collected(f, outside, first)
    earlier = min(map(place, inside)) < min(map(place, outside))
    return with_common_brackets(summed(grouped, others) if earlier else summed(others, grouped))


def with_common_brackets(node: Node) -> Node:
    """Terms of a sum that have the same bracket, as one: a*(1 - c) + b*(1 - c) is (a + b)*(1 - c).

    >>> from sharnir.symbolic.nodes import Name
    >>> a, b, c = (Name(name) for name in "abc")
    >>> str(with_common_brackets(a*(b + c) - b*(b + c) + c))
    '(a - b)*(b + c) + c'
    """
    if not isinstance(node, Call) or node.function != "+":
        return node
    found: dict[Node, list[Node]] = {}  # bracket, or a term itself -> what stands before it
    for term in node.arguments:
        minus = isinstance(term, Call) and term.function == "neg"
        inner = term.arguments[0] if minus else term
        factors = inner.arguments if isinstance(inner, Call) and inner.function == "*" else (inner,)
        brackets = [x for x in factors if isinstance(x, Call) and x.function == "+"]
        if len(brackets) == 1 and len(factors) > 1:
            before = product(*(x for x in factors if x is not brackets[0]))
            found.setdefault(brackets[0], []).append(negative(before) if minus else before)
        else:
            found.setdefault(term, [])
    return summed(*(product(summed(*before), bracket) if before else bracket for bracket, before in found.items()))


def _exactly(c: Value, content: Value) -> Value:
    """c / content, exact if both are; 1 for equal sizes."""
    if isinstance(c, float) or isinstance(content, float):
        return (1 if c * content > 0 else -1) if abs(content) != 1 else c * content
    found = Fraction(c) / Fraction(content)
    return found.numerator if found.denominator == 1 else found


def _common(form: Form) -> dict[Factor, Any]:
    """Factors that all terms have, with the least exponent."""
    keys = iter(form)
    found = _factors(next(keys))
    for key in keys:
        other = _factors(key)
        found = {factor: min(e, other[factor]) for factor, e in found.items() if factor in other}
        if not found:
            break
    return found


def _without(key: Any, common: dict[Factor, Any]) -> Any:
    """A term without some factors."""
    powers, kind, angles = key
    left = tuple((atom, e - common.get(("power", atom), 0) + common.get(("inverse", atom), 0)) for atom, e in powers)
    if ("wave", (kind, angles)) in common:
        kind, angles = 0, ()
    return tuple((atom, e) for atom, e in left if e), kind, angles


def _nodes(f: Fourier, common: dict[Factor, Any]) -> list[Node]:
    """Factors as expressions, names before waves."""
    powers = sorted((x, e if what == "power" else -e) for (what, x), e in common.items() if what != "wave")
    waves: list[tuple[int, Angles]] = [x for (what, x) in common if what == "wave"]
    return [f.raised(atom, e) for atom, e in powers] + [f.wave_node(*wave) for wave in waves]


def _best(form: Form) -> Factor | None:
    """The factor that most terms share; of several the one written first. None: no factor is shared."""
    count: dict[Factor, int] = {}
    for key in form:
        for factor in _factors(key):
            count[factor] = count.get(factor, 0) + 1
    shared = [(-n, KINDS.index(factor[0]), factor[1], factor) for factor, n in count.items() if n > 1]
    return min(shared)[3] if shared else None
