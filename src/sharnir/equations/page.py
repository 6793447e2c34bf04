"""Equations as a page of their own: MathML, no scripts, nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sharnir.symbolic.printing import Mathml, digits

if TYPE_CHECKING:
    from sharnir.equations.equations import Equations

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 1.6em; }
math { font-size: 1.1em; } .formula { padding: 0.3em 0; overflow-x: auto; overflow-y: hidden; }
table { border-collapse: collapse; } td { padding: 0.1em 1em 0.1em 0; }
"""


def page(equations: Equations) -> str:
    """The whole page."""
    title = escape(equations.presentation.title)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body(equations)}\n</body>\n</html>\n"
    )


def body(equations: Equations) -> str:
    """Headings, formulas and the table of letters; also what notebooks show."""
    shown, style = equations.presentation, Mathml()
    lines = []
    for title, rows in shown.mathml():
        lines += [f"<h2>{escape(title.capitalize())}</h2>", *rows]
    tables = (
        ("Forces without a closed form", [(name, escape(label)) for name, label in shown.opaque.items()]),
        ("Numbers", [(name, digits(value)) for name, value in shown.letters.items()]),
    )
    for title, entries in tables:
        if entries:
            lines.append(f"<h2>{title}</h2>\n<table>")
            lines += [f"<tr><td><math>{style.name(name)}</math></td><td>{text}</td></tr>" for name, text in entries]
            lines.append("</table>")
    return "\n".join(lines)
