"""Expressions for people: as text that `parse` reads, as LaTeX, and as MathML, by one walk and three styles."""

from __future__ import annotations

import re
from fractions import Fraction
from html import escape
from itertools import pairwise

from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.functions import COMPARISONS
from sharnir.symbolic.nodes import Call, Name, Node, Number, Value

LONGEST = 20_000  # nodes, shared ones counted each time
COMPARISON, SUM, SIGN, PRODUCT, POWER, ATOM = range(6)  # how strongly the outermost operation binds

Piece = tuple[str, int]


class Style:
    """How the parts of an expression are written; abstract."""

    def number(self, value: Value) -> Piece:
        """A constant; numbers below zero never come here."""
        raise NotImplementedError

    def name(self, name: str) -> str:
        """A symbol; ' and '' at its end are derivatives by time."""
        raise NotImplementedError

    def bracket(self, inside: str) -> str:
        return f"({inside})"

    def joined(self, factors: list[str]) -> str:
        """A product."""
        raise NotImplementedError

    def fraction(self, above: Piece, below: Piece) -> Piece:
        raise NotImplementedError

    def power(self, base: Piece, exponent: str) -> str:
        raise NotImplementedError

    def call(self, name: str, arguments: list[str]) -> str:
        raise NotImplementedError

    def sign(self, sign: str) -> str:
        """An operator between terms, with its blanks."""
        return f" {sign} "

    def least(self, piece: Piece, level: int) -> str:
        """A piece, in brackets if it binds less than `level`."""
        return piece[0] if piece[1] >= level else self.bracket(piece[0])


