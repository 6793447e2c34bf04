"""Matplotlib pictures of channels over time, with units."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sharnir.errors import ModelError
from sharnir.picture_file import write_picture

if TYPE_CHECKING:
    from sharnir.results.result import Result

# the palette of the 3D viewer as well (viewer/theme.js)
PALETTE = ("#2f6fde", "#e8590c", "#2b9348", "#c2255c", "#7048e8", "#0c8599", "#b08900", "#868e96")
QUANTITY = {
    "rad": "angle",
    "rad/s": "angular velocity",
    "rad/s²": "angular acceleration",
    "m": "position",
    "m/s": "velocity",
    "m/s²": "acceleration",
    "N": "force",
    "N m": "torque",
    "N s": "momentum",
    "N m s": "angular momentum",
    "1": "quaternion",
    "J": "energy",
    "W": "power",
    "Pa": "pressure",
    "": "value",
}
STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#868e96",
    "axes.labelcolor": "#343a40",
    "axes.grid": True,
    "grid.color": "#e9ecef",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "xtick.color": "#495057",
    "ytick.color": "#495057",
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "legend.frameon": False,
    "figure.dpi": 110,
    "savefig.dpi": 160,
}
MOST_LEGENDS = 14
DASHES = ("-", "--", "-.", ":")


class ResultFigure(Figure):
    """A figure that shows itself in a notebook without any set-up."""

    def _repr_png_(self) -> bytes:
        from io import BytesIO

        stream = BytesIO()
        self.savefig(stream, format="png")
        return stream.getvalue()


def draw(result: Result, names: Iterable[str], path: str | os.PathLike[str] | None = None, show: bool = False) -> Figure:
    """A figure of the named channels, one panel for each unit; see `Result.plot`.

    >>> from sharnir.results import Channel, Result
    >>> result = Result([0.0, 1.0], [Channel("a.q", [0.0, 1.0], "rad"), Channel("a.v", [1.0, 1.0], "rad/s")])
    >>> len(draw(result, ["a.q", "a.v"]).axes)
    2
    """
    panels = panels_by_unit(result, list(names) or default_names(result))
    with rc_context(STYLE):
        size = (7.2, 1.2 + 2.1 * len(panels)) if len(panels) > 1 else (7.2, 3.6)
        if show:
            from matplotlib import pyplot

            figure: Figure = pyplot.figure(figsize=size, layout="constrained")
        else:
            figure = ResultFigure(figsize=size, layout="constrained")
        rows = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (unit, curves) in zip(rows, panels.items(), strict=True):
            draw_panel(axes, result, unit, curves)
        rows[-1].set_xlabel("time [s]")
        if result.title:
            rows[0].set_title(result.title, loc="left")
        figure.align_ylabels(list(rows))
        if path is not None:
            write_picture(figure, path)
        if show:
            pyplot.show()
    return figure


def default_names(result: Result) -> list[str]:
    """What is shown when nothing is named: joint coordinates, else energies, else everything."""
    names = result.channels
    chosen = [n for n in names if n.endswith(".q")] or [n for n in names if n.startswith("energy.")] or list(names)
    if not chosen:
        raise ModelError("the result has no channels to plot")
    return chosen


def panels_by_unit(result: Result, names: list[str]) -> dict[str, list[str]]:
    """Unit -> scalar channels with that unit, in the order given."""
    panels: dict[str, list[str]] = {}
    for name in names:
        for component in result.components(name):
            curves = panels.setdefault(str(result.unit(component)), [])
            if component not in curves:
                curves.append(component)
    return panels


def draw_panel(axes: Axes, result: Result, unit: str, curves: list[str]) -> None:
    """All curves of one unit, their legend beside the panel, events as thin vertical lines."""
    for k, name in enumerate(curves):
        label = name if k < MOST_LEGENDS else ("…" if k == MOST_LEGENDS else "_nolegend_")
        color, dash = PALETTE[k % len(PALETTE)], DASHES[k // len(PALETTE) % len(DASHES)]
        axes.plot(result.t, result[name], dash, color=color, label=label)
    for event in result.events:
        if isinstance(event, dict) and "t" in event:
            axes.axvline(event["t"], color="#adb5bd", linewidth=0.8, linestyle=":", zorder=0.5)
    axes.set_ylabel(axis_label(unit, curves))
    axes.margins(x=0)
    if len(curves) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.3, fontsize="small")
    else:
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2, fontsize="small", handlelength=1.2)


def axis_label(unit: str, curves: list[str]) -> str:
    """Quantity and unit, such as "angle [rad]".

    >>> axis_label("1", ["front.slip", "rear.slip"])
    'slip [1]'
    """
    quantity = QUANTITY.get(unit, "value")
    for word in ("length", "slip"):
        if all(name.endswith(f".{word}") for name in curves):
            quantity = word
    return f"{quantity} [{unit}]" if unit else quantity
