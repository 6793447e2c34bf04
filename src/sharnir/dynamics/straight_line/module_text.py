"""A module of LLVM code without addresses in it: functions outside are called through slots, numbers of the model are in memory.

So the same text serves every process, and every system of the same structure: its object file is loaded anew, and the slots and
numbers are filled.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from sharnir.dynamics.straight_line.graph_code import Lines, declarations, literal, place
from sharnir.errors import ModelError
from sharnir.kernel.formulas.machine_code import ObjectCode

ARGUMENTS = "double %t, i64 %y, i64 %out, i64 %table, i64 %params, i64 %work"
LONG = 20_000  # lines of code that are translated as they stand: the compiler takes time with the square of their number
LONGEST = 400_000  # lines of code that are not translated at all
BLOCK = 300  # lines of a block
# slots: the engine's functions; how many groups of directions, and where changes of numbers stand (direction_writer.py); tables
DERIVATIVE, BALANCED, PROJECTION, RATES, GROUPS, CHANGES, FIRST_FUNCTION = range(7)


class ModuleText:
    """Text of a module with some functions of its own.

    slots : addresses that it asks for.   numbers : how many numbers of the model stand in memory.
    """

    def __init__(self, functions: Sequence[str], slots: int, numbers: int) -> None:
        memory = [global_array("slot", "i64", slots), global_array("number", "double", numbers)]
        self.text = "\n".join([*memory, declarations(), MEMORY, *functions])
        if self.lines > LONGEST:
            raise ModelError(f"method 'symbolic' would need {self.lines} lines of code, and {LONGEST} are the limit")

    @property
    def lines(self) -> int:
        """How long it is."""
        return self.text.count("\n")

    @property
    def effort(self) -> int:
        """What the compiler is asked for."""
        return 1 if self.lines < LONG else 0


def global_array(name: str, kind: str, count: int) -> str:
    """Memory of a module, named in the plural, and a function that reads it."""
    array = f"[{max(1, count)} x {kind}]"
    return f"""@{name}s = global {array} zeroinitializer
define internal {kind} @{name}(i64 %k) alwaysinline {{
  %p = getelementptr inbounds {array}, {array}* @{name}s, i64 0, i64 %k
  %x = load {kind}, {kind}* %p
  ret {kind} %x
}}"""


def fill(code: ObjectCode, slots: Sequence[int], numbers: Sequence[float]) -> None:
    """Give loaded code the addresses and numbers that it asks for."""
    memory = code.memory_of("slots", ctypes.c_int64, max(1, len(slots)))
    for k, address in enumerate(slots):
        memory[k] = address
    values = code.memory_of("numbers", ctypes.c_double, max(1, len(numbers)))
    for k, value in enumerate(numbers):
        values[k] = value


def divided(lines: Sequence[str]) -> list[str]:
    """Straight-line code in blocks: the compiler takes less time for many short ones than for one that is long."""
    found: list[str] = []
    for k in range(0, len(lines), BLOCK):
        found += [*lines[k : k + BLOCK], f"br label %block{k}", f"block{k}:"]
    return found


def number_value(lines: Lines, k: int) -> str:
    """A number of the model."""
    return lines.new(f"call double @number(i64 {k})")


def called(slot: int, count: int = 3) -> Callable[[Lines, list[str]], str]:
    """Writes calls of the C function of `count` numbers in a slot, of which those that are missing do not matter."""

    def write(lines: Lines, arguments: list[str]) -> str:
        given = ", ".join(f"double {x}" for x in [*arguments, *[literal(0.0)] * count][:count])
        address = lines.new(f"call i64 @slot(i64 {slot})")
        function = lines.new(f"inttoptr i64 {address} to double ({', '.join(['double'] * count)})*")
        return lines.new(f"call double {function}({given})")

    return write


def course_value(lines: Lines, at: int, memory: int) -> str:
    """What a motion that follows inputs gives: kinematics.prescribed, where an address below zero wants memory besides."""
    address = lines.new(f"sub i64 0, {lines.new(loaded_int('%table', at))}")
    function = lines.new(f"inttoptr i64 {address} to double (double, double, double, i64)*")
    given = f"double %t, double {literal(0.0)}, double {literal(0.0)}, i64 {lines.new(f'add i64 %work, {8 * memory}')}"
    return lines.new(f"call double {function}({given})")


def handed_over(slot: int, prefix: str) -> list[str]:
    """A call of the engine's function in a slot with the same arguments."""
    lines = Lines(prefix)
    address = lines.new(f"call i64 @slot(i64 {slot})")
    function = lines.new(f"inttoptr i64 {address} to void (double, i64, i64, i64, i64, i64)*")
    return [*lines.lines, f"call void {function}({ARGUMENTS})"]


def noted(at: int) -> list[str]:
    """One more in the memory of the run: the engine computes."""
    lines = Lines("n")
    pointer = place(lines, "%work", at)
    value = lines.new(f"load double, double* {pointer}")
    more = lines.new(f"fadd double {value}, {literal(1.0)}")
    return [*lines.lines, f"store double {more}, double* {pointer}"]


def loaded(base: str, k: int) -> str:
    """A double of a block of memory, as one expression."""
    return f"call double @number_at(i64 {base}, i64 {8 * k})"


def loaded_int(base: str, k: int) -> str:
    """An integer of a block of memory."""
    return f"call i64 @integer_at(i64 {base}, i64 {8 * k})"


def written(base: str, k: int, value: str) -> str:
    """A double written to a block of memory."""
    return f"call void @write_at(i64 {base}, i64 {8 * k}, double {value})"


def stored(value: str, k: int) -> str:
    """A double written to the third argument."""
    return written("%out", k, value)


MEMORY = """define internal double @number_at(i64 %base, i64 %at) alwaysinline {
  %a = add i64 %base, %at
  %p = inttoptr i64 %a to double*
  %x = load double, double* %p
  ret double %x
}
define internal i64 @integer_at(i64 %base, i64 %at) alwaysinline {
  %a = add i64 %base, %at
  %p = inttoptr i64 %a to i64*
  %x = load i64, i64* %p
  ret i64 %x
}
define internal void @write_at(i64 %base, i64 %at, double %x) alwaysinline {
  %a = add i64 %base, %at
  %p = inttoptr i64 %a to double*
  store double %x, double* %p
  ret void
}"""
