"""The list of integrators, and the one chosen by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sharnir.arguments import meant, shown
from sharnir.errors import ModelError

# in the order of ALL_INTEGRATORS
# isort: off
from sharnir.integrate.explicit import runge_kutta, adams
from sharnir.integrate.implicit import radau, generalized_alpha, bdf, park
# isort: on

from sharnir.integrate.stepping.integrator import Integrator
from sharnir.integrate.stepping.settings import allowed_evaluations
from sharnir.integrate.sundials import Cvode, Ida, Sundials

# importing their files lists them; kernels are loaded when a run begins
LISTED = (runge_kutta, adams, radau, generalized_alpha, bdf, park)
ALL_INTEGRATORS: dict[str, type[Integrator]] = Integrator.family.classes(own=True)

# programs of others, in optional packages
EXTERNAL_INTEGRATORS: dict[str, type[Sundials]] = {kind.name: kind for kind in (Ida, Cvode)}


class Choice(NamedTuple):
    """Name of an integrator and why it was chosen.

    >>> Choice("dop853", "tight tolerance").name
    'dop853'
    """

    name: str
    reason: str


def default_integrator(rtol: float = 1e-8, every_step: bool = True) -> Choice:
    """The integrator for a tolerance. `every_step`: output is wanted between most steps (a fine grid, or dense output).

    Measured as evaluations at equal error of the result: on the Pleiades, Arenstorf's orbit, a double pendulum and a free top,
    Dormand–Prince 8(5,3) overtakes 5(4) at rtol = 1e-5.7 … 1e-8 if it pays for its dense output in every step, else
    at 1e-4.4 … 1e-6.5; at 1e-10 it needs 0.4 … 0.7 of the evaluations.

    >>> default_integrator(1e-4).name, default_integrator(1e-9).name
    ('dopri5', 'dop853')
    """
    limit = 1e-7 if every_step else 1e-6
    if rtol <= limit:
        return Choice("dop853", f"at rtol = {rtol:g} (≤ {limit:g}) the method of order 8 needs the fewest evaluations")
    return Choice("dopri5", f"at rtol = {rtol:g} (> {limit:g}) the method of order 5 needs the fewest evaluations")


def integrator_named(
    integrator: str | Integrator | Sundials,
    order: int | None = None,
    rtol: float = 1e-8,
    options: Mapping[str, float] | None = None,
) -> Integrator | Sundials:
    """The integrator itself from its name, "auto" included; `options` are those in its `parameters`, and `max_evaluations`.

    >>> integrator_named("abm", order=5).order
    5
    >>> integrator_named("generalized-alpha", options={"rho": 0.5}).options
    {'rho': 0.5}
    """
    allowed_evaluations(options)
    options = {key: value for key, value in (options or {}).items() if key != "max_evaluations"}
    if isinstance(integrator, (Integrator, Sundials)):
        return integrator
    if not isinstance(integrator, str):
        raise ModelError(f"integrator = {shown(integrator)} must be a name, such as 'auto'", field="integrator")
    name = default_integrator(rtol).name if integrator == "auto" else integrator
    if name in EXTERNAL_INTEGRATORS:
        return EXTERNAL_INTEGRATORS[name](order, **options)
    listed = Integrator.family.classes()
    if name not in listed:
        known = ["auto", *listed, *EXTERNAL_INTEGRATORS]
        message = f"integrator = {integrator!r} is unknown; choose one of {', '.join(known)}{meant(integrator, known)}"
        raise ModelError(message, field="integrator")
    return listed[name](order, **options)
