"""Initial conditions beyond those given in the joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sharnir.arguments import shown
from sharnir.errors import ModelError


@dataclass(frozen=True)
class Initial:
    """Conditions for the initial state of a model with loops or constraints.

    q : coordinates to be kept, by joint ("O") or freedom ("planar.x"); zero counts, too.
    v : speeds to be kept.
    guess : coordinates near which to begin, free to be corrected; also for joints whose own q would be kept.

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
