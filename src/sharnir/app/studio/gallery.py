"""The gallery: demos that open as documents, and one picture with a rendering of each."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from sharnir.app.demos import ALL_DEMOS
from sharnir.errors import ModelError, SharnirError
from sharnir.model import FlexibleBody, Model
from sharnir.model.files.flexible_file import reduced_files
from sharnir.model.files.model_file import text_of
from sharnir.model.values import holds_code

PICTURES = "gallery.webp"  # all renderings side by side, in the order of `LIST`; made by docs/figures/studio.py
LIST = "gallery.json"
WIDTH, HEIGHT = 288, 180  # of one rendering, in pixels


def gallery() -> list[dict[str, Any]]:
    """Demos by name, with their stories and where their renderings are; `flexible`: opening one writes files.

    >>> gallery()[0]["name"]
    'slider-crank'
    """
    listed = json.loads((files("sharnir.app.studio") / LIST).read_text(encoding="utf-8"))
    return [{"name": one["name"], "story": ALL_DEMOS[one["name"]].story, "picture": k, **one} for k, one in enumerate(listed)]


def pictures() -> bytes:
    """The renderings, as a WebP image."""
    return (files("sharnir.app.studio") / PICTURES).read_bytes()


def opens(model: Model) -> bool:
    """Whether a model is plain data: nothing in it is a Python function."""
    return not any(holds_code(type(x)) for x in (*model.forces.values(), *model.signals.values(), *model.bodies.values()))


def demo_document(name: str, folder: Path) -> dict[str, Any]:
    """The document of a demo; reduced models of flexible bodies are written into the folder, where the document finds them."""
    if name not in ALL_DEMOS:
        raise ModelError(f"there is no demo {name!r}; there are {', '.join(ALL_DEMOS)}")
    demo = ALL_DEMOS[name]
    return document_of(demo.model(), demo.settings, folder / f"{name}.toml")


def document_of(model: Model, settings: dict[str, Any], path: Path) -> dict[str, Any]:
    """The document of a model that would be saved at a path."""
    import tomllib

    names = {}
    for body, (file, reduced) in reduced_files(model, path).items():
        names[body] = _kept_beside(reduced, path.parent / file)
    return tomllib.loads(text_of(model, settings, names))


def _kept_beside(reduced: Any, path: Path) -> str:
    """The name of a file with a reduced model: written, unless it is there; files with other contents are left alone."""
    while path.exists():
        try:
            if type(reduced).load(path) == reduced:
                return path.name
        except SharnirError:
            pass
        path = path.with_name(f"{path.stem}_{path.suffix}")
    reduced.save(path)
    return path.name


def is_flexible(model: Model) -> bool:
    """Whether a model has flexible bodies."""
    return any(isinstance(body, FlexibleBody) for body in model.bodies.values())
