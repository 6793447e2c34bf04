"""Where the numbers of a search for events stand in a run's memory: times and values in `watch`, counts and marks in `marks`.

Kinds of values and marks are not Python's integers: each of those would compile a copy of every function that takes it.
"""

from __future__ import annotations

import numpy as np

# watch (float64): times, then for every function its values at some times (the first at the beginning of a run, see `begin` in
# step_loop.py), then the log
#      CALM = 0, see run_memory.py
FROM_T, TO_T = 1, 2  # the piece of a step that is searched
LOW_T, HIGH_T = 3, 4  # there is a crossing between them
#      FOUND_T = 5, see run_memory.py
STEP_DT = 6  # length of the step, as the integrator takes it
LAST_T = 7  # end of the step
# what is kept of the past: number of a node in a stretch of time, its ends, and the relative tolerance, see history_tape.py
NODE, NODES_FROM, NODES_TO, NODES_RTOL = 8, 9, 10, 11
BEGIN_SLOPE_T, END_SLOPE_T = 12, 13  # times to which the slopes belong
JUMP_T = 14  # where functions have jumped last, so that those that fired there are not near zero
#      WINDOW = 16, see run_memory.py
PIECES = 15  # of the present step that have been looked at
BEGIN, THIRD, THIRDS, END, LOW, HIGH, NOW = np.arange(7)  # values at these times; NOW: at the last one that was looked at
BEGIN_SLOPE, END_SLOPE = 7 + np.arange(2)  # rates of the values at the ends of a piece, from within it
FORMER, FORMER_LOW = 9 + np.arange(2)  # BEGIN and LOW at the beginning of the step
VALUES = 11

# marks (int64): counts, then five numbers per function, those of one kind together
COUNT = 0  # functions
FIRST_SWITCH = 1  # the first of those that are switches of formulas, see switch_memory.py
FORMER_UNSURE, FORMER_LOGGED = 2, 3  # the following at the beginning of the step
LOGGED = 4  # entries in the log
#      UNSURE = 5, see run_memory.py
CAPACITY_LOG = 6
WRONG_SIDE = 7  # 1: what ends the run in this step is a switch that has not been on the side that held
MARKS_HEADER = 8
DIRECTION, PASSING, FIRED, STOPPING, FORMER_FIRED = np.arange(5)
# DIRECTION: 1 rising, -1 falling, 0 both, 2 neither
# PASSING, 1: is logged, does not end the run
# STOPPING, 1: its event turns something round
# FIRED: at the event where the run stands, or has restarted, one of the following
HAS_FIRED = 1
ABOVE, BELOW = 2, 3  # it has not, and has come to the positive or the negative side in a direction that does not count
STILL = 5  # it has, and has been zero to rounding for whole steps: that is not a crossing
RESTING = 4  # its event turns something round, and it goes on nevertheless
