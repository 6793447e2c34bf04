"""reduce: from the matrices of an FE model to the data of a flexible body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from sharnir.arguments import fail, integer, mapping, number, shown, with_advice
from sharnir.errors import ModelError
from sharnir.flexible.finite_elements.fe_model import FEModel
from sharnir.flexible.finite_elements.rigid_inertia import RigidInertia, rigid_inertia
from sharnir.flexible.finite_elements.supports import without_empty_freedoms
from sharnir.flexible.inertia.general_inertia import general_moments
from sharnir.flexible.inertia.inertia_moments import InertiaMoments
from sharnir.flexible.inertia.mass_repair import MassRepair, repaired_masses
from sharnir.flexible.inertia.massless_shapes import warn_of_massless_shapes
from sharnir.flexible.inertia.modal_inertia import ModalInertia
from sharnir.flexible.inertia.shifted_inertia import shifted_moments
from sharnir.flexible.interface import Interface, fitted_rotations
from sharnir.flexible.modes.craig_bampton import craig_bampton
from sharnir.flexible.modes.damping import damped
from sharnir.flexible.modes.normal_modes import free_modes, held_modes
from sharnir.flexible.modes.ritz import user_columns
from sharnir.flexible.modes.shape_matrix import Shapes, free_of_ground, frequencies_of, given_shapes
from sharnir.flexible.modes.stiffening import Stiffening
from sharnir.flexible.modes.stiffening import stiffening as geometric_stiffening
from sharnir.flexible.reduced_model import ReducedModel
from sharnir.flexible.reduction_report import ReductionReport
from sharnir.progress import progress_bar

INERTIAS = ("general", "shifted", "unshifted")
BASES = ("craig-bampton", "static", "free modes", "held modes")


@with_advice
def reduce(
    fe_model: FEModel,
    interfaces: Mapping[str, int] | None = None,
    *,
    modes: int | None = None,
    frequency: float | None = None,
    basis: str = "craig-bampton",
    shapes: Any = None,
    parameters: Mapping[str, float] | None = None,
    inertia: str = "general",
    geometry: RigidInertia | None = None,
    damping: Any = None,
    stiffening: bool | str | None = None,
    solver: str | None = None,
    progress: bool | Callable[[float], None] | None = None,
) -> ReducedModel:
    """Reduce an FE model to a flexible body. The body's frame is that of the FE model.

    Parameters
    ----------
    interfaces : names and node labels of the nodes where joints and forces attach.
    modes, frequency : how many normal modes are added to the static shapes of the interfaces (default 10), or up to which Hz.
    basis : "craig-bampton"; "static" (no normal modes); "free modes"; "held modes" (all interfaces held).
    shapes : your own shapes instead: triples of formulas of x, y, z (Ritz; `parameters` are names with values), or an array
        (N, h), (n, 3, h) or (n, 6, h). The elastic coordinates are their amplitudes.
    inertia : "general" (the mass matrix as it is), "shifted" or "unshifted" (rigid bodies at the nodes, repaired).
    geometry : the true mass, centre and inertia, e.g. from CAD; the report compares, "shifted" adopts them.
    damping : a ratio of all modes of the free body, one per mode, ModalDamping(ratio, at=an interface), a matrix, or
        Rayleigh(stiffness, mass).
    stiffening : True for bodies of beams: a bent beam is shorter, so one that spins or is pulled gets stiffer; see Stiffening.
        The name of an interface: where the body is held meanwhile; in a mechanism it makes no difference.
    solver : "multifrontal", "mixed" (half the memory), "pardiso", "superlu"; default: the fastest for the size, or "mixed".
    progress : True: a bar, a function of the part done, None: a bar at terminals for long reductions.

    >>> from sharnir.flexible.finite_elements.beams import straight_beam
    >>> from sharnir.flexible.finite_elements.section import Section
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=10)
    >>> body = reduce(beam, interfaces={"root": 0, "tip": 10}, modes=4, damping=0.01)
    >>> body.frequencies[:2].round(1)
    array([92.3, 92.3])
    """
    if not isinstance(fe_model, FEModel):
        fail("reduce", "fe_model", f"= {shown(fe_model)} must be an FEModel; make one with straight_beam, solid or read_fe")
    if modes is not None:
        modes = integer(modes, "reduce", "modes", low=0)
    if frequency is not None:
        frequency = number(frequency, "reduce", "frequency", above=0, finite=False)
    if not (stiffening is None or isinstance(stiffening, (bool, str))):
        fail("reduce", "stiffening", f"= {shown(stiffening)} must be True, False or the name of an interface")
    _require("inertia", inertia, INERTIAS)
    _require("basis", basis, BASES)
    fe_model = without_empty_freedoms(fe_model) if shapes is None else fe_model
    given = {} if interfaces is None else mapping(interfaces, "reduce", "interfaces", "labels of nodes by name")
    named = {name: fe_model.node(label) for name, label in given.items()}
    with progress_bar(progress, f"reducing {fe_model.name}") as notice:
        begin = perf_counter()
        found = _shapes(fe_model, list(named.values()), basis, shapes, parameters, modes, frequency, solver, notice)
        body = _with_inertia(fe_model, named, found, inertia, geometry, perf_counter() - begin)
    body = body if damping is None else damped(body, damping)
    if not stiffening:
        return body
    return replace(body, stiffening=_stiffening(fe_model, named, stiffening, found, solver))


def _with_inertia(
    model: FEModel,
    named: dict[str, int],
    found: Shapes,
    inertia: str,
    geometry: RigidInertia | None,
    seconds: float,
) -> ReducedModel:
    """The reduced model of shapes that took so many seconds."""
    begin = perf_counter()
    by_node, rotations = motions_of_nodes(model, found.matrix)
    moments, repair = _moments(model, found, by_node, rotations, inertia, geometry)
    polynomials = ModalInertia.of_moments(moments).balanced()
    warn_of_massless_shapes(model.name, inertia, polynomials)
    times = {"shapes": seconds, "inertia": perf_counter() - begin}
    frequencies = found.frequencies if inertia == "general" else frequencies_of(found.stiffness, polynomials.J_ww)
    return ReducedModel(
        name=model.name,
        interfaces=_interfaces(model, named, by_node, rotations),
        stiffness=found.stiffness,
        damping=None,
        frequencies=frequencies,
        inertia=polynomials,
        moments=moments,
        nodes=model.nodes,
        shapes=by_node,
        rotations=rotations,
        lines=model.lines,
        faces=model.faces,
        report=_report(model, tuple(named), inertia, found, polynomials, frequencies, geometry, repair, times),
        free=free_of_ground(model),
        labels=np.asarray(model.labels),
    )


def _shapes(
    model: FEModel,
    nodes: list[int],
    basis: str,
    shapes: Any,
    parameters: Mapping[str, float] | None,
    modes: int | None,
    frequency: float | None,
    solver: str | None,
    notice: Callable[[float], None] | None,
) -> Shapes:
    """The shapes that were asked for."""
    if modes is not None and not (isinstance(modes, (int, np.integer)) and modes >= 0):
        raise ModelError(f"{model.name!r}: modes = {shown(modes)} must be a whole number, not negative", field="modes")
    if shapes is not None:
        return given_shapes(model, user_columns(model, shapes, parameters), free_of_ground(model))
    if basis == "free modes":
        return free_modes(model, modes=modes, frequency=frequency, solver=solver, notice=notice)
    if basis == "held modes":
        return held_modes(model, nodes, modes=modes, frequency=frequency, solver=solver)
    if basis == "static":
        modes, frequency = 0, None
    return craig_bampton(model, nodes, modes=modes, frequency=frequency, solver=solver, notice=notice)


def motions_of_nodes(model: FEModel, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Shifts (n, 3, h) of all nodes, tied ones too, and rotations (n, 3, h), or None if no node has any."""
    motion = model.node_motion()
    n, h = len(model.nodes), columns.shape[1]
    turning = np.diff(motion.indptr).reshape(n, 6)[:, 3:].any()
    rows = np.arange(6 * n).reshape(n, 6)
    shifts = (motion[rows[:, :3].ravel()] @ columns).reshape(n, 3, h)
    return shifts, (motion[rows[:, 3:].ravel()] @ columns).reshape(n, 3, h) if turning else None


