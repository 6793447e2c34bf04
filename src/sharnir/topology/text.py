"""A Topology as text: the whole tree where it is small, counts and the longest loops where it is large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sharnir.topology.structure import Loop, Topology
    from sharnir.topology.tree import Tree

WIDTH = 118
WHOLE_TREE = 60  # bodies up to which the tree is written out
MANY_LOOPS = 20  # loops up to which each has its line
NAMES_OF_LOOP = 12  # joints of a loop that are named


def description(topology: Topology) -> str:
    """The text of `str(topology)`."""
    loops = topology.loops
    head = [
        f"{topology.name}: {_count(len(topology.bodies), 'body', 'bodies')}",
        _count(len(topology.joints), "joint"),
        _count(len(loops), "loop"),
        f"depth {topology.depth}",
    ]
    lines = [", ".join(head), *_wrapped("joints: ", [f"{n} {kind}" for kind, n in topology.kind_counts.items()])]
    lines += tree_lines(topology.tree) if len(topology.bodies) <= WHOLE_TREE else _layers(topology.tree)
    lines += _loop_lines(loops, topology.rows)
    lines.append(_freedoms(topology))
    if topology.constraints:
        lines.append(f"not counted here: {_count(topology.constraints, 'constraint element')} of the model")
    return "\n".join(lines)


def tree_lines(tree: Tree) -> list[str]:
    """The tree as text; bodies that follow each other without a branch share a line.

    >>> import sharnir as sr
    >>> from sharnir.topology import build_tree
    >>> m = sr.Model()
    >>> _ = m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1)) for name in "abc"), sr.Fixed("A", "ground", "a"))
    >>> _ = m.add(sr.Revolute("B", "a", "b", axis="z"), sr.Free("C", "a", "c"))
    >>> print("\\n".join(tree_lines(build_tree(m))))
    ground
    └─ A (Fixed) → a
       ├─ B (Revolute) → b
       └─ C (Free) → c
    """
    lines = ["ground"]
    roots = [i for i, p in enumerate(tree.parent) if p < 0]
    stack = [(i, "", i == roots[-1]) for i in reversed(roots)]
    while stack:
        i, margin, last = stack.pop()
        chain = [i]
        while len(tree.children[chain[-1]]) == 1:
            chain.append(tree.children[chain[-1]][0])
        inner = margin + ("   " if last else "│  ")
        bar = inner + ("│  " if tree.children[chain[-1]] else "   ")
        lines += _wrapped(margin + ("└─ " if last else "├─ "), [_member(tree, k) for k in chain], " ─ ", bar)
        below = tree.children[chain[-1]]
        stack += [(k, inner, k == below[-1]) for k in reversed(below)]
    return lines


def _member(tree: Tree, i: int) -> str:
    joint, name = tree.joints[i], tree.bodies[i]
    added = ", added" if name in tree.loose else ""
    return f"{joint.name} ({type(joint).__name__}{added}) → {name}"


def _layers(tree: Tree) -> list[str]:
    """A large tree in two lines."""
    depth = tree.depth
    layers = Counter(depth)
    widest = max(layers, key=lambda d: (layers[d], -d))
    ends = sum(not below for below in tree.children)
    mean = sum(depth) / len(depth)
    lines = [
        f"tree: mean depth {mean:.3g}, {_count(ends, 'branch end')}, "
        f"{_count(layers[1], 'body', 'bodies')} on the ground, widest layer {widest} with {layers[widest]}"
    ]
    if tree.loose:
        lines.append(f"added free joints: {len(tree.loose)} ({', '.join(tree.loose[:5])}{', …' if len(tree.loose) > 5 else ''})")
    return lines


def _loop_lines(loops: tuple[Loop, ...], rows: int) -> list[str]:
    if not loops:
        return []
    lines = [f"cut in the loops: {_count(len(loops), 'joint')}, {_count(rows, 'equation')}"]
    shown = loops
    if len(loops) > MANY_LOOPS:
        lengths = [len(loop.joints) for loop in loops]
        for kind, count in sorted(Counter(loop.kind for loop in loops).items(), key=lambda item: (-item[1], item[0])):
            lines.append(f"  {count} {kind}, {_count(sum(loop.rows for loop in loops if loop.kind == kind), 'equation')}")
        mean = sum(lengths) / len(lengths)
        lines.append(f"  joints in a loop: {min(lengths)} to {max(lengths)}, mean {mean:.3g}; the longest:")
        shown = tuple(sorted(loops, key=lambda loop: -len(loop.joints))[:3])
    return lines + [f"  {_loop(loop)}" for loop in shown]


def _loop(loop: Loop) -> str:
    names = " ".join(loop.joints[:NAMES_OF_LOOP]) + (" …" if len(loop.joints) > NAMES_OF_LOOP else "")
    flat = "planar loop" if loop.planar else "loop"
    return f"{loop.cut} ({loop.kind}, {_count(loop.rows, 'equation')}), {flat} of {len(loop.joints)}: {names}"


def _freedoms(topology: Topology) -> str:
    flat = sum(loop.planar for loop in topology.loops)
    solid = len(topology.loops) - flat
    text = f"freedoms: {topology.freedoms} in joints"
    if flat:
        text += f" - {3 * flat} for {_count(flat, 'planar loop')}"
    if solid:
        text += f" - {6 * solid} for {_count(solid, 'spatial loop')}"
    if topology.loops:
        text += f" = {topology.mobility}"
    if flat:
        text += f"; counted in space: {topology.freedoms} - 6 × {len(topology.loops)} = {topology.spatial_mobility}"
    return text


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _wrapped(start: str, items: list[str], separator: str = ", ", margin: str = "  ") -> Iterator[str]:
    """Items in lines of at most WIDTH, the first one after `start`, the others after `margin`."""
    line, empty = start, True
    for item in items:
        if not empty and len(line) + len(separator) + len(item) > WIDTH:
            yield line + separator.rstrip()
            line, empty = margin, True
        line += item if empty else separator + item
        empty = False
    yield line
