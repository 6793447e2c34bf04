"""x ← (L Lᵀ)⁻¹ x, front by front: forward in the order of elimination, then back."""

from sharnir.dynamics.sparse import layout as S
from sharnir.dynamics.sparse.front import substitute_backward, substitute_forward
from sharnir.kernel import jit, prefetch

CACHE_LINE = 8  # numbers
MANY = 1000  # fronts from which on the factor does not stay in the second cache
AHEAD = 6  # fronts between the request and the use
LARGE = 2048  # numbers of a front that are not asked for in advance: they would push out what is in use


@jit
def substitute(tab, t, w, at, x):
    """x ← (L Lᵀ)⁻¹ x for the vector at `x` in the work, in the order of elimination."""
    for k in range(tab[t + S.N_FRONT]):
        forward(tab, t, w, at, t + tab[t + S.T_FRONT] + k * S.FRONT_SIZE, x)
    substitute_back(tab, t, w, at, x)


@jit
def substitute_back(tab, t, w, at, x):
    """x ← L⁻ᵀ x."""
    last = tab[t + S.N_FRONT] - 1
    for k in range(last + 1):
        f = t + tab[t + S.T_FRONT] + (last - k) * S.FRONT_SIZE
        if k + AHEAD <= last and last > MANY:
            prefetch_factor(tab, t, f - AHEAD * S.FRONT_SIZE, w, at)
        backward(tab, t, w, at, f, x)


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
def forward(tab, t, w, at, f, x):
    """Front f of x ← L⁻¹ x: its own equations are solved and taken off its later ones."""
    nc, nr, width, ld1, ld2 = tab[f + S.NC], tab[f + S.NR], tab[f + S.WIDTH], tab[f + S.LD1], tab[f + S.LD2]
    own, later = at + tab[t + S.W_LOCAL], at + tab[t + S.W_LOCAL_ROWS]
    first, rows = x + tab[f + S.FIRST], t + tab[f + S.T_ROWS]
    load_padded(w, first, nc, own, ld1)
    for i in range(ld2):
        w[later + i] = 0.0
    substitute_forward(w, at + tab[f + S.W_L11], ld1, at + tab[f + S.W_L21], ld2, width, own, later)
    for i in range(nc):
        w[first + i] = w[own + i]
    for i in range(nr):
        w[x + tab[rows + i]] += w[later + i]


@jit
def backward(tab, t, w, at, f, x):
    """Front f of x ← L⁻ᵀ x: its later equations are known."""
    nc, nr, width, ld1, ld2 = tab[f + S.NC], tab[f + S.NR], tab[f + S.WIDTH], tab[f + S.LD1], tab[f + S.LD2]
    own, later = at + tab[t + S.W_LOCAL], at + tab[t + S.W_LOCAL_ROWS]
    first, rows = x + tab[f + S.FIRST], t + tab[f + S.T_ROWS]
    load_padded(w, first, nc, own, ld1)
    for i in range(nr):
        w[later + i] = w[x + tab[rows + i]]
    for i in range(nr, ld2):
        w[later + i] = 0.0
    l11, l21, scratch = at + tab[f + S.W_L11], at + tab[f + S.W_L21], at + tab[t + S.W_LANES]
    substitute_backward(w, l11, ld1, l21, ld2, width, own, later, scratch)
    for i in range(nc):
        w[first + i] = w[own + i]


@jit
def load_padded(w, source, n, to, size):
    """n numbers and zeros after them."""
    for i in range(n):
        w[to + i] = w[source + i]
    for i in range(n, size):
        w[to + i] = 0.0
