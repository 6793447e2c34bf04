"""Atomic files: a file is written completely, or the previous file is left unchanged.

The new content goes to a temporary file in the same folder, is brought to the disk (fsync) and takes the name by a rename, which
file systems do in one step. Whatever happens before the rename, a full disk, an exception, a kill, leaves the old file alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from sharnir.arguments import file_path
from sharnir.errors import FileError

MARK = ".unfinished"  # in the names of temporary files


@contextlib.contextmanager
def replacement(path: str | PathLike[str]) -> Iterator[Path]:
    """The path of a temporary file that takes the place of `path` when the block ends without an exception.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replacement(file) as new:
    ...     _ = new.write_text("complete")
    >>> file.read_text(), [entry.name for entry in file.parent.iterdir()]
    ('complete', ['note.txt'])
    """
    name = file_path(path, "saving")
    target = Path(os.path.realpath(name))  # a link stays a link
    if special(target):  # a pipe or a device has no content to keep
        with _told(name):
            yield target
        return
    made: list[Path] = []
    try:
        with _told(name):
            new = _temporary(target)
            made.append(new)
            yield new
            _settle(new, target)
            new.replace(target)
            made.clear()
            _bring_to_disk(target.parent)
    finally:
        for file in made:
            with contextlib.suppress(OSError):
                file.unlink()


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a whole text, UTF-8 with newlines as they are.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_text(file, "complete")
    >>> file.read_text()
    'complete'
    """
    with replacement(path) as new:
        new.write_text(text, encoding="utf-8", newline="\n")


def write_bytes(path: str | PathLike[str], data: bytes) -> None:
    """Write bytes, atomically.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "numbers.bin"
    >>> write_bytes(file, b"1234")
    >>> file.read_bytes()
    b'1234'
    """
    with replacement(path) as new:
        new.write_bytes(data)


def special(path: Path) -> bool:
    """Whether something other than a regular file or a folder stands there: a device, a pipe, a socket."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _temporary(target: Path) -> Path:
    """An empty file beside the target, with its suffix, as some writers choose the format by it."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not os.access(target, os.W_OK):  # a rename would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f".{target.stem[:100]}{MARK}-{secrets.token_hex(4)}{target.suffix}")
    new.touch(mode=0o666, exist_ok=False)
    return new


def _settle(new: Path, target: Path) -> None:
    """The content on the disk, with the permissions of the file that it replaces."""
    with contextlib.suppress(FileNotFoundError, PermissionError):
        new.chmod(stat.S_IMODE(target.stat().st_mode))
    with new.open("r+b") as file:
        os.fsync(file.fileno())


def _bring_to_disk(folder: Path) -> None:
    """The new name, too; not every system lets a folder be opened."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


@contextlib.contextmanager
def _told(name: Path) -> Iterator[None]:
    """Errors of the operating system in words."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{name}: cannot be written: {reason(error)}; {_remedy(error, name)}") from error


def reason(error: OSError) -> str:
    """What the operating system says.

    >>> reason(OSError(errno.ENOSPC, "No space left on device"))
    'no space left on device'
    """
    text = error.strerror or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]


def _remedy(error: OSError, name: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "make room or choose another place" + (", the old file is as it was" if name.is_file() else "")
    if error.errno in (errno.EISDIR, errno.ENOTDIR, errno.EEXIST):
        return "name a file in a folder that exists or can be made"
    return "check the path and its permissions"
