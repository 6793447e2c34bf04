"""A model in its initial position, as the result of a run that has not begun."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.model_compilation import compile_model
from sharnir.model import Model
from sharnir.results import Result
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.model_scene import scene_of
from sharnir.simulate.channels.run_channels import RunChannels


def initial_picture(model: Model) -> Result:
    """One moment, with all channels and the scene.

    >>> from sharnir.model import Body
    >>> m = Model()
    >>> _ = m.add(Body("ball", mass=1, inertia=(1, 1, 1), position=(1, 2, 3)))
    >>> initial_picture(m)["ball.position"]
    array([[1., 2., 3.]])
    """
    system = compile_model(model)
    channels = RunChannels(Observer(system, np.zeros(1), np.ascontiguousarray(system.y0[None])))
    return Result(np.zeros(1), channels, title=model.name, scene=lambda: scene_of(system), flexible=channels.flexible.shapes)
