"""One factorization of a sparse symmetric positive definite matrix, used for many right sides."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes.util import find_library
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.arguments import shown
from sharnir.errors import MissingExtraError, ModelError
from sharnir.flexible.linear_algebra.factor import Factorization, not_definite
from sharnir.flexible.linear_algebra.mixed_precision import MixedPrecision
from sharnir.flexible.linear_algebra.multifrontal import Multifrontal
from sharnir.flexible.linear_algebra.part import Part

LARGE, HUGE = 4_000, 100_000  # freedoms of solids beyond which the multifrontal one takes less time than SuperLU, than Pardiso
VAST = 250_000  # beyond which its factor is kept in single precision: less than half the memory, and less time
ROWS = 50_000  # of a large matrix at a time
BACKWARD = 1e-9  # largest error of a solution relative to its terms


class Pardiso(Factorization):
    """MKL Pardiso through pypardiso, as a symmetric positive definite matrix (half the memory of its default)."""

    name, package, extra = "pardiso", "pypardiso", "pardiso"

    @classmethod
    def available(cls) -> bool:
        """True if pypardiso is installed, and the library that it needs."""
        return super().available() and _mkl_library() is not None

    def __init__(self, matrix: Any, nodes: np.ndarray | None = None, places: np.ndarray | None = None) -> None:
        from scipy.sparse import csr_matrix, triu

        with _library_named():
            from pypardiso import PyPardisoSolver
            from pypardiso.pardiso_wrapper import PyPardisoError

            self._solver = PyPardisoSolver(mtype=2)
        # own settings instead of the default ones, which refine every solution and take three times as long for it
        for number, value in ((1, 1), (2, 2)):  # the settings count; order by nested dissection
            self._solver.set_iparm(number, value)
        # one-based arrays are what Pardiso reads; they are made once, since the wrapper would copy them for every solution
        self._upper = csr_matrix(triu(matrix, format="csr"))
        self._upper.sort_indices()
        if not (self._upper.diagonal() > 0.0).all():
            raise ModelError(not_definite("a diagonal entry is not positive"), field="stiffness")
        self._solver.set_phase(12)
        try:
            self._solver._call_pardiso(self._upper, np.zeros((self._upper.shape[0], 1)))
        except PyPardisoError as error:
            raise ModelError(not_definite(str(error)), field="stiffness") from None

    def solve(self, right: np.ndarray) -> np.ndarray:
        self._solver.set_phase(33)
        columns = np.asfortranarray(right, dtype=float)
        return self._solver._call_pardiso(self._upper, columns)

    def free(self) -> None:
        self._solver.free_memory(everything=True)


@contextmanager
def _library_named() -> Iterator[None]:
    """Tell pypardiso which MKL library to load: it would search all folders of the environment (a second), and no others."""
    name, found = "PYPARDISO_MKL_RT", _mkl_library()
    if name in os.environ or found is None:
        yield
        return
    os.environ[name] = found
    try:
        yield
    finally:
        del os.environ[name]


def _mkl_library() -> str | None:
    """Where the MKL library is: named by the user, in the environment, where its package put it, or among the system's."""
    named = os.environ.get("PYPARDISO_MKL_RT")
    if named is not None:
        return named
    place = Path(sys.prefix) / ("Library/bin" if sys.platform == "win32" else "lib")
    found = [str(path) for path in sorted(place.glob("*mkl_rt*"))]
    with suppress(PackageNotFoundError):
        found += [str(path.locate()) for path in files("mkl") or () if "mkl_rt" in path.name]
    return next((path for path in found if Path(path).is_file()), None) or find_library("mkl_rt")


class SuperLU(Factorization):
    """SciPy's SuperLU in symmetric mode with minimum degree: good for small models and for beams."""

    name, package, extra = "superlu", "scipy", None

    def __init__(self, matrix: Any, nodes: np.ndarray | None = None, places: np.ndarray | None = None) -> None:
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        try:
            options = {"SymmetricMode": True}
            self._factor = splu(csc_array(matrix), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
        except RuntimeError as error:
            raise ModelError(not_definite(str(error)), field="stiffness") from None

    def solve(self, right: np.ndarray) -> np.ndarray:
        return self._factor.solve(np.asarray(right, dtype=float))

    def free(self) -> None:
        self._factor = None


ALL_FACTORIZATIONS: tuple[type[Factorization], ...] = (Multifrontal, MixedPrecision, Pardiso, SuperLU)


def factorize(
    matrix: Any, solver: str | None = None, nodes: np.ndarray | None = None, places: np.ndarray | None = None
) -> Factorization:
    """The factorization of a sparse symmetric positive definite matrix, or of a Part of one.

    `solver` names one: "multifrontal", "mixed" (the same in single precision, with solutions to double precision), "superlu"
    (SciPy), "pardiso" (pip install sharnir[pardiso]); default: the fastest for this size that is installed, from VAST freedoms
    on "mixed" where it can. nodes: rows of `places` that the rows of the matrix belong to; from them the multifrontal ones find
    the order of elimination.

    >>> from scipy.sparse import csr_array
    >>> factorize(csr_array([[4.0, 1.0], [1.0, 3.0]])).solve(np.array([1.0, 2.0])).round(4)
    array([0.0909, 0.6364])
    """
    by_name = {kind.name: kind for kind in ALL_FACTORIZATIONS}
    if solver is None and matrix.shape[0] > VAST:
        with suppress(ModelError):  # what single precision cannot hold, double precision may
            return _checked(MixedPrecision(matrix, nodes, places), matrix)
    if solver is None:
        solver = _fastest(matrix.shape[0]).name
    if not isinstance(solver, str) or solver not in by_name:
        raise ModelError(f"solver = {shown(solver)} is unknown; there are {', '.join(by_name)}", field="solver")
    if not by_name[solver].available():
        raise MissingExtraError("pardiso", f"solver {solver!r}")
    whole = matrix.tocsr() if isinstance(matrix, Part) and solver != MixedPrecision.name else matrix
    return _checked(by_name[solver](whole, nodes, places), matrix)


def _fastest(size: int) -> type[Factorization]:
    """The kind for a solid of so many freedoms."""
    if size <= HUGE and Pardiso.available():
        return Pardiso
    return Multifrontal if size > LARGE else SuperLU


def _absolute_product(matrix: Any, x: np.ndarray) -> np.ndarray:
    """|A| x of a matrix or a Part, some rows at a time: a large matrix needs no second copy."""
    if isinstance(matrix, Part):
        return _absolute_product(matrix.whole, matrix.spread(x))[matrix.freedoms]
    rows = matrix.tocsr()
    parts = [abs(rows[begin : begin + ROWS]) @ x for begin in range(0, rows.shape[0], ROWS)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _checked(factor: Factorization, matrix: Any) -> Factorization:
    """The factorization, if a solution with it is one."""
    right = np.random.default_rng(1).standard_normal(matrix.shape[0])
    x = factor.solve(right)
    size = np.abs(right) + _absolute_product(matrix, np.abs(x))
    error = np.abs(matrix @ x - right).max(initial=0.0) / size.max(initial=1e-300)
    if not error < BACKWARD:
        raise ModelError(not_definite(f"solutions by {factor.name} have the backward error {error:.1e}"), field="stiffness")
    return factor
