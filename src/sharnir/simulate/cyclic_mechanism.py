"""The approximate method for cyclic mechanisms (Gevorkian 2020): loops are cut, and what the cut joints carry in the rigid
analogue during one period acts on the tree that is left, which the O(n) recursion moves as long as wanted.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import shown, with_advice
from sharnir.dynamics.inverse.mixed_problem import MixedProblem
from sharnir.dynamics.mobility.state_steps import size_of
from sharnir.dynamics.model_compilation import compile_model
from sharnir.dynamics.system import System
from sharnir.errors import ModelError, RunWarning
from sharnir.model import Model
from sharnir.results import Result
from sharnir.simulate.channels.flexible_channels import flexible_shapes
from sharnir.simulate.finished_run import finish
from sharnir.simulate.opened_loops import freed_model, held, joint_gap, rigid_analogue
from sharnir.simulate.simulation import integrator_options, output_times, solve

if TYPE_CHECKING:
    from sharnir.integrate.setting_types import InitialState, Integrator, Output


POOR = 0.1  # of the largest displacement: an error that makes the approximation worthless
PERIODIC = 1e-3  # how far from where it was a periodic motion may be after a period: of sizes, turns and speeds


@dataclass(frozen=True)
class CyclicEstimate:
    """How good an approximate run is; `str()` says it in a sentence.

    checked : time over which the exact method was run for comparison [s].
    displacement, error : flexible body → largest elastic displacement by the exact method, and largest difference [m].
    drives : joint with motion= → largest difference of its drive force, as part of the largest force.
    gap : cut joint → largest distance of its two points over the whole run [m].
    trusted_until : when a gap first exceeds the largest elastic displacement; the end of the run if none does [s].

    >>> print(CyclicEstimate(1.0, {"rod": 2e-3}, {"rod": 1e-5}, {}, {"B": 1e-4}, 10.0))
    elastic displacements within 1 s differ by rod: 1e-05 of 0.002 m; loops stay closed until 10 s
    """

    checked: float
    displacement: dict[str, float]
    error: dict[str, float]
    drives: dict[str, float]
    gap: dict[str, float]
    trusted_until: float

    @property
    def relative(self) -> float:
        """The largest error of a displacement as part of the largest displacement."""
        return max(self.error.values()) / max(*self.displacement.values(), 1e-300)

    def doubt(self, duration: float) -> str:
        """A sentence about an approximation that is not to be trusted over a run; "" if it is.

        >>> CyclicEstimate(1.0, {"rod": 2e-3}, {"rod": 1e-5}, {}, {"B": 1e-4}, 10.0).doubt(10.0)
        ''
        """
        if self.relative <= POOR and self.trusted_until >= duration * (1.0 - 1e-12):
            return ""
        return f"the approximation cannot be trusted: {self}; pull the freed joints together (hold=), or use simulate"

    def __str__(self) -> str:
        bodies = ", ".join(f"{name}: {self.error[name]:.3g} of {x:.3g} m" for name, x in self.displacement.items())
        closed = f"loops stay closed until {self.trusted_until:g} s"
        return f"elastic displacements within {self.checked:g} s differ by {bodies}; {closed}"


@dataclass(frozen=True)
class CyclicRun:
    """The result of `approximate_cycle`.

    result : the run of the freed tree.   rigid : one period of the rigid analogue.   exact : the run it was compared with.
    estimate : how good it is.   seconds : computing time by part ("rigid", "freed", "exact").

    >>> from sharnir.results import Result
    >>> good = CyclicEstimate(1.0, {"rod": 2e-3}, {"rod": 1e-5}, {}, {"B": 1e-4}, 10.0)
    >>> run = CyclicRun(Result([0.0]), Result([0.0]), Result([0.0]), good, {"exact": 1.0})
    >>> run.estimate.relative
    0.005
    """

    result: Result
    rigid: Result
    exact: Result
    estimate: CyclicEstimate
    seconds: dict[str, float]


@with_advice
def approximate_cycle(
    model: Model,
    period: float,
    duration: float,
    *,
    samples: int = 400,
    check: float = 1.0,
    hold: float | None = None,
    output: Output = None,
    integrator: Integrator = "auto",
    tolerance: float | None = None,
    initial: InitialState = None,
) -> CyclicRun:
    """Motion of a mechanism with loops and flexible bodies by the O(n) recursion, for cyclic motions and small displacements.

    Reactions in the joints that close loops are computed once, on the rigid analogue over one period, and act as given forces on
    the tree without these joints. Nothing else keeps the loops closed: see `estimate` of the result.

    Parameters
    ----------
    period, duration : of the rigid analogue's motion, and of the whole run [s].
    samples : points of a period at which reactions are computed; between them a periodic spline.
    check : periods for which the exact method is run as well, for the estimate.
    hold : frequency [Hz] of springs, critically damped, that pull the freed joints together; None: none, as published.
    output, integrator, tolerance, initial : as for Model.simulate.

    >>> import sharnir as sr
    >>> sr.approximate_cycle(sr.Model("nothing"), 1.0, 2.0)
    Traceback (most recent call last):
    sharnir.errors.ModelError: approximate_cycle: model 'nothing' has no flexible bodies; use simulate
    """
    grid, settings = output_times(duration, None, output), integrator_options(integrator, tolerance, None, None)
    check_arguments(model, period, samples, check, hold)
    system = compile_model(model, initial=initial)
    cuts = checked_cuts(system)
    cycle = np.linspace(0.0, float(period), samples + 1)
    rigid = _run(compile_model(rigid_analogue(model), initial=initial), cycle, settings)
    check_period(rigid, size_of(system))
    freed = freed_model(model, cuts, rigid)
    if hold is not None:
        freed = held(model, freed, cuts, _mobility(system), float(hold))
    tree = compile_model(freed)
    _take_state(tree, system)
    result = _run(tree, grid, settings)
    until = min(float(duration), check * float(period))
    times = np.append(grid[grid < until * (1 - 1e-12)], until)
    exact = _run(system, times, settings)
    runs = {"rigid": rigid, "freed": result, "exact": exact}
    seconds = {name: float(run.stats["seconds"]) for name, run in runs.items()}
    estimate = _estimate(model, cuts, result, exact)
    doubt = estimate.doubt(float(duration))
    if doubt:
        result.stats["warnings"] = [*result.stats.get("warnings", ()), doubt]
        warnings.warn(f"approximate_cycle: model '{model.name}': {doubt}", RunWarning, stacklevel=2)
    return CyclicRun(result, rigid, exact, estimate, seconds)


def check_arguments(model: Model, period: float, samples: int, check: float, hold: float | None) -> None:
    """Numbers that make sense, and a model that the method is for."""
    wanted = {"period": period, "check": check} | ({} if hold is None else {"hold": hold})
    for name, value in wanted.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not (math.isfinite(value) and value > 0.0):
            raise ModelError(f"approximate_cycle: {name} = {shown(value)} must be a positive number")
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 8:
        raise ModelError(f"approximate_cycle: samples = {shown(samples)} must be a whole number, at least 8; 400 is usual")
    if not flexible_shapes(model):
        raise ModelError(f"approximate_cycle: model '{model.name}' has no flexible bodies; use simulate")
    if model.constraints:
        name = next(iter(model.constraints))
        raise ModelError(f"approximate_cycle opens loops at joints, but '{name}' is a constraint; use simulate")


def checked_cuts(system: System) -> tuple[str, ...]:
    """Names of the joints that close loops; there must be some."""
    cuts = tuple(joint.name for joint in system.tree.cuts)
    if not cuts:
        raise ModelError(
            f"approximate_cycle: model '{system.model.name}' has no loops; simulate computes it exactly by the O(n) recursion"
        )
    return cuts


def check_period(rigid: Result, size: float) -> None:
    """The rigid analogue must be back after one period: places, turns and speeds of all bodies."""
    worst, told = 0.0, ""
    for name in (name.removesuffix(".rotation") for name in rigid.channels if name.endswith(".rotation")):
        shift = np.linalg.norm(rigid[f"{name}.position"][-1] - rigid[f"{name}.position"][0]) / size
        e = rigid[f"{name}.rotation"]
        turn = 2.0 * min(np.linalg.norm(e[-1] - e[0]), np.linalg.norm(e[-1] + e[0]))
        speeds = rigid[f"{name}.velocity"]
        fast = max(float(np.abs(speeds).max()), 1e-9 * size / rigid.t[-1])
        change = np.linalg.norm(speeds[-1] - speeds[0]) / fast
        for what, value in (("place by", shift), ("turn by", turn), ("velocity by", change)):
            if value > worst:
                worst, told = float(value), f"body '{name}' has changed its {what} {value:.2g} of {_measure(what)}"
    if worst > PERIODIC:
        raise ModelError(
            f"approximate_cycle: the rigid analogue is not periodic: after {rigid.t[-1]:g} s {told}; give the period of the "
            f"motion, and prescribe the drive (motion=) where it is not given"
        )


def _measure(what: str) -> str:
    return {"place by": "the mechanism's size", "turn by": "a radian"}.get(what, "its largest velocity")


def _run(system: System, grid: np.ndarray, settings: dict[str, Any]) -> Result:
    solve(system, grid[:1], settings)  # loads kernels before the clock starts
    begin = perf_counter()
    solution = solve(system, grid, settings)
    return finish(system, solution, perf_counter() - begin)


def _take_state(tree: System, system: System) -> None:
    """The freed tree starts where the mechanism does."""
    tree.q0[:] = [system.q0[system.coordinates.index(name)] for name in tree.coordinates]
    tree.v0[:] = [system.v0[system.speeds.index(name)] for name in tree.speeds]


def _mobility(system: System) -> float:
    """The largest acceleration per unit force of the loops' equations at the start [1/kg]."""
    problem = MixedProblem(system)
    e = problem.equations(system.y0, 0.0, np.zeros(0))
    problem._pass(e.found.y, 0.0, np.zeros(system.n_v), np.zeros((len(system.assembly.elements), 6)))
    forces = np.array(["force" in label for label in system.constraint_names])
    return float(np.einsum("ij,ij->i", e.rows, problem._responses(e.rows))[forces].max())


