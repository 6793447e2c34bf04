"""Axes that make the linear equations about a motion constant: how fast the axes of every vector must rotate.

The tangents Z of neighbouring motions and their rates F = Φ Z are known now and a little later, in axes that stand still. If the
motion is steady, turned back by exp(-w Δt) they are what they are now. w is the least of all solutions of

    (1 - Q Qᵀ) Z' = 0,   Qᵀ F' = (Qᵀ F) (Qᵀ Z'),   Q = orthonormal Z now,   Z', F' = exp(-w Δt) (Z, F) then,

so an observer on the ground, w = 0, is kept where he sees constant equations, as with symmetric rotors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.dynamics.small_motions.measured_coordinates import cross_matrix

ROUNDS = 40
WEAK = 1e-5  # singular values, relative to the largest, of directions that make no difference
CONSTANT = 1e-5  # change of the equations over the time, relative, that counts as none
BETTER = 0.1  # of the change in axes at rest: else turning axes bring no gain
SKETCH = 24  # combinations of tangents that are compared


@dataclass(frozen=True)
class Tangents:
    """Neighbouring motions at one time: x changes of position, u of speed, and the rates of both, in axes at rest."""

    x: np.ndarray
    u: np.ndarray
    x_rate: np.ndarray
    u_rate: np.ndarray

    def turned(self, w: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates in axes that turn with w: those at rest less w × (x, u)."""
        return self.x_rate - crossed(w, vectors, self.x), self.u_rate - crossed(w, vectors, self.u)


def crossed(w: np.ndarray, vectors: np.ndarray, x: np.ndarray) -> np.ndarray:
    """w_k × x_k for every vector k, the columns of x apart."""
    out = np.zeros_like(x)
    for a, k in zip(w, vectors, strict=True):
        out[k : k + 3] = cross_matrix(a) @ x[k : k + 3]
    return out


def _rotation(a: np.ndarray) -> np.ndarray:
    """exp [a] (Rodrigues)."""
    angle = float(np.linalg.norm(a))
    X = cross_matrix(a)
    if angle < 1e-8:
        return np.eye(3) + X + 0.5 * X @ X
    return np.eye(3) + np.sin(angle) / angle * X + (1.0 - np.cos(angle)) / angle**2 * X @ X


class _Comparison:
    """Equations now and later, in units of one size: lengths, and rates divided by a pace."""

    def __init__(self, now: Tangents, then: Tangents, scale: np.ndarray, pace: float, dt: float, vectors: np.ndarray) -> None:
        n, self.dt = len(scale), dt
        D = np.concatenate([scale, scale / pace])[:, None]
        stack = [(D * np.vstack([s.x, s.u]), D / pace * np.vstack([s.x_rate, s.u_rate])) for s in (now, then)]
        (self.Q, self.F), (Z, rates) = (_orthonormal(*pair) for pair in stack)
        mix = np.eye(Z.shape[1]) if Z.shape[1] <= SKETCH else np.random.default_rng(0).normal(size=(Z.shape[1], SKETCH))
        self.Z, self.rates = Z @ mix, rates @ mix
        self.A = self.Q.T @ self.F
        self.places = [(k, k + n) for k in vectors]

    def later(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        Z, rates = self.Z.copy(), self.rates.copy()
        for a, both in zip(w, self.places, strict=True):
            R = _rotation(-a * self.dt)
            for k in both:
                Z[k : k + 3], rates[k : k + 3] = R @ Z[k : k + 3], R @ rates[k : k + 3]
        return Z, rates

    def difference(self, Z: np.ndarray, rates: np.ndarray) -> np.ndarray:
        part = self.Q.T @ Z
        return np.concatenate([(Z - self.Q @ part).ravel(), (self.Q.T @ rates - self.A @ part).ravel()])

    def change(self, w: np.ndarray) -> float:
        """How much the equations change, relative to themselves."""
        size = np.linalg.norm(self.Z) + np.linalg.norm(self.A)
        return float(np.linalg.norm(self.difference(*self.later(w)))) / max(float(size), 1e-300)

    def slopes(self, Z: np.ndarray, rates: np.ndarray) -> np.ndarray:
        columns = []
        for both in self.places:
            for axis in np.eye(3):
                X, dZ, dF = -self.dt * cross_matrix(axis), np.zeros_like(Z), np.zeros_like(rates)
                for k in both:
                    dZ[k : k + 3], dF[k : k + 3] = X @ Z[k : k + 3], X @ rates[k : k + 3]
                columns.append(self.difference(dZ, dF))
        return np.array(columns).T


def _orthonormal(Z: np.ndarray, F: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tangents made orthonormal, their rates with them."""
    length = np.maximum(np.linalg.norm(Z, axis=0), 1e-300)
    Q, R = np.linalg.qr(Z / length)
    return Q, np.linalg.solve(R.T, (F / length).T).T


def steady_axes(
    now: Tangents, then: Tangents, scale: np.ndarray, pace: float, dt: float, vectors: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Angular velocity of the axes of every vector (k × 3), and whether the equations are constant in them.

    scale : per measured speed, 1 or a length for angles.   pace : rate of the fastest motion [1/s].   dt : time between the two.

    >>> spin = np.array([0.0, 0.0, 2.0])  # a tangent that turns about z at 2 rad/s, with its rate
    >>> def at(t):
    ...     x = np.array([[np.cos(2 * t)], [np.sin(2 * t)], [0.0]])
    ...     return Tangents(x, 0 * x, np.cross(spin, x.T).T, 0 * x)
    >>> w, constant = steady_axes(at(0.0), at(0.1), np.ones(3), 2.0, 0.1, np.array([0]))
    >>> w.round(6) + 0.0, constant
    (array([[0., 0., 2.]]), True)
    """
    both = _Comparison(now, then, scale, pace, dt, vectors)
    w = np.zeros((len(vectors), 3))
    at_rest = both.change(w)
    if at_rest <= CONSTANT or not len(vectors):
        return w, at_rest <= CONSTANT
    for _ in range(ROUNDS):
        Z, rates = both.later(w)
        step = np.linalg.lstsq(both.slopes(Z, rates), -both.difference(Z, rates), rcond=WEAK)[0].reshape(w.shape)
        w = w + step
        if np.abs(step).max() <= 1e-12 * pace:
            break
    left = both.change(w)
    return (w, left <= CONSTANT) if left <= BETTER * at_rest else (np.zeros_like(w), False)
