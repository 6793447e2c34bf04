"""What a Topology says of itself, in words and as a picture."""

from __future__ import annotations

import matplotlib.image
import numpy as np
import pytest
from matplotlib.colors import to_rgba

import sharnir as sr
from sharnir.topology import build_tree, topology
from sharnir.topology.picture import CUT, positions
from topology.mechanisms import bricard, four_bar, mesh, stewart


@pytest.mark.parametrize("make", [four_bar, bricard, stewart])
def test_everything_is_named(make):
    m = make()
    text = str(topology(m))
    for name in (*m.bodies, *m.joints):
        assert name in text
    assert all(len(line) <= 130 for line in text.splitlines())


def test_chains_share_lines():
    """50 bodies in a row are no staircase."""
    m = sr.Model("chain")
    for i in range(50):
        m.add(sr.Body(f"body{i}", mass=1, inertia=(1, 1, 1)))
        m.add(sr.Revolute(f"j{i}", "ground" if i == 0 else f"body{i - 1}", f"body{i}", axis="z"))
    lines = str(topology(m)).splitlines()
    assert len(lines) < 25 and max(map(len, lines)) <= 120
    assert lines[-1] == "freedoms: 50 in joints"


def test_large_models_are_summed_up():
    text = str(topology(mesh(23, 22)))
    assert len(text.splitlines()) < 15
    assert text.startswith("mesh: 506 bodies, 968 joints, 462 loops, depth 44")
    assert "462 Revolute, 2310 equations" in text


def test_branches():
    m = sr.Model()
    m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1)) for name in "abcde"))
    for name, ends in {"A": ("ground", "a"), "B": ("a", "b"), "C": ("a", "c"), "D": ("ground", "d")}.items():
        m.add(sr.Revolute(name, *ends, axis="z"))
    assert str(topology(m)).splitlines()[2:8] == [
        "ground",
        "├─ A (Revolute) → a",
        "│  ├─ B (Revolute) → b",
        "│  └─ C (Revolute) → c",
        "├─ D (Revolute) → d",
        "└─ e (Free, added) → e",
    ]


def test_empty_model():
    assert str(topology(sr.Model("empty"))).splitlines()[0] == "empty: 0 bodies, 0 joints, 0 loops, depth 0"
    assert topology(sr.Model("empty")).draw().axes


def test_constraints_are_mentioned():
    m = four_bar()
    m.add(sr.Gear("gear", "O", "C", 2.0))
    assert str(topology(m)).endswith("not counted here: 1 constraint element of the model")


def test_bodies_do_not_overlap():
    tree = build_tree(stewart())
    places = positions(tree)
    assert len(set(places)) == len(tree.bodies)
    for (x, y), depth in zip(places, tree.depth, strict=True):
        assert y == depth and x >= 0


@pytest.mark.parametrize(("make", "named"), [(four_bar, True), (stewart, True), (lambda: mesh(8, 8), False)])
def test_picture(make, named, tmp_path):
    """All names where there is room, one dashed line per cut joint, and a file that is a picture."""
    m = make()
    found = topology(m)
    figure = found.draw(tmp_path / "graph.png")
    axes = figure.axes[0]
    words = {text.get_text().split("\n")[0] for text in axes.texts}
    assert words == ({"ground", *m.bodies, *m.joints} if named else {"ground"})
    dashed = [patch for patch in axes.patches if patch.get_linestyle() not in ("-", "solid")]
    assert len(dashed) == len(found.cuts)
    picture = matplotlib.image.imread(tmp_path / "graph.png")
    orange = np.array([int(CUT[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    assert (np.abs(picture[..., :3] - orange).max(axis=-1) < 0.1).sum() > 100


def test_cuts_between_the_same_bodies_are_drawn_apart():
    """Three joints between two bodies, two to the ground: five arcs, no two the same."""
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1)))
    for k, ends in enumerate((("ground", "a"), ("ground", "a"), ("ground", "a"), ("ground", "b"), ("a", "b"), ("a", "b"))):
        m.add(sr.Revolute(f"j{k}", *ends, axis="z"))
    axes = topology(m).draw().axes[0]
    arcs = [patch.get_path().vertices.tobytes() for patch in axes.patches[1:]]
    assert len(arcs) == len(set(arcs)) == 4


def test_a_picture_of_an_unknown_kind_is_refused(tmp_path):
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "bob", axis="y"))
    with pytest.raises(sr.ModelError, match=r"x\.xyz: a picture cannot have the suffix \.xyz; use \.png"):
        m.topology().draw(tmp_path / "x.xyz")
    m.topology().draw(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").stat().st_size > 0


def test_pictures_show_forces_and_clip_nothing():
    """Beside their joint, below their body, or as an edge of their own; every name lies inside of the picture."""
    m = sr.Model("car")
    m.add(
        sr.Body("chassis", mass=1, inertia=(1, 1, 1)),
        sr.Free("base", "ground", "chassis"),
        sr.Force("wind", "chassis", (1, 0, 0)),
    )
    for k in range(2):
        m.add(sr.Body(f"carrier {k}", mass=1, inertia=(1, 1, 1), position=(k, 0, 0)))
        m.add(sr.Prismatic(f"slide {k}", "chassis", f"carrier {k}", axis="z"), sr.Spring(f"strut {k}", "chassis", f"carrier {k}"))
        m.add(*(sr.JointForce(f"force {k} {i}", f"slide {k}", "-v") for i in range(3)))
    m.add(sr.Spring("roll bar", "carrier 0", "carrier 1"), sr.Spring("a rope with a long name", "carrier 1", "ground"))
    found = m.topology()
    assert {force.name: force.bodies for force in found.forces}["roll bar"] == ("carrier 0", "carrier 1")
    assert {force.name: force.joints for force in found.forces}["force 0 1"] == ("slide 0",)
    figure = found.draw()
    axes = figure.axes[0]
    shown = {text.get_text() for text in axes.texts}
    assert {"roll bar\nSpring", "a rope with a long name\nSpring", "wind", "strut 0\nforce 0 0\nforce 0 1\nand 1 more"} <= shown
    assert {patch.get_edgecolor() for patch in axes.patches if patch.get_linestyle() not in ("solid", "-")} == {
        to_rgba("#2b8a3e")
    }
    figure.canvas.draw()
    for artist in (*axes.texts, *axes.patches, *axes.lines):
        box = artist.get_window_extent()
        assert figure.bbox.x0 - 1 <= box.x0, artist
        assert box.x1 <= figure.bbox.x1 + 1, artist
