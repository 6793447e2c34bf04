"""How objects display themselves in a notebook: a heading, some text, and tables that can be folded out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def card(heading: str, text: str = "", tables: Iterable[tuple[str, Sequence[str], Iterable[Sequence[object]]]] = ()) -> str:
    """HTML of an object.

    tables : (caption, names of the columns, rows); empty ones are left out.

    >>> card("a < b")
    '<div class="sharnir"><b>a &lt; b</b></div>'
    """
    parts = [f"<b>{escape(heading)}</b>"]
    if text:
        parts.append(f'<pre style="margin:.3em 0;white-space:pre-wrap">{escape(text)}</pre>')
    for caption, columns, rows in tables:
        lines = [[escape(str(entry)) for entry in row] for row in rows]
        if lines:
            head = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in columns)
            body = "".join(
                "<tr>" + "".join(f'<td style="text-align:left">{entry}</td>' for entry in line) + "</tr>" for line in lines
            )
            summary = f"<summary>{escape(caption)}</summary>"
            parts.append(f"<details>{summary}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>")
    return f'<div class="sharnir">{"".join(parts)}</div>'


class InlinePage:
    """A page that shows itself in a notebook, in a frame of its own.

    >>> InlinePage("<p>here</p>", height=100)
    InlinePage(11 characters)
    """

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def __repr__(self) -> str:
        return f"InlinePage({len(self.page)} characters)"

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid #ced4da;border-radius:8px"
        return f'<iframe sandbox="allow-scripts allow-downloads" style="{style}" srcdoc="{escape(self.page)}"></iframe>'
