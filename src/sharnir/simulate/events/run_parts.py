"""Parts of a run, between which the structure or the integrator have changed."""

from __future__ import annotations

from dataclasses import dataclass

from sharnir.dynamics.system import System
from sharnir.integrate.run import Run


@dataclass
class Part:
    """Outputs from one change to the next."""

    system: System
    run: Run
    first: int  # number of its first output among those of the run
