"""Steps over singular positions: the position lies in the widest gap between the stages of a step."""

import numpy as np
import pytest

from mechanisms import four_bar
from sharnir.integrate import ALL_INTEGRATORS
from sharnir.integrate.run import Run
from sharnir.integrate.stepping.settings import Settings

SINGULAR = 0.7143554695  # s: the cranks of `four_bar` are level


@pytest.mark.parametrize("integrator", ["dop853", "dopri5", "rkf45"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_no_stage_is_near(integrator, tolerance):
    """In joint coordinates steps are longer than the position is seen ahead; there they pass it anyhow."""
    system, method = four_bar(2).compile(formulation="absolute"), ALL_INTEGRATORS[integrator]()
    run = Run(system.problem(), system.y0, [0.0, 1.0], method, Settings(rtol=tolerance, atol=0.01 * tolerance))
    ends = [0.0]
    while not run.done:
        run.advance(1)
        ends.append(run.t)
    ends = np.unique(ends)
    k = int(np.searchsorted(ends, SINGULAR))
    place = (SINGULAR - ends[k - 1]) / (ends[k] - ends[k - 1])
    assert place == pytest.approx(method.gap_at, abs=0.1)


def test_middles_of_gaps():
    """dop853 has none between 1/3 and 3/5, Dormand–Prince 5(4) none between 3/10 and 4/5."""
    assert ALL_INTEGRATORS["dop853"]().gap_at == pytest.approx(7 / 15)
    assert ALL_INTEGRATORS["dopri5"]().gap_at == pytest.approx(0.55)
