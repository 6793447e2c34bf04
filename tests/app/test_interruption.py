"""Ctrl-C: the command line keeps what was computed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sharnir.app.demos import ALL_DEMOS

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_interrupted_run_keeps_what_it_computed() -> None:
    ALL_DEMOS["cable"].model().save("cable.toml", {"t_end": 1000.0, "step": 0.01, "tolerance": 1e-7})
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    # says when the integration is under way, so that the signal does not meet an import or the compiler
    script = (
        "from sharnir.integrate.run import Run\nadvance = Run.advance\n"
        "def noted(run, n):\n    advance(run, n)\n    run.t > 1.0 and print('running', flush=True)\n"
        "Run.advance = noted\nfrom sharnir.app.cli import main\nmain()"
    )
    command = [sys.executable, "-c", script, "run", "cable.toml", "-o", "part.csv"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # a shell starts jobs in the background with the signal ignored, and children inherit that
    with subprocess.Popen(command, env=environment, text=True, preexec_fn=_heed_interrupts, **pipes) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "running\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=600)
    assert running.returncode == 130
    assert "interrupted at t =" in err
    assert "part.csv" in out
    assert len(Path("part.csv").read_text().splitlines()) > 2
