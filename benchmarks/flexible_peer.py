"""Another interpreter for Exudyn: the fast solver of large models and the peers need not live in one environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@cache
def python_with(package: str) -> str | None:
    """This interpreter if it has the package, else the one that SHARNIR_PEERS names, if that has it."""
    if find_spec(package):
        return sys.executable
    other = os.environ.get("SHARNIR_PEERS")
    if other and subprocess.run([other, "-c", f"import {package}"], capture_output=True, check=False).returncode == 0:
        return other
    return None


def version_of(package: str) -> str | None:
    """The version of an installed package, of this interpreter or of the peers'."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    for python in (sys.executable, os.environ.get("SHARNIR_PEERS")):
        if python:
            done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return done.stdout.strip()
    return None


def task(python: str, script: str, *arguments: object, threads: dict[str, str] = ONE_THREAD) -> Any:
    """What a script of this folder prints in its last line, as JSON, in a process of its own."""
    command = [python, str(FOLDER / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER, env=os.environ | threads, check=False)
    if done.returncode:
        raise RuntimeError(f"{script} {' '.join(map(str, arguments))} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def save_model(folder: str | Path, model: Any, **node_sets: Any) -> None:
    """Nodes and matrices of an FE model, and sets of nodes, for `flexible_exudyn.py`."""
    import numpy as np
    from scipy.sparse import csr_matrix, save_npz

    folder = Path(folder)
    np.savez(folder / "nodes.npz", nodes=model.nodes, **node_sets)
    save_npz(folder / "stiffness.npz", csr_matrix(model.stiffness), compressed=False)
    save_npz(folder / "mass.npz", csr_matrix(model.mass), compressed=False)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for matrices that both programs read."""
    return tempfile.TemporaryDirectory(prefix="sharnir-bench-")
