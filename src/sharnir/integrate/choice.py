"""The list of integrators, and which one a user gets who does not choose."""

from __future__ import annotations

from typing import NamedTuple

from sharnir.errors import ModelError
from sharnir.integrate.adams import AdamsBashforthMoulton
from sharnir.integrate.explicit_runge_kutta import DormandPrince5, DormandPrince8, Fehlberg45, RungeKutta4
from sharnir.integrate.integrator import Integrator

ALL_INTEGRATORS: dict[str, type[Integrator]] = {
    kind.name: kind for kind in (RungeKutta4, Fehlberg45, DormandPrince5, DormandPrince8, AdamsBashforthMoulton)
}


class Choice(NamedTuple):
    """Name of an integrator and why it was chosen."""

    name: str
    reason: str


def default_integrator(rtol: float = 1e-8) -> Choice:
    return Choice("dopri5", "")


def integrator_named(integrator: str | Integrator, order: int | None = None, rtol: float = 1e-8) -> Integrator:
    if isinstance(integrator, Integrator):
        return integrator
    name = default_integrator(rtol).name if integrator == "auto" else integrator
    if name not in ALL_INTEGRATORS:
        raise ModelError(f"integrator = {integrator!r} is unknown; choose one of {', '.join(['auto', *ALL_INTEGRATORS])}", field="integrator")
    return ALL_INTEGRATORS[name](order)
