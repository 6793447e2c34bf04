"""Packages of users: installed, found by their entry points, used in model files, schema and checks; broken ones are named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "element_library"
SOURCE = Path(__file__).parents[1] / "src"


def install(target: Path, name: str, module: str, files: dict[str, str], project: dict) -> None:
    """What an installer leaves in a folder: the module, and beside it the metadata of its package."""
    info = target / f"{name.replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {project['version']}\n")
    points = "".join(f"{key} = {value}\n" for key, value in project["entry-points"]["sharnir.elements"].items())
    (info / "entry_points.txt").write_text(f"[sharnir.elements]\n{points}")
    (info / "RECORD").write_text("")
    (target / module).mkdir()
    for file, text in files.items():
        (target / module / file).write_text(text)


@pytest.fixture
def installed(tmp_path):
    """The example package, as its own pyproject.toml describes it."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    text = (EXAMPLE / "rail_elements" / "__init__.py").read_text()
    install(tmp_path, project["name"], "rail_elements", {"__init__.py": text}, project)
    shutil.copy(EXAMPLE / "lift.toml", tmp_path / "lift.toml")
    return tmp_path


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    paths = os.pathsep.join([str(SOURCE), str(folder)])
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
    )


def test_check_knows_the_elements_of_a_library(installed):
    done = python(installed, "-m", "sharnir", "check", "lift.toml")
    assert done.returncode == 0, done.stderr
    assert "ProgressiveScrew" in done.stdout


def test_without_the_library_its_types_are_unknown(installed, tmp_path_factory):
    done = python(tmp_path_factory.mktemp("empty"), "-m", "sharnir", "check", str(installed / "lift.toml"))
    assert done.returncode != 0
    assert "unknown type 'progressive-screw'" in done.stderr


def test_schema_has_them(installed):
    done = python(installed, "-m", "sharnir", "schema")
    defined = json.loads(done.stdout)["$defs"]
    assert {"ProgressiveScrew", "RailDrag", "SecondOrderLag", "SteelContact"} <= set(defined)
    assert set(defined["ProgressiveScrew"]["properties"]) >= {"pitch", "growth", "damping"}
    assert "position" not in defined["ProgressiveScrew"]["properties"]


RUN = """
import numpy as np, sharnir as sr
m = sr.Model.load("lift.toml")
run = m.simulate(1.0, output=0.1)
q, z = run["screw.q"], run["cabin.position"][:, 2]
assert np.abs(z - (0.05*q + 0.002*q**2)).max() < 1e-12
assert abs(q[-1]) > 0.1 and run["drive"][-1] > 0.5
assert (run["drag.force"][1:5] > 0).all()  # it sinks until the drive pulls
m.save("again.toml")
assert sr.Model.load("again.toml") == m
other = sr.Model("spheres")
law = m.forces["bounce"].law
assert abs(law.numbers[0] - 4/3*2.1e11/(2*(1 - 0.09))*0.1) < 1
"""


def test_a_model_file_runs_with_them(installed):
    done = python(installed, "-c", RUN)
    assert done.returncode == 0, done.stderr


def test_import_of_sharnir_imports_no_library(installed):
    done = python(installed, "-c", "import sys, sharnir; print('rail_elements' in sys.modules)")
    assert done.stdout.strip() == "False"


BROKEN = {
    "import does_not_exist": "does_not_exist",
    "raise SystemExit(3)": "SystemExit",
    "from sharnir.model.joints import Revolute\nclass Screw(Revolute): pass": "there is a joint 'screw' already",
}


def test_broken_libraries_are_named_and_left_out(installed):
    for k, text in enumerate(BROKEN):
        project = {"version": "0.1", "entry-points": {"sharnir.elements": {"x": f"broken_elements_{k}"}}}
        install(installed, f"broken-package-{k}", f"broken_elements_{k}", {"__init__.py": text}, project)
    done = python(installed, "-m", "sharnir", "check", "lift.toml")
    assert done.returncode == 0, done.stderr
    for k, said in enumerate(BROKEN.values()):
        assert f"broken-package-{k}" in done.stderr
        assert said in done.stderr


def test_a_file_imports_nothing_by_itself(installed):
    """A package without an entry point is not imported, whatever a file says."""
    (installed / "other_elements").mkdir()
    (installed / "other_elements" / "__init__.py").write_text("raise RuntimeError('imported')")
    text = (installed / "lift.toml").read_text().replace("progressive-screw", "other_elements:Screw")
    (installed / "lift.toml").write_text(text)
    done = python(installed, "-m", "sharnir", "check", "lift.toml")
    assert done.returncode != 0
    assert "unknown type 'other_elements:Screw'" in done.stderr
    assert "imported" not in done.stderr
