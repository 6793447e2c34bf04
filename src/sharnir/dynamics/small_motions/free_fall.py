"""Bodies that nothing can hold against gravity: no joint, constraint or force joins them to the ground, so they fall for ever."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.errors import SimulationError
from sharnir.model import FlexibleBody, Free, Model, UserForce
from sharnir.model.links import referenced_bodies, referenced_joints


def check_held(model: Model) -> None:
    """Raise an error that names the bodies if gravity pulls and no element could resist: forces within them cannot."""
    if not np.any(model.gravity):
        return
    group = {name: name for name in ("ground", *model.bodies)}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for element in (*model.joints.values(), *model.constraints.values(), *model.forces.values()):
        first, *others = _held_together(model, element)
        for other in others:
            group[root(other)] = root(first)
    nodes = {node.name for body in model.bodies.values() if isinstance(body, FlexibleBody) for node in body.nodes()}
    falling = [name for name in model.bodies if name not in nodes and root(name) != root("ground")]
    if falling:
        who = ", ".join(repr(name) for name in falling[:4]) + (f" and {len(falling) - 4} more" if len(falling) > 4 else "")
        raise SimulationError(
            f"model '{model.name}': nothing holds {who} against gravity, so there is no equilibrium; give joints or springs to "
            f"the ground, or gravity=(0, 0, 0); modes(equilibrium=False) takes the model as it stands"
        )


def _held_together(model: Model, element: Any) -> list[str]:
    """Bodies between which the element can act; with the ground among them unless it is certain that only inner forces arise."""
    names = [str(name) for _, name in referenced_bodies(element)]
    if isinstance(element, Free) and all(entry == 0.0 for entry in np.ravel(np.asarray(element.torque, object))):
        return ["ground"]
    for _, name in referenced_joints(element):
        joint = model.joints[name]
        names += [str(joint.parent), str(joint.child)]
    if len(set(names)) < 2 or isinstance(element, UserForce):
        names.append("ground")
    return names
