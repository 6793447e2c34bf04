"""The errors of sharnir: every one says which element, which value, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class SharnirError(Exception):
    """Any error raised on purpose by sharnir.

    >>> issubclass(ModelError, SharnirError) and issubclass(ModelError, ValueError)
    True
    """


class ModelError(SharnirError, ValueError):
    """The model is wrong. `field` names the wrong entry of the element, where one is to blame.

    >>> ModelError("Body 'arm': mass = -1.0 must not be negative", field="mass").field
    'mass'
    """

    def __init__(self, message: str = "", *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class UnknownArgumentError(ModelError, TypeError):
    """An argument, field or setting has a name that does not exist; the message says what may have been meant.

    >>> issubclass(UnknownArgumentError, TypeError)
    True
    """


class TopologyError(ModelError):
    """Bodies and joints do not form a valid system.

    >>> issubclass(TopologyError, ModelError)
    True
    """


class FormulaError(ModelError):
    """A formula cannot be read. The message shows the text with a caret at the place.

    >>> print(FormulaError("unexpected ')'", text="sin(t))", position=6))
    unexpected ')'
        sin(t))
              ^
    """

    def __init__(self, message: str = "", *, text: str = "", position: int | None = None, field: str | None = None) -> None:
        self.reason, self.text, self.position = message, text, position
        if position is not None:
            message = f"{message}\n    {_window(text, position)}"
        super().__init__(message, field=field)


class ModelFileError(ModelError):
    """A model file is wrong. `problems` lists all of them as (path in the file, message).

    >>> print(ModelFileError([("joints.elbow.axis", "must not be zero")], source="arm.toml"))
    arm.toml: 1 problem
      joints.elbow.axis: must not be zero
    """

    def __init__(self, problems: Iterable[tuple[str, str]] = (), *, source: str = "model file") -> None:
        self.problems = tuple((str(path), str(message)) for path, message in problems)
        self.source = source
        count = f"{len(self.problems)} problem{'' if len(self.problems) == 1 else 's'}"
        lines = [f"  {path}: {message}" if path else f"  {message}" for path, message in self.problems]
        super().__init__("\n".join([f"{source}: {count}", *lines]))


class SimulationError(SharnirError, RuntimeError):
    """A run failed. `result` holds what was computed up to then, or None.

    >>> SimulationError("step size fell below 1e-12 s at t = 0.3 s").result is None
    True
    """

    def __init__(self, message: str = "", result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class MissingExtraError(SharnirError, ImportError):
    """An optional package is needed. The message names the command that installs it.

    >>> print(MissingExtraError("hdf5", "saving as .h5"))
    saving as .h5 needs an optional package; install it with: pip install sharnir[hdf5]
    """

    def __init__(self, extra: str, purpose: str = "this") -> None:
        super().__init__(f"{purpose} needs an optional package; install it with: pip install sharnir[{extra}]")
        self.extra = extra


class MissingProgramError(SharnirError):
    """A program that is no Python package is needed, and was not found. The message says how to get it.

    >>> print(MissingProgramError("Chromium or Chrome", "Debian: apt-get install chromium"))
    this needs Chromium or Chrome, which was not found; Debian: apt-get install chromium
    """

    def __init__(self, program: str = "a program", remedy: str = "install it", purpose: str = "this") -> None:
        super().__init__(f"{purpose} needs {program}, which was not found; {remedy}")


class FileError(SharnirError, OSError):
    """A file cannot be read or written: the disk is full, or the file is damaged or not a regular file.

    >>> issubclass(FileError, SharnirError) and issubclass(FileError, OSError)
    True
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(message)


class MissingFileError(FileError, FileNotFoundError):
    """There is no file of that name.

    >>> issubclass(MissingFileError, FileError) and issubclass(MissingFileError, FileNotFoundError)
    True
    """


class ModelWarning(UserWarning):
    """Something in a model was understood but is not used, or was changed on reading.

    >>> import warnings
    >>> warnings.simplefilter("error", ModelWarning)  # to be strict: warnings as errors
    >>> warnings.simplefilter("default", ModelWarning)
    """


class RunWarning(ModelWarning):
    """The checks at the end of a run found that some of its numbers deserve a second look, or that a limit was exceeded.

    >>> issubclass(RunWarning, ModelWarning)
    True
    """


def _window(text: str, position: int, reach: int = 50) -> str:
    """The line of `text` around `position`, with a caret below it (long lines are cut)."""
    line_start = text.rfind("\n", 0, position) + 1
    line_end = text.find("\n", position)
    line_end = len(text) if line_end < 0 else line_end
    start = max(line_start, position - reach)
    end = min(line_end, position + reach)
    head = "…" if start > line_start else ""
    tail = "…" if end < line_end else ""
    line = text[start:end].replace("\t", " ")
    return f"{head}{line}{tail}\n    {' ' * (len(head) + position - start)}^"
