"""Linear equations with states of control and of bristles: ẋ = A x + B u, y = C x + D u about a state.

x are reduced coordinates ξ and speeds η of the mechanism, then states of control, then bends of bristles (LuGre); u are inputs
from outside and values that are held between samples; y are signals. Derivatives are differences along the same directions as
those of the mechanism.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.friction.friction_difference_steps import bristle_steps, sliding_step
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.motion_basis import MotionBasis, corrected
from sharnir.dynamics.mobility.state_steps import STENCIL, moved, size_of, speed_scales
from sharnir.dynamics.small_motions.measured_coordinates import MotionCoordinates
from sharnir.errors import ModelError
from sharnir.model.signals import Input

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

STEP = 1e-3  # of differences: radians, or sizes of the mechanism
RESTLESS = 1e-11  # of rates per unit of a state, relative to 1/s or to the largest
NUDGE = 1e-4  # of states and inputs, relative to 1 or to themselves


class Control:
    """States of control that move, bristles, inputs and outputs of a system."""

    def __init__(self, system: Equations, inputs: Sequence[str] | None, outputs: Sequence[str] | None) -> None:
        self.system, self.program = system, system.assembly.program
        self.bristles, first = bristle_steps(system), system.n_q + system.n_v
        bent = tuple(system.assembly.coordinates.z_names[place - first] for place in self.bristles)
        self.moving: tuple[str, ...] = ()  # states of control
        self.acting: tuple[str, ...] = ()  # those that the mechanism may feel; others look on
        self.states: tuple[str, ...] = bent
        self.inputs: tuple[str, ...] = ()
        self.outputs: tuple[str, ...] = ()
        if self.program is None:
            if inputs or outputs:
                raise ModelError(f"linearize: model '{system.model.name}' has no signals, so it has no inputs or outputs")
            return
        if self.program.delays:
            late = ", ".join(self.program.delays)
            raise ModelError(f"linearize: a Delay ({late}) has no linear equations with finitely many states; use PadeDelay")
        signals = system.model.signals
        self.moving = tuple(name for name in self.program.states if name in self.program.moving)
        self.states = self.moving + bent
        used = signals_in_use(system.model)
        self.acting = tuple(name for name in self.moving if name.rpartition(".")[0] in used)
        given = [name for name, signal in signals.items() if isinstance(signal, Input)] if inputs is None else list(inputs)
        self.inputs = tuple(given)
        for name in self.inputs:
            self.held_state(name)
        self.outputs = tuple(signals) if outputs is None else tuple(outputs)
        for name in self.outputs:
            if name not in signals:
                raise ModelError(f"linearize: outputs: '{name}' is not a signal; signals are {', '.join(signals) or 'none'}")

    @property
    def watches(self) -> bool:
        """Whether there is anything besides the mechanism."""
        return bool(self.states or self.inputs or self.outputs)

    def settled(self, y: np.ndarray, t: float) -> np.ndarray:
        """The state with states of control that stand still, for a mechanism that stands still; those that only look on stay."""
        places = np.array([self.place(name) for name in self.acting], int)
        rows = [self.states.index(name) for name in self.acting]
        for _ in range(30 if len(places) else 0):
            rates = self.watch(y, t)[rows]
            J = np.array([_changes(self, y, t, place)[rows] for place in places]).T
            if not settles(J):
                raise self.restless()
            step = np.linalg.solve(J, rates)
            y = y.copy()
            y[places] -= step
            if np.abs(step).max() <= 1e-12 * max(1.0, float(np.abs(y[places]).max())):
                break
        return y

    def restless(self) -> ModelError:
        """The error for states that nothing brings to rest."""
        return ModelError(
            f"model '{self.system.model.name}': states of control ({', '.join(self.acting)}) do not come to "
            "rest by themselves (an integral is constant only where its input is zero); give a state and use "
            "modes(equilibrium=False)"
        )

    def held_state(self, name: str) -> str:
        """The state that holds an input, or the output of a sampled signal."""
        states = {key: f"{key}.{element.own_state}" for key, element in self.system.model.signals.items()}
        held = [key for key, state in states.items() if state in self.program.states and state not in self.program.moving]
        if name in held:
            return states[name]
        raise ModelError(
            f"linearize: inputs: '{name}' is neither an Input nor sampled; there are {', '.join(sorted(held)) or 'none'}"
        )

    def place(self, state: str) -> int:
        """Where a state stands in the state of the system."""
        s = self.system
        if self.program is None or state not in self.program.states:
            return s.n_q + s.n_v + s.assembly.coordinates.z_names.index(state)
        return s.n_q + s.n_v + s.n_z - len(self.program.states) + self.program.state_number(state)

    def watch(self, y: np.ndarray, t: float) -> np.ndarray:
        """Rates of the states, then outputs."""
        s, time = self.system, np.array([t])
        rates = s.observe_rates(time, y[None])[0][[self.place(name) for name in self.states]]
        if self.program is None:
            return rates
        signals = np.zeros((1, len(self.program.signals)))
        s.observe_work(time, y[None], int(s.table[L.W_SIGNAL]), signals)
        return np.concatenate([rates, signals[0][[self.program.signals.index(name) for name in self.outputs]]])


def settles(J: np.ndarray) -> bool:
    """Whether rates of states, by these states, have a full rank; what differences leave of zeros counts as zero."""
    if not len(J):
        return True
    return bool(np.isfinite(J).all()) and np.linalg.matrix_rank(J, tol=RESTLESS * max(1.0, float(np.abs(J).max()))) == len(J)


def signals_in_use(model: Any) -> set[str]:
    """Signals that forces, joints or constraints may name, directly or through others; all others only look on.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("cart", mass=1), sr.Prismatic("P", "ground", "cart", axis="x"), sr.Integral("way", "P.q"))
    >>> _ = m.add(sr.LowPass("slow", "P.q", time_constant=1.0), sr.JointForce("pull", "P", "-slow"))
    >>> signals_in_use(m)
    {'slow'}
    """
    elements = [*model.forces.values(), *model.joints.values(), *model.constraints.values(), model.base_motion]
    waiting = {name for element in elements for name in _names_in(element)} & set(model.signals)
    used: set[str] = set()
    while waiting:
        used |= waiting
        waiting = {name for key in waiting for name in _names_in(model.signals[key])} & set(model.signals) - used
    return used


def _names_in(value: Any) -> set[str]:
    """All words in the fields of an element, formulas taken apart."""
    if isinstance(value, str):
        return {value, *re.findall(r"[^\W\d]\w*", value)}
    if isinstance(value, Mapping):
        return set().union(*(_names_in(key) | _names_in(x) for key, x in value.items()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return set().union(*(_names_in(x) for x in value))
    if is_dataclass(value) and not isinstance(value, type):
        return set().union(*(_names_in(getattr(value, field.name, None)) for field in fields(value)))
    return set()


def with_control(
    control: Control,
    measured: MotionCoordinates,
    basis: MotionBasis,
    mechanism: np.ndarray,
    right: np.ndarray,
    turned: np.ndarray,
) -> dict[str, Any]:
    """A, B, C and feedthrough; `mechanism` is A of the mechanism, `turned` takes directions to (ξ, η)."""
    y, t, f = basis.y, basis.t, basis.position.shape[1]
    n, count = len(mechanism), len(control.states)
    along = _along_motions(control.system, basis, lambda state: control.watch(state, t)) @ turned
    pushed = [_nudged(control, measured, y, t, control.place(name)) for name in control.states]
    driven = [_nudged(control, measured, y, t, control.place(control.held_state(name))) for name in control.inputs]
    A = np.zeros((n + count, n + count))
    A[:n, :n], A[n:, :n] = mechanism, along[:count]
    B, C = np.zeros((n + count, len(driven))), np.zeros((len(control.outputs), n + count))
    feedthrough = np.zeros((len(control.outputs), len(driven)))
    C[:, :n] = along[count:]
    for k, (acceleration, seen) in enumerate(pushed):
        A[f:n, n + k], A[n:, n + k], C[:, n + k] = right @ acceleration, seen[:count], seen[count:]
    for k, (acceleration, seen) in enumerate(driven):
        B[f:n, k], B[n:, k], feedthrough[:, k] = right @ acceleration, seen[:count], seen[count:]
    names = {"states": control.states, "inputs": control.inputs, "outputs": control.outputs}
    return {"A": A, "B": B, "C": C, "feedthrough": feedthrough, **names}


def _nudged(control: Control, measured: MotionCoordinates, y: np.ndarray, t: float, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Changes of measured accelerations, of rates and outputs, per unit of one number of the state."""
    h = control.bristles.get(place, NUDGE * max(1.0, abs(y[place])))
    acceleration = np.zeros(measured.count)
    for step, weight in STENCIL:
        other = y.copy()
        other[place] += step * h
        acceleration += weight / h * measured.rates(other, t)[1]
    return acceleration, _changes(control, y, t, place)


