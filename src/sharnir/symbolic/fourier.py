"""Canonical form: polynomials in names times sines and cosines of sums of angles (a Fourier form).

Products of sines and cosines become sums of angles, so sin² + cos² = 1 needs no search and equal expressions of this kind have
the same form. A form is a dict {(powers, kind, angles): coefficient}: powers ((atom, exponent), …), kind 0 for cos and 1 for sin,
angles ((atom, whole number), …). Atoms are numbers of nodes in the order in which they are to be written. What is no polynomial,
such as sqrt(…) of a sum, is an atom whose arguments are in canonical form.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from sharnir.symbolic.expression_graph import ordered, rebuilt
from sharnir.symbolic.nodes import ZERO, Call, Name, Node, Number, Value, power, product, settled, total

Powers = tuple[tuple[int, Any], ...]
Angles = tuple[tuple[int, int], ...]
Key = tuple[Powers, int, Angles]
Form = dict[Key, Any]

UNIT: Key = ((), 0, ())
CANCELLED = 1e-13  # a sum that is smaller than this part of a term is rounding
LARGEST_POWER = 8  # whole powers of sums up to here are multiplied out


class TooLarge(Exception):
    """A canonical form has more terms than wanted."""


class Fourier:
    """Makes canonical forms; `order`: names from first to last within a product; `named`: nodes that are atoms under a name.

    >>> from sharnir.symbolic.functions import cos, sin
    >>> a, b = Name("a"), Name("b")
    >>> f = Fourier()
    >>> str(f.node(f.form(cos(a)*cos(b) + sin(a)*sin(b))))
    'cos(a - b)'
    """

    def __init__(self, order: Iterable[str] = (), named: Mapping[Node, str] | None = None, most: int = 4000) -> None:
        self.atoms: list[Node] = []
        self.number: dict[Node, int] = {}
        self.named, self.most = dict(named or {}), most
        self.forms: dict[Node, Form] = {}
        for name in order:
            self.atom(Name(name))

    def atom(self, node: Node) -> int:
        """Number of an atom."""
        if node not in self.number:
            self.number[node] = len(self.atoms)
            self.atoms.append(node)
        return self.number[node]

    def form(self, root: Node) -> Form:
        """The canonical form of an expression."""
        for node in ordered((root,)):
            if node not in self.forms:
                self.forms[node] = self._of(node)
                if len(self.forms[node]) > self.most:
                    raise TooLarge
        return self.forms[root]

    def _of(self, node: Node) -> Form:
        if node in self.named:
            return {(((self.atom(Name(self.named[node])), 1),), 0, ()): 1}
        if isinstance(node, Number):
            return {UNIT: node.value} if node.value else {}
        if isinstance(node, Name):
            return {(((self.atom(node), 1),), 0, ()): 1}
        assert isinstance(node, Call)
        parts = [self.forms[argument] for argument in node.arguments]
        if node.function == "+":
            return added(parts)
        if node.function == "neg":
            return {key: -c for key, c in parts[0].items()}
        if node.function == "*":
            found = parts[0]
            for part in parts[1:]:
                found = self.product(found, part)
            return found
        if node.function == "/":
            return self.product(parts[0], self.power(parts[1], -1))
        if node.function == "^" and not node.arguments[1].arguments and set(parts[1]) <= {UNIT}:
            return self.power(parts[0], parts[1].get(UNIT, 0))
        if node.function == "sqrt":
            return self.power(parts[0], Fraction(1, 2))
        if node.function in ("sin", "cos"):
            return self.wave(int(node.function == "sin"), parts[0])
        return self.opaque(rebuilt(node.function, tuple(self.node(part) for part in parts)))

    def opaque(self, node: Node, exponent: Any = 1) -> Form:
        """An atom to some power."""
        if isinstance(node, Number):
            return {UNIT: node.value} if node.value else {}
        return {(((self.atom(node), exponent),), 0, ()): 1}

    def product(self, a: Form, b: Form) -> Form:
        """The product of two forms."""
        if len(a) * len(b) > 20 * self.most:
            raise TooLarge
        found: Form = {}
        for (p, kind, x), c in a.items():
            for (q, other, y), d in b.items():
                powers, value = multiplied(p, q), c * d
                if not x or not y:
                    accumulate(found, (powers, kind or other, x or y), value)
                    continue
                half = halved(value)
                low, high = combined(x, y, -1), combined(x, y, 1)
                if kind == other:  # cos cos, sin sin
                    add_wave(found, powers, 0, low, half)
                    add_wave(found, powers, 0, high, -half if kind else half)
                else:  # sin x cos y, or cos x sin y
                    add_wave(found, powers, 1, high, half)
                    add_wave(found, powers, 1, low, half if kind else -half)
        return found

    def power(self, a: Form, exponent: Value) -> Form:
        """A form to a constant power; sums to other than small whole powers are atoms."""
        if exponent == 0:
            return {UNIT: 1}
        if not a:
            return {} if exponent > 0 else self.opaque(Call("/", (Number(1), Number(0))))
        if isinstance(exponent, int) and 0 < exponent <= LARGEST_POWER:
            found = a
            for _ in range(exponent - 1):
                found = self.product(found, a)
            return found
        if len(a) == 1:
            ((powers, _, angles), c), whole = next(iter(a.items())), isinstance(exponent, int)
            if not angles and (whole or (c > 0 and not powers)):
                value = Fraction(c) ** exponent if whole and not isinstance(c, float) else float(c) ** float(exponent)
                return {(tuple((atom, e * exponent) for atom, e in powers), 0, ()): settled(value)}
        return self.opaque(self.node(a), exponent)

    def wave(self, kind: int, argument: Form) -> Form:
        """sin (kind 1) or cos (kind 0) of a form."""
        angles: list[tuple[int, int]] = []
        offset: Value = 0
        for key, c in argument.items():
            if key == UNIT:
                offset = c
            elif isinstance(c, int):
                angles.append((self.atom(self.node({key: 1})), c))
            else:
                angles.append((self.atom(self.node({key: c})), 1))
        x = tuple(sorted(angles))
        found: Form = {}
        if not offset:
            add_wave(found, (), kind, x, 1)
            return found
        c, s = (settled(round(f(offset), 16)) for f in (math.cos, math.sin))
        if kind:  # sin(x + c) = sin x cos c + cos x sin c
            add_wave(found, (), 1, x, c)
            add_wave(found, (), 0, x, s)
        else:
            add_wave(found, (), 0, x, c)
            add_wave(found, (), 1, x, -s)
        return found

    def node(self, form: Form) -> Node:
        """A form as an expression: a sum of products in a fixed order."""
        return summed(*(self.term(key, form[key]) for key in sorted(form, key=place)))

    def term(self, key: Key, c: Value) -> Node:
        """One term."""
        powers, kind, angles = key
        factors = [self.raised(atom, e) for atom, e in powers]
        if angles:
            factors.append(self.wave_node(kind, angles))
        return product(Number(c), *factors)

    def raised(self, atom: int, e: Any) -> Node:
        """An atom to a power."""
        node = self.atoms[atom]
        return Call("sqrt", (node,)) if e == Fraction(1, 2) else power(node, Number(e))

    def wave_node(self, kind: int, angles: Angles) -> Node:
        """sin or cos of a sum of angles."""
        argument = total(*(product(Number(n), self.atoms[atom]) for atom, n in angles))
        return Call("sin" if kind else "cos", (argument,))


def summed(*terms: Node) -> Node:
    """A sum in the given order, but begun with the first term that has no minus sign: 1 - cos(q)."""
    flat: list[Node] = []
    for term in terms:
        flat += term.arguments if isinstance(term, Call) and term.function == "+" else (term,)
    flat = [term for term in flat if term is not ZERO]
    first = next((k for k, term in enumerate(flat) if not _begins_with_minus(term)), 0)
    if first:
        flat.insert(0, flat.pop(first))
    if len(flat) < 2:
        return flat[0] if flat else ZERO
    return Call("+", tuple(flat))


def _begins_with_minus(term: Node) -> bool:
    if isinstance(term, Call) and term.function == "*":
        term = term.arguments[0]
    return (isinstance(term, Number) and term.value < 0) or (isinstance(term, Call) and term.function == "neg")


def place(key: Key) -> Any:
    """Where a term stands among others: by its powers, then by its angles."""
    powers, kind, angles = key
    return (tuple((atom, -float(e)) for atom, e in powers), angles, kind)


def accumulate(form: Form, key: Key, value: Any) -> None:
    """Add a term; what cancels to rounding goes."""
    old = form.get(key)
    if old is None:
        if value:
            form[key] = value
        return
    new = old + value
    if new == 0 or (isinstance(new, float) and abs(new) <= CANCELLED * abs(value)):
        del form[key]
    else:
        form[key] = new.numerator if isinstance(new, Fraction) and new.denominator == 1 else new


def add_wave(form: Form, powers: Powers, kind: int, angles: Angles, value: Any) -> None:
    """Add value · powers · sin or cos of angles, whose first number is made positive."""
    if not angles:
        if not kind:
            accumulate(form, (powers, 0, ()), value)
        return
    if angles[0][1] < 0:
        angles = tuple((atom, -n) for atom, n in angles)
        value = -value if kind else value
    accumulate(form, (powers, kind, angles), value)


def added(forms: Iterable[Form]) -> Form:
    """The sum of forms."""
    found: Form = {}
    for form in forms:
        for key, c in form.items():
            accumulate(found, key, c)
    return found


def multiplied(p: Powers, q: Powers) -> Powers:
    """The product of two products of powers."""
    if not p:
        return q
    if not q:
        return p
    found = dict(p)
    for atom, e in q:
        found[atom] = found.get(atom, 0) + e
    return tuple(
        sorted((atom, e.numerator if isinstance(e, Fraction) and e.denominator == 1 else e) for atom, e in found.items() if e)
    )


def combined(x: Angles, y: Angles, sign: int) -> Angles:
    """x + sign · y."""
    found = dict(x)
    for atom, n in y:
        found[atom] = found.get(atom, 0) + sign * n
    return tuple(sorted((atom, n) for atom, n in found.items() if n))


def halved(value: Any) -> Any:
    """value / 2, exact if it is."""
    if isinstance(value, int):
        return value // 2 if value % 2 == 0 else Fraction(value, 2)
    return value / 2
