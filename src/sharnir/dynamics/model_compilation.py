"""Model → System: tree, memory, method, checks."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from sharnir.arguments import meant, shown
from sharnir.dynamics.assembly import assemble
from sharnir.dynamics.evaluation.inertia_check import MissingInertia, check_free_bodies, check_inertia
from sharnir.dynamics.evaluation.stabilization import keep_constraints
from sharnir.dynamics.evaluation.tree_part_records import append_tree_part
from sharnir.dynamics.friction.loads_of_given_motion import bend_bristles
from sharnir.dynamics.initial.absolute_state import drawn_at_rest, update_state, with_turned_joints
from sharnir.dynamics.initial.coincident_springs import check_springs
from sharnir.dynamics.initial.driven_mimics import with_driven_followers
from sharnir.dynamics.initial.initial_state import assemble_state, update_initial_speeds
from sharnir.dynamics.inverse.least_norm_reactions import warn_of_open_loads
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.memory_builder import Assembly
from sharnir.dynamics.methods.all_methods import METHODS
from sharnir.dynamics.methods.method_choice import choose_method
from sharnir.dynamics.mobility.reduced_inertia import (
    MOST_SPEEDS,
    check_motions,
    has_loops,
    light_bodies_hide_constraints,
    massless_beside_flexible,
)
from sharnir.dynamics.mobility.singular_positions import usual_pivot
from sharnir.dynamics.multipliers.solver_choice import ALL_SOLVERS, allocate_solver, check_solver
from sharnir.dynamics.signals.signal_records import check_actions
from sharnir.dynamics.small_motions.equilibrium import Equilibrium
from sharnir.dynamics.small_motions.preload import fits, is_preload, start_in_equilibrium
from sharnir.dynamics.system import System
from sharnir.dynamics.system_origin import Origin, Rebuilding
from sharnir.errors import ModelError
from sharnir.model import Initial, Model
from sharnir.model.changed_structure import at_start
from sharnir.model.local_names import check_all_names
from sharnir.model.placement import check_placements, open_joints
from sharnir.model.value_plan import snapshot
from sharnir.topology import build_tree, free_tree

FORMULATIONS = ("joint", "absolute")


@contextmanager
def collections_paused() -> Iterator[None]:
    """Without Python's garbage collector, which would go through all elements of a large model again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def compile_model(
    model: Model,
    formulation: str = "joint",
    method: str = "auto",
    solver: str = "auto",
    stabilization: Any = None,
    correction: bool | str = True,
    cut: str | tuple[str, ...] = (),
    initial: Any = None,
) -> System:
    """The equations of motion of a model; see Model.compile. `cut` names joints that are to close loops.

    `initial` may be a function that fills the initial state of a system; then `cut` may leave parts that float.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    >>> compile_model(m, "absolute").n_v
    6
    """
    for name, value, words in (
        ("formulation", formulation, FORMULATIONS),
        ("method", method, ("auto", *METHODS)),
        ("solver", solver, ("auto", *ALL_SOLVERS)),
    ):
        if not isinstance(value, str) or value not in words:
            raise ModelError(
                f"{name} = {shown(value)} is unknown; choose one of {', '.join(words)}{meant(value, words)}", field=name
            )
    if callable(initial) and not getattr(initial, "fills_state", False):
        raise ModelError(
            f"initial = {shown(initial)} must be an Initial, an Equilibrium or a word, not a function", field="initial"
        )
    if not model.bodies:
        raise ModelError(f"model '{model.name}' has no bodies; add at least one")
    cut = (cut,) if isinstance(cut, str) else tuple(cut)
    wanted = initial.with_numbers(model.parameters) if isinstance(initial, Initial) else initial
    with collections_paused():
        system = _compiled(model, formulation, method, solver, cut, wanted)
    settings = {"formulation": formulation, "method": method, "solver": solver, "cut": cut, "initial": initial}
    system.origin = Origin(
        system,
        snapshot(model) if model.parameters else model,
        settings | {"stabilization": stabilization, "correction": correction},
    )
    return keep_constraints(system, stabilization, correction)


