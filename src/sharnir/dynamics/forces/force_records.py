"""Force elements of a model → their records in the engine's memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.c_functions import Functions
from sharnir.dynamics.memory.coordinates import Coordinates
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.errors import ModelError
from sharnir.kernel import Pointer
from sharnir.model import Model
from sharnir.model.forces import FreedomForce

COORDINATE = ("q", "v", "t")
# what fills BODY_A, BODY_B, F_PARAMS and F_DATA of an element's record
RowWriter = Callable[[Blocks, np.ndarray, Any, Drawing], None]


@dataclass(frozen=True)
class ForceKernel:
    """What the engine has for one class of forces.

    write : fills the record of an element.
    function : C function f(t, record, 0, table, params, work) that adds its forces by `apply` and fills its outputs.
    potential : C function f(t, record, place, table, params, work) that leaves its potential energy at work[place], called
        behind the first one; not needed if the class has an output "energy".
    horizon : C function f(t, record, place, table, params, work) of a force that acts on one side only: how long a step may be
        before that could be jumped over (conservative_advancement.py).
    """

    write: RowWriter
    function: Pointer
    potential: Pointer | None = None
    horizon: Pointer | None = None


FORCE_KERNELS: dict[type, ForceKernel] = {}


def register_force(
    element: type, write: RowWriter, function: Pointer, potential: Pointer | None = None, horizon: Pointer | None = None
) -> None:
    """Teach the engine a class of forces, from inside the package or from outside.

    element : the class.   write(blocks, row, force, drawing) : fills the record of one force.
    function, potential, horizon : its C functions, see ForceKernel.

    >>> from sharnir.dynamics.forces.spring import POTENTIAL, SPRING, spring_row
    >>> from sharnir.model import Spring
    >>> class Cable(Spring, listed=False):
    ...     pass
    >>> register_force(Cable, spring_row, SPRING, POTENTIAL)
    """
    FORCE_KERNELS[element] = ForceKernel(write, function, potential, horizon)


def force_record(
    element: type, function: Pointer, potential: Pointer | None = None, horizon: Pointer | None = None
) -> Callable[[RowWriter], RowWriter]:
    """Decorator of what writes the record of a class of forces: registers it with the functions; see ForceKernel."""

    def registered(write: RowWriter) -> RowWriter:
        register_force(element, write, function, potential, horizon)
        return write

    return registered


def force_kernel(force: Any) -> ForceKernel:
    """What the engine has for a force."""
    kernel = FORCE_KERNELS.get(type(force))
    if kernel is None:
        known = ", ".join(sorted(kind.__name__ for kind in FORCE_KERNELS))
        raise ModelError(
            f"{force.label}: the engine has no kernel for {type(force).__name__}; register one with register_force; "
            f"there are kernels for {known}"
        )
    return kernel


def function_record(blocks: Blocks, entry: Any, variables: tuple[str, ...], label: str, functions: Functions) -> tuple[int, ...]:
    """Address of a function, and what is known of its integral over the first variable (see potential.py)."""
    address, (integral, found) = functions.scalar(entry, variables, label), functions.integral(entry, variables, label)
    return address, integral, 0 if found is None else blocks.append("params", None, list(found))


def append_coordinate_forces(blocks: Blocks, model: Model, c: Coordinates, functions: Functions) -> None:
    """Drives, dampers and springs along coordinates: linear parts as numbers, the rest as functions."""
    linear = np.zeros((c.n_v, L.P_COORDINATE_SIZE))
    calls: list[tuple[int, ...]] = []
    balls: list[tuple[int, int]] = []
    for joint in model.joints.values():
        if joint.name in c.cuts:
            continue  # append_cut_forces
        if joint.torque is joint.damping is joint.stiffness is joint.rest and not any(joint.rest):  # as in most joints
            continue
        if not (any(joint.torque) or any(joint.damping) or any(joint.stiffness) or any(joint.rest)):
            continue
        for k in range(joint.n_v):
            entry = joint.torque[k]
            if (joint.name, k) not in c.speed_of:
                if entry != 0.0 or (all(joint.driven) and (joint.damping[k] or joint.stiffness[k])):
                    raise ModelError(
                        f"joint '{joint.name}': freedom {k} has a prescribed motion; "
                        "its torque, damping and stiffness have no effect; remove them"
                    )
                continue
            speed = c.speed_of[joint.name, k]
            linear[speed, 1:] = joint.damping[k], joint.stiffness[k], joint.rest[k]
            _add_torque(blocks, linear, calls, entry, joint.name, k, c, functions, f"joint '{joint.name}'")
        if joint.coordinates != "angles" and any(joint.stiffness):
            if joint.coordinates == "free":
                raise ModelError(f"joint '{joint.name}': stiffness has no meaning in a free joint; use a Bushing")
            balls.append((c.speed_of[joint.name, 0], c.ranges[joint.name][0]))
    for force in forces_along_freedoms(model):
        if force.joint not in c.cuts:
            _add_joint_element(blocks, linear, calls, force, model, c, functions)
    of_speed = np.full(c.n_v, -1, np.int64)
    of_speed[list(c.speed_of.values())] = [c.coordinate_of.get(key, -1) for key in c.speed_of]
    blocks.header[L.HAS_COORDINATE_FORCE] = int(np.any(linear[:, :3]))
    blocks.header[L.N_JOINT_FORCE], blocks.header[L.N_BALL_SPRING] = len(calls), len(balls)
    blocks.append("params", L.P_COORDINATE, linear)
    blocks.append("table", L.T_COORDINATE, of_speed)
    blocks.append("table", L.T_JOINT_FORCE, np.array(calls, np.int64))
    blocks.append("table", L.T_BALL_SPRING, np.array(balls, np.int64))


def _add_torque(
    blocks: Blocks,
    linear: np.ndarray,
    calls: list,
    entry: Any,
    joint: str,
    k: int,
    c: Coordinates,
    functions: Functions,
    label: str,
) -> None:
    """A constant goes to the numbers, anything else becomes a function of (q, v, t)."""
    speed = c.speed_of[joint, k]
    if isinstance(entry, float):
        linear[speed, 0] += entry
    else:
        # a quaternion has no single angle: its formulas do not contain q, any coordinate may stand in
        coordinate = c.coordinate_of.get((joint, k), c.ranges[joint][0])
        calls.append((speed, coordinate, *function_record(blocks, entry, COORDINATE, label, functions)))


def _add_joint_element(
    blocks: Blocks, linear: np.ndarray, calls: list, force: FreedomForce, model: Model, c: Coordinates, functions: Functions
) -> None:
    joint, k = model.joints[force.joint], force.freedom
    if k >= joint.n_v:
        raise ModelError(f"{force.label}: freedom = {k} does not exist; joint '{joint.name}' has {joint.n_v}; count from 0")
    if (joint.name, k) not in c.speed_of:
        raise ModelError(
            f"{force.label}: freedom {k} of joint '{joint.name}' has a prescribed motion; a force along it has no "
            "effect; remove the force or the motion"
        )
    if joint.coordinates != "angles" and not isinstance(force.torque or 0.0, (int, float)):
        raise ModelError(
            f"{force.label}: joint '{joint.name}' has a quaternion and no single angle; use FreedomSequence or UserForce"
        )
    speed = c.speed_of[joint.name, k]
    if joint.coordinates != "angles" and force.stiffness:
        raise ModelError(f"{force.label}: joint '{joint.name}' has a quaternion and no single angle; use a Bushing")
    # two springs on one coordinate: -k1 (q - a1) - k2 (q - a2) is one spring and a constant
    linear[speed, 0] += force.stiffness * (force.angle - linear[speed, 3])
    linear[speed, 1] += force.damping
    linear[speed, 2] += force.stiffness
    if force.torque is not None:
        _add_torque(blocks, linear, calls, force.torque, joint.name, k, c, functions, force.label)


def forces_on_bodies(model: Model) -> list[Any]:
    """Force elements that have a record, in its order; the others act along coordinates."""
    return [force for force in model.forces.values() if force.along_freedom(model.joints) is None]


def forces_along_freedoms(model: Model) -> list[FreedomForce]:
    """Forces along freedoms of joints."""
    found = (force.along_freedom(model.joints) for force in model.forces.values())
    return [force for force in found if force is not None]


def append_forces(blocks: Blocks, drawing: Drawing, constrained: bool = False) -> dict[str, int]:
    """Records of forces on bodies; returns where those that report something leave their numbers in work."""
    n = len(drawing.place.parent)
    elements = forces_on_bodies(drawing.model)
    blocks.append("work", L.W_REACTION, np.zeros((n, L.W_REACTION_SIZE)))
    blocks.append("work", L.W_POSE, np.zeros((n, L.W_POSE_SIZE)))
    blocks.append("work", L.W_EXTERNAL, np.zeros((n if elements or constrained else 0, L.W_EXTERNAL_SIZE)))
    blocks.header[L.N_FORCE] = len(elements)
    rows = np.zeros((len(elements), L.T_FORCE_SIZE), np.int64)
    outputs: dict[str, int] = {}
    for row, force in zip(rows, elements, strict=True):
        kernel = force_kernel(force)
        _check_potential(force, kernel)
        kernel.write(blocks, row, force, drawing)
        row[L.FUNCTION] = kernel.function.address
        if force.outputs:
            row[L.W_OUT] = outputs[force.name] = blocks.append("work", None, np.zeros(force.output_count))
    first = blocks.append("table", L.T_FORCE, rows)
    _append_potentials(blocks, elements, first, outputs)
    _append_horizons(blocks, elements, first, n)
    return outputs


def _append_potentials(blocks: Blocks, elements: list[Any], first: int, outputs: dict[str, int]) -> None:
    """Who stores energy: elements that have a function for it, and those that report it among their outputs."""
    found: list[tuple[int, int, int]] = []
    for k, force in enumerate(elements):
        potential = force_kernel(force).potential
        if potential is not None:
            place = blocks.append("work", None, [0.0])
            found.append((potential.address, first + k * L.T_FORCE_SIZE, place))
        elif any(key == "energy" for key, _, _ in force.outputs):
            found.append((0, 0, outputs[force.name] + force.output_place("energy")))
    blocks.header[L.N_POTENTIAL] = len(found)
    blocks.append("table", L.T_POTENTIAL, np.array(found, np.int64))


def _append_horizons(blocks: Blocks, elements: list[Any], first: int, bodies: int) -> None:
    """Who acts on one side only: its function, its record, and place for what it reports."""
    found: list[tuple[int, int, int]] = []
    for k, force in enumerate(elements):
        horizon = force_kernel(force).horizon
        if horizon is not None:
            place = blocks.append("work", None, np.zeros(L.W_APPROACH_ELEMENT))
            found.append((horizon.address, first + k * L.T_FORCE_SIZE, place))
    blocks.header[L.N_APPROACH] = len(found)
    blocks.append("table", L.T_APPROACH, np.array(found, np.int64))
    if found:
        blocks.append("work", L.W_APPROACH, np.zeros(L.W_APPROACH_HEADER + L.W_APPROACH_SIZE * bodies))


def _check_potential(force: Any, kernel: ForceKernel) -> None:
    """A conservative force must have a potential, or the change of the total energy would look like an integration error."""
    if force.conservative and kernel.potential is None and not any(key == "energy" for key, _, _ in force.outputs):
        kind = type(force).__name__
        raise ModelError(
            f"{force.label}: {kind} is conservative, but its potential is not known; register a potential for it, or give it an "
            'output "energy"'
        )
