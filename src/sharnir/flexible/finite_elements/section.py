"""Cross-sections of beams."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, tanh

from sharnir.arguments import advising, fail, number
from sharnir.errors import ModelError


@advising
@dataclass(frozen=True)
class Section:
    """Cross-section of a beam in its principal axes y, z through the centroid (x runs along the beam).

    area : [m²].   Iy, Iz : ∫z² dA and ∫y² dA [m⁴].
    J : torsion constant [m⁴]; the polar moment only for round sections.
    shear_y, shear_z : shear factors k of forces along y and z, in k G A (used by Timoshenko beams).

    >>> Section.rectangle(width=2, height=3).Iy  # bending about y: the height counts cubed
    4.5
    """

    area: float
    Iy: float
    Iz: float
    J: float
    shear_y: float = 5 / 6
    shear_z: float = 5 / 6

    def __post_init__(self) -> None:
        for key in ("area", "Iy", "Iz", "J", "shear_y", "shear_z"):
            number(getattr(self, key), "Section", key, above=0)

    @property
    def polar(self) -> float:
        """Polar moment Iy + Iz, m⁴: inertia of the turning section."""
        return self.Iy + self.Iz

    @classmethod
    def round(cls, radius: float, nu: float = 0.3) -> Section:
        """A full circle; shear factor of Cowper (1966).

        >>> Section.round(0.01).area
        0.0003141592653589793
        """
        return cls.tube(radius, 0.0, nu)

    @classmethod
    def tube(cls, radius: float, inner: float, nu: float = 0.3) -> Section:
        """A circular tube of outer radius `radius` and inner radius `inner`; shear factor of Cowper (1966).

        >>> round(Section.tube(0.05, 0.045).area * 1e4, 3)  # cm²
        14.923
        """
        radius, inner = number(radius, "Section.tube", "radius"), number(inner, "Section.tube", "inner")
        nu = poisson_ratio(nu, "Section.tube")
        if not 0 <= inner < radius:
            raise ModelError(f"Section.tube: inner = {inner} must lie between 0 and radius = {radius}", field="inner")
        area, moment = pi * (radius * radius - inner * inner), pi * (radius * radius + inner * inner) / 4
        moment *= radius * radius - inner * inner
        m = inner / radius
        square = (1 + m * m) ** 2
        k = 6 * (1 + nu) * square / ((7 + 6 * nu) * square + (20 + 12 * nu) * m * m)
        return cls(area, moment, moment, 2 * moment, k, k)

    @classmethod
    def rectangle(cls, width: float, height: float, nu: float = 0.3) -> Section:
        """Width along y, height along z; torsion constant of Saint-Venant's series, shear factor of Cowper (1966).

        >>> square = Section.rectangle(1.0, 1.0)
        >>> round(square.J, 6)
        0.140577
        """
        width, height = (number(x, "Section.rectangle", key, above=0) for key, x in (("width", width), ("height", height)))
        nu = poisson_ratio(nu, "Section.rectangle")
        a, b = max(width, height), min(width, height)
        series = sum(tanh(n * pi * (a / b) / 2) / n**5 for n in range(1, 40, 2))
        J = a * b * b * b / 3 * (1 - 192 * (b / a) / pi**5 * series)
        k = 10 * (1 + nu) / (12 + 11 * nu)
        return cls(width * height, width * height * height * height / 12, height * width * width * width / 12, J, k, k)


def poisson_ratio(value: float, label: str) -> float:
    """ν of an isotropic material: between -1 and 0.5."""
    nu = number(value, label, "nu")
    if not -1 < nu < 0.5:
        fail(label, "nu", f"= {nu!r} must lie between -1 and 0.5")
    return nu