def _interfaces(model: FEModel, named: dict[str, int], shapes: np.ndarray, rotations: np.ndarray | None) -> dict[str, Interface]:
    """Motion of the interface nodes; where a node has no rotation, that of its surroundings."""
    turning = np.diff(model.node_motion().indptr).reshape(-1, 6)[:, 3:].any(axis=1)
    result = {}
    for name, node in named.items():
        own = bool(turning[node]) and rotations is not None
        turn = rotations[node] if own and rotations is not None else fitted_rotations(model, shapes, np.array([node]))[0]
        result[name] = Interface(name, node, model.nodes[node], np.concatenate([shapes[node], turn]), own)
    return result


def _moments(
    model: FEModel, found: Shapes, by_node: np.ndarray, rotations: np.ndarray | None, inertia: str, geometry: RigidInertia | None
) -> tuple[InertiaMoments, MassRepair | None]:
    """Moments by the chosen method."""
    if inertia == "general":
        return general_moments(model, found.matrix), None
    if len(model.modal):
        raise ModelError(
            f"{model.name!r} has modal coordinates; inertia = {inertia!r} needs nodes; use 'general'", field="inertia"
        )
    masses, repair = repaired_masses(model, geometry, shifted=inertia == "shifted")
    turns = np.zeros_like(by_node) if rotations is None else rotations.copy()
    # the small bodies of nodes without rotations turn with their surroundings
    lacking = np.flatnonzero(
        (masses.mass > 0.0) & ~np.isin(np.arange(len(model.nodes)), model.freedoms[model.freedoms[:, 1] >= 3, 0])
    )
    if len(lacking):
        turns[lacking] = fitted_rotations(model, by_node, lacking)
    return shifted_moments(masses, model.nodes, by_node, turns), repair


