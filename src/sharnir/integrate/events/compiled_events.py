"""An event whose actions are compiled: it happens, and the run goes on, without Python."""

from __future__ import annotations

from sharnir.integrate.events import event_book as B
from sharnir.integrate.events.event_values import ABOVE, BELOW, COUNT, DIRECTION, FIRED, HAS_FIRED, MARKS_HEADER, RESTING
from sharnir.integrate.stepping.run_memory import (
    DT,
    EVALUATIONS,
    EVEN,
    EVEN_STEPS,
    EVENT,
    EVENT_ROW,
    FACTORED_DT,
    FAILURES,
    FLIP,
    ONE_STEP,
    PAUSED,
    RAMP,
    RESUMED,
    RUNNING,
    STARTED,
    STATUS,
    STEP,
    STEPS,
    STEPS_BEFORE,
    STOP,
    SUBSTEP,
    Memory,
    N,
    T,
)
from sharnir.integrate.stepping.state_rows import row
from sharnir.kernel import call_derivative, doubles, entry, ints, jit


@jit
def acted(m: Memory, limit: int) -> bool:
    """The run stood at an event, what it does is done, and there is more to compute."""
    counter = ints(m.counter)
    if m.actions == 0 or counter[STATUS] != EVENT or rests(m):
        return False
    open_book(m)
    y, book = row(m, ints(m.sizes)[EVENT_ROW]), doubles(m.book)
    call_derivative(m.actions, doubles(m.clock)[T], y, m.book, m.table, m.params, m.work)
    close_book(m)
    if book[B.ANSWER] != B.DONE:
        return False
    counter[FLIP] = 0
    target, source = doubles(row(m, counter[FLIP])), doubles(y)
    for i in range(ints(m.sizes)[N]):
        target[i] = source[i]
    begin_anew(m)
    if doubles(m.clock)[T] >= doubles(m.clock)[STOP]:
        counter[STATUS] = PAUSED
        return False
    return counter[EVALUATIONS] < limit


@jit
def rests(m: Memory) -> bool:
    """Some function stays where its event should have turned it round."""
    marks, found = ints(m.marks), False
    for i in range(marks[COUNT]):
        found = found or marks[MARKS_HEADER + FIRED * marks[COUNT] + i] == RESTING
    return found


@jit
def open_book(m: Memory) -> None:
    """What actions have to know of this moment."""
    marks, book = ints(m.marks), doubles(m.book)
    n = marks[COUNT]
    for i in range(n):
        fired, at = marks[MARKS_HEADER + FIRED * n + i], B.ROWS + i
        book[at + B.DIRECTION * n] = marks[MARKS_HEADER + DIRECTION * n + i]
        book[at + B.PENDING * n] = 1.0 if fired == HAS_FIRED else 0.0
        book[at + B.SIDE * n] = -1.0 if fired == BELOW else (1.0 if fired == ABOVE else 0.0)


@jit
def close_book(m: Memory) -> None:
    """What they have changed of the events themselves."""
    marks, book = ints(m.marks), doubles(m.book)
    n = marks[COUNT]
    for i in range(n):
        at, mark = B.ROWS + i, MARKS_HEADER + FIRED * n + i
        marks[MARKS_HEADER + DIRECTION * n + i] = int(book[at + B.DIRECTION * n])
        if book[at + B.SIDE * n] == B.MOVED:
            marks[mark] = 0


@jit
def begin_anew(m: Memory) -> None:
    """The state in row 0 is where the run begins once more."""
    counter, clock, sizes = ints(m.counter), doubles(m.clock), ints(m.sizes)
    counter[STEPS_BEFORE] = counter[STEPS_BEFORE] + counter[STEPS]
    counter[FLIP] = counter[STARTED] = counter[STEPS] = counter[SUBSTEP] = counter[FAILURES] = counter[RAMP] = 0
    counter[RESUMED], counter[EVEN], counter[STATUS] = 1, sizes[EVEN_STEPS], RUNNING
    clock[FACTORED_DT] = 0.0
    if sizes[EVEN_STEPS] == 1:
        clock[DT] = doubles(m.settings)[STEP]
    elif sizes[ONE_STEP] == 0:
        clock[DT] = 0.0  # the history is gone: begin as carefully as at first


@entry
def resume(m: Memory) -> None:
    """`begin_anew`, for Python."""
    begin_anew(m)
