"""Static equilibrium: a position where all forces balance, with constraints; the result that users read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.inverse.constraint_histories import element_multipliers, joint_values
from sharnir.dynamics.inverse.joint_reactions import all_reactions
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.motion_basis import corrected, full_state, own_copy
from sharnir.dynamics.mobility.state_steps import size_of
from sharnir.dynamics.small_motions.equilibrium_search import EquilibriumSearch, no_equilibrium
from sharnir.dynamics.small_motions.linearization import Linearization
from sharnir.errors import ModelError, SimulationError
from sharnir.model import FlexibleBody, Free, Model
from sharnir.model.links import referenced_bodies, referenced_joints

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

SHOWN = 12  # entries of one kind that are printed


@dataclass(frozen=True, repr=False)
class Equilibrium:
    """A position in which the mechanism stays at rest, or in steady motion.

    q, v : the state; at rest v = 0.   t : the time at which forces and motions were taken.
    residual : largest remaining acceleration [m/s², of angles times the size of the mechanism].
    stiffness : eigenvalues of the reduced stiffness with unit mass, ω² [1/s²], in ascending order.
    stable : True if none of them is negative.   reactions : force and torque through every joint, world axes.
    multipliers : λ of every constraint, a number per equation, as in its channel `.force`.
    coordinates : of all joints by name, in both formulations; `rest["O.q"]` is one of them.
    linearization : matrices about the equilibrium.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    >>> rest = m.statics()
    >>> round(rest["hinge.q"], 6), rest.stiffness.round(6), rest.reactions["hinge"][2].round(6)
    (1.570796, array([9.81]), np.float64(9.81))
    """

    q: np.ndarray
    v: np.ndarray
    t: float
    residual: float
    stiffness: np.ndarray
    stable: bool
    reactions: dict[str, np.ndarray]
    multipliers: dict[str, np.ndarray]
    coordinates: dict[str, float]
    linearization: Linearization

    def __getitem__(self, name: str) -> float:
        for known in (name, f"{name}.q"):
            if known in self.coordinates:
                return self.coordinates[known]
        listed = ", ".join(list(self.coordinates)[:12]) + (" …" if len(self.coordinates) > 12 else "")
        raise ModelError(f"there is no coordinate '{name}' in this equilibrium; it has {listed or 'none'}")

    def __repr__(self) -> str:
        kind = "stable" if self.stable else "not stable"
        lines = [f"Equilibrium at t = {self.t:g} s: {kind}, largest acceleration left {self.residual:.1e} m/s²"]
        shown = tuple(f"{name}.q" for name in self.reactions)  # not the free joints of absolute coordinates
        lines += _listed([f"  {name} = {_text(x)}" for name, x in self.coordinates.items() if name.startswith(shown)])
        sizes = {name: (_text(np.linalg.norm(x[:3])), _text(np.linalg.norm(x[3:]))) for name, x in self.reactions.items()}
        lines += _listed([f"  {name}: force {force} N, torque {torque} N m" for name, (force, torque) in sizes.items()])
        lines += _listed([f"  {name}: λ = {', '.join(map(_text, values))}" for name, values in self.multipliers.items()])
        lines += _listed([f"  ω² = {_text(x)} 1/s²" for x in self.stiffness])
        return "\n".join(lines)


def _text(x: Any) -> str:
    """What rounding left of nothing is nothing."""
    return f"{x if abs(x) > 1e-9 else 0.0:.6g}"


def _listed(lines: list[str]) -> list[str]:
    return lines if len(lines) <= SHOWN else [*lines[:SHOWN], f"  … {len(lines) - SHOWN} more"]


def find_equilibrium(
    system: Equations, q: np.ndarray, t: float = 0.0, stable: bool = True, speeds: np.ndarray | None = None
) -> Equilibrium:
    """The static equilibrium near q; see System.equilibrium. With speeds, a position where these stay as they are."""
    if speeds is None:
        check_held(system.model)
    search = EquilibriumSearch(system, t, stable and speeds is None, speeds)
    own = search.system
    y = corrected(own, full_state(own, q, search.v), t)
    if speeds is None:
        _check_rest(own, y, t)
    linear = search.found(y)
    if linear is None:
        raise no_equilibrium(system, search, y)
    K = linear.stiffness
    values, vectors = np.linalg.eig(K) if len(K) else (np.zeros(0), K)
    stable = all(x.real >= -search.noise(K, v) for x, v in zip(values, vectors.T, strict=True))
    still = search.linear(linear.state)
    twin = system.least_norm_twin
    own.__dict__["least_norm_twin"] = None if twin is None else own_copy(twin, still=speeds is None)
    rest = still.state
    return Equilibrium(
        still.q,
        still.v,
        float(t),
        search.residual(still),
        np.sort(values.real),
        stable,
        {name: values[0] for name, values in all_reactions(own, np.array([float(t)]), rest[None]).items()},
        element_multipliers(own, t, rest),
        joint_values(own, t, rest),
        still,
    )


def _check_rest(system: Equations, y: np.ndarray, t: float) -> None:
    """Constraints that hold for speeds must allow that all speeds are zero."""
    y = y.copy()
    y[system.n_q : system.n_q + system.n_v] = 0.0
    found = constraints_at(system, y, t)
    moving = np.flatnonzero(~found.holonomic & (np.abs(found.gdot) > 1e-9 * np.maximum(found.size, 1e-300) * size_of(system)))
    if len(moving):
        name = next(e.name for e in system.assembly.elements if e.row <= moving[0] < e.row + e.count)
        raise ModelError(
            f"model '{system.model.name}': constraint '{name}' does not allow rest: at zero speeds it is violated by "
            f"{abs(found.gdot[moving[0]]):.3g}; statics needs a mechanism that can stand still, use simulate, or "
            f"modes(equilibrium=False) about a motion"
        )


def check_held(model: Model) -> None:
    """Raise an error that names the bodies if gravity pulls and no element could resist: forces within them cannot."""
    if not np.any(model.gravity):
        return
    group = {name: name for name in ("ground", *model.bodies)}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for element in (*model.joints.values(), *model.constraints.values(), *model.forces.values()):
        first, *others = _held_together(model, element)
        for other in others:
            group[root(other)] = root(first)
    nodes = {node.name for body in model.bodies.values() if isinstance(body, FlexibleBody) for node in body.nodes()}
    falling = [name for name in model.bodies if name not in nodes and root(name) != root("ground")]
    if falling:
        who = ", ".join(repr(name) for name in falling[:4]) + (f" and {len(falling) - 4} more" if len(falling) > 4 else "")
        raise SimulationError(
            f"model '{model.name}': nothing holds {who} against gravity, so there is no equilibrium; give joints or springs to "
            f"the ground, or gravity=(0, 0, 0); modes(equilibrium=False) linearizes the model as drawn"
        )


def _held_together(model: Model, element: Any) -> list[str]:
    """Bodies between which the element can act; with the ground among them unless it is certain that only inner forces arise."""
    names = [str(name) for _, name in referenced_bodies(element)]
    if isinstance(element, Free) and all(entry == 0.0 for entry in np.ravel(np.asarray(element.torque, object))):
        return ["ground"]
    for _, name in referenced_joints(element):
        joint = model.joints[name]
        names += [str(joint.parent), str(joint.child)]
    if len(set(names)) < 2 or not getattr(element, "mutual", True):
        names.append("ground")
    return names
