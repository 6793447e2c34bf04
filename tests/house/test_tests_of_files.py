"""The test of any file is found: by its name or an import, by names in tests of its room, in its own examples, or below."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import sharnir
from house.test_tests_of_kernels import NEAREST as OF_KERNELS
from house.test_tests_of_kernels import has_test

SOURCE = Path(sharnir.__file__).parent
TESTS = Path(__file__).resolve().parents[1]
# what tests reach through the face of its room only: file, without suffix → where to look first
NEAREST = {
    "__main__": "app/test_cli.py",
    "app/studio/gate": "app/studio/test_server.py",
    "app/studio/processes": "app/studio/test_server.py",
    "app/study_command": "studies/test_study_file.py",
    "dynamics/assembly": "dynamics/test_system.py",
    "dynamics/constraints/constraint_records": "dynamics/constraints/test_constraint_kinds.py",
    "dynamics/constraints/cut_force_records": "agree/test_formulations.py",
    "dynamics/contact/group_records": "dynamics/contact/test_contact_group.py",
    "dynamics/evaluation/extended_tree_part": "agree/test_methods_on_loops.py",
    "dynamics/evaluation/inertia_check": "dynamics/methods/test_flexible_methods.py",
    "dynamics/evaluation/many_states": "agree/test_many_states.py",
    "dynamics/evaluation/tree_part_records": "agree/test_methods_on_loops.py",
    "dynamics/forces/held_springs": "dynamics/initial/test_coincident_springs.py",
    "dynamics/friction/friction_records": "dynamics/friction/test_joint_friction.py",
    "dynamics/initial/consistent_speeds": "dynamics/initial/test_speeds_left_open.py",
    "dynamics/initial/continuation": "dynamics/initial/test_assembly_failure.py",
    "dynamics/inverse/drive_forces": "dynamics/inverse/test_mixed_problem.py",
    "dynamics/inverse/given_freedoms": "dynamics/inverse/test_mixed_problem.py",
    "dynamics/inverse/mixed_dense": "dynamics/inverse/test_mixed_problem.py",
    "dynamics/inverse/mixed_multipliers": "dynamics/inverse/test_mixed_problem.py",
    "dynamics/memory/drawing": "dynamics/initial/test_initial_state.py",
    "dynamics/memory/equations": "dynamics/test_system.py",
    "dynamics/methods/flexible_records": "dynamics/methods/test_flexible_methods.py",
    "dynamics/methods/lagrange1_records": "agree/test_methods.py",
    "dynamics/parameter_systems": "dynamics/test_parameter_refill.py",
    "dynamics/system_origin": "dynamics/test_parameter_refill.py",
    "dynamics/signals/signal_records": "dynamics/signals/test_signal_program.py",
    "dynamics/signals/structure_checks": "simulate/events/test_structure_change.py",
    "dynamics/small_motions/equilibrium_search": "dynamics/small_motions/test_equilibrium.py",
    "dynamics/small_motions/force_balance": "dynamics/small_motions/test_equilibrium.py",
    "dynamics/small_motions/small_displacements": "dynamics/small_motions/test_equilibrium_of_flexible_bodies.py",
    "dynamics/sparse/update_stacks": "dynamics/sparse/test_multifrontal_cholesky.py",
    "dynamics/straight_line/derivability": "dynamics/straight_line/test_derived_functions.py",
    "dynamics/straight_line/direction_writer": "dynamics/straight_line/test_derivatives.py",
    "dynamics/straight_line/function_writer": "dynamics/straight_line/test_derived_functions.py",
    "dynamics/straight_line/jacobian_text": "dynamics/straight_line/test_derivatives.py",
    "dynamics/straight_line/module_text": "dynamics/straight_line/test_derived_functions.py",
    "dynamics/straight_line/singular_guard": "dynamics/straight_line/test_structure_changes.py",
    "dynamics/straight_line/state_map": "dynamics/straight_line/test_derived_functions.py",
    "dynamics/straight_line/unit_change": "dynamics/straight_line/test_derived_functions.py",
    "dynamics/straight_line/variations": "simulate/test_sensitivity.py",
    **dict.fromkeys(
        (f"model/mjcf/{name}" for name in ("mjcf_keyframes", "mjcf_shapes", "mjcf_contacts", "mjcf_tendons", "mjcf_equalities")),
        "model/mjcf/test_mjcf_file.py",
    ),
    **dict.fromkeys((f"model/sdf/sdf_{name}" for name in ("frames", "joints", "links", "source")), "model/sdf/test_sdf_file.py"),
    "equations/elements/constraints": "equations/test_derivation.py",
    "equations/elements/control": "dynamics/straight_line/test_signals.py",
    "equations/elements/forces": "equations/test_derivation.py",
    "equations/elements/left_forces": "dynamics/straight_line/engine_calls/test_engine_forces.py",
    "equations/affine_loads": "dynamics/straight_line/engine_calls/test_friction_loads.py",
    "equations/opened_joints": "dynamics/straight_line/engine_calls/test_friction_loads.py",
    "dynamics/straight_line/engine_calls/left_calls": "dynamics/straight_line/engine_calls/test_friction_loads.py",
    "equations/elements/point_on_curve": "dynamics/straight_line/test_points_on_curves.py",
    "equations/entries": "equations/test_derivation.py",
    "equations/exports/casadi_functions": "equations/exports/test_exports.py",
    "equations/exports/numpy_source": "equations/exports/test_exports.py",
    "equations/mechanism": "equations/test_derivation.py",
    "equations/recursion": "equations/test_derivation.py",
    "equations/separate_bodies": "equations/test_absolute_coordinates.py",
    "equations/tracking": "equations/test_derivation.py",
    "flexible/finite_elements/fe_arrays": "flexible/finite_elements/test_fe_model.py",
    "flexible/linear_algebra/blas": "flexible/linear_algebra/test_multifrontal.py",
    "flexible/readers/deck": "flexible/readers/test_abaqus_and_ansys.py",
    "flexible/readers/harwell_boeing": "flexible/readers/test_files_of_fe_programs.py",
    "flexible/readers/matrix_market": "flexible/readers/test_files_of_fe_programs.py",
    "flexible/readers/superelement": "flexible/readers/test_files_of_fe_programs.py",
    "gpu/kernel_constants": "gpu/test_gpu_runs.py",
    "integrate/events/event_book": "integrate/events/test_event_search.py",
    "integrate/events/event_places": "integrate/events/test_event_search.py",
    "integrate/explicit/adams": "order/test_integrator_order.py",
    "integrate/implicit/park_step": "integrate/implicit/test_park.py",
    "kernel/calls": "kernel/test_kernel.py",
    "kernel/notes": "kernel/test_users_functions.py",
    "kernel/named_addresses": "dynamics/memory/test_records.py",
    "kernel/storage/runtime_code": "kernel/storage/test_library.py",
    "model/bodies/all_shapes": "model/bodies/test_shapes.py",
    "model/changed_elements": "model/test_changed_structure.py",
    "model/events/effects": "dynamics/events/test_compiled_actions.py",
    "model/files/flexible_schema": "model/files/test_schema.py",
    "model/plane_checks": "model/constraints/test_constraint_elements.py",
    "simulate/audit/deep_contacts": "simulate/audit/test_many_audits.py",
    "simulate/audit/sliding": "simulate/audit/test_crawling.py",
    "simulate/channels/joint_channels": "simulate/channels/test_run_channels.py",
    "simulate/channels/model_scene": "results/test_scene.py",
    "simulate/events/run_parts": "simulate/events/test_structure_change.py",
    "simulate/finished_run": "simulate/test_partial_results.py",
    "studies/study_figure": "studies/test_study.py",
}


@cache
def words_of_tests(room: str) -> set[str]:
    """All names in the tests of a room."""
    return {word for path in (TESTS / room).glob("test_*.py") for word in re.findall(r"[A-Za-z_]\w+", path.read_text("utf-8"))}


@cache
def is_found(name: str) -> bool:
    """Whether one finds the test of a file without asking."""
    if name in OF_KERNELS or has_test(name):
        return True
    text = (SOURCE / f"{name}.py").read_text(encoding="utf-8")
    defined = {x.name for x in ast.parse(text).body if isinstance(x, (ast.FunctionDef, ast.ClassDef))}
    return ">>> " in text or bool(defined & words_of_tests(name.rpartition("/")[0]))


def test_every_file_has_a_test_that_is_found() -> None:
    files = [path.relative_to(SOURCE).with_suffix("").as_posix() for path in SOURCE.rglob("*.py") if path.name != "__init__.py"]
    assert len(files) > 600
    assert [name for name in files if name not in NEAREST and not is_found(name)] == []


def test_the_list_names_files_and_tests_that_there_are() -> None:
    assert [name for name in NEAREST if not (SOURCE / f"{name}.py").is_file()] == []
    assert [test for test in NEAREST.values() if not (TESTS / test).is_file()] == []
