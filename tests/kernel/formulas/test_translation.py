"""Formulas, tables and programs as machine code without Numba: the same numbers as those that Numba gives, bit by bit."""

from __future__ import annotations

import ast
import math
import random
from itertools import pairwise

import numpy as np
import pytest

import sharnir as sr
from samples import count
from sharnir.dynamics.memory.c_functions import constant_function, formula_function
from sharnir.dynamics.memory.held_sides import HeldSides
from sharnir.dynamics.memory.held_tables import held_table, is_located
from sharnir.dynamics.memory.input_course import followed
from sharnir.dynamics.memory.switch_memory import FIRST, SIZE
from sharnir.dynamics.memory.switch_memory import FUNCTIONS as HELD
from sharnir.dynamics.signals.program_functions import PAST_VALUE, compiled_function
from sharnir.kernel import PLAIN, jit
from sharnir.kernel.formulas.c_function import ConstantFunction
from sharnir.kernel.formulas.machine_code import MachineCode
from sharnir.kernel.formulas.translation import Translation, Untranslatable, written
from sharnir.kernel.signatures import GIVEN, GIVEN_C, SCALAR_C, VECTOR, VECTOR_C
from sharnir.model.constraints.vector_formula import table_function
from sharnir.model.formula import parse
from sharnir.model.given_functions import Table
from sharnir.model.grid_table import GridTable
from sharnir.symbolic.functions import COMPARISONS, FUNCTIONS

pytestmark = pytest.mark.skipif(PLAIN, reason="plain Python compiles nothing")
NAMES = ("x0", "x1", "x2", "x3")
POINTS = 300


def random_formula(rng: random.Random, depth: int) -> str:
    """Any formula of four names: every function and operator, nested."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice([*NAMES, repr(round(rng.uniform(-3, 3), 2)), "2", "0", "pi"])

    def inner() -> str:
        return random_formula(rng, depth - 1)

    kind = rng.randrange(4)
    if kind == 0:
        name = rng.choice(sorted(FUNCTIONS))
        least, most = FUNCTIONS[name].least, FUNCTIONS[name].most
        return f"{name}({', '.join(inner() for _ in range(most or rng.randint(least + 1, 4)))})"
    if kind == 1:
        return f"({inner()})^{rng.choice(['2', '3', '0.5', '(-1)', f'({inner()})'])}"
    if kind == 2:
        return f"if({inner()} {rng.choice(COMPARISONS)} {inner()}, {inner()}, {inner()})"
    return f"({inner()} {rng.choice('+-*/')} {inner()} {rng.choice('+-*')} {inner()})"


class NegativePowers(ast.NodeTransformer):
    """x ** -2 as 1 / x ** 2: Numba's own raises at zero, whatever it is told about divisions."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.UnaryOp):
            return ast.BinOp(ast.Constant(1.0), ast.Div(), ast.BinOp(node.left, ast.Pow(), node.right.operand))
        return node


def address_by_numba(lines: list[str]) -> tuple[int, object]:
    from sharnir.kernel.compilation import Pointer
    from sharnir.kernel.memory import doubles

    scope = {"math": math, "doubles": doubles}
    text = "\n    ".join(["def f(_x, _y):", "x, y = doubles(_x), doubles(_y)", *lines])
    exec(ast.unparse(NegativePowers().visit(ast.parse(text))), scope)
    pointer = Pointer(scope["f"], VECTOR, cached=False)
    return pointer.address, pointer


def address_of_ours(lines: list[str]) -> tuple[int, object]:
    code = MachineCode(Translation(written(["def f(x, y):", *(f"    {x}" for x in lines)], "f", {"math": math}), "mm").text)
    return code.address, code


def results(address: int, points: np.ndarray, count: int) -> np.ndarray:
    found = np.zeros((len(points), count))
    for x, y in zip(points, found, strict=True):
        VECTOR_C(address)(x.ctypes.data, y.ctypes.data)
    return found


@pytest.mark.parametrize("seed", range(count(2, 1)))
def test_random_formulas_have_the_same_bits(seed):
    rng = random.Random(seed)
    texts: list[str] = []
    while len(texts) < 30:
        text = random_formula(rng, rng.randint(1, 4))
        texts.append(text)
        if len(texts) % 5 == 0:  # derivatives are long, and of other shapes than what people write
            texts.append(str(parse(texts[-1], NAMES).derivative(rng.choice(NAMES))))
    texts = [text for text in texts if len(text) < 3000]
    outputs = [parse(text, NAMES).source({name: f"x[{k}]" for k, name in enumerate(NAMES)}) for text in texts]
    lines = [f"y[{k}] = {source}" for k, source in enumerate(outputs)]
    points = np.random.default_rng(seed).normal(scale=2.0, size=(POINTS, len(NAMES)))
    points[:20] = np.round(points[:20])  # equal numbers and zeros
    (theirs, _keep), (ours, _too) = address_by_numba(lines), address_of_ours(lines)
    expected, found = results(theirs, points, len(lines)), results(ours, points, len(lines))
    same = (expected == found) | (np.isnan(expected) & np.isnan(found))
    for k, text in enumerate(texts):
        a, b, wrong = expected[:, k], found[:, k], ~same[:, k]
        # which product of a sum is fused with it may differ, in the last digit
        assert b[wrong] == pytest.approx(a[wrong], rel=1e-13), f"{text} at {points[wrong][0]}"
    assert same.mean() > 0.99
    assert np.isfinite(found).any(axis=0).mean() > 0.5


