"""Small motions about a state or a motion, constraints included: M ξ̈ + D ξ̇ + K ξ = 0 in independent coordinates.

δq = N ξ with C N = 0, Nᵀ M N = 1. Derivatives are differences of fourth order of the compiled accelerations along states that
satisfy the constraints, so gyroscopic terms, prescribed motions and the curvature of the constraints are in them. Those of
derived equations (method "symbolic") are exact (`exact_tangents.py`), where speeds are rates of coordinates. Motions are
measured in joint coordinates (`measured_coordinates.py`), vectors in axes that make the equations constant (`steady_axes.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.friction.friction_difference_steps import sliding_step
from sharnir.dynamics.friction.loads_of_given_motion import settled_bristles
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.motion_basis import MotionBasis, corrected, full_state, motion_basis, own_copy
from sharnir.dynamics.mobility.state_steps import STENCIL, moved, size_of, speed_scales
from sharnir.dynamics.small_motions.control_linearization import Control, with_control
from sharnir.dynamics.small_motions.exact_tangents import exact_tangents
from sharnir.dynamics.small_motions.frozen_elasticity import HeldElasticity
from sharnir.dynamics.small_motions.measured_coordinates import MotionCoordinates
from sharnir.dynamics.small_motions.steady_axes import Tangents, steady_axes
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

STEP = 1e-3  # of differences: radians, or sizes of the mechanism
SHORT = 1e-6  # the same with contacts, whose force bends within their depth
MOST = 3000  # speeds for which dense matrices are made
TURN = 0.2  # how far a motion goes between the two states that tell whether it is steady [rad]
LARGE = 300  # speeds above which this is not asked


@dataclass(frozen=True)
class Linearization:
    """Linear equations of a system about a state.

    A : d/dt (ξ, η) = A (ξ, η): reduced coordinates ξ and speeds η.   M, D, K : M ξ̈ + D ξ̇ + K ξ = 0, M is the unit matrix.
    basis (n_v, f) : δq = basis ξ in the order of the system's speeds.   speed_basis : the same for η. They differ where
        constraints hold for speeds only; then D and K are not square; use A.
    acceleration : reduced accelerations at the state itself, zero at an equilibrium.   q, v, t : the state.
    steady : True if A stays the same along the motion; otherwise its eigenvalues are instantaneous.

    With signals, A has the control states after ξ and η, then bristle deflections (LuGre friction); `states` are their names.
    Then d/dt x = A x + B u, y = C x + feedthrough u: `inputs` u are values from outside or held between samples, `outputs` y are
    signals.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> linear = m.statics().linearization
    >>> linear.K.round(6), linear.eigenvalues.imag.round(6)
    (array([[9.81]]), array([ 3.132092, -3.132092]))
    """

    A: np.ndarray
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    basis: np.ndarray
    speed_basis: np.ndarray
    acceleration: np.ndarray
    q: np.ndarray
    v: np.ndarray
    t: float
    state: np.ndarray
    steady: bool
    B: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    C: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    feedthrough: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    states: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of A [1/s]."""
        return np.linalg.eigvals(self.A)

    @property
    def stiffness(self) -> np.ndarray:
        """K along the directions of speed, g × g: the same as K unless constraints hold for speeds only."""
        if self.K.shape[0] == self.K.shape[1]:
            return self.K
        found: np.ndarray = self.K @ np.linalg.lstsq(self.basis, self.speed_basis, rcond=None)[0]
        return found


