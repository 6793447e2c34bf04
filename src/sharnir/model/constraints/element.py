"""What every constraint answers to the engine."""

from __future__ import annotations

from typing import ClassVar

from sharnir.model.element import Element


class ConstraintElement(Element):
    """A named constraint; see the package's docstring for what the engine asks."""

    n_holonomic: ClassVar[int] = 1
    n_nonholonomic: ClassVar[int] = 0

    @property
    def n_equations(self) -> int:
        """Number of scalar equations."""
        return self.n_holonomic + self.n_nonholonomic

    @property
    def nonholonomic(self) -> bool:
        """True if an equation restricts speeds and not positions."""
        return self.n_nonholonomic > 0

    @property
    def body_references(self) -> list[tuple[str, str]]:
        """(field, name) of every body that is named, for checks."""
        return [(field, getattr(self, field)) for field in self.body_fields]

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        """(field, name) of every joint that is named, for checks."""
        return []

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies whose position or velocity stands in the equations, each once ("ground" included)."""
        return tuple(dict.fromkeys(name for _, name in self.body_references))

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints whose coordinates stand in the equations, each once."""
        return tuple(dict.fromkeys(name for _, name in self.joint_references))
