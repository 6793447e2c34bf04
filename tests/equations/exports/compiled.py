"""Exported C, compiled and called."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from sharnir.equations.exports.program import program_of

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc) on the search path")
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function")


class Compiled:
    """A shared library of an export; `functions(t, q, v, u, p)` gives all arrays by symbol."""

    def __init__(self, equations, folder, source=None, options=STRICT):
        self.program = program_of(equations)
        path, library = folder / f"{self.program.name}.c", folder / f"{self.program.name}.so"
        path.write_text(equations.c() if source is None else source)
        subprocess.run(["cc", *options, "-O0", "-shared", "-fPIC", str(path), "-o", str(library), "-lm"], check=True)
        self.library = ctypes.CDLL(str(library))

    def __call__(self, t, q, v, u=(), p=None):
        found = {}
        p = list(self.program.p.values()) if p is None else p
        given = [pointer(np.array(x, float)) for x in (q, v, u, p)]
        for function in self.program.functions:
            arrays = [np.full(output.shape, np.nan) for output in function.outputs]
            call = getattr(self.library, f"{self.program.name}_{function.name}")
            call(ctypes.c_double(t), *(x[0] for x in given), *(pointer(x)[0] for x in arrays))
            found |= {output.symbol: array for output, array in zip(function.outputs, arrays, strict=True)}
        return found


def pointer(array):
    """A pointer into an array, which is kept beside it."""
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), array
