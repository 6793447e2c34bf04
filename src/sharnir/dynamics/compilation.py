"""Model → System: tree, memory, method, checks."""

from __future__ import annotations

from sharnir.dynamics.assemble import assemble
from sharnir.dynamics.choice import choose_method
from sharnir.dynamics.initial_speeds import update_initial_speeds
from sharnir.dynamics.methods import ALL_METHODS
from sharnir.dynamics.singularity import check_inertia
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.model import Model
from sharnir.topology import build_tree


def compile_model(model: Model, formulation: str = "joint", method: str = "auto") -> System:
    """The equations of motion of a model; see Model.compile."""
    if formulation != "joint":
        raise ModelError(f"formulation = {formulation!r}: this version works in joint coordinates; use 'joint'")
    if method != "auto" and method not in ALL_METHODS:
        raise ModelError(f"method = {method!r} is unknown; choose one of auto, {', '.join(ALL_METHODS)}")
    if not model.bodies:
        raise ModelError(f"model '{model.name}' has no bodies; add at least one")
    tree = build_tree(model)
    assembly = assemble(model, tree)
    if method == "auto":
        method = choose_method(assembly)
    ALL_METHODS[method].check(assembly)
    ALL_METHODS[method].allocate(assembly)
    system = System(assembly, method)
    update_initial_speeds(system)
    check_inertia(system)
    return system
