"""Inputs in formulas of prescribed motions: drives that follow numbers from outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sharnir.model.events import SetMotion
from sharnir.model.formula import parse
from sharnir.model.given_functions import formulas
from sharnir.model.links import element_formulas
from sharnir.model.signals import Input

if TYPE_CHECKING:
    from sharnir.model.model import Model


def followed_inputs(model: Model) -> dict[str, Input]:
    """Inputs that some motion follows, by name, in the order of the model.

    >>> from sharnir.model import Body, Model, Prismatic
    >>> m = Model()
    >>> _ = m.add(Body("cart", mass=1), Input("u"), Input("F"), Prismatic("rail", "ground", "cart", axis="x", motion="2*u"))
    >>> list(followed_inputs(m))
    ['u']
    """
    inputs = {name: signal for name, signal in model.signals.items() if isinstance(signal, Input)}
    if not inputs:
        return {}
    named = frozenset[str]().union(*(parse(text, (), None).names for text in _motion_formulas(model)))
    return {name: signal for name, signal in inputs.items() if name in named}


def _motion_formulas(model: Model) -> Iterator[str]:
    """Texts of all formulas of time that coordinates and lengths follow."""
    moved = [*model.joints.values(), *model.constraints.values()]
    for element in (*moved, *([model.base_motion] if model.base_motion is not None else [])):
        yield from (text for _, text, variables in element_formulas(element) if variables == ("t",))
    for event in model.events.values():
        for action in event.actions:
            if isinstance(action, SetMotion):
                yield from formulas(action.motion)
