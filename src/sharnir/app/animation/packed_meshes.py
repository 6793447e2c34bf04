"""Meshes of a page: their numbers as bytes, and equal ones once."""

from __future__ import annotations

from typing import Any

from sharnir.app.animation.packing import packed

FEW = 100  # triangles that stay numbers in the text


def take_out_meshes(items: list[dict[str, Any]]) -> list[dict[str, str]]:
    """The large meshes of all items; in their places the items get numbers of rows.

    >>> ball = {"kind": "mesh", "vertices": [[0.0, 0.0, 0.0]] * 3, "faces": [[0, 1, 2]] * 200}
    >>> items = [{"shapes": [ball]}, {"shapes": [ball]}]
    >>> len(take_out_meshes(items)), items[1]["shapes"][0]
    (1, {'kind': 'mesh', 'mesh': 0})
    """
    rows: dict[tuple[str, str], int] = {}
    for item in items:
        item["shapes"] = [_taken(shape, rows) for shape in item["shapes"]]
    return [{"vertices": vertices, "faces": faces} for vertices, faces in rows]


def _taken(shape: dict[str, Any], rows: dict[tuple[str, str], int]) -> dict[str, Any]:
    if shape["kind"] != "mesh" or len(shape["faces"]) <= FEW or any(len(face) != 3 for face in shape["faces"]):
        return shape
    key = packed(shape["vertices"], "<f4"), packed(shape["faces"], "<u4")
    rest = {name: value for name, value in shape.items() if name not in ("vertices", "faces")}
    return rest | {"mesh": rows.setdefault(key, len(rows))}
