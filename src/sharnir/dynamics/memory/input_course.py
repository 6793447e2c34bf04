"""The course of an input that motions follow: cubic polynomials over the communication steps of a run.

A drive needs position, speed and acceleration; numbers from outside come one per step. A course goes through them with a
continuous speed. It is a function of time like any other motion, so what it was can be computed again when the run is over.
"""

from sharnir.kernel import doubles, jit

USED, FRONT = 0, 1  # how many records there are; they stand behind
RECORD = 8  # beginning, end, coefficients of 1, x, x², x³ with x = t - beginning, value and rate at the end
ROUNDING = 1e-12  # of a time, as clocks have it: at a tick the piece that begins there counts
INSIDE = 1.0 + 1e-9  # of a record: rounding of times


@jit
def read_course(course, t, k):
    """Value (k = 0), rate (1) or second rate (2) at a time; behind the last record straight on, before the first at rest."""
    a, b = 0, int(course[USED])
    moment = t + ROUNDING * max(1.0, abs(t))
    while b - a > 1:  # the last record that begins at t or before
        middle = (a + b) // 2
        if course[FRONT + RECORD * middle] <= moment:
            a = middle
        else:
            b = middle
    at = FRONT + RECORD * a
    h = course[at + 1] - course[at]
    x = max(0.0, t - course[at])
    over = 0.0
    if x > INSIDE * h:
        x, over = h, x - h
    c1, c2, c3 = course[at + 3], course[at + 4], course[at + 5]
    rate = c1 + x * (2.0 * c2 + 3.0 * x * c3)
    if k == 0:
        return course[at + 2] + x * (c1 + x * (c2 + x * c3)) + over * rate
    if k == 1:
        return rate
    return 2.0 * c2 + 6.0 * x * c3 if over == 0.0 else 0.0


@jit
def followed(number, t, k, initial):
    """What a motion follows: the course whose address stands in memory as a number; before a run has one, its initial value."""
    if number == 0.0:
        return initial if k == 0 else 0.0
    return read_course(doubles(int(number)), t, k)
