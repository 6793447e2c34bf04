"""Rocket engines of a model → signals of thrust and of the mass in their tanks, records of the engine, changing inertias."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.forces.force_elements import force_function
from sharnir.dynamics.forces.thrust import MASSES, THRUST
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory import tank_layout as T
from sharnir.dynamics.memory.blocks import Blocks
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.errors import ModelError
from sharnir.kernel import PLAIN
from sharnir.model import Model, Thrust
from sharnir.model.signals import Equations, SignalElement


class Engine(SignalElement):
    """The thrust of an engine as a signal; states: m, the mass in its tank, and s, which is 1 until an event finds it empty."""

    def __init__(self, force: Thrust) -> None:
        self.force = force

    @property
    def label(self) -> str:
        return self.force.label

    def formulas(self) -> list[tuple[str, str]]:
        return [("force", str(self.force.force))]

    def equations(self) -> Equations:
        force = self.force
        return Equations({"": f"({force.force})*s"}, {"s": 1.0, "m": force.propellant}, {"s": "0", "m": f"-{force.flow}*s"})


def engines(model: Model) -> dict[str, SignalElement]:
    """Signals of all engines."""
    return {force.signal: Engine(force) for force in model.forces.values() if isinstance(force, Thrust)}


def thrust_row(blocks: Blocks, row: np.ndarray, force: Thrust, drawing: Drawing) -> None:
    """The record of an engine."""
    place, i = drawing.place, drawing.number(str(force.body))
    if i < 0:
        raise ModelError(f"{force.label}: body = 'ground' cannot burn; name a body")
    body, content = drawing.model.bodies[str(force.body)], tank_inertia(force, drawing, i)
    whole = place.body_params()[i, L.MASS : L.MASS + 10]
    if force.propellant >= body.mass:
        raise ModelError(f"{force.label}: propellant = {force.propellant:g} kg must be below the {body.mass:g} kg of its body")
    _check_dry(force, whole - content)
    nozzle, axis = drawing.point(str(force.body), force.at), drawing.direction(str(force.body), force.axis)
    numbers = [*nozzle, *axis, force.exhaust_speed, force.propellant, float(force.jet_damping), *content, *whole]
    row[L.BODY_A], row[L.BODY_B], row[L.FUNCTION] = i, -1, force_function(THRUST)
    row[L.F_PARAMS] = blocks.append("params", None, numbers)
    signals, key = int(blocks.header[L.W_SIGNAL]), force.signal
    row[L.FUNCTION + 1] = signals + drawing.functions.places[key]
    row[L.FUNCTION + 2] = signals + drawing.functions.places[f"{key}.m"]
    drawing.functions.tanks.append((i, int(row[L.F_PARAMS]), int(row[L.FUNCTION + 2])))


def tank_inertia(force: Thrust, drawing: Drawing, i: int) -> np.ndarray:
    """Mass, first moment and inertia about the body's origin of the full tank, engine axes."""
    place, body = drawing.place, drawing.model.bodies[str(force.body)]
    turn = place.rotation[i].T @ place.user_rotation[i]
    middle = place.user_position[i] + place.user_rotation[i] @ np.array(body.com)
    c = drawing.point(str(force.body), middle if force.tank is None else force.tank)
    xx, yy, zz, xy, xz, yz = force.tank_inertia
    own = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    m = force.propellant
    J = own + m * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([m, *(m * c), *J[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]])


def _check_dry(force: Thrust, dry: np.ndarray) -> None:
    """What is left when the tank is empty must be a body."""
    m, h = dry[0], dry[1:4]
    xx, xy, xz, yy, yz, zz = dry[4:]
    c = h / m
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
    scale = max(abs(xx), abs(yy), abs(zz))
    if np.linalg.eigvalsh(J)[0] < -1e-9 * scale:
        raise ModelError(
            f"{force.label}: the empty body would have a negative moment of inertia; what burns (propellant, tank, tank_inertia) "
            "must be a part of the body's mass and inertia"
        )


def append_tanks(blocks: Blocks, tanks: list[Any]) -> None:
    """Which bodies lose mass."""
    if tanks:
        blocks.append("table", T.T_TANK, np.array([len(tanks), *(x for tank in tanks for x in tank)], np.int64))
        blocks.header[T.F_MASSES] = 1 if PLAIN else MASSES.address