def _changes(control: Control, y: np.ndarray, t: float, place: int) -> np.ndarray:
    """Changes of rates and outputs per unit of one number of the state."""
    h = control.bristles.get(place, NUDGE * max(1.0, abs(y[place])))
    seen = np.zeros(len(control.states) + len(control.outputs))
    for step, weight in STENCIL:
        other = y.copy()
        other[place] += step * h
        seen += weight / h * control.watch(other, t)
    return seen


def _along_motions(system: Equations, basis: MotionBasis, watch: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Changes of what is watched along all directions of position, then of speed."""
    n, n_v, scale, size = system.n_q, system.n_v, speed_scales(system), size_of(system)
    columns = []
    directions = [(x, False) for x in basis.position.T] + [(x, True) for x in basis.speed.T]
    for x, of_speed in directions:
        step = min(STEP * size, sliding_step(system.model)) if of_speed else STEP * size
        h, column = step / max(float(np.abs(x * scale).max()), 1e-300), np.zeros(len(watch(basis.y)))
        for place, weight in STENCIL:
            y = basis.y.copy() if of_speed else moved(system, basis.y, place * h * x)
            if of_speed:
                y[n : n + n_v] += place * h * x
            column = column + weight / h * watch(corrected(system, y, basis.t))
        columns.append(column)
    return np.array(columns).T if columns else np.zeros((len(watch(basis.y)), 0))
