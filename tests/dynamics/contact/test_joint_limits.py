"""Stops of joints: forces by laws, impacts as events, rest at a stop; closed forms of single impacts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr

g = 9.81


def slider(stop: sr.JointLimit, q: float = 0.0, v: float = 0.0, gravity: float = 0.0, **joint: object) -> sr.Model:
    m = sr.Model("slider", gravity=(0, 0, -gravity))
    m.add(sr.Body("block", mass=2, inertia=(1, 1, 1)))
    m.add(sr.Prismatic("rail", "ground", "block", axis="z", q=q, v=v, **joint))
    m.add(stop)
    return m


def test_exponential_stop_keeps_energy_and_turns_where_it_must() -> None:
    """Without damping the depth is ln(1 + α m v²/(2k))/α; the speed is reversed."""
    k, alpha, v = 5.0, 300.0, -3.0
    stop = sr.JointLimit("stop", "rail", lower=-0.5, law=sr.ExponentialLaw(k, alpha))
    r = slider(stop, v=v).simulate(0.4, step=1e-4, tolerance=1e-10)
    assert r["rail.v"][-1] == pytest.approx(3.0, rel=1e-7)
    far = math.exp(-alpha * 0.5)
    assert r["stop.depth"].max() == pytest.approx(math.log(far + alpha * 2 * v**2 / (2 * k)) / alpha, rel=1e-5)
    energy = r["energy.total"]
    assert np.abs(energy - energy[0]).max() < 1e-7 * energy[0]
    assert r["stop.force"].max() == pytest.approx(alpha * 9.0, rel=1e-3)


@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "abm", "radau5", "bdf", "park", "generalized-alpha"])
def test_no_integrator_passes_through_a_steep_stop(integrator: str) -> None:
    """Steps that end far behind the stop, where the force is 10²⁰ N, are tried and rejected."""
    for steepness in (1e2, 1e4):
        stop = sr.JointLimit("stop", "rail", lower=-0.5, law=sr.ExponentialLaw(1.0, steepness))
        r = slider(stop, v=-1.0).simulate(1.0, output=0.001, integrator=integrator, tolerance=1e-6)
        assert r["stop.depth"].max() < 1.1 * math.log(steepness) / steepness
        assert r["rail.v"][-1] == pytest.approx(1.0, abs=2e-3)


def test_steps_in_the_exponential_stop_follow_its_time_scale() -> None:
    """The motion within depends on t α v alone, and so does the smallest step."""
    smallest = []
    for steepness in (1e2, 1e4, 1e6):
        stop = sr.JointLimit("stop", "rail", lower=-0.5, law=sr.ExponentialLaw(1.0, steepness))
        smallest.append(
            slider(stop, v=-1.0).simulate(1.0, output=0.5, integrator="dop853", tolerance=1e-8).stats["smallest_step"] * steepness
        )
    assert min(smallest) > 0.2 and max(smallest) / min(smallest) < 1.5


def test_exponential_stop_is_the_law_of_the_paper_at_both_bounds() -> None:
    law = sr.ExponentialLaw(stiffness=5, steepness=40, damping=0.7)
    system = slider(sr.JointLimit("stop", "rail", -0.2, 0.3, law=law)).compile()
    for q, v in ((-0.25, 0.5), (-0.1, -2.0), (0.28, 3.0), (0.31, -1.0)):
        lower, upper = (5 - 0.7 * v) * math.exp(-40 * (q + 0.2)), (5 + 0.7 * v) * math.exp(40 * (q - 0.3))
        assert system.accelerations([q], [v])[0] == pytest.approx((lower - upper) / 2, rel=1e-12)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_hunt_crossley_stop_has_its_restitution(formulation: str) -> None:
    law = sr.HuntCrossley(1e8, restitution=0.6, speed=3.0)
    r = slider(sr.JointLimit("stop", "rail", upper=0.3, law=law), v=3.0).simulate(0.3, tolerance=1e-10, formulation=formulation)
    assert r["rail.v"][-1] == pytest.approx(-1.8, rel=1e-6)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_restitution_by_events(formulation: str) -> None:
    """Between two stops without gravity: times of impacts and speeds in closed form."""
    r = slider(sr.JointLimit("stop", "rail", -0.5, 0.5, restitution=0.8), v=2.0).simulate(1.7, formulation=formulation)
    assert [event["name"] for event in r.events] == ["stop upper", "stop lower", "stop upper"]
    assert [event["t"] for event in r.events] == pytest.approx([0.25, 0.25 + 1 / 1.6, 0.25 + 1 / 1.6 + 1 / 1.28], abs=1e-9)
    assert r["rail.v"][-1] == pytest.approx(-2 * 0.512, rel=1e-9)
    assert r["stop.depth"].max() < 1e-9


def test_falling_block_comes_to_rest_at_its_stop() -> None:
    """Restitution while it is fast, the law when it is slow: it ends at rest with its weight on the stop."""
    stop = sr.JointLimit("stop", "rail", lower=0.0, law=sr.HuntCrossley(1e7, damping=20), restitution=0.5, rest_speed=0.02)
    r = slider(stop, q=0.2, gravity=g).simulate(1.5, output=0.001, integrator="radau5", tolerance=1e-7)
    hits = [
        event["t"] for event in r.events if event["energy_after"] < 0.9999 * event["energy_before"]
    ]  # slow ones are noted too
    first = math.sqrt(0.4 / g)
    expected = [first + 2 * first * sum(0.5**k for k in range(1, n + 1)) for n in range(len(hits))]
    speeds = [g * first * 0.5**n for n in range(len(hits))]
    assert hits == pytest.approx(expected, abs=1e-5)
    assert 5 <= len(hits) <= 7 and speeds[-1] > 0.02
    assert r["rail.v"][-1] == pytest.approx(0.0, abs=1e-6)
    assert r["stop.force"][-1] == pytest.approx(2 * g, rel=1e-5)


def test_restitution_alone_chatters_and_says_so() -> None:
    with pytest.raises(sr.SimulationError, match=r"stop lower.*chatters"):
        slider(sr.JointLimit("stop", "rail", lower=0.0, restitution=0.5), q=0.2, gravity=g).simulate(2.0)


def test_limits_of_the_joint_itself() -> None:
    law = sr.HuntCrossley(1e6, damping=0.0)
    m = slider(sr.JointLimit("stop", "rail", law=law), v=1.0, limits=(-0.1, 0.2))
    assert m.forces["stop"].bounds(m.joints) == (-0.1, 0.2)
    r = m.simulate(1.0, step=0.001)
    assert -0.12 < r["rail.q"].min() < -0.1 and 0.2 < r["rail.q"].max() < 0.22
    plain = sr.Model("arm")
    plain.add(sr.Body("a", mass=1, com=(1, 0, 0)), sr.Body("b", mass=1, com=(1, 0, 0), inertia=(1, 1, 1)))
    plain.add(sr.Revolute("A", "ground", "a", axis="y", limits=(-1, 1)), sr.Cylindrical("B", "a", "b", axis="z"))
    plain.add(*sr.joint_limits(plain, law=law), sr.JointLimit("far", "B", upper=1.0, law=law, freedom=1))
    assert list(plain.forces) == ["A stop", "far"]
    assert np.isfinite(plain.compile().accelerations([0.0, 0.0, 2.0], [0.0, 0.0, 0.0])).all()


def double_pendulum(stop: dict, **settings: object) -> sr.Result:
    m = sr.Model("double pendulum with stops")
    for k, name in enumerate(("upper", "lower")):
        m.add(sr.Body(name, mass=1, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0.001), position=(0, 0, -k)))
    m.add(sr.Revolute("O", "ground", "upper", at=(0, 0, 0), axis="y", q=1.2))
    m.add(sr.Revolute("A", "upper", "lower", at=(0, 0, -1), axis="y"))
    m.add(sr.JointLimit("knee", "A", -0.3, 0.3, **stop))
    return m.simulate(2.0, **{"output": 0.001} | settings)


def test_double_pendulum_with_stops() -> None:
    """A stiff elastic stop and elastic impacts are the same motion in the limit; energy is kept by both."""
    hard = double_pendulum({"restitution": 1.0}, tolerance=1e-10)
    error = []
    for stiffness in (1e6, 1e8):
        soft = double_pendulum({"law": sr.Hertz(stiffness)}, tolerance=1e-10)
        energy = soft["energy.total"]
        assert np.abs(energy - energy[0]).max() < 1e-6 * abs(energy[0])
        first = hard.t < 0.9
        error.append(np.abs(soft["A.q"] - hard["A.q"])[first].max())
    assert len(hard.events) >= 3
    assert error[1] < 0.25 * error[0] and error[1] < 0.01
    for event in hard.events:
        assert event["energy_after"] == pytest.approx(event["energy_before"], rel=1e-10)
    assert np.abs(hard["A.q"]).max() < 0.3 + 1e-9


def test_stop_in_a_cut_joint() -> None:
    """Four-bar: the stop of a joint that is cut acts as in joint coordinates of the other formulation."""

    def run(formulation: str) -> np.ndarray:
        m = sr.Model("four-bar")
        points = [(0, 0, 0), (0, 0, 1), (2, 0, 1), (2, 0, 0)]
        for k, name in enumerate("abc"):
            middle = tuple((x + y) / 2 for x, y in zip(points[k], points[k + 1], strict=True))
            m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), position=middle))
        ends = ("ground", "a", "b", "c", "ground")
        for k in range(4):
            m.add(sr.Revolute(f"J{k}", ends[k], ends[k + 1], at=points[k], axis="y", v=1.0 if k == 0 else 0.0))
        for k in range(4):
            m.add(sr.JointLimit(f"stop{k}", f"J{k}", -0.4, 0.4, law=sr.ExponentialLaw(1, 100, 0.1)))
        return m.simulate(1.5, step=0.01, tolerance=1e-10, formulation=formulation)["J0.q"]

    q = run("joint")
    assert 0.35 < np.abs(q).max() < 0.55
    assert np.abs(q - run("absolute")).max() < 1e-6


def test_files_hold_stops(tmp_path: Path) -> None:
    m = slider(sr.JointLimit("stop", "rail", -0.5, law=sr.ExponentialLaw(1, 100, 0.1), restitution=0.5), limits=(-1, 1))
    m.add(sr.JointLimit("other", "rail", restitution=0.2))
    m.save(tmp_path / "m.toml")
    again = sr.Model.load(tmp_path / "m.toml")
    assert again == m and list(again.events) == ["stop lower", "other lower", "other upper"]
    assert "events" not in (tmp_path / "m.toml").read_text()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: sr.JointLimit("s", "rail", 1, 0, law=sr.Hertz(1)), "lower = 1.0 must be below upper"),
        (lambda: sr.JointLimit("s", "rail", 0, 1), "law is missing"),
        (lambda: sr.JointLimit("s", "rail", 0, 1, restitution=2), "must not be above 1"),
        (lambda: slider(sr.JointLimit("s", "rail", law=sr.Hertz(1))).compile(), "has no limits"),
        (lambda: slider(sr.JointLimit("s", "rail", 0, 1, law=sr.Hertz(1), freedom=1)), "freedom = 1 does not exist"),
    ],
)
def test_wrong_stops_are_named(make: object, text: str) -> None:
    with pytest.raises(sr.ModelError, match=text):
        make()


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("law", [None, sr.HuntCrossley(1e4, 0.3)])
def test_stops_tell_force_and_depth_to_formulas_too(law, formulation) -> None:
    """As channels and as names in signals and events; without a law there is no force, and depth is minus the distance."""
    m = slider(sr.JointLimit("stop", "rail", -0.1, 0.2, law=law, restitution=None if law else 0.5), q=0.05, v=-2.0)
    m.add(
        sr.Signal("force", "stop.force"), sr.Signal("depth", "stop.depth"), sr.LowPass("felt", "stop.force", time_constant=0.01)
    )
    m.add(sr.Event("near", "stop.depth > -0.03"))
    r = m.simulate(0.2, output=0.002, tolerance=1e-9, formulation=formulation)
    np.testing.assert_allclose(r["depth"], np.maximum(-0.1 - r["rail.q"], r["rail.q"] - 0.2), atol=1e-12)
    np.testing.assert_allclose(r["depth"], r["stop.depth"], atol=1e-12)
    np.testing.assert_allclose(r["force"], r["stop.force"], rtol=1e-9, atol=1e-9)
    assert next(event["t"] for event in r.events if event["name"] == "near") == pytest.approx(0.06, abs=1e-9)
    assert (r["force"] == 0).all() if law is None else r["force"].max() > 100
    m.add(sr.Signal("wrong", "stop.loss"))
    with pytest.raises(sr.ModelError, match=r"'stop.loss' does not exist; JointLimit 'stop' has stop.force and stop.depth"):
        m.compile()


def test_the_stop_of_a_joint_that_is_held_has_no_force() -> None:
    m = slider(sr.JointLimit("stop", "rail", -0.1, law=sr.HuntCrossley(1e4, 0.3)), v=-2.0)
    m.add(sr.Signal("force", "stop.force"), sr.Signal("depth", "stop.depth"))
    m.add(sr.Event("deep", "stop.depth > 0.01", sr.Lock("rail")))
    r = m.simulate(0.1, output=0.01)
    after = r.t > r.events[0]["t"]
    assert r["force"][after].max() == 0.0
    np.testing.assert_allclose(r["depth"][after], 0.01, atol=1e-9)
