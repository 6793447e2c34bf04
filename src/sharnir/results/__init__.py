"""Results: named channels over time, their pictures and files. This room knows no bodies."""

from sharnir.results.channel import Channel, UnknownChannelError
from sharnir.results.result import Energy, Result
from sharnir.results.scene import Scene, SceneItem, SceneSpring

__all__ = ["Channel", "Energy", "Result", "Scene", "SceneItem", "SceneSpring", "UnknownChannelError"]
