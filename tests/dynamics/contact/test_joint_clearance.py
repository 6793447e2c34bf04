"""Joints with clearance: bearings, slots, curves and surfaces of revolution against closed forms; the slider-crank."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sharnir as sr

g = 9.81
SPEED = 5000 * math.pi / 30  # of the crank [rad/s]


def slider_crank(clearance: float | None, friction: float = 0.0, t_end: float = 0.036, **settings: object) -> sr.Result:
    """Crank 50 mm, rod 120 mm, 5000 rpm; between rod and slider a bearing of 10 mm radius (Ravn 1998, Flores et al. 2006)."""
    m = sr.Model("slider-crank", gravity=(0, 0, 0))
    m.add(sr.Body("crank", mass=0.3, inertia=(1e-4,) * 3, position=(0.025, 0, 0)))
    m.add(sr.Body("rod", mass=0.21, inertia=(2.5e-4,) * 3, position=(0.11, 0, 0)))
    m.add(sr.Body("slider", mass=0.14, inertia=(1e-4,) * 3, position=(0.17, 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", motion=f"{SPEED!r}*t"))
    m.add(sr.Revolute("A", "crank", "rod", at=(0.05, 0, 0), axis="y", v=-SPEED * (1 + 5 / 12)))
    m.add(sr.Prismatic("rail", "ground", "slider", axis="x"))
    if clearance is None:
        m.add(sr.Revolute("B", "rod", "slider", at=(0.17, 0, 0), axis="y"))
    else:
        journal = sr.Cylinder(0.01 - clearance, 0.02, axis="y", center=(0.06, 0, 0))
        stiffness = sr.hertz_stiffness(0.01 - clearance, 207e9, 0.3, -0.01)
        law = sr.LankaraniNikravesh(stiffness, restitution=0.9, speed=1.0)
        rub = sr.Friction(friction, speed=0.01) if friction else None
        m.add(sr.Contact("B", "rod", "slider", journal, sr.Bore(0.01, axis="y"), law=law, friction=rub))
    return m.simulate(t_end, **{"output": 1e-5, "tolerance": 1e-7} | settings)


@pytest.fixture(scope="module")
def turns() -> dict[tuple[float, float], dict[str, float]]:
    """Twenty turns of the crank, the first four left out, by clearance [mm] and friction; peaks over those of an ideal joint."""
    ideal = slider_crank(None, t_end=0.24, output=1e-5)
    late = ideal.t > 0.048
    acceleration, moment = (np.abs(ideal[name][late]).max() for name in ("rail.a", "O.drive"))
    assert acceleration == pytest.approx(0.05 * SPEED**2 * (1 + 5 / 12), rel=1e-3)
    found = {}
    for key in ((0.5, 0.0), (0.1, 0.0), (0.02, 0.0), (0.5, 0.1), (0.02, 0.1)):
        r = slider_crank(1e-3 * key[0], key[1], t_end=0.24, output=1e-5)
        force, once = r["B.force"][late], r["rail.v"][1200 * np.arange(5, 21)]  # at the same angle of the crank
        found[key] = {
            "acceleration": np.abs(r["rail.a"][late]).max() / acceleration,
            "moment": np.abs(r["O.drive"][late]).max() / moment,
            "impacts": ((force[1:] > 0) & (force[:-1] == 0)).sum() / 16,
            "spread": float(np.ptp(once)),
            "place": np.abs(r["rail.q"] - ideal["rail.q"]).max() / (1e-3 * key[0] + r["B.depth"].max()),
        }
    return found


@pytest.mark.slow
def test_slider_crank_with_clearance(turns: dict) -> None:
    """As published: the slider's place differs by about the clearance; accelerations and moments have peaks that grow with it."""
    for row in turns.values():
        assert row["place"] < 1.001 / math.sqrt(1 - (5 / 12) ** 2)  # a journal off its place by e, and the rod's slope
    for quantity in ("acceleration", "moment"):
        peaks = [turns[c, 0.0][quantity] for c in (0.5, 0.1, 0.02)]
        assert peaks == sorted(peaks, reverse=True)
        assert peaks[0] > 5.0 and 1.0 < peaks[-1] < 1.6
    assert [turns[c, 0.0]["impacts"] > 5 for c in (0.5, 0.1, 0.02)] == [True, True, False]  # continuous contact


def test_friction_calms_the_joint(turns: dict) -> None:
    """Without friction a wide joint rattles, never twice the same way; with friction every turn is like the last one."""
    assert turns[0.5, 0.0]["spread"] > 0.05
    for clearance in (0.5, 0.02):
        assert turns[clearance, 0.1]["spread"] < 0.02
    assert turns[0.5, 0.1]["impacts"] == pytest.approx(4.0, abs=0.3)
    for clearance in (0.5, 0.02):
        assert turns[clearance, 0.1]["acceleration"] < turns[clearance, 0.0]["acceleration"]


