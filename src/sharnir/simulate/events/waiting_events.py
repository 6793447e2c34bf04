"""Events that would release what is already released, or join what is already joined: they wait until that has changed.

While a rope is tight, its length equals, to rounding, the value with which the condition of its knot compares it, so the time at
which the condition becomes true is undefined. A rope that has just become tight, but would have to push, is released at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sharnir.model import Event, Join, Model, Release
from sharnir.model.changed_structure import Structure
from sharnir.model.events import Switch

OFF = 2  # direction of an event that does not count


@dataclass
class WaitingEvents:
    """Numbers of the events that wait, and of those that have waited until the moment that is looked at."""

    original: Model
    numbers: set[int] = field(default_factory=set)
    awoken: set[int] = field(default_factory=set)

    def update(self, structure: Structure, memory: Any) -> None:
        """The structure has changed: events begin to wait, others count again."""
        events = list(self.original.events.values())
        now, before = idle_events(self.original, structure, events), self.numbers
        for i in now - before:
            memory.set_direction(i, OFF)
        for i in before - now:
            if events[i].times is None or memory.times(i) < events[i].times:
                memory.set_direction(i, events[i].crossing[1])
        self.numbers, self.awoken = now, self.awoken | (before - now)

    def lets_go(self, i: int, value: float) -> bool:
        """Whether an event that has just been woken finds that what has taken hold must be let go; jumps do not matter here."""
        event = list(self.original.events.values())[i]
        return value > 0.0 and event.crossing[1] == 1 and all(isinstance(action, Release) for action in event.actions)


def idle_events(original: Model, structure: Structure, events: Sequence[Event]) -> set[int]:
    """Numbers of the events that would change nothing now; those that others enable and disable are theirs to look after.

    >>> from sharnir.model import Body, Distance
    >>> m = Model()
    >>> _ = m.add(Body("ball", mass=1, position=(0, 0, -1)), Distance("rope", "ground", "ball"))
    >>> _ = m.add(Event("slack", "rope.force > 0", Release("rope")), Event("tight", "ball.z < -1", Join("rope")))
    >>> idle_events(m, Structure(), list(m.events.values()))
    {1}
    """
    switched = {x.target for event in events for action in event.actions for x in action.effects() if isinstance(x, Switch)}
    found = set()
    for i, event in enumerate(events):
        own = event.when is not None and event.enabled and event.name not in switched
        if own and event.actions and all(_changes_nothing(original, structure, action) for action in event.actions):
            found.add(i)
    return found


def _changes_nothing(original: Model, structure: Structure, action: Any) -> bool:
    if not isinstance(action, (Release, Join)):
        return False
    name = action.joint_name if isinstance(action, Join) else str(action.joint)
    if name in original.constraints:
        together = name not in structure.slack
    else:
        together = name in structure.joints(original)
    return together == isinstance(action, Join)
