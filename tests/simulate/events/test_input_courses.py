"""Program motions that follow numbers from outside: callbacks, steppers, events, against the motion that they sample."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.memory.input_course import read_course
from sharnir.errors import FormulaError, ModelError
from sharnir.model.files.model_file import run_from_text, text_of
from sharnir.simulate.events.input_courses import Course

BOTH = pytest.mark.parametrize("formulation", ["joint", "absolute"])


def double_pendulum(motion, *elements):
    m = sr.Model(parameters={"gear": 2.0})
    m.add(*elements, sr.Body("arm", mass=2, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(1.5, 0, 0)))
    m.add(sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="y", motion=motion))
    m.add(sr.Revolute("P", "arm", "bob", at=(1, 0, 0), axis="y"))
    return m


def wanted(t):
    return 0.5 * (1 - np.cos(3 * t))


def speed(t):
    return 1.5 * np.sin(3 * t)


def test_a_course_has_a_continuous_speed_and_goes_through_its_values():
    course, times = Course(0.3), np.array([0.0, 0.1, 0.25, 0.3, 0.5, 0.6])
    values = np.array([0.3, 0.5, 0.2, 0.2, 0.2, 0.2])
    for t, until, value in zip(times[:-1], times[1:], values[1:], strict=True):
        course.go_on(t, until, value)
    for t, value in zip(times, values, strict=True):
        assert read_course(course.memory, t, 0) == pytest.approx(value, abs=1e-14)
        left, right = (read_course(course.memory, t + x, 1) for x in (-1e-9, 1e-9))
        assert left == pytest.approx(right, abs=1e-5)
    x, h = 0.17, 1e-5
    for k in (0, 1):  # rates are those of the values
        slope = (read_course(course.memory, x + h, k) - read_course(course.memory, x - h, k)) / (2 * h)
        assert read_course(course.memory, x, k + 1) == pytest.approx(slope, rel=1e-7)
    assert course.go_on(0.6, 0.7, 0.3) and course.go_on(0.7, 0.8, 0.3) and course.go_on(0.8, 0.9, 0.3)
    assert not course.go_on(0.9, 1.0, 0.3) or not course.go_on(1.0, 1.1, 0.3)  # it has come to rest


@BOTH
def test_a_drive_follows_a_callback(formulation):
    """It reaches the given values to rounding; between them and in its speed it is as near as the step allows."""
    exact = double_pendulum("0.5*(1 - cos(3*t))").simulate(1.0, output=0.01, tolerance=1e-10)
    errors = []
    for period in (0.04, 0.02):
        m = double_pendulum("u", sr.Input("u"))
        given = {"callback": lambda now, period=period: {"u": wanted(now.t + period)}, "communication": period}
        r = m.simulate(1.0, output=0.01, tolerance=1e-10, formulation=formulation, **given)
        nodes = slice(0, None, round(period / 0.01))
        np.testing.assert_allclose(r["O.q"][nodes], exact["O.q"][nodes], atol=1e-12)
        errors.append([np.abs(r[name] - exact[name])[20:].max() for name in ("O.v", "O.drive", "P.q")])
    assert errors[0][0] > 3 * errors[1][0] and errors[0][1] > 1.8 * errors[1][1]  # second order in speed, first in force
    assert errors[1][0] < 2e-3 and errors[1][2] < 1e-6


@BOTH
def test_with_its_speed_the_drive_force_is_that_of_the_motion(formulation):
    exact = double_pendulum("0.5*(1 - cos(3*t))").simulate(1.0, output=0.02, tolerance=1e-10)
    m = double_pendulum("u", sr.Input("u"))
    given = {"callback": lambda now: {"u": (wanted(now.t + 0.02), speed(now.t + 0.02))}, "communication": 0.02}
    r = m.simulate(1.0, output=0.02, tolerance=1e-10, formulation=formulation, **given)
    for name, tolerance in {"O.q": 1e-12, "O.v": 1e-12, "P.q": 2e-7, "P.v": 1e-6, "O.drive": 5e-3}.items():
        np.testing.assert_allclose(r[name], exact[name], atol=tolerance, err_msg=name)


def test_the_work_of_the_drive_is_the_energy_of_the_mechanism():
    """Position, speed and acceleration of a course belong together, also where the given values jump about."""
    rng = np.random.default_rng(5)
    m = double_pendulum("gear*u + 0.1*sin(5*t)", sr.Input("u"))
    m.add(sr.Integral("work", "O.drive*O.v"))
    given = {"callback": lambda now: {"u": rng.uniform(-0.05, 0.05)}, "communication": 0.1}
    r = m.simulate(1.0, output=0.02, tolerance=1e-10, **given)
    energy = r["energy.total"]
    np.testing.assert_allclose(r["work"], energy - energy[0], atol=1e-6 * np.ptp(energy) + 1e-6)
    assert np.ptp(energy) > 0.1


def test_a_stepper_and_an_event_make_the_same_motion():
    """Steps of different length; a joint that is let go in between changes the equations, the drive goes on."""
    times = np.cumsum([0.03, 0.05, 0.02, 0.04, 0.06, 0.05, 0.05])
    m = double_pendulum("u", sr.Input("u"))
    m.add(sr.Signal("seen", "O.q"), sr.Event("off", at=0.12, actions=sr.Release("P")))
    run = m.stepper(tolerance=1e-10)
    for t in times:
        run.step(t, u=float(wanted(t)))
        assert run["O.q"] == pytest.approx(wanted(t), abs=1e-12) and run["seen"] == pytest.approx(wanted(t), abs=1e-12)
    assert np.isnan(run["P.q"])
    r = run.result()
    np.testing.assert_allclose(r["O.q"], wanted(r.t), atol=1e-12)
    np.testing.assert_allclose(r["arm.position"][:, 0], 0.5 * np.cos(wanted(r.t)), atol=1e-12)


@BOTH
def test_a_motion_that_begins_at_an_event(formulation):
    m = double_pendulum(None, sr.Input("u"))
    m.add(sr.Event("on", at=0.2, actions=sr.SetMotion("O", "q0 + u")))
    given = {"callback": lambda now: {"u": max(0.0, now.t + 0.05 - 0.3) ** 2}, "communication": 0.05}
    r = m.simulate(1.0, output=0.05, tolerance=1e-9, formulation=formulation, **given)
    after = r.t > 0.21
    np.testing.assert_allclose((r["O.q"] - r["O.q"][5])[after], np.maximum(0.0, r.t[after] - 0.3) ** 2, atol=1e-8)
    assert np.isfinite(r["O.drive"][after]).all()


@BOTH
def test_a_winch_and_a_loop_follow_inputs(formulation):
    """The length of a rod: a block on a rail is pulled by it; with a speed that is uniform the motion is exact."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Input("rope", initial=2.0), sr.Body("block", mass=3, inertia=(1, 1, 1)))
    m.add(sr.Prismatic("rail", "ground", "block", axis="x"))
    m.add(sr.Distance("line", "ground", "block", at_a=(-2, 0, 0), length="rope"))
    given = {"callback": lambda now: {"rope": 2.0 - 0.5 * (now.t + 0.1) ** 2}, "communication": 0.1}
    r = m.simulate(0.5, output=0.05, tolerance=1e-10, formulation=formulation, **given)
    np.testing.assert_allclose(r["rail.q"], -0.5 * r.t**2, atol=1e-9)
    np.testing.assert_allclose(np.abs(r["line.force"]), 3.0, atol=1e-6)


