"""Tables of coordinates and speeds: knots that the argument passes end a step, whatever the steps."""

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.integrate import ALL_INTEGRATORS

TURN = 2.0 * math.pi
# a torque of 10 Nm between 1 and 2 rad of every turn, on ramps of a thousandth: 10 J a turn
STROKE = sr.Table((0, 1, 1.001, 2, 2.001, 3, TURN), (0, 0, 10, 10, 0, 0, 0), outside="repeat")


def crank(speed=5.0, **drive):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Revolute("R", "ground", "b", axis="z", v=speed, **drive))
    return m


def work(table, q):
    """∫ table dq from 0 to q, by the trapezoidal rule on its knots."""
    turns, rest = divmod(q, TURN)
    x = np.unique(np.append(np.clip(table.x, 0, rest), rest))
    return turns * np.trapezoid(table.y, table.x) + np.trapezoid([table.evaluate(at) for at in x], x)


def speed_at(table, q, speed=5.0):
    return math.sqrt(speed**2 + 2.0 * work(table, q))


TOLERANCES = {"implicit-euler": 2e-4, "bdf": 1e-6, "park": 1e-5, "radau5": 1e-7}


@pytest.mark.parametrize("integrator", [name for name, kind in ALL_INTEGRATORS.items() if kind.adaptive])
def test_torque_of_strokes(integrator):
    result = crank(torque=STROKE).simulate(3, integrator=integrator)
    expected = speed_at(STROKE, result["R.q"][-1])
    assert result["R.v"][-1] == pytest.approx(expected, rel=TOLERANCES.get(integrator, 1e-7))


@pytest.mark.parametrize("integrator", ["dop853", "abm", "radau5", "bdf"])
def test_torque_of_strokes_in_absolute_coordinates(integrator):
    result = crank(torque=STROKE).simulate(2, integrator=integrator, formulation="absolute")
    assert result["R.v"][-1] == pytest.approx(speed_at(STROKE, result["R.q"][-1]), rel=2e-5 if integrator == "abm" else 2e-6)


