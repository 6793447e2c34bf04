"""Equations as a page of their own: MathML, no scripts, nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sharnir.symbolic.printing import Mathml

if TYPE_CHECKING:
    from sharnir.equations.equations import Equations

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 1.6em; }
math { margin: 0.7em 0; overflow-x: auto; text-align: left; }
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
    if shown.opaque:
        lines.append("<h2>Forces without a closed form</h2><table>")
        lines += [
            f"<tr><td><math>{style.name(name)}</math></td><td>{escape(label)}</td></tr>" for name, label in shown.opaque.items()
        ]
        lines.append("</table>")
    if shown.letters:
        lines.append("<h2>Numbers</h2><table>")
        lines += [f"<tr><td><math>{style.name(name)}</math></td><td>{value!r}</td></tr>" for name, value in shown.letters.items()]
        lines.append("</table>")
    return "\n".join(lines)
