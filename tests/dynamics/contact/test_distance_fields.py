"""Depths of all boundaries against distances found by search, at random places."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize

import sharnir as sr

TURN = 2 * math.pi


def depths(shape_a: object, shape_b: object, places: np.ndarray, turn: tuple = (1, 0, 0, 0)) -> np.ndarray:
    """Depth of the contact for positions of body a; body b is the ground."""
    m = sr.Model("pair")
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1), rotation=turn))
    m.add(sr.Contact("c", "a", "ground", shape_a, shape_b, law=sr.Hertz(1.0)))
    s = m.compile()
    states = np.tile(s.y0, (len(places), 1))
    states[:, :3] = places
    out = np.zeros((len(places), 1))
    s.observe_work(np.zeros(len(places)), states, s.assembly.force_outputs["c"], out)
    return out[:, 0]


def curve_distance(x: np.ndarray, curve: Callable[[np.ndarray], np.ndarray], low: float, high: float) -> float:
    """Distance to a curve, by samples and refinement."""
    for _ in range(8):
        s = np.linspace(low, high, 2001)
        k = int(np.argmin(np.linalg.norm(curve(s) - x[:, None], axis=0)))
        step = (high - low) / 2000
        low, high = max(low, s[k] - step), min(high, s[k] + step)
    return float(np.linalg.norm(curve(s) - x[:, None], axis=0).min())


def test_box_and_cylinder_and_capsule() -> None:
    rng = np.random.default_rng(2)
    places = rng.uniform(-0.6, 0.6, (40, 3))
    half = np.array([0.2, 0.15, 0.1])
    for x, depth in zip(places, depths(sr.Sphere(0.05), sr.Box(2 * half), places), strict=True):
        inside = (np.abs(x) < half).all()
        nearest = np.clip(x, -half, half)
        expected = (half - np.abs(x)).min() if inside else -float(np.linalg.norm(x - nearest))
        assert depth == pytest.approx(0.05 + expected, abs=1e-12)
    for x, depth in zip(places, depths(sr.Sphere(0.05), sr.Cylinder(0.2, 0.3), places), strict=True):
        rho, z = math.hypot(x[0], x[1]), abs(x[2])
        inside = rho < 0.2 and z < 0.15
        expected = min(0.2 - rho, 0.15 - z) if inside else -math.hypot(max(rho - 0.2, 0), max(z - 0.15, 0))
        assert depth == pytest.approx(0.05 + expected, abs=1e-12)
    start, end = np.array([-0.2, 0.1, 0.0]), np.array([0.3, 0.0, 0.1])
    for x, depth in zip(places, depths(sr.Sphere(0.05), sr.Capsule(tuple(start), tuple(end), 0.07), places), strict=True):
        distance = curve_distance(x, lambda s: start[:, None] + np.outer(end - start, s), 0.0, 1.0)
        assert depth == pytest.approx(0.12 - distance, abs=1e-9)


def test_two_capsules() -> None:
    rng = np.random.default_rng(3)
    a, b = np.array([[-0.3, 0, 0], [0.2, 0.1, 0]]), np.array([[0, -0.2, 0.05], [0, 0.3, 0]])
    places = np.concatenate([rng.uniform(-0.6, 0.6, (20, 3)), [[0, 0, 0.2], [0.5, 0.5, 0.0]]])
    found = depths(sr.Capsule(*map(tuple, a), 0.05), sr.Capsule(*map(tuple, b), 0.04), places)
    parallel = depths(
        sr.Capsule((0, 0, 0), (1, 0, 0), 0.05), sr.Capsule((0, 0, 0), (1, 0, 0), 0.05), np.array([[0.3, 0, 0.09], [2.0, 0, 0.0]])
    )
    assert parallel == pytest.approx([0.01, -0.9], abs=1e-12)
    for x, depth in zip(places, found, strict=True):

        def gap(s: np.ndarray, x: np.ndarray = x) -> float:
            return float(np.sum((x + a[0] + s[0] * (a[1] - a[0]) - b[0] - s[1] * (b[1] - b[0])) ** 2))

        best = min(
            minimize(gap, start, bounds=[(0, 1)] * 2, options={"ftol": 1e-15, "gtol": 1e-12}).fun
            for start in ([0.5, 0.5], [0, 1], [1, 0])
        )
        assert depth == pytest.approx(0.09 - math.sqrt(best), abs=1e-6)


def test_curves_and_surfaces_of_revolution() -> None:
    rng = np.random.default_rng(4)
    places = np.column_stack([rng.uniform(-0.4, 0.4, (40, 2)), rng.uniform(-0.2, 0.2, 40)])

    def lobes(s: np.ndarray) -> np.ndarray:
        r = 0.3 * (1 + 0.1 * np.cos(3 * s))
        return np.array([r * np.cos(s), r * np.sin(s)])

    profile = sr.Profile("0.3*(1 + 0.1*cos(3*s))*cos(s)", "0.3*(1 + 0.1*cos(3*s))*sin(s)", (0, TURN))
    for x, depth in zip(places, depths(sr.Sphere(0.02), profile, places), strict=True):
        angle = math.atan2(x[1], x[0])
        inside = math.hypot(x[0], x[1]) < 0.3 * (1 + 0.1 * math.cos(3 * angle))
        distance = curve_distance(x[:2], lobes, 0.0, TURN)
        assert depth == pytest.approx(0.02 - (distance if inside else -distance), abs=1e-8)
    vase = sr.Revolution("0.3 + 0.1*cos(5*s)", (-1, 1), inside=False)
    for x, depth in zip(places, depths(sr.Sphere(0.02), vase, places), strict=True):
        flat = np.array([math.hypot(x[0], x[1]), x[2]])
        distance = curve_distance(flat, lambda s: np.array([0.3 + 0.1 * np.cos(5 * s), s]), -1.0, 1.0)
        outside = flat[0] > 0.3 + 0.1 * math.cos(5 * flat[1])
        assert depth == pytest.approx(0.02 - (distance if outside else -distance), abs=1e-8)


def test_surfaces() -> None:
    """Distance to an ellipsoid by its own search, from inside and outside."""
    rng = np.random.default_rng(5)
    axes = np.array([0.5, 0.4, 0.3])
    directions = rng.normal(size=(25, 3))
    places = directions / np.linalg.norm(directions, axis=1)[:, None] * axes * rng.uniform(0.75, 1.8, (25, 1))
    surface = sr.Surface("x**2/0.25 + y**2/0.16 + z**2/0.09 - 1")
    for x, depth in zip(places, depths(sr.Sphere(0.02), surface, places), strict=True):

        def on(angles: np.ndarray) -> np.ndarray:
            t, p = angles
            return axes * [math.sin(t) * math.cos(p), math.sin(t) * math.sin(p), math.cos(t)]

        guess = [math.acos(np.clip(x[2] / 0.3 / np.linalg.norm(x / axes), -1, 1)), math.atan2(x[1] / 0.4, x[0] / 0.5)]
        found = minimize(
            lambda s, x=x: np.sum((on(s) - x) ** 2), guess, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-16}
        )
        distance = math.copysign(math.sqrt(found.fun), float(np.sum((x / axes) ** 2)) - 1)
        assert depth == pytest.approx(0.02 - distance, abs=1e-6)


def test_rims_of_a_cylinder_on_a_plane() -> None:
    """The lowest point of a tilted disc: its centre less R sin + half its thickness cos."""
    for tilt in (0.0, 1e-6, 0.3, math.pi / 2):
        turn = (math.cos(tilt / 2), 0, math.sin(tilt / 2), 0)
        found = depths(sr.Cylinder(0.2, 0.1), sr.Plane(), np.array([[0.0, 0, 0.1]]), turn)[0]
        assert found == pytest.approx(0.2 * math.sin(tilt) + 0.05 * math.cos(tilt) - 0.1, abs=1e-12)


def ball_among(shape: object, places: np.ndarray, radius: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Depths of a ball in a boundary that stands still, and the directions in which it is pushed out."""
    m = sr.Model("pair", gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Contact("c", "a", "ground", sr.Sphere(radius), shape, law=sr.Hertz(1.0)))
    s = m.compile()
    states = np.tile(s.y0, (len(places), 1))
    states[:, :3] = places
    depth = np.zeros((len(places), 1))
    s.observe_work(np.zeros(len(places)), states, s.assembly.force_outputs["c"], depth)
    return depth[:, 0], s.observe_rates(np.zeros(len(places)), states)[:, s.n_q : s.n_q + 3]


