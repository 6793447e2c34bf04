"""Equations as a page of their own: MathML, no scripts, nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from sharnir.symbolic.printing import Mathml, digits

if TYPE_CHECKING:
    from sharnir.equations.equations_of_motion import Equations

STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5c6b7a; --line: #dde3e9; --paper: #fff; --back: #f4f6f8;
  --mark: #1f6fb2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaee; --soft: #9aa7b4; --line: #34404c; --paper: #1b232b; --back: #12181e; --mark: #6db3ee; }
}
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--back); margin: 0; padding: 2.5em 1em; }
main { max-width: 62em; margin: auto; }
h1 { font-size: 1.7em; font-weight: 650; margin: 0 0 0.2em; } .lead { color: var(--soft); margin: 0 0 1.6em; }
"""
INSIDE = """
.equations section { background: var(--paper, none); border: 1px solid var(--line, #ddd); border-radius: 10px;
  padding: 0.9em 1.4em 1.1em; margin: 0 0 1.1em; overflow-x: auto; }
.equations h2 { font-size: 0.85em; font-weight: 650; letter-spacing: 0.04em; text-transform: uppercase;
  color: var(--mark, inherit); margin: 0 0 0.5em; }
.equations math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "Libertinus Math", math, serif;
  font-size: 1.15em; }
.equations .formula { padding: 0.4em 0 0.4em 2.2em; text-indent: -2.2em; line-height: 2.3; }
.equations .formula math { text-indent: 0; }
.equations table { border-collapse: collapse; } .equations td { padding: 0.15em 1.6em 0.15em 0; text-align: left; }
.equations td + td { font-variant-numeric: tabular-nums; }
"""


def page(equations: Equations) -> str:
    """The whole page."""
    title, unknowns = escape(equations.presentation.title.replace("'", "‘", 1).replace("'", "’", 1)), unknowns_of(equations)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f'<p class="lead">Unknowns: {unknowns}</p>\n{body(equations)}\n</main>\n</body>\n</html>\n'
    )


def unknowns_of(equations: Equations) -> str:
    """Names of the unknowns as formulas."""
    style = Mathml()
    return ", ".join(f"<math>{style.name(name)}</math>" for name in equations.presentation.unknowns)


def body(equations: Equations) -> str:
    """Headings, formulas and the table of letters; also what notebooks show."""
    shown, style = equations.presentation, Mathml()
    lines = [f'<div class="equations">\n<style>{INSIDE}</style>']
    for title, rows in shown.mathml():
        lines += [f"<section>\n<h2>{escape(title.capitalize())}</h2>", *rows, "</section>"]
    tables = (
        ("Forces without a closed form", [(name, escape(label)) for name, label in shown.opaque.items()]),
        ("Numbers", [(name, value_text(equations, name, value)) for name, value in shown.letters.items()]),
    )
    for title, entries in tables:
        if entries:
            lines.append(f"<section>\n<h2>{title}</h2>\n<table>")
            lines += [f"<tr><td><math>{style.name(name)}</math></td><td>{text}</td></tr>" for name, text in entries]
            lines.append("</table>\n</section>")
    return "\n".join([*lines, "</div>"])


def value_text(equations: Equations, name: str, value: float) -> str:
    """The number of a letter, with unit and description where the model's parameter has them."""
    note = equations.mechanism.model.parameters.notes.get(name)
    said = "" if note is None else " ".join(x for x in (note.unit, f"({note.description})" if note.description else "") if x)
    return escape(f"{digits(value)} {said}".strip())
