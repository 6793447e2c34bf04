"""C functions made of formulas and tables: by translation, which takes milliseconds; constants from a block of functions.

Formulas with parameters are translated once, with the parameters in memory; every set of values is a function of its own, which
is taken from a block and calls that code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.kernel.formulas.machine_code import MachineCode
from sharnir.kernel.formulas.translation import FAST, Translation


class TranslatedFunction:
    """A function in the constructs of translation.py as a C function; what its code reads is kept with it.

    exact : every operation is rounded as Python rounds it, none is fused with another.
    """

    def __init__(self, function: Any, kinds: str, noted: int = 0, exact: bool = False) -> None:
        translation = Translation(function, kinds, noted)
        text = translation.text.replace(f" {FAST} ", " ") if exact else translation.text
        self._code, self._kept = MachineCode(text, translation.NAME), translation.kept
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
            _blocks.append(block)
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
# All blocks stay: if every function of one is garbage at once, the collector ends its machine code before `__del__` takes the
# functions back.
_blocks: list[Any] = []


class BoundFormula:
    """Code whose last argument is the memory of parameters, as a function without it: one of many that differ in their values.

    kinds : of the other arguments, as in Translation; the result is a double, or nothing if all of them are memory.

    >>> from sharnir.kernel.formulas.translation import written
    >>> from sharnir.kernel.signatures import SCALAR_C
    >>> code = TranslatedFunction(written(["def f(x, y, z, p): return p[0] * x + p[1]"], "f", {}), "dddm")
    >>> one, two = BoundFormula(code, "ddd", (2.0, 0.5)), BoundFormula(code, "ddd", (3.0, 1.0))
    >>> SCALAR_C(one.address)(1.0, 0.0, 0.0), SCALAR_C(two.address)(1.0, 0.0, 0.0)
    (2.5, 4.0)
    """

    def __init__(self, code: TranslatedFunction, kinds: str, values: tuple[float, ...]) -> None:
        self._code, self._values = code, np.array(values)
        self._free = _unbound.setdefault(kinds, [])
        if not self._free:
            _made[kinds] = size = min(4 * _made.get(kinds, 1), 64)  # a block takes 0.15 ms for each
            block = _Calls(kinds, size)
            _blocks.append(block)
            self._free.extend((block, k) for k in reversed(range(size)))
        self._place = self._free.pop()
        block, k = self._place
        block.targets[k] = code.address, self._values.ctypes.data
        self.address = block.addresses[k]

    def __del__(self) -> None:
        self._free.append(self._place)


class _Calls:
    """Functions that call others, whose addresses stand in memory together with their last argument."""

    def __init__(self, kinds: str, size: int) -> None:
        self.targets = np.zeros((size, 2), np.int64)
        types = ["double" if kind == "d" else "i64" for kind in kinds]
        result = "double" if "d" in kinds else "void"
        given = ", ".join(f"{kind} %x{k}" for k, kind in enumerate(types))
        taken, back = ("%v = ", "ret double %v") if result == "double" else ("", "ret void")
        start = self.targets.ctypes.data
        self.code = MachineCode(
            "\n".join(
                f"define {result} @f{k}({given}) {{\n"
                f"%c = load i64, i64* inttoptr (i64 {start + 16 * k} to i64*)\n"
                f"%p = load i64, i64* inttoptr (i64 {start + 16 * k + 8} to i64*)\n"
                f"%g = inttoptr i64 %c to {result} ({', '.join(types)}, i64)*\n"
                f"{taken}tail call {result} %g({given}, i64 %p)\n{back}\n}}"
                for k in range(size)
            ),
            "f0",
            effort=0,
            passes=False,
        )
        self.addresses = [self.code.address_of(f"f{k}") for k in range(size)]


_unbound: dict[str, list[tuple[_Calls, int]]] = {}  # functions that nobody uses, by kinds of their arguments
_made: dict[str, int] = {}  # size of the last block
