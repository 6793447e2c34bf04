"""What a run tells the logger "sharnir" at its end."""

from __future__ import annotations

import logging

import pytest

import sharnir as sr


def slide(limit: float) -> sr.Model:
    m = sr.Model("slide")
    m.add(sr.Body("b", mass=1), sr.Prismatic("z", "ground", "b", axis="z", limits=(-limit, 0)))
    return m


def test_runs_and_their_warnings_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="sharnir")
    slide(9).simulate(1.0, step=0.5, integrator="rk4")
    assert [(x.name, x.levelname) for x in caplog.records] == [("sharnir", "INFO")]
    assert caplog.messages[0].startswith("model 'slide': 1 s by rk4 in ")
    caplog.clear()
    with pytest.warns(sr.RunWarning, match="passes its limits"):
        slide(1).simulate(1.0, step=0.5, integrator="rk4")
    assert [x.levelname for x in caplog.records] == ["INFO", "WARNING"]
    assert "z.q is below -1 from t = 0.408 s on, farthest at t = 1 s with -4.905 m" in caplog.messages[1]


def test_nothing_is_written_unless_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(sr.RunWarning):
        slide(1).simulate(1.0, step=0.5, integrator="rk4")
    assert capfd.readouterr().err == ""
