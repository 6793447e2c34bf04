"""What a robot description says that no model can have, and what is used instead: one warning for each kind."""

from __future__ import annotations

import warnings

from sharnir.errors import ModelWarning

SHOWN = 12  # further ones are counted


class Notes:
    """Notes by what they have in common.

    >>> notes = Notes()
    >>> notes.add("limits in the wrong order were exchanged", "joint 'a'")
    >>> notes.add("limits in the wrong order were exchanged", "joint 'b'")
    >>> notes.texts()
    ["URDF: limits in the wrong order were exchanged: joint 'a'; joint 'b'"]
    """

    def __init__(self, language: str = "URDF") -> None:
        self._language = language
        self._found: dict[str, list[str]] = {}

    def add(self, what: str, where: str) -> None:
        """Note one more."""
        self._found.setdefault(what, []).append(where)

    def texts(self) -> list[str]:
        """One sentence for each kind."""
        return [f"{self._language}: {what}: {'; '.join(_shortened(places))}" for what, places in self._found.items()]

    def warn(self) -> None:
        """Tell the user."""
        for text in self.texts():
            warnings.warn(text, ModelWarning, stacklevel=3)

    def warn_once(self) -> None:
        """Tell the user in one warning, a line for each kind, with counts."""
        if self._found:
            lines = [f"- {what} ({len(places)}): {'; '.join(_shortened(places))}" for what, places in self._found.items()]
            head = f"{self._language}: what is not translated, or differs:"
            warnings.warn("\n".join([head, *lines]), ModelWarning, stacklevel=3)


def _shortened(places: list[str]) -> list[str]:
    return places if len(places) <= SHOWN else [*places[:SHOWN], f"and {len(places) - SHOWN} more"]
