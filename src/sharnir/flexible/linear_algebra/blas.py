"""Three functions of BLAS and LAPACK on arrays as they lie in memory, called without the interpreter's lock: for threads.

SciPy's own wrappers hold the lock. Arrays are of double or of single precision. An array (k, m) in C order is the matrix m × k in
the order of Fortran, its transpose.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

_LOWER, _RIGHT, _PLAIN, _TRANSPOSED = (ctypes.c_char_p(letter) for letter in (b"L", b"R", b"N", b"T"))


@cache
def _function(module: str, name: str) -> Any:
    """A function of scipy.linalg.cython_blas or cython_lapack by its address."""
    capsule = import_module(f"scipy.linalg.{module}").__pyx_capi__[name]
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return ctypes.CFUNCTYPE(None)(address)


def _whole(number: int) -> Any:
    return ctypes.byref(ctypes.c_int(number))


def _number(number: float, array: np.ndarray) -> Any:
    """A number as precise as those of an array."""
    return ctypes.byref(ctypes.c_double(number) if array.itemsize == 8 else ctypes.c_float(number))


def _letter(array: np.ndarray) -> str:
    return "d" if array.itemsize == 8 else "s"


def _at(array: np.ndarray) -> Any:
    return ctypes.c_void_p(array.ctypes.data)


def cholesky(D: np.ndarray) -> int:
    """D = L Lᵀ in place (k × k, lower in the order of Fortran); 0, or the number of the first pivot that is not positive."""
    info = ctypes.c_int(0)
    _function("cython_lapack", f"{_letter(D)}potrf")(_LOWER, _whole(len(D)), _at(D), _whole(len(D)), ctypes.byref(info))
    return info.value


def divide(D: np.ndarray, B: np.ndarray, transposed: bool = True) -> None:
    """B := B L⁻ᵀ (or B L⁻¹) for B of len(D) columns; its array is (len(D), rows)."""
    k, rows = B.shape
    _function("cython_blas", f"{_letter(B)}trsm")(
        *(_RIGHT, _LOWER, _TRANSPOSED if transposed else _PLAIN, _PLAIN),
        *(_whole(rows), _whole(k), _number(1.0, B), _at(D), _whole(k), _at(B), _whole(rows)),
    )


def subtract_square(B: np.ndarray, U: np.ndarray) -> None:
    """U := U - B Bᵀ, its lower triangle."""
    k, rows = B.shape
    _function("cython_blas", f"{_letter(B)}syrk")(
        *(_LOWER, _PLAIN, _whole(rows), _whole(k), _number(-1.0, B), _at(B), _whole(rows)),
        *(_number(1.0, B), _at(U), _whole(rows)),
    )
