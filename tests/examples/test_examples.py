"""Every example runs, writes its picture where it is told to, and has one number that mechanics knows."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sharnir.app.demos import ALL_DEMOS
from sharnir.model.files.model_file import load_run
from sharnir.results import Result

FOLDER = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "make_figures")
MODELS = sorted(path.stem for path in FOLDER.glob("*.toml"))


def work_of_air(found: dict[str, Any]) -> bool:
    """The energy that the ball loses is the work of the air."""
    result = found["result"]
    power = np.sum(result["air.force"][:, :3] * result["ball.velocity"], axis=1)
    return abs(np.trapezoid(power, result.t) - found["work"]) < 1e-3 * abs(found["work"]) and 2.0 < found["bend"] < 3.0


# what must hold for the names that a script leaves behind
SCRIPT_CHECKS = {
    "ball_screw": lambda f: f["error"] < 1e-9 and "q_screw''" in str(f["equations"]),
    "braking_car": lambda f: (
        1.0 < f["distance"]["controlled"] / f["best"] < 1.05 and 1.5 < f["distance"]["locked"] / f["best"] < 1.65
    ),
    "cam_follower": lambda f: f["drift"] < 1e-7 and f["balance"] < 1e-5 and f["contact"].min() > 0.0,
    "cable": lambda f: f["drift"] < 1e-7,
    "clearance": lambda f: 3.0 < f["peak"] < 8.0 and 2.0 < f["free"] < 40.0 and np.hypot(*f["offset"]).max() < 0.25,
    "crane_without_swing": lambda f: f["best"].success and f["left"]["shaped"] < 1e-3 < 20.0 < f["left"]["smooth"],
    "double_pendulum": lambda f: f["drift"] < 1e-8,
    "elastic_slider_crank": lambda f: abs(f["work"] - f["gained"]) < 1e-3 * abs(f["work"]) and f["held"].estimate.relative < 0.1,
    "ensemble": lambda f: 0.9e-6 < f["spread"][0] < 1.1e-6 and 4.0 < f["horizon"] < 9.0,
    "four_bar": lambda f: f["difference"] < 1e-5 and f["gap"] < 1e-10 and len(f["result"].stats["redundant"]) == 3,
    "free_kick": work_of_air,
    "joint_friction": lambda f: all(f["inside"].values()) and 4e-4 < f["found"].rms < 6e-4,
    "inverted_pendulum": lambda f: f["difference"] < 0.01 and abs(f["result"]["hinge.q"][-1]) < 1e-4,
    "methods": lambda f: f["difference"] < 1e-10,
    "mujoco_arm": lambda f: f["error"] < 1e-6 * np.abs(f["weight"]).max() and 0.15 < f["share"] < 0.3,
    "pendulum": lambda f: f["error"] < 1e-11,
    "quadruped": lambda f: abs(f["load"] - f["weight"]) < 0.05,
    "robot_path": lambda f: 1e3 * f["deviation"]["computed torque"].max() < 5.0 < 1e3 * f["deviation"]["plain PD"].max(),
    "robot_arm": lambda f: abs(f["work"] - f["gained"]) < 1e-3 and abs(f["gained"]) > 10.0,
    "roller_coaster": lambda f: f["error"] < 1e-6 and f["lateral"] < 0.01 and 4.0 < f["seat"].max() < 5.0,
    "shaken_pendulum": lambda f: f["difference"] < 1e-8 and f["stable"] > 1.0 and f["late"] < 0.1,
    "somersault": lambda f: f["drift"] < 1e-6 and 3.0 < f["spin"].max() / f["spin"][0] < 5.0,
    "top": lambda f: np.ptp(f["tilts"]) < 1e-9,
    "triple_pendulum": lambda f: f["difference"] < 1e-9,
    "tuned_pendulum": lambda f: abs(f["length"] - f["exact"]) < 1e-7 and f["error"] < 1e-4,
    "tuned_suspension": lambda f: (
        f["best"].success and f["free"].value < f["best"].value < f["sweep"]["discomfort"][f["kept"]].min()
    ),
    "tumbling_box": lambda f: abs(f["period"] - f["expected"]) < 1e-4 * f["expected"],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SHARNIR_EXAMPLES_DIR", str(tmp_path))
    found = runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert SCRIPT_CHECKS[name](found)
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.png"]
    assert any(character.isdigit() for character in capsys.readouterr().out)


def exact_pendulum(result: Result) -> bool:
    """Jacobi's elliptic functions (IFToMM A01, mirrored)."""
    return bool(np.abs(result["bob.position"][-1] - (0.27508746257611686, 0.0, -0.96141920509912506)).max() < 1e-5)


