"""Files that the studio writes: scripts, animations, tables, pictures of runs and of models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharnir.app.studio.python_script import script
from sharnir.atomic_file import write_text
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.app.studio.worker import Worker

OF_RUNS = {"html": ".html", "csv": ".csv", "h5": ".h5", "parquet": ".parquet", "png": ".png"}


def export(worker: Worker, form: str, path: Path, document: dict[str, Any], run: str | None) -> dict[str, Any]:
    """Write a file of some form; its name."""
    if form == "python":
        path = path.with_suffix(".py")
        write_text(path, script(document))
    elif form in OF_RUNS:
        if run is None:
            raise ModelError(f"export: {form} shows a run; run the model first")
        path = path.with_suffix(OF_RUNS[form])
        write_result(worker._kept(run).result, form, path)
    else:
        raise ModelError(f"export: {form!r} is unknown; there are python, {', '.join(OF_RUNS)}")
    return {"name": path.name}


def write_result(result: Any, form: str, path: Path) -> None:
    """A run as an animation, a plot, or its channels."""
    if form == "html":
        result.animate(path)
    elif form == "png":
        joints = [name for name in result.channels if name.endswith(".q")]
        result.plot(*joints[:6], path=path)
    else:
        result.save(path)
