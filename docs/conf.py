"""Sphinx: the pages of this folder as HTML. `sphinx-build docs build/docs`."""

from typing import Any

project = "sharnir"
author = "the sharnir developers"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
html_theme = "furo"
myst_heading_anchors = 4
# links to files outside this folder (README, sources) are right in the tree and on the web, not in the HTML
suppress_warnings = ["myst.xref_missing"]

CONTENTS = """
```{toctree}
:hidden:
:glob:

guide/*
examples
command-line
benchmarks
architecture
pipeline
notation
theory/*
decisions/*
```
"""


def setup(app: Any) -> None:
    """The list of pages for the side bar; in the file itself it would show as code on the web."""
    app.connect("source-read", add_contents)


def add_contents(app: Any, name: str, source: list[str]) -> None:
    """Append the list to the first page."""
    if name == root_doc:
        source[0] += CONTENTS
