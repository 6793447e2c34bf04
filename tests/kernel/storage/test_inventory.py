"""The list of all kernels: what Python calls says what it takes, and names are found again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sharnir.kernel import PLAIN
from sharnir.kernel.signatures import EntrySignature
from sharnir.kernel.storage import inventory
from sharnir.kernel.storage.inventory import kernel_named, kernels
from sharnir.kernel.storage.warmup import USUAL

pytestmark = pytest.mark.skipif(PLAIN, reason="plain Python compiles nothing")


def test_all_kernels_have_signatures_and_names():
    found = kernels()
    assert len(found) > 100
    assert len({kernel.name for kernel in found}) == len(found)
    assert all("<locals>" not in kernel.name for kernel in found)
    entries = [kernel for kernel in found if isinstance(kernel.signature, EntrySignature)]
    assert 30 < len(entries) < len(found)


MADE = """
from sharnir.kernel.compilation import Pointer
made, begin = [], Pointer.__init__
def noted(self, function, *more, **named):
    made.append(getattr(function, "py_func", function))
    begin(self, function, *more, **named)
Pointer.__init__ = noted
from sharnir.kernel.storage.inventory import kernels, symbol
listed = {kernel.name for kernel in kernels()}
print(len(made), *sorted({symbol(function) for function in made} - listed))
"""


def test_no_kernel_is_left_out():
    """Whatever becomes a pointer when all files are imported, in whatever tuple or dictionary it is then held."""
    environment = os.environ | {"PYTHONPATH": str(Path(inventory.__file__).parents[3])}
    done = subprocess.run([sys.executable, "-c", MADE], env=environment, capture_output=True, text=True, check=True)
    count, *missing = done.stdout.split()
    assert int(count) > 100 and missing == []


@pytest.mark.parametrize("name", USUAL)
def test_usual_kernels_are_there(name):
    assert kernel_named(f"sharnir.{name}").name == f"sharnir.{name}"
