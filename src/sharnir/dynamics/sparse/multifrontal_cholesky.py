"""Multifrontal Cholesky factorization of the scaled matrix, S A S with unit diagonal, S = diag(A)^-1/2 (Duff, Reid 1983)."""

from sharnir.dynamics.sparse import plan_layout as S
from sharnir.dynamics.sparse.front import Pivots, factorize_front
from sharnir.dynamics.sparse.register_tiles import Columns
from sharnir.dynamics.sparse.substitution import AHEAD, MANY, factors, forward, gather_sums, prefetch_factor, task_fronts
from sharnir.kernel import inline, jit, sqrt

SMALL_PIVOT = 1e-10  # of the scaled matrix: an equation that depends on others to 1e-5; the matrix counts as singular then
EPSILON = 1e-8  # added to the unit diagonal of a singular matrix


@jit
def update_scaling(tab, t, w, at):
    """1/√A_ii, and 1 for an equation without any matrix element."""
    scale, diagonal = at + tab[t + S.W_SCALE], t + tab[t + S.T_DIAGONAL]
    for i in range(tab[t + S.N_EQUATION]):
        d = w[at + tab[diagonal + i]]
        w[scale + i] = 1.0 / sqrt(d) if d > 0.0 else 1.0


@jit
def factorize_task(tab, t, w, at, task, hand, epsilon, x):
    """Fronts of one task of the factor L of S A S + ε, and of x ← L⁻¹ x unless x < 0; False if ε = 0 and a pivot is small."""
    strict = epsilon == 0.0
    floor, instead = (SMALL_PIVOT, 1.0) if strict else (0.5 * epsilon, epsilon)  # S A S + ε has no pivot below ε but by rounding
    pivots = Pivots(floor, instead, strict)
    zero, stack = at + tab[t + S.W_ZERO], hand * tab[t + S.HAND_STACK]
    first, end = task_fronts(tab, t, task)
    if x >= 0:
        gather_sums(tab, t, w, at, task)
    for k in range(first, end):
        f = t + tab[t + S.T_FRONT] + k * S.FRONT_SIZE
        clear_factor(tab, f, w, at)
        assemble_blocks(tab, t, f, w, at, 1.0 + epsilon)
        add_updates(tab, t, f, w, at, stack, False)
        if k + AHEAD < end and tab[t + S.N_FRONT] > MANY:
            prefetch_factor(tab, t, f + AHEAD * S.FRONT_SIZE, w, at)
        (L11, L21), U = factors(tab, f, at), Columns(update_matrix(tab, f, at, stack), tab[f + S.LD2])
        if not factorize_front(w, L11, L21, U, zero, tab[f + S.WIDTH], tab[f + S.NR], pivots):
            return False
        if x >= 0:
            forward(tab, t, w, at, f, x, task, hand)
        add_updates(tab, t, f, w, at, stack, True)
    return True


@inline
def update_matrix(tab, f, at, stack):
    """Where U of front f stands."""
    return at + tab[f + S.W_U] + tab[f + S.STACKED] * stack


@jit
def clear_factor(tab, f, w, at):
    """L11 and L21 ← 0, with ones on the diagonal of columns that are there only to fill a tile; U needs none, it is written."""
    l11, width, ld1 = at + tab[f + S.W_L11], tab[f + S.WIDTH], tab[f + S.LD1]
    for k in range(width * (ld1 + tab[f + S.LD2])):  # L21 follows L11
        w[l11 + k] = 0.0
    for k in range(tab[f + S.NC], width):
        w[l11 + k * (ld1 + 1)] = 1.0


@jit
def assemble_blocks(tab, t, f, w, at, diagonal):
    """Scaled blocks of A whose earlier element is eliminated in front f."""
    end, ld1, ld2 = tab[f + S.FIRST] + tab[f + S.NC], tab[f + S.LD1], tab[f + S.LD2]
    scale, source, first = at + tab[t + S.W_SCALE], at + tab[f + S.W_SOURCE], tab[f + S.FIRST_BLOCK]
    for block in range(first, first + tab[f + S.BLOCKS]):
        b = t + tab[t + S.T_BLOCK] + block * S.BLOCK_SIZE
        e, g, target = tab[b + S.PLACE_E], tab[b + S.PLACE_F], at + tab[b + S.TARGET]
        rows, columns = tab[b + S.SHAPE] // S.SHAPE_UNIT, tab[b + S.SHAPE] % S.SHAPE_UNIT
        ld = ld1 if max(e, g) < end else ld2
        row, column = (ld, 1) if e < g else (1, ld)
        for i in range(rows):
            s = w[scale + e + i]
            for j in range(i if e == g else columns):
                w[target + i * row + j * column] = s * w[source + i * columns + j] * w[scale + g + j]
            if e == g:
                d = s * w[source + i * columns + i] * s
                w[target + i * row + i * column] = d * diagonal if d > 0.0 else diagonal - 1.0
        source += rows * columns


@jit
def add_updates(tab, t, f, w, at, stack, later):
    """U of all children into front f: into its U (later), or into L11 and L21."""
    child = tab[f + S.CHILD]
    while child >= 0:
        c = t + tab[t + S.T_FRONT] + child * S.FRONT_SIZE
        add_update(tab, t, c, f, w, at, stack, later)
        child = tab[c + S.SISTER]


@jit
def add_update(tab, t, c, f, w, at, stack, later):
    """Lower triangle of the child's U into the parent's U (later), or L11 and L21, run by run."""
    runs, count = t + tab[c + S.T_RUNS], tab[c + S.N_RUN]
    nc, ldu = tab[f + S.NC], tab[c + S.LD2]
    u, u_parent = update_matrix(tab, c, at, stack), update_matrix(tab, f, at, stack)
    l11, l21, ld1, ld2 = at + tab[f + S.W_L11], at + tab[f + S.W_L21], tab[f + S.LD1], tab[f + S.LD2]
    inner = tab[c + S.N_INNER]
    for k in range(inner if later else 0, count if later else inner):
        start, n, column = tab[runs + 3 * k], tab[runs + 3 * k + 1], tab[runs + 3 * k + 2]
        for h in range(k, count):
            r, m, row = tab[runs + 3 * h], tab[runs + 3 * h + 1], tab[runs + 3 * h + 2]
            if column >= nc:
                to, ld = u_parent + row - nc + (column - nc) * ld2, ld2
            elif row >= nc:
                to, ld = l21 + row - nc + column * ld2, ld2
            else:
                to, ld = l11 + row + column * ld1, ld1
            for j in range(n):
                skip = j if h == k else 0
                add_column(w, to + j * ld, u + r + (start + j) * ldu, skip, m)


@jit
def add_column(w, to, source, first, count):
    for i in range(first, count):
        w[to + i] += w[source + i]