def test_random_strokes():
    """Pieces of any width: ½ J ω² grows by the work of the table."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        edges, levels = np.sort(rng.uniform(0.1, 6.0, 4)), rng.uniform(-3, 10, 3)
        width = 10.0 ** rng.uniform(-5, -2)
        x = [0.0, *(e for edge in edges for e in (edge, edge + width)), TURN]
        y = [0.0, 0.0, levels[0], levels[0], levels[1], levels[1], levels[2], levels[2], 0.0, 0.0]
        if (np.diff(x) <= 0).any():
            continue
        table = sr.Table(x, y, outside="repeat")
        result = crank(speed=8.0, torque=table).simulate(6.0)
        assert result["R.v"][-1] == pytest.approx(speed_at(table, result["R.q"][-1], 8.0), rel=1e-7)


@pytest.mark.parametrize("integrator", [name for name, kind in ALL_INTEGRATORS.items() if kind.adaptive])
def test_flanks_that_are_no_place_to_stop(integrator):
    """Levels joined by 1e-6 rad: a step that ends behind a flank sees the level before it in all stages, not what comes there."""
    rng = np.random.default_rng(7)
    for _ in range(6):
        edges, levels = np.sort(rng.uniform(0.1, 6.0, 6)), rng.uniform(0.5, 4, 3)
        x = [0.0, *(e for edge in edges for e in (edge, edge + 1e-6)), TURN]
        y = [0.0, *(v for level in levels for v in (0.0, level, level, 0.0)), 0.0]
        table = sr.Table(x, y, outside="repeat")
        result = crank(speed=2.0, torque=table).simulate(8.0, integrator=integrator)
        expected = speed_at(table, result["R.q"][-1], 2.0)
        assert result["R.v"][-1] == pytest.approx(expected, rel=1e-4 if integrator == "implicit-euler" else 2e-6)


def test_every_way_to_a_table():
    """As a torque, a joint force, in a formula of signals, by Lookup, on a grid."""
    expected = crank(torque=STROKE).simulate(4.0)["R.q"][-1]
    grid = sr.GridTable(((0.0, 1.0, 1.001, 2.0, 2.001, TURN), (0.0, 100.0)), [[v, v] for v in (0.0, 0.0, 10.0, 10.0, 0.0, 0.0)])
    turned = f"R.q - {TURN!r}*floor(R.q/{TURN!r})"
    ways = [
        (sr.JointForce("F", "R", STROKE),),
        (sr.Signal("u", "stroke(R.q)", tables={"stroke": STROKE}), sr.JointForce("F", "R", "u")),
        (sr.Lookup("u", "R.q", STROKE), sr.JointForce("F", "R", "u")),
        (sr.Lookup("u", [turned, "R.v"], grid), sr.JointForce("F", "R", "u")),
    ]
    for way in ways:
        m = crank()
        m.add(*way)
        assert m.simulate(4.0)["R.q"][-1] == pytest.approx(expected, rel=1e-8)


def test_table_of_a_speed():
    """v̇ = a(v), piecewise linear: 2 v up to 1, then 2 (2 - v) up to 2."""
    table = sr.Table((0, 1, 2), (0, 2, 0), outside="extend")
    result = crank(speed=0.5, torque=0.0, stiffness=0.0)
    result.add(sr.Lookup("u", "R.v", table), sr.JointForce("F", "R", "u"))
    t = 0.5 * math.log(2.0)  # at v = 1
    assert result.simulate(2.0)["R.v"][-1] == pytest.approx(2.0 - math.exp(-2.0 * (2.0 - t)), rel=1e-8)


def test_a_motion_that_turns_back_at_a_knot():
    """A wall of 10⁴ N/m behind q = 1: it comes back with the speed it had."""
    wall = sr.Table((0, 1, 2), (0, 0, -1e4), outside="extend")
    result = crank(speed=1.0, torque=wall).simulate(3.0)
    assert result["R.v"][-1] == pytest.approx(-1.0, rel=1e-7)


def test_smooth_tables_are_not_located():
    fine = sr.Table(np.linspace(0, TURN, 200), np.sin(np.linspace(0, TURN, 200)), kind="cubic", outside="repeat", smooth=True)
    assert crank(torque=fine).compile().n_switches == 0
    assert crank(torque=sr.Table((0, 1), (0, 1), outside="extend")).compile().n_switches == 0  # a straight line has no knots


def test_smooth_in_files(tmp_path):
    m = crank(torque="smooth(sign(q)) + 2")
    m.add(sr.Lookup("u", "R.q", sr.Table((0, 1, 2), (0, 1, 0), smooth=True)))
    m.save(tmp_path / "m.toml")
    again = sr.Model.load(tmp_path / "m.toml")
    assert again.signals["u"].table.smooth and again.joints["R"].torque == ("smooth(sign(q)) + 2",)
    assert again.compile().n_switches == 0


WAVE = sr.Table((-1.0, -0.3, 0.4, 1.0), (1.0, -2.0, 3.0, -1.0))


def wave_work(w, t_end=1.0):
    """∫ WAVE(sin(w t)) dt, piece by piece between the moments at which the sine passes a knot."""
    turns = np.arange(-1, int(w * t_end / math.pi) + 2)
    knots = np.concatenate([k * math.pi + (-1.0) ** k * np.arcsin([-0.3, 0.4]) for k in turns])
    cuts = np.unique(np.clip(np.append(knots / w, (0.0, t_end)), 0.0, t_end))
    lengths = np.diff(cuts)
    within = np.sin(w * (cuts[:-1] + 0.3 * lengths))  # not the middle, where the sine may stand at a knot
    slopes = [(WAVE.evaluate(x + 1e-6) - WAVE.evaluate(x - 1e-6)) / 2e-6 for x in within]
    starts = [WAVE.evaluate(x) - s * x for x, s in zip(within, slopes, strict=True)]
    return float(np.dot(starts, lengths) + np.dot(slopes, (np.cos(w * cuts[:-1]) - np.cos(w * cuts[1:])) / w))


@pytest.mark.parametrize("way", [{}, {"integrator": "radau5"}, {"integrator": "abm"}, {"formulation": "absolute"}])
@pytest.mark.parametrize("w", [3.0, 4.5, 8.1319, 22.8053, 24.1563])
def test_a_signal_that_touches_a_knot(w, way):
    """sin(w t) comes to the knot at 1 and turns there: behind it the piece below holds, not the one beyond."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x"))
    m.add(sr.Signal("goal", f"sin({w}*t)"), sr.Lookup("n", ("goal",), WAVE), sr.JointForce("f", "P", "n"))
    result = m.simulate(1.0, **way)
    assert result["P.v"][-1] == pytest.approx(wave_work(w), abs=1e-7)
    assert result.stats["steps"] < 1000 and result.stats["smallest_step"] > 1e-9


