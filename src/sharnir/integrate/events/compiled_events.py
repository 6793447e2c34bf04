"""An event whose actions are compiled: it happens, and the run goes on, without Python."""

from __future__ import annotations

from sharnir.integrate.events import event_book as B
from sharnir.integrate.events.event_places import ABOVE, BELOW, COUNT, DIRECTION, FIRED, HAS_FIRED, RESTING
from sharnir.integrate.events.event_values import mark
from sharnir.integrate.stepping.delayed_breaks import add_delayed_breaks
from sharnir.integrate.stepping.run_memory import (
    EVENT_ROW,
    FLIP,
    INTEGRALS,
    PAUSED,
    STATUS,
    STOP,
    Memory,
    N,
    T,
)
from sharnir.integrate.stepping.state_rows import row
from sharnir.integrate.stepping.step_control import begin_anew
from sharnir.integrate.stepping.step_functions import act_function, memory_at
from sharnir.kernel import call_derivative, doubles, entry, ints, jit


def act(m: Memory) -> None:
    """Carry out the event at which a run stands, and restart there; the status stays EVENT if that is left to Python."""
    counter = ints(m.counter)
    if rests(m):
        return
    open_book(m)
    y, book = row(m, ints(m.sizes)[EVENT_ROW]), doubles(m.book)
    call_derivative(m.actions, doubles(m.clock)[T], y, m.book, m.table, m.params, m.work)
    close_book(m)
    if book[B.ANSWER] != B.DONE:
        return
    counter[FLIP] = 0
    target, source = doubles(row(m, counter[FLIP])), doubles(y)
    for i in range(ints(m.sizes)[N]):
        target[i] = source[i]
    if ints(m.sizes)[INTEGRALS] == 1:
        at = ints(m.sizes)[N]
        target[at] = source[at] + book[B.WORK]
    begin_anew(m)
    add_delayed_breaks(m)
    if doubles(m.clock)[T] >= doubles(m.clock)[STOP]:
        counter[STATUS] = PAUSED


ACT = act_function(act)


@jit
def rests(m: Memory) -> bool:
    """Some function stays where its event should have turned it round."""
    marks, found = ints(m.marks), False
    for i in range(marks[COUNT]):
        found = found or marks[mark(m, FIRED, i)] == RESTING
    return found


@jit
def open_book(m: Memory) -> None:
    """What actions have to know of this moment."""
    marks, book = ints(m.marks), doubles(m.book)
    n = marks[COUNT]
    for i in range(n):
        fired, at = marks[mark(m, FIRED, i)], B.ROWS + i
        book[at + B.DIRECTION * n] = marks[mark(m, DIRECTION, i)]
        book[at + B.PENDING * n] = 1.0 if fired == HAS_FIRED else 0.0
        book[at + B.SIDE * n] = -1.0 if fired == BELOW else (1.0 if fired == ABOVE else 0.0)


@jit
def close_book(m: Memory) -> None:
    """What they have changed of the events themselves."""
    marks, book = ints(m.marks), doubles(m.book)
    n = marks[COUNT]
    for i in range(n):
        at = B.ROWS + i
        marks[mark(m, DIRECTION, i)] = int(book[at + B.DIRECTION * n])
        if book[at + B.SIDE * n] == B.MOVED:
            marks[mark(m, FIRED, i)] = 0


@entry
def resume(where: int) -> None:
    """`begin_anew`, for Python; where it is, something has jumped."""
    begin_anew(memory_at(where))
    add_delayed_breaks(memory_at(where))