BOUNDARIES = {
    "box": sr.Box((0.4, 0.3, 0.2)),
    "cylinder": sr.Cylinder(0.2, 0.3),
    "ball": sr.Sphere(0.2),
    "capsule": sr.Capsule((-0.2, 0.1, 0.0), (0.3, 0.0, 0.1), 0.07),
    "bore": sr.Bore(0.3, length=0.8),
    "slot": sr.Slot((-0.1, 0.05, 0), (0.2, 0.05, 0), 0.25, length=0.8),
    "profile": sr.Profile("0.3*(1 + 0.1*cos(3*s))*cos(s)", "0.3*(1 + 0.1*cos(3*s))*sin(s)", (0, TURN)),
    "revolution": sr.Revolution("0.3 + 0.1*cos(5*s)", (-1, 1), inside=False),
    "surface": sr.Surface("x**2/0.25 + y**2/0.16 + z**2/0.09 - 1"),
}


@pytest.mark.parametrize("name", BOUNDARIES)
def test_a_ball_is_pushed_along_the_gradient_of_its_depth(name: str) -> None:
    """Whatever the boundary: a spring's force is k depth^1.5 along -∇depth, and ∇depth is a unit vector."""
    shape, h = BOUNDARIES[name], 1e-6
    places = np.random.default_rng(6).uniform(-0.45, 0.45, (300, 3))
    depth, push = ball_among(shape, places, 0.1)
    gradient = np.array(
        [(ball_among(shape, places + h * e, 0.1)[0] - ball_among(shape, places - h * e, 0.1)[0]) for e in np.eye(3)]
    )
    gradient = gradient.T / (2 * h)
    smooth = (depth > 1e-3) & (np.abs(np.linalg.norm(gradient, axis=1) - 1.0) < 1e-5)  # not across an edge within h
    assert smooth.sum() > 20 and smooth.sum() > 0.9 * (depth > 1e-3).sum()
    expected = -gradient[smooth] * depth[smooth, None] ** 1.5
    assert push[smooth] == pytest.approx(expected, abs=1e-5 * np.abs(expected).max())
    assert not push[depth < 0.0].any()
