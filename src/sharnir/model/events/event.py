"""Events: an instant located during a run, and the actions taken there."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any, ClassVar, Literal

from sharnir.arguments import bool_of, shown
from sharnir.model.checks import choice, element_name, fail, number, sequence, settle
from sharnir.model.events.actions import Action
from sharnir.model.events.condition import rising_function
from sharnir.model.events.effects import Impulse
from sharnir.model.events.structure_actions import SetMotion, StructureAction
from sharnir.model.signals.signal import check_tables
from sharnir.model.signals.signal_element import Equations, SignalElement, check_variables
from sharnir.model.values import (
    ActionList,
    OptionalInteger,
    OptionalNumber,
    OptionalText,
    TablesByName,
    VariablesByName,
    default,
    element,
)

ALL_ACTIONS: tuple[type[Action], ...] = Action.family.own()
DIRECTIONS = {"rising": 1, "falling": -1, "both": 0}


@element
class Event(SignalElement, listed=False):
    """An event: a condition becomes true, a formula crosses zero, or a given time is reached.

    when : condition such as "ball.z < 0.1" or "(F > 100)*(t > 1)" (* both, + one of them), or a formula whose zero crossings
        count; they may refer to sensors, signals, parameters and t, as in `Signal`. The time is located to rounding error.
    actions : executed in this order: Stop, SetParameter, SetSpeed, Rebound, Enable, Disable; Release, Lock, Unlock,
        Attach, Join, SetMotion. Without actions it is only recorded in `result.events`.
    at, every : instead of `when` a time, and a period if it repeats [s].
    direction : of a formula: "rising", "falling" or "both".
    variables : variables by name, as in Signal.
    times : how often it may happen.
    enabled : False: it waits for Enable.
    tables : tables that the condition calls as functions, as in Signal.

    A condition that holds at the start does not trigger the event; it must become false first.

    >>> Event("landing", "ball.z < 0").crossing
    ('0.0 + (-ball.z)', 1)
    """

    name: str
    when: OptionalText = default(None)
    actions: ActionList = default(())
    at: OptionalNumber = default(None)
    every: OptionalNumber = default(None)
    direction: Literal["rising", "falling", "both"] = "both"
    variables: VariablesByName = field(default_factory=default(dict), hash=False)
    times: OptionalInteger = default(None)
    enabled: bool = True
    initially: bool = False
    tables: TablesByName = field(default_factory=default(dict), hash=False)
    locates: ClassVar[bool] = True

    def __post_init__(self) -> None:
        element_name(self.name, "Event")
        label = self.label
        if (self.when is None) == (self.at is None and self.every is None):
            fail(label, "when", f"= {shown(self.when)}: give either a condition, or a time by `at` or `every`")
        for name in ("at", "every"):
            if getattr(self, name) is not None:
                settle(self, **{name: number(getattr(self, name), label, name, above=0 if name == "every" else None)})
        choice(self.direction, tuple(DIRECTIONS), label, "direction")
        settle(self, variables=check_variables(self.variables, label), tables=check_tables(self.tables, label))
        given = (self.actions,) if isinstance(self.actions, Action) else sequence(self.actions, label, "actions", "a list")
        for action in given:
            if not isinstance(action, Action):
                fail(label, "actions", f"has {shown(action)}, which must be one of {Action.family.names}")
        settle(self, actions=given)
        if self.times is not None:
            settle(self, times=int(number(self.times, label, "times", low=1)))
        for name in ("enabled", "initially"):
            bool_of(getattr(self, name), label, name)
        if self.when is not None:
            if not isinstance(self.when, str):
                fail(label, "when", f"= {shown(self.when)} must be text, such as 'ball.z < 0'")
            _ = self.crossing, self.measured
        if self.initially and (self.when is None or self.crossing[1] != 1 or not self.is_condition):
            fail(label, "initially", "= True: this is for conditions, such as 'ball.z < 0'")

    @property
    def crossing(self) -> tuple[str, int]:
        """The formula whose crossing of zero is the event, and the direction that counts (1 rising, -1 falling, 0 both)."""
        if self.when is None:
            return "t", 1
        text, condition = rising_function(str(self.when), self.label, "when", self.table_sizes)
        return text, 1 if condition else DIRECTIONS[self.direction]

    @property
    def is_condition(self) -> bool:
        """Whether `when` is a condition, and not a formula that crosses zero."""
        return self.when is not None and rising_function(str(self.when), self.label, "when", self.table_sizes)[1]

    def formulas(self) -> list[tuple[str, str]]:
        found = [] if self.when is None else [("when", self.crossing[0])]
        return found + [("actions", text) for action in self.actions for text in action.formulas()]

    @property
    def body_references(self) -> list[tuple[str, str]]:
        tied = [getattr(x, name) for x in self.actions if isinstance(x, StructureAction) for name in x.body_fields]
        moved = [name for x in self._moved for name in x.bodies]
        return super().body_references + [("actions", name) for name in (*moved, *tied)]

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        return super().joint_references + [("actions", name) for x in self._moved for name in x.joints]

    @property
    def _moved(self) -> list[Any]:
        """Variables whose rates actions change, and coordinates that get another motion."""
        struck = [effect.variable for action in self.actions for effect in action.effects() if isinstance(effect, Impulse)]
        return struck + [action.coordinate for action in self.actions if isinstance(action, SetMotion)]

    def equations(self) -> Equations:
        if self.when is None:
            return Equations({"": "t - T"}, held={"T": self.next_time(0.0 if self.at is None else -math.inf)})
        return Equations({"": self.crossing[0]})

    def next_time(self, t: float) -> float:
        """The first time of a timed event after t; infinite if there is none.

        >>> Event("tick", every=0.5).next_time(0.6)
        1.0
        """
        if self.when is not None:
            return math.inf
        first = self.every if self.at is None else self.at
        assert first is not None  # a condition, a time or a period is given
        if t < first:
            return first
        if self.every is None:
            return math.inf
        k = math.floor((t - first) / self.every + 1e-9) + 1
        return first + k * self.every
