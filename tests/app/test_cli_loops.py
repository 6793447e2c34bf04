"""The command line on models with loops and constraints: options, report, wrong usage."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import mechanisms
from sharnir.app.cli import app
from sharnir.model import Model

ROOT = Path(__file__).parents[2]
SLIDER_CRANK = ROOT / "examples" / "slider_crank.toml"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(*arguments: object) -> tuple[int, str]:
    """Exit code and all words of a command, in one line."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, " ".join(result.output.split())


def test_report_tells_loops_redundancy_and_residuals() -> None:
    code, words = call("run", SLIDER_CRANK, "--t-end", 0.2)
    assert code == 0
    for part in ("1 freedom", "1 loop, cut at B; 5 equations", "redundant 3 equations:", "dense solver", "closed to"):
        assert part in words, part


def test_absolute_coordinates_by_an_option() -> None:
    code, words = call("run", SLIDER_CRANK, "--t-end", 0.2, "--formulation", "absolute", "--integrator", "radau5")
    assert code == 0
    assert "20 equations of joints and constraints between 18 speeds" in words
    assert "radau5 of order 5 (your choice)" in words


def test_all_options_reach_the_run(tmp_path: Path) -> None:
    options = ["--integrator", "generalized-alpha", "--option", "rho=0.6", "--tolerance", 1e-5, "--correction", "position"]
    options += ["--stabilization", "0.2,0.7", "--solver", "null-space", "--output", "a.h5"]
    code, words = call("run", SLIDER_CRANK, "--t-end", 0.1, *options)
    assert code == 0 and "null-space solver" in words and "generalized-alpha of order 2" in words
    from sharnir.results import Result

    stats = Result.load(tmp_path / "a.h5").stats
    assert stats["correction"] == "position" and list(stats["stabilization"]) == [0.2, 0.7] and stats["solver"] == "null-space"


def test_settings_of_a_file_reach_the_run() -> None:
    settings = {"t_end": 0.1, "formulation": "absolute", "correction": False, "stabilization": (0.1, 1.0), "solver": "dense"}
    m = mechanisms.planar_parallelogram()
    m.save("loop.toml", settings | {"integrator": "hht", "options": {"alpha": 0.2}, "tolerance": 1e-4})
    assert Model.load("loop.toml") == m
    code, words = call("run", "loop.toml")
    assert code == 0 and "hht of order 2" in words and "absolute" in words
    code, words = call("run", "loop.toml", "--integrator", "bdf")  # options of the file belong to its own integrator
    assert code == 0 and "bdf of order" in words


def test_check_lists_cut_joints() -> None:
    code, words = call("check", SLIDER_CRANK)
    assert code == 0 and "cut: B (Revolute) between rod and slider, 5 rows, loop B slide O A" in words


def test_a_driven_mechanism_is_not_integrated() -> None:
    mechanisms.crank_rocker().save("driven.toml", {"t_end": 0.5, "step": 0.1})
    code, words = call("run", "driven.toml")
    assert code == 0 and "drives determine every position" in words and "1 prescribed motion" in words


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--formulation", "natural", "choose one of joint, absolute"),
        ("--solver", "magic", "choose one of auto, dense, sparse, null-space"),
        ("--correction", "speed", "on, off, position or velocity"),
        ("--stabilization", "strong", "such as 0.1,1"),
        ("--stabilization", "0,1", "period must be positive"),
        ("--option", "rho", "NAME=NUMBER"),
        ("--option", "rho=0.5", "is unknown"),
        ("--integrator", "euler", "choose one of auto, rk4"),
    ],
)
def test_wrong_usage(option: str, value: str, words: str) -> None:
    code, found = call("run", SLIDER_CRANK, option, value)
    assert code == 2
    assert words in found.replace("│ ", "").replace(" │", "")


def test_wrong_settings_in_a_file_are_all_reported() -> None:
    text = (
        SLIDER_CRANK.read_text(encoding="utf-8") + 'formulation = "x"\nsolver = "y"\ncorrection = "z"\nstabilization = [-1, 1]\n'
    )
    Path("bad.toml").write_text(text, encoding="utf-8")
    code, words = call("check", "bad.toml")
    assert code == 1
    for key in ("formulation", "solver", "correction", "stabilization"):
        assert f"simulation.{key}" in words
