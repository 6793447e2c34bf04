"""What lies where in a plan's `table` (int64) and in its piece of `work` (float64); offsets count from their own starts."""

LANES = 4  # of vectors here: fronts are small, wider ones would be padding, and not faster on most machines

# ---- header of the table ---------------------------------------------------------------------------------------------------
N_EQUATION = 0
N_FRONT = 1  # supernodes, children before parents
N_BLOCK = 2  # stored blocks of A
N_VALUE = 3  # doubles of all blocks of A
T_FRONT = 4  # offsets in the table
T_BLOCK = 5
T_PLACE = 6  # per equation in the caller's order: its place in the order of elimination
T_DIAGONAL = 20  # per equation in the order of elimination: offset in the work of its diagonal element of A
W_SCALE = 7  # offsets in the work: 1/√A_ii per equation, in the order of elimination; factorize_sparse
W_VALUE = 8  # blocks of A; the caller
W_X = 9  # vectors of N_EQUATION: solution, residual, direction, image of the direction, preconditioned residual
W_R = 10
W_P = 11
W_Q = 12
W_Z = 13
W_LOCAL = 14  # the part of a vector that belongs to one front
W_LOCAL_ROWS = 15
W_LANES = 16  # four vectors of lanes
W_ZERO = 21  # three vectors of zeros
W_EPSILON = 17  # one number: the regularization of the factor that is there, 0 if A is regular
REDUNDANT = 18  # 1: the caller knows that A is singular, so that no time is lost with an attempt without regularization
F_BOTH = 19  # addresses of the C functions of sparse/solver.py and of jobs.py
F_FACTORIZE = 22
F_BACK = 23
N_TASK = 24  # sets of fronts that two threads may work on at the same time, children before parents; 1: all fronts
T_TASK = 25
TOP = 26  # first equation of the fronts that stand above several tasks; N_EQUATION if there are none
W_SUM = 27  # per task: what forward substitution takes off the equations from TOP on
W_FLAG = 28  # per task: 0 not yet done, 1 done, 2 with a small pivot; integers
W_BOX = 29  # integers: address of the box of a second thread (kernel/threads.py), 0 if there is none; then arguments of a job
HAND_LOCAL = 30  # distances in the work between the scratch memory of one thread and that of the other: W_LOCAL … W_LANES
HAND_STACK = 31  # and of update matrices
HEADER = 32
BOX_SIZE = 8

# ---- one front: L11 (NC × NC) over L21 (NR × NC), both by columns and padded with zeros, and its update U (NR × NR) ---------
FRONT_SIZE = 19
FIRST = 0  # place of its first equation
NC = 1  # equations eliminated here
NR = 2  # later equations that they touch
WIDTH = 3  # NC up to a multiple of TILE: stored columns of L11 and L21
LD1 = 4  # distance of columns in L11
LD2 = 5  # distance of columns in L21 and U
W_L11 = 6  # offsets in the work; the reciprocals of the diagonal stand on the diagonal
W_L21 = 7
W_U = 8
T_ROWS = 9  # places of the NR equations; offset in the table
T_RUNS = 10  # where rows of U go in the parent's front; offset in the table
N_RUN = 11
N_INNER = 17  # how many of them, the first ones, go into the parent's columns
FIRST_BLOCK = 12  # blocks of A that are assembled here
BLOCKS = 13
W_SOURCE = 14  # offset in the work of the first one
CHILD = 15  # last front that has this one as its parent, -1 if none
SISTER = 16  # next front with the same parent, -1 if none
STACKED = 18  # 1: U is on a stack, which each thread has; 0: the parent is in another task, U has its own place

# ---- one task: fronts FIRST_FRONT … END_FRONT - 1 --------------------------------------------------------------------------
TASK_SIZE = 5
FIRST_FRONT = 0
END_FRONT = 1
PARENT_TASK = 2  # task that takes its update matrices, -1 if none
CHILD_TASK = 3  # last task that has this one as its parent, -1 if none
SISTER_TASK = 4

# ---- a run: consecutive rows of U that are consecutive in the parent's front -----------------------------------------------
RUN_SIZE = 3
RUN_START = 0  # first row of U
RUN_COUNT = 1
RUN_TARGET = 2  # its row in the parent: below NC a row of L11, else NC + row of L21 and U

# ---- one block of A -----------------------------------------------------------------------------------------------------------
# m_e × m_f numbers by rows, one block after the other from W_VALUE on, in the order of the records
BLOCK_SIZE = 4
SHAPE = 0  # m_e · SHAPE_UNIT + m_f
PLACE_E = 1  # place of the first equation of e
PLACE_F = 2
TARGET = 3  # offset in the work of its first number in L11 or L21
SHAPE_UNIT = 1 << 32

TILE = 4  # columns that are worked on at once


def padded(n: int, unit: int = LANES) -> int:
    """n up to a multiple of `unit`.

    >>> padded(5, 4)
    8
    """
    return -(-n // unit) * unit
