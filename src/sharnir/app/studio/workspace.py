"""Files of the studio: model files below one folder, saved so that comments survive, and what was not saved yet."""

from __future__ import annotations

import contextlib
import json
import os
import posixpath
import tomllib
from pathlib import Path
from typing import Any

from sharnir.app.studio.imports import CAD, FILE_FIELDS, IMPORTED, TABLES, with_file_names
from sharnir.atomic_file import write_text
from sharnir.errors import FileError, ModelFileError
from sharnir.input_file import content
from sharnir.model.files.model_file import DEEPEST, too_deep
from sharnir.model.files.toml import section_text

NAMED = {ending for fields in FILE_FIELDS.values() for endings in fields.values() for ending in endings}
LISTED = {".toml", *IMPORTED, *CAD, *TABLES, *NAMED, ".h5", ".html", ".png", ".py", ".json"}
LONGEST = 200  # bytes of the name of a file; that of what is kept beside it is longer
DEEPEST_LISTED = 4  # folders
MOST_LISTED = 500
SECTIONS = ("model", "parameters", "base_motion", "bodies", "joints", "signals", "forces", "constraints", "events", "simulation")
PLAIN = ("model", "parameters", "base_motion", "simulation")  # sections without elements
AUTOSAVE = ".studio-autosave"


class Workspace:
    """The folder in which the studio was started; nothing outside of it is read or written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def path(self, name: str) -> Path:
        """A path below the folder.

        >>> Workspace(Path()).path("../secret.toml")
        Traceback (most recent call last):
        sharnir.errors.FileError: '../secret.toml' is outside the folder of the studio
        """
        if not name or "\0" in name or any(len(part.encode(errors="replace")) > LONGEST for part in name.split("/")):
            raise FileError(f"{name[:60]!r} is not the name of a file")
        return inside(self.folder, self.folder / name)

    def files(self) -> list[dict[str, Any]]:
        """Model files and others that the studio knows, newest first, four folders deep; those near the top if there are many."""
        found: list[dict[str, Any]] = []
        folders = [self.folder]
        for _ in range(DEEPEST_LISTED):
            entries = [path for folder in folders for path in _entries(folder)]
            for path in entries:
                if len(found) < MOST_LISTED and path.suffix.lower() in LISTED and path.is_file():
                    with contextlib.suppress(OSError):
                        status = path.stat()
                        name = path.relative_to(self.folder).as_posix()
                        found.append({"name": name, "size": status.st_size, "changed": status.st_mtime})
            folders = [path for path in entries if path.is_dir() and not path.is_symlink()][:MOST_LISTED]
        return sorted(found, key=lambda entry: -entry["changed"])

    def open(self, name: str) -> dict[str, Any]:
        """The document of a model file, with what was edited since and not saved, if there is such.

        Names of files in it begin at the folder of the studio, as in its lists of files; in the file, at the folder of the file.
        """
        path = self.path(name)
        changed = written(path)
        try:
            text = content(path).decode("utf-8")
            document = tomllib.loads(text)
        except UnicodeDecodeError as error:
            raise ModelFileError([("", f"is not UTF-8 text: {error}")], source=path.name) from None
        except (ValueError, RecursionError) as error:
            raise ModelFileError([("", f"is not valid TOML: {error}")], source=path.name) from None
        if too_deep(document):
            raise ModelFileError([("", f"is nested more than {DEEPEST} levels deep")], source=path.name)
        beside = path.parent.relative_to(self.folder).as_posix()
        document = with_file_names(document, lambda file: posixpath.normpath(posixpath.join(beside, file)))
        return {"name": name, "document": document, "unsaved": self._unsaved(path), "changed": changed}

    def save(self, name: str, document: dict[str, Any], changed: float | None = None) -> dict[str, Any]:
        """Write a model file; comments and the order of an existing one are kept.

        changed : when the file was written last as far as the page knows, 0 if there was none. If that is no longer so, nothing
        is written and the answer says that there is a conflict.
        """
        path = self.path(name if name.endswith(".toml") or not name else name + ".toml")
        if changed is not None and written(path) not in (changed, 0.0):
            return {"conflict": True}
        beside = path.parent.relative_to(self.folder).as_posix()
        document = with_file_names(document, lambda file: file if file.startswith("/") else posixpath.relpath(file, beside))
        text = file_text(document)
        if path.is_file():
            old = content(path).decode("utf-8", errors="replace")
            text = updated_text(old, document) or text
        write_text(path, text)
        self._autosave_path(path).unlink(missing_ok=True)
        return {"name": path.relative_to(self.folder).as_posix(), "changed": written(path)}

    def autosave(self, name: str, document: dict[str, Any]) -> None:
        """Keep edits that are not saved yet, beside the file."""
        write_text(self._autosave_path(self.path(name or "untitled.toml")), json.dumps(document))

    def _autosave_path(self, path: Path) -> Path:
        return inside(self.folder, path.with_name(f".{path.stem}{AUTOSAVE}"))

    def _unsaved(self, path: Path) -> dict[str, Any] | None:
        kept = self._autosave_path(path)
        with contextlib.suppress(OSError, ValueError, FileError):
            if kept.stat().st_mtime >= path.stat().st_mtime:
                found = json.loads(content(kept))
                return found if isinstance(found, dict) else None
        return None

    def recovered(self) -> dict[str, Any] | None:
        """A document without a name that was not saved when the studio ended."""
        kept = self._autosave_path(self.folder / "untitled.toml")
        with contextlib.suppress(OSError, ValueError, FileError):
            found = json.loads(content(kept))
            return found if isinstance(found, dict) else None
        return None

    def forget(self, name: str) -> None:
        """The edits that were kept are not wanted."""
        self._autosave_path(self.path(name or "untitled.toml")).unlink(missing_ok=True)


def written(path: Path) -> float:
    """When a file was written last, in seconds; 0 if there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _entries(folder: Path) -> list[Path]:
    """What is in a folder and not hidden; nothing if it cannot be read."""
    with contextlib.suppress(OSError):
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    return []


