"""Curves of a model file that are stored in text files beside it: {file = "path.csv", columns = [0, 2], kind = "cubic"}."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sharnir.errors import FileError, SharnirError
from sharnir.model.given_functions import Table

KEYS = {"file", "columns", "kind", "outside", "smooth"}


def with_curves(data: Any, folder: Path, problems: list[tuple[tuple[Any, ...], str]], place: tuple[Any, ...] = ()) -> Any:
    """The data with the points of those files put in; what cannot be read is added to `problems`.

    >>> problems = []
    >>> with_curves({"motion": {"file": "nowhere.csv"}}, Path(), problems)
    {'motion': {'file': 'nowhere.csv'}}
    >>> problems
    [(('motion', 'file'), "'nowhere.csv' cannot be read: there is no such file; check the name and the folder")]
    """
    if isinstance(data, list):
        return [with_curves(entry, folder, problems, (*place, k)) for k, entry in enumerate(data)]
    if not isinstance(data, dict):
        return data
    if "file" not in data or not set(data) <= KEYS or place[:1] == ("bodies",):
        return {key: with_curves(entry, folder, problems, (*place, key)) for key, entry in data.items()}
    path = folder / str(data["file"])
    try:
        table = Table.from_csv(path, **{key: _given(key, value) for key, value in data.items() if key != "file"})
    except (OSError, IndexError, TypeError, ValueError, SharnirError) as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else error
        said = str(error) if isinstance(error, FileError) else ""
        reason = said.partition(": ")[2] if said.startswith(str(path)) else reason
        problems.append(((*place, "file"), f"{data['file']!r} cannot be read: {reason}"))
        return data
    found = {"x": list(table.x), "y": list(table.y), "kind": table.kind, "outside": table.outside}
    return found | ({"smooth": True} if table.smooth else {})


def _given(key: str, value: Any) -> Any:
    return tuple(value) if key == "columns" else value
