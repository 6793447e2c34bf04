"""Motions with contact against closed forms; both formulations, integrators and ensembles; files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

import sharnir as sr

g = 9.81


def ball(law: object, friction: object = None, **body: object) -> sr.Model:
    m = sr.Model("ball")
    m.add(sr.Body("ball", **{"mass": 1, "shape": sr.Sphere(0.1), "position": (0, 0, 1.1)} | body))
    m.add(sr.Contact("floor", "ball", "ground", shape_b=sr.Plane(), law=law, friction=friction))
    return m


def test_bouncing_ball_by_a_stiff_contact() -> None:
    """Impact times of a ball with restitution 0.8 (references: bouncing_ball); the contact takes a little time itself."""
    e, v = 0.8, math.sqrt(2 * g)
    law = sr.HuntCrossley(1e12, restitution=e, speed=v)
    m = ball(law)
    m.add(sr.Event("hit", "ball.z < 0.1"))
    r = m.simulate(1.2, output=1e-3, tolerance=1e-10)
    z = r["ball.position"][:, 2] - 0.1
    height = z[(r.t > 0.46) & (r.t < 1.17)].max()
    assert height == pytest.approx(e**2, abs=1e-4)  # apex after the first impact, dropped from 1 m
    hits = [event["t"] for event in r.events]
    assert hits == pytest.approx([0.4515236409857309, 1.1739614665629003516], abs=1e-4)


def test_ball_slides_then_rolls() -> None:
    """Bowling ball (references: bowling_ball): sliding until v = 5/7 v₀, then rolling."""
    depth = (g / 1e9) ** (2 / 3)
    m = ball(sr.HuntCrossley(1e9, damping=5), sr.Friction(0.3, speed=1e-4), position=(0, 0, 0.1 - depth), velocity=(2, 0, 0))
    r = m.simulate(0.5, step=0.001, tolerance=1e-9)
    v, w = r["ball.velocity"][:, 0], r["ball.angular_velocity"][:, 1]
    assert v[-1] == pytest.approx(2 * 5 / 7, rel=1e-4)
    assert v[-1] == pytest.approx(0.1 * w[-1], rel=1e-4)
    sliding = r.t < 0.19
    assert v[sliding] == pytest.approx(2 - 0.3 * g * r.t[sliding], abs=1e-4)
    x = np.interp(0.1941653317800107, r.t, r["ball.position"][:, 0])
    assert x == pytest.approx(0.3328548544800183, abs=2e-4)
    assert r["floor.friction"][50] == pytest.approx([-0.3 * g, 0, 0], rel=1e-4, abs=1e-6)
    assert r["floor.force"][-1] == pytest.approx(g, rel=1e-6)
    assert r["floor.point"][-1, 2] == pytest.approx(0.0, abs=1e-5)


def test_ball_leaves_a_sphere_where_the_cosine_is_two_thirds() -> None:
    """A body that slides from the top of a smooth sphere: the contact force vanishes at cos θ = 2/3."""
    m = sr.Model("dome")
    m.add(sr.Body("ball", mass=1, shape=sr.Sphere(0.1), position=(0.001, 0, 1.1)))
    m.add(sr.Contact("dome", "ball", "ground", shape_b=sr.Sphere(1.0), law=sr.HuntCrossley(1e9, damping=2)))
    r = m.simulate(3.0, step=0.001, tolerance=1e-9)
    touching = r["dome.force"] > 1e-9
    last = np.flatnonzero(touching)[-1]
    x, _, z = r["ball.position"][last]
    assert z / math.hypot(x, z) == pytest.approx(2 / 3, abs=2e-3)


def housner() -> tuple[sr.Model, float, float, float]:
    b, h, theta = 0.1, 0.4, 0.08  # half width and height; start angle
    R, alpha = math.hypot(b, h), math.atan(b / h)
    m = sr.Model("rocking block")
    x, z = R * math.sin(alpha - theta), R * math.cos(alpha - theta)  # pivot: the corner at (0, 0), block leans over it
    half = 0.5 * theta
    m.add(
        sr.Body(
            "block",
            density=500,
            shape=sr.Box((2 * b, 0.2, 2 * h)),
            position=(-x, 0, z - 2e-6),
            rotation=(math.cos(half), 0, math.sin(half), 0),
        )
    )
    m.add(
        sr.Contact(
            "floor",
            "block",
            "ground",
            shape_b=sr.Plane(),
            law=sr.HuntCrossley(1e10, damping=100),
            friction=sr.Friction(1.0, speed=1e-4),
        )
    )
    return m, R, alpha, theta


def test_rocking_block() -> None:
    """Housner: time until the first impact by the pendulum's integral, speed ratio of a plastic impact 1 - 3/2 sin² α."""
    m, R, alpha, theta = housner()
    p2 = 3 * g / (4 * R)
    # θ'² = 2 p² (cos(α - θ₀) - cos(α - θ)); from θ₀ to 0, with θ = θ₀ - u²
    time = quad(
        lambda u: 2 * u / math.sqrt(2 * p2 * (math.cos(alpha - theta) - math.cos(alpha - theta + u * u))), 1e-9, math.sqrt(theta)
    )[0]
    speed = math.sqrt(2 * p2 * (math.cos(alpha - theta) - math.cos(alpha)))
    r = m.simulate(1.5 * time, output=1e-4, integrator="radau5", tolerance=1e-6)
    w = r["block.angular_velocity"][:, 1]
    hit = int(np.argmin(w))
    assert r.t[hit] == pytest.approx(time, rel=5e-3)
    assert -w[hit] == pytest.approx(speed, rel=5e-3)
    later = int(np.searchsorted(r.t, r.t[hit] + 0.05))  # it swings about the other corner; back to the impact by energy
    tilt = 2 * abs(math.asin(r["block.rotation"][later, 2]))
    after = math.sqrt(w[later] ** 2 + 2 * p2 * (math.cos(alpha - tilt) - math.cos(alpha)))
    assert after / speed == pytest.approx(1 - 1.5 * math.sin(alpha) ** 2, rel=0.01)