def _compiled(model: Model, formulation: str, method: str, solver: str, cut: tuple[str, ...], initial: Any) -> System:
    """The system of a model with checked settings, before its constraints are told how they are kept."""
    if not callable(initial):
        check_all_names(model.original)
        check_placements(model.original)
    if model.events and not callable(initial):
        check_actions(model.original)
        model = at_start(model)
    model = with_driven_followers(model)
    cut = (*cut, *open_joints(model))
    tree = build_tree(model, cut, apart=callable(initial)) if formulation == "joint" else free_tree(model)
    open_choice = method in ("auto", "symbolic")
    way = {"fold": open_choice or METHODS[method].folds_mimics, "lone": open_choice or METHODS[method].by_bodies}
    assembly = assemble(model, tree, **way)
    if assembly.elements:
        system = _constrained(assembly, formulation, method, solver, initial, partial(assemble, model, tree, **way))
        _bend(system, initial)
        system.may_derive = method == "auto" and not callable(initial)
        if method == "symbolic":
            system.derive()
        return system
    engine = choose_method(assembly) if method in ("auto", "symbolic") else method
    METHODS[engine].check(assembly)
    METHODS[engine].allocate(assembly)
    system = System(assembly, engine, REBUILDING)
    _start(system, initial)
    _bend(system, initial)
    system.may_derive = method == "auto" and not callable(initial)
    if method == "symbolic":
        METHODS[method].check(assembly)
        system.derive()
    return system


def _bend(system: System, initial: Any) -> None:
    """Bristles of friction follow from initial speeds, unless a state is carried over; springs must have a direction."""
    if not callable(initial):
        check_springs(system)
        bend_bristles(system)
        warn_of_open_loads(system)


def _constrained(
    assembly: Assembly, formulation: str, method: str, solver: str, initial: Any, again: Callable[[], Assembly]
) -> System:
    """A system with constraint equations: the tree part by a method, multipliers, a consistent initial state.

    The null space is chosen where bodies lack inertia that the constraints do not ask for, or are so light that others' is lost.
    """
    engine = _engine_of(assembly, formulation, method, solver)
    METHODS[engine].check(assembly)
    check_solver(engine, solver)
    small = not assembly.coordinates.elastic and assembly.coordinates.n_v <= MOST_SPEEDS
    try:
        system = _with_state(assembly, formulation, engine, solver, initial)
        if not light_bodies_hide_constraints(system):
            return system
        if solver != "auto":
            raise ModelError(
                f"solver = {solver!r}: some bodies are so light that the motion of the others is lost in rounding beside theirs; "
                f"use solver='null-space' or 'auto', or give light bodies more mass",
                field="solver",
            )
    except MissingInertia as error:
        if assembly.coordinates.elastic and has_loops(assembly.model):
            raise MissingInertia(massless_beside_flexible(assembly.model, str(error))) from None
        if not (solver == "auto" and small):
            raise
    check_solver(engine, "null-space", ", which bodies without inertia, or with little of it, need,")
    engine = "articulated" if method == "auto" else engine
    return _with_state(again(), formulation, engine, "null-space", initial)


def _engine_of(assembly: Assembly, formulation: str, method: str, solver: str) -> str:
    """The method of the tree part; derived code has the elimination along the tree beside it."""
    if method == "auto" and formulation == "joint" and solver != "null-space":
        return choose_method(assembly)
    return "articulated" if method in ("auto", "symbolic") else method


def _with_state(assembly: Assembly, formulation: str, method: str, solver: str, initial: Any) -> System:
    """A system with constraint equations by one method and solver, in its initial state."""
    return _in_state(_without_state(assembly, solver, method), formulation, initial)


def _in_state(system: System, formulation: str, initial: Any) -> System:
    """A system with constraint equations in its initial state."""
    if formulation == "absolute":
        _start_absolute(system, initial)
    else:
        _start(system, initial)
    if _by_motions(system):
        check_motions(system)
    return _with_singularity(system)


def restarted(system: System, settings: Mapping[str, Any]) -> bool:
    """Whether a system whose numbers have been written again is what would be built; it is put into its initial state."""
    initial = settings["initial"]
    initial = initial.with_numbers(system.model.parameters) if isinstance(initial, Initial) else initial
    if system.constrained:
        _update_sizes(system)
        _in_state(system, settings["formulation"], initial)
        if light_bodies_hide_constraints(system):
            return False
    else:
        _start(system, initial)
    _bend(system, initial)
    return True


def _by_motions(system: System) -> bool:
    """True if only those motions need inertia that the constraints allow."""
    return bool(system.table[L.SOLVER] == L.NULL_SPACE and not system.table[L.N_ELASTIC])


