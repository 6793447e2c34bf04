"""Channels of ball and free joints that an event has locked: the same quaternion all along, no speed.

In the equations such a joint is six freedoms with constant coordinates; its channels stay what they were.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sharnir.model.placement import placements
from sharnir.results import Channel
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.joint_channels import PER, component_labels, quaternion_values


def held_channel(o: Observer, joint: Any, key: str) -> Channel:
    """Coordinates (key "q"), speeds or accelerations of a joint that is locked; `joint` as the model has it."""
    units = joint.coordinate_units if key == "q" else [unit + PER[key] for unit in joint.units]
    return Channel(f"{joint.name}.{key}", partial(_values, o, joint, key), units, component_labels(joint, key))


def _values(o: Observer, joint: Any, key: str) -> np.ndarray:
    if key != "q":
        return np.zeros((len(o.t), joint.n_v))
    first = Observer(o.system, o.t[:1], o.y[:1])
    q, _ = quaternion_values(first, placements(o.system.model), joint)
    return np.tile(q, (len(o.t), 1))
