"""Users' functions are compiled once: found again by what they are made of, in a process and on disk, and never out of date."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
import types
from collections import namedtuple
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.ccallback import CFunc
from numba.extending import overload

import sharnir as sr
from sharnir.kernel.signatures import SCALAR_C
from sharnir.kernel.storage.cache import cache_folder
from sharnir.kernel.storage.function_digest import function_digest
from sharnir.kernel.user import scalar_function

FACTOR = 2.0
OWN = types.ModuleType("own")
OWN.gain = 3.0


def with_global(q, v, t):
    return FACTOR * q


def with_module(q, v, t):
    return OWN.gain * q + math.sin(t)


def helper(q):
    return FACTOR + q


def with_helper(q, v, t):
    return helper(q)


def closure(k):
    return lambda q, v, t: k * q + k


def with_default(k):
    def f(q, v, t, gain=k):
        return gain * q

    return f


def with_array(k):
    values = np.array([k, 2.0 * k])
    return lambda q, v, t: values[1] * q


def nested(k):
    inner = numba.njit(lambda x: x + k)
    return lambda q, v, t: inner(q)


def value(f, q=0.7):
    return SCALAR_C(scalar_function(f, 3, "f").address)(q, 0.0, 0.0)


@pytest.fixture
def compilations(monkeypatch):
    """Counts what is compiled."""
    count, compile_uncached = [], CFunc._compile_uncached

    def counted(self):
        count.append(self)
        return compile_uncached(self)

    monkeypatch.setattr(CFunc, "_compile_uncached", counted)
    return count


@pytest.mark.parametrize("make", [closure, with_array, nested], ids=lambda f: f.__name__)
@pytest.mark.parametrize("seed", range(3))
def test_other_cells_make_another_function(make, seed, compilations):
    a, b = np.random.default_rng(seed).normal(size=2).round(3)
    for k in (a, b, a, b):
        assert value(make(k)) == pytest.approx(make(k)(0.7, 0.0, 0.0), rel=1e-14)
    assert len(compilations) <= 2


def test_cells_that_change():
    k = 1.0

    def f(q, v, t):
        return k * q

    assert value(f) == 0.7
    k = 5.0
    assert value(f) == pytest.approx(3.5, rel=1e-14)


def test_arrays_that_change():
    values = np.array([1.0, 2.0])
    large = np.zeros(200_000)

    def f(q, v, t):
        return values[1] * q + large[3]

    assert value(f) == 1.4
    values[1], large[3] = 4.0, 1.0
    assert value(f) == pytest.approx(3.8, rel=1e-15)


@pytest.mark.filterwarnings("ignore::sharnir.SlowFunctionWarning")  # plain functions cannot be called
def test_globals_that_change(monkeypatch):
    for k in (1.5, 2.5, 1.5):
        monkeypatch.setitem(globals(), "FACTOR", k)
        monkeypatch.setattr(OWN, "gain", k)
        assert value(with_global) == pytest.approx(k * 0.7, rel=1e-14)
        assert value(with_helper) == pytest.approx(k + 0.7, rel=1e-14)
        assert function_digest(with_module) != function_digest(with_helper)
    before = function_digest(with_module)
    monkeypatch.setattr(OWN, "gain", 9.0)
    assert function_digest(with_module) != before


def test_what_differs_has_another_digest():
    functions = [closure(1), closure(1.0), closure(True), closure(np.float32(1)), with_default(1.0), with_array(1.0), nested(1.0)]
    functions += [lambda q, v, t: q, lambda q, v, t: v, lambda q, v: q, lambda q, v, t: (q, 1)[0], lambda q, v, t: (q, 1.0)[0]]
    functions += [closure((1, (2, 3))), closure((1, 2, 3)), closure(("ab", "c")), closure(("a", "bc")), closure(np.zeros((2, 3)))]
    functions += [closure(np.zeros((3, 2))), closure(np.asfortranarray(np.zeros((3, 2)))), closure(math.sin), closure(math.cos)]
    digests = [function_digest(f) for f in functions]
    assert None not in digests and len(set(digests)) == len(digests)
    assert function_digest(closure(1.0)) == function_digest(closure(1.0))
    assert function_digest(closure(object())) is None
    assert function_digest(functions[0], "scalar", 3) != function_digest(functions[0], "scalar", 2)


def test_modules_inside_of_modules():
    outer, inner = types.ModuleType("outer"), types.ModuleType("inner")
    inner.outer, outer.inner, inner.gain = outer, inner, 2.0
    scope = {"outer": outer}
    exec("def f(q, v, t): return outer.inner.gain * q", scope)
    first = function_digest(scope["f"])
    inner.gain = 3.0
    assert first != function_digest(scope["f"]) is not None


def test_fields_of_named_tuples():
    """The same numbers under other names."""
    pairs = [namedtuple("Pair", names)(1.0, 2.0) for names in ("a b", "b a")]
    digests = [function_digest(eval("lambda q, v, t: pair.a * q", {"pair": pair})) for pair in pairs]
    assert None not in digests and digests[0] != digests[1]


def test_what_stands_in_for_a_function_counts():
    """Numba compiles what was registered for a plain function, not its own text."""

    def with_other_code(factor):
        def gain(x):
            return x

        overload(gain)(lambda x: lambda x: factor * x)
        return gain

    digests = []
    for factor in (2.0, 3.0, 2.0):
        gain = with_other_code(factor)
        f = eval("lambda q, v, t: gain(q)", {"gain": gain})
        assert value(f) == pytest.approx(0.7 * factor, rel=1e-14)
        digests.append(function_digest(f))
    assert len(set(digests)) == 2 and digests[0] == digests[2]


def test_functions_that_call_themselves():
    def f(n):
        return 1.0 if n <= 1 else n * f(n - 1)

    assert function_digest(f) == function_digest(f) is not None


def model(gain):
    """Functions wherever a model takes them."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x", torque=lambda q, v, t: -gain * q + math.sin(t)))
    m.add(
        sr.Body("b", mass=1, position=(0, 1, 0)), sr.Prismatic("B", "ground", "b", axis="x", motion=lambda t: 0.1 * gain * t**2)
    )

    def push(t, r, R, v, w, force, torque):
        force[0, 0] = -gain * v[0, 0]

    m.add(sr.UserForce("push", ["a"], push), sr.Function("u", lambda x: gain * x, ["A.q"]))
    return m