def _start_absolute(system: System, initial: Any) -> None:
    """The initial state of a system in absolute coordinates."""
    assembly = system.assembly
    if not _by_motions(system):
        check_free_bodies(assembly)
    if callable(initial):
        initial(system)
        return
    if initial is None and drawn_at_rest(system):
        return
    own = isinstance(initial, Equilibrium) and fits(system, initial)  # found in absolute coordinates
    wanted = None if own else initial
    update_state(system, compile_model(assembly.model, initial=wanted))
    if own:
        start_in_equilibrium(system, initial)


def _start(system: System, initial: Any) -> None:
    """The initial state of a system in joint coordinates."""
    if callable(initial):
        initial(system)
        if not _by_motions(system):
            check_inertia(system)
        return
    update_initial_speeds(system)
    if system.tree.opposed:
        _start_turned(system)
    if not _by_motions(system):
        check_inertia(system)
    preload = is_preload(initial)
    if system.constrained or not (preload or initial is None):
        assemble_state(system, None if preload else initial)
    if preload:
        start_in_equilibrium(system, initial)


def _start_turned(system: System) -> None:
    """The state of the same model with ball and free joints that lead away from the ground."""
    update_state(system, compile_model(with_turned_joints(system.model)))


def reaction_system(model: Model) -> System:
    """A system that is only asked for reactions: absolute coordinates, of redundant equations the least forces and torques."""
    assembly = assemble(model, free_tree(model))
    check_free_bodies(assembly)
    system = _without_state(assembly, "dense")
    system.table[L.LEAST_NORM] = 1
    return system


def _without_state(assembly: Assembly, solver: str, method: str = "articulated") -> System:
    """A system with constraint equations, before its initial state is known."""
    allocate_solver(assembly, solver)
    append_tree_part(assembly, method)
    system = System(assembly, method, REBUILDING)
    system.params[L.RANK_TOLERANCE] = 1e-13
    _update_sizes(system)
    system.table[L.CORRECT_POSITION] = system.table[L.CORRECT_SPEED] = 1
    return system


def _update_sizes(system: System) -> None:
    """Mass and size of the mechanism, and tolerances that follow from it."""
    params, reach = system.params, _reach(system)
    params[L.TOTAL_MASS] = max(system.assembly.placement.mass.sum(), 1e-30)
    params[L.REACH] = reach
    params[L.POSITION_TOLERANCE], params[L.SPEED_TOLERANCE] = 1e-13 * max(1.0, reach), 1e-12 * max(1.0, reach)


def _with_singularity(system: System) -> System:
    """Positions count as singular where the smallest pivot falls to a quarter of what it is at the start, or around it."""
    if system.table[L.SOLVER] == L.DENSE and system.n_v:
        usual = usual_pivot(system)
        system.params[L.SINGULAR] = min(0.02, 0.25 * usual) if usual > 1e-7 else 0.0
    return system


def _cut_points(system: System) -> np.ndarray:
    """Where cut joints are in the drawing, (n, 3): in absolute coordinates nothing else knows of joints at the ground."""
    place, table, points = system.assembly.placement, system.table, []
    rows = table[table[L.T_ELEMENT] :][: table[L.N_ELEMENT] * L.T_ELEMENT_SIZE].reshape(-1, L.T_ELEMENT_SIZE)
    for row in rows:
        if row[L.E_KIND] in (L.CUT_BALL, L.CUT_JOINT):
            i, p = int(table[row[L.E_TERM]]), system.params[row[L.E_PARAMS] + 9 :][:3]
            points.append(p if i < 0 else place.position[i] + place.rotation[i] @ p)
    return np.array(points).reshape(-1, 3)


def _reach(system: System) -> float:
    """Size of the mechanism: how far apart bodies, their joints and centres of mass are, or the largest radius of gyration."""
    place = system.assembly.placement
    moving = place.mass > 0.0
    centres = place.user_position + np.einsum("nij,nj->ni", place.user_rotation, place.com)
    points = np.concatenate([place.position, place.user_position, centres, _cut_points(system)])
    gyration = np.sqrt(np.trace(place.inertia[moving], axis1=1, axis2=2) / place.mass[moving])
    return float(max(np.ptp(points, axis=0).max(), gyration.max(initial=0.0))) or 1.0


REBUILDING = Rebuilding(compile_model, reaction_system, restarted)
