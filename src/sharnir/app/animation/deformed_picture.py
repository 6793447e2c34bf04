"""A figure of flexible bodies at one moment, coloured by displacement in metres, with curves over time; needs no browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sharnir.app.animation.color_map import COLORS
from sharnir.model.frames import rotation_matrix
from sharnir.results import Result
from sharnir.results.figure import STYLE, ResultFigure, draw_panel, panels_by_unit

LIGHT = np.array([-0.4, 0.5, 0.77])  # to the left, from above, from the eye
WIDE = 1.5  # from this ratio of width to height on, curves stand below the bodies and not beside them


def deformed_picture(
    result: Result,
    bodies: Sequence[str],
    t: float,
    plots: Sequence[str],
    *,
    scale: float = 1.0,
    right: Sequence[float] = (1, 0, 0),
    up: Sequence[float] = (0, 0, 1),
) -> Figure:
    """Bodies made of faces at the output nearest to time t, seen from the first of them, and channels with that moment marked.

    scale : how many times larger deformations are drawn; colours are the true ones.
    right, up : directions of the picture in the axes of the first body.

    >>> from sharnir.results import Channel
    >>> from sharnir.results.flexible_shapes import FlexibleShapes
    >>> shapes = FlexibleShapes(
    ...     "plate", np.eye(3), np.arange(3), np.ones((3, 3, 1)), None, {}, np.ones((0, 6, 1)), faces=np.array([[0, 1, 2]])
    ... )
    >>> result = Result([0.0, 1.0], [Channel("plate.w", [[0.0], [1e-3]], "1")], flexible={"plate": shapes})
    >>> [axes.get_xlabel() for axes in deformed_picture(result, ["plate"], 1.0, ["plate.w"]).axes]
    ['', 'time [s]', 'displacement [m]']
    """
    k = int(np.argmin(np.abs(result.t - t)))
    panels, moment = panels_by_unit(result, list(plots)), float(result.t[k])
    triangles, amounts = _triangles(result, bodies, k, scale)
    norm = Normalize(0.0, float(amounts.max(initial=0.0)) or 1.0)
    colors = ScalarMappable(norm, LinearSegmentedColormap.from_list("displacement", COLORS))
    faces = _projected(triangles, amounts, colors, np.array(right, float), np.array(up, float))
    low, high = (f(np.concatenate([p.vertices for p in faces.get_paths()]), axis=0) for f in (np.min, np.max))
    size = high - low
    with rc_context(STYLE):
        figure, axes, rows = _layout(float(size[0] / size[1]), len(panels))
        axes.add_collection(faces)
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        axes.set_axis_off()
        larger = f", deformation × {scale:g}" if scale != 1.0 else ""
        axes.set_title(f"{' and '.join(bodies)} at {moment:.3g} s{larger}", loc="left")
        bar = figure.colorbar(colors, ax=axes, location="bottom", shrink=0.7, pad=0.04, aspect=36)
        bar.set_label("displacement [m]")
        bar.locator = MaxNLocator(5)
        for panel, (unit, curves) in zip(rows, panels.items(), strict=True):
            draw_panel(panel, result, unit, curves)
            panel.axvline(moment, color="#868e96", linewidth=1.0, linestyle="--", zorder=0.6)
        rows[-1].set_xlabel("time [s]")
        figure.align_ylabels(list(rows))
    return figure


def _layout(ratio: float, count: int) -> tuple[Figure, Any, Any]:
    """The figure, the axes of the bodies, and `count` panels beside them, or below where the bodies are wide."""
    if ratio > WIDE:
        figure = ResultFigure(figsize=(8.4, 2.3 + 1.6 * count), layout="constrained")
        grid = figure.add_gridspec(count + 1, 1, height_ratios=(1.1, *[1] * count))
        places = [grid[0, 0], *(grid[k + 1, 0] for k in range(count))]
    else:
        figure = ResultFigure(figsize=(10.4, 1.2 + 1.75 * max(count, 3)), layout="constrained")
        grid = figure.add_gridspec(count, 2, width_ratios=(1, 1.25))
        places = [grid[:, 0], *(grid[k, 1] for k in range(count))]
    axes = figure.add_subplot(places[0])
    rows = [figure.add_subplot(places[1])]
    rows += [figure.add_subplot(place, sharex=rows[0]) for place in places[2:]]
    for row in rows[:-1]:
        row.tick_params(labelbottom=False)
    return figure, axes, rows


def _triangles(result: Result, bodies: Sequence[str], k: int, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 3, 3) of all faces in the axes of the first body, and the displacement of each face [m]."""
    corners, amounts = [], []
    for name in bodies:
        shapes, displacement = result.flexible[name], result.displacements(name, float(result.t[k]))
        places, faces = shapes.nodes + scale * displacement, np.asarray(shapes.faces, np.int64)
        if name != bodies[0]:
            (R, r), (R0, r0) = ((_rotation(result, b, k), result[f"{b}.position"][k]) for b in (name, bodies[0]))
            places = (places @ R.T + r - r0) @ R0
        corners.append(places[faces])
        amounts.append(np.linalg.norm(displacement, axis=1)[faces].mean(axis=1))
    return np.concatenate(corners), np.concatenate(amounts)


def _rotation(result: Result, body: str, k: int) -> np.ndarray:
    return np.array(rotation_matrix(tuple(result[f"{body}.rotation"][k])))


def _projected(
    triangles: np.ndarray, amounts: np.ndarray, colors: ScalarMappable, right: np.ndarray, up: np.ndarray
) -> PolyCollection:
    """Triangles as the eye sees them from far away: the nearest last, darker where they turn away from the light."""
    x = right / np.linalg.norm(right)
    y = up - (up @ x) * x
    y /= np.linalg.norm(y)
    seen = triangles @ np.stack([x, y, np.cross(x, y)], axis=1)
    normal = np.cross(seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    normal *= np.where(normal[:, 2:] < 0, -1.0, 1.0)
    painted = colors.to_rgba(amounts)
    painted[:, :3] *= (0.7 + 0.3 * np.clip(normal @ LIGHT, 0.0, 1.0))[:, None]
    order = np.argsort(seen[:, :, 2].mean(axis=1))
    return PolyCollection(seen[order, :, :2], facecolors=painted[order], edgecolors=painted[order], linewidths=0.3)