def by_hand(clearance: float, times: np.ndarray) -> np.ndarray:
    """The slider's place: rod and slider as two equations, written down for this mechanism alone."""
    K, chi = sr.hertz_stiffness(0.01 - clearance, 207e9, 0.3, -0.01), 0.75 * (1 - 0.81)

    def rates(t: float, y: np.ndarray) -> list[float]:
        phi, x, spin, v = y
        crank, rod = np.array([math.cos(SPEED * t), math.sin(SPEED * t)]), np.array([math.cos(phi), math.sin(phi)])
        across = np.array([-rod[1], rod[0]])
        e = 0.05 * crank + 0.12 * rod - [0.17 + x, 0.0]
        ed = 0.05 * SPEED * np.array([-crank[1], crank[0]]) + 0.12 * spin * across - [v, 0.0]
        length = float(np.hypot(*e))
        n = e / length if length > 0 else e
        depth = length - clearance
        N = max(0.0, K * depth**1.5 * (1 + chi * float(n @ ed))) if depth > 0 else 0.0
        turning = -0.12 * N * float(across @ n) + 0.21 * 0.06 * 0.05 * SPEED**2 * float(across @ crank)
        return [spin, v, turning / (2.5e-4 + 0.21 * 0.06**2), N * n[0] / 0.14]

    start = [0.0, 0.0, -SPEED * 5 / 12, 0.0]
    return solve_ivp(rates, (0, times[-1]), start, "DOP853", times, rtol=1e-10, atol=1e-12, max_step=1e-5).y[1]


def test_slider_crank_by_hand() -> None:
    r = slider_crank(0.5e-3, tolerance=1e-10)
    first = r.t <= 0.006
    assert ((r["B.force"][1:] > 0) & (r["B.force"][:-1] == 0))[first[1:]].sum() >= 3
    assert np.abs(r["rail.q"][first] - by_hand(0.5e-3, r.t[first])).max() < 1e-7


def test_clearance_loses_energy_only_by_its_losses() -> None:
    r = slider_crank(0.2e-3, friction=0.1, output=2e-7)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (r["O.drive"][1:] + r["O.drive"][:-1]) * SPEED * np.diff(r.t))])
    lost = np.concatenate([[0.0], np.cumsum(0.5 * (r["B.loss"][1:] + r["B.loss"][:-1]) * np.diff(r.t))])
    energy = r["energy.total"]
    assert lost[-1] > 1.0
    assert np.abs(energy - energy[0] - work + lost).max() < 2e-3 * lost[-1]


def test_clearance_in_absolute_coordinates() -> None:
    first = slice(0, 400)  # behind several impacts motions part
    a, b = slider_crank(0.5e-3, tolerance=1e-9), slider_crank(0.5e-3, formulation="absolute", tolerance=1e-9)
    assert np.abs(a["rail.q"] - b["rail.q"])[first].max() < 1e-7


def test_stiffness_of_that_bearing() -> None:
    """K = 4/(3 (σ + σ)) √(R r/(R - r)), σ = (1 - ν²)/E: 6.61e10 N/m^1.5."""
    sigma = (1 - 0.3**2) / 207e9
    expected = 4 / (3 * 2 * sigma) * math.sqrt(0.01 * 0.0095 / 0.0005)
    assert sr.hertz_stiffness(0.0095, 207e9, 0.3, -0.01) == pytest.approx(expected, rel=1e-12)
    assert expected == pytest.approx(6.61e10, rel=1e-3)


def test_journal_rests_on_both_ends_of_its_bearing() -> None:
    """A shaft in a bearing with length: a load beside the middle is shared by the law of the lever."""
    K, m = 1e8, sr.Model("shaft")
    m.add(sr.Body("shaft", mass=2, shape=sr.Cylinder(0.02, 0.4, axis="x"), position=(0.03, 0, -0.001 - 4e-7)))
    m.add(sr.Contact("bearing", "shaft", "ground", shape_b=sr.Bore(0.021, length=0.1, axis="x"), law=sr.LinearLaw(K)))
    m.add(sr.FreedomSequence("guide", "ground", "shaft", freedoms=(sr.Translation("z"), sr.Rotation("y"))))
    rest = m.statics()
    # forces F1 + F2 = m g at x = ∓0.05; moment about the middle: 0.05 (F2 - F1) = 0.03 m g
    right, left = 2 * g * (0.5 + 0.3), 2 * g * (0.5 - 0.3)
    share = K / 2
    sag_right, sag_left = 0.001 + right / share, 0.001 + left / share
    middle = 0.5 * (sag_right + sag_left)
    angle = (sag_right - sag_left) / 0.1
    q = rest.q - [0.001 + 4e-7, 0.0]
    assert q == pytest.approx([-(middle + angle * 0.03), angle], rel=1e-5)


