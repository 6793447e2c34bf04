"""Switches of formulas in derived code: which of its nodes is which switch of the engine, whose memory says what side holds.

Derived code forgets from which element a comparison comes, and equal ones become one. So the engine is asked: at some states it
leaves the difference of every switch in its memory, and a node whose difference is the same there is that switch. What has been
found is checked before it is used, with sides held that are not those of the state.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory import switch_memory as H
from sharnir.dynamics.memory.equations import Equations
from sharnir.dynamics.memory.memory_builder import aligned
from sharnir.dynamics.straight_line.state_map import State
from sharnir.equations.mechanism import Mechanism
from sharnir.errors import ModelError
from sharnir.model import Thrust
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.nodes import Call, Node, minus

CALL = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_int64] * 5)
TRIES = 8  # from nearer to the start each time
STATES, SAME = 24, 1e-9  # states at which switches are looked at, and up to what part they are the same
CHECKED, AGREE = 6, 1e-7  # states at which code with held sides is compared with the engine
TIME = 0.37  # s: where nothing special happens in most models
GAPS: dict[str, Callable[..., Node]] = {
    **dict.fromkeys((">", ">=", "max"), minus),
    **dict.fromkeys(("<", "<=", "min"), lambda a, b: minus(b, a)),
    **dict.fromkeys(("step", "sign", "floor"), lambda a: a),
}


def switch_places(system: Equations) -> np.ndarray:
    """Where the memory of every switch stands in `work`."""
    return system.table[L.W_SWITCH] + H.FIRST + H.SIZE * np.arange(system.table[L.N_SWITCH])


def held_nodes(system: Equations, m: Mechanism, state: State, roots: list[Node]) -> dict[Call, tuple[int, ...]]:
    """Nodes that are switches of the engine, and where the memory of each stands in `work`: of equal ones several places."""
    if not system.table[L.N_SWITCH]:
        return {}
    nodes = [x for x in ordered(roots) if isinstance(x, Call) and x.function in GAPS and len(x.arguments) < 3]
    gaps = [GAPS[x.function](*x.arguments) for x in nodes]
    places, sides = switch_places(system), system.assembly.functions.sides
    kinds = np.array([sides.whole, sides.bends])
    own, theirs = np.full((STATES, len(nodes)), np.nan), np.full((STATES, len(places)), np.nan)
    functions = {name: quiet(function) for name, function in m.entries.functions.items()}
    for k, y in enumerate(states_around(system, STATES)):
        work = aligned([system.work])
        work[places + H.BARE] = np.nan
        called(system, getattr(system.derivative, "address", system.derivative), y, work)
        theirs[k] = work[places + H.BARE]
        with np.errstate(all="ignore"):
            own[k] = evaluated(gaps, numbers_at(m, state, y), functions)
    found: dict[Call, tuple[int, ...]] = {}
    for node, gap in zip(nodes, own.T, strict=True):
        away = np.abs(theirs - gap[:, None]) / (1.0 + np.abs(theirs))  # not a number where a branch was not computed
        seen = np.isfinite(theirs)
        alike = (kinds == [[node.function == "floor"], [node.function in ("min", "max")]]).all(axis=0)
        fits = alike & seen.any(axis=0) & (np.where(seen, away, 0.0) <= SAME).all(axis=0)
        if fits.any():
            found[node] = tuple(places[fits].tolist())
    return found


def quiet(function: Callable[..., float]) -> Callable[..., float]:
    """A function that gives not-a-number where it raises: it may not be meant for the states that are looked at."""

    def value(*x: float) -> float:
        try:
            return float(function(*x))
        except Exception:
            return math.nan

    return value


def numbers_at(m: Mechanism, state: State, y: np.ndarray) -> dict[str, float]:
    """Numbers of all symbols at a state."""
    found: dict[str, float] = {"t": TIME, **{str(symbol): float(y[k]) for symbol, k in state.places.items()}}
    if m.engine is not None:  # what the engine computes is not known here
        found |= dict.fromkeys((x.name for x in m.engine.symbols), math.nan) | dict.fromkeys((x.name for x in m.engine.kept), 0.0)
    for name, course in m.given.items():
        values = evaluated(course, found, m.entries.functions)
        found |= dict(zip((name, name + "'", name + "''"), values, strict=True))
    return found


def states_around(system: Equations, count: int) -> Iterator[np.ndarray]:
    """States near the start and far from it, as a run meets them: they satisfy the constraints, and tanks hold something.

    Elsewhere the engine and derived code differ: near singular positions the engine corrects a state before it computes, angles
    of cut joints follow from other formulas, and the engine ends masses at an empty tank.
    """
    rng, coordinates, n = np.random.default_rng(1), system.assembly.coordinates, system.n_q + system.n_v
    labels = {f".{force.signal}.m" for force in system.model.forces.values() if isinstance(force, Thrust)}
    tanks = [n + k for k, name in enumerate(coordinates.z_names) if name in labels]
    for k in range(count):
        for tries in range(TRIES):
            y = system.y0 + 10.0 ** (k % 4 - 1 - 0.5 * tries) * rng.standard_normal(len(system.y0))
            y[tanks] = system.y0[tanks] * rng.uniform(0.1, 1.0, len(tanks))
            for first in coordinates.quaternions:
                y[first : first + 4] /= np.linalg.norm(y[first : first + 4])
            if not system.constrained or closed(system, y):
                break
        yield y


def closed(system: Equations, y: np.ndarray) -> bool:
    """Move a state onto the constraints; whether that succeeds."""
    table, report = system.table.copy(), np.zeros(8)
    table[L.CORRECT_POSITION] = table[L.CORRECT_SPEED] = 1
    blocks = table, system.params, aligned([system.work])
    CALL(PROJECTION.address)(TIME, y.ctypes.data, report.ctypes.data, *(x.ctypes.data for x in blocks))
    return bool(report[3] == 0.0 and np.isfinite(y).all())


def called(system: Equations, address: int, y: np.ndarray, work: np.ndarray) -> np.ndarray:
    """ẏ by one of the functions of a right-hand side."""
    out = np.full(len(y) + 1, np.nan)
    CALL(address)(TIME, y.ctypes.data, out.ctypes.data, *(x.ctypes.data for x in (system.table, system.params, work)))
    return out[:-1]


def check_foreign(system: Any, names: list[str]) -> None:
    """Compare derived code with the engine: a force from outside may read more of the engine's memory than poses and signals."""
    for y in states_around(system, CHECKED) if names else ():
        work = aligned([system.work])
        found = called(system, system.derived.derivative, y, work)
        wanted = called(system, getattr(system.derivative, "address", system.derivative), y, work)
        size = np.abs(wanted[np.isfinite(wanted)]).max(initial=1.0)
        if not np.allclose(found, wanted, rtol=0.0, atol=AGREE * size, equal_nan=True):
            raise ModelError(
                f"{system.model.forces[names[0]].label} reads more of the engine's memory than poses of bodies and signals, "
                "which is all that method 'symbolic' leaves there; use 'articulated' or 'auto'"
            )


