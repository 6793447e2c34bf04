"""Natural modes of small motions: complex, with damping and gyroscopic terms, from the state matrix A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.joint_coordinates import freedoms_of, speed_rows
from sharnir.dynamics.mobility.state_steps import size_of, speed_scales
from sharnir.dynamics.small_motions.linearization import Linearization
from sharnir.dynamics.small_motions.zero_eigenvalues import without_zeros

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

ZERO = 1e-6  # of the largest eigenvalue: a motion that nothing holds
SLOW = 1000.0  # times what counts as zero: eigenvalues among which zeros are looked for


@dataclass(frozen=True)
class Modes:
    """Modes of small motions, sorted by frequency; of a pair of conjugate eigenvalues, one mode.

    eigenvalues : λ [1/s], positive imaginary part.   frequencies : |λ|/2π [Hz].
    damping_ratios : -Re λ/|λ|; 0 for motions without restoring force (λ = 0), 1 for those that decay without oscillation,
        negative for those that grow.
    shapes (n_v, modes) : complex, in the order of `speeds`; the largest entry (compared as arcs at the mechanism's size) is 1.
    joint_shapes : the same for the free coordinates of all joints, by name.   linearization : the linear equations they come
        from.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> modes = m.modes()
    >>> modes.frequencies.round(6), modes.damping_ratios.round(6) + 0.0, modes.stable
    (array([0.498488]), array([0.]), True)
    """

    eigenvalues: np.ndarray
    frequencies: np.ndarray
    damping_ratios: np.ndarray
    shapes: np.ndarray
    speeds: tuple[str, ...]
    joint_shapes: dict[str, np.ndarray]
    linearization: Linearization

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def stable(self) -> bool:
        """True if no mode grows; motions without restoring force (λ = 0) do not count."""
        return bool((self.eigenvalues.real <= ZERO * max(float(np.abs(self.eigenvalues).max(initial=0.0)), 1e-300)).all())

    def __repr__(self) -> str:
        rows = [f"{f:12.6g} Hz  damping {d:+.6f}" for f, d in zip(self.frequencies[:20], self.damping_ratios[:20], strict=True)]
        more = [f"… {len(self) - 20} more"] if len(self) > 20 else []
        return "\n".join([f"Modes: {len(self)}", *rows, *more])


def find_modes(system: Equations, linear: Linearization) -> Modes:
    """Modes of a linearization; see System.modes."""
    values, vectors = _eigenpairs(system, linear)
    order = np.lexsort((values.real, values.imag, np.round(np.abs(values), 12)))
    values, vectors = values[order], vectors[:, order]
    shapes = linear.basis @ vectors
    weight = speed_scales(system)
    for k in range(shapes.shape[1]):
        at = int(np.argmax(np.abs(shapes[:, k]) * weight)) if len(shapes) else 0
        if len(shapes) and shapes[at, k] != 0.0:
            shapes[:, k] /= shapes[at, k]
    length = np.abs(values)
    ratios = np.divide(-values.real, length, out=np.zeros(len(values)), where=length > 0.0)
    joints = {name: row @ shapes for name, row in _joint_rows(system, linear).items()}
    return Modes(values, length / (2.0 * np.pi), ratios, shapes, system.speeds, joints, linear)


def _eigenpairs(system: Equations, linear: Linearization) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, one of each pair, with the position part of their vectors; motions that nothing holds come as zeros.

    The slow ones are found in their own invariant subspace, where zeros are taken out first (see zero_eigenvalues.py).
    """
    from scipy.linalg import schur

    A, f = linear.A, linear.basis.shape[1]
    if not len(A):
        return np.zeros(0, complex), np.zeros((f, 0), complex)
    values, vectors = np.linalg.eig(A)
    pace = max(float(np.abs(values).max()), 1e-300)
    limit = max(ZERO * pace, float(np.sqrt(_noise(system, linear))))
    rate = min(max(pace, SLOW * limit), 10.0 * SLOW * limit)
    balance = np.concatenate([np.full(f, rate), np.ones(len(A) - f)])
    T, Z, k = schur(A * balance[:, None] / balance, sort=lambda re, im=0.0: abs(complex(re) + 1j * im) <= SLOW * limit)
    found = without_zeros(T[:k, :k] / rate, (limit / rate) ** 2)
    fast = (np.abs(values) > SLOW * limit) & (values.imag >= 0.0)
    if int((np.abs(values) > SLOW * limit).sum()) != len(A) - k:  # one at the limit itself, which fell on both sides
        fast = np.zeros(len(A), bool)
        found, k = without_zeros(T / rate, (limit / rate) ** 2), len(A)
    slow = found.values.imag >= 0.0
    lifted = (Z[:, :k] @ np.hstack([found.null, found.vectors[:, slow]])) / balance[:, None]
    positions = np.hstack([lifted[:f], vectors[:f, fast]])
    return np.concatenate([np.zeros(found.null.shape[1]), rate * found.values[slow], values[fast]]), positions


def _noise(system: Equations, linear: Linearization) -> float:
    """Of differences of accelerations, in A [1/s²]: those of the state, and those with which bodies go round."""
    size = size_of(system)
    spin = float(np.abs(linear.v * speed_scales(system)).max(initial=0.0)) / size
    return 1e-11 * (1.0 + float(np.abs(linear.acceleration).max(initial=0.0))) / max(size, 1e-3) + 4e-10 * spin**2


def _joint_rows(system: Equations, linear: Linearization) -> dict[str, np.ndarray]:
    """Change of every free joint coordinate per speed of the state."""
    constraints_at(system, linear.state, linear.t)
    rows: dict[str, Any] = {}
    for joint in (*system.tree.joints, *system.tree.cuts):
        free = tuple(range(sum(motion is None for motion in joint.motion)))
        if free and not (joint.coordinates == "free" and joint.name in system.assembly.coordinates.cuts):
            chosen = freedoms_of(system, joint, free)
            rows |= dict(zip(chosen.labels("q"), speed_rows(system, chosen), strict=True))
    return rows
