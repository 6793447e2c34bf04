"""Input files: of bounded size, and, where a model file names them, regular files below its folder.

A model file may come from a stranger. While it is read, everything that it leads to must be a regular file (no device, no pipe)
inside its folder, links followed: tables, reduced models, meshes, files of FE programs and what these include.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike
from pathlib import Path

from sharnir.arguments import file_path
from sharnir.errors import FileError, MissingFileError

MOST_TEXT = 1 << 27  # bytes of a model file, a robot description, a table of numbers
MOST_DATA = 1 << 32  # bytes of matrices, meshes, reduced models that a model file names

_folder: ContextVar[Path | None] = ContextVar("folder of the model file that is being read", default=None)


@contextmanager
def only_below(folder: str | PathLike[str], outside: bool = False) -> Iterator[None]:
    """Within the block only regular files below a folder are read; `outside`: files in other places, too.

    >>> import tempfile
    >>> with only_below(tempfile.mkdtemp()):
    ...     permitted("/dev/zero")
    Traceback (most recent call last):
    sharnir.errors.FileError: '/dev/zero' lies outside the folder of the model file; move it there, or allow files outside it
    """
    token = _folder.set(Path() if outside else Path(os.path.realpath(folder)))
    try:
        yield
    finally:
        _folder.reset(token)


def restricted() -> bool:
    """Whether a model file is being read that may only lead to files below its folder."""
    return _folder.get() not in (None, Path())


def permitted(path: str | PathLike[str], most: int = MOST_DATA) -> Path:
    """The path of a file that may be read; inside `only_below` it must be one of those.

    >>> permitted("nowhere.csv")
    PosixPath('nowhere.csv')
    """
    folder, name = _folder.get(), str(file_path(path, "reading"))
    if folder is None:
        return Path(path)
    try:
        found = Path(os.path.realpath(path))
        if restricted() and not found.is_relative_to(folder):
            raise FileError(f"{name!r} lies outside the folder of the model file; move it there, or allow files outside it")
        status = found.stat()
    except FileNotFoundError:
        raise MissingFileError(f"{name!r}: there is no such file; paths are relative to the model file") from None
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"{name!r} cannot be read: {_reason(error)}") from None
    if not stat.S_ISREG(status.st_mode):
        raise FileError(f"{name!r} is not a regular file but a folder, a device or a pipe; name a file")
    if status.st_size > most:
        raise FileError(f"{name!r} is larger than {most >> 20} MB, the largest size that is read; is it the right file?")
    return Path(path)


def is_file(path: Path) -> bool:
    """Whether a regular file stands there; no name is too long to ask."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def content(path: str | PathLike[str], most: int = MOST_TEXT) -> bytes:
    """The bytes of a file, at most so many.

    >>> content("nowhere.toml")
    Traceback (most recent call last):
    sharnir.errors.MissingFileError: nowhere.toml: there is no such file; check the name and the folder
    """
    name = os.fspath(permitted(path, most))
    try:
        with Path(path).open("rb") as file:
            found = file.read(most + 1)
    except FileNotFoundError:
        raise MissingFileError(f"{name}: there is no such file; check the name and the folder") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{name}: cannot be read: {_reason(error)}") from None
    if len(found) > most:
        raise FileError(f"{name}: is larger than {most >> 20} MB, the largest size that is read; is it the right file?")
    return found


def text(path: str | PathLike[str], most: int = MOST_TEXT) -> str:
    """A UTF-8 text of bounded length; a byte order mark at its beginning is passed over."""
    try:
        return content(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{os.fspath(path)}: is not UTF-8 text ({error.reason} at byte {error.start}); convert it") from None


def _reason(error: Exception) -> str:
    """What the operating system says, or Python of a name with a zero byte."""
    words = str(getattr(error, "strerror", None) or error)
    return words[:1].lower() + words[1:]
