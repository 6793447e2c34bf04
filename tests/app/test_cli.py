"""The command line: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sharnir
from sharnir.app.cli import app
from sharnir.app.demos import ALL_DEMOS
from sharnir.model import Model
from sharnir.results import Result

ROOT = Path(__file__).parents[2]
PENDULUM = ROOT / "examples" / "pendulum.toml"
URDF = ROOT / "src" / "sharnir" / "app" / "demos" / "vehicles" / "quadruped.urdf"
BAD = """
[model]
nam = "x"
[bodies.bob]
mass = -1.0
[joints.hinge]
type = "revolut"
parent = "ground"
child = "bob"
"""
BLOW_UP = """
[model]
name = "blow-up"
[bodies.bob]
mass = 1.0
[joints.slide]
type = "prismatic"
parent = "ground"
child = "bob"
axis = "x"
v = 1.0
torque = "v**3"
[simulation]
t_end = 1.92
step = 0.03
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(*arguments: object) -> tuple[int, str, str]:
    """Exit code, output and errors of a command in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, re.sub(r"[│\s]+", " ", result.stderr)


def files() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def process(*arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")} | settings
    command = [sys.executable, "-m", "sharnir", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=600, check=False)


def test_run_says_what_it_did_and_writes_nothing() -> None:
    code, out, _ = call("run", PENDULUM)
    assert code == 0
    words = (
        "1 body, 1 joint, 0 forces; 1 freedom",
        "articulated (predicted",
        "dop853 of order 8",
        "10 s of motion in",
        "kept to",
    )
    assert [word for word in words if word not in out] == []
    assert files() == []


def test_run_writes_what_it_is_asked_for() -> None:
    outputs = ["a.csv", "a.h5", "a.parquet", "a.html", "a.png", "a.svg"]
    code, out, _ = call("run", PENDULUM, "--t-end", 1, *(word for name in outputs for word in ("-o", name)))
    assert code == 0
    assert files() == sorted(outputs)
    assert all(name in out for name in outputs)
    assert Path("a.csv").read_text().splitlines()[0] == "t,hinge.q"
    assert Result.load("a.h5").t[-1] == 1.0
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")


def test_options_go_before_the_file() -> None:
    code, out, _ = call("run", PENDULUM, "-t", 0.5, "--step", 0.1, "--integrator", "rk4", "--method", "composite", "-o", "a.csv")
    assert code == 0
    assert "composite (your choice)" in out
    assert "rk4 of order 4 (your choice), fixed step" in out
    assert len(Path("a.csv").read_text().splitlines()) == 1 + 6


def test_plot_goes_to_a_picture_named_like_the_model() -> None:
    code, out, _ = call("run", PENDULUM, "-t", 1, "--plot", "hinge.q", "--plot", "bob.position.z")
    assert code == 0
    assert files() == ["pendulum.png"]
    assert "pendulum.png" in out


def test_plot_of_an_unknown_channel_keeps_the_other_files() -> None:
    code, _, err = call("run", PENDULUM, "-t", 1, "--plot", "hing.q", "-o", "a.csv")
    assert code == 2
    assert "did you mean 'hinge.q'" in err
    assert files() == ["a.csv"]


def test_quiet_is_quiet() -> None:
    assert call("run", PENDULUM, "--quiet", "-o", "a.csv") == (0, "", "")
    assert files() == ["a.csv"]


def test_urdf_runs_without_conversion() -> None:
    code, out, _ = call("run", URDF, "-t", 0.1)
    assert code == 0
    assert "17 bodies, 17 joints, 0 forces; 12 freedoms" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run"], "Missing argument"),
        (["run", PENDULUM, "--t-end", "-1"], "must be positive"),
        (["run", PENDULUM, "--integrator", "euler"], "'euler' is unknown; choose one of auto, rk4"),
        (["run", PENDULUM, "--method", "magic"], "'magic' is unknown; choose one of auto, articulated"),
        (["run", PENDULUM, "-o", "a.xls"], "the suffix must be one of .csv"),
        (["run", PENDULUM, "-o", "nowhere/a.csv"], "make it first"),
        (["run", URDF], "give --t-end 10"),
        (["demo", "nope"], "there is no demo 'nope'; there are satellite"),
        (["fly"], "No such command"),
    ],
)
def test_wrong_usage(arguments: list[object], words: str) -> None:
    code, _, err = call(*arguments)
    assert code == 2
    assert words in err
    assert files() == []


@pytest.mark.parametrize("command", ["run", "check"])
def test_all_problems_of_a_file_at_once(command: str) -> None:
    Path("bad.toml").write_text(BAD)
    code, out, err = call(command, "bad.toml")
    assert (code, out) == (1, "")
    for words in ("bad.toml: 3 problems", "did you mean 'name'?", "mass = -1.0", "did you mean 'revolute'?"):
        assert words in err


@pytest.mark.parametrize("command", ["run", "check", "urdf"])
def test_missing_file(command: str) -> None:
    code, out, err = call(command, "none.toml")
    assert (code, out, err.strip()) == (1, "", "error: none.toml: there is no such file; check the name and the folder")


def test_check_tells_a_loop_that_cannot_move() -> None:
    """A second hinge beside the first one holds the bob fast."""
    text = PENDULUM.read_text() + '\n[joints.second]\ntype = "revolute"\nparent = "ground"\nchild = "bob"\naxis = "y"\n'
    Path("loop.toml").write_text(text)
    code, out, _ = call("check", "loop.toml")
    assert code == 0
    assert "0 freedoms" in out
    assert "1 loop" in out


def test_failed_run_keeps_what_it_computed() -> None:
    Path("blow-up.toml").write_text(BLOW_UP)
    code, out, err = call("run", "blow-up.toml", "-o", "part.csv")
    assert code == 3  # v = 1 / sqrt(1 - 2 t) has a pole at t = 1/2
    assert "after t = 0.5" in err
    assert "part.csv" in out
    last = Path("part.csv").read_text().splitlines()[-1].split(",")
    assert 0.4 < float(last[0]) < 0.5
    assert float(last[1]) == pytest.approx(1 - (1 - 2 * float(last[0])) ** 0.5, rel=1e-6)


def test_check_shows_the_tree() -> None:
    code, out, _ = call("check", PENDULUM)
    assert code == 0
    assert "hinge (Revolute) -> bob" in out
    assert "t_end = 10.0, step = 0.01" in out
    assert files() == []


def test_demo_writes_two_files_and_says_so() -> None:
    code, out, _ = call("demo")
    assert code == 0
    assert files() == ["satellite.html", "satellite.png"]
    words = ("satellite: A spinning satellite", "unfolding slows the spin", "satellite.png", "Open satellite.html in a browser")
    assert [word for word in words if word not in out] == []


def test_demo_elsewhere_with_its_model() -> None:
    code, _, _ = call("demo", "handle", "--output-dir", "pictures", "--model", "handle.toml")
    assert code == 0
    assert files() == ["handle.toml", "pictures"]
    assert sorted(path.name for path in Path("pictures").iterdir()) == ["handle.html", "handle.png"]
    assert Model.load("handle.toml") == ALL_DEMOS["handle"].model()
    assert call("run", "handle.toml")[0] == 0
    code, _, err = call("demo", "free-kick", "--model", "kick.toml")
    assert (code, "Python code cannot be saved" in err, files()) == (1, True, ["handle.toml", "pictures"])


def test_demo_opens_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert call("demo", "handle", "--open")[0] == 0
    assert opened == [(tmp_path / "handle.html").as_uri()]


def test_demo_list() -> None:
    code, out, _ = call("demo", "--list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(ALL_DEMOS)
    assert files() == []


def test_schema_is_the_published_one() -> None:
    code, out, _ = call("schema")
    assert code == 0
    assert json.loads(out) == json.loads((ROOT / "docs" / "model.schema.json").read_text(encoding="utf-8"))
    assert call("schema", "-o", "s.json")[0] == 0
    assert Path("s.json").read_text(encoding="utf-8") == out


def test_urdf_becomes_the_same_model() -> None:
    assert call("urdf", URDF, "--floating-base", "-o", "robot.toml")[0] == 0
    assert Model.load("robot.toml") == sharnir.load_urdf(URDF, floating_base=True)
    code, out, _ = call("urdf", URDF)
    assert code == 0
    assert out.startswith("[model]\n")


def test_help_has_examples_for_every_command() -> None:
    code, out, _ = call("--help")
    assert code == 0
    for command in ("run", "demo", "check", "bench", "warmup", "schema", "urdf"):
        assert re.search(rf"│ {command} ", out)
        text = call(command, "--help")[1]
        assert f"sharnir {command}" in text
        assert "Example" in text


def test_version_in_a_process() -> None:
    done = process("--version")
    assert (done.returncode, done.stdout) == (0, f"sharnir {sharnir.__version__}\n")


def test_pipe_has_no_colours_and_no_broken_lines() -> None:
    done = process("run", PENDULUM, FORCE_COLOR="", TERM="xterm-256color")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert any(len(line) > 80 for line in done.stdout.splitlines())


def test_terminal_that_knows_ascii_only() -> None:
    done = process("run", PENDULUM, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "?s per evaluation" in done.stdout


def test_help_loads_nothing_heavy() -> None:
    heavy = ("numba", "scipy", "matplotlib", "pydantic", "h5py")
    script = f"import sys, sharnir.app.cli; print([name for name in {heavy} if name in sys.modules])"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True, timeout=600
    )
    assert done.stdout.strip() == "[]"
