"""A motor in a joint at one state: its curve, its command, its gear."""

import numpy as np

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.forces.force_elements import apply, given, point_state
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.engine_frames import in_axes
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.model import Motor, Prismatic
from sharnir.spatial.vector import add, cross, dot, load3, rotate, scale, sub

# params: 1 in a Prismatic; point and axis in engine axes of the child; ratio, efficiency; torque, command where they are numbers;
# 1: there is a command; F_DATA: addresses of torque and command where they are functions
SLIDES, POINT, AXIS, RATIO, EFFICIENCY, TORQUE, COMMAND, COMMANDED = 0, 1, 4, 7, 8, 9, 10, 11
TOTAL, ROTOR_SPEED, POWER = 0, 1, 2  # outputs


def motor(t, f, _, table, params, work):
    """Torque on both bodies of the joint."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    p, parent, child = tab[f + L.F_PARAMS], tab[f + L.BODY_A], tab[f + L.BODY_B]
    R, _, _, om = pose_of(tab, w, child, 0.0)
    _, o, v0, om0 = pose_of(tab, w, parent, 0.0)
    point, v = point_state(tab, w, child, load3(par, p + POINT))
    axis = rotate(R, load3(par, p + AXIS))
    slides = par[p + SLIDES] == 1.0
    rate = dot(axis, sub(v, add(v0, cross(om0, sub(point, o))))) if slides else dot(axis, sub(om, om0))
    speed = par[p + RATIO] * rate
    commanded = par[p + COMMANDED] == 1.0
    torque = par[p + TORQUE]
    if tab[f + L.F_DATA] != 0:
        torque = given(tab, w, tab[f + L.F_DATA], abs(speed) if commanded else speed, t, 0.0)
    if commanded:
        most, wanted = abs(torque), par[p + COMMAND]
        if tab[f + L.F_DATA + 1] != 0:
            wanted = given(tab, w, tab[f + L.F_DATA + 1], speed, t, 0.0)
        torque = min(max(wanted, -most), most)
    total = par[p + RATIO] * par[p + EFFICIENCY] * torque
    zero = (0.0, 0.0, 0.0)
    force, turn = (scale(axis, total), zero) if slides else (zero, scale(axis, total))
    apply(tab, w, child, point, force, turn)
    apply(tab, w, parent, point, scale(force, -1.0), scale(turn, -1.0))
    out = tab[f + L.W_OUT]
    w[out + TOTAL], w[out + ROTOR_SPEED], w[out + POWER] = total, speed, total * rate


MOTOR = Pointer(motor, DERIVATIVE)


@force_record(Motor, MOTOR)
def motor_row(blocks: Blocks, row: np.ndarray, force: Motor, drawing: Drawing) -> None:
    """The record of a motor."""
    place, joint, functions = drawing.place, drawing.model.joints[str(force.joint)], drawing.functions
    force.check_joint(joint)
    child, axis = place.number[str(joint.child)], drawing.joint_axis(joint)
    entries = (force.torque, 0.0 if force.command is None else force.command)
    values = [x if isinstance(x, float) else 0.0 for x in entries]
    numbers = [float(isinstance(joint, Prismatic)), *place.point(child, drawing.joint_point(joint))]
    numbers += [*(axis if child < 0 else in_axes(place.rotation[child], axis)), force.ratio, force.efficiency, *values]
    row[L.BODY_A], row[L.BODY_B] = place.number[str(joint.parent)], child
    row[L.F_PARAMS] = blocks.append("params", None, [*numbers, float(force.command is not None)])
    for k, x in enumerate(entries):
        row[L.F_DATA + k] = 0 if isinstance(x, float) else functions.scalar(x, ("v", "t"), force.label)
