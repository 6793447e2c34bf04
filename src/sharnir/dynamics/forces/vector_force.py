"""A force at a point of a body, or a torque on it, in world or body axes: Force and Torque."""

from typing import Any

import numpy as np

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.forces.force_elements import apply, given, point_state
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model import Force, Torque
from sharnir.spatial.vector import load3, load9, rotate

# params: the point, engine axes; components where they are numbers; the user's body axes -> engine axes; 1: in body axes.
# F_DATA: addresses of the components that are functions of t, 0 for numbers
POINT, COMPONENTS, AXES, IN_BODY = 0, 3, 6, 15


@jit
def component(t, tab, par, w, f, k):
    """One component: a number, or a function of time."""
    function = tab[f + L.F_DATA + k]
    return par[tab[f + L.F_PARAMS] + COMPONENTS + k] if function == 0 else given(tab, w, function, t, 0.0, 0.0)


@jit
def world_vector(t, tab, par, w, f):
    """The vector in world axes."""
    p = tab[f + L.F_PARAMS]
    e = (component(t, tab, par, w, f, 0), component(t, tab, par, w, f, 1), component(t, tab, par, w, f, 2))
    if par[p + IN_BODY] == 1.0:
        R, _, _, _ = pose_of(tab, w, tab[f + L.BODY_A], 0.0)
        e = rotate(R, rotate(load9(par, p + AXES), e))
    return e


def add_force(t, f, _, table, params, work):
    """The force acts at its point."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    point, _ = point_state(tab, w, tab[f + L.BODY_A], load3(par, tab[f + L.F_PARAMS] + POINT))
    apply(tab, w, tab[f + L.BODY_A], point, world_vector(t, tab, par, w, f), (0.0, 0.0, 0.0))


def add_torque(t, f, _, table, params, work):
    """A torque acts on the body as a whole."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    zero = (0.0, 0.0, 0.0)
    apply(tab, w, tab[f + L.BODY_A], zero, zero, world_vector(t, tab, par, w, f))


FORCE, TORQUE = Pointer(add_force, DERIVATIVE), Pointer(add_torque, DERIVATIVE)


@force_record(Force, FORCE)
def force_row(blocks: Blocks, row: np.ndarray, force: Force, drawing: Drawing) -> None:
    """The record of a force; its point is the centre of mass unless one is given."""
    frame = drawing.placed[str(force.body)]
    centre = frame.position + np.array(frame.rotation_matrix) @ np.array(drawing.model.body(str(force.body)).com)
    _vector_row(blocks, row, force, force.force, centre if force.at is None else force.at, drawing)


@force_record(Torque, TORQUE)
def torque_row(blocks: Blocks, row: np.ndarray, force: Torque, drawing: Drawing) -> None:
    """The record of a torque."""
    _vector_row(blocks, row, force, force.torque, None, drawing)


def _vector_row(blocks: Blocks, row: np.ndarray, force: Any, entries: tuple[Any, ...], at: Any, drawing: Drawing) -> None:
    body = str(force.body)
    numbers = [x if isinstance(x, float) else 0.0 for x in entries]
    axes = drawing.direction(body, drawing.placed[body].rotation_matrix)
    row[L.BODY_A], row[L.BODY_B] = drawing.number(body), -1
    row[L.F_PARAMS] = blocks.append(
        "params", None, [*drawing.point(body, at), *numbers, *axes.ravel(), float(force.axes == "body")]
    )
    for k, x in enumerate(entries):
        row[L.F_DATA + k] = 0 if isinstance(x, float) else drawing.functions.scalar(x, ("t",), force.label)
