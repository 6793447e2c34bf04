"""The command line on models with flexible bodies: an engineer who writes a file and no Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import sharnir as sr
from sharnir.app.cli import app

TEXT = """
[model]
name = "swing"

[bodies.beam]
type = "flexible-body"
frame_at = "root"

[bodies.beam.reduced]
interfaces = {root = 0, tip = 6}
modes = 2
fe = {type = "straight-beam", start = [0, 0, 0], end = [1, 0, 0], elements = 6, section = {type = "round", radius = 0.01}}

[joints.hinge]
type = "revolute"
parent = "ground"
child = "beam:root"
axis = "y"

[simulation]
t_end = 0.02
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("swing.toml").write_text(TEXT, encoding="utf-8")


def call(*arguments: object) -> tuple[int, str]:
    """Exit code and all words of a command, in one line."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, " ".join(result.output.split())


def test_run_tells_of_flexible_bodies_and_writes_nodes() -> None:
    code, words = call("run", "swing.toml", "-o", "swing.h5", "-p", "beam:4.displacement.z", "-p", "beam:root.force.fz")
    assert code == 0, words
    assert "1 body (1 flexible), 1 joint, 0 forces; 9 freedoms" in words
    assert "beam: 2.46615 kg, 8 elastic coordinates from 92.3" in words
    assert "interfaces root, tip, frame at root" in words
    assert "kept to" in words  # nothing dampens it
    assert Path("swing.png").is_file()
    assert sr.Result.load("swing.h5").node("beam", 4).displacement.shape == (501, 3)


def test_damped_bodies_lose_energy() -> None:
    Path("swing.toml").write_text(TEXT.replace("modes = 2", "modes = 2\ndamping = 0.02"), encoding="utf-8")
    code, words = call("run", "swing.toml")
    assert code == 0
    assert "dampers" in words


def test_check_shows_the_body_and_finds_a_missing_file() -> None:
    code, words = call("check", "swing.toml")
    assert code == 0
    assert "8 elastic coordinates" in words
    sr.Model.load("swing.toml").save("saved.toml")
    assert call("run", "saved.toml", "-t", 0.01)[0] == 0
    Path("saved.beam.npz").unlink()
    code, words = call("check", "saved.toml")
    assert code == 1
    assert "bodies.beam.reduced: 'saved.beam.npz': there is no such file" in words


def test_unknown_node_is_said() -> None:
    code, words = call("run", "swing.toml", "-p", "beam:77.displacement.z")
    assert code == 2
    assert "has no node 77" in words
