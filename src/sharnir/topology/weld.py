"""Bodies without mass or inertia of their own, and the Fixed joints that carry them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.model import Fixed, FlexibleBody
from sharnir.model.placement import open_joints
from sharnir.topology.graph import GROUND

if TYPE_CHECKING:
    from sharnir.model import Model

ROUNDING = 1e-14  # of the largest principal moment


def light_bodies(model: Model) -> list[str]:
    """Bodies that cannot fly by themselves: they lack mass, or one of the principal moments.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("point", mass=1), sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    >>> light_bodies(m)
    ['point']
    """
    if not model.bodies:
        return []
    moments = np.linalg.eigvalsh(np.array([body.inertia_matrix for body in model.bodies.values()]))
    whole = moments[:, 0] > ROUNDING * moments[:, 2]
    return [name for (name, body), good in zip(model.bodies.items(), whole, strict=True) if not (good and body.mass > 0.0)]


def welds(model: Model) -> dict[str, Any]:
    """The Fixed joint that carries a light body, by the body's name. Nodes of flexible bodies stay on their bodies.

    The search goes out from the ground and from bodies that can fly; a group that has none of them flies with its first body.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("floor", mass=0), sr.Fixed("F", "ground", "floor"))
    >>> welds(m)["floor"].name
    'F'
    """
    found: dict[str, Any] = {}
    waiting = dict.fromkeys(light_bodies(model))
    if not waiting:
        return found
    beside = _fixed_joints(model)
    for body in model.bodies.values():
        for node in body.node_names if isinstance(body, FlexibleBody) else ():
            found[node] = model.joints[node]
            del waiting[node]
    front = [name for name in beside if name not in waiting]
    while front or waiting:
        if not front:
            front = [next(iter(waiting))]
            del waiting[front[0]]
        reached = []
        for name in front:
            for joint in beside[name]:
                other = other_end(joint, name)
                if other in waiting:
                    del waiting[other]
                    found[other] = joint
                    reached.append(other)
        front = reached
    return found


def _fixed_joints(model: Model) -> dict[str, list[Any]]:
    """Fixed joints at every body and at the ground, but for those that do not meet in the drawing."""
    apart = set(open_joints(model))
    beside: dict[str, list[Any]] = {name: [] for name in (GROUND, *model.bodies)}
    for joint in model.joints.values():
        if isinstance(joint, Fixed) and joint.name not in apart:
            beside[str(joint.parent)].append(joint)
            beside[str(joint.child)].append(joint)
    return beside


def other_end(joint: Any, body: str) -> str:
    """The body at the other end of a joint.

    >>> import sharnir as sr
    >>> other_end(sr.Fixed("F", "ground", "floor"), "floor")
    'ground'
    """
    return str(joint.parent) if str(joint.child) == body else str(joint.child)
