"""Initial conditions beyond those given in the joints, and places that bodies should reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sharnir.arguments import advising, number, sequence, shown, text
from sharnir.errors import ModelError
from sharnir.model.frames import stored_rotation
from sharnir.model.parameters.template import stored_formulas

if TYPE_CHECKING:
    from sharnir.model.values import Angles


@advising
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

    q: Mapping[str, Angles] = field(default_factory=dict)
    v: Mapping[str, Angles] = field(default_factory=dict)
    guess: Mapping[str, Angles] = field(default_factory=dict)

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


@advising
@dataclass(frozen=True)
class Target:
    """Where a body should be, for `System.inverse_kinematics`.

    body : its name.
    position : of `point` in the world [m]; None in place of a number leaves this direction open, None all of them.
    rotation : quaternion (w, x, y, z) or 3×3 matrix (axes of the body -> world); None leaves it open.
    point : in axes of the body, from the origin of its frame.

    >>> Target("hand", position=(0.5, None, 0.3)).described()
    'position (0.5, None, 0.3)'
    """

    body: str
    position: Sequence[float | None] | np.ndarray | None = None
    rotation: Sequence[float] | Sequence[Sequence[float]] | np.ndarray | None = None
    point: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        label = f"Target of {shown(self.body)}"
        object.__setattr__(self, "body", text(getattr(self.body, "name", self.body), "Target", "body"))
        for name in ("position", "point"):
            given = getattr(self, name)
            if given is None and name == "position":
                continue
            entries = sequence(given, label, name, "three numbers")
            if len(entries) != 3:
                raise ModelError(f"{label}: {name} = {shown(given)} must have three numbers", field=name)
            open_too = name == "position"
            values = tuple(None if x is None and open_too else number(x, label, name) for x in entries)
            object.__setattr__(self, name, values)
        object.__setattr__(self, "rotation", stored_rotation(self.rotation, label))
        if self.rotation is None and (self.position is None or all(x is None for x in self.position)):
            raise ModelError(f"{label} is empty; give position, rotation or both", field="position")

    def described(self) -> str:
        """Position and rotation as text.

        >>> Target("hand", rotation=(1, 0, 0, 0)).described()
        'rotation (1.0, 0.0, 0.0, 0.0)'
        """
        given = [(name, getattr(self, name)) for name in ("position", "rotation")]
        return ", ".join(f"{name} {value}" for name, value in given if value is not None)
