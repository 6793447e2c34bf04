"""A Topology as a picture: ground below, bodies in layers by depth, joints as lines, cut joints dashed."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from sharnir.picture_file import check_suffix, write_picture

if TYPE_CHECKING:
    from sharnir.topology.structure import Topology
    from sharnir.topology.tree import Tree

LABELS = 45  # bodies up to which names are written
BODY, TREE, CUT, TEXT = "#e7f0fd", "#2f6fde", "#e8590c", "#343a40"
Place = tuple[float, float]


def draw(topology: Topology, path: str | os.PathLike[str] | None = None) -> Figure:
    """The picture of a Topology; written to a file if a path is given.

    >>> import sharnir as sr
    >>> from sharnir.topology import topology
    >>> m = sr.Model("pendulum")
    >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "bob", axis="y"))
    >>> [text.get_text() for text in draw(topology(m)).axes[0].texts]
    ['ground', 'bob', 'O\\nRevolute']
    """
    if path is not None:
        check_suffix(path)
    tree = topology.tree
    places = positions(tree)
    width = max((x for x, _ in places), default=0.0) + 1.0
    depth = max(tree.depth, default=0)
    labels = len(tree.bodies) <= LABELS
    step = _spacing(topology) if labels else min(0.25, 40.0 / width)
    rise = 1.15 if labels else min(0.35, 30.0 / (depth + 1))
    # figure in inches, axes in layers and slots; room for the ground below and the title above
    figure = Figure(figsize=(max(4.0, step * width + 0.6), max(2.5, rise * (depth + 0.6) + 0.9)), layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlim=(-0.7, width - 0.3), ylim=(-0.45, depth + 0.45))
    axes.axis("off")
    axes.set_title(_title(topology), fontsize=10, color=TEXT, loc="left")
    _draw_ground(axes, width)
    for i, place in enumerate(places):
        _draw_body(axes, tree.bodies[i], place, labels)
    for i, place in enumerate(places):
        below = places[tree.parent[i]] if tree.parent[i] >= 0 else (place[0], 0.0)
        axes.plot(*zip(below, place, strict=True), color=TREE, linewidth=1.6 if labels else 0.7, zorder=1)
        if labels:
            _label(axes, _between(below, place, 0.5), tree.joints[i], TREE)
    _draw_cuts(axes, tree, places, labels)
    if path is not None:
        write_picture(figure, path, dpi=160)
    return figure


def positions(tree: Tree) -> list[Place]:
    """(slot, depth) of every body: ends of branches side by side, the others amid their children.

    >>> from sharnir.topology import Tree
    >>> positions(Tree(("a", "b", "c"), (-1, 0, 0), (None,) * 3, (False,) * 3))
    [(0.5, 1.0), (0.0, 2.0), (1.0, 2.0)]
    """
    x = [0.0] * len(tree.bodies)
    ends = [i for i, below in enumerate(tree.children) if not below]
    for slot, i in enumerate(ends):
        x[i] = float(slot)
    for i in reversed(range(len(x))):
        if tree.children[i]:
            x[i] = 0.5 * (x[tree.children[i][0]] + x[tree.children[i][-1]])
    return [(x[i], float(tree.depth[i])) for i in range(len(x))]


def _spacing(topology: Topology) -> float:
    """Inches per slot: wide enough for names of bodies and joints."""
    longest = max((len(name) for name in (*topology.bodies, *topology.joints, *topology.kinds)), default=1)
    return min(2.2, max(0.75, 0.35 + 0.075 * longest))


def _title(topology: Topology) -> str:
    parts = [f"{len(topology.bodies)} bodies", f"{len(topology.joints)} joints"]
    if topology.loops:
        parts.append(f"{len(topology.loops)} cut (dashed), {topology.rows} equations")
    return f"{topology.name}: {', '.join(parts)}"


def _draw_ground(axes: Any, width: float) -> None:
    axes.add_patch(Rectangle((-0.6, -0.3), width + 0.2, 0.3, facecolor="#f1f3f5", edgecolor="#adb5bd", hatch="////", linewidth=0))
    axes.plot((-0.6, width - 0.4), (0.0, 0.0), color="#495057", linewidth=1.6, zorder=3)
    box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    axes.text((width - 1.0) / 2, -0.16, "ground", ha="center", va="center", fontsize=8, color=TEXT, bbox=box, zorder=2)


def _draw_body(axes: Any, name: str, place: Place, labels: bool) -> None:
    if labels:
        box = {"boxstyle": "round,pad=0.35", "facecolor": BODY, "edgecolor": TREE, "linewidth": 1.2}
        axes.text(*place, name, ha="center", va="center", fontsize=8.5, color=TEXT, bbox=box, zorder=3)
    else:
        axes.plot(*place, "o", color=TREE, markersize=3, zorder=3)


def _label(axes: Any, place: Place, joint: Any, color: str) -> None:
    """Name and kind of a joint."""
    box = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    text = f"{joint.name}\n{type(joint).__name__}"
    axes.text(*place, text, ha="center", va="center", fontsize=6.5, color=color, bbox=box, zorder=4, linespacing=1.0)


def _draw_cuts(axes: Any, tree: Tree, places: list[Place], labels: bool) -> None:
    """Dashed arcs; several between the same bodies bend differently, and names keep clear of each other."""
    between: Counter[tuple[Place, Place]] = Counter()
    taken = [_between((places[p] if p >= 0 else (places[i][0], 0.0)), places[i], 0.5) for i, p in enumerate(tree.parent)] + places
    for joint in tree.cuts:
        ends = sorted(places[end] for end in (tree.number[joint.parent], tree.number[joint.child]) if end >= 0)
        start, end = ends[0], ends[-1]
        if len(ends) == 1:  # to the ground: down beside the body's own way there
            end = (start[0] + 0.32 * (1 + between[start, start]), 0.0)
        between[ends[0], ends[-1]] += 1
        # the first arc is flat and curves upward, the next ones more; bodies above each other need a way round
        bend = -0.18 * between[ends[0], ends[-1]] if end[0] - start[0] > 1e-9 else 0.35 * between[ends[0], ends[-1]]
        bend = 0.0 if len(ends) == 1 else bend
        arc = FancyArrowPatch(start, end, arrowstyle="-", connectionstyle=f"arc3,rad={bend}", shrinkA=0, shrinkB=0, zorder=2)
        arc.set(color=CUT, linestyle=(0, (4, 2.5)), linewidth=1.4 if labels else 0.5)
        axes.add_patch(arc)
        if labels:
            spots = [_on_arc(start, end, bend, part) for part in (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)]
            best = max(spots, key=lambda spot: min(0.45, *(_gap(spot, other) for other in taken)))
            taken.append(best)
            _label(axes, best, joint, CUT)


def _on_arc(start: Place, end: Place, bend: float, part: float) -> Place:
    """A point of Matplotlib's arc3: a parabola whose control point stands off the middle by `bend` times the distance."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    x, y = _between(start, end, part)
    off = 2.0 * part * (1.0 - part) * bend
    return x + off * dy, y - off * dx


def _gap(a: Place, b: Place) -> float:
    return max(abs(a[0] - b[0]), 1.6 * abs(a[1] - b[1]))


def _between(a: Place, b: Place, part: float) -> Place:
    return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])
