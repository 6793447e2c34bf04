"""The report of the command line on a model and a run: rows of a label and a text."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.model import FlexibleBody, Model
from sharnir.results import Result

Rows = list[tuple[str, str]]


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "body", "bodies"), counted(3, "freedom")
    ('1 body', '3 freedoms')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def model_rows(model: Model, system: Any) -> Rows:
    """Contents of a model: bodies, joints, forces, constraints, freedoms, loops."""
    from sharnir.dynamics.inverse.joint_reactions import shown_joints

    flexible = [body for body in model.bodies.values() if isinstance(body, FlexibleBody)]
    nodes = {name for body in flexible for name in body.node_names}
    joints = [joint for joint, _ in shown_joints(system) if joint.name not in nodes]
    driven = sum(sum(joint.driven) for joint in joints)
    bodies = counted(len(model.bodies) - len(nodes), "body", "bodies") + (f" ({len(flexible)} flexible)" if flexible else "")
    parts = [bodies, counted(len(joints), "joint"), counted(len(model.forces), "force")]
    others = (("constraint", model.constraints), ("signal", model.signals), ("event", model.events))
    parts += [counted(len(elements), word) for word, elements in others if elements]
    if system.constrained:
        free = system.freedoms
    else:
        free = sum(joint.n_v - sum(joint.driven) - (joint.mimic is not None) for joint in joints)
        free += sum(body.reduced.count for body in flexible)
    words = counted(free, "freedom")
    words += f" and {counted(driven, 'prescribed motion')}" if driven else ""
    rows = [("model", f"{', '.join(parts)}; {words}")]
    rows += [("flexible", "\n".join(f"{body.name}: {body.described}" for body in flexible[:6]))] if flexible else []
    return rows + constraint_rows(model, system)


def constraint_rows(model: Model, system: Any) -> Rows:
    """Loops with the joints cut in them, equations between coordinates, and those of them that say nothing new."""
    if not system.constrained:
        return []
    equations = system.n_equations
    if system.formulation == "absolute":
        text = f"{counted(equations, 'equation')} of joints and constraints between {counted(system.n_v, 'speed')}"
        rows = [("absolute", text)]
    else:
        cuts = [joint.name for joint in system.tree.cuts]
        named = ", ".join(cuts[:6]) + (" …" if len(cuts) > 6 else "")
        rows = [("loops", f"{counted(len(cuts), 'loop')}, cut at {named}; {counted(equations, 'equation')}")] if cuts else []
        rows = rows or [("constraints", counted(equations, "equation"))]
    redundant = system.redundant
    if redundant:
        listed = ", ".join(str(name) for name in redundant[:8]) + (" …" if len(redundant) > 8 else "")
        rows.append(("redundant", f"{counted(len(redundant), 'equation')}: {listed}; reactions are those of least norm"))
    return rows


def run_rows(model: Model, system: Any, result: Result, chosen: dict[str, Any]) -> Rows:
    """How it was solved, what that took, and how good it is; `chosen` are the settings that the user gave."""
    stats = result.stats
    if "solver" in stats:
        rows = [("method", f"{stats['method']}, {stats['solver']} solver of constraint forces")]
    else:
        rows = [("method", f"{stats['method']} ({method_reason(system, str(chosen.get('method') or 'auto'))})")]
    if stats.get("engine_evaluations"):
        rows.append(
            ("singular", f"near singular positions the engine computed, {counted(stats['engine_evaluations'], 'evaluation')}")
        )
    span = f"{result.t[-1]:g} s" if len(result.t) else "nothing"
    if stats.get("integrator") == "kinematics":
        rows.append(("run", f"{span}: drives determine every position, nothing to integrate; {counted(len(result.t), 'output')}"))
    elif "integrator" in stats:
        why = "your choice" if chosen.get("integrator") not in (None, "auto") else "chosen for the tolerance"
        tolerance = chosen.get("tolerance") or default_tolerance()
        control = "fixed step" if stats.get("fixed_step") else f"relative tolerance {tolerance:g}"
        rows.append(("integrator", f"{stats['integrator']} of order {stats['order']} ({why}), {control}"))
        counts = f"{counted(stats['steps'], 'step')}, {stats['rejected']} rejected, {counted(stats['evaluations'], 'evaluation')}"
        if stats.get("events"):
            rows.append(("events", told_events(result)))
        rows.append(("run", f"{span} of motion in {duration(stats['seconds'])}: {counts}; {counted(len(result.t), 'output')}"))
    else:
        rows.append(("run", f"{span}: every motion is prescribed, nothing to integrate; {counted(len(result.t), 'output')}"))
    if "position_residual" in stats:
        left = f"closed to {stats['position_residual']:.0e}, speeds to {stats['speed_residual']:.0e}"
        before = f" ({stats['position_residual_before']:.0e} before correction)" if "position_residual_before" in stats else ""
        rows.append(("residuals", left + before))
    if len(result.t):
        rows.append(("energy", energy_text(model, result)))
        rows.append(("trust", str(result.trust)))
    return rows


def told_events(result: Result) -> str:
    """How many events there were, the last ones by name, and whether one ended the run."""
    names = [f"'{event['name']}' at {event['t']:.4g} s" for event in result.events[-3:]]
    more = "… " if len(result.events) > len(names) else ""
    end = f"; stopped: {result.stats['stopped']}" if "stopped" in result.stats else ""
    return f"{len(result.events)}: {more}{', '.join(names)}{end}"


def default_tolerance() -> float:
    """The tolerance of a run that names none."""
    from sharnir.simulate.simulation import DEFAULT_TOLERANCE

    return DEFAULT_TOLERANCE


def method_reason(system: Any, wanted: str = "auto") -> str:
    """Why a method is in use.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    >>> method_reason(m.compile(), "articulated")
    'your choice'
    """
    if wanted != "auto":
        return "your choice"
    from sharnir.dynamics.methods.method_choice import CANDIDATES, can_solve, features, predicted_cost

    found = features(system.assembly)
    able = [name for name in CANDIDATES if name == system.method or can_solve(name, system.assembly)]
    costs = {name: predicted_cost(name, found) / 1000 for name in able}
    if len(costs) == 1:
        return "the only one for this model"
    other = min((name for name in costs if name != system.method), key=lambda name: costs[name])
    return f"predicted {costs[system.method]:.3g} µs per evaluation, {other} {costs[other]:.3g} µs"


def exchanges_energy(model: Model) -> bool:
    """Whether drives, dampers or other forces may change the energy.

    >>> exchanges_energy(Model())
    False
    """
    if model.base_motion is not None:
        return True
    if any(isinstance(body, FlexibleBody) and body.reduced.damping is not None for body in model.bodies.values()):
        return True
    for joint in model.joints.values():
        if any(joint.damping) or any(joint.driven) or any(entry != 0.0 for entry in joint.torque):
            return True
    for force in model.forces.values():
        if not force.conservative:
            return True
    return not all(constraint.conservative for constraint in model.constraints.values())


def energy_text(model: Model, result: Result) -> str:
    """Energy at both ends, or how well it was kept where nothing can change it."""
    total, kinetic = result.energy.total, result.energy.kinetic
    ends = f"{total[0]:.6g} J at the start, {total[-1]:.6g} J at the end"
    if exchanges_energy(model):
        return f"{ends} (drives, dampers or other forces change it)"
    share = f" ({np.ptp(total) / kinetic.max():.0e} of the largest kinetic energy)" if kinetic.max() > 0 else ""
    return f"{total[0]:.6g} J, kept to {np.ptp(total):.1e} J{share}"


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(0.00312), duration(1.234)
    ('3.1 ms', '1.2 s')
    """
    return f"{1000 * seconds:.2g} ms" if seconds < 0.0995 else f"{seconds:.2g} s" if seconds < 100 else f"{seconds:.0f} s"
