"""A figure of flexible bodies at one moment, coloured by displacement in metres, beside curves over time; needs no browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from sharnir.app.color_map import COLORS
from sharnir.results import Result
from sharnir.results.figure import STYLE, ResultFigure, draw_panel, panels_by_unit

LIGHT = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])


def deformed_picture(
    result: Result,
    bodies: Sequence[str],
    t: float,
    plots: Sequence[str],
    *,
    scale: float = 1.0,
    view: tuple[float, float] = (20, -60),
) -> Figure:
    """Bodies made of faces at the output nearest to time t, each in its own axes, and panels of channels with that moment marked.

    scale : how many times larger deformations are drawn; colours are the true ones.
    view : height and azimuth of the eye [degrees].

    >>> from sharnir.results import Channel
    >>> from sharnir.results.flexible_shapes import FlexibleShapes
    >>> shapes = FlexibleShapes(
    ...     "plate", np.eye(3), np.arange(3), np.ones((3, 3, 1)), None, {}, np.ones((0, 6, 1)), faces=np.array([[0, 1, 2]])
    ... )
    >>> result = Result([0.0, 1.0], [Channel("plate.w", [[0.0], [1e-3]], "1")], flexible={"plate": shapes})
    >>> [axes.get_xlabel() for axes in deformed_picture(result, ["plate"], 1.0, ["plate.w"]).axes]
    ['', 'displacement [m]', 'time [s]']
    """
    panels = panels_by_unit(result, list(plots))
    moment = float(result.t[int(np.argmin(np.abs(result.t - t)))])
    fields = {name: result.displacements(name, moment) for name in bodies}
    norm = Normalize(0.0, max(float(np.linalg.norm(u, axis=1).max(initial=0.0)) for u in fields.values()) or 1.0)
    colors = ScalarMappable(norm, LinearSegmentedColormap.from_list("displacement", COLORS))
    with rc_context(STYLE):
        figure = ResultFigure(figsize=(10.4, 1.4 + 1.75 * max(len(panels), 2)), layout="constrained")
        halves: Any = figure.subfigures(1, 2, width_ratios=(1, 1.15))
        left, right = halves
        solids = left.subplots(1, len(fields), subplot_kw={"projection": "3d"}, squeeze=False)[0]
        for axes, (name, displacement) in zip(solids, fields.items(), strict=True):
            _draw_body(axes, result.flexible[name], displacement, scale, colors)
            axes.view_init(*view)
            if len(fields) > 1:
                axes.set_title(name, loc="center")
        bar = left.colorbar(colors, ax=solids, shrink=0.75, pad=0.02, location="bottom", aspect=32)
        bar.set_label("displacement [m]")
        larger = f", drawn {scale:g} times larger" if scale != 1.0 else ""
        left.suptitle(f"{result.title} at {moment:.3g} s{larger}", fontsize=10)
        rows = right.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (unit, curves) in zip(rows, panels.items(), strict=True):
            draw_panel(axes, result, unit, curves)
            axes.axvline(moment, color="#868e96", linewidth=1.0, linestyle="--", zorder=0.6)
        rows[-1].set_xlabel("time [s]")
        right.align_ylabels(list(rows))
    return figure


def _draw_body(axes: Any, shapes: Any, displacement: np.ndarray, scale: float, colors: ScalarMappable) -> None:
    """Triangles with the mean colour of their nodes, a little darker where they turn away from the light."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    places, faces = shapes.nodes + scale * displacement, np.asarray(shapes.faces, np.int64)
    corners = places[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    bright = 0.72 + 0.28 * np.abs(normal @ LIGHT)
    painted = colors.to_rgba(np.linalg.norm(displacement, axis=1)[faces].mean(axis=1))
    painted[:, :3] *= bright[:, None]
    axes.add_collection3d(Poly3DCollection(corners, facecolors=painted, edgecolors=painted, linewidths=0.2))
    low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low + 1e-9 * np.max(high - low), zoom=1.35)
    axes.set_axis_off()
