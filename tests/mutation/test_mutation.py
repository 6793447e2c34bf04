"""The tool that changes the code: what it takes for a kernel, which tests are near, changes that are listed as harmless."""

from __future__ import annotations

import sys
import tomllib
import types

import pytest

from sharnir.kernel import jit

from . import switch
from .changes import applied, changes
from .compiled import compiled_functions
from .nearest import nearest_tests
from .switches import switched
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


TEXT = '''"""Words."""

from __future__ import annotations


def f(x, n):
    """Words."""
    total = 0.0
    for k in range(n):
        if x < k and n > 2:
            continue
        total += x - k
    while n > 0 and total < 50.0:
        n -= 1
        total += 1.0
        if n == 3:
            break
    with open(FILE if x < 1e9 else "") as file:
        total = (
            total + x  # beside the point
            if file is not None
            else -total
        )
    match (n + 1):
        case 4:
            n = n * 10
        case _:
            pass
    return n - total * (2.0 if x > 1.0 else 3.0)
'''


def _results(text):
    """What f of a text gives for some arguments."""
    names = {"FILE": __file__}
    exec(text, names)

    def result(x, n):
        try:
            return names["f"](x, n)
        except (OSError, ArithmeticError, TypeError) as problem:
            return type(problem)

    return lambda: [result(x, n) for x, n in ((2.5, 4), (0.5, 5), (-1.0, 3), (1.0, 1), (7.0, 0), (0.0, 4))]


def test_one_of_many_changes_is_in_force(monkeypatch):
    """As if the text had been changed by this one alone; without a number nothing has changed."""
    made = dict(enumerate(changes(TEXT), start=1))
    in_force, turned = {0}, types.ModuleType("switch_of_a_test")
    turned.on = lambda k: k in in_force
    monkeypatch.setitem(sys.modules, turned.__name__, turned)
    all_at_once, unchanged = _results(switched(TEXT, made, turned.__name__)), _results(TEXT)()
    assert all_at_once() == unchanged
    different = 0
    for k, change in made.items():
        in_force.clear()
        in_force.add(k)
        alone = _results(applied(TEXT, change))()
        assert all_at_once() == alone, change
        different += alone != unchanged
    assert different > 0.7 * len(made) > 20


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for a place in memory")
def test_the_switch_in_compiled_code():
    """Kernels find it at its place in memory, also after it was turned, and note that they came by; Python may call it, too."""
    on = switch.kernel_on()

    @jit
    def product(x, y):
        if on(3):
            return x / y
        elif on(5):
            return x + y
        return x * y if on(7) else x - y

    found = {}
    for k in (0, 3, 5, 7):
        switch.set_change(k)
        found[k] = product(6.0, 2.0), switch.reached()
        assert on(k) or k == 0
    assert found == {0: (4.0, [3, 5, 7]), 3: (3.0, [3]), 5: (8.0, [3, 5]), 7: (12.0, [3, 5, 7])}
    switch.set_change(0)
