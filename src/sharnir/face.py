"""Methods that users expect on Model and Result, although upper rooms do the work: the only upward calls of the house."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def upward(module: str, name: str) -> Any:
    """The attribute `name` of a module in an upper room, imported when it is first needed.

    >>> upward("sharnir.errors", "SharnirError").__name__
    'SharnirError'
    """
    return getattr(import_module(module), name)