def both_ways(text: str, scope: dict) -> tuple[int, int, object]:
    """Addresses of `formula(x, y, z, s)` by Numba and by translation."""
    from sharnir.kernel.compilation import Pointer, jit
    from sharnir.kernel.formulas.c_function import TranslatedFunction
    from sharnir.kernel.memory import doubles

    function = written([f"def formula(x, y, z, s): return {text}"], "formula", {"math": math, **scope})
    inner = jit(function)

    def with_memory(x, y, z, s):
        return inner(x, y, z, doubles(s))

    theirs, ours = Pointer(with_memory, GIVEN, cached=False), TranslatedFunction(function, "dddm")
    return theirs.address, ours.address, (theirs, ours)


def compare(text: str, scope: dict, points: np.ndarray, memories: list[np.ndarray]) -> None:
    """Results and what is left in memory are the same."""
    theirs, ours, _keep = both_ways(text, scope)
    for memory in memories:
        for point in points:
            left = memory.copy(), memory.copy()
            a, b = (GIVEN_C(f)(*point, s.ctypes.data) for f, s in zip((theirs, ours), left, strict=True))
            # which product of a sum is fused with it may differ, in the last digit
            assert b == pytest.approx(a, rel=1e-15, nan_ok=True), f"{text} at {point}: {a!r} by Numba, {b!r}"
            np.testing.assert_allclose(left[1], left[0], rtol=1e-15, atol=0)


def switches(rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """Memory of switches: nothing held, sides held, and a band."""
    found = []
    for held in (0.0, 1.0, -1.0):
        memory = np.zeros(FIRST + SIZE * count)
        for k in range(count):
            memory[FIRST + SIZE * k + 1 : FIRST + SIZE * k + 3] = held, rng.integers(-1, 3)
            memory[FIRST + SIZE * k + 5] = 0.1
        found.append(memory)
    return found


def test_held_sides():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(30, 3))
    points[:5, 1] = points[:5, 0]
    for text in ("if(x > y, sin(z), x^2)", "sign(x - y)*z + step(z)", "floor(3*x) + (y <= z)", "if(x >= y, if(z < 0, x, y), z)"):
        sides = HeldSides(8)
        source = sides.source(parse(text, ("x", "y", "z")), {}, "force")
        assert sides.count
        compare(source, HELD, points, switches(rng, 8))


@pytest.mark.sample(2)
@pytest.mark.parametrize("outside", ["constant", "extend", "repeat"])
@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_tables(kind, outside):
    from sharnir.kernel.piecewise import _integral_kernel, _kernel

    rng = np.random.default_rng(2)
    x = np.cumsum(rng.uniform(0.1, 1.0, 7))
    y = rng.normal(size=7)
    y[-1] = y[0]
    points = np.column_stack([np.concatenate([rng.uniform(x[0] - 4, x[-1] + 4, 40), x]), np.zeros(47), np.zeros(47)])
    table = Table(tuple(x), tuple(y), kind, outside=outside)
    for derivative in range(3):
        kernel = _kernel(x, table.coefficients(), (0.5, -0.7), derivative, outside)
        compare("f(x, y, z)", {"f": jit(kernel)}, points, [np.zeros(1)])
    integral = _integral_kernel(x, table.coefficients(), np.cumsum(np.abs(y)), (0.1, 0.2), (0.3, 0.4), outside == "repeat", 0.5)
    compare("f(x, y, z)", {"f": jit(integral)}, points, [np.zeros(1)])
    if is_located(table):
        compare("f(s, 1, x)", {"f": held_table(table)}, points, switches(rng, 1))


@pytest.mark.sample(2)
@pytest.mark.parametrize("outside", ["constant", "extend"])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_grid_tables(axes, outside):
    rng = np.random.default_rng(axes)
    knots = tuple(tuple(np.cumsum(rng.uniform(0.1, 1.0, 4 + k))) for k in range(axes))
    table = GridTable(knots, rng.normal(size=[len(x) for x in knots]).tolist(), outside=outside)
    points = rng.uniform(-1, 5, size=(40, 3))
    names = ", ".join("xyz"[:axes])
    compare(f"f({names})", {"f": compiled_function(table, "grid", axes)}, points, [np.zeros(1)])
    compare(f"f(s, 1, {names})", {"f": held_table(table)}, points, switches(rng, axes))


