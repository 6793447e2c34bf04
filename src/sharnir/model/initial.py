"""Initial conditions beyond those given in the joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sharnir.arguments import shown
from sharnir.errors import ModelError
from sharnir.model.parameters.template import stored_formulas


@dataclass(frozen=True)
class Initial:
    """Conditions for the initial state of a model with loops or constraints.

    q : coordinates to be kept, by joint ("O") or freedom ("planar.x"); zero included.
    v : speeds to be kept.
    guess : starting values that may be corrected; also for joints whose own q would be kept.

    Values may be formulas of the model's parameters.
    Joints whose own `q` or `v` is not zero are kept anyway. Everything else follows with the smallest correction.

    >>> Initial(q={"O": 0.3}, v={"O": 20.0}).q
    {'O': 0.3}
    """

    q: Mapping[str, Any] = field(default_factory=dict)
    v: Mapping[str, Any] = field(default_factory=dict)
    guess: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("q", "v", "guess"):
            given = getattr(self, name)
            if not isinstance(given, Mapping):
                raise ModelError(f"Initial: {name} = {shown(given)} must map joints to numbers, as in {{'O': 0.3}}", field=name)
            object.__setattr__(self, name, dict(given))
        both = set(self.q) & set(self.guess)
        if both:
            raise ModelError(f"Initial: '{sorted(both)[0]}' is both in q (kept) and in guess (corrected); choose one of them")

    def with_numbers(self, parameters: Mapping[str, float]) -> Initial:
        """The same with numbers in place of formulas of parameters.

        >>> Initial(q={"O": "2*a"}).with_numbers({"a": 0.1}).q
        {'O': 0.2}
        """
        given = {"q": self.q, "v": self.v, "guess": self.guess}
        found = {
            name: {key: stored_formulas(value, "numbers", parameters, "Initial", name)[1] for key, value in part.items()}
            for name, part in given.items()
        }
        return Initial(**found)
