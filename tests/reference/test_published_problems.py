"""Every published problem has a test that exists, or a stated reason; the page on reliability lists all of them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from reference.published_problems import PROBLEMS, WITHOUT_TEST

TESTS = Path(__file__).parents[1]
NAMES = [
    "andrews",
    "flexible_slider_crank_simeon",
    "wheelset",
    "beam_ode_n40",
    "A01_simple_pendulum",
    "A02_four_bar_N2",
    "A02_four_bar_N40",
    "A04_bricard",
    "torque_free_top",
    "heavy_symmetric_top",
    "spherical_pendulum",
    "chaplygin_sleigh",
    "bouncing_ball",
    "rolling_incline",
    "rolling_disc",
    "sliding_block",
    "bowling_ball",
    "four_bar",
    "slider_crank_kin",
    "puma560",
    "beam_frequencies",
    "craig_bampton",
    "elastica_tip_force",
    "geometrically_exact_statics",
    "spin_up_beam",
    "flexible_slider_crank_6mm",
    "princeton_published",
    "bend45_published",
    "epps_chandra_rotating",
    "nachbagauer_cantilever",
]
TRAJECTORIES = (
    "traj HEAVYTOP",
    "traj DISC_A r=0.5 m=1 th0=80deg phd0=-6 psid0=0 thd0=0",
    "traj COIN r=0.01 m=1 tilt=1deg omega=10pi about vertical",
    "traj ASYMTOP I=(1,1.6,2.2) w0=(1.2,0,0.9)",
)


@cache
def functions(file: str) -> set[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", [*NAMES, *TRAJECTORIES])
def test_has_a_test_or_a_reason(name):
    assert (name in PROBLEMS) != (name in WITHOUT_TEST)
    if name in WITHOUT_TEST:
        assert len(WITHOUT_TEST[name]) > 20
        return
    _, tests = PROBLEMS[name]
    assert tests
    for test in tests:
        file, function = test.split("::")
        assert function in functions(file), f"{test} does not exist"


def test_nothing_else_is_listed():
    assert {*PROBLEMS, *WITHOUT_TEST} == {*NAMES, *TRAJECTORIES}


def test_the_page_on_reliability_lists_all():
    text = (TESTS.parent / "docs" / "reliability.md").read_text(encoding="utf-8")
    table = text.split("## All published problems")[1]
    for what, tests in PROBLEMS.values():
        row = next((line for line in table.splitlines() if line.startswith(f"| {what} |")), None)
        assert row is not None, f"no row '{what}'"
        for test in tests:
            assert f"`{Path(test.split('::')[0]).stem}`" in row
    for name, why in WITHOUT_TEST.items():
        assert why in " ".join(table.split()), name
