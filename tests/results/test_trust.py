"""The line that says whether a run is to be trusted: every number that speaks for or against it."""

import pytest

from sharnir.results.trust import trust_of

FINE = {"energy_residual": 1e-9, "energy_moved": 1.0, "energy_allowed": 1e-6, "position_residual": 1e-13, "speed_residual": 1e-12}
STEPS = {"steps": 90, "rejected": 10, "smallest_step": 1e-4, "largest_step": 0.1, "t_reached": 1.0}


def test_everything_is_fine():
    trust = trust_of(FINE | STEPS | {"defect": 0.2, "redundant": ["B: torque about x"]})
    assert trust.good and str(trust).startswith("good (energy balances to 1e-09 J of 1 J, constraints closed to 1e-13")
    assert "defect between steps 0.2" in str(trust) and "1 redundant equation" in str(trust) and "10 % of steps" in str(trust)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"energy_residual": 1e-3}, "smaller tolerance"),
        ({"energy_residual": 1e-3, "fixed_step": True}, "shorter steps"),
        ({"speed_residual": 2.0}, "their speeds to 2e+00"),
        ({"position_residual": 1e-3}, "closed to 1e-03"),
        ({"smallest_step": 1e-13}, "steps as short as 1e-13 s"),
        ({"warnings": ["joint 'z' passes its limits"]}, "passes its limits"),
    ],
)
def test_every_doubt_is_told(change, said):
    trust = trust_of(FINE | STEPS | change)
    assert not trust.good and str(trust).startswith("look again: ") and said in str(trust)


def test_limits_of_steps_and_missing_balances_are_mentioned():
    trust = trust_of(STEPS | {"max_step": 0.1, "energy_unaudited": "nothing was integrated"})
    assert trust.good and "max_step" in str(trust) and "no balance of energy: nothing was integrated" in str(trust)
