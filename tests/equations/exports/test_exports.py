"""Exported programs against the engine and against the expressions they were made from."""

import shutil
import sys
from functools import cache

import numpy as np
import pytest

import constrained_mechanisms
import sharnir as sr
from sharnir.equations.exports.program import program_of

from ..states import picked
from .cases import NAMES, case, close, curves, states, stiff_loop, wanted
from .compiled import Compiled, needs_compiler


@cache
def exported_states(name, letters):
    """Equations, and for some states (t, q, v) in their order, the engine's accelerations, and all arrays."""
    model, system = case(name)
    equations = model.equations(letters)
    found = []
    for q, v, t in states(name, system):
        own_q, own_v, numbers = picked(equations, system, q, v)
        own_q, own_v = equations._completed(own_q, own_v, t)
        found.append((t, own_q, own_v, system.accelerations(q, v, t)[numbers], wanted(equations, own_q, own_v, t)))
    return equations, found


def check(arrays, engine, want, limit=1e-11):
    condition = np.linalg.cond(want["M"]) if want["M"].size and np.linalg.matrix_rank(want["M"]) == len(want["M"]) else 1.0
    solved = limit * max(1.0, 1e-5 * condition)  # a nearly singular M magnifies rounding
    assert close(arrays["vdot"][: len(engine)], engine, solved)
    for symbol, array in arrays.items():
        assert close(array, want[symbol], solved if symbol in ("vdot", "lam") else limit), symbol


