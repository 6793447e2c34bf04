"""Random mechanisms with random events: every run ends with a result, or with one error that says why and keeps what there is."""

from __future__ import annotations

import numpy as np
import pytest

from random_lives import random_event, random_mechanism
from sharnir.errors import SharnirError, SimulationError


def life(seed):
    """One run; the result, and the error if there was one."""
    rng = np.random.default_rng(seed)
    m = random_mechanism(rng)
    for k in range(rng.integers(1, 5)):
        m.add(random_event(rng, m, k))
    try:
        result = m.simulate(0.5, output=0.05, formulation=("joint", "absolute")[seed % 2])
    except SimulationError as error:
        return m, error.result, error
    except SharnirError as error:
        return m, None, error
    return m, result, None


def check(m, result, error):
    if error is not None:
        assert len(str(error)) > 20
    if result is None:
        return
    assert (np.diff(result.t) > 0).all()
    assert np.isfinite(result.energy.total).all()
    for name in m.bodies:
        assert np.isfinite(result[f"{name}.position"]).all()
    if error is None:
        assert result.t[-1] == pytest.approx(0.5)
        assert len(result.t) == 11


@pytest.mark.parametrize("seed", range(24))
def test_every_life_ends_well(seed):
    check(*life(seed))


@pytest.mark.slow
def test_hundreds_of_lives_end_well():
    ends = {"result": 0, "error": 0}
    for seed in range(24, 400):
        found = life(seed)
        check(*found)
        ends["error" if found[2] is not None else "result"] += 1
    assert ends["result"] > 200