def digits(value: Value) -> str:
    """A number with the 15 digits that a float has for certain: 3.1500000000000004 is 3.15."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


class Text(Style):
    """Text that `parse` reads: 2*m*cos(q)."""

    def number(self, value: Value) -> Piece:
        if isinstance(value, Fraction):
            return f"{value.numerator}/{value.denominator}", PRODUCT
        return digits(value), ATOM

    def name(self, name: str) -> str:
        return name

    def joined(self, factors: list[str]) -> str:
        return "*".join(factors)

    def fraction(self, above: Piece, below: Piece) -> Piece:
        return f"{self.least(above, PRODUCT)}/{self.least(below, POWER)}", PRODUCT

    def power(self, base: Piece, exponent: str) -> str:
        whole = exponent if re.fullmatch(r"\w+(\.\w+)?", exponent) else f"({exponent})"
        return f"{self.least(base, ATOM)}^{whole}"

    def call(self, name: str, arguments: list[str]) -> str:
        return f"{name}({', '.join(arguments)})"


GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Pi",
    "Sigma",
    "Phi",
    "Psi",
    "Omega",
]
LATEX_FUNCTIONS = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max")
LATEX_SIGNS = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne", "==": "="}


def split_name(name: str) -> tuple[str, list[str], int]:
    """Head, subscripts and number of dots of a symbol.

    A letter with digits behind it has them below.

    >>> split_name("q_left_arm''"), split_name("l1")
    (('q', ['left', 'arm'], 2), ('l', ['1'], 0))
    """
    plain = name.rstrip("'")
    head, *rest = plain.split("_")
    numbered = re.fullmatch(r"([A-Za-z]|[A-Za-z]+(?=\d))(\d+)", head)
    if numbered and (len(numbered[1]) == 1 or numbered[1] in GREEK):
        head, rest = numbered[1], [numbered[2], *rest]
    return head, [part for part in rest if part], len(name) - len(plain)


class Latex(Style):
    """LaTeX: 2 m \\cos\\left(q\\right)."""

    def number(self, value: Value) -> Piece:
        if isinstance(value, Fraction):
            return rf"\frac{{{value.numerator}}}{{{value.denominator}}}", ATOM
        text = digits(value)
        if "e" in text:
            mantissa, exponent = text.split("e")
            return rf"{mantissa} \cdot 10^{{{int(exponent)}}}", PRODUCT
        return text, ATOM

    def letter(self, word: str) -> str:
        if word in GREEK:
            return rf"\{word}"
        return word if len(word) == 1 or word.isdigit() else rf"\mathrm{{{word}}}"

    def name(self, name: str) -> str:
        head, below, dots = split_name(name)
        text = self.letter(head)
        if dots:
            text = rf"\{'d' * dots}ot{{{text}}}"
        return text + (rf"_{{{','.join(map(self.letter, below))}}}" if below else "")

    def bracket(self, inside: str) -> str:
        return rf"\left({inside}\right)"

    def joined(self, factors: list[str]) -> str:
        text = factors[0]
        for before, after in pairwise(factors):
            both = before[-1].isdigit() and after[0].isdigit()
            text += (r" \cdot " if both else " ") + after
        return text

    def fraction(self, above: Piece, below: Piece) -> Piece:
        return rf"\frac{{{above[0]}}}{{{below[0]}}}", ATOM

    def power(self, base: Piece, exponent: str) -> str:
        return rf"{self.least(base, ATOM)}^{{{exponent}}}"

    def call(self, name: str, arguments: list[str]) -> str:
        inside = ", ".join(arguments)
        if name == "sqrt":
            return rf"\sqrt{{{inside}}}"
        if name == "abs":
            return rf"\left|{inside}\right|"
        known = rf"\{name}" if name in LATEX_FUNCTIONS else rf"\operatorname{{{name.replace('_', ' ')}}}"
        return rf"{known}\left({inside}\right)"

    def sign(self, sign: str) -> str:
        return f" {LATEX_SIGNS.get(sign, sign)} "


class Mathml(Style):
    """MathML, which browsers render directly."""

    def number(self, value: Value) -> Piece:
        if isinstance(value, Fraction):
            return f"<mfrac><mn>{value.numerator}</mn><mn>{value.denominator}</mn></mfrac>", ATOM
        text = digits(value)
        if "e" in text:
            mantissa, exponent = text.split("e")
            return f"<mn>{mantissa}</mn><mo>·</mo><msup><mn>10</mn><mn>{int(exponent)}</mn></msup>", PRODUCT
        return f"<mn>{text}</mn>", ATOM

    def letter(self, word: str) -> str:
        if word.isdigit():
            return f"<mn>{word}</mn>"
        return f"<mi>{'&' + word + ';' if word in GREEK else escape(word)}</mi>"

    def name(self, name: str) -> str:
        head, below, dots = split_name(name)
        text = self.letter(head)
        if dots:
            text = f'<mover accent="true">{text}<mo>{"." if dots == 1 else "¨"}</mo></mover>'.replace("<mo>.", "<mo>˙")
        parts = "<mo>,</mo>".join(map(self.letter, below))
        return f"<msub>{text}<mrow>{parts}</mrow></msub>" if below else text

    def bracket(self, inside: str) -> str:
        return f'<mrow><mo stretchy="false">(</mo>{inside}<mo stretchy="false">)</mo></mrow>'

    def joined(self, factors: list[str]) -> str:
        return '<mo>&#8290;</mo><mspace width="0.15em"/>'.join(factors)

    def fraction(self, above: Piece, below: Piece) -> Piece:
        return f"<mfrac><mrow>{above[0]}</mrow><mrow>{below[0]}</mrow></mfrac>", ATOM

    def power(self, base: Piece, exponent: str) -> str:
        return f"<msup><mrow>{self.least(base, ATOM)}</mrow><mrow>{exponent}</mrow></msup>"

    def call(self, name: str, arguments: list[str]) -> str:
        inside = "<mo>,</mo>".join(arguments)
        if name == "sqrt":
            return f"<msqrt>{inside}</msqrt>"
        return f"<mi>{escape(name)}</mi><mo>&#8289;</mo>{self.bracket(inside)}"

    def sign(self, sign: str) -> str:
        shown = {"<=": "≤", ">=": "≥", "!=": "≠", "==": "=", "-": "−"}.get(sign, sign)
        return f"<mo>{escape(shown)}</mo>"


def written(root: Node, style: Style) -> Piece:
    """An expression in a style, and how strongly its outermost operation binds."""
    if root.size > LONGEST:
        raise ValueError(f"the expression has {root.size:.3g} operations; at most {LONGEST} are written out")
    pieces: dict[Node, Piece] = {}
    for node in ordered((root,)):
        pieces[node] = _piece(node, pieces, style)
    return pieces[root]


def text(root: Node) -> str:
    """An expression as text that `parse` reads.

    >>> text(2*Name("m")*Name("l")**2 - 1)
    '2*m*l^2 - 1'
    """
    if root.size > LONGEST:
        return f"<expression of {len(ordered((root,)))} operations>"
    return written(root, Text())[0]


def latex(root: Node) -> str:
    """An expression as LaTeX.

    >>> latex(2*Name("m_arm")*Name("q''"))
    '2 m_{\\\\mathrm{arm}} \\\\ddot{q}'
    """
    return written(root, Latex())[0]


def _piece(node: Node, pieces: dict[Node, Piece], style: Style) -> Piece:
    if isinstance(node, Number):
        if node.value < 0:
            return _minus(style, style.number(-node.value))
        return style.number(node.value)
    if isinstance(node, Name):
        return style.name(node.name), ATOM
    assert isinstance(node, Call)
    parts = [pieces[argument] for argument in node.arguments]
    sign = node.function
    if sign == "+":
        return _sum(node, pieces, style), SUM
    if sign == "neg":
        return _minus(style, parts[0])
    if sign == "*":
        return _product(node, pieces, style)
    if sign == "/":
        return style.fraction(*parts)
    if sign == "^":
        exponent = node.arguments[1]
        if isinstance(exponent, Number) and exponent.value < 0:
            below = _piece_of_power(parts[0], Number(-exponent.value), style)
            return style.fraction(style.number(1), below)
        return _piece_of_power(parts[0], exponent, style, parts[1][0])
    if sign in COMPARISONS:
        return style.sign(sign).join(style.least(part, SUM) for part in parts), COMPARISON
    return style.call(sign, [part[0] for part in parts]), ATOM


def _piece_of_power(base: Piece, exponent: Node, style: Style, shown: str | None = None) -> Piece:
    if isinstance(exponent, Number) and exponent.value == 1:
        return base
    if isinstance(exponent, Number) and exponent.value == Fraction(1, 2):
        return style.call("sqrt", [base[0]]), ATOM
    return style.power(base, shown or written(exponent, style)[0]), POWER


def _minus(style: Style, piece: Piece) -> Piece:
    return style.sign("-").strip() + style.least(piece, PRODUCT), SIGN


def _sum(node: Node, pieces: dict[Node, Piece], style: Style) -> str:
    """Terms with their signs."""
    found = ""
    for k, term in enumerate(node.arguments):
        minus = False
        if isinstance(term, Call) and term.function == "neg":
            minus, piece = True, pieces[term.arguments[0]]
        elif isinstance(term, Number) and term.value < 0:
            minus, piece = True, style.number(-term.value)
        elif _leading(term) < 0:
            minus, piece = True, _product(term, pieces, style, flipped=True)
        else:
            piece = pieces[term]
        inner = style.least(piece, PRODUCT)
        if k == 0:
            found = (style.sign("-").strip() if minus else "") + inner
        else:
            found += style.sign("-" if minus else "+") + inner
    return found


def _leading(term: Node) -> float:
    """The number before a product, or 1."""
    if isinstance(term, Call) and term.function == "*" and isinstance(term.arguments[0], Number):
        return float(term.arguments[0].value)
    return 1.0


def _product(node: Node, pieces: dict[Node, Piece], style: Style, flipped: bool = False) -> Piece:
    """Factors; those with negative exponents below a fraction bar."""
    above: list[Piece] = []
    below: list[Piece] = []
    minus = False
    for k, factor in enumerate(node.arguments):
        if isinstance(factor, Number) and k == 0:
            value = -factor.value if flipped else factor.value
            if value < 0:
                minus, value = True, -value
            if isinstance(value, Fraction):
                below.append(style.number(value.denominator))
                value = value.numerator
            if value != 1:
                above.append(style.number(value))
            continue
        if isinstance(factor, Call) and factor.function == "^":
            base, exponent = factor.arguments
            if isinstance(exponent, Number) and exponent.value < 0:
                below.append(_piece_of_power(pieces[base], Number(-exponent.value), style))
                continue
        above.append(pieces[factor])
    piece = _joined(above, style)
    if below:
        piece = style.fraction(piece, _joined(below, style))
    return _minus(style, piece) if minus else piece


def _joined(factors: list[Piece], style: Style) -> Piece:
    if not factors:
        return style.number(1)
    if len(factors) == 1:
        return factors[0]
    first, *others = factors
    return style.joined([style.least(first, PRODUCT), *(style.least(piece, POWER) for piece in others)]), PRODUCT


def plain_name(name: str) -> str:
    """A user's name as part of a symbol: letters, digits and underscores only.

    >>> plain_name("left foot.q")
    'left_foot_q'
    """
    return re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "x"
