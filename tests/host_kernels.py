"""Kernels for a GPU compiled as C++ for this machine, and a stand-in for the few functions of CuPy that launch them."""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

import sharnir as sr

COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler on the search path to run kernels on this machine")
HEADER = Path(__file__).parent / "cuda_on_host.h"
FOLDER = Path(tempfile.mkdtemp(prefix="sharnir-gpu-"))
SIGNATURE = re.compile(r'extern "C" __global__ void BOUNDS (\w+)\(([^)]*)\)', re.S)


def library(text: str) -> ctypes.CDLL:
    """The very text that goes to a GPU, with launchers behind it, as a library."""
    path = FOLDER / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.so"
    if not path.exists():
        launchers = ""
        for name, arguments in SIGNATURE.findall(text):
            names = ", ".join(part.split()[-1].lstrip("*") for part in arguments.split(","))
            launchers += (
                f'extern "C" void launch_{name}(int blocks, int threads, {arguments}) {{ blockDim.x = threads;\n'
                f"for (blockIdx.x = 0; (int)blockIdx.x < blocks; ++blockIdx.x) for (threadIdx.x = 0; (int)threadIdx.x < threads;"
                f" ++threadIdx.x) {name}({names}); }}\n"
            )
        source = path.with_suffix(".cpp")
        source.write_text(f'#include "{HEADER}"\n#define THREADS 32\n{text}\n{launchers}')
        command = [str(COMPILER), "-std=c++14", "-shared", "-fPIC", "-w", str(source), "-o", str(path)]
        subprocess.run(command, check=True, timeout=300)
    return ctypes.CDLL(str(path))


class RawModule:
    """As cupy.RawModule."""

    made: ClassVar[list[str]] = []

    def __init__(self, code: str, options: tuple[str, ...], backend: str) -> None:
        assert backend == "nvrtc" and all(option.startswith("-") for option in options)
        self.made.append(code)
        self._library = library(code)

    def get_function(self, name: str) -> Any:
        function = getattr(self._library, f"launch_{name}")

        def launch(grid: tuple[int, ...], block: tuple[int, ...], arguments: tuple[Any, ...]) -> None:
            given = [ctypes.c_int(grid[0]), ctypes.c_int(block[0])]
            for x in arguments:
                if isinstance(x, np.ndarray):
                    given.append(ctypes.c_void_p(x.ctypes.data))
                else:
                    kind = {np.int32: ctypes.c_int, np.float64: ctypes.c_double, np.float32: ctypes.c_float}[type(x)]
                    given.append(kind(x))
            function(*given)

        return launch


class OutOfMemoryError(Exception):
    """As cupy.cuda.memory.OutOfMemoryError."""


def stand_in(devices: int = 1, memory: int = 2**30) -> Any:
    """A module with what sharnir asks of CuPy."""
    device = SimpleNamespace(mem_info=(memory, memory), synchronize=lambda: None)
    return SimpleNamespace(
        RawModule=RawModule,
        asarray=lambda x: np.array(x, order="C"),
        empty=lambda shape, dtype: np.full(shape, 7, dtype),
        asnumpy=np.array,
        cuda=SimpleNamespace(
            runtime=SimpleNamespace(getDeviceCount=lambda: devices, CUDARuntimeError=RuntimeError),
            Device=lambda: device,
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        ),
    )


def chain(count: int, spring: bool = True) -> sr.Model:
    """A chain of hinges along changing axes, with a spring from its end to the ground."""
    m, at = sr.Model("chain"), np.zeros(3)
    rng = np.random.default_rng(2)
    for k in range(count):
        above, axis = f"b{k - 1}" if k else "ground", rng.normal(size=3)
        m.add(sr.Body(f"b{k}", mass=1.0 + 0.1 * k, inertia=(0.1, 0.2, 0.15), position=tuple(at + (0.1, 0.05, 0.0))))
        m.add(sr.Revolute(f"h{k}", above, f"b{k}", at=tuple(at), axis=tuple(axis), damping=0.1))
        at = at + rng.uniform(-0.3, 0.3, 3)
    if spring:
        m.add(sr.Spring("spring", "ground", f"b{count - 1}", at_a=(0, 0, 1), stiffness=20.0))
    return m
