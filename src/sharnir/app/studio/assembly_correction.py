"""What the assembly has corrected: how far bodies and joints start from where the drawing and the given coordinates put them."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np

from sharnir.dynamics.mobility.joint_coordinates import coordinate_values, find_freedoms
from sharnir.dynamics.system import System
from sharnir.errors import SharnirError

SMALL = 1e-6  # corrections below it are rounding: part of the size of the mechanism, or rad
Poses = dict[str, list[float]]


def correction(system: System, drawn: Poses, poses: Poses) -> dict[str, Any] | None:
    """Bodies and joint coordinates that the assembly has changed, largest change first; None if there are none.

    `drawn` and `poses` are the poses of bodies before and after the assembly.
    """
    size = max((math.dist(one[:3], next(iter(poses.values()))[:3]) for one in poses.values()), default=0.0)
    bodies: list[dict[str, Any]] = []
    for name, pose in poses.items():
        before = drawn[name]
        distance = math.dist(before[:3], pose[:3])
        angle = 2.0 * math.acos(min(abs(float(np.dot(before[3:7], pose[3:7]))), 1.0))
        distance, angle = (distance if distance > SMALL * max(size, 1e-3) else 0.0), (angle if angle > SMALL else 0.0)
        if distance or angle:
            bodies.append({"name": name, "distance": distance, "angle": angle})
    if not bodies:
        return None
    bodies.sort(key=lambda x: -(x["distance"] + x["angle"] * size))
    return {"bodies": bodies, "joints": joints(system), "drawn": {x["name"]: drawn[x["name"]] for x in bodies}}


def joints(system: System) -> list[dict[str, Any]]:
    """Coordinates of joints that the assembly has changed; those of rotations in space are left to the bodies."""
    found = []
    before = as_drawn(system)
    for name, joint in system.model.joints.items():
        if not joint.freedoms or joint.coordinates != "angles":
            continue
        with contextlib.suppress(SharnirError):
            freedoms = find_freedoms(system, name)
            changes = coordinate_values(system, freedoms, system.y0) - coordinate_values(system, freedoms, before)
            for freedom, word, change in zip(joint.freedoms, joint.freedom_names, changes, strict=False):
                unit = "m" if freedom.kind == "translation" else "rad"
                if unit == "rad":
                    change = math.remainder(change, 2.0 * math.pi)
                if abs(change) > SMALL:
                    found.append({"name": name, "freedom": str(word), "change": float(change), "unit": unit})
    return sorted(found, key=lambda x: -abs(x["change"]))


def as_drawn(system: System) -> np.ndarray:
    """The state before the assembly: coordinates as the model gives them."""
    q, v, z = system.start
    return np.concatenate([q, v, z])
