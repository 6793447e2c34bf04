"""Accelerations by kernels for a GPU, run on this machine, against the engine."""

import ctypes
import sys

import numpy as np
import pytest

import flexible_mechanisms
import mechanisms
import random_mechanisms
import sharnir as sr
import zoo
from host_kernels import chain, library, needs_compiler, stand_in
from sharnir.gpu.device import Device, padded
from sharnir.gpu.kernel_model import KernelModel
from sharnir.gpu.run_kernel import FOLDER, Kernel

pytestmark = needs_compiler
T = 0.3  # s


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", stand_in())


def some_states(system, count=3):
    """Random states of open trees; closed loops at their start."""
    rng = np.random.default_rng(1)
    q, v = np.tile(system.q0, (count, 1)), np.tile(system.v0, (count, 1))
    if not system.constrained:
        q, v = q + rng.uniform(-0.5, 0.5, q.shape), rng.uniform(-1.0, 1.0, v.shape)
    for k in system.assembly.coordinates.quaternions:
        q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
    return q, v


def assert_same_accelerations(system, kernel, error=1e-12):
    q, v = some_states(system)
    y = np.hstack([q, v, np.tile(system.z0, (len(q), 1))])
    kind = np.float32 if kernel.single else np.float64
    found = np.full((y.shape[1], len(q)), 7, kind)
    Device().compiled(kernel.text, "states")(len(q), kind(T), padded(y, kind), np.zeros(1, kind), found)
    wanted = system.accelerations(q, v, T)
    assert np.abs(found[system.n_q : system.n_q + system.n_v].T - wanted).max() <= error * np.abs(wanted).max()


@pytest.mark.parametrize("seed", [pytest.param(k, marks=pytest.mark.sample(3)) for k in range(12)])
def test_trees(seed):
    """Every kind of joint, forces on bodies and along freedoms, a ground that moves; each body by itself, and in loops."""
    system = (random_mechanisms.random_tree(seed) if seed % 2 else zoo.random_tree(seed, 6)).compile()
    model = KernelModel(system)
    for rolled in (False, True):
        assert_same_accelerations(system, Kernel(model, rolled=rolled))


@pytest.mark.parametrize("seed", [pytest.param(k, marks=pytest.mark.sample(3)) for k in range(6)])
def test_loops(seed):
    system = random_mechanisms.random_loop(seed).compile()
    assert_same_accelerations(system, Kernel(KernelModel(system)))


def test_long_chain_runs_in_loops_in_both_precisions():
    system = chain(14).compile()
    model = KernelModel(system)
    kernel = Kernel(model)
    assert kernel.rolled
    assert not Kernel(KernelModel(chain(4).compile())).rolled
    assert len(kernel.tree.kinds) < 6  # alike bodies share their code
    assert_same_accelerations(system, kernel)
    assert_same_accelerations(system, Kernel(model, single=True), 1e-4)


def test_face_with_singular_positions():
    """Near a singular position the engine computes; elsewhere numbers come from the kernel."""
    bars = mechanisms.four_bar().compile()
    q = np.outer([0.5, 0.5 * np.pi], bars.v0)  # upright, and all bars in line
    v = np.tile(bars.v0, (2, 1))
    found, wanted = bars.accelerations(q, v, device="gpu"), bars.accelerations(q, v)
    assert np.array_equal(found[1], wanted[1])
    assert not np.array_equal(found[0], wanted[0])
    assert np.allclose(found[0], wanted[0], rtol=1e-12)
    arm = mechanisms.slider_crank().compile()
    q, v = some_states(arm)
    found = arm.accelerations(q, v, device="gpu")
    assert np.allclose(found, arm.accelerations(q, v), rtol=1e-12, atol=1e-12)
    assert np.allclose(arm.accelerations(q[0], v[0], device="gpu", precision="single"), found[0], rtol=1e-4, atol=1e-4)


def test_more_states_than_fit_into_memory(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", stand_in(memory=1000))
    system = chain(2).compile()
    q, v = some_states(system, 40)
    assert np.allclose(system.accelerations(q, v, device="gpu"), system.accelerations(q, v), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"device": "tpu"}, "'tpu' must be"), ({"precision": "single"}, "'cpu' must be"), ({"device": "gpu", "tau": [0.0]}, "tau")],
)
def test_wrong_words(options, said):
    system = chain(1).compile()
    with pytest.raises(sr.ModelError, match=said):
        system.accelerations([0.1], [0.0], **options)
    with pytest.raises(sr.ModelError, match="'half' must be"):
        system.accelerations([0.1], [0.0], device="gpu", precision="half")


def test_flexible_bodies_are_refused():
    with pytest.raises(sr.ModelError, match=r"on a GPU there are no flexible bodies; .*executor=None"):
        KernelModel(flexible_mechanisms.pendulum().compile())


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (sr.Function("u", lambda x, y: x * y, ["t", "t"]), "Python function, which a GPU cannot call"),
        (sr.Lookup("u", ["t", "t"], sr.GridTable(((0, 1), (0, 1)), ((0, 1), (1, 3)), smooth=True)), "table of several variables"),
    ],
)
def test_functions_are_refused(element, said):
    m = chain(1)
    m.add(element, sr.JointForce("f", next(iter(m.joints)), "u"))
    with pytest.raises(sr.ModelError, match=f"'u' is (a )?{said}.*executor=None"):
        KernelModel(m.compile())


@pytest.mark.parametrize(("single", "error"), [(False, 5e-16), (True, 2e-7)])
def test_sine_and_cosine(single, error):
    """Of angles of many turns, too: without the slow path of the library."""
    text = ("#define SINGLE\n" if single else "") + (FOLDER / "kernels.cuh").read_text()
    text += 'extern "C" void both(int n, const real* x, real* s, real* c)'
    text += "{ for (int k = 0; k < n; ++k) sine_and_cosine(x[k], s + k, c + k); }"
    kind = np.float32 if single else np.float64
    x = np.concatenate([np.linspace(-8.0, 8.0, 1001), np.linspace(-3e3, 3e3, 1001)]).astype(kind)
    s, c = np.zeros_like(x), np.zeros_like(x)
    library(text).both(len(x), *(ctypes.c_void_p(a.ctypes.data) for a in (x, s, c)))
    assert np.abs(s - np.sin(x.astype(float))).max() < error
    assert np.abs(c - np.cos(x.astype(float))).max() < error