def _report(
    model: FEModel,
    names: tuple[str, ...],
    inertia: str,
    found: Shapes,
    polynomials: ModalInertia,
    frequencies: np.ndarray,
    geometry: RigidInertia | None,
    repair: MassRepair | None,
    seconds: dict[str, float],
) -> ReductionReport:
    rigid = np.block([[polynomials.J_rr, polynomials.R0], [polynomials.R0.T, polynomials.P0]])
    fixed = np.zeros(0) if found.fixed_frequencies is None else found.fixed_frequencies
    return ReductionReport(
        name=model.name,
        freedoms=model.size,
        interfaces=names,
        inertia_method=inertia,
        fe_frequencies=found.frequencies,
        frequencies=frequencies,
        fixed_frequencies=fixed,
        effective_masses=np.zeros((len(fixed), 6)) if found.effective_masses is None else found.effective_masses,
        effective_total=np.zeros(6) if found.effective_total is None else found.effective_total,
        fe=model.rigid_inertia(),
        reduced=rigid_inertia(rigid),
        geometry=geometry,
        repair=repair,
        seconds=seconds,
    )


def _stiffening(model: FEModel, named: dict[str, int], support: bool | str, found: Shapes, solver: str | None) -> Stiffening:
    at = next(iter(named), None) if support is True else support
    if not isinstance(at, str) or at not in named:
        there = f"there are {', '.join(named)}" if named else "there are none"
        raise ModelError(f"{model.name!r}: stiffening = {shown(support)} must be an interface; {there}", field="stiffening")
    return geometric_stiffening(model, str(at), named, found.matrix, solver)


def _require(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise ModelError(f"reduce: {field} = {shown(value)} is unknown; there are {', '.join(allowed)}", field=field)
