"""The book of events: what the step loop and the compiled actions of events exchange (float64).

A problem's `actions` is called at the moment of an event (compiled_events.py); it changes the state and notes what it has done.
"""

ANSWER = 0  # one of the following
DONE, ASK, CHATTER, STUCK = 0.0, 1.0, 2.0, 3.0  # goes on; Python must do it; of CULPRIT: it chatters; no impulse can do it
LOGGED = 1  # happenings noted
SPAN = 2  # length of the run
CULPRIT, HOW, UNTIL = 3, 4, 5  # which function; how it chatters (see chattering.py), and until when
WORK = 6  # what the actions of this moment have done, in units of the integral of a balance

CAPACITY = 4096  # entries of the log
LOG, LOG_ENTRY = 8, 4  # t, function, energy before, energy after

# then per event function, all numbers of one kind together
ROWS = LOG + LOG_ENTRY * CAPACITY
DIRECTION = 0  # 1 rising, -1 falling, 0 both, 2 neither
PENDING = 1  # 1: it is to happen
HAPPENED = 2  # 1: it just has
COUNT = 3  # how often it has in all
SIDE = 4  # of a function that is zero to rounding, but did not fire: 1, -1; MOVED: it is no longer zero
MOVED, JUMP = 2.0, 1e-9  # a change of its value by less is rounding, or seen when it leaves zero
VALUE, FIRST = 5, 6  # of the function: now, and at the beginning of this moment
STAMP = 7  # when it had happened a multiple of MANY times, see chattering.py
KINDS = 8

RECENT = 12  # times of the last happenings, the newest last, per function; behind all rows