SETTINGS = [
    {"formulation": "absolute"},
    {"integrator": "radau5"},
    {"integrator": "bdf"},
    {"integrator": "dopri5"},
    {"method": "composite"},
    {"integrator": "rk4", "step": 2e-5},
    {"integrator": "generalized-alpha", "step": 2e-5},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_formulations_methods_and_integrators_agree(settings: dict) -> None:
    def run(**given: object) -> np.ndarray:
        m = ball(sr.HuntCrossley(1e6, damping=0.2), sr.Friction(0.2, speed=0.01), velocity=(1, 0, 0), position=(0, 0, 0.3))
        if "step" not in given:
            given["tolerance"] = 1e-9
        return m.simulate(0.5, **{"output": 0.1} | given)["ball.position"]

    assert np.abs(run(**settings) - run()).max() < 2e-6


def test_ensemble() -> None:
    m = ball(sr.HuntCrossley(1e6, damping=0.2))
    s = m.compile()
    q = np.tile(s.q0, (4, 1))
    q[:, 2] += [0.0, 0.1, 0.2, 0.3]
    runs = sr.simulate_many(m, 0.6, q=q, step=0.1)
    for k in range(4):
        alone = ball(sr.HuntCrossley(1e6, damping=0.2), position=(0, 0, 1.1 + 0.1 * k)).simulate(0.6, step=0.1)
        assert np.allclose(runs["ball.position"][k], alone["ball.position"], atol=1e-6)
        assert runs["floor.depth"][k] == pytest.approx(alone["floor.depth"], abs=1e-6)


def test_statics_rests_on_the_floor() -> None:
    K = 1e6
    rest = ball(sr.Hertz(K), position=(0, 0, 0.099)).statics()
    assert rest["ball.q.z"] == pytest.approx(0.0 + 0.1 - (g / K) ** (2 / 3) - 0.099, abs=1e-9)


def test_files_hold_contacts(tmp_path: Path) -> None:
    m = sr.Model("many contacts", parameters={"R": 0.3})
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1), position=(0, 0, 1)))
    shapes = [
        (sr.Sphere(0.1, (0, 0, 0.1)), sr.Plane((0, 0, 0.1), (0, 0.6, 0.8))),
        (sr.Capsule((0, 0, 0), (1, 0, 0), 0.1), sr.Capsule((0, 0, 0), (0, 1, 0), 0.1)),
        (sr.Cylinder(0.01, 0.1), sr.Bore(0.011, length=0.05)),
        (sr.Point((0, 0, 1)), sr.Surface("R - x**2 - y**2 + z", rotation=sr.rotation_about("x", 0.3))),
        (sr.Sphere(0.01), sr.Profile("R*cos(s)", "R*sin(s)", (0, 6.283185307179586))),
        (sr.Sphere(0.01), sr.Revolution("R + s**2", (-1, 1), inside=False, axis="x")),
        (sr.Cylinder(0.01, 0.1), sr.Slot((0, 0, 0), (0.1, 0, 0), 0.011)),
        (sr.Box((1, 1, 1)), sr.Plane()),
    ]
    laws = [
        sr.HuntCrossley(1e5, restitution=0.6, speed=2.0),
        sr.ExponentialLaw(1, 100, 0.1),
        sr.LinearLaw(1e4),
        sr.Hertz(1e5),
        sr.Flores(1e5, 0.4, 1.5),
        sr.LankaraniNikravesh(1e5, 0.4, 1.5),
        sr.HuntCrossley(1e5, damping=0.2, exponent=1.2),
        sr.Hertz(1e5),
    ]
    for k, ((a, b), law) in enumerate(zip(shapes, laws, strict=True)):
        m.add(sr.Contact(f"c{k}", "a", "ground", a, b, law=law, friction=sr.Friction(0.2, 0.3) if k % 2 else None))
    m.save(tmp_path / "m.toml")
    again = sr.Model.load(tmp_path / "m.toml")
    assert again == m
    x, y = m.compile(), again.compile()
    assert np.array_equal(x.accelerations(x.q0, x.v0), y.accelerations(y.q0, y.v0))


