"""A Topology as a picture: ground below, bodies in layers by depth, joints as lines, cut joints dashed, forces dotted."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from sharnir.picture_file import check_suffix, write_picture

if TYPE_CHECKING:
    from sharnir.topology.structure import ForceEdge, Topology
    from sharnir.topology.tree import Tree

LABELS = 45  # bodies up to which names are written
BODY, TREE, CUT, FORCE, TEXT = "#e7f0fd", "#2f6fde", "#e8590c", "#2b8a3e", "#343a40"
SHOWN = 3  # forces that are named beside a joint or body; further ones are counted
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
        below = _below(tree, places, i)
        axes.plot(*zip(below, place, strict=True), color=TREE, linewidth=1.6 if labels else 0.7, zorder=1)
        if labels:
            _label(axes, _between(below, place, 0.5), tree.joints[i].name, type(tree.joints[i]).__name__, TREE)
    _draw_edges(axes, tree, places, topology.forces, labels)
    if labels:
        _name_forces(axes, tree, places, topology.forces)
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
    force = max((len(force.name) for force in topology.forces), default=0)  # beside joints, half a slot from each other
    return min(2.6, max(0.75, min(2.2, 0.35 + 0.075 * longest), 0.2 + 0.1 * force))


def _title(topology: Topology) -> str:
    parts = [f"{len(topology.bodies)} bodies", f"{len(topology.joints)} joints"]
    if topology.loops:
        parts.append(f"{len(topology.loops)} cut (dashed), {topology.rows} equations")
    if topology.forces:
        parts.append(f"{len(topology.forces)} forces (green)")
    return f"{topology.name}: {', '.join(parts)}"


def _draw_ground(axes: Any, width: float) -> None:
    axes.add_patch(Rectangle((-0.6, -0.3), width + 0.2, 0.3, facecolor="#f1f3f5", edgecolor="#adb5bd", hatch="////", linewidth=0))
    axes.plot((-0.6, width - 0.4), (0.0, 0.0), color="#495057", linewidth=1.6, zorder=3)
    box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    axes.text((width - 1.0) / 2, -0.16, "ground", ha="center", va="center", fontsize=8, color=TEXT, bbox=box, zorder=2)


def _draw_body(axes: Any, name: str, place: Place, labels: bool) -> None:
    if labels:
        box = {"boxstyle": "round,pad=0.35", "facecolor": BODY, "edgecolor": TREE, "linewidth": 1.2}
        axes.text(*place, name, ha="center", va="center", fontsize=8.5, color=TEXT, bbox=box, zorder=6)
    else:
        axes.plot(*place, "o", color=TREE, markersize=3, zorder=3)


def _label(axes: Any, place: Place, name: str, kind: str, color: str) -> None:
    """Name and kind of a joint or a force."""
    box = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    text = f"{name}\n{kind}"
    axes.text(*place, text, ha="center", va="center", fontsize=6.5, color=color, bbox=box, zorder=4, linespacing=1.0)


def _name_forces(axes: Any, tree: Tree, places: list[Place], forces: tuple[ForceEdge, ...]) -> None:
    """Forces along and beside joints below the names of these, forces on single bodies, and on many, below the bodies."""
    beside: dict[Place, list[str]] = {}
    for force in forces:
        for i, joint in enumerate(tree.joints):
            if joint.name in force.joints or _is_beside(force, joint):
                beside.setdefault(_between(_below(tree, places, i), places[i], 0.5), []).append(force.name)
        if not force.joints and len(force.bodies) != 2:
            for name in force.bodies:
                if name in tree.number and tree.number[name] >= 0:
                    beside.setdefault(places[tree.number[name]], []).append(force.name)
    for place, names in beside.items():
        shown = [*names[:SHOWN], *([f"and {len(names) - SHOWN} more"] if len(names) > SHOWN else [])]
        style = {"ha": "center", "va": "top", "fontsize": 6.5, "color": FORCE, "linespacing": 1.0, "zorder": 5}
        box = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"}
        axes.annotate("\n".join(shown), place, (0, -10), textcoords="offset points", bbox=box, **style)


def _is_beside(force: ForceEdge, joint: Any) -> bool:
    """Whether a force acts between the two bodies of a joint."""
    return not force.joints and len(force.bodies) == 2 and set(force.bodies) == {joint.parent, joint.child}


def _is_edge(force: ForceEdge, tree: Tree) -> bool:
    """Whether a force is drawn between two bodies that no joint of the tree connects."""
    return len(force.bodies) == 2 and not force.joints and not any(_is_beside(force, joint) for joint in tree.joints)


def _below(tree: Tree, places: list[Place], i: int) -> Place:
    """The place from which the joint of a body leads to it."""
    return places[tree.parent[i]] if tree.parent[i] >= 0 else (places[i][0], 0.0)


def _draw_edges(axes: Any, tree: Tree, places: list[Place], forces: tuple[ForceEdge, ...], labels: bool) -> None:
    """Cut joints dashed, forces dotted; several between the same bodies bend differently, and names keep clear of each other."""
    edges = [(joint.name, type(joint).__name__, (joint.parent, joint.child), CUT) for joint in tree.cuts]
    edges += [(force.name, force.kind, (force.bodies[0], force.bodies[1]), FORCE) for force in forces if _is_edge(force, tree)]
    between: Counter[tuple[Place, Place]] = Counter()
    taken = [_between(_below(tree, places, i), place, 0.5) for i, place in enumerate(places)] + places
    for name, kind, bodies, color in edges:
        ends = sorted(places[end] for end in (tree.number[body] for body in bodies) if end >= 0)
        if not ends:
            continue
        start, end = ends[0], ends[-1]
        if len(ends) == 1:  # to the ground: down beside the body's own way there
            end = (start[0] + 0.32 * (1 + between[start, start]), 0.0)
        between[ends[0], ends[-1]] += 1
        # the first arc is flat and curves upward, the next ones more; bodies above each other need a way round
        bend = -0.18 * between[ends[0], ends[-1]] if end[0] - start[0] > 1e-9 else 0.35 * between[ends[0], ends[-1]]
        bend = 0.0 if len(ends) == 1 else bend
        arc = FancyArrowPatch(start, end, arrowstyle="-", connectionstyle=f"arc3,rad={bend}", shrinkA=0, shrinkB=0, zorder=2)
        dashes = (0, (4, 2.5)) if color == CUT else (0, (1.2, 1.6))
        arc.set(color=color, linestyle=dashes, linewidth=1.4 if labels else 0.5, clip_on=False)
        axes.add_patch(arc)
        if labels:
            spots = [_on_arc(start, end, bend, part) for part in (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)]
            best = max(spots, key=lambda spot: min(0.45, *(_gap(spot, other) for other in taken)))
            taken.append(best)
            _label(axes, best, name, kind, color)
    _make_room(axes, taken)


def _make_room(axes: Any, taken: list[Place]) -> None:
    """Wider limits where names stand outside; a slot keeps its width."""
    (left, right), figure = axes.get_xlim(), axes.figure
    needed = (min(left, *(x - 0.55 for x, _ in taken)), max(right, *(x + 0.55 for x, _ in taken))) if taken else (left, right)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width * (needed[1] - needed[0]) / (right - left), height)
    axes.set_xlim(needed)


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