def check_held(system: Equations, held: dict[Call, tuple[int, ...]], derived: int) -> None:
    """Compare derived code at an address with the engine, with any sides held; a ModelError: a switch has not been found."""
    if not system.table[L.N_SWITCH]:
        return
    places, sides = switch_places(system), system.assembly.functions.sides
    whole, bends = (np.array(x, bool) for x in (sides.whole, sides.bends))
    chosen = np.isin(places, [place for several in held.values() for place in several]) | ~(whole | bends)
    first = np.arange(len(places))  # of switches that are equal
    for several in held.values():
        first[np.isin(places, several)] = np.flatnonzero(places == several[0])
    rng = np.random.default_rng(2)
    for y in states_around(system, CHECKED):
        work = aligned([system.work])
        engine = getattr(system.derivative, "address", system.derivative)
        called(system, engine, y, work)
        gap = work[places + H.BARE]
        side = np.where(whole, np.floor(gap) + rng.integers(-1, 2, len(gap)), rng.choice((-1.0, 1.0), len(gap)))
        work[places + H.HELD] = np.where(chosen, 1.0, 0.0)
        work[places + H.SIDE] = np.where(chosen, side[first], 0.0)
        wanted, found = (called(system, address, y, work.copy()) for address in (engine, derived))
        size = np.abs(wanted[np.isfinite(wanted)]).max(initial=1.0)
        if not np.allclose(found, wanted, rtol=0.0, atol=AGREE * size, equal_nan=True):
            labels = dict.fromkeys(label for label, used in zip(sides.labels, chosen, strict=True) if used) or sides.labels
            names = ", ".join(dict.fromkeys(labels))
            raise ModelError(
                f"model '{system.model.name}': method 'symbolic' cannot follow the jumps or bends in formulas of {names}; use "
                "'articulated' or 'auto'"
            )
