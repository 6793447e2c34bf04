"""The list of all kernels: what Python calls says what it takes, and names are found again."""

from __future__ import annotations

import pytest

from sharnir.kernel import PLAIN
from sharnir.kernel.signatures import EntrySignature
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


@pytest.mark.parametrize("name", USUAL)
def test_usual_kernels_are_there(name):
    assert kernel_named(f"sharnir.{name}").name == f"sharnir.{name}"
