"""The test of a kernel is found: by the name of its file, because it imports the file, or in the list below."""

from __future__ import annotations

import re
from pathlib import Path

import sharnir
from house.test_arguments_of_kernels import kernels_of

SOURCE = Path(sharnir.__file__).parent
TESTS = Path(__file__).resolve().parents[1]
# kernels that tests reach through System or through runs only: file, without suffix → where to look first
NEAREST = {
    "dynamics/bodies/coordinate_steps": "simulate/test_simulation.py",
    "dynamics/bodies/flexible_memory": "dynamics/bodies/test_flexible_body.py",
    "dynamics/bodies/joint_motion": "agree/test_kinematics.py",
    "dynamics/bodies/rigid_body": "agree/test_inverse_dynamics.py",
    "dynamics/constraints/constraint_equations": "dynamics/constraints/test_constraint_kinds.py",
    "dynamics/constraints/cut_joint": "agree/test_formulations.py",
    "dynamics/constraints/cut_joint_forces": "agree/test_formulations.py",
    "dynamics/constraints/cut_joint_motion": "agree/test_formulations.py",
    "dynamics/constraints/measure_equations": "dynamics/constraints/test_constraint_kinds.py",
    "dynamics/constraints/measures": "dynamics/constraints/test_constraint_kinds.py",
    "dynamics/constraints/rolling": "reference/test_nonholonomic.py",
    "dynamics/constraints/surface_and_curve": "dynamics/constraints/test_constraint_kinds.py",
    "dynamics/contact/contact_horizon": "dynamics/evaluation/test_step_bounds.py",
    "dynamics/contact/group_horizon": "dynamics/contact/test_random_impacts.py",
    "dynamics/contact/neighbour_list": "dynamics/contact/test_contact_group.py",
    "dynamics/evaluation/extended_system": "agree/test_methods.py",
    "dynamics/evaluation/flexible_right_hand_sides": "dynamics/methods/test_flexible_methods.py",
    "dynamics/evaluation/flexible_tree_parts": "agree/test_methods_on_loops.py",
    "dynamics/evaluation/tree_parts": "agree/test_methods_on_loops.py",
    "dynamics/events/impact": "dynamics/events/test_compiled_actions.py",
    "dynamics/forces/bushing": "dynamics/forces/test_force_elements.py",
    "dynamics/forces/drag_and_gravity": "dynamics/forces/test_drag.py",
    "dynamics/forces/energy": "agree/test_energy.py",
    "dynamics/forces/user_force": "dynamics/forces/test_force_elements.py",
    "dynamics/forces/vector_force": "dynamics/forces/test_force_elements.py",
    "dynamics/friction/load_equations": "dynamics/friction/test_joint_friction.py",
    "dynamics/friction/load_iteration": "dynamics/friction/test_joint_friction.py",
    "dynamics/friction/loads_of_given_motion": "dynamics/friction/test_joint_friction.py",
    "dynamics/methods/articulated_body": "agree/test_methods.py",
    "dynamics/methods/composite_body": "agree/test_methods.py",
    "dynamics/methods/direct_method": "agree/test_methods.py",
    "dynamics/methods/flexible_articulated_body": "dynamics/methods/test_flexible_methods.py",
    "dynamics/methods/flexible_composite_body": "dynamics/methods/test_flexible_methods.py",
    "dynamics/methods/flexible_direct_method": "dynamics/methods/test_flexible_methods.py",
    "dynamics/methods/flexible_lagrange1": "dynamics/methods/test_flexible_methods.py",
    "dynamics/methods/flexible_lagrange1_units": "dynamics/methods/test_flexible_methods.py",
    "dynamics/methods/joint_elimination": "agree/test_methods.py",
    "dynamics/methods/lagrange1": "agree/test_methods.py",
    "dynamics/methods/lagrange1_cholesky": "agree/test_methods.py",
    "dynamics/methods/lagrange1_responses": "agree/test_methods_on_loops.py",
    "dynamics/methods/newton_euler": "agree/test_inverse_dynamics.py",
    "dynamics/multipliers/delassus_blocks": "agree/test_formulations.py",
    "dynamics/multipliers/delassus_paths": "agree/test_formulations.py",
    "dynamics/multipliers/factorized_rows": "agree/test_methods_on_loops.py",
    "dynamics/multipliers/jacobian_rows": "dynamics/multipliers/test_null_space.py",
    "dynamics/multipliers/multiplier_solvers": "agree/test_formulations.py",
    "dynamics/multipliers/path_rows": "agree/test_methods_on_loops.py",
    "dynamics/multipliers/pivoted_cholesky": "dynamics/inverse/test_least_norm_reactions.py",
    "dynamics/multipliers/response_columns": "agree/test_methods_on_loops.py",
    "dynamics/multipliers/threaded_elements": "dynamics/sparse/test_threaded_cholesky.py",
    "dynamics/signals/compiled_program": "dynamics/signals/test_signal_program.py",
    "dynamics/signals/signal_evaluation": "dynamics/signals/test_signal_program.py",
    "dynamics/sparse/first_bisection": "dynamics/sparse/test_nested_dissection.py",
    "dynamics/sparse/register_tiles": "dynamics/sparse/test_multifrontal_cholesky.py",
    "dynamics/sparse/separator": "dynamics/sparse/test_nested_dissection.py",
    "dynamics/sparse/factor_solution": "dynamics/sparse/test_multifrontal_cholesky.py",
    "dynamics/sparse/substitution": "dynamics/sparse/test_multifrontal_cholesky.py",
    "integrate/events/chattering": "simulate/events/test_event_run.py",
    "integrate/events/compiled_events": "dynamics/events/test_compiled_actions.py",
    "integrate/events/event_values": "integrate/events/test_event_search.py",
    "integrate/events/history_records": "dynamics/signals/test_delay_recording.py",
    "integrate/events/illinois": "integrate/events/test_event_search.py",
    "integrate/events/sides_of_zero": "integrate/events/test_event_search.py",
    "integrate/explicit/adams_differences": "order/test_integrator_order.py",
    "integrate/explicit/runge_kutta_step": "order/test_integrator_order.py",
    "integrate/implicit/alpha_formula": "integrate/implicit/test_generalized_alpha.py",
    "integrate/implicit/alpha_step": "integrate/implicit/test_generalized_alpha.py",
    "integrate/implicit/bdf_differences": "integrate/implicit/test_bdf.py",
    "integrate/implicit/bdf_step": "integrate/implicit/test_bdf.py",
    "integrate/implicit/park_formula": "integrate/implicit/test_park.py",
    "integrate/implicit/radau_stages": "integrate/implicit/test_radau.py",
    "integrate/implicit/radau_step": "integrate/implicit/test_radau.py",
    "integrate/newton/one_stage_newton": "integrate/implicit/test_bdf.py",
    "integrate/stepping/delayed_breaks": "simulate/events/test_delays_of_fast_signals.py",
    "integrate/stepping/step_output": "integrate/stepping/test_output_rows.py",
    "kernel/locations": "kernel/test_kernel.py",
}
TEXTS = {path: path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}


def has_test(name: str) -> bool:
    """A test has the name of the file (and perhaps says more), or imports it."""
    folder, _, stem = name.rpartition("/")
    module, room = f"sharnir.{name.replace('/', '.')}", f"sharnir.{folder.replace('/', '.')}"
    imported = re.compile(rf"{re.escape(module)}\b|from {re.escape(room)} import [^\n]*\b{stem}\b")
    return any((TESTS / folder).glob(f"test_*{stem}*.py")) or any(imported.search(text) for text in TEXTS.values())


def files_with_kernels() -> list[str]:
    """Their paths in the package, without suffix."""
    paths = [path for path in sorted(SOURCE.rglob("*.py")) if kernels_of(path)]
    return [path.relative_to(SOURCE).with_suffix("").as_posix() for path in paths]


def test_every_kernel_has_a_test_that_is_found() -> None:
    files = files_with_kernels()
    assert len(files) > 120
    assert [name for name in files if name not in NEAREST and not has_test(name)] == []


def test_the_list_is_needed_and_true() -> None:
    files = set(files_with_kernels())
    assert [name for name in NEAREST if name not in files or has_test(name)] == []
    assert [test for test in NEAREST.values() if not (TESTS / test).is_file()] == []
