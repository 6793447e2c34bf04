"""Groups of contacts: the same forces as one contact for each pair, bit by bit, wherever the list of neighbours was made."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr

LAW = sr.HuntCrossley(1e5, damping=0.3)
WALLS = (
    sr.Plane(),
    sr.Plane((1, 0, 0), (-1, 0, 0)),
    sr.Box((0.3, 0.2, 3.0), center=(0.2, 0.1, 0.0)),
    sr.Surface("z + 0.1*sin(5*x)"),
)


def bodies(m: sr.Model, shapes: list, spread: float, rng: np.random.Generator) -> sr.Model:
    for k, shape in enumerate(shapes):
        place, turn = tuple(rng.uniform(-spread, spread, 3)), tuple(rng.normal(size=4))
        own = shape if isinstance(shape, (sr.Sphere, sr.Box)) else None
        m.add(sr.Body(f"b{k}", mass=1, inertia=(0.01, 0.01, 0.01), shape=own, position=place, rotation=turn))
    return m


def both(shapes: list, walls: tuple, spread: float, seed: int, law: object = LAW, friction: object = None) -> list[sr.System]:
    """The same bodies with a group and with pairs, in the order in which a group adds forces up."""
    group, pairs = (bodies(sr.Model("m"), shapes, spread, np.random.default_rng(seed)) for _ in range(2))
    only = None if all(isinstance(shape, (sr.Sphere, sr.Box)) for shape in shapes) else shapes[0]
    names = list(group.bodies)
    group.add(sr.ContactGroup("all", walls=walls, law=law, friction=friction, shape=only))
    solid = [wall for wall in walls if isinstance(wall, sr.Box)]
    members = [*((name, only) for name in names), *(("ground", wall) for wall in solid)]
    found = [(a, b) for a, b in combinations(members, 2) if a[0] != b[0]]
    found += [((name, only), ("ground", wall)) for wall in walls if wall not in solid for name in names]
    for k, ((a, one), (b, two)) in enumerate(found):
        pairs.add(sr.Contact(f"c{k}", a, b, one, two, law=law, friction=friction))
    return [group.compile(), pairs.compile()]


def agree(systems: list[sr.System], steps: tuple, rng: np.random.Generator) -> int:
    """Accelerations at states that move by small and large steps; returns at how many of them something touched."""
    touched = 0
    q, v = systems[0].q0.copy(), systems[0].v0 + rng.normal(size=systems[0].v0.size)
    alone = systems[0].accelerations(q + 1e6 * np.arange(q.size), v)
    for step in steps:
        q = q + step * rng.normal(size=q.size)
        one, two = (system.accelerations(q, v) for system in systems)
        assert np.array_equal(one, two)
        touched += int(np.abs(one - alone).max() > 1.0)
    return touched


STEPS = (0.0, 1e-3, 1e-3, 3e-3, 1e-2, 1e-9, 0.1, 1e-3, 1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_a_group_is_all_its_pairs(seed: int) -> None:
    """Spheres and boxes of many sizes, one far larger than the others, with walls."""
    rng = np.random.default_rng(seed)
    shapes: list = [
        sr.Sphere(rng.uniform(0.02, 0.08)) if rng.random() < 0.6 else sr.Box(rng.uniform(0.03, 0.2, 3)) for _ in range(24)
    ]
    shapes[int(rng.integers(24))] = sr.Sphere(0.5)
    walls = tuple(wall for wall in WALLS if rng.random() < 0.7)
    friction = sr.Friction(0.3, speed=0.01) if seed % 2 else None
    law = sr.ExponentialLaw(1.0, 300, 0.1) if seed == 3 else LAW
    rounding = both(shapes, walls, 0.4, seed, law, friction)
    if seed == 3:  # the group leaves out what is lost in rounding
        q, v = rounding[0].q0, rounding[0].v0
        assert rounding[0].accelerations(q, v) == pytest.approx(rounding[1].accelerations(q, v), rel=1e-12, abs=1e-12)
        return
    assert agree(rounding, STEPS, rng) >= 5


def test_capsules_and_points() -> None:
    for shape in (sr.Capsule((0, 0, -0.1), (0, 0, 0.1), 0.05), sr.Cylinder(0.05, 0.2)):
        walls = WALLS if isinstance(shape, sr.Capsule) else WALLS[:2]
        walls = tuple(wall for wall in walls if not isinstance(wall, sr.Box))
        n = 12 if isinstance(shape, sr.Capsule) else 1
        assert agree(both([shape] * n, walls, 0.2, 5), STEPS, np.random.default_rng(2)) >= 5


def test_more_pairs_than_the_list_holds_and_places_beyond_the_grid() -> None:
    """160 balls in one place: 12720 pairs, room for 10240. Far away the grid is one cell."""
    systems = both([sr.Sphere(0.1)] * 160, (), 0.02, 1)
    assert agree(systems, (0.0, 1e-3, 0.5, 1e-3), np.random.default_rng(3)) >= 2
    few = both([sr.Sphere(0.1)] * 6, (), 0.1, 1)
    for far in (1e7, 1e12, 1e18):
        q = few[0].q0.copy()
        q[::7] += far
        assert np.array_equal(few[0].accelerations(q, few[0].v0), few[1].accelerations(q, few[1].v0))


def test_connected_bodies_do_not_touch() -> None:
    """A chain of balls that overlap at their joints: only those that are not neighbours push each other."""
    m = sr.Model("chain", gravity=(0, 0, 0))
    for k in range(4):
        m.add(sr.Body(f"b{k}", mass=1, shape=sr.Sphere(0.06), position=(0.1 * k, 0, 0)))
        if k:
            m.add(sr.Ball(f"j{k}", f"b{k - 1}", f"b{k}", at=(0.1 * k - 0.05, 0, 0)))
    m.add(sr.ContactGroup("all", law=LAW))
    s = m.compile()
    assert np.abs(s.accelerations(s.q0, s.v0)).max() < 1e-9


def pile(n: int) -> sr.Model:
    m = sr.Model("pile")
    for k in range(n):
        m.add(
            sr.Body(f"b{k}", density=1000, shape=sr.Sphere(0.05), position=(0.101 * (k % 2), 0.003 * k, 0.06 + 0.11 * (k // 2)))
        )
    sides = [sr.Plane((x, y, 0), (-x, -y, 0)) for x, y in ((0.17, 0), (-0.07, 0), (0, 0.07), (0, -0.07))]
    m.add(sr.ContactGroup("pile", walls=(sr.Plane(), *sides), law=sr.HuntCrossley(1e6, damping=1), friction=0.3))
    return m


def test_a_pile_in_a_box_comes_to_rest_and_carries_its_weight() -> None:
    n = 8
    m = pile(n)
    r = m.simulate(1.5, output=0.01, tolerance=1e-5)
    weight = sum(body.mass for body in m.bodies.values()) * 9.81
    assert np.abs(r["b3.velocity"][-1]).max() < 0.02
    assert r["pile.touching"][-1] >= n and r["pile.force"][-1] > weight
    assert 0.0 < r["pile.depth"][-1] < 1e-3 and (r["pile.loss"] >= 0.0).all()
    for k in range(n):
        x, y, z = r[f"b{k}.position"][-1]
        assert -0.03 < x < 0.13 and abs(y) < 0.03 and z > 0.04
    absolute = m.simulate(0.2, output=0.1, tolerance=1e-8, formulation="absolute")
    assert absolute["b0.position"][-1] == pytest.approx(m.simulate(0.2, output=0.1)["b0.position"][-1], abs=1e-6)


def test_energy_of_an_elastic_group_is_kept() -> None:
    m = sr.Model("gas", gravity=(0, 0, 0))
    rng = np.random.default_rng(4)
    for k in range(10):
        place = (0.15 * (k % 3), 0.15 * (k // 3 % 3), 0.15 * (k // 9))
        m.add(sr.Body(f"b{k}", mass=1, shape=sr.Sphere(0.06), position=place, velocity=tuple(rng.normal(size=3))))
    m.add(sr.ContactGroup("gas", law=sr.Hertz(1e6)))
    r = m.simulate(0.5, output=1e-3, tolerance=1e-9)
    assert r["gas.energy"].max() > 0.1 and r["gas.touching"].max() == 1
    assert r["energy.total"] == pytest.approx(r["energy.total"][0], rel=1e-6)
    assert np.abs(r["system.momentum"] - r["system.momentum"][0]).max() < 1e-9


def test_files_hold_groups(tmp_path: Path) -> None:
    m = pile(3)
    m.add(
        sr.ContactGroup(
            "two", ("b0", "b1"), walls=sr.Bore(1.0), walls_of="b2", law=LAW, shape=sr.Capsule((0, 0, 0), (0, 0, 1), 0.1)
        )
    )
    m.save(tmp_path / "m.toml")
    assert sr.Model.load(tmp_path / "m.toml") == m


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"bodies": ()}, "at least one body"),
        ({"bodies": ("a", "a")}, "each once"),
        ({"bodies": ("a", "ground")}, "has the walls"),
        ({"walls": ("floor",)}, "must be one of Sphere"),
        ({"shape": sr.Plane()}, "must be one of Sphere"),
        ({"law": 3}, "must be one of"),
        ({"friction": b"much"}, "a coefficient"),
    ],
)
def test_wrong_groups(given: dict, words: str) -> None:
    with pytest.raises(sr.ModelError, match=words):
        sr.ContactGroup("g", **{"law": LAW} | given)


def test_what_a_model_tells_about_wrong_groups() -> None:
    def compiled(*shapes: object, **given: object) -> None:
        m = sr.Model("m")
        for k, shape in enumerate(shapes):
            m.add(sr.Body(f"b{k}", mass=1, inertia=(1, 1, 1), shape=shape))
        m.add(sr.ContactGroup("g", law=LAW, **given))
        m.compile()

    with pytest.raises(sr.ModelError, match="Cylinder and Cylinder is not implemented"):
        compiled(sr.Cylinder(0.1, 0.1), sr.Cylinder(0.1, 0.1))
    with pytest.raises(sr.ModelError, match="has no shape"):
        compiled(None, bodies=("b0",))
    with pytest.raises(sr.ModelError, match="Rod of body 'b0' is not a contact shape"):
        compiled(sr.Rod((0, 0, 0), (1, 0, 0), 0.1))
    with pytest.raises(sr.ModelError, match="b7"):
        compiled(sr.Sphere(0.1), bodies=("b7",))
    compiled(None)  # nobody is there