def slowed_spin(result: Result) -> bool:
    """Open and at rest relative to each other, the bodies turn with the angular momentum they had folded."""
    panels = sum(2 * 6.0 * ((1.2**2 + 1.0**2) / 12 + d**2) for d in (1.0, 2.0))
    spin = result["system.angular_momentum"][0, 2] / (100.0 * 2.0 / 12 + panels)
    return abs(result["hub.angular_velocity"][-1, 2] - spin) < 1e-4 * spin and spin < 0.2


def transmissibility(result: Result) -> bool:
    """Steady amplitude of the linear mass against the table: a r² / |1 - r² + 2 i ζ r|; the hardening one differs."""
    w, natural = 18.0, np.sqrt(2000.0 / 5.0)
    r, zeta = w / natural, 12.0 / (2 * 5.0 * natural)
    expected = 0.01 * r**2 / np.hypot(1 - r**2, 2 * zeta * r)
    steady = result.t > 8.0
    linear, hardening = (np.abs(result[f"{name}.q"][steady]).max() for name in ("linear", "hardening"))
    return abs(linear - expected) < 2e-3 * expected and abs(hardening - linear) > 0.1 * linear


def on_the_step(result: Result) -> bool:
    """The car comes to rest one step higher, and its tyre carries both weights."""
    height = result["chassis.position"][-1, 2] - result["chassis.position"][0, 2]
    return abs(height - 0.05) < 1e-4 and abs(result["tyre.force"][-1] + 340.0 * 9.81) < 5.0


def damped_by_the_spring(result: Result) -> bool:
    """What is lost is the work of the spring's damper; the crank starts as the file says."""
    taken, lost = np.trapezoid(result["return.rate"] ** 2, result.t), result.energy.total[0] - result.energy.total[-1]
    return abs(lost - taken) < 1e-2 * taken and abs(result["O.v"][0] - 20.0) < 1e-9 and result.stats["position_residual"] < 1e-9


MODEL_CHECKS = {
    "pendulum": exact_pendulum,
    "quarter_car": on_the_step,
    "satellite": slowed_spin,
    "shaker": transmissibility,
    "slider_crank": damped_by_the_spring,
}


@pytest.mark.parametrize("name", MODELS)
def test_model_file(name: str) -> None:
    model, settings = load_run(FOLDER / f"{name}.toml")
    assert MODEL_CHECKS[name](model.simulate(**settings))


def test_the_page_shows_every_example_and_demo() -> None:
    page = FOLDER.parent / "docs" / "examples.md"
    text = page.read_text(encoding="utf-8")
    shown = {path.name for path in (page.parent / "figures" / "examples").glob("*.png")}
    wanted = {f"{name}.png" for name in SCRIPTS} | {f"{name}_toml.png" for name in MODELS}
    wanted |= {f"demo-{name}.png" for name in ALL_DEMOS}
    plots = {f"demo-{name}-plot.png" for name, demo in ALL_DEMOS.items() if demo.picture is not None}
    assert shown == wanted | plots
    for name in shown - plots:
        label = re.search(rf"^\[(.+)\]: figures/examples/{re.escape(name)}$", text, re.MULTILINE)
        assert label is not None and f"| ![{label[1]}] |" in text
    for name in plots:
        assert f"](figures/examples/{name})" in text
    for name in shown:
        assert (page.parent / "figures" / "examples" / name).stat().st_size < (150_000 if name in plots else 60_000)
    words = " ".join(text.split())
    for demo in ALL_DEMOS.values():
        assert f"- `{demo.name}`: {demo.story}" in words