@pytest.mark.parametrize("integrator", ["auto", "dopri5", "radau5", "abm"])
def test_steep_flanks_for_many_turns(integrator):
    """A torque of 10 N m between 1 and 2 rad of every turn, with flanks of 1e-6 rad: 134 turns, the last ones at 160 rad/s.

    A flank is 1e-6 of a step there, and rounding of time is a part of its length that means nothing for the piece behind it.
    """
    flank, m = 1e-6, sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("k", mass=1, inertia=(0.1, 0.1, 0.1)), sr.Revolute("C", "ground", "k", axis="y", v=5.0))
    knots = (0.0, 1.0, 1.0 + flank, 2.0, 2.0 + flank, 2.0 * math.pi)
    wave = sr.Table(knots, (0, 0, 10, 10, 0, 0), outside="repeat")
    m.add(sr.Signal("u", "wave(C.q)", tables={"wave": wave}), sr.JointForce("f", "C", "u"))
    result = m.simulate(10.0, output=0.01, integrator=integrator)
    turns, angle = np.divmod(result["C.q"], 2.0 * math.pi)
    work = 10.0 * (turns + np.clip(angle - 1.0 - 0.5 * flank, 0.0, 1.0))
    assert turns[-1] > 130
    assert result["C.v"] == pytest.approx(np.sqrt(25.0 + 2.0 * work / 0.1), rel=2e-5 if integrator == "abm" else 2e-6)


@pytest.mark.parametrize("integrator", ["dop853", "abm"])
def test_rest_on_a_steep_flank(integrator):
    """A torque that falls from 10 to -6 N m within 1e-6 rad holds the crank: it swings there ever less, at kilohertz in the end.

    Where it turns back within 1e-8 rad behind a knot, the piece before the knot holds again.
    """
    knots = (0.0, 1.0, 1.0 + 1e-6, 2.0, 2.0 + 1e-6, TURN)
    table, inertia, loss = sr.Table(knots, (10, 10, -6, -6, 10, 10), outside="repeat"), 0.06, 0.2
    m = sr.Model(gravity=(0, 0, 0))
    m.add(
        sr.Body("b", mass=1, inertia=(inertia,) * 3), sr.Revolute("R", "ground", "b", axis="z", v=3.0, torque=table, damping=loss)
    )
    m.add(sr.Integral("lost", f"{loss}*R.v^2"))
    result = m.simulate(12.0, output=0.1, integrator=integrator)
    q, v = result["R.q"], result["R.v"]
    energy = 0.5 * inertia * v**2 - np.array([work(table, x) for x in q]) + result["lost"]
    assert energy == pytest.approx(np.full(len(q), energy[0]), abs=1e-6)
    assert q[-1] % TURN == pytest.approx(1.0, abs=2e-6)
    assert abs(v[-1]) < 1e-3
