"""Settings of a run in a model file: wrong ones are problems of the file, named by their path."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sharnir.app.cli import app


@pytest.mark.parametrize("command", ["check", "run"])
def test_wrong_settings_in_a_file_are_problems_of_the_file(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.toml").write_text(
        '[bodies.b]\nmass = 1\n[joints.j]\ntype = "prismatic"\nparent = "ground"\nchild = "b"\naxis = "x"\n'
        '[simulation]\nt_end = -1\ntolerance = 5\nintegrator = "foo"\n'
    )
    done = CliRunner().invoke(app, [command, "bad.toml"])
    assert done.exit_code == 1
    for words in ("simulation.t_end", "simulation.tolerance", "simulation.integrator"):
        assert words in done.output


def test_a_wrong_correction_is_answered_in_words_of_the_command_line():
    from typer import BadParameter

    from sharnir.app.text_settings import correction_setting

    with pytest.raises(BadParameter, match="'maybe' must be on, off, position or velocity"):
        correction_setting("maybe")
    assert [correction_setting(word) for word in ("on", "off", "velocity", None)] == [True, False, "velocity", None]
