"""The GPU through CuPy: compiling by NVRTC, memory, launches. All that knows CuPy is here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.errors import MissingExtraError, SimulationError

THREADS = 64  # of a block: few, since every thread has many registers


class Device:
    """A GPU that is there; errors say what is missing.

    cupy : the module.
    """

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError:
            raise MissingExtraError("gpu", "a GPU (processors make the same runs with executor=None)") from None
        self.cupy = cupy
        try:
            count = int(cupy.cuda.runtime.getDeviceCount())
        except Exception as error:  # no driver, or one that is too old for this CuPy
            raise SimulationError(f"CuPy finds no GPU ({_line(error)}); make the runs on processors with executor=None") from None
        if not count:
            raise SimulationError("CuPy finds no GPU on this machine; make the runs on processors with executor=None")

    def compiled(self, text: str, name: str) -> Callable[..., None]:
        """A kernel: called with the number of threads and its arguments."""
        options = ("-std=c++14", f"-DTHREADS={THREADS}")
        try:
            kernel = self.cupy.RawModule(code=text, options=options, backend="nvrtc").get_function(name)
        except Exception as error:
            raise SimulationError(
                f"the kernel cannot be compiled for this GPU ({_line(error)}); make the runs on processors with executor=None"
            ) from error

        def launch(count: int, *arguments: Any) -> None:
            kernel((-(-count // THREADS),), (THREADS,), (np.int32(count), *arguments))

        return launch

    def sent(self, *arrays: np.ndarray) -> list[Any]:
        """Arrays in the memory of the GPU."""
        try:
            return [self.cupy.asarray(x) for x in arrays]
        except self.cupy.cuda.memory.OutOfMemoryError:
            raise too_little_memory() from None

    def room(self, *shapes: tuple[tuple[int, ...], Any]) -> list[Any]:
        """Memory of given shapes and types."""
        try:
            return [self.cupy.empty(shape, dtype) for shape, dtype in shapes]
        except self.cupy.cuda.memory.OutOfMemoryError:
            raise too_little_memory() from None

    def fetched(self, *arrays: Any) -> list[np.ndarray]:
        """What the GPU has computed, once it has."""
        try:
            return [np.asarray(self.cupy.asnumpy(x)) for x in arrays]
        except self.cupy.cuda.runtime.CUDARuntimeError as error:
            raise SimulationError(
                f"the GPU has stopped ({_line(error)}); make the runs on processors with executor=None"
            ) from error

    def most(self, bytes_each: int, share: float = 0.5) -> int:
        """How many runs of so many bytes fit into a share of the free memory."""
        free = int(self.cupy.cuda.Device().mem_info[0])
        return max(1, int(free * share) // max(1, bytes_each))


def too_little_memory() -> SimulationError:
    """Other programs may use the GPU, too."""
    return SimulationError("the GPU has not enough memory for these runs; give a smaller block, such as block=10000")


def _line(error: BaseException) -> str:
    """The first line of a message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__


def padded(rows: np.ndarray, dtype: Any) -> np.ndarray:
    """Components by rows, runs side by side; without components one number, so that there is an address."""
    found: np.ndarray = np.ascontiguousarray(np.asarray(rows, dtype).T)
    return found if found.size else np.zeros((1, 1), dtype)


def number_type(single: bool) -> Any:
    """The type of `real` in a kernel."""
    return np.float32 if single else np.float64
