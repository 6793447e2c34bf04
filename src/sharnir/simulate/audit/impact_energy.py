"""Impacts that create energy. The balance of a run takes what events do as given, so that it cannot notice them.

An impact with a restitution of at most 1 along one direction loses energy or keeps it. Several impulses of one event need not:
Newton's restitution, together with an impulse of friction in proportion to the normal one, may create energy (Kane's example of
1984, a pendulum of two rods that strikes the ground).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sharnir.dynamics.evaluation.power_balance import moves_by_drives
from sharnir.dynamics.events.event_records import rebounds
from sharnir.dynamics.signals.signal_records import event_effects
from sharnir.model import Event
from sharnir.model.events import Impulse, NewParameter, StructureAction
from sharnir.simulate.events.event_loop import EventLoop

GAINED = 1e-6  # of the energy that moves: less is rounding, which nearly redundant equations magnify


def created_energy(loop: EventLoop, moved: float) -> str:
    """A sentence about the impact of a run that has created most; "" if none has. moved: energy that moves in the run [J].

    Drives do work during an impact, so that mechanisms with prescribed motions are not looked at.
    """
    if any(moves_by_drives(part.system.table) for part in loop.parts):
        return ""
    return worst_gain(loop.log.entries, [event for event in loop.events if is_impact(event)], moved)


def is_impact(event: Event) -> bool:
    """Whether an event reverses a rate, and changes nothing but speeds that could change the energy.

    >>> import sharnir as sr
    >>> is_impact(sr.Event("hit", "x.q < 0", sr.Rebound("x", 0.5)))
    True
    >>> is_impact(sr.Event("kick", at=1, actions=sr.SetSpeed("x", 2)))
    False
    """
    if any(isinstance(action, StructureAction) for action in event.actions):
        return False
    effects = [effect for _, _, effect in event_effects(event)]
    struck = any(isinstance(effect, Impulse) and rebounds(effect) for effect in effects)
    return struck and not any(isinstance(effect, NewParameter) for effect in effects)


def worst_gain(entries: Iterable[Mapping[str, Any]], impacts: Iterable[Event], moved: float) -> str:
    """The sentence, from the log of events.

    >>> import sharnir as sr
    >>> hit = sr.Event("hit", "x.q < 0", sr.Rebound("x", 0.5))
    >>> entry = {"t": 0.25, "name": "hit", "energy_before": 2.0, "energy_after": 2.5}
    >>> worst_gain([entry], [hit], 2.5)[:72]
    "Event 'hit': the impact at t = 0.25 s has created 0.5 J, 20 % of what mo"
    """
    labels, most, said = {event.name: event.label for event in impacts}, GAINED * moved, ""
    for entry in entries:
        before, after = entry.get("energy_before"), entry.get("energy_after")
        if entry["name"] in labels and before is not None and after is not None and after - before > most:
            most = after - before
            share = f", {100.0 * most / moved:.2g} % of what moves" if moved > 0.0 else ""
            said = f"{labels[entry['name']]}: the impact at t = {entry['t']:.6g} s has created {most:.3g} J{share}"
    remedy = "impulses of friction must not do more than the normal impulse takes; reduce the friction or the restitution"
    return f"{said}; {remedy}" if said else ""
