"""What `import sharnir` loads; how long that takes is measured by benchmarks/startup.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import sharnir

SOURCE = Path(sharnir.__file__).parents[1]
CODE = "import json, sys; import numpy; before = set(sys.modules); import sharnir; print(json.dumps([*{*sys.modules} - before]))"


def loaded() -> set[str]:
    """Modules that a fresh interpreter imports for sharnir, besides those of NumPy."""
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_import_needs_numpy_only() -> None:
    """Numba, SciPy, Matplotlib, pydantic, h5py, rich and typer wait for the functions that need them."""
    packages = {module.split(".")[0] for module in loaded()}
    assert packages - sys.stdlib_module_names == {"sharnir"}


def test_import_loads_what_describes_a_model_and_nothing_that_computes() -> None:
    """104 modules of our own when this was written, and 16 of the standard library."""
    modules = loaded()
    rooms = {module.split(".")[1] for module in modules if module.startswith("sharnir.")}
    assert rooms <= {"arguments", "errors", "face", "families", "input_file", "model", "notebook", "results", "symbolic"}
    assert len(modules) < 150
