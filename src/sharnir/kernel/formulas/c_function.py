"""C functions made of formulas and tables: by translation, which takes milliseconds; constants from a block of functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.kernel.formulas.machine_code import MachineCode
from sharnir.kernel.formulas.translation import Translation


class TranslatedFunction:
    """A function in the constructs of translation.py as a C function; what its code reads is kept with it."""

    def __init__(self, function: Any, kinds: str, noted: int = 0) -> None:
        translation = Translation(function, kinds, noted)
        self._code, self._kept = MachineCode(translation.text, translation.NAME), translation.kept
        self.address = self._code.address


class ConstantFunction:
    """The function of three numbers that is always `value`: one of many that share a piece of machine code.

    >>> from sharnir.kernel.signatures import SCALAR_C
    >>> f = ConstantFunction(2.5)
    >>> SCALAR_C(f.address)(1.0, 2.0, 3.0)
    2.5
    """

    def __init__(self, value: float) -> None:
        if not _free:
            block = _Block()
            _free.extend((block, k) for k in reversed(range(_Block.SIZE)))
        self._free, self._place = _free, _free.pop()  # a name of the module is gone when the interpreter ends
        block, k = self._place
        block.values[k] = value
        self.address = block.code.address_of(f"f{k}")

    def __del__(self) -> None:
        self._free.append(self._place)


class _Block:
    """Functions that return numbers in memory."""

    SIZE = 64

    def __init__(self) -> None:
        self.values = np.zeros(self.SIZE)
        start = self.values.ctypes.data
        self.code = MachineCode(
            "\n".join(
                f"define double @f{k}(double %x, double %y, double %z) {{\n"
                f"%v = load double, double* inttoptr (i64 {start + 8 * k} to double*)\nret double %v\n}}"
                for k in range(self.SIZE)
            ),
            "f0",
        )


_free: list[tuple[_Block, int]] = []  # functions that nobody uses
