"""How many switches the formulas of a model can have: an upper bound, for their memory, before they are written."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

from sharnir.dynamics.memory.held_sides import PLACES
from sharnir.dynamics.memory.narrow_peaks import most_peaks
from sharnir.model import Model
from sharnir.model.given_functions import Table
from sharnir.model.grid_table import GridTable
from sharnir.model.signals import Signal

MAY_KINK = re.compile(r"[<>]|\b(?:sign|step|floor|abs|min|max)\s*\(")
MAY_SWITCH = re.compile(r"[<>]|\b(?:sign|step|floor)\s*\(")
MAY_BEND = re.compile(r"\b(?:min|max)\s*\(")
CALLS = re.compile(r"[A-Za-z_]\w*\s*\(")
NUMBERS = frozenset({float, int})  # have no switches


def most_switches(model: Model) -> int:
    """An upper bound of the switches in the formulas of forces, joints and signals; most models have none."""
    most = partial(most_of, parameters=tuple(model.parameters))
    torques = (getattr(joint, "torque", ()) for joint in model.joints.values())
    found = sum(most(torque, 1) for torque in torques if not (type(torque) is tuple and NUMBERS.issuperset(map(type, torque))))
    for force in model.forces.values():
        timed = [name for name, variables in force.formula_fields.items() if variables[0] == "t"]
        found += sum(most(part, int(name not in timed)) for name, part in _parts(force).items())
        found += sum(most(signal, 1) for signal in force.signals().values())
    for constraint in model.constraints.values():
        # max(a, b, …) has as many kinks as other arguments
        found += 8 * most(_parts(constraint), 1, MAY_KINK)
    for event in model.events.values():
        texts = [text for _, text in event.formulas()]
        found += most(texts, 1) + most(event.tables, sum(len(CALLS.findall(text)) for text in texts))
    for signal in model.signals.values():
        calls = len(CALLS.findall(signal.formula)) if isinstance(signal, Signal) and signal.tables else 1
        found += most(_parts(signal), calls)
    return found


def _parts(element: Any) -> dict[str, Any]:
    """What an element holds, by the names of its fields; one of the user's own need not be a dataclass."""
    return {f.name: getattr(element, f.name) for f in fields(element)} if is_dataclass(element) else dict(vars(element))


def most_of(entry: Any, tables: int, pattern: re.Pattern[str] = MAY_SWITCH, parameters: Collection[str] = ()) -> int:
    """An upper bound of the switches in what an element holds; `tables` : how often a table may be called."""
    if type(entry) is tuple and NUMBERS.issuperset(map(type, entry)):
        return 0
    if isinstance(entry, str):
        return len(pattern.findall(entry)) + _most_bends(entry, parameters)
    if isinstance(entry, (Table, GridTable)):
        return 0 if entry.smooth else tables * (len(entry.axes) if isinstance(entry, GridTable) else 1)
    if isinstance(entry, Mapping):
        return sum(most_of(part, tables, pattern, parameters) for part in entry.values())
    if isinstance(entry, (tuple, list)):
        return sum(most_of(part, tables, pattern, parameters) for part in entry)
    if is_dataclass(entry) and not isinstance(entry, type):
        return most_of(_parts(entry), tables, pattern, parameters)
    return 0


def _most_bends(text: str, parameters: Collection[str] = ()) -> int:
    """An upper bound: min and max of several numbers have a bend for every comma, a peak has up to four places."""
    return (text.count(",") if MAY_BEND.search(text) else 0) + PLACES * most_peaks(text, parameters)
