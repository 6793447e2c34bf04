"""The few functions of CuPy that launch kernels: what is asked of them, and what happens when they fail."""

import sys

import numpy as np
import pytest

import sharnir as sr
from host_kernels import OutOfMemoryError, needs_compiler, stand_in
from sharnir.errors import MissingExtraError
from sharnir.gpu.device import THREADS, Device, padded


def study():
    m = sr.Model("fall", parameters={"h": 1.0})
    m.add(sr.Body("stone", mass=1), sr.Prismatic("rail", "ground", "stone", axis="z", q="h"))
    return sr.Study(m, parameters={"h": np.linspace(1, 2, 70)}, outputs={"end": "final(rail.q)"}, t_end=1.0, tolerance=1e-6)


def test_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingExtraError, match=r"executor=None.*pip install sharnir\[gpu\]"):
        study().run(executor="gpu")


def test_without_a_gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", stand_in(devices=0))
    with pytest.raises(sr.SimulationError, match="no GPU on this machine; make the runs on processors"):
        study().run(executor="gpu")


def broken(error):
    """A function that fails."""

    def fail(*arguments, **options):
        raise error

    return fail


def test_driver_that_does_not_fit(monkeypatch):
    cupy = stand_in()
    cupy.cuda.runtime.getDeviceCount = broken(RuntimeError("cudaErrorInsufficientDriver: too old\nand more"))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    with pytest.raises(sr.SimulationError, match=r"no GPU \(RuntimeError: cudaErrorInsufficientDriver: too old\)"):
        study().run(executor="gpu")


def test_kernel_that_does_not_compile(monkeypatch):
    cupy = stand_in()
    cupy.RawModule = broken(ValueError("nvrtc: line 3"))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    with pytest.raises(sr.SimulationError, match=r"cannot be compiled for this GPU \(ValueError: nvrtc: line 3\)"):
        study().run(executor="gpu")


@needs_compiler
@pytest.mark.parametrize(
    ("part", "error", "said"),
    [
        ("asnumpy", RuntimeError("cudaErrorIllegalAddress"), "the GPU has stopped"),
        ("empty", OutOfMemoryError("out of memory"), "not enough memory for these runs.*smaller block"),
    ],
)
def test_a_gpu_that_fails_on_the_way(monkeypatch, part, error, said):
    cupy = stand_in()
    setattr(cupy, part, broken(error))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    with pytest.raises(sr.SimulationError, match=said):
        study().run(executor="gpu")


@needs_compiler
def test_blocks_fit_into_memory(monkeypatch):
    """All runs are made, in as many launches as memory asks for, and the last threads of a block have nothing to do."""
    monkeypatch.setitem(sys.modules, "cupy", stand_in(memory=4000))
    done = []
    found = study().run(executor="gpu", progress=done.append)
    assert 1 < len(done) < 70
    assert found["end"] == pytest.approx(np.linspace(1, 2, 70) - 0.5 * 9.81, abs=1e-6)
    assert THREADS % 32 == 0


def test_arrays_without_components_have_an_address():
    assert padded(np.zeros((3, 0)), np.float64).shape == (1, 1)
    assert padded(np.arange(6.0).reshape(3, 2), np.float32).tolist() == [[0, 2, 4], [1, 3, 5]]


@needs_compiler
def test_device_is_made_once_for_many_blocks(monkeypatch):
    cupy = stand_in()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    before = len(cupy.RawModule.made)
    study().run(executor="gpu", block=10)
    assert len(cupy.RawModule.made) == before + 1
    assert Device().most(100) == 2**30 // 200