def end(gain):
    r = model(gain).simulate(0.5, output=0.5)
    return [float(r[name][-1]) for name in ("A.q", "A.v", "B.q", "u")]


def unseen():
    """A number that is in no function on disk, of earlier runs of these tests neither."""
    return 4.0 + time.time_ns() % 10**9 * 1e-9


def test_a_second_run_compiles_nothing(compilations):
    gain = unseen()
    first = end(gain)
    known = len(compilations)
    assert end(gain) == first and len(compilations) == known
    other = end(gain + 1.0)
    assert other != first and len(compilations) > known
    assert end(gain) == first


def test_a_second_process_compiles_nothing(tmp_path):
    """Code on disk is found by the next process; a damaged file is compiled again; a changed function, too."""
    script = tmp_path / "script.py"
    root = Path(__file__).parents[2]
    script.write_text(
        "import math, sys\nfrom numba.core.ccallback import CFunc\nimport test_users_functions as T\n"
        "before, seen = CFunc._compile_uncached, []\n"
        "CFunc._compile_uncached = lambda self: (seen.append(self), before(self))[1]\n"
        "print(*T.end(float(sys.argv[1])))\n"
        "print(sum('sharnir' not in (c._pyfunc.__module__ or '') or c._pyfunc.__name__ in ('call', 'formula') for c in seen))\n"
    )
    path = os.pathsep.join([str(root / "src"), str(root / "tests"), str(Path(__file__).parent)])
    folder = cache_folder()  # with the kernels; the function is one that nobody has compiled

    def run(gain):
        given = os.environ | {"PYTHONPATH": path}
        done = subprocess.run([sys.executable, script, gain], env=given, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        numbers, count = done.stdout.splitlines()
        return numbers, int(count)

    gain = repr(unseen())
    numbers, first = run(gain)
    kept = sorted((folder / "functions").rglob("*.nbc"), key=lambda f: f.stat().st_mtime)
    kept[-1].write_bytes(kept[-1].read_bytes()[:-1])
    again, count = run(gain)  # one of them is damaged, the others are found
    assert again == numbers and 0 < count < first
    assert run(gain) == (numbers, 0)


def test_functions_from_disk_are_not_taken_for_those_of_this_process(tmp_path):
    """Numba names functions by their order in a process and by its hash seed: the first here is called as the first there."""
    script = tmp_path / "script.py"
    script.write_text(
        "import math, sys\nfrom sharnir.kernel.signatures import SCALAR_C\nfrom sharnir.kernel.user import scalar_function\n"
        "def spring(k):\n    def force(q, v, t):\n        total = 0.0\n        for i in range(int(q)):\n"
        "            total += math.sin(k * q + i) / (1.0 + math.cos(v * i) ** 2)\n"  # long enough not to be inlined
        "        return total if v > 1.0 else k * q\n    return force\n"
        "for k in map(float, sys.argv[1:]):\n"
        "    made = scalar_function(spring(k), 3, 'spring')\n    print(SCALAR_C(made.address)(2.0, 0.0, 0.0))\n"
    )
    path = str(Path(__file__).parents[2] / "src")
    given = os.environ | {"PYTHONPATH": path, "SHARNIR_CACHE_DIR": str(tmp_path), "PYTHONHASHSEED": "0"}
    for stiffnesses, forces in (("2",), ["4.0"]), (("3", "2"), ["6.0", "4.0"]):
        done = subprocess.run([sys.executable, script, *stiffnesses], env=given, capture_output=True, text=True, check=True)
        assert done.stdout.split() == forces
