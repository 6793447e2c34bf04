"""The demos: each runs, draws itself, and obeys a law of mechanics."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sharnir.app.demos import ALL_DEMOS
from sharnir.app.demos.free_kick import DISTANCE, at_goal
from sharnir.app.demos.gymnast import angular_momentum
from sharnir.app.demos.quadruped import LEGS
from sharnir.app.demos.spinning import lowest_tilt, tilt
from sharnir.model import Model, UserForce
from sharnir.results import Result


@cache
def result_of(name: str) -> Result:
    return ALL_DEMOS[name].run()


def relative_range(values: np.ndarray) -> float:
    return float(np.ptp(values, axis=0).max() / np.abs(values).max())


def energy_drift(result: Result) -> float:
    return float(np.ptp(result.energy.total) / result.energy.kinetic.max())


def work_of_drives(result: Result) -> bool:
    """What the drives put in is what the arm has more."""
    power = sum(result[f"axis{k}.drive"] * result[f"axis{k}.v"] for k in range(1, 7))
    middle = len(result.t) // 4
    work = np.trapezoid(power[: middle + 1], result.t[: middle + 1])
    return abs(work - (result.energy.total[middle] - result.energy.total[0])) < 1e-2 and abs(work) > 10.0


def standing_feet(result: Result) -> bool:
    """A trot goes on: the trunk keeps its height, moves on, and the floor carries the weight on average."""
    late = result.t > 2.0
    load, weight = sum(result[f"ground_contact.force_{leg}_foot.fz"][late].mean() for leg in LEGS), 14.0 * 9.81
    upright = result["trunk.position.z"][late].min() > 0.2
    return bool(upright and result["trunk.position.x"][-1] > 0.5 and abs(load - weight) < 0.05 * weight)


def at_rest_at_first(result: Result) -> bool:
    """Preloads carry all weights in the drawing: before the posts move, nothing does."""
    start = result.t < 0.05
    return bool(np.abs(result["chassis.acceleration"][start]).max() < 0.05 and np.abs(result["road.q.z"]).max() > 0.01)


def resonances(result: Result) -> bool:
    """Softer springs meet their resonance earlier in the sweep, harder ones later."""
    times = [result.t[np.abs(result[f"{name}_guide.q"]).argmax()] for name in ("softening", "linear", "hardening")]
    return bool(times[0] < times[1] < times[2])


def bent_kick(result: Result) -> bool:
    y, z, _ = at_goal(result)
    return bool(abs(y) < 3.66 and 0 < z < 2.44 and y > -7.2 / 24.5 * DISTANCE + 1.0)


def nods_as_the_textbook_says(result: Result) -> bool:
    angle = tilt(result)
    return abs(angle.max() - lowest_tilt(ALL_DEMOS["top"].model())) < 1e-4 and abs(angle.min() - math.radians(28)) < 1e-9


LAWS = {
    "satellite": lambda r: relative_range(r["system.angular_momentum"]) < 1e-7,
    "robot-arm": work_of_drives,
    "quadruped": standing_feet,
    "gymnast": lambda r: relative_range(angular_momentum(r)) < 1e-6,
    "car": at_rest_at_first,
    "cable": lambda r: energy_drift(r) < 1e-7,
    "double-pendulums": lambda r: energy_drift(r) < 1e-6,
    "triple-pendulum": lambda r: energy_drift(r) < 1e-9,
    "top": nods_as_the_textbook_says,
    "handle": lambda r: energy_drift(r) < 1e-8 and relative_range(r["system.angular_momentum"]) < 1e-8,
    "shaker": resonances,
    "free-kick": bent_kick,
}


@pytest.mark.parametrize("name", ALL_DEMOS)
def test_law(name: str) -> None:
    assert LAWS[name](result_of(name))


@pytest.mark.parametrize("name", ALL_DEMOS)
def test_files_and_words(name: str, tmp_path: Path) -> None:
    demo, result = ALL_DEMOS[name], result_of(name)
    page = demo.write_animation(result, tmp_path / "demo.html")
    picture = demo.write_plot(result, tmp_path / "demo.png")
    assert 500_000 < page.stat().st_size < 3_000_000
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert any(character.isdigit() for character in demo.finding(result))
    assert demo.story.endswith(".") and len(demo.story) < 120


@pytest.mark.parametrize("name", ALL_DEMOS)
def test_model_file_gives_the_same_model(name: str, tmp_path: Path) -> None:
    model = ALL_DEMOS[name].model()
    if any(isinstance(force, UserForce) for force in model.forces.values()):
        assert name in ("quadruped", "free-kick")  # Python code has no place in a file
        return
    model.save(tmp_path / "model.toml")
    assert Model.load(tmp_path / "model.toml") == model
