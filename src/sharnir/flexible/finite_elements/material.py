"""An isotropic elastic material."""

from __future__ import annotations

from dataclasses import dataclass

from sharnir.arguments import advising, fail, number, shown


@advising
@dataclass(frozen=True)
class Material:
    """Isotropic, linearly elastic: Young's modulus E (Pa), Poisson's ratio nu, density (kg/m³).

    >>> Material(E=70e9, nu=0.33, density=2700).G / 1e9
    26.31578947368421
    """

    E: float
    nu: float
    density: float
    name: str = "material"

    def __post_init__(self) -> None:
        label = f"Material {shown(self.name)}"
        number(self.E, label, "E", above=0)
        if not -1 < number(self.nu, label, "nu") < 0.5:
            fail(label, "nu", f"= {self.nu} must lie between -1 and 0.5")
        number(self.density, label, "density", low=0)
        if not isinstance(self.name, str):
            fail(label, "name", "must be text")

    @property
    def G(self) -> float:
        """Shear modulus, Pa."""
        return self.E / (2 * (1 + self.nu))

    @property
    def lame(self) -> float:
        """Lamé's first parameter λ, Pa."""
        return self.E * self.nu / ((1 + self.nu) * (1 - 2 * self.nu))


STEEL = Material(E=210e9, nu=0.3, density=7850.0, name="steel")
ALUMINIUM = Material(E=70e9, nu=0.33, density=2700.0, name="aluminium")
