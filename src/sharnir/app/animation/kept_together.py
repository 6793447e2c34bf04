"""How enlarged deformations carry along what is attached to them: shifts of items that keep joints closed in the picture.

Where a flexible body is drawn with deformations s times as large, a node with a name is (s - 1) u away from its place. What is
joined to the node follows, and what is joined to that, too. Shifts o of the groups of items that joints hold together are those
that satisfy o_group(node) - o_body = (s - 1) u in the sense of least squares, with the ground at rest. Open chains satisfy it
exactly. In loops something is missing, which the page takes back from the deformations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.results import Scene

HEAVY = 1e-5  # how readily flexible bodies move where either they or what is attached could


def kept_together(scene: Scene, marks: list[tuple[str, str, int]]) -> dict[str, Any] | None:
    """Numbers by which the page finds the shifts; None where nothing is attached to flexible bodies.

    marks : nodes with names: (flexible body, item of the node, row of the node in the shapes that the page has).

    >>> from sharnir.results import SceneItem
    >>> items = [SceneItem("ground"), SceneItem("beam"), SceneItem("beam:root", joined=["ground"]), SceneItem("beam:tip")]
    >>> scene = Scene([*items, SceneItem("bob", joined=["beam:tip"])])
    >>> found = kept_together(scene, [("beam", "beam:root", 0), ("beam", "beam:tip", 8)])
    >>> found["groups"], np.round(found["weights"], 9).tolist(), found["loops"]
    ([-1, 0, -1, 1, 1], [[-1.0, 0.0], [-1.0, 1.0]], False)
    """
    number = {item.name: k for k, item in enumerate(scene.items)}
    marks = [mark for mark in marks if mark[1] in number]
    if not marks:
        return None
    group = list(range(len(scene.items)))

    def of(k: int) -> int:
        while group[k] != k:
            k = group[k]
        return k

    for item in scene.items:
        for other in item.joined:
            if other in number:
                group[of(number[item.name])] = of(number[other])
    rest = of(number["ground"]) if "ground" in number else -1
    roots = sorted({of(k) for k in range(len(group))} - {rest})
    column = {root: k for k, root in enumerate(roots)}
    groups = [column.get(of(k), -1) for k in range(len(group))]
    A = np.zeros((len(marks), len(roots)))
    for row, (body, node, _) in zip(A, marks, strict=True):
        for name, sign in ((node, 1.0), (body, -1.0)):
            if groups[number[name]] >= 0:
                row[groups[number[name]]] += sign
    # of what nothing holds, the flexible body stays and what is attached moves
    ease = np.ones(len(roots))
    ease[[groups[number[body]] for body, _, _ in marks if groups[number[body]] >= 0]] = HEAVY
    weights = ease[:, None] * np.linalg.pinv(A * ease)
    return {
        "groups": groups,
        "weights": weights.round(9).tolist(),
        "marks": [[number[body], row, number[node]] for body, node, row in marks],
        "loops": bool(np.abs(A @ weights - np.eye(len(marks))).max() > 1e-9),
    }
