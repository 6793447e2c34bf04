"""Jobs that two threads share: a C function `void f(item, hand, arguments)` and a number of items.

Both take items until none is left; hand, 0 or 1, says whose scratch memory to use. An item may wait for items before it, which
somebody has taken by then. A thread that sleeps or is gone takes none, and the job is done by the other one alone: what comes
out depends on neither.
"""

from __future__ import annotations

from sharnir.kernel.names import (
    add_release,
    call_job,
    call_rest,
    entry,
    exchange_if,
    ints,
    jit,
    load_acquire,
    pause,
    store_release,
)

# a box, one cache line per number that changes: index and count of items with the number of the job, items done, ...
TICKET, DONE, BUSY, STOP, FUNCTION, ARGUMENTS, YIELD, SLEEP, BOX_SIZE = 0, 8, 16, 24, 32, 33, 40, 41, 48
ITEM, JOB = 1 << 16, 1 << 32  # units in the ticket
SPINS, YIELDS = 200, 20_000  # about 10 µs and 10 ms: on a busy machine the other thread may wait for this very core
NAP = 200  # µs


@jit
def take_items(m, hand):
    """Do items of the job in the box until there are no more."""
    while True:
        ticket = load_acquire(m, TICKET)
        item = ticket // ITEM % ITEM
        if item >= ticket % ITEM:
            return
        function, arguments = load_acquire(m, FUNCTION), load_acquire(m, ARGUMENTS)
        if exchange_if(m, TICKET, ticket, ticket + ITEM):  # then function and arguments belong to this job
            call_job(function, item, hand, arguments)
            add_release(m, DONE, 1)


@jit
def share(box, function, count, arguments):
    """Do items 0 … count - 1 of a job, with the thread that serves the box, if there is one; box: its address, or 0."""
    m = ints(box)
    if box == 0 or not exchange_if(m, BUSY, 0, 1):
        for item in range(count):
            call_job(function, item, 0, arguments)
        return
    m[FUNCTION], m[ARGUMENTS] = function, arguments
    store_release(m, DONE, 0)
    store_release(m, TICKET, (load_acquire(m, TICKET) // JOB + 1) % (JOB // 2) * JOB + count)
    take_items(m, 0)
    rests = 0
    while load_acquire(m, DONE) != count:
        rests = rest(m, rests, False)
    store_release(m, BUSY, 0)


@jit
def rest(m, rests, sleep):
    """One turn of waiting: soon ready, then ready when no other thread wants the core, then asleep, if it may."""
    if rests < SPINS or m[YIELD] == 0:
        pause()
    elif not sleep or rests < SPINS + YIELDS:
        call_rest(m[YIELD], 0)
    else:
        call_rest(m[SLEEP], NAP)
        return rests
    return rests + 1


@jit
def await_flag(box, flags, k):
    """Until an item that somebody has taken sets its flag; returns it."""
    rests = 0
    while load_acquire(flags, k) == 0:
        rests = rest(ints(box), rests, False)
    return load_acquire(flags, k)


@entry
def serve(box: int) -> None:
    """The second thread: take items of every job until it is stopped."""
    m, rests = ints(box), 0
    while load_acquire(m, STOP) == 0:
        ticket = load_acquire(m, TICKET)
        if ticket // ITEM % ITEM < ticket % ITEM:
            take_items(m, 1)
            rests = 0
        else:
            rests = rest(m, rests, True)
