"""Switches in formulas of constraints, such as the dwell of a cam: steps of a run end where the mechanism passes them.

Nothing is held there: a profile goes on without a jump, or the mechanism could not follow it. But a step that is as long as a
dwell would not see the lift behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sharnir.model import Model
from sharnir.model.constraints.couplings import Cam
from sharnir.model.constraints.user_constraint import Constraint
from sharnir.model.formula import parse
from sharnir.model.formula.switches import switches
from sharnir.model.given_functions import Table, formulas
from sharnir.model.signals import Equations, SignalElement


class Watched(SignalElement, listed=False):
    """A number whose switches are located; nobody uses it."""

    locates = True

    def __init__(self, label: str, text: str, variables: Mapping[str, Any], tables: Mapping[str, Any]) -> None:
        self._label, self.text, self.variables, self.tables = label, text, variables, tables

    @property
    def label(self) -> str:
        return self._label

    def formulas(self) -> list[tuple[str, str]]:
        return [("formula", self.text)]

    def equations(self) -> Equations:
        return Equations({"": self.text})


def constraint_switches(model: Model) -> dict[str, Watched]:
    """What is watched for the constraints of a model, by name; no signal of a user has a blank in its name.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1), sr.Body("b", mass=1), sr.Revolute("R", "ground", "a", axis="z"))
    >>> _ = m.add(sr.Prismatic("P", "ground", "b", axis="y"), sr.Cam("K", "R", "P", "if(q > 1, 0.1*(q - 1)^4, 0)"))
    >>> {name: watched.text for name, watched in constraint_switches(m).items()}
    {'switch K 0': 'sign(q + (-1.0))'}
    """
    found: dict[str, Watched] = {}
    for constraint in model.constraints.values():
        texts: list[str] = []
        variables: Mapping[str, Any] = {}
        if isinstance(constraint, Cam):
            profile = constraint.profile[0] if isinstance(constraint.profile, tuple) else constraint.profile
            variables, texts = {"q": constraint.cam}, formulas(profile)
            if isinstance(profile, Table):
                found[f"switch {constraint.name}"] = Watched(constraint.label, "profile(q)", variables, {"profile": profile})
        elif isinstance(constraint, Constraint):
            variables, texts = constraint.variables, [constraint.formula]
        located = [s for text in texts for s in switches(parse(text, (), None, dotted=True))]
        for k, switch in enumerate(s for s in located if switch_moves(s.names, model)):
            call = "floor" if switch.function == "floor" else "sign"
            used = {name: x for name, x in variables.items() if {name, f"{name}_dot"} & switch.argument.names}
            found[f"switch {constraint.name} {k}"] = Watched(constraint.label, f"{call}({switch.argument})", used, {})
    return found


def switch_moves(names: frozenset[str], model: Model) -> bool:
    """What decides about a switch is more than the time and numbers that stay."""
    return bool(names - {"t"} - set(model.parameters))