def _estimate(model: Model, cuts: tuple[str, ...], result: Result, exact: Result) -> CyclicEstimate:
    """Errors where the exact motion is known, gaps of the loops everywhere."""
    n = int((result.t <= exact.t[-1] * (1 + 1e-12)).sum())
    common = np.isin(exact.t, result.t[:n])
    displacement, error, drives = {}, {}, {}
    for name, shapes in flexible_shapes(model).items():
        w = exact[f"{name}.w"]
        displacement[name] = float(shapes.largest(w).max())
        error[name] = float(shapes.largest(result[f"{name}.w"][:n] - w[common]).max())
    for joint in model.joints.values():
        if any(joint.driven) and joint.name not in cuts:
            force = exact[f"{joint.name}.drive"]
            off = np.abs(result[f"{joint.name}.drive"][:n] - force[common]).max()
            drives[joint.name] = float(off / max(np.abs(force).max(), 1e-300))
    gaps = {name: joint_gap(model, result, name) for name in cuts}
    apart = np.max(list(gaps.values()), axis=0) > max(displacement.values())
    until = float(result.t[int(np.argmax(apart))]) if apart.any() else float(result.t[-1])
    largest = {name: float(gap.max()) for name, gap in gaps.items()}
    return CyclicEstimate(float(exact.t[-1]), displacement, error, drives, largest, until)
