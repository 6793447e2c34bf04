"""Reading a formula: tokens, then recursive descent. The text is never given to Python.

compare := sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
sum     := product {("+" | "-") product}
product := unary {("*" | "/") unary}
unary   := ("-" | "+") unary | power
power   := atom [("^" | "**") unary]
atom    := number ["deg" | "°"] | name | name "(" compare {"," compare} ")" | "(" compare ")"
"""

from __future__ import annotations

import difflib
import keyword
import math
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import NoReturn

from sharnir.errors import FormulaError
from sharnir.model.formula.expression import Expression
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.functions import COMPARISONS, CONSTANTS, FUNCTIONS
from sharnir.symbolic.nodes import Call, Name, Node, Number

LONGEST, NESTED = 50_000, 100  # characters; brackets and signs inside each other
# numbers, names and functions, in parts that occur again counted once: Python reads no longer sums, compiling takes half a minute
MOST_OPERANDS = 2100
WORD = r"[A-Za-z_][A-Za-z_0-9]*"


def token(name: str) -> re.Pattern[str]:
    """The pattern of one token, where names look like `name`."""
    number, sign = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", r"\*\*|<=|>=|==|!=|[-+*/^<>(),]"
    return re.compile(rf"[ \t\r\n]*(?:(?P<number>{number}(?:[ \t]*(?:deg\b|°))?)|(?P<name>{name})|(?P<sign>{sign}))")


TOKEN, DOTTED_TOKEN = token(WORD), token(rf"{WORD}(?:\.(?:{WORD}|[0-9]+))*")  # parts may be numbers: wheel.force.1


def parse(
    text: str,
    variables: Iterable[str] = (),
    parameters: Mapping[str, float] | Collection[str] | None = (),
    *,
    dotted: bool = False,
    tables: Mapping[str, int] | None = None,
) -> Expression:
    """Read a formula.

    Parameters
    ----------
    text : e.g. "-k*q + 3*sin(omega*t)". Operators + - * / ^ (or **), comparisons (1 or 0); functions
        sin cos tan asin acos atan atan2 hypot sinh cosh tanh exp log sqrt abs sign min max step floor if(condition, a, b); pi.
        step(x) is 1 for x >= 0. A number of degrees, "90 deg" or "90°", is that angle in rad.
    variables : names that are free in the formula.
    parameters : names with values, or names only; None: any name is allowed.
    dotted : True if names may have parts, such as "O.q" or "plate.q.angle".
    tables : further functions and how many arguments they have; `Expression.source` needs their names in the code.

    >>> parse("2*t^2", ("t",)).evaluate(t=3)
    18.0
    >>> parse("2*tt", ("t",))
    Traceback (most recent call last):
    sharnir.errors.FormulaError: unknown name 'tt'; did you mean 't'? Known here: t
        2*tt
          ^
    >>> sorted(parse("O.q - 2*A.q.angle", (), None, dotted=True).names)
    ['A.q.angle', 'O.q']
    """
    if not isinstance(text, str):
        raise FormulaError(f"a formula must be text, not {text!r}")
    if len(text) > LONGEST:
        raise FormulaError(f"the formula has {len(text)} characters, at most {LONGEST} are allowed; use a Table or a function")
    variables = tuple(variables)
    known = None if parameters is None else frozenset((*variables, *parameters))
    node = _parsed(text, known, dotted, tuple(tables.items()) if tables else ())
    values = dict(parameters) if isinstance(parameters, Mapping) else {}
    return Expression(node, variables, {name: float(value) for name, value in values.items() if name not in variables})


@lru_cache(maxsize=4096)
def _parsed(text: str, known: frozenset[str] | None, dotted: bool, tables: tuple[tuple[str, int], ...]) -> Node:
    """The tree of a text; the same texts are read again and again."""
    return Parser(text, known, dotted, dict(tables)).whole()


def reserved(name: str) -> bool:
    """True for names that a parameter must not have: functions, constants, Python's words, a leading underscore."""
    return name in FUNCTIONS or name in CONSTANTS or keyword.iskeyword(name) or not re.fullmatch(r"[A-Za-z][A-Za-z_0-9]*", name)


class Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, known: Collection[str] | None, dotted: bool, tables: Mapping[str, int]) -> None:
        self.text, self.known, self.tables = text, known, tables
        self.pattern = DOTTED_TOKEN if dotted else TOKEN
        self.tokens = self._tokens()
        self.index = self.level = 0

    def _tokens(self) -> list[tuple[str, str, int]]:
        """(kind, text, position) of all tokens, closed by an ("end", "", position)."""
        result: list[tuple[str, str, int]] = []
        position = 0
        end = len(self.text.rstrip(" \t\r\n"))
        while position < end:
            match = self.pattern.match(self.text, position)
            if match is None:
                blank = len(self.text[position:]) - len(self.text[position:].lstrip(" \t\r\n"))
                found = self.text[position + blank]
                dotted = found == "." and self.pattern is TOKEN and result and result[-1][0] == "name" and not blank
                remedy = "; what has a dot in its name is measured by a Signal, whose name can be used here" if dotted else ""
                self._fail(f"unexpected character {found!r}{remedy}", position + blank)
            kind = str(match.lastgroup)
            result.append((kind, match.group(kind), match.start(kind)))
            position = match.end()
        return [*result, ("end", "", end)]

    def _fail(self, message: str, position: int) -> NoReturn:
        raise FormulaError(message, text=self.text, position=position)

    def _accept(self, *signs: str) -> str | None:
        kind, text, _ = self.tokens[self.index]
        if kind == "sign" and text in signs:
            self.index += 1
            return text
        return None

    def _expect(self, sign: str, reason: str) -> None:
        if not self._accept(sign):
            self._fail(f"expected {sign!r} {reason}", self.tokens[self.index][2])

    def whole(self) -> Node:
        """The tree of the whole text."""
        node = self._compare()
        kind, text, position = self.tokens[self.index]
        if kind == "end":
            self._check_size(node)
            return node
        if text in COMPARISONS:
            self._fail("comparisons cannot be chained; write (a < b)*(b < c)", position)
        self._fail(f"unexpected {text!r}" + ("; write * for products" if kind != "sign" or text == "(" else ""), position)

    def _check_size(self, root: Node) -> None:
        """Refuse what is too much for Python and the compiler."""
        if root.size <= MOST_OPERANDS:
            return
        count = operands(root)
        if count > MOST_OPERANDS:
            raise FormulaError(
                f"the formula has {count} numbers, names and functions, at most {MOST_OPERANDS} are allowed (what occurs again "
                "counts once); use a Table or a function, or split it into signals"
            )

    def _deeper(self) -> None:
        self.level += 1
        if self.level > NESTED:
            self._fail(f"nested more than {NESTED} times; split the formula", self.tokens[self.index][2])

    def _compare(self) -> Node:
        self._deeper()
        node = self._sum()
        sign = self._accept(*COMPARISONS)
        if sign:
            node = Call(sign, (node, self._sum()))
        self.level -= 1
        return node

    def _sum(self) -> Node:
        terms = [self._product()]
        while sign := self._accept("+", "-"):
            term = self._product()
            terms.append(term if sign == "+" else opposite(term))
        return terms[0] if len(terms) == 1 else Call("+", tuple(terms))

    def _product(self) -> Node:
        factors = [self._unary()]
        while sign := self._accept("*", "/"):
            factor = self._unary()
            if sign == "*":
                factors.append(factor)
            else:
                factors = [Call("/", (joined(factors), factor))]
        return joined(factors)

    def _unary(self) -> Node:
        self._deeper()
        sign = self._accept("-", "+")
        if sign:
            node = self._unary()
            node = opposite(node) if sign == "-" else node
        else:
            node = self._power()
        self.level -= 1
        return node

    def _power(self) -> Node:
        node = self._atom()
        return Call("^", (node, self._unary())) if self._accept("^", "**") else node

    def _atom(self) -> Node:
        kind, text, position = self.tokens[self.index]
        if kind == "number":
            self.index += 1
            plain = text.removesuffix("°").removesuffix("deg")
            value = float(plain) if plain == text else math.radians(float(plain))
            if value == float("inf"):
                self._fail("number too large", position)
            return Number(value)
        if kind == "name":
            self.index += 1
            return self._call(text, position) if self.tokens[self.index][1] == "(" else self._name(text, position)
        if self._accept("("):
            node = self._compare()
            self._expect(")", "to close the bracket")
            return node
        self._fail("the formula ends too early" if kind == "end" else f"unexpected {text!r}", position)

    def _call(self, name: str, position: int) -> Node:
        if name not in FUNCTIONS and name not in self.tables:
            self._fail(f"unknown function {name!r}{similar(name, {**FUNCTIONS, **self.tables})}", position)
        self._expect("(", f"after {name}")
        arguments = []
        if not self._accept(")"):
            arguments.append(self._compare())
            while self._accept(","):
                arguments.append(self._compare())
            self._expect(")", f"to close {name}(")
        least, most = self._argument_counts(name)
        if len(arguments) < least or (most is not None and len(arguments) > most):
            needed = f"{least}" if least == most else f"at least {least}"
            self._fail(f"{name}() takes {needed} argument{'s' if least > 1 else ''}, not {len(arguments)}", position)
        return Call(name, tuple(arguments))

    def _argument_counts(self, name: str) -> tuple[int, int | None]:
        if name in self.tables:
            return self.tables[name], self.tables[name]
        return FUNCTIONS[name].least, FUNCTIONS[name].most

    def _name(self, name: str, position: int) -> Node:
        if self.known is not None and name in self.known:
            return Name(name)
        if name in CONSTANTS:
            return Number(CONSTANTS[name])
        if name in FUNCTIONS:
            self._fail(f"the function {name} needs brackets: {name}(…)", position)
        if "." not in name and reserved(name):
            self._fail(f"the name {name!r} is not allowed", position)
        if self.known is not None:
            listed = f" Known here: {', '.join(sorted(self.known))}" if self.known else ""
            self._fail(f"unknown name {name!r}{similar(name, self.known)}{listed}", position)
        return Name(name)


def operands(root: Node) -> int:
    """How many numbers, names and functions a formula consists of; a part that occurs again counts once.

    >>> operands(parse("2*sin(q) + q", ("q",)).node), operands(parse("(2*q + 1)^3 + sin(2*q + 1)", ("q",)).node)
    (4, 6)
    """
    calls = [node for node in ordered((root,)) if isinstance(node, Call)]
    operators = sum(node.function == "neg" or not node.function[0].isalpha() for node in calls)
    return 1 + sum(len(node.arguments) for node in calls) - operators


def opposite(node: Node) -> Node:
    """-node as it is written; a plain number takes the sign itself."""
    return Number(-node.value) if isinstance(node, Number) else Call("neg", (node,))


def joined(factors: list[Node]) -> Node:
    """The product of factors."""
    return factors[0] if len(factors) == 1 else Call("*", tuple(factors))


def similar(name: str, known: Collection[str]) -> str:
    """Called "; did you mean 'x'?" if some known name is close, else ";" or nothing."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else (";" if known else "")
