"""Pictures as files: a Matplotlib figure written completely or not at all."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharnir.arguments import file_path
from sharnir.atomic_file import replacement
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_picture(figure: Figure, path: str | PathLike[str], **options: Any) -> Path:
    """Write a figure by the suffix of the path, .png if there is none; the path of the file.

    >>> from matplotlib.figure import Figure
    >>> write_picture(Figure(), "curves.xyz")
    Traceback (most recent call last):
    sharnir.errors.ModelError: curves.xyz: a picture cannot have the suffix .xyz; use .png, .svg or .pdf
    """
    target = file_path(path, "saving a picture")
    if target.name and not target.suffix:
        target = target.with_name(f"{target.name}.png")
    check_suffix(target)
    with replacement(target) as new:
        figure.savefig(new, **options)
    return target


def check_suffix(path: str | PathLike[str]) -> None:
    """Raise an error if no picture can be written to a file of this name.

    >>> check_suffix("structure.xyz")
    Traceback (most recent call last):
        ...
    sharnir.errors.ModelError: structure.xyz: a picture cannot have the suffix .xyz; use .png, .svg or .pdf
    """
    from matplotlib.backend_bases import FigureCanvasBase

    target = file_path(path, "saving a picture")
    name, suffix = target.name, target.suffix.lower()
    if suffix and suffix[1:] not in FigureCanvasBase.get_supported_filetypes():
        raise ModelError(f"{name}: a picture cannot have the suffix {suffix}; use .png, .svg or .pdf", field="path")
