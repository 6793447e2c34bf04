"""Files that a run writes, by suffix: tables, pictures, animations."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sharnir.errors import ModelError
from sharnir.results import Result

TABLES = (".csv", ".h5", ".hdf5", ".parquet")
PICTURES = (".png", ".svg", ".pdf")
MOVING = (".html", ".htm", ".mp4", ".webm", ".gif")  # pages and videos


def check_paths(paths: Iterable[Path]) -> None:
    """Refuse, before a long run, files that could not be written after it.

    >>> check_paths([Path("motion.xls")])
    Traceback (most recent call last):
    sharnir.errors.ModelError: motion.xls: the suffix must be one of .csv, .h5, .hdf5, .parquet, .png, .svg, .pdf, .html, ...
    """
    for path in paths:
        if path.suffix.lower() not in (*TABLES, *PICTURES, *MOVING):
            raise ModelError(f"{path.name}: the suffix must be one of {', '.join((*TABLES, *PICTURES, *MOVING))}", field="path")
        if path.is_dir():
            raise ModelError(f"{path}: is a folder; name a file", field="path")
        if not path.absolute().parent.is_dir():
            raise ModelError(f"{path}: there is no folder {path.absolute().parent}; make it first", field="path")


def write(result: Result, path: Path, channels: list[str]) -> None:
    """Write one file; `channels` are the curves of pictures and pages (none: joint coordinates).

    >>> import tempfile
    >>> from sharnir.results import Channel
    >>> file = Path(tempfile.mkdtemp()) / "a.csv"
    >>> write(Result([0.0, 1.0], [Channel("a.q", [1.0, 2.0], "rad")]), file, [])
    >>> file.read_text().splitlines()[0]
    't,a.q'
    """
    suffix = path.suffix.lower()
    if suffix in PICTURES:
        result.plot(*channels, path=path)
    elif suffix in MOVING:
        from sharnir.app.animation.page import animate

        animate(result, path, plots=channels or None)
    else:
        result.save(path)


def size_text(path: Path) -> str:
    """Size of a file in words.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = file.write_bytes(bytes(1500))
    >>> size_text(file)
    '1.5 kB'
    """
    size = path.stat().st_size
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1e3:.3g} kB" if size < 1e6 else f"{size / 1e6:.3g} MB"
