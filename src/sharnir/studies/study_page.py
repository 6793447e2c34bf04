"""A study as one HTML file: parallel coordinates, scatter plots, histograms; nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
import json
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sharnir.arguments import file_path
from sharnir.atomic_file import write_text

if TYPE_CHECKING:
    from sharnir.studies.study_result import StudyResult

MOST_SHOWN = 20_000  # runs; more are drawn on top of each other
STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5c6b7a; --line: #dde3e9; --paper: #fff; --back: #f4f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaee; --soft: #9aa7b4; --line: #34404c; --paper: #1b232b; --back: #12181e; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); margin: 0; padding: 1.6em; }
main { max-width: 1200px; margin: auto; } h1 { font-size: 1.5em; margin: 0; } p { margin: 0.2em 0 1em; color: var(--soft); }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 0.8em 1em; margin-bottom: 1em; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1em; } canvas { width: 100%; height: 340px; display: block; }
#parallel { height: 380px; touch-action: none; cursor: crosshair; } label { margin-right: 1em; color: var(--soft); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td, th { text-align: right; padding: 0.15em 0.8em; border-bottom: 1px solid var(--line); }
td:first-child, th:first-child { text-align: left; }
@media (max-width: 800px) { .pair { grid-template-columns: 1fr; } }
"""


def write_page(result: StudyResult, path: str | PathLike[str]) -> Path:
    """Write the page of a study; of more than MOST_SHOWN runs it has some, evenly spread."""
    target = file_path(path, "StudyResult.page")
    write_text(target, page_text(result))
    return target


def page_text(result: StudyResult) -> str:
    """The whole page."""
    title = escape(str(result.described.get("title", "study")))
    script = Path(__file__).with_name("study_page.js").read_text(encoding="utf-8")
    data = json.dumps(page_data(result), ensure_ascii=False).replace("</", "<\\/")
    chooser = '<label>{word} <select id="choose-{key}"></select></label>'
    scatter = "".join(chooser.format(word=word, key=key) for word, key in (("across", "x"), ("up", "y"), ("colour", "colour")))
    heads = "".join(f"<th>{word}</th>" for word in ("", "mean", "deviation", "least", "greatest"))
    failures = "".join(f"<tr><td>{run}</td><td>{escape(reason)}</td></tr>" for run, reason in list(result.failures.items())[:20])
    failed = f"<section><h2>Failed runs</h2><table>{failures}</table></section>" if failures else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{escape(result.report().splitlines()[0].partition(": ")[2])}. Drag along an axis to choose a range, click on it to undo.
<span id="kept"></span> <button id="all">all runs</button></p>
<section><canvas id="parallel"></canvas></section>
<div class="pair">
<section>{scatter}<canvas id="scatter"></canvas></section>
<section>{chooser.format(word="histogram of", key="histogram")}<canvas id="histogram"></canvas></section>
</div>
<section><table><thead><tr>{heads}</tr></thead><tbody id="numbers"></tbody></table></section>
{failed}
</main>
<script id="study" type="application/json">{data}</script>
<script>
{script}</script>
</body>
</html>
"""


def page_data(result: StudyResult) -> dict[str, object]:
    """What the page draws: varied parameters and outputs of the finished runs."""
    runs = np.flatnonzero(result.finished)
    if len(runs) > MOST_SHOWN:
        runs = runs[np.linspace(0, len(runs) - 1, MOST_SHOWN).astype(np.int64)]
    columns = [
        {
            "name": name,
            "unit": result.units.get(name, ""),
            "values": base64.b64encode(result[name][runs].astype("<f8").tobytes()).decode(),
        }
        for name in (*(result.varied or result.parameters[:1]), *result.outputs)
    ]
    return {"shown": len(runs), "columns": columns}
