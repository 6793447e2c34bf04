"""A run: its grid, its statistics, its failures, users' functions, and that it does the same thing twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.integrate import ALL_INTEGRATORS
from sharnir.progress import progress_bar


def pendulum(**options):
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y", **options))
    return m


def slider(torque, **options):
    m = sr.Model("slider", gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=1), sr.Prismatic("rail", "ground", "cart", axis="x", torque=torque, **options))
    return m


# ---- output -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"step": 0.25}, [0, 0.25, 0.5, 0.75, 1.0]),
        ({"step": 0.3}, [0, 0.3, 0.6, 0.9, 1.0]),
        ({"step": 0.001, "output": 0.5}, [0, 0.5, 1.0]),
        ({"output": [0.2, 0.7]}, [0, 0.2, 0.7, 1.0]),
        ({"output": (0.0, 1.0)}, [0, 1.0]),
        ({"step": 7.0}, [0, 1.0]),
    ],
)
def test_grid(options, expected):
    r = pendulum().simulate(1.0, **options)
    assert r.t == pytest.approx(expected, abs=1e-15)
    assert r.t[-1] == 1.0
    assert r["hinge.q"].shape == (len(expected),)


def test_default_grid():
    r = pendulum().simulate(3.0)
    assert (r.t == np.linspace(0, 3, 501)).all()


def test_values_do_not_depend_on_the_grid():
    """Output is interpolated, not stepped on: a finer grid changes nothing at the common times."""
    coarse, fine = (pendulum().simulate(2.0, step=step, tolerance=1e-10) for step in (0.5, 0.01))
    assert coarse["hinge.q"] == pytest.approx(fine["hinge.q"][::50], abs=1e-9)
    assert coarse.stats["steps"] == fine.stats["steps"]


@pytest.mark.parametrize(
    "bad",
    [
        {"t_end": 0.0},
        {"t_end": -1.0},
        {"t_end": np.nan},
        {"t_end": np.inf},
        {"step": 0.0},
        {"step": -0.1},
        {"output": [0.5, 0.2]},
        {"output": [0.5, 2.0]},
        {"output": []},
        {"tolerance": 0.0},
        {"tolerance": 2.0},
        {"integrator": "magic"},
        {"integrator": "rk4"},
        {"method": "magic"},
        {"formulation": "relative"},
    ],
)
def test_bad_settings(bad):
    t_end = bad.pop("t_end", 1.0) if "t_end" in bad else 1.0
    with pytest.raises(sr.ModelError):
        pendulum().simulate(t_end, **bad)


def test_statistics():
    r = pendulum().simulate(2.0, tolerance=1e-9)
    assert r.stats["method"] in ("articulated", "composite")
    assert r.stats["steps"] > 5
    assert r.stats["evaluations"] > r.stats["steps"]
    assert 0 <= r.stats["energy_change"] < 1e-6
    assert r.stats["energy_change"] == pytest.approx(np.abs(r.energy.total - r.energy.total[0]).max(), abs=1e-15)
    assert r.complete
    assert r.title == "pendulum"


@pytest.mark.parametrize("integrator", ALL_INTEGRATORS)
def test_every_integrator_with_quaternions(integrator):
    """Quaternions stay on the sphere, and all integrators find the same motion."""
    m = zoo.model("humanoid")
    step = 0.002 if integrator == "rk4" else 0.1
    r = m.simulate(0.3, step=step, output=0.1, integrator=integrator, tolerance=1e-9)
    reference = m.simulate(0.3, step=0.1, tolerance=1e-12)
    for joint in ("to pelvis", "to head", "to left thigh"):
        assert np.linalg.norm(r[f"{joint}.q"][:, -4:], axis=1) == pytest.approx(1, abs=1e-14)
    close = 1e-4 if ALL_INTEGRATORS[integrator].order == 1 else 1e-6
    assert r["left hand.position"] == pytest.approx(reference["left hand.position"], abs=close)
    assert r.stats["integrator"] == integrator


def test_order_of_adams():
    r = pendulum().simulate(1.0, step=0.1, integrator="abm", order=4, tolerance=1e-8)
    assert r["hinge.q"] == pytest.approx(pendulum().simulate(1.0, step=0.1)["hinge.q"], abs=1e-5)
    with pytest.raises(sr.ModelError, match="order"):
        pendulum().simulate(1.0, integrator="abm", order=40)


@pytest.mark.parametrize("method", ["articulated", "composite", "inverse-iterative", "direct-iterative", "lagrange1"])
def test_the_same_run_twice_is_the_same(method):
    """Bit by bit, whatever was computed before."""
    m = zoo.model("tree 1")
    first = m.simulate(0.3, step=0.01, method=method)
    zoo.system("tree 1", method).accelerations(*zoo.state(zoo.system("tree 1", method), 9))
    second = m.simulate(0.3, step=0.01, method=method)
    for channel in first.channels:
        assert (first[channel] == second[channel]).all(), channel


def test_channels_do_not_depend_on_the_order_of_asking():
    a, b = (zoo.model("prescribed").simulate(0.1, step=0.05) for _ in range(2))
    names = a.channels
    one = {name: a[name].copy() for name in names}
    other = {name: b[name].copy() for name in reversed(names)}
    for name in names:
        assert (one[name] == other[name]).all(), name


def test_nothing_free_to_move():
    m = sr.Model(base_motion={"x": "t^2"})
    m.add(sr.Body("arm", mass=2, com=(1, 0, 0), inertia=(1, 1, 1)), sr.Revolute("motor", "ground", "arm", axis="y", motion="3*t"))
    r = m.simulate(1.0, step=0.5)
    assert r["motor.q"] == pytest.approx(3 * r.t)
    assert r["arm.position"][:, 0] == pytest.approx(r.t**2)
    assert r.stats["steps"] == 0
    # (J + m d²) α = 0: the motor holds weight and inertia of the moving base
    assert r["motor.drive"] == pytest.approx(-2 * (9.81 * np.cos(3 * r.t) + 2 * np.sin(3 * r.t)), rel=1e-9)


# ---- progress, interruption, failure ----------------------------------------------------------------------------------------


def test_progress():
    seen = []
    r = pendulum().simulate(50.0, tolerance=1e-12, progress=seen.append)
    assert r.complete
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert all(0 <= x <= 1 for x in seen)


def test_quiet_in_scripts(capfd):
    pendulum().simulate(0.1)
    pendulum().simulate(0.1, progress=False)
    out, err = capfd.readouterr()
    assert out == ""
    assert err == ""


def test_bar_on_demand():
    """True shows it at once; otherwise it waits for a second, and for a terminal."""
    with progress_bar(True, "title") as show:
        show(0.5)
        assert show.bar.tasks[0].percentage == 50.0
    with progress_bar(None, "title") as show:
        assert show is None


def test_interrupted():
    """Ctrl-C ends the run, and what was computed is there."""

    def stop(part):
        if part > 0.05:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="Ctrl-C"):
        r = pendulum().simulate(2000.0, step=0.5, tolerance=1e-12, progress=stop)
    assert not r.complete
    assert "interrupt" in r.failure
    assert 0 < r.t[-1] < 2000.0
    assert np.isfinite(r["hinge.q"]).all()
    assert len(r["bob.position"]) == len(r.t)


def test_failure_keeps_what_was_computed():
    """v̇ = v² + 1 goes to infinity at t = π/2."""
    with pytest.raises(sr.SimulationError, match="slider") as caught:
        slider("v^2 + 1").simulate(3.0, step=0.01)
    r = caught.value.result
    assert not r.complete
    assert 1.5 < r.t[-1] < 1.58
    assert r["rail.v"] == pytest.approx(np.tan(r.t), rel=1e-5, abs=1e-9)
    assert r["cart.position"].shape == (len(r.t), 3)
    assert isinstance(caught.value, RuntimeError)


def test_failure_at_the_start():
    with pytest.raises(sr.SimulationError) as caught:
        slider("log(q)", q=-1.0).simulate(1.0)
    assert len(caught.value.result.t) <= 1


def test_first_use_of_a_kernel_says_that_it_compiles(tmp_path):
    """On standard error, once in a process, before the silence; not when the kernels are there."""
    script = tmp_path / "two_kernels.py"
    kernel = "@entry\ndef {0}(x):\n    doubles(address(x))[0] += 1.0\n"
    head = "import numpy as np\nfrom sharnir.kernel import address, doubles, entry\n"
    script.write_text(head + kernel.format("one") + kernel.format("two") + "x = np.ones(1)\none(x)\ntwo(x)\nprint(x[0])\n")
    environment = os.environ | {"SHARNIR_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(Path(sr.__file__).parents[1])}
    for count in (1, 0):
        done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=True)
        assert done.stderr.count("compiling kernels") == count
        assert done.stdout == "3.0\n"