@pytest.mark.sample(3)
@needs_compiler
@pytest.mark.parametrize("letters", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_c(name, letters, tmp_path):
    equations, cases = exported_states(name, letters)
    compiled = Compiled(equations, tmp_path)
    for t, q, v, engine, want in cases:
        check(compiled(t, q, v), engine, want)


@pytest.mark.sample(3)
@needs_compiler
@pytest.mark.parametrize("name", constrained_mechanisms.KINDS)
def test_c_with_every_constraint(name, tmp_path):
    equations, cases = exported_states(name, False)
    compiled = Compiled(equations, tmp_path)
    for t, q, v, engine, want in cases:
        check(compiled(t, q, v), engine, want)


@needs_compiler
def test_parameters_of_c_are_letters(tmp_path):
    """Other numbers of the letters give the equations of another model."""
    model, system = case("slider-crank")
    equations = model.equations(letters=True)
    compiled = Compiled(equations, tmp_path)
    q, v, _ = picked(equations, system, system.q0, system.v0)
    values = {name: 1.07 * value for name, value in equations.letters.items()}
    other = equations.renamed({})
    other.mechanism.letters.values = dict(values)
    want = wanted(other, q, v, 0.0)
    found = compiled(0.0, q, v, p=list(values.values()))
    assert all(close(found[symbol], want[symbol]) for symbol in want)
    assert not close(compiled(0.0, q, v, p=[1.07 * 1.07 * x for x in values.values()])["h"], want["h"])


def carriage(force):
    m = sr.Model("inputs & co", parameters={"gain": 3.0})
    m.add(sr.Input("u"), sr.Body("car", mass=2, inertia=(1, 1, 1)), sr.Body("arm", mass=0.5, com=(0.3, 0, 0)))
    m.add(sr.Prismatic("rail", "ground", "car", axis="x"), sr.JointForce("drive", "rail", force))
    m.add(sr.Revolute("O", "car", "arm", axis="y", at=(0, 0, 0)))
    m.add(sr.JointFriction("dry", "O", coefficient=0.1, radius=0.02))
    return m


@needs_compiler
def test_inputs_and_forces_without_a_closed_form_are_arguments(tmp_path):
    equations = carriage("gain*u - 0.3*v").equations()
    assert equations.inputs == ("u", "T_dry")
    found = Compiled(equations, tmp_path)(0.0, [0.1, 0.2], [0.3, 0.4], u=[5.0, -0.7])
    assert close(found["tau"], [3 * 5.0 - 0.3 * 0.3, -0.7])
    assert close(found["vdot"], equations.accelerations([0.1, 0.2], [0.3, 0.4], 0.0, u=5.0, T_dry=-0.7))
    assert "u[1]: T_dry, JointFriction 'dry'" in equations.c_header()


def test_functions_in_python_are_refused():
    equations = carriage(lambda q, v, t: -v).equations()
    for export in (equations.c, equations.cuda, equations.numpy, equations.c_header):
        with pytest.raises(
            sr.ModelError, match=r"f_drive\(…\) is a function in Python, which cannot be exported; give a formula"
        ):
            export()


MAIN = """#include <stdio.h>
#include "model.h"
int main(void) {
  double q[STIFF_LOOP_NQ] = {START}, v[STIFF_LOOP_NV] = {0}, a[STIFF_LOOP_NV];
  stiff_loop_accelerations(0.0, q, v, 0, stiff_loop_parameters, a, 0);
  printf("%.17g", a[0]);
  return 0;
}
"""


@needs_compiler
def test_the_header_fits_the_source(tmp_path):
    """A program that includes the header and is linked with the source, as a user would."""
    import subprocess

    equations = stiff_loop().equations(letters=True)
    (tmp_path / "model.c").write_text('#include "model.h"\n' + equations.c())
    (tmp_path / "model.h").write_text(equations.c_header())
    q = ", ".join(map(repr, equations._completed(np.zeros(3), np.zeros(3), 0.0)[0].tolist()))
    (tmp_path / "main.c").write_text(MAIN.replace("START", q))
    files = [str(tmp_path / name) for name in ("main.c", "model.c")]
    subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", *files, "-o", str(tmp_path / "main"), "-lm"], check=True)
    printed = float(subprocess.run([str(tmp_path / "main")], capture_output=True, check=True, text=True).stdout)
    assert abs(printed - equations.accelerations(np.zeros(3), np.zeros(3))[0]) < 1e-11 * abs(printed)


SERIAL = """#include <math.h>
#define __device__
#define __global__
static struct { int x; } blockIdx, blockDim, threadIdx;
"""
LAUNCH = """
extern "C" void launch(int n, const double *t, const double *q, const double *v, const double *u, const double *p, int own,
                       double *qdot, double *vdot, double *lambda) {
  blockDim.x = 2;
  for (blockIdx.x = 0; 2 * blockIdx.x < n; blockIdx.x++)
    for (threadIdx.x = 0; threadIdx.x < 2; threadIdx.x++) NAME_batch(n, t, q, v, u, p, own, qdot, vdot, lambda);
}
"""


@needs_compiler
@pytest.mark.parametrize("name", ["curves", "slider-crank", "stiff loop"])
def test_cuda_as_plain_c(name, tmp_path):
    """The kernel with its threads one after the other, on a processor."""
    import ctypes

    from .compiled import pointer

    equations, cases = exported_states(name, True)
    cases = (cases * 3)[:3]
    source = SERIAL + equations.cuda() + LAUNCH
    compiled = Compiled(equations, tmp_path, source.replace("NAME", program_of(equations).name), ("-x", "c++"))
    n = len(cases)
    t = np.array([x[0] for x in cases])
    q, v = (np.array([x[k] for x in cases]).T.copy() for k in (1, 2))
    values = np.array(list(equations.letters.values()))
    for own, p in ((0, values), (1, np.repeat(values[:, None], n, axis=1))):
        qdot, vdot, lam = np.zeros_like(q), np.zeros_like(v), np.zeros((max(1, len(equations.constraints)), n))
        arrays = [pointer(np.ascontiguousarray(x)) for x in (t, q, v, np.zeros(1), p)]
        results = [pointer(x) for x in (qdot, vdot, lam)]
        compiled.library.launch(n, *(x[0] for x in arrays), own, *(x[0] for x in results))
        for k, (_, _, _, engine, want) in enumerate(cases):
            check({"qdot": qdot[:, k], "vdot": vdot[:, k], "lam": lam[: len(want["lam"]), k]}, engine, want)
    assert isinstance(compiled.library, ctypes.CDLL)


GPU = """
extern "C" int devices(void) { int n = 0; return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0; }
static double *on_device(int size, const double *x) {
  double *copy = 0;
  cudaMalloc(&copy, (size > 0 ? size : 1) * sizeof(double));
  if (x) cudaMemcpy(copy, x, size * sizeof(double), cudaMemcpyHostToDevice);
  return copy;
}
extern "C" int launch(int n, const double *t, const double *q, const double *v, const double *u, const double *p, int own,
                      double *qdot, double *vdot, double *lambda) {
  double *T = on_device(n, t), *Q = on_device(NQ * n, q), *V = on_device(NV * n, v), *U = on_device(1, u);
  double *P = on_device(own ? NP * n : NP, p), *R = on_device(NQ * n, 0), *A = on_device(NV * n, 0), *L = on_device(NL * n, 0);
  NAME_batch<<<(n + 1) / 2, 2>>>(n, T, Q, V, U, P, own, R, A, L);
  cudaMemcpy(qdot, R, NQ * n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaMemcpy(vdot, A, NV * n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaMemcpy(lambda, L, NL * n * sizeof(double), cudaMemcpyDeviceToHost);
  return (int)cudaGetLastError();
}
"""


def built_by_nvcc(equations, folder):
    """A shared library of the exported kernel and of functions that call it."""
    import ctypes
    import subprocess

    program = program_of(equations)
    counts = {"NQ": len(program.q), "NV": len(program.v), "NP": len(program.p), "NL": max(1, len(equations.constraints))}
    source = equations.cuda() + GPU.replace("NAME", program.name)
    defined = [f"-D{name}={count}" for name, count in counts.items()]
    path, library = folder / "kernel.cu", folder / "kernel.so"
    path.write_text(source)
    options = ["-Werror", "all-warnings", "-diag-suppress", "177", "-shared", "-Xcompiler", "-fPIC", *defined]
    subprocess.run(["nvcc", *options, str(path), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no CUDA compiler (nvcc) on the search path")
@pytest.mark.parametrize("name", ["curves", "slider-crank", "stiff loop"])
def test_cuda_by_its_own_compiler(name, tmp_path):
    """The kernel compiles without warnings; where there is a device, it gives the engine's accelerations."""
    from .compiled import pointer

    equations, cases = exported_states(name, True)
    library = built_by_nvcc(equations, tmp_path)
    assert library.launch is not None
    n = len(cases) if library.devices() else 0
    t = np.array([x[0] for x in cases])
    q, v = (np.array([x[k] for x in cases]).T.copy() for k in (1, 2))
    values = np.array(list(equations.letters.values()))
    for own, p in ((0, values), (1, np.repeat(values[:, None], len(cases), axis=1))) if n else ():
        qdot, vdot, lam = np.zeros_like(q), np.zeros_like(v), np.zeros((max(1, len(equations.constraints)), n))
        arrays = [pointer(np.ascontiguousarray(x)) for x in (t, q, v, np.zeros(1), p)]
        results = [pointer(x) for x in (qdot, vdot, lam)]
        assert library.launch(n, *(x[0] for x in arrays), own, *(x[0] for x in results)) == 0
        for k, (_, _, _, engine, want) in enumerate(cases):
            check({"qdot": qdot[:, k], "vdot": vdot[:, k], "lam": lam[: len(want["lam"]), k]}, engine, want)


def module_of(text):
    """An exported module, which must not need this package."""
    found = {}
    exec(compile(text, "exported", "exec"), found)
    assert "sharnir" not in text
    return found


def numpy_arrays(module, *given):
    names = ("rates", "mass_matrix", "bias", "applied", "constraints", "accelerations")
    symbols = ("qdot", "M", "h", "tau", ("g", "gdot", "G", "gamma"), ("vdot", "lam"))
    found = {}
    for name, symbol in zip(names, symbols, strict=True):
        value = module[name](*given)
        found |= dict(zip(symbol, value, strict=True)) if isinstance(symbol, tuple) else {symbol: value}
    return found


@pytest.mark.parametrize("name", NAMES)
def test_numpy(name):
    equations, cases = exported_states(name, True)
    module = module_of(equations.numpy())
    for t, q, v, engine, want in cases:
        check(numpy_arrays(module, t, q, v), engine, want)
    t, q, v = (np.array([x[k] for x in cases]) for k in range(3))
    many = numpy_arrays(module, t, q[:, None], v[:, None]) if len(cases) > 1 else numpy_arrays(module, t[0], q, v)
    single = numpy_arrays(module, t, q, v)
    for k, (_, _, _, engine, want) in enumerate(cases):
        check({symbol: array[k] for symbol, array in single.items()}, engine, want)
    assert many["vdot"].shape[-1] == len(equations.speeds)


def test_numpy_takes_parameters_by_state():
    equations = curves().equations(letters=True)
    module = module_of(equations.numpy())
    p = np.array(list(module["PARAMETERS"].values()))
    q, v = np.full(len(equations.coordinates), 0.2), np.full(len(equations.speeds), 0.1)
    many = module["bias"](0.0, q, v, (), np.array([p, 2 * p]))
    assert close(many[0], module["bias"](0.0, q, v)) and close(many[1], module["bias"](0.0, q, v, (), 2 * p))
    assert not close(many[0], many[1])


@pytest.mark.parametrize("name", NAMES)
def test_casadi(name):
    pytest.importorskip("casadi")
    equations, cases = exported_states(name, True)
    functions = equations.casadi()
    for t, q, v, engine, want in cases:
        found = {}
        for function in functions.values():
            values = function(t, q, v, [], list(equations.letters.values()))
            values = values if isinstance(values, (tuple, list)) else (values,)
            found |= {function.name_out(k): np.array(value) for k, value in enumerate(values)}
        found = {symbol: array if symbol in ("M", "G") else array.ravel() for symbol, array in found.items()}
        check(found, engine, want, 1e-10 if name == "stiff loop" else 1e-11)


def test_casadi_differentiates():
    casadi = pytest.importorskip("casadi")
    equations = curves().equations()
    f = equations.casadi()["accelerations"]
    x, v = casadi.SX.sym("x", 3), [0.3, -0.2, 0.5]
    slope = casadi.Function("slope", [x], [casadi.jacobian(f(0.4, x, v, [], [])[0], x)])
    q, h = np.array([0.2, 0.5, -0.5]), 1e-5

    def vdot(x):
        return np.array(f(0.4, x, v, [], [])[0])

    columns = [(vdot(q + h * e) - vdot(q - h * e)) / (2 * h) for e in np.eye(3)]
    assert close(np.array(slope(q)), np.hstack(columns), 1e-8)


def test_sympy_matrices():
    sympy = pytest.importorskip("sympy")
    equations, cases = exported_states("slider-crank", True)
    found = equations.sympy_matrices()
    _, q, v, _, want = cases[0]
    rates = dict(zip(found["v"], v, strict=True))
    places = dict(zip(found["q"], q, strict=True))
    letters = {sympy.Symbol(name): value for name, value in equations.letters.items()}
    for symbol in ("M", "h", "tau", "g", "gdot", "G", "gamma"):
        numbers = found[symbol].subs(rates).subs(places).subs(letters)
        assert close(np.array(numbers.evalf(17).tolist(), float).reshape(want[symbol].shape), want[symbol]), symbol


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(sr.MissingExtraError, match=r"pip install sharnir\[casadi\]"):
        curves().equations().casadi()
