"""Errors carry what a program needs, and can be caught by their usual Python names."""

import pytest

from sharnir import errors


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.ModelError("x"), ValueError),
        (errors.TopologyError("x"), ValueError),
        (errors.FormulaError("x"), ValueError),
        (errors.ModelFileError([("a.b", "c")]), ValueError),
        (errors.SimulationError("x"), RuntimeError),
        (errors.MissingExtraError("hdf5"), ImportError),
    ],
)
def test_errors_are_also_the_builtin_ones(error, builtin):
    assert isinstance(error, builtin)
    assert isinstance(error, errors.SharnirError)


def test_simulation_error_keeps_the_result():
    assert errors.SimulationError("failed", result=[1, 2]).result == [1, 2]


def test_file_error_lists_every_problem():
    error = errors.ModelFileError([("a.b", "is wrong"), ("", "is empty")], source="m.toml")
    assert str(error) == "m.toml: 2 problems\n  a.b: is wrong\n  is empty"
    assert error.problems == (("a.b", "is wrong"), ("", "is empty"))


def test_missing_extra_names_the_command():
    assert "pip install sharnir[parquet]" in str(errors.MissingExtraError("parquet", "saving"))


@pytest.mark.parametrize("position", [0, 3, 199, 200])
def test_caret_stands_below_the_character(position):
    text = "".join(chr(97 + k % 26) for k in range(200))
    *_, line, caret = str(errors.FormulaError("wrong", text=text, position=position)).split("\n")
    column = caret.index("^")
    assert len(line) < 120
    assert (line[column] if column < len(line) else "end") == (text[position] if position < 200 else "end")


def test_caret_in_a_formula_of_several_lines():
    message = str(errors.FormulaError("wrong", text="1 +\n2 * )", position=8))
    assert message.split("\n")[1:] == ["    2 * )", "        ^"]
