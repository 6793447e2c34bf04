"""The demos: each runs, draws itself, and obeys a law of mechanics."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sharnir.app.demos import ALL_DEMOS
from sharnir.app.demos.machines import engine, slider_crank, squeezer, stewart
from sharnir.app.demos.motions import dominoes
from sharnir.app.demos.motions.free_kick import DISTANCE, at_goal
from sharnir.app.demos.motions.gymnast import angular_momentum
from sharnir.app.demos.motions.spinning import lowest_tilt, tilt
from sharnir.app.demos.spacecraft import rocket
from sharnir.app.demos.vehicles import rover
from sharnir.app.demos.vehicles.quadruped import LEGS
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


def damper_takes_the_energy(result: Result) -> bool:
    """What is lost is the work of the damper in the return spring, and the loop stays closed."""
    taken = slider_crank.DAMPING * np.trapezoid(result["return.rate"] ** 2, result.t)
    lost = result.energy.total[0] - result.energy.total[-1]
    return abs(lost - taken) < 1e-3 * taken and taken > 1.0 and result.stats["position_residual"] < 1e-9


def published_angle(result: Result) -> bool:
    return abs(squeezer.BETA + result["O.q"][-1] - squeezer.END_ANGLE) < 1e-6


def hinges_in_step(result: Result) -> bool:
    """Cables hold the ratios of the hinges; nothing from outside turns the whole."""
    steps = [result[f"{wing}2.q"] + 2 * result[f"{wing}1.q"] for wing in ("left", "right")]
    steps += [result[f"{wing}3.q"] + result[f"{wing}2.q"] for wing in ("left", "right")]
    open_at_last = max(abs(result[f"{wing}1.q"][-1]) for wing in ("left", "right")) < 0.1
    return max(np.ptp(x) for x in steps) < 1e-9 and relative_range(result["system.angular_momentum"]) < 1e-6 and open_at_last


def plate_where_it_should_be(result: Result) -> bool:
    """Six lengths of legs give the pose that they were computed from; splines in between."""
    wanted = np.array([stewart.pose(t)[0] for t in result.t]) + (0, 0, stewart.HEIGHT)
    work = np.trapezoid(sum(result[f"leg{i}.drive"] * result[f"leg{i}.v"] for i in range(1, 7)), result.t)
    gained = result.energy.total[-1] - result.energy.total[0]
    return bool(np.abs(result["plate.position"] - wanted).max() < 1e-4 and abs(work - gained) < 1e-2)


def pistons_and_valves(result: Result) -> bool:
    """Every piston is where trigonometry puts it; every valve is open as its cam says."""
    q, r, L = result["main.q"], engine.THROW, engine.ROD
    for k in range(engine.CYLINDERS):
        angle = 2 * np.pi * engine.ORDER[k] / engine.CYLINDERS + np.append(0.0, q)  # first in the drawing
        z = r * np.cos(angle) + np.sqrt(L**2 - (r * np.sin(angle)) ** 2)
        if np.abs(result[f"bore{k + 1}.q.shift"] - (z[1:] - z[0])).max() > 1e-9:
            return False
    lift = -0.009 * np.exp(6.0 * (np.cos(result["cams.q"] - 1.9) - 1))
    return bool(np.abs(result["inlet1.q"] - lift).max() < 1e-9 and np.ptp(result["inlet1.q"]) > 0.008 and q[-1] > 100.0)


def carried_by_the_road(result: Result) -> bool:
    """On the level the tyres carry all weights."""
    late, weight = result.t > 3.6, 27.4 * 9.81
    load = sum(result[f"tyres.force_{name}.fz"][late].mean() for name in rover.WHEELS)
    return bool(abs(load - weight) < 0.01 * weight and result["chassis.position.x"][-1] > 3.5)


def drive_of_the_elastic_rod(result: Result) -> bool:
    """What the drive puts in is what the mechanism has more, bending of the rod included; the loop stays closed."""
    work = np.trapezoid(result["slide.drive"] * result["slide.v"], result.t)
    gained = result.energy.total[-1] - result.energy.total[0]
    return abs(work - gained) < 1e-2 * result.energy.kinetic.max() and result.stats["position_residual"] < 1e-9


def touched_down(result: Result) -> bool:
    """The impulse of the runway is the change of momentum; test_landing_gear.py has the rest."""
    change = result["system.momentum"][-1, 0] - result["system.momentum"][0, 0]
    return abs(np.trapezoid(-result["drag"], result.t) - change) < 1e-3 * abs(change) and result["slide.q"].max() > 0.2


def launched(result: Result) -> bool:
    """At rest before ignition, on its way as it was told, bent at its own frequency; test_rocket.py has the rest."""
    rest, steered = result.t < 0.05, (result.t > 2.1) & (result.t < 2.3)
    follows = np.abs(result["pitch"] - result["wanted"])[steered].max() < 0.02
    return bool(np.abs(result["speed"][rest]).max() < 1e-5 and follows and 20.5 < rocket.bending_frequency(result) < 22.0)


def latched_one_by_one(result: Result) -> bool:
    """All panels stand straight behind impacts that keep the angular momentum, and the whole spins as one rigid body."""
    latched = [e for e in result.events if e["name"].endswith("latches")]
    end = result.t > latched[-1]["t"]
    angles = [np.abs(result[f"{name}{k}.q"][end]).max() for name in ("left", "right") for k in range(1, 5)]
    kinetic = result.energy.kinetic[end]
    lost = all(e["energy_after"] < e["energy_before"] for e in latched)
    straight = len(latched) == 8 and max(angles) < 1e-6 and np.ptp(kinetic) < 1e-6 * kinetic[0]
    return bool(straight and lost and relative_range(result["system.angular_momentum"]) < 1e-6)


def fallen_one_by_one(result: Result) -> bool:
    """Every domino falls, the ones behind after those before; then the floor carries all weights."""
    times = dominoes.fallen(result)[2:]
    late, bodies = result.t > 1.2, dominoes.model().bodies
    load = sum(result[f"floor{k}.force"][late].mean() for k in range(dominoes.COUNT)) + result["land.force"][late].mean()
    weight = sum(body.mass for body in bodies.values()) * 9.81
    return bool((np.diff(times) > 0).all() and abs(load - weight) < 0.01 * weight)


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
    "engine": pistons_and_valves,
    "stewart": plate_where_it_should_be,
    "rover": carried_by_the_road,
    "spacecraft": hinges_in_step,
    "slider-crank": damper_takes_the_energy,
    "squeezer": published_angle,
    "elastic-slider-crank": drive_of_the_elastic_rod,
    "landing-gear": touched_down,
    "rocket": launched,
    "dominoes": fallen_one_by_one,
    "deployment": latched_one_by_one,
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
        assert name in ("quadruped", "free-kick", "rover")  # Python code has no place in a file
        return
    model.save(tmp_path / "model.toml")
    assert Model.load(tmp_path / "model.toml") == model


def test_the_rover_counts_its_bodies_as_the_report_does():
    story, bodies = ALL_DEMOS["rover"].story, rover.model().bodies
    moving = sum(body.mass > 0 for body in bodies.values())
    assert f"{moving} bodies" in story and f"(the {len(bodies)}th body)" in story
