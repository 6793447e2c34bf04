"""The report of a reduction."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sharnir.flexible.finite_elements.rigid_inertia import RigidInertia
from sharnir.flexible.inertia.mass_repair import MassRepair


@dataclass(frozen=True)
class ReductionReport:
    """Quality of a reduced model.

    fe_frequencies (h,) : of the shapes with the mass matrix of the FE model [Hz].
    frequencies (h,) : with the inertia of the reduced model [Hz]; the same for the general method.
    fixed_frequencies : of the normal modes with fixed interfaces [Hz].
    effective_masses (modes, 6) : of these modes, kg for shifts x y z of the interfaces and kg m² for rotations about the origin.
    effective_total (6,) : what all modes together would have.
    fe : mass, centre and inertia of the FE model.   reduced : those of the reduced model.
    geometry : those given by the user, or None.   repair : change by mass repair, or None.
    seconds : computing time by part.

    >>> from sharnir.flexible import Section, reduce, straight_beam
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> report = reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2).report
    >>> report.freedoms, len(report.frequencies), report.interfaces
    (30, 8, ('root', 'tip'))
    """

    name: str
    freedoms: int
    interfaces: tuple[str, ...]
    inertia_method: str
    fe_frequencies: np.ndarray
    frequencies: np.ndarray
    fixed_frequencies: np.ndarray
    effective_masses: np.ndarray
    effective_total: np.ndarray
    fe: RigidInertia
    reduced: RigidInertia
    geometry: RigidInertia | None = None
    repair: MassRepair | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def effective_share(self) -> np.ndarray:
        """(6,) part of the mass of inner nodes that the kept modes move when the interfaces shift or turn; 1 is all."""
        total = np.where(self.effective_total > 0.0, self.effective_total, 1.0)
        found: np.ndarray = self.effective_masses.sum(axis=0) / total
        return found

    def __str__(self) -> str:
        shown = ", ".join(f"{f:.5g}" for f in self.frequencies[:8]) + (" …" if len(self.frequencies) > 8 else "")
        lines = [
            f"{self.name}: {self.freedoms} freedoms → {len(self.frequencies)} elastic coordinates, "
            f"interfaces {', '.join(self.interfaces) or 'none'}, inertia {self.inertia_method}",
            f"frequencies {shown} Hz",
        ]
        if len(self.fixed_frequencies):
            parts = ", ".join(f"{100 * x:.1f}" for x in self.effective_share)
            lines.append(
                f"{len(self.fixed_frequencies)} modes with fixed interfaces up to {self.fixed_frequencies[-1]:.5g} Hz move "
                f"{parts} % of the inner mass (x y z, about x y z)"
            )
        lines += [
            _line(name, body)
            for name, body in (("FE model", self.fe), ("reduced", self.reduced), ("geometry", self.geometry))
            if body
        ]
        if self.repair is not None:
            lines.append(f"mass repair: {self.repair}")
        lines.append("seconds: " + ", ".join(f"{name} {value:.2f}" for name, value in self.seconds.items()))
        return "\n".join(lines)


def _line(name: str, body: RigidInertia) -> str:
    center = ", ".join(f"{x:.6g}" for x in body.center)
    moments = ", ".join(f"{x:.6g}" for x in np.linalg.eigvalsh(body.inertia))
    return f"{name}: mass {body.mass:.6g} kg, centre ({center}) m, principal moments {moments} kg m²"
