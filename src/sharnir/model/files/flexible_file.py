"""Reduced models beside a model file: written when it is saved, read or made from their descriptions when it is loaded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sharnir.errors import FileError, ModelError
from sharnir.face import upward
from sharnir.families import tag
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.model import Model

Entries = list[tuple[str, dict[str, Any]]]


def reduced_files(model: Model, path: Path) -> dict[str, tuple[str, Any]]:
    """Reduced models of flexible bodies, which stand beside the model file `path`, equal ones once; body → (file, reduced)."""
    files: dict[str, tuple[str, Any]] = {}
    named: dict[Any, str] = {}
    for body in model.bodies.values():
        if not isinstance(body, FlexibleBody):
            continue
        if body.reduced not in named:
            word = re.sub(r"[^\w-]+", "_", body.name)
            name = f"{path.stem}.{word}.npz"
            while name in named.values():  # names that differ in signs only
                name = name.removesuffix(".npz") + "_.npz"
            named[body.reduced] = name
        files[body.name] = (named[body.reduced], body.reduced)
    return files


def with_reduced_models(bodies: Entries, folder: Path, problems: list[tuple[tuple[Any, ...], str]]) -> Entries:
    """Entries of bodies with reduced models in place of their files or descriptions, equal ones made once."""
    made: dict[str, Any] = {}
    found: Entries = []
    for name, entry in bodies:
        if entry.get("type") == tag(FlexibleBody):
            given = entry["reduced"]
            key = json.dumps(given, sort_keys=True)
            try:
                if key not in made:
                    made[key] = upward("sharnir.flexible.description", "described_model")(given, folder)
            except (ModelError, FileError) as error:
                field = getattr(error, "field", None)
                deeper = (field,) if isinstance(given, dict) and field in given else ()
                problems.append((("bodies", name, "reduced", *deeper), str(error)))
                continue
            entry = entry | {"reduced": made[key]}
        found.append((name, entry))
    return found
