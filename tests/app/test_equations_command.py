"""`sharnir equations`: text, letters, LaTeX, a page, a file, and what is wrong."""

import pytest
from typer.testing import CliRunner

import sharnir as sr
from sharnir.app.cli import app


@pytest.fixture
def model(tmp_path):
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=2, position=(0, 0, -0.5)), sr.Revolute("phi", "ground", "bob", at=(0, 0, 0), axis="y"))
    m.save(tmp_path / "pendulum.toml")
    return tmp_path / "pendulum.toml"


def called(*arguments):
    return CliRunner().invoke(app, ["equations", *map(str, arguments)])


def test_text_with_numbers_and_letters(model):
    assert "0.5*phi'' + 9.81*sin(phi) = 0" in called(model).stdout
    assert "m_bob*c_bob^2*phi'' + m_bob*g*c_bob*sin(phi) = 0" in called(model, "--letters").stdout


def test_latex_and_html(model, tmp_path):
    assert called(model, "--latex").stdout.startswith("\\begin{aligned}")
    assert called(model, "--html", "-o", tmp_path / "page.html").exit_code == 0
    assert "<math" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_programs(model, tmp_path):
    assert "void pendulum_accelerations(" in called(model, "--c").stdout
    assert "__global__" in called(model, "--letters", "--cuda").stdout
    module = {}
    exec(called(model, "--python").stdout, module)
    assert abs(module["accelerations"](0.0, [0.3], [0.0])[0][0] + 19.62 * 0.29552020666133955) < 1e-12
    assert called(model, "--c", "-o", tmp_path / "arm.c").exit_code == 0
    assert "#define PENDULUM_NQ 1" in (tmp_path / "arm.h").read_text(encoding="utf-8")


def test_both_forms_at_once_are_refused(model):
    found = called(model, "--latex", "--html")
    assert found.exit_code == 2
    assert "not several" in found.output


def test_a_missing_file_is_a_problem_of_the_file(tmp_path):
    assert called(tmp_path / "none.toml").exit_code == 1
