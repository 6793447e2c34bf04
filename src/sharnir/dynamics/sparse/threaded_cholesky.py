"""Factorization and substitution as jobs for two threads: tasks of fronts, each as soon as the tasks it depends on are done."""

from sharnir.dynamics.sparse import plan_layout as S
from sharnir.dynamics.sparse.multifrontal_cholesky import factorize_task
from sharnir.dynamics.sparse.substitution import substitute_task
from sharnir.kernel import Pointer, address_of, await_flag, doubles, ints, jit, number_of, share, store_release
from sharnir.kernel.signatures import JOB

TABLE, WORK, X, EPSILON = 0, 1, 2, 3  # arguments, after the address of the box
DONE, FAILED = 1, 2


@jit
def factorize_item(tab, t, w, at, epsilon, x, task, hand):
    """A task of the factorization, after the tasks below it."""
    flags, box = ints(address_of(w, at + tab[t + S.W_FLAG])), ints(address_of(w, at + tab[t + S.W_BOX]))
    good, tasks = True, t + tab[t + S.T_TASK]
    child = tab[tasks + task * S.TASK_SIZE + S.CHILD_TASK]
    while child >= 0:
        if await_flag(box[0], flags, child) == FAILED:
            good = False
        child = tab[tasks + child * S.TASK_SIZE + S.SISTER_TASK]
    if good:
        good = factorize_task(tab, t, w, at, task, hand, epsilon, x)
    store_release(flags, task, DONE if good else FAILED)


@jit
def substitute_item(tab, t, w, at, x, task, hand):
    """A task of the substitution back, after the task above it."""
    flags, box = ints(address_of(w, at + tab[t + S.W_FLAG])), ints(address_of(w, at + tab[t + S.W_BOX]))
    parent = tab[t + tab[t + S.T_TASK] + task * S.TASK_SIZE + S.PARENT_TASK]
    if parent >= 0:
        await_flag(box[0], flags, parent)
    substitute_task(tab, t, w, at, x, task, hand)
    store_release(flags, task, DONE)


def _factorize(item, hand, arguments):
    a = ints(arguments)
    factorize_item(ints(a[TABLE]), 0, doubles(a[WORK]), 0, doubles(arguments)[EPSILON], a[X], item, hand)


def _back(item, hand, arguments):
    a = ints(arguments)
    tab = ints(a[TABLE])
    substitute_item(tab, 0, doubles(a[WORK]), 0, a[X], tab[S.N_TASK] - 1 - item, hand)


FACTORIZE, BACK = Pointer(_factorize, JOB), Pointer(_back, JOB)


@jit
def clear_flags(tab, t, w, at):
    flags = ints(address_of(w, at + tab[t + S.W_FLAG]))
    for k in range(tab[t + S.N_TASK]):
        flags[k] = 0


@jit
def share_tasks(tab, t, w, at, slot, epsilon, x):
    """All tasks of the function in a slot of the header, with the second thread, if there is one."""
    box, arguments = ints(address_of(w, at + tab[t + S.W_BOX])), address_of(w, at + tab[t + S.W_BOX] + 1)
    a = ints(arguments)
    a[TABLE], a[WORK], a[X] = number_of(address_of(tab, t)), number_of(address_of(w, at)), x - at if x >= 0 else -1
    doubles(arguments)[EPSILON] = epsilon
    share(box[0], tab[t + slot], tab[t + S.N_TASK], arguments)


@jit
def factorize_scaled(tab, t, w, at, epsilon, x):
    """Factor L of S A S + ε, and x ← L⁻¹ x unless x < 0; False if ε = 0 and a pivot is small."""
    zero = at + tab[t + S.W_ZERO]
    for k in range(3 * S.LANES):
        w[zero + k] = 0.0
    clear_flags(tab, t, w, at)
    share_tasks(tab, t, w, at, S.F_FACTORIZE, epsilon, x)
    flags = ints(address_of(w, at + tab[t + S.W_FLAG]))
    failed = 0
    for k in range(tab[t + S.N_TASK]):
        failed += 1 if flags[k] == FAILED else 0
    return failed == 0


@jit
def substitute_back(tab, t, w, at, x):
    """x ← L⁻ᵀ x."""
    clear_flags(tab, t, w, at)
    share_tasks(tab, t, w, at, S.F_BACK, 0.0, x)