def inside(folder: Path, path: Path) -> Path:
    """The path with links followed, if it is below a folder."""
    found = path.resolve()
    if not found.is_relative_to(folder.resolve()) or found == folder.resolve():
        name = os.path.relpath(path, folder)
        raise FileError(f"{name!r} is outside the folder of the studio")
    return found


def file_text(document: dict[str, Any]) -> str:
    """A document as the text of a model file.

    >>> print(file_text({"model": {"name": "arm"}, "bodies": {"arm": {"mass": 1}}}), end="")
    [model]
    name = "arm"
    <BLANKLINE>
    [bodies.arm]
    mass = 1
    """
    sections = []
    for name in (*SECTIONS, *(key for key in document if key not in SECTIONS)):
        entries = document.get(name)
        if not entries:
            continue
        if name in PLAIN or not all(isinstance(entry, dict) for entry in entries.values()):
            sections.append(section_text((name,), entries))
        else:
            sections += [section_text((name, key), entry) for key, entry in entries.items()]
    return "\n".join(sections)


def updated_text(old: str, document: dict[str, Any]) -> str | None:
    """The old text with what has changed, comments and layout kept; None if that does not give the document.

    >>> print(updated_text("[bodies.arm] # the long one\\nmass = 1 # kg\\n", {"bodies": {"arm": {"mass": 2}}}), end="")
    [bodies.arm] # the long one
    mass = 2 # kg
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        text = tomlkit.parse(old)
        _merge(text, document)
        made = tomlkit.dumps(text)
        return made if tomllib.loads(made) == document else None
    except (TOMLKitError, tomllib.TOMLDecodeError, ValueError, TypeError, RecursionError):
        return None


def _merge(old: Any, new: dict[str, Any]) -> None:
    """Change a table of tomlkit into `new`, leaving alone what is the same."""
    for key in [key for key in old if key not in new]:
        del old[key]
    for key, value in new.items():
        if key not in old:
            old[key] = value
        elif isinstance(value, dict) and isinstance(old[key], dict):
            _merge(old[key], value)
        elif old[key] != value:
            comment = getattr(getattr(old[key], "trivia", None), "comment", "")
            old[key] = value
            if comment:
                old[key].comment(comment.lstrip("# "))
