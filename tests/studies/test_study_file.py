"""Study files and the command that runs them."""

import json

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

import sharnir as sr
from sharnir.app.cli import app
from sharnir.studies.study_file import load_study, schema
from studies.falling_stones import stone, study

STUDY = """
[study]
design = "sobol"
runs = 8
correlations = [["h", "rail.v", 0.5]]
{model}
[study.parameters]
h = {{uniform = [1, 2]}}
mass = 3.0
"rail.v" = {{normal = [0, 1], between = [-1, inf]}}

[study.outputs]
end = "final(rail.q)"

[study.simulation]
t_end = 0.5
step = 0.125
"""


@pytest.fixture
def file(tmp_path):
    stone().save(tmp_path / "stone.toml")
    (tmp_path / "study.toml").write_text(STUDY.format(model='model = "stone.toml"'))
    return tmp_path / "study.toml"


def called(*arguments):
    return CliRunner().invoke(app, ["study", *map(str, arguments)])


def test_a_file_is_the_study_that_it_describes(file):
    laws = {"h": sr.Uniform(1, 2), "mass": 3.0, "rail.v": sr.Truncated(sr.Normal(0, 1), -1, np.inf)}
    given = {"design": "sobol", "runs": 8, "correlations": {("h", "rail.v"): 0.5}, "outputs": {"end": "final(rail.q)"}}
    same = study(parameters=laws, **given)
    assert load_study(file).study.digest == same.digest
    inline = file.with_name("inline.toml")
    inline.write_text(STUDY.format(model="") + (file.parent / "stone.toml").read_text())
    assert load_study(inline).study.digest == same.digest


def test_the_schema_accepts_files_and_nothing_else(file):
    import tomllib

    data = tomllib.loads(file.read_text())
    jsonschema.validate(data, schema())
    data["study"]["color"] = "red"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema())
    answer = CliRunner().invoke(app, ["schema", "--study"])
    assert json.loads(answer.output) == schema()


def test_the_command_writes_what_is_asked_for(file):
    store, page, table = (file.with_name(name) for name in ("study.db", "study.html", "study.csv"))
    answer = called(file, "--store", store, "--page", page, "-o", table)
    assert answer.exit_code == 0, answer.output
    assert "8 of 8 runs, 0 failed" in answer.output
    expected = load_study(file).study.run()["end"]
    np.testing.assert_array_equal(sr.StudyResult.load(store)["end"], expected)
    np.testing.assert_allclose(np.loadtxt(table, delimiter=",", skiprows=1, usecols=4), expected, rtol=1e-15)
    assert "parallel" in page.read_text()
    again = called(file, "--store", store)
    assert (again.exit_code, "resume" in again.output) == (1, True)
    assert called(file, "--store", store, "--resume").exit_code == 0


def test_a_list_of_runs_and_runs_that_all_fail(file):
    text = '[study]\nmodel = "stone.toml"\nrows = [{g = -1}, {g = -2}]\n[study.outputs]\nend = "final(rail.q)"\n'
    file.write_text(text + "[study.simulation]\nt_end = 0.5")
    answer = called(file)
    assert answer.exit_code == 3
    assert "1 failed: parameter 'g': value = -1.0 is outside its range" in answer.output


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("runs = 8", "runs = 0", "study.runs: input should be greater than or equal to 1"),
        ("runs = 8", "rums = 8", "study.rums: is unknown; there are model, title"),
        ("uniform = [1, 2]", "uniform = [1]", r"study.parameters.h: \{'uniform': \[1\]\} must be a number, a list"),
        ("uniform = [1, 2]", "uniform = [2, 1]", "study.parameters.h: Uniform: high = 1.0 must be greater than 2.0"),
        ("uniform = [1, 2]", "uniform = [1, 2], normal = [1, 2]", "must have one of normal, .*has normal, uniform"),
        ("final(rail.q)", "final(rail.p)", "no channel 'rail.p'"),
        ("t_end = 0.5", "", "study.simulation.t_end: is missing"),
        ('design = "sobol"', 'design = "cube"', "design = 'cube' must be one of"),
        ("[study.outputs]", "[bodies]", "study.outputs: is missing"),
        ('model = "stone.toml"', 'model = "/etc/stone.toml"', "outside the folder|no such file"),
        ("mass = 3.0", "mass = ", "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_said(file, old, new, said):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(sr.SharnirError, match=f"(?s){said}"):
        load_study(file)
    assert called(file).exit_code == 1


def test_addresses_and_suffixes_that_make_no_sense(file):
    assert called(file, "--executor", "cluster").exit_code == 2
    assert called(file, "-o", "study.xls").exit_code == 2
