"""x ← (L Lᵀ)⁻¹ x, front by front: forward in the order of elimination, then back."""

from sharnir.dynamics.sparse import plan_layout as S
from sharnir.dynamics.sparse.front import substitute_backward, substitute_forward
from sharnir.dynamics.sparse.register_tiles import Columns
from sharnir.kernel import inline, jit, prefetch

CACHE_LINE = 8  # numbers
MANY = 1000  # fronts from which on the factor does not stay in the second cache
AHEAD = 6  # fronts between the request and the use
LARGE = 2048  # numbers of a front that are not asked for in advance: they would push out what is in use


@inline
def task_fronts(tab, t, task):
    """First front of a task, and the one after the last."""
    k = t + tab[t + S.T_TASK] + task * S.TASK_SIZE
    return tab[k + S.FIRST_FRONT], tab[k + S.END_FRONT]


@inline
def factors(tab, f, at):
    """L11 and L21 of front f."""
    return Columns(at + tab[f + S.W_L11], tab[f + S.LD1]), Columns(at + tab[f + S.W_L21], tab[f + S.LD2])


@inline
def sums_of(tab, t, at, task):
    """Where equation 0 would stand in the sums of a task, which begin with equation TOP."""
    top = tab[t + S.TOP]
    return at + tab[t + S.W_SUM] + task * (tab[t + S.N_EQUATION] - top) - top


@jit
def gather_sums(tab, t, w, at, task):
    """Sums of a task ← those of the tasks below it, in the order of the tasks."""
    own, top, n = sums_of(tab, t, at, task), tab[t + S.TOP], tab[t + S.N_EQUATION]
    for i in range(top, n):
        w[own + i] = 0.0
    child = tab[t + tab[t + S.T_TASK] + task * S.TASK_SIZE + S.CHILD_TASK]
    while child >= 0:
        other = sums_of(tab, t, at, child)
        for i in range(top, n):
            w[own + i] += w[other + i]
        child = tab[t + tab[t + S.T_TASK] + child * S.TASK_SIZE + S.SISTER_TASK]


@jit
def forward_all(tab, t, w, at, x):
    """x ← L⁻¹ x for the vector at `x` in the work, in the order of elimination."""
    for task in range(tab[t + S.N_TASK]):
        gather_sums(tab, t, w, at, task)
        first, end = task_fronts(tab, t, task)
        for k in range(first, end):
            forward(tab, t, w, at, t + tab[t + S.T_FRONT] + k * S.FRONT_SIZE, x, task, 0)


@jit
def substitute_task(tab, t, w, at, x, task, hand):
    """Fronts of one task of x ← L⁻ᵀ x."""
    first, end = task_fronts(tab, t, task)
    for k in range(end - first):
        f = t + tab[t + S.T_FRONT] + (end - 1 - k) * S.FRONT_SIZE
        if k + AHEAD < end - first and tab[t + S.N_FRONT] > MANY:
            prefetch_factor(tab, t, f - AHEAD * S.FRONT_SIZE, w, at)
        backward(tab, t, w, at, f, x, hand)


@jit
def prefetch_factor(tab, t, f, w, at):
    """Have L11, L21 and the rows of front f brought nearer; of large fronts the processor does so by itself."""
    l11, size = at + tab[f + S.W_L11], tab[f + S.WIDTH] * (tab[f + S.LD1] + tab[f + S.LD2])
    if size <= LARGE:
        for k in range(0, size, CACHE_LINE):
            prefetch(w, l11 + k)
        for k in range(0, tab[f + S.NR], CACHE_LINE):
            prefetch(tab, t + tab[f + S.T_ROWS] + k)


@jit
def forward(tab, t, w, at, f, x, task, hand):
    """Front f of x ← L⁻¹ x: its own equations are solved and taken off its later ones, from TOP on in the sums of the task."""
    nc, nr, width, ld1, ld2 = tab[f + S.NC], tab[f + S.NR], tab[f + S.WIDTH], tab[f + S.LD1], tab[f + S.LD2]
    local = at + hand * tab[t + S.HAND_LOCAL]
    own, later = local + tab[t + S.W_LOCAL], local + tab[t + S.W_LOCAL_ROWS]
    first, rows = x + tab[f + S.FIRST], t + tab[f + S.T_ROWS]
    top, sums = tab[t + S.TOP], sums_of(tab, t, at, task)
    if tab[f + S.FIRST] >= top:
        for i in range(nc):
            w[first + i] += w[sums + tab[f + S.FIRST] + i]
    load_padded(w, first, nc, own, ld1)
    for i in range(ld2):
        w[later + i] = 0.0
    L11, L21 = factors(tab, f, at)
    substitute_forward(w, L11, L21, width, own, later)
    for i in range(nc):
        w[first + i] = w[own + i]
    for i in range(nr):
        row = tab[rows + i]
        w[row + (x if row < top else sums)] += w[later + i]


@jit
def backward(tab, t, w, at, f, x, hand):
    """Front f of x ← L⁻ᵀ x: its later equations are known."""
    nc, nr, width, ld1, ld2 = tab[f + S.NC], tab[f + S.NR], tab[f + S.WIDTH], tab[f + S.LD1], tab[f + S.LD2]
    local = at + hand * tab[t + S.HAND_LOCAL]
    own, later = local + tab[t + S.W_LOCAL], local + tab[t + S.W_LOCAL_ROWS]
    first, rows = x + tab[f + S.FIRST], t + tab[f + S.T_ROWS]
    load_padded(w, first, nc, own, ld1)
    for i in range(nr):
        w[later + i] = w[x + tab[rows + i]]
    for i in range(nr, ld2):
        w[later + i] = 0.0
    L11, L21 = factors(tab, f, at)
    substitute_backward(w, L11, L21, width, own, later, local + tab[t + S.W_LANES])
    for i in range(nc):
        w[first + i] = w[own + i]


@jit
def load_padded(w, source, n, to, size):
    """n numbers and zeros after them."""
    for i in range(n):
        w[to + i] = w[source + i]
    for i in range(n, size):
        w[to + i] = 0.0
