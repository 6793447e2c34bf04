"""Flat memory of one run: everything a compiled loop needs to stop anywhere and continue exactly where it was.

A row is a state-sized vector, padded with zeros to whole vector registers (`blocks` of kernel.LANES floats), so that every vector
operation runs on registers without a remainder. Which rows an integrator uses is said in its own kernel file.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

BLOCK = 8  # rows are padded to multiples of it: as wide as the widest register (kernel.LANES is 8 or 4, as the machine has)
HEADER = 16  # floats in front of the rows of a dense record: t0, t1, then what the integrator adds

# status of a run (counter[STATUS])
RUNNING, FINISHED, FULL, TOO_SMALL, NOT_FINITE, BAD_START, TOO_MANY, NOT_PROJECTED, NOT_SOLVED, STALLED, EVENT, PAUSED = range(12)

# counter (int64): changes while the run goes on
STATUS = 0  # one of the above
STARTED = 1  # 1 after the first derivative
STEPS = 2  # accepted steps
REJECTED = 3  # rejected steps
EVALUATIONS = 4  # calls of the right-hand side
NEXT = 5  # first grid point not yet written
FLIP = 6  # rows y0/y1 (and the first/last derivative) swap roles after every accepted step
SUBSTEP = 7  # even steps: how many since ANCHOR
SUBSTEPS = 8  # even steps: how many from ANCHOR to the next grid point
USED = 9  # dense records in the present block
FAILURES = 10  # rejections since the last accepted step
ORDER = 11  # present order of a multistep method; Adams: number of differences in the predictor
STEADY = 12  # accepted steps since the step length or the order changed
EVEN = 13  # 1: even steps between grid points, no error control
RAMP = 14  # 1: a multistep method on its way from tiny steps to even ones
FRESH = 15  # 1: the Adams weights belong to the last step
CORRECTIONS = 16  # accepted steps whose state the projection has changed
ASTRAY = 17  # 1: the last projection failed
JACOBIANS, FACTORIZATIONS = 18, 19  # how many, see simplified_newton.py
CURRENT = 20  # 1: the Jacobian belongs to the beginning of the present step
ITERATIONS = 21  # Newton iterations of the present step
STALE = 22  # 1: values of event functions at the beginning of the step are not known, since the last one was calm
RESUMED = 23  # 1: restarts after an event; outputs and the clock go on
STEPS_BEFORE = 24  # accepted steps before that
NEXT_BREAK = 25  # first of the breaks that has not been passed
BREAKS_PASSED = 26  # at which the run has restarted
N_BREAKS = 27  # listed
COUNTERS = 32

# sizes (int64): constant
N, BLOCKS, N_GRID, N_QUATERNIONS, STRIDE, MAX_EVALUATIONS = range(6)  # N: floats in y; STRIDE: lanes
CAPACITY = 6  # dense records a block holds; 0: no dense output
RECORD = 7  # floats of one dense record
SCRATCH = 8  # row for stage arguments and interpolated states
ERROR = 9  # row (or two) for error estimates
DENSE = 10  # first row of the polynomial of the present step
DENSE_ROWS = 11  # number of those rows
ERROR_ORDER = 12  # the error estimate of a step is proportional to dt**ERROR_ORDER
STAGES, EXTRAS, ERRORS, ENTRIES = range(13, 17)  # Runge–Kutta, see runge_kutta.py
TARGET_ORDER, EXTRAPOLATE = 13, 14  # Adams, see adams.py
N_Q, N_V = 18, 19  # y = (q, v, z), see problem.py
N_W, COLUMN = 20, 21  # Newton: unknowns w = (v, z), and floats from one column of a matrix to the next
# where its matrices and vectors stand in `matrix`, see newton_memory.py
M_TANGENT, M_JACOBIAN, M_FACTORS, M_PIVOTS, M_REAL, M_IMAGINARY, M_COMPLEX_PIVOTS, M_SCRATCH = range(22, 30)
METHOD = 30  # first of what an implicit integrator adds
EVENT_ROW = 39  # row for the state of an event
EVEN_STEPS = 40  # 1: even steps are asked for
ONE_STEP = 41  # 1: a step needs nothing of those before it
# what the loop has to know of an integrator, see step_loop.py
FIRST_SLOPE = 42  # row of the derivative at the beginning of the first step
TRIAL_SLOPE = 43  # row of the one that the choice of this step needs
FIRST_ORDER = 44  # the error of the first step is proportional to dt**FIRST_ORDER
LAST_SLOPE = 45  # row of the derivative at the end of a step if FLIP is 0, then if it is 1; 0: the loop has not to evaluate it
LAST_KNOWN = 47  # 1: it is there already, and serves if the projection has hardly changed the state
RAMPS = 48  # 1: even steps need a history, so tiny ones lead up to them
EVERY_POLYNOMIAL = 49  # 1: the next step needs the polynomial of the last one, whether or not somebody interpolates
INTEGRALS = 50  # 1: behind the N numbers of the state stands the integral of a balance (problem.py); 0: nothing
BREAK_CAPACITY = 51  # breaks for which there is room, see delayed_breaks.py
N_DELAYS = 52
BY_MOTION = 53  # 1: the tolerance follows the range of the motion, see motion_scale.py
SIZES = 56

# clock (float64): changes
T = 0  # present time
DT = 1  # step to try next
LOG_ERROR = 2  # logarithm of the error of the last accepted step
ANCHOR = 3  # even steps: time they are counted from
DT_SMALLEST, DT_LARGEST = 4, 5  # over the accepted steps
POSITION_RESIDUAL, SPEED_RESIDUAL = 6, 7  # largest at the end of a step, before the projection
REPORT = 8  # eight numbers that a projection says about its last call
RATE = 16  # convergence rate of the last Newton iterations, see simplified_newton.py
PROSPECT = 17  # of convergence: rate / (1 - rate), the error left behind an increment, relative to it
FACTORED_DT = 18  # step for which the Newton matrix was factorized; 0: it must be
ACCEPTED_DT, ACCEPTED_ERROR = 19, 20  # of the last accepted step, for the prediction of the next one
PREVIOUS_DT = 21  # of the accepted step before that
HISTORY_DT = 22  # BDF: distance of the points that the differences belong to
STOP = 26  # time at which the run pauses; infinite: it does not
LAND_T = 28  # a switch within the last attempt, where the next one has to end; infinite: there is none
NOISE_DT = 29  # length of the step behind which the noise of the derivative was measured, see motion_scale.py
DENSE_ERROR = 27  # of the polynomial of the present step, in tolerances; 0: it is not worse than the step itself
GAMMA_V, GAMMA_Z, SIGMA = 23, 24, 25  # of the matrix that has been factorized, see `update_factors` in simplified_newton.py
DENSE_HEADER = 32  # HEADER numbers: what an integrator puts in front of a dense record; t0 and t1 are the loop's
CLOCKS = DENSE_HEADER + HEADER

# settings (float64): constant
RTOL, MAX_STEP, STEP, EXPONENT, BETA, SAFETY, MIN_FACTOR, MAX_FACTOR = range(
    8
)  # STEP: length of even steps, else first step or 0
RELATIVE = 8  # RTOL where it is relative to the state itself, else 0
LOOKING_BACK = 9  # part of the range of event functions over former steps that counts in the next one, see calm_steps.py
SETTINGS = 10
LANES_OF_MOTION = 5  # numbers per entry of the state in `motion`

WATCH_HEADER = 17  # floats in front of the values of event functions, see event_places.py
FOUND_T = 5  # place in `watch`: time of the event that ends the run; infinite: there is none
CALM = 0  # place in `watch`: what `calm` answers
WINDOW = 16  # place in `watch`: the length of the steps whose values of event functions count
UNSURE = 5  # place in `marks`, 1: some functions have just fired, their side is not known


class Memory(NamedTuple):
    """Addresses of a run's arrays (in plain Python: the arrays) and of the functions that kernels call.

    Compiled kernels get them as one pointer to a block of addresses (kernel/named_addresses.py), under the same names.
    """

    derivative: Any  # right-hand side (t, y, ydot, table, params, work)
    rates: Any  # these four with the same arguments, see problem.py; 0: there is none
    tangents: Any
    jacobian: Any  # ∂ẇ/∂q T and ∂ẇ/∂w (difference_jacobian.py)
    projection: Any
    table: Any
    params: Any
    work: Any
    settings: Any  # (SETTINGS,) float64, filled by Run
    sizes: Any  # (SIZES,) int64, filled by Run and the integrator
    clock: Any  # (CLOCKS,) float64, filled by the loop
    counter: Any  # (COUNTERS,) int64, filled by the loop
    coefficients: Any  # float64, filled by the integrator: tableau, or weights that the loop updates
    places: Any  # int64, filled by the integrator: row numbers
    rows: Any  # (n_rows, 8 * blocks) float64
    atol: Any  # (n,) float64: absolute tolerance of every entry
    motion: Any  # (5, n) float64: how far every entry has moved, see motion_scale.py
    quaternions: Any  # (n_quaternions,) int64
    grid: Any  # (n_grid,) float64: times of output
    breaks: Any  # (n + 1, 2) float64: last moment before and first one behind each, then infinity; see delayed_breaks.py
    output: Any  # (n_grid, n) float64, filled by the loop
    integrals: Any  # (n_grid,) float64, filled by the loop: integrals of a balance at the times of output
    block: Any  # (capacity, record) float64, filled by the loop: one record per accepted step
    matrix: Any  # (workspace,) float64, filled by the loop: Jacobian and LU factors, see simplified_newton.py
    events: Any  # functions that are watched, as `derivative`; 0: none
    calm: Any  # whether a step needs no search for events, as `derivative`, see calm_steps.py; 0: all need it
    history: Any  # what keeps values of the past, as `derivative`, see history_tape.py; 0: nothing
    horizon: Any  # how long a step may be, as `derivative`, see step_horizon.py; 0: as long as its error allows
    ahead: Any  # float64, see step_horizon.py
    watch: Any  # float64 and int64, see event_places.py
    marks: Any
    actions: Any  # what events do, as `derivative`, see compiled_actions.py; 0: Python does it
    book: Any  # float64, see event_book.py
    restart: Any  # what an integrator does itself, see step_functions.py
    attempt: Any
    polynomial: Any
    interpolate: Any
    accept: Any
    reject: Any
    relax: Any  # 0: nothing to do after a projection
    search: Any  # `search` of event_search.py; 0: no events
    act: Any  # `act` of compiled_events.py; 0: no compiled actions


def padded(size: int) -> int:
    """Length of a row that holds `size` floats.

    >>> padded(6), padded(17)
    (8, 24)
    """
    return -(-size // BLOCK) * BLOCK


def zeros(*shape: int) -> np.ndarray:
    """Zeros whose first item stands at the beginning of a cache line.

    >>> zeros(3, 8).ctypes.data % 64
    0
    """
    size = math.prod(shape)
    raw = np.zeros(size + BLOCK)
    skip = (-raw.ctypes.data // 8) % BLOCK
    return raw[skip : skip + size].reshape(shape)
