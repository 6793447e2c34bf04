"""Functions and memory as Python hands them to compiled kernels: by their addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.kernel.names import inline
from sharnir.kernel.signatures import DERIVATIVE_C


def derivative_at(address: int) -> Callable:
    """The function with the signature of a right-hand side at an address, for Python to call."""
    return DERIVATIVE_C(address)


def location(array: np.ndarray) -> int:
    """What a kernel takes as the address of an array."""
    return array.ctypes.data


def block_of(record: Any) -> np.ndarray:
    """What holds the addresses of a record (a named tuple of them) while kernels work with it."""
    return np.array(record, np.int64)


@inline
def number_of(where):
    """An address as a number that memory can hold. Who stores it there keeps what stands at the address."""
    return where
