"""Before the run: does every freedom move something that has inertia?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.python_entries import accelerate_states
from sharnir.dynamics.evaluation.right_hand_sides import DERIVATIVES
from sharnir.dynamics.memory import layout as L
from sharnir.errors import ModelError
from sharnir.model import FormulaJoint

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations
    from sharnir.dynamics.memory.memory_builder import Assembly

SMALLEST = 1e-28  # kg or kg m²: what rounding leaves of a distance that should be zero
ROUNDING = 1e-15  # of the largest effective inertia in the same joint


class MissingInertia(ModelError):
    """A freedom that moves nothing with inertia; in a loop, other bodies may have to move with it."""


def check_inertia(system: Equations) -> None:
    """Raise an error that names the joint if a freedom at the initial state has no inertia to move."""
    if system.n_v == 0:
        return
    check_deformations(system.assembly)
    q, v, nothing, work = system.q0[None], system.v0[None], np.zeros((0, 0)), system.work
    elastic = int(system.table[L.N_ELASTIC])
    derivatives = DERIVATIVES
    if elastic:
        from sharnir.dynamics.evaluation.flexible_right_hand_sides import ELASTIC_DERIVATIVES as derivatives
    f = derivatives["articulated"].address
    scratch = np.zeros(2 * (system.n_q + system.n_v + system.n_z))
    accelerate_states(f, np.zeros(1), q, v, np.zeros_like(v), nothing, system.table, system.params, work, scratch)
    if system.assembly.functions.errors:
        raise ModelError(f"{system.assembly.functions.failure} at the initial state") from system.assembly.functions.errors[0]
    start = system.table[L.W_ELIMINATION]
    pivots = 1.0 / work[start + 6 : start + 8 * (system.n_v - elastic) : 8]  # elastic coordinates have no pivots of their own
    names = system.assembly.joint_names
    joint_of = np.repeat(np.arange(len(names)), [system.assembly.coordinates.ranges[name][3] for name in names])
    largest = np.zeros(len(names))
    np.maximum.at(largest, joint_of, np.where(np.isfinite(pivots), pivots, 0.0))
    bad = ~(pivots > np.maximum(SMALLEST, ROUNDING * largest[joint_of]))
    if bad[[mimic.speed for mimic in system.assembly.coordinates.mimics]].any():
        return  # a follower that stands still, as in the dwell of a cam: its leader moves what there is
    if bad.any():
        # a vanishing pivot makes not-a-number of those that are eliminated after it
        k = int(np.flatnonzero(bad & ~np.isnan(pivots) if (bad & ~np.isnan(pivots)).any() else bad)[0])
        name, body = system.tree.joints[joint_of[k]].name, system.tree.bodies[joint_of[k]]
        if _dependent_axes(system, joint_of[k]) and isinstance(system.tree.joints[joint_of[k]], FormulaJoint):
            raise ModelError(
                f"joint '{name}': at its initial position its formulas move the body in fewer directions than it has free "
                f"coordinates, so that '{system.speeds[k]}' has no effect of its own; start from another position (q=), or "
                "choose formulas whose derivatives with respect to the coordinates are independent there"
            )
        if _dependent_axes(system, joint_of[k]):
            raise ModelError(
                f"joint '{name}': at its initial position '{system.speeds[k]}' moves the body in the same way as its "
                "other freedoms (as Euler "
                f"angles z-x-z do at zero); start from another position, choose other axes, or use a joint with a quaternion"
            )
        raise MissingInertia(
            f"joint '{name}': nothing with inertia moves when '{system.speeds[k]}' changes (effective inertia {pivots[k]:.3g}); "
            f"give body '{body}' or a body it carries mass and inertia, or make the joint Fixed{point_mass(system, body)}"
        )


def check_free_bodies(assembly: Assembly) -> None:
    """Raise an error that names the body if it cannot fly by itself: all solvers but the null space divide by every inertia.

    What Fixed joints of the tree hang on a body flies with it.
    """
    check_deformations(assembly)
    place, tree = assembly.placement, assembly.tree
    first = assembly.count - len(tree.bodies)
    groups: dict[int, list[int]] = {}  # engine numbers of bodies by the one that carries them
    root: list[int] = []
    for i, parent in enumerate(tree.parent):
        root.append(i if parent < 0 else root[parent])
        groups.setdefault(root[i], []).append(first + i)
    for i, members in groups.items():
        if tree.joints[i].n_v == 0:  # fixed to the ground
            continue
        mass, least = float(place.mass[members].sum()), _least_moment(assembly, members)
        if not (mass > 0.0 and least > 0.0):
            alone = len(members) == 1
            has = "this one has" if alone else "this one, with everything fixed to it, has"
            raise MissingInertia(
                f"body '{tree.bodies[i]}': in absolute coordinates every body moves freely and needs mass and inertia, and {has} "
                f"{mass:g} kg and a smallest principal moment of {least:g} kg m²; give it a shape or an inertia, make the joint "
                f"that carries it Fixed, or use formulation='joint'"
            )


def check_deformations(assembly: Assembly) -> None:
    """Raise an error that names the flexible body if it moves freely and can deform without moving mass."""
    if not assembly.coordinates.elastic:
        return
    from sharnir.flexible.inertia.massless_shapes import REMEDY

    for joint, name in zip(assembly.tree.joints, assembly.tree.bodies, strict=True):
        if name not in assembly.coordinates.elastic or joint.n_v < 6:
            continue
        reduced: Any = assembly.model.bodies[name].reduced  # type: ignore[attr-defined]
        if reduced.massless:
            method = reduced.report.inertia_method
            raise ModelError(
                f"flexible body '{name}' has deformations that move no mass (inertia = {method!r}): its mass matrix is singular; "
                f"{REMEDY}",
                field="reduced",
            )


def _least_moment(assembly: Assembly, members: list[int]) -> float:
    """Smallest principal moment of bodies that are fixed to each other, as they are drawn."""
    place = assembly.placement
    if len(members) == 1:
        return float(np.linalg.eigvalsh(place.inertia[members[0]])[0])
    mass, turn = place.mass[members], place.user_rotation[members]
    centres = place.user_position[members] + np.einsum("nij,nj->ni", turn, place.com[members])
    arms = centres - (mass @ centres) / max(float(mass.sum()), 1e-300)
    J = np.einsum("nij,njk,nlk->il", turn, place.inertia[members], turn)
    J += (mass * (arms**2).sum(axis=1)).sum() * np.eye(3) - np.einsum("n,ni,nj->ij", mass, arms, arms)
    moments = np.linalg.eigvalsh(J)
    return float(moments[0]) if moments[0] > 1e-14 * moments[2] else 0.0


def _dependent_axes(system: Equations, joint: int) -> bool:
    """True if the motion axes of a joint are linearly dependent where it stands."""
    a = system.assembly
    rows = [k for k in a.coordinates.joint_freedoms[system.tree.joints[joint].name] if a.coordinates.freedoms[k].speed >= 0]
    axes = np.array([system.work[system.table[L.W_AXES] + 6 * k :][:6] for k in rows])
    return bool(np.linalg.matrix_rank(axes, tol=1e-7) < len(rows))


def point_mass(system: Any, name: str) -> str:
    """What to do with a body that has mass and does not resist turning; nothing for other bodies."""
    body = system.model.bodies.get(name)
    if body is None or not body.mass or any(body.inertia):
        return ""
    return (
        f"; {name!r} is a point mass, which does not resist turning: inertia= or shape= gives it inertia, and a "
        "FreedomSequence of three Translations lets it fly without turning"
    )
