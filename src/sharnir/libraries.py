"""Libraries of users: installed packages whose entry points define joints, forces, blocks, laws and other elements.

A package names its modules under `[project.entry-points."sharnir.elements"]`. They are imported when names of elements are
first needed (model files, their schema, checks); to define a class lists it. What a model file says imports nothing.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from threading import RLock

from sharnir.errors import ModelWarning

GROUP = "sharnir.elements"


@dataclass(frozen=True)
class Library:
    """An entry point: the package it belongs to, the module that it names, and what went wrong ("" if nothing)."""

    package: str
    version: str
    module: str
    problem: str = ""


_LOCK = RLock()
_loaded: list[Library] = []
_begun = False  # a module that is imported may ask for names, too


def load_libraries() -> tuple[Library, ...]:
    """Import the modules of all libraries, once in a process; a broken one is named in a warning and left out.

    >>> [library.package for library in load_libraries() if library.problem]
    []
    """
    global _begun
    with _LOCK:
        if not _begun:
            _begun = True
            for point in sorted(entry_points(group=GROUP), key=lambda point: (_package(point)[0], point.name)):
                _loaded.append(_imported(point))
        return tuple(_loaded)


def _package(point: EntryPoint) -> tuple[str, str]:
    """Name and version of the package of an entry point."""
    dist = point.dist
    return (dist.name, dist.version) if dist is not None else ("an unknown package", "")


def _imported(point: EntryPoint) -> Library:
    package, version = _package(point)
    try:
        point.load()
    except (Exception, SystemExit) as error:  # whatever a foreign module raises must not stop others
        problem = f"{type(error).__name__}: {error}"
        warnings.warn(
            f"the elements of package '{package}' {version} are left out: its entry point {point.name} = {point.value!r} "
            f"cannot be imported ({problem}); repair or uninstall the package",
            ModelWarning,
            stacklevel=2,
        )
        return Library(package, version, point.value, problem)
    return Library(package, version, point.value)