def test_values_of_the_past_and_courses():
    rng = np.random.default_rng(5)
    times = np.cumsum(rng.uniform(0.1, 0.4, 9))
    tape = np.concatenate([[8.0, 0.7], *([a, b, *rng.normal(size=6)] for a, b in pairwise(times))])
    course = np.concatenate([[8.0], *([a, b, *rng.normal(size=6)] for a, b in pairwise(times))])
    points = np.column_stack([np.concatenate([rng.uniform(-0.5, 4, 60), times]), np.zeros(69), np.zeros(69)])
    for memory, function in ((tape, "past(s[0], x, y)"), *((course, f"followed(s[0], x, {k}, -1.5)") for k in range(3))):
        scope = {"past": PAST_VALUE, "followed": followed}
        compare(function, scope, points, [np.array([float(memory.ctypes.data)]), np.zeros(1)])


def test_long_tables_stay_where_they_are():
    x = np.linspace(0.0, 10.0, 2000)
    table = Table(tuple(x), tuple(np.sin(x)))
    f = table_function(table, 0)
    assert SCALAR_C(f.address)(3.3, 0.0, 0.0) == pytest.approx(math.sin(3.3), abs=1e-5)


def test_an_error_is_noted_once():
    f = table_function(Table((0.0, 1.0), (0.0, 1.0), outside="error"), 0)
    f.forget()
    assert SCALAR_C(f.address)(0.25, 0.0, 0.0) == 0.25
    assert f.error is None
    assert math.isnan(SCALAR_C(f.address)(1.5, 0.0, 0.0))
    assert "outside the range" in str(f.error)
    f.forget()
    assert f.error is None


def test_powers_of_zero():
    """Numba's code raises here, prints that on the error stream and goes on with any number."""
    f = formula_function(parse("x^(-1) + y^(-2)", ("x", "y")), ("x", "y"))
    assert SCALAR_C(f.address)(0.0, 1.0, 0.0) == math.inf
    assert SCALAR_C(f.address)(2.0, 0.5, 0.0) == 4.5


def test_constants_share_their_code():
    before = {constant_function(0.25 * k).address for k in range(200)}
    assert len(before) == 200
    assert [SCALAR_C(constant_function(0.25 * k).address)(1.0, 2.0, 3.0) for k in range(200)] == [0.25 * k for k in range(200)]


def test_constants_are_used_again():
    address = ConstantFunction(1.5).address
    again = ConstantFunction(2.5)
    assert again.address == address
    assert SCALAR_C(again.address)(0.0, 0.0, 0.0) == 2.5


@pytest.mark.parametrize(
    "lines",
    [
        ["def f(x): return [x][0]"],
        ["def f(x): return unknown(x)"],
        ["def f(x):", "    try:", "        return x", "    except Exception:", "        return 0.0"],
        ["def f(x):", "    raise ValueError"],
        ["def f(x): return x.real"],
        ["def f(x): return 'a'"],
        ["def f(x):", "    while True:", "        x += 1.0"],
        ["def f(x):", "    for k in (1, 2):", "        x += k", "    return x"],
        ["def f(x):", "    n = 1", "    n = x", "    return n"],
    ],
)
def test_what_is_beyond_it_is_said(lines):
    with pytest.raises(Untranslatable):
        Translation(written(lines, "f", {}), "d")


def test_programs_need_no_numba(tmp_path):
    """A model with formulas, tables, signals and events runs with Numba's way taken away."""
    import sharnir.kernel.compilation as compilation

    m = sr.Model("control")
    m.add(sr.Body("b", mass=1.0, inertia=(1, 1, 1)), sr.Prismatic("j", "ground", "b", axis="x", q=0.5))
    m.add(sr.Signal("target", "if(t > 0.3, 1.2, 0.1)"), sr.LowPass("slow", "target", 0.2))
    m.add(sr.JointForce("drive", "j", "40*(slow - q) - 3*v + sign(v)*0.1"))
    m.add(sr.JointForce("spring", "j", Table((-1, 0, 1, 2), (2, 0, -1, -3))))

    made = []

    class Watched(compilation.Pointer):
        def __init__(self, function, sig, cached=True, digest=None):
            made.append((function, cached))
            super().__init__(function, sig, cached, digest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compilation, "Pointer", Watched)
        r = m.simulate(1.0)
    assert not [function for function, cached in made if not cached]
    assert abs(r["j.q"][-1]) > 0.1