@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_pin_slides_in_an_inclined_slot(friction: float) -> None:
    angle, K = 0.5, 1e8
    along = (math.cos(angle), 0, -math.sin(angle))
    across = np.array([math.sin(angle), 0, math.cos(angle)])
    m = sr.Model("slot")
    sag = (g * math.cos(angle) / K) ** (2 / 3)
    place = tuple(0.1 * np.array(along) - (0.001 + sag) * across)
    m.add(sr.Body("pin", mass=1, inertia=(1, 1, 1), position=place))
    m.add(sr.Planar("plane", "ground", "pin", axis="y"))
    slot = sr.Slot((0, 0, 0), tuple(2 * x for x in along), 0.011, axis="y")
    rub = sr.Friction(friction, speed=1e-5) if friction else None
    m.add(
        sr.Contact(
            "slot", "pin", "ground", sr.Cylinder(0.01, 0.05, axis="y"), slot, law=sr.HuntCrossley(K, damping=1), friction=rub
        )
    )
    r = m.simulate(0.3, step=0.01, tolerance=1e-8)
    s = r["pin.position"] @ np.array(along)
    expected = g * (math.sin(angle) - friction * math.cos(angle))  # with a large inertia the pin slides, it hardly turns
    assert s[-1] - s[0] == pytest.approx(0.5 * expected * 0.3**2, rel=2e-3)


def test_point_in_a_closed_curve_moves_like_a_bead_on_it() -> None:
    """An ellipse as the wall of a hole: pressed outwards by its speed, the point follows the wall as a constraint would."""

    def model(held: bool) -> sr.Model:
        m = sr.Model("ellipse", gravity=(0, 0, 0))
        m.add(sr.Body("bead", mass=1, inertia=(1, 1, 1), position=(0.3, 0, 0), velocity=(0, 2, 0)))
        if held:
            m.add(sr.PointOnCurve("wire", "ground", "bead", curve=("0.3*cos(s)", "0.2*sin(s)", "0")))
        else:
            wall = sr.Profile("0.3*cos(s)", "0.2*sin(s)", (0, 2 * math.pi))
            m.add(sr.Contact("wall", "bead", "ground", sr.Point(), wall, law=sr.HuntCrossley(1e10, damping=10)))
        return m

    wire, wall = (model(held).simulate(0.5, step=0.005) for held in (True, False))
    assert np.abs(wire["bead.position"] - wall["bead.position"]).max() < 2e-4
    speed = np.linalg.norm(wall["bead.velocity"], axis=1)
    assert speed[-1] == pytest.approx(2.0, rel=1e-3)


def test_point_circles_in_a_paraboloid() -> None:
    """Surface of revolution z = a ρ²: circles at every height have ω² = 2 g a."""
    a, rho = 2.0, 0.3
    K = 1e9
    m = sr.Model("bowl")
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1), position=(rho, 0, a * rho**2), velocity=(0, rho * math.sqrt(2 * g * a), 0)))
    bowl = sr.Revolution(f"sqrt(s/{a})", (0.05, 1.0))
    m.add(sr.Contact("bowl", "ball", "ground", sr.Point(), bowl, law=sr.HuntCrossley(K, damping=1)))
    r = m.simulate(2.0, step=0.01)
    x, y = r["ball.position"][:, :2].T
    assert np.abs(np.hypot(x, y) - rho).max() < 1e-5
    assert np.unwrap(np.arctan2(y, x))[-1] == pytest.approx(2.0 * math.sqrt(2 * g * a), rel=1e-4)
    assert r["bowl.force"][-1] == pytest.approx(g * math.sqrt(1 + (2 * a * rho) ** 2), rel=1e-3)


def test_profile_and_bore_and_slot_agree_where_they_are_the_same_hole() -> None:
    def run(hole: object) -> np.ndarray:
        m = sr.Model("hole")
        m.add(sr.Body("pin", mass=1, inertia=(0.001, 0.001, 0.001), position=(0.001, 0, 0)))
        m.add(sr.Planar("plane", "ground", "pin", axis="z", v=(0.3, 0.2, 0)))
        law = sr.HuntCrossley(1e7, damping=0.2)
        m.add(sr.Contact("hole", "pin", "ground", sr.Cylinder(0.01, 0.02), hole, law=law, friction=sr.Friction(0.1, speed=0.01)))
        m.gravity = (0, -9.81, 0)
        return m.simulate(0.1, step=0.001, tolerance=1e-10)["pin.position"]

    circle = ("0.012*cos(s)", "0.012*sin(s)", (0, 2 * math.pi))
    bore, slot, profile = (run(x) for x in (sr.Bore(0.012), sr.Slot((-1e-9, 0, 0), (1e-9, 0, 0), 0.012), sr.Profile(*circle)))
    revolution = run(sr.Bore(0.012, length=0.02))
    assert np.abs(bore - slot).max() < 1e-7
    assert np.abs(bore - profile).max() < 1e-7
    assert np.abs(bore - revolution).max() < 1e-7