def linearize(
    system: Equations,
    q: np.ndarray,
    v: np.ndarray,
    t: float = 0.0,
    at_rest: bool = False,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Linearization:
    """Linear equations about a state that satisfies the constraints; see System.linearize.

    at_rest : the mechanism and its drives stand still, so nobody need ask for axes that turn.
    """
    if system.n_v > MOST:
        raise ModelError(
            f"linearize uses dense matrices, and {system.n_v} speeds exceed the limit of {MOST}; use a smaller model"
        )
    own = own_copy(system)
    control = Control(own, inputs, outputs)
    y = settled_bristles(own, corrected(own, full_state(own, q, v), t), t)
    basis = motion_basis(own, y, t)
    measured = _coordinates(own, basis)
    rows = measured.rows(y, t)
    tangents = _tangents(measured, basis, rows)
    f, g = basis.position.shape[1], basis.speed.shape[1]
    # ξ = left x, η = right u: constant matrices, so ξ̇ and η̇ need no rates of N
    left, right = (_inverse(rows @ part, measured.scale) for part in (basis.position, basis.speed))
    vdot = own.observe_rates(np.array([t]), y[None])[0, own.n_q : own.n_q + own.n_v]
    state = np.block([[np.eye(f), np.zeros((f, g))], [right @ tangents.u]])
    A = np.vstack([left @ tangents.x_rate, right @ tangents.u_rate]) @ np.linalg.inv(state)
    w, steady = (np.zeros(0), True) if at_rest else _axes(measured, basis, tangents, A, vdot)
    if w.any():
        x_rate, u_rate = tangents.turned(w, measured.vectors)
        A = np.vstack([left @ x_rate, right @ u_rate]) @ np.linalg.inv(state)
    D, K = -A[f:, f:], -A[f:, :f]
    if f == g:  # η = ξ̇ - A₁₁ ξ
        D, K = D - A[:f, :f], K - D @ A[:f, :f]
    force, n = basis.speed.T @ basis.M @ vdot, own.n_q
    whole: dict[str, Any] = {"A": A}
    if control.watches:
        whole = with_control(control, measured, basis, A, right, np.linalg.inv(state))
    whole |= {"q": y[:n], "v": y[n : n + own.n_v], "t": t, "state": y, "steady": steady}
    return Linearization(M=np.eye(g), D=D, K=K, basis=basis.position, speed_basis=basis.speed, acceleration=force, **whole)


def _coordinates(system: Equations, basis: MotionBasis) -> MotionCoordinates:
    """Those of the joints, or where these are singular (a gimbal lock) those of the state."""
    measured = MotionCoordinates(system)
    if system.formulation == "absolute" and basis.position.shape[1]:
        N = basis.position * speed_scales(system)[:, None]
        s = np.linalg.svd(measured.rows(basis.y, basis.t) @ basis.position * measured.scale[:, None], compute_uv=False)
        full = np.linalg.svd(N, compute_uv=False)
        if len(s) < len(full) or not s[-1] > 1e-6 * full[-1]:
            return MotionCoordinates(system, own=True)
    return measured


def _inverse(X: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Left inverse of X, of least squares with angles as arcs."""
    length = np.maximum(np.linalg.norm(X * scale[:, None], axis=0), 1e-300)
    found: np.ndarray = np.linalg.pinv(X * scale[:, None] / length) * scale / length[:, None]
    return found


def _is_stiff(model: Any) -> bool:
    """Whether some force reports a stored energy, as contacts do: such forces change over short ways."""
    return any(key == "energy" for force in model.forces.values() for key, _, _ in force.outputs)


def _tangents(measured: MotionCoordinates, basis: MotionBasis, rows: np.ndarray) -> Tangents:
    """Along all directions of position, then of speed: changes of measured positions and speeds, and their rates."""
    exact = exact_tangents(measured, basis, rows)
    if exact is not None:
        return exact
    system, n = measured.system, measured.system.n_q
    m, n_v, t = measured.count, system.n_v, basis.t
    scale, size, v = speed_scales(system), size_of(system), basis.y[n : n + n_v]
    fast = max(1.0, float(np.abs(v * scale).max(initial=0.0)) / size)  # speeds enter as polynomials: a large step is exact
    speed_step = min(10.0 * STEP * fast * size, sliding_step(system.model))
    position_step = SHORT if _is_stiff(system.model) else STEP
    directions = [(x, False) for x in basis.position.T] + [(x, True) for x in basis.speed.T]
    u, u_rate = np.zeros((m, len(directions))), np.zeros((m, len(directions)))
    with HeldElasticity(system, basis.y) as held:
        for k, (x, of_speed) in enumerate(directions):
            h = (speed_step if of_speed else position_step * size) / max(float(np.abs(x * scale).max()), 1e-300)
            for place, weight in STENCIL:
                y = basis.y.copy() if of_speed else moved(system, basis.y, place * h * x)
                if of_speed:
                    y[n : n + n_v] += place * h * x
                speeds, accelerations = measured.rates(corrected(system, y, t), t)
                u[:, k] += weight / h * speeds
                u_rate[:, k] += weight / h * accelerations
            if not of_speed:
                u_rate[:, k] += held.answer(measured, basis.y, t, x)
    position = np.hstack([rows @ basis.position, np.zeros((m, basis.speed.shape[1]))])
    here = measured.rates(basis.y, t)[0]
    return Tangents(position, u, u + measured.carried(here, position), u_rate)


def _axes(
    measured: MotionCoordinates, basis: MotionBasis, now: Tangents, A: np.ndarray, vdot: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Angular velocities of the axes of all vectors, and whether the equations are constant in them."""
    system, none, n = measured.system, np.zeros((len(measured.vectors), 3)), measured.system.n_q
    v, scale = basis.y[n : n + system.n_v], speed_scales(system)
    gravity = max(float(np.linalg.norm(system.model.gravity)), 1e-6)
    still = bool(np.abs(vdot * scale).max(initial=0.0) <= 1e-6 * gravity)
    if not len(A) or (not v.any() and not (still and system.table[L.N_MOTION])):
        return none, not len(A) or still
    bodies = system.bodies(basis.y[:n], v, basis.t).values()
    spin = max(float(np.linalg.norm(body.angular_velocity)) for body in bodies)
    pace = max(spin, float(np.abs(np.linalg.eigvals(A)).max()))
    if system.n_v > LARGE or pace == 0.0:
        return none, pace == 0.0
    dt = TURN / max(spin, 0.3 * pace)
    y = _later(system, basis.y, basis.t, dt)
    later = motion_basis(system, y, basis.t + dt) if y is not None else None
    if later is None or later.position.shape != basis.position.shape or later.speed.shape != basis.speed.shape:
        return none, False
    then = _tangents(measured, later, measured.rows(later.y, later.t))
    return steady_axes(now, then, measured.scale / size_of(system), pace, dt, measured.vectors)


def _later(system: Equations, y: np.ndarray, t: float, dt: float) -> np.ndarray | None:
    """The state after a time dt of motion."""
    from sharnir.integrate import integrate

    run = integrate(system.problem(), y, np.array([t, t + dt]), "auto", rtol=1e-10, atol=1e-12)
    return corrected(system, run.y[-1].copy(), t + dt) if len(run.t) == 2 else None
