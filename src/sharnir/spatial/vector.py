"""3-vectors as (x, y, z) and 3×3 matrices as 9 numbers by rows; a number may be a float or a vector of lanes."""

from sharnir.kernel import inline


@inline
def load3(m, k):
    return m[k], m[k + 1], m[k + 2]


@inline
def dot6(a, b):
    """Scalar product of six numbers, in three sums that do not wait for each other."""
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])


@inline
def load6(m, k):
    return m[k], m[k + 1], m[k + 2], m[k + 3], m[k + 4], m[k + 5]


@inline
def load9(m, k):
    return m[k], m[k + 1], m[k + 2], m[k + 3], m[k + 4], m[k + 5], m[k + 6], m[k + 7], m[k + 8]


@inline
def store3(m, k, a):
    m[k] = a[0]
    m[k + 1] = a[1]
    m[k + 2] = a[2]


@inline
def store6(m, k, a):
    m[k] = a[0]
    m[k + 1] = a[1]
    m[k + 2] = a[2]
    m[k + 3] = a[3]
    m[k + 4] = a[4]
    m[k + 5] = a[5]


@inline
def store9(m, k, a):
    store6(m, k, (a[0], a[1], a[2], a[3], a[4], a[5]))
    store3(m, k + 6, (a[6], a[7], a[8]))


@inline
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inline
def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def scale(a, k):
    return a[0] * k, a[1] * k, a[2] * k


@inline
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def rotate(G, a):
    """G a."""
    return (
        G[0] * a[0] + G[1] * a[1] + G[2] * a[2],
        G[3] * a[0] + G[4] * a[1] + G[5] * a[2],
        G[6] * a[0] + G[7] * a[1] + G[8] * a[2],
    )


@inline
def rotate_back(G, a):
    """Gᵀ a."""
    return (
        G[0] * a[0] + G[3] * a[1] + G[6] * a[2],
        G[1] * a[0] + G[4] * a[1] + G[7] * a[2],
        G[2] * a[0] + G[5] * a[1] + G[8] * a[2],
    )


@inline
def multiply(A, B):
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@inline
def transposed(A):
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@inline
def multiply_back(A, B):
    """Aᵀ B."""
    return multiply(transposed(A), B)


@inline
def lifted(a, zero):
    """A 3-vector of parameters as numbers of the kind of `zero` (float or lanes)."""
    return a[0] + zero, a[1] + zero, a[2] + zero
