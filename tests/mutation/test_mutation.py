"""The tool that changes the code: what it takes for a kernel, which tests are near, changes that are listed as harmless."""

from __future__ import annotations

import tomllib

import pytest

from .changes import applied, changes
from .compiled import compiled_functions
from .nearest import nearest_tests
from .workplace import ROOT, SOURCE, TESTS

LISTED = tomllib.loads((ROOT / "tests" / "mutation" / "equivalent.toml").read_text(encoding="utf-8"))["change"]


@pytest.mark.parametrize(
    ("file", "function"),
    [
        ("integrate/implicit/radau_step.py", "attempt"),  # handed to step_functions, which makes Pointers
        ("dynamics/contact/wheel.py", "wheel_force"),  # a Pointer
        ("dynamics/contact/wheel.py", "magic"),  # decorated
        ("kernel/jobs.py", "serve"),  # an entry
    ],
)
def test_kernels_are_recognised(file, function):
    assert function in compiled_functions(SOURCE)[SOURCE / file]


def test_other_functions_are_not_kernels():
    assert "wheel_row" not in compiled_functions(SOURCE)[SOURCE / "dynamics" / "contact" / "wheel.py"]
    assert not compiled_functions(SOURCE)[SOURCE / "model" / "signals" / "blocks.py"]


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("model/signals/blocks.py", "dynamics/small_motions/test_control_linearization.py"),  # by names of its classes
        ("integrate/implicit/park_formula.py", "integrate/implicit/test_park.py"),  # by a word of its name
        ("flexible/inertia/stiffened_inertia.py", "dynamics/bodies/test_foreshortening.py"),
        ("dynamics/constraints/cut_joint.py", "agree/test_constraints.py"),  # across rooms
    ],
)
def test_nearest_tests(file, test):
    assert TESTS / test in nearest_tests(SOURCE, TESTS, SOURCE / file)


@pytest.mark.parametrize("entry", LISTED, ids=lambda entry: f"{entry['file']} {entry['function']}")
def test_listed_changes_are_those_of_the_code(entry):
    """A line that has changed since takes its entry with it."""
    text = (SOURCE / entry["file"]).read_text(encoding="utf-8")
    found = [
        (text.split("\n")[x.line - 1], applied(text, x).split("\n")[x.line - 1])
        for x in changes(text)
        if x.function == entry["function"]
    ]
    assert (entry["line"], entry["becomes"]) in [(before.strip(), after.strip()) for before, after in found]
    assert len(entry["reason"]) > 10


def test_changes_of_a_function():
    """Every operator, constant, comparison and statement; not words, tolerances by a factor of a million."""
    text = 'def f(x, n):\n    """Words."""\n    if x < 1e-9 and n > 0:\n        fail("x", "is small")\n    return -x + 2.0 * n\n'
    made = {applied(text, x).split("\n")[x.line - 1].strip() for x in changes(text)}
    assert {"if (x <= 1e-09) and n > 0:", "if (x > 1e-09) and n > 0:", "if (x < 1e-09 or n > 0):", "return x + 2.0 * n"} <= made
    assert any("0.001" in line for line in made) and "return -x + 4.0 * n" in made
    assert not any("small" in line or "Words" in line for line in made)
