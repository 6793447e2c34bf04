"""One list of names for kernels, and every way of running them has them all."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module

import pytest

from sharnir import kernel
from sharnir.kernel import PLAIN, deferred, names, plain

OF_COMPILER = ("atomic", "calls", "compilation", "elementary", "memory", "named_addresses")
OF_JOBS = {"add_release", "call_job", "call_rest", "exchange_if", "load_acquire", "pause"}  # jobs.py; plain Python has one thread


def test_room_gives_the_names_of_the_list() -> None:
    assert set(names.__all__) <= set(kernel.__all__) and len(set(kernel.__all__)) == len(kernel.__all__)
    assert all(hasattr(kernel, name) for name in kernel.__all__)


def test_plain_python_has_all_names() -> None:
    assert set(names.__all__) <= set(vars(plain))


def test_library_has_all_names() -> None:
    assert set(names.__all__) | OF_JOBS <= set(vars(deferred))


@pytest.mark.skipif(PLAIN, reason="plain Python does not import Numba")
def test_compiler_has_all_names_once() -> None:
    """A name that two files define would depend on the order of imports."""
    found = []
    for file in OF_COMPILER:
        tree = ast.parse(inspect.getsource(import_module(f"sharnir.kernel.{file}")))
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.append(node.name)
            elif isinstance(node, ast.Assign):
                parts = [part for target in node.targets for part in getattr(target, "elts", [target])]
                found += [part.id for part in parts if isinstance(part, ast.Name)]
    wanted = {*names.__all__, *OF_JOBS}
    assert {name: found.count(name) for name in wanted} == dict.fromkeys(wanted, 1)
