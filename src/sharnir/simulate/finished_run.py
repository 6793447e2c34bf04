"""The recorded result of a run that has ended, or the error that carries what was computed."""

from __future__ import annotations

import logging
import warnings

from sharnir.arguments import shown
from sharnir.dynamics.system import System
from sharnir.errors import RunWarning, SimulationError
from sharnir.integrate import Solution
from sharnir.results import Result
from sharnir.simulate.audit.energy_balance import balance_of_loop, balance_of_solution, imbalance
from sharnir.simulate.audit.impact_energy import created_energy
from sharnir.simulate.audit.passed_limits import passed_limits
from sharnir.simulate.audit.passed_singularities import passed_singular_position
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.failure import explanation, whereabouts
from sharnir.simulate.file_run import FileRun
from sharnir.simulate.large_deformation import large_deformations
from sharnir.simulate.recording import record

LOG = logging.getLogger("sharnir")  # what runs report; programs that use the package decide where it goes
LOG.addHandler(logging.NullHandler())


def finish(
    system: System,
    solution: Solution,
    seconds: float,
    loop: EventLoop | None = None,
    written: FileRun | None = None,
    raised: Exception | None = None,
) -> Result:
    """The recorded result; a run that failed raises an error that carries what was computed.

    written : the file of a run that writes as it goes.   raised : what the user's progress function raised.
    """
    stopped = loop is not None and (not loop.goes_on or loop.failed)
    failed = solution.status != "finished" and not stopped
    # asked before recording: potential energy calls functions at states that the motion never had
    errors = system.assembly.functions.errors
    failure = system.assembly.functions.failure if errors else ""
    reason = loop.message if loop is not None and loop.failed else solution.message if failed else None
    remarks = [str(text) for text in solution.stats.pop("remarks", ())]
    handed_over = solution.stats.pop("engine_evaluations", 0)
    for text in remarks:
        warnings.warn(f"model '{system.model.name}': {text}", RunWarning, stacklevel=4)
    if raised is not None:
        reason = f"the progress function raised {shown(raised)}"
    if written is None:
        balance = balance_of_solution(system, solution) if loop is None else balance_of_loop(loop)
        result = record(system, solution, seconds, reason, loop, balance.stats(solution.stats if loop is None else loop.stats()))
    else:
        if loop is None:
            written.solved(solution)
        result = written.result(solution.stats if loop is None else loop.stats(), seconds, reason, loop)
        balance = written.balance
    result.stats.pop("remarks", None)
    result.stats.pop("engine_evaluations", None)
    if "symbolic" in str(result.stats.get("method")) or "symbolic_from" in result.stats:
        result.stats["engine_evaluations"] = handed_over
    if remarks:
        result.stats["warnings"] = remarks
    if raised is not None:
        raise SimulationError(f"model '{system.model.name}': {reason}", result=result) from raised
    if errors:
        raise SimulationError(failure, result=result) from errors[0]
    if loop is not None and loop.failed:
        raise SimulationError(f"model '{system.model.name}': {loop.message}", result=result) from loop.cause
    if solution.status in ("interrupted", "paused") and not stopped:
        warnings.warn(
            f"Ctrl-C: the run ended at t = {solution.stats['t_reached']:.6g} s; the result holds what was computed", stacklevel=3
        )
    elif failed:
        message = solution.message + (explanation(system, solution) or whereabouts(system, solution))
        LOG.error("model '%s': %s", system.model.name, message)
        raise SimulationError(
            f"model '{system.model.name}': {message}; what was computed is in the error's .result", result=result
        )
    result.stats.pop("crawls", None)
    LOG.info("model '%s': %.6g s by %s in %.3g s", result.title, result.t[-1], result.stats.get("integrator"), seconds)
    doubts = doubts_about(system, solution, result, loop, balance.scale)
    if remarks or doubts:
        result.stats["warnings"] = [*remarks, *doubts]
    for text in (*doubts, imbalance(result, balance)):
        if text:
            LOG.warning("model '%s': %s", result.title, text)
            warnings.warn(f"model '{result.title}': {text}", RunWarning, stacklevel=4)
    return result


def doubts_about(system: System, solution: Solution, result: Result, loop: EventLoop | None, moved: float) -> list[str]:
    """What a finished run has to say about itself besides its balance of energy. moved: energy that moves in the run [J]."""
    found = [*large_deformations(result), passed_limits(system.model.original, result), str(solution.stats.get("crawls", ""))]
    if loop is None:
        found.append(passed_singular_position(system, solution.t, solution.y))
    else:
        found.append(created_energy(loop, moved))
    return [text for text in found if text]
