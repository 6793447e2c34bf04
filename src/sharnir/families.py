"""Families of classes: joints, forces, integrators, … Defining a class lists it, inside the package or outside of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, ClassVar

from sharnir.errors import ModelError

PACKAGE = __name__.split(".")[0]


def tag(element: type) -> str:
    """The word for a class in files.

    >>> from sharnir.model import TorsionSpring
    >>> tag(TorsionSpring)
    'torsion-spring'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "-", element.__name__).lower()


class Family:
    """Classes of one kind by their words, in the order of their definition; the word is that of files unless `word` says another.

    >>> from sharnir.model import Joint
    >>> "revolute" in Joint.family.classes()
    True
    """

    changes: ClassVar[int] = 0  # how often some family has changed

    def __init__(self, noun: str, word: Callable[[Any], str] = tag) -> None:
        self.noun, self._word = noun, word
        self._classes: dict[str, type] = {}

    def add(self, element: type) -> None:
        """List a class; a class that is defined again, as in a notebook, takes its old place."""
        word = self._word(element)
        old = self._classes.get(word)
        if old is not None and _home(old) != _home(element):
            raise ModelError(
                f"{element.__module__}.{element.__qualname__}: there is a {self.noun} {word!r} already, of "
                f"{old.__module__}; choose another name for the class"
            )
        self._classes[word] = element
        Family.changes += 1

    def classes(self, own: bool = False) -> dict[str, Any]:
        """The classes by their words; `own`: those of this package only."""
        return {word: x for word, x in self._classes.items() if not own or x.__module__.split(".")[0] == PACKAGE}

    def __iter__(self) -> Iterator[type]:
        return iter(self._classes.values())

    def __contains__(self, element: object) -> bool:
        return element in self._classes.values()

    def own(self) -> tuple[Any, ...]:
        """The classes of this package: what is behind the lists ALL_…"""
        return tuple(self.classes(own=True).values())

    @property
    def names(self) -> str:
        """All names, for messages."""
        return ", ".join(element.__name__ for element in self)


class Registered:
    """A class whose subclasses are listed in its family.

    `class Coupling(ConstraintElement, listed=False)` is not listed: it is abstract, or no element that users write.
    """

    family: ClassVar[Family]

    def __init_subclass__(cls, listed: bool = True, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if listed:
            cls.family.add(cls)


def import_room(room: ModuleType) -> list[ModuleType]:
    """Import every file of a folder of the package, so that what they define is listed; returns them in the order of their names.

    >>> from sharnir.model import joints
    >>> "sharnir.model.joints.screw" in [module.__name__ for module in import_room(joints)]
    True
    """
    names = sorted(f"{room.__name__}.{info.name}" for info in iter_modules(room.__path__))
    return [import_module(name) for name in names]


def _home(element: type) -> tuple[str, str]:
    """Where a class is defined: its file, whatever name that was imported by, and its name in it."""
    module = sys.modules.get(element.__module__)
    return getattr(module, "__file__", None) or element.__module__, element.__qualname__
