"""A figure of a study: outputs over parameters, a panel for each pair."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sharnir.errors import ModelError
from sharnir.picture_file import write_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sharnir.studies.study_result import StudyResult

MOST_PANELS = 8  # in one direction
MARKED = 2000  # runs up to which points are drawn large


def draw(
    result: StudyResult,
    outputs: tuple[str, ...],
    parameters: tuple[str, ...],
    *,
    path: str | os.PathLike[str] | None = None,
    show: bool = False,
) -> Figure:
    """Outputs from top to bottom, parameters from left to right."""
    if not parameters or max(len(outputs), len(parameters)) > MOST_PANELS:
        raise ModelError(
            f"plot: {len(outputs)} outputs over {len(parameters)} parameters; name up to {MOST_PANELS} of each: "
            "plot('peak', against=['k'])"
        )
    from matplotlib.figure import Figure as Plain

    if show:
        from matplotlib import pyplot

        figure: Figure = pyplot.figure()
    else:
        figure = Plain()
    figure.set_size_inches(1.0 + 3.2 * len(parameters), 0.8 + 2.4 * len(outputs))
    panels = figure.subplots(len(outputs), len(parameters), squeeze=False, sharex="col", sharey="row")
    size = 12.0 if len(result) <= MARKED else 2.0
    for row, output in zip(panels, outputs, strict=True):
        for axes, name in zip(row, parameters, strict=True):
            axes.scatter(result[name], result[output], s=size, alpha=0.6, linewidths=0)
            axes.grid(alpha=0.3)
        row[0].set_ylabel(labelled(result, output))
    for axes, name in zip(panels[-1], parameters, strict=True):
        axes.set_xlabel(labelled(result, name))
    figure.set_layout_engine("constrained")
    if path is not None:
        write_picture(figure, path)
    if show:
        from matplotlib import pyplot

        pyplot.show()
    return figure


def labelled(result: StudyResult, name: str) -> str:
    """A name with its unit."""
    unit = result.units.get(name, "")
    return f"{name} [{unit}]" if unit else name
