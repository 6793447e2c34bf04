"""Keyframes: coordinates, speeds and controls of one moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from sharnir.model.joints import Joint
from sharnir.model.mjcf.body_tree import all_of
from sharnir.model.mjcf.mjcf_joints import KINDS, JointRow
from sharnir.model.mjcf.mjcf_numbers import numbers_of, turn_of, unit_of
from sharnir.model.mjcf.mjcf_source import Source

SPEEDS = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}


@dataclass(frozen=True)
class Keyframe:
    """Numbers in the order of the file's joints and actuators; empty where they are not given."""

    q: tuple[float, ...] = ()
    v: tuple[float, ...] = ()
    controls: tuple[float, ...] = ()


def keyframe_of(source: Source, wanted: str | int | None, rows: list[JointRow]) -> Keyframe:
    """The keyframe with a name or number."""
    if wanted is None:
        return Keyframe()
    keys: list[Element] = [element for element in all_of(source.root, "keyframe") if element.tag == "key"]
    names = [element.get("name", "") for element in keys]
    if isinstance(wanted, int) and 0 <= wanted < len(keys):
        element = keys[wanted]
    elif wanted in names:
        element = keys[names.index(str(wanted))]
    else:
        known = f"there are {', '.join(map(repr, names))}" if keys else "there are none"
        raise source.problem("keyframe", f"{wanted!r} does not exist; {known}")
    given = dict(element.attrib)
    counts = {"qpos": sum(KINDS[row.kind] for row in rows), "qvel": sum(SPEEDS[row.kind] for row in rows)}
    found = {key: numbers_of(given[key], key, counts[key]) for key in counts if given.get(key, "").strip()}
    controls = numbers_of(given["ctrl"], "ctrl", 1, 100_000) if given.get("ctrl", "").strip() else ()
    return Keyframe(found.get("qpos", ()), found.get("qvel", ()), controls)


def with_state(joint: Joint, row: JointRow, key: Keyframe, rows: list[JointRow]) -> Joint:
    """The joint with its coordinates and speeds of a keyframe."""
    if joint.mimic is not None:
        return joint
    k = rows.index(row)
    first, speed = sum(KINDS[x.kind] for x in rows[:k]), sum(SPEEDS[x.kind] for x in rows[:k])
    changes: dict[str, Any] = {}
    if key.q:
        q = np.array(key.q[first : first + KINDS[row.kind]])
        R = row.pose.R
        if row.kind == "free":
            turn = turn_of(unit_of(q[3:], "qpos"))
            changes["q"] = (*(R.T @ (q[:3] - row.pose.p)).tolist(), *quaternion_of(R.T @ turn))
        else:
            changes["q"] = tuple(unit_of(q, "qpos").tolist()) if row.kind == "ball" else (float(q[0]) - row.ref,)
    if key.v:
        v = np.array(key.v[speed : speed + SPEEDS[row.kind]])
        if row.kind == "free":
            turn = turn_of(unit_of(np.array(key.q[first + 3 : first + 7]), "qpos")) if key.q else row.pose.R
            v[:3] = turn.T @ v[:3]
        changes["v"] = tuple(v.tolist())
    return replace(joint, **changes) if changes else joint


def quaternion_of(R: np.ndarray) -> tuple[float, ...]:
    """The unit quaternion of a matrix."""
    from sharnir.model.frames import quaternion, rows

    return quaternion(rows(R))