def test_a_wrong_file_is_told(tmp_path: Path) -> None:
    text = '[bodies.a]\nmass = 1\ninertia = [1, 1, 1]\n[forces.c]\ntype = "contact"\na = "a"\nb = "ground"\n'
    (tmp_path / "m.toml").write_text(text + 'shape_a = {type = "ball", radius = 1}\nlaw = {type = "hert", stiffness = 1}\n')
    with pytest.raises(sr.ModelFileError) as error:
        sr.Model.load(tmp_path / "m.toml")
    assert "sphere" in str(error.value) and "hertz" in str(error.value)


def test_pairs_that_are_not_known_and_boundaries_that_are_wrong() -> None:
    def model(a: object, b: object) -> sr.Model:
        m = sr.Model("x", parameters={"R": 1.0})
        m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)))
        m.add(sr.Contact("c", "a", "ground", a, b, law=sr.Hertz(1)))
        return m

    with pytest.raises(sr.ModelError, match="Plane and Plane is not implemented"):
        model(sr.Plane(), sr.Plane()).compile()
    with pytest.raises(sr.ModelError, match="not closed"):
        model(sr.Sphere(0.1), sr.Profile("cos(s)", "sin(s)", (0, 3))).compile()
    with pytest.raises(sr.ModelError, match="has 0 shapes"):
        model(None, sr.Plane()).compile()
    with pytest.raises(sr.FormulaError, match="Q"):
        model(sr.Sphere(0.1), sr.Surface("z - Q*x"))
    moving = model(sr.Sphere(0.1), sr.Surface("z - R*x"))
    moving.add(sr.Event("e", at=1.0, actions=sr.SetParameter("R", 2.0)))
    with pytest.raises(sr.ModelError, match="changes during the run"):
        moving.compile()


def test_modes_of_a_body_on_its_contact() -> None:
    """A mass on a Hertzian contact: ω² = 3/2 K √δ/m at the depth δ that carries its weight; Stribeck and loss do not count."""
    K, m = 1e7, sr.Model("mass")
    depth = (g / K) ** (2 / 3)
    m.add(sr.Body("mass", mass=1, shape=sr.Sphere(0.1), position=(0, 0, 0.1 - depth)))
    m.add(sr.Prismatic("rail", "ground", "mass", axis="z"))
    m.add(sr.Contact("floor", "mass", "ground", shape_b=sr.Plane(), law=sr.Hertz(K)))
    assert m.modes().frequencies[0] == pytest.approx(math.sqrt(1.5 * K * math.sqrt(depth)) / (2 * math.pi), rel=1e-5)
