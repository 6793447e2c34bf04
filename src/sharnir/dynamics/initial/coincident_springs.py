"""Springs whose ends coincide at the start although they push or pull: their force has no direction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.python_entries import prepare_state
from sharnir.dynamics.forces.force_records import forces_on_bodies
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import world_pose
from sharnir.dynamics.mobility.state_steps import size_of
from sharnir.errors import ModelError
from sharnir.model import Spring, Table
from sharnir.model.formula import parse

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

NEAR = 1e-12  # of the mechanism's size: closer ends have a direction by rounding only


def check_springs(system: Equations) -> None:
    """Refuse springs that have a force and no length in the initial state."""
    if not any(isinstance(force, Spring) for force in system.assembly.structure.forces.values()):
        return
    springs = [(k, force) for k, force in enumerate(forces_on_bodies(system.model)) if isinstance(force, Spring)]
    table, params, near = system.table, system.params, NEAR * size_of(system)
    prepare_state(0.0, system.q0, system.v0, table, params, system.work)
    for k, spring in springs:
        row = table[int(table[L.T_FORCE]) + k * L.T_FORCE_SIZE :][: L.T_FORCE_SIZE]
        p = int(row[L.F_PARAMS])
        a, b = (_world(system, int(row[end]), params[at : at + 3]) for end, at in ((L.BODY_A, p), (L.BODY_B, p + 3)))
        if np.linalg.norm(b - a) > max(near, NEAR * float(np.abs(a).max())):
            continue
        tension = _tension(spring, -float(params[p + 8]), system.model)
        if tension != 0.0:
            raise ModelError(
                f"{spring.label}: its ends coincide at the start, so its force of {abs(tension):.6g} N has no direction; "
                "move one end (at_a, at_b), or give it length = 0"
            )


def _world(system: Equations, body: int, point: np.ndarray) -> np.ndarray:
    """Where a point of a body is."""
    if body < 0:
        return point
    pose = world_pose(system, body)
    return np.asarray(pose[9:12] + pose[:9].reshape(3, 3) @ point)


def _tension(spring: Spring, x: float, model: Any) -> float:
    """Of the spring at an elongation, at rest at t = 0; what signals add is not known yet."""
    entry, linear = spring.force, spring.stiffness * x
    if isinstance(entry, str):
        f = parse(entry, ("x", "v", "t"), None)
        values = {**model.parameters, "x": x, "v": 0.0, "t": 0.0}
        return linear + (float(f.evaluate(**{name: values[name] for name in f.names})) if f.names <= set(values) else 0.0)
    if isinstance(entry, Table):
        return linear + float(entry.evaluate(x))
    return linear + (float(entry(x, 0.0, 0.0)) if callable(entry) else float(entry or 0.0))