def test_the_ground_follows_an_input():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Input("shake"), sr.Body("block", mass=1), sr.Prismatic("rail", "ground", "block", axis="x"))
    m.base_motion = {"x": "shake"}
    r = m.simulate(0.4, output=0.1, callback=lambda now: {"shake": (now.t + 0.1) ** 2}, communication=0.1)
    np.testing.assert_allclose(r["rail.q"], -(r.t**2), atol=1e-9)
    again, _ = run_from_text(text_of(m))
    assert again == m


def test_two_runs_do_not_disturb_each_other():
    """Channels are computed when somebody asks; courses of one run are not those of another."""
    m = double_pendulum("u", sr.Input("u"))
    one = m.simulate(0.3, output=0.1, callback=lambda now: {"u": now.t + 0.1}, communication=0.1)
    two = m.simulate(0.3, output=0.1, callback=lambda now: {"u": -now.t - 0.1}, communication=0.1)
    np.testing.assert_allclose(one["O.q"], one.t, atol=1e-12)
    np.testing.assert_allclose(two["O.q"], -two.t, atol=1e-12)
    still = m.simulate(0.3, output=0.1)
    assert (still["O.q"] == 0).all()


def test_files_hold_motions_that_follow_inputs():
    m = double_pendulum("gear*u", sr.Input("u", initial=0.2))
    m.add(sr.Signal("seen", "O.q"), sr.Input("w"), sr.JointForce("brake", "P", "w*v"))
    again, _ = run_from_text(text_of(m))
    assert again == m and list(again.signals) == ["u", "seen", "w"] and text_of(again) == text_of(m)
    assert again.simulate(0.1, output=0.1)["O.q"] == pytest.approx([0.4, 0.4])


def test_what_is_wrong_is_said():
    with pytest.raises(FormulaError, match="unknown name 'u'"):
        double_pendulum("u")
    with pytest.raises(FormulaError, match=r"unknown name 'seen'.*a motion may follow an Input, but no other signal"):
        double_pendulum("seen", sr.Signal("seen", "t"))
    with pytest.raises(ModelError, match="Input 'u' cannot be in a triple"):
        double_pendulum(("u", "0", "0"), sr.Input("u")).compile()
    with pytest.raises(ModelError, match="and cannot jump; use SetMotion"):
        double_pendulum("u", sr.Input("u"), sr.Event("e", at=1, actions=sr.SetSignal("u", 1))).compile()
    late = double_pendulum(None, sr.Input("u"))
    late.add(sr.Event("e", at=1, actions=sr.SetMotion("O", "u", relative=True)))
    with pytest.raises(ModelError, match="relative = True is not possible with the Input"):
        late.compile()
    late = double_pendulum(None)
    late.add(sr.Event("e", at=1, actions=sr.SetMotion("O", "q0 + w")))
    with pytest.raises(FormulaError, match=r"Event 'e': SetMotion\('O'\): unknown name 'w'"):
        late.compile()
    with pytest.raises(ModelError, match=r"Input 'w' = \(1, 2\): a pair \(value, rate\) is for inputs that motions follow"):
        double_pendulum("u", sr.Input("u"), sr.Input("w")).stepper().step(0.1, w=(1, 2))
