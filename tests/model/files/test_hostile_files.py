"""Model files of strangers: what they may read, how much they may ask for; every refusal is in words and quick."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sharnir.errors import FileError, FormulaError, ModelError, ModelFileError, SharnirError
from sharnir.input_file import content, only_below, permitted
from sharnir.model import Model
from sharnir.model.files.model_file import load_run, run_from_text

ARM = """
[bodies.arm]
mass = 1.0
position = [1, 0, 0]

[joints.O]
type = "revolute"
parent = "ground"
child = "arm"
at = [0, 0, 0]
axis = "y"
"""
BEAM = """
[bodies.beam]
type = "flexible-body"
reduced = REDUCED
"""
STRAIGHT = '{fe = {type = "straight-beam", start = [0,0,0], end = [1,0,0], elements = %s, section = {type="round", radius=0.1}}}'


def written(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "model.toml").write_text(text)
    return folder / "model.toml"


def with_table(name: str) -> str:
    return ARM + f'motion = {{file = "{name}", kind = "cubic"}}\n'


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text("0,0\n1,1\n2,4\n3,9\n")
    return path


def test_files_below_the_folder_are_read(tmp_path, table):
    assert Model.load(written(tmp_path, with_table("table.csv"))).joints["O"].motion
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "table.csv").write_text(table.read_text())
    assert Model.load(written(tmp_path, with_table("deep/../deep/table.csv"))).joints["O"].motion


@pytest.mark.parametrize("name", ["../table.csv", "/etc/passwd", "../../../../../../etc/passwd", "link.csv", "folder/table.csv"])
def test_files_outside_need_permission(tmp_path, table, name):
    path = written(tmp_path / "model", with_table(name))
    (path.parent / "link.csv").symlink_to(table)
    (path.parent / "folder").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(ModelFileError, match="outside the folder of the model file"):
        Model.load(path)
    if "etc" not in name:
        assert Model.load(path, allow_outside=True).joints["O"].motion


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
@pytest.mark.parametrize("outside", [False, True])
def test_devices_pipes_and_folders_are_not_opened(tmp_path, outside):
    """A pipe would wait for ever, /dev/zero would never end."""
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    for name in ("pipe.csv", "folder.csv", "zero.csv", "/dev/zero", "/dev/stdin", "\\u0000", "x" * 5000):
        for text in (with_table(name), BEAM.replace("REDUCED", f'"{name}"'), BEAM.replace("REDUCED", fe_file(name))):
            with pytest.raises(SharnirError):
                Model.load(written(tmp_path, text), allow_outside=outside)


def fe_file(name: str) -> str:
    return f'{{fe = {{type = "fe-file", path = "{name}", format = "calculix"}}, interfaces = {{a = 1}}}}'


def test_what_fe_files_include_stays_inside(tmp_path):
    """Siblings and INCLUDEs of FE files obey the same rule."""
    data = Path(__file__).parents[2] / "flexible" / "data"
    secret, inner = tmp_path / "secret.inp", tmp_path / "model"
    secret.write_text("*NODE\n1, 0, 0, 0\n")
    inner.mkdir()
    for name in ("brick.sti", "brick.mas", "brick.dof"):
        (inner / name).write_bytes((data / name).read_bytes())
    text = BEAM.replace("REDUCED", '{fe = {type = "fe-file", path = "brick.sti"}, interfaces = {a = 1}}')
    (inner / "brick.inp").write_text("*INCLUDE, INPUT=../secret.inp\n")
    with pytest.raises(ModelFileError, match="outside the folder"):
        Model.load(written(inner, text))
    (inner / "brick.inp").unlink()
    (inner / "brick.inp").symlink_to(data / "brick.inp")
    with pytest.raises(ModelFileError, match="outside the folder"):
        Model.load(written(inner, text))


def test_sizes_are_bounded(tmp_path):
    big = tmp_path / "big.toml"
    with big.open("wb") as file:
        file.truncate(1 << 30)  # a hole: it takes no room
    with pytest.raises(FileError, match="larger than"):
        Model.load(big)
    with pytest.raises(FileError, match="larger than"):
        content("/dev/zero", most=1000)
    (tmp_path / "big.csv").symlink_to(big)
    with pytest.raises(ModelFileError, match="larger than"):
        Model.load(written(tmp_path, with_table("big.csv")))


def test_the_guard_ends_with_the_reading(tmp_path):
    with only_below(tmp_path), pytest.raises(FileError):
        permitted("/etc/passwd")
    assert permitted("/etc/passwd") == Path("/etc/passwd")


@pytest.mark.parametrize("count", ["1000000000", "100001", "0", "-1", "1e9", "1.5", "99999999999999999999999"])
def test_counts_are_bounded(count):
    with pytest.raises(ModelFileError):
        run_from_text(BEAM.replace("REDUCED", STRAIGHT % count))


def test_more_modes_than_freedoms_are_all_modes():
    model, _ = run_from_text(BEAM.replace("REDUCED", (STRAIGHT % 3)[:-1] + ", interfaces = {a = 0}, modes = 1000000000}"))
    assert model.bodies["beam"].reduced.count <= 24


def test_nesting_is_bounded():
    for opened, closed in (("[", "]"), ("{a=", "}")):
        with pytest.raises(ModelFileError):
            run_from_text(f"[model]\nname = {opened * 100_000}{closed * 100_000}")
    with pytest.raises(ModelFileError):
        run_from_text("a." * 20_000 + "b = 1")


@pytest.mark.parametrize(
    "formula",
    [
        "q" + "*q" * 4999,
        "q" + "+q" * 4999,
        "q" + "^q" * 90,
        "-" * 5000 + "q",
        "(" * 5000 + "q" + ")" * 5000,
        "sin(" * 2000 + "q" + ")" * 2000,
        "q" + "/(q" * 2000 + ")" * 2000,
        "min(" + ",".join("q" for _ in range(4000)) + ")",
        "if(q," * 1000 + "q" + ",q)" * 1000,
    ],
    ids=lambda text: f"{text[:6]}…",
)
def test_long_formulas_are_refused_or_read_at_once(formula):
    try:
        model, _ = run_from_text(ARM + f'torque = "{formula}"\n')
    except ModelFileError as error:
        assert "formula" in str(error) or "nested" in str(error) or "at most" in str(error)  # noqa: PT017
        return
    motion = model.joints["O"].torque[0]
    assert len(motion) < 1000


def test_the_longest_formula_still_compiles():
    from sharnir.dynamics.memory.c_functions import read
    from sharnir.model.formula.parser import MOST_OPERANDS, parse

    source = parse("q" + "*q" * (MOST_OPERANDS - 1), ("q",)).source()
    read(f"def formula(q): return {source}", "formula", {})
    with pytest.raises(FormulaError, match="at most"):
        parse("q" + "*q" * MOST_OPERANDS, ("q",))
    with pytest.raises(FormulaError, match="too long for Python"):
        read("def formula(q): return " + "q" + "*q" * 50_000, "formula", {})


def test_grids_of_tables_are_covered_before_memory_is_taken(tmp_path):
    from sharnir.model import GridTable

    path = tmp_path / "grid.csv"
    path.write_text("".join(",".join(str(k + j) for j in range(6)) + "\n" for k in range(0, 6000, 6)))
    with pytest.raises(ModelError, match="do not cover the grid"):
        GridTable.from_csv(path)


def test_outputs_beyond_memory_are_refused():
    model, _ = run_from_text(ARM)
    with pytest.raises(ModelError, match="longer output="):
        model.simulate(1e9, output=1.0)
    with pytest.raises(ModelError):
        model.simulate(1e300, output=1.0)


def test_the_command_line_allows_files_outside(tmp_path, table):
    from typer.testing import CliRunner

    from sharnir.app.cli import app

    path = written(tmp_path / "model", with_table("../table.csv") + "[simulation]\nt_end = 0.1\n")
    for command in ("check", "run"):
        refused = CliRunner().invoke(app, [command, str(path)])
        assert refused.exit_code == 1
        assert "outside the folder" in " ".join(refused.output.split())
        assert CliRunner().invoke(app, [command, str(path), "--allow-outside"]).exit_code == 0
    assert load_run(path, allow_outside=True)[1] == {"t_end": 0.1}
