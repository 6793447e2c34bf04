"""Known mechanisms: which joint is cut, how many equations it leaves, and the count of freedoms."""

from __future__ import annotations

import itertools

import pytest

import sharnir as sr
from sharnir.topology import topology
from topology.mechanisms import bricard, four_bar, mechanism, mesh, stewart


def test_four_bar():
    found = topology(four_bar())
    assert found.depth == 2 and found.cuts == ("B",) and found.rows == 5
    assert found.loops[0].planar and found.mobility == 1 and found.spatial_mobility == -2
    assert not topology(four_bar("yyyx")).loops[0].planar


def test_slider_crank():
    ends = ("ground", "crank"), ("crank", "rod"), ("rod", "piston")
    joints = [sr.Revolute(name, *pair, axis="y") for name, pair in zip("OAB", ends, strict=True)]
    m = mechanism("slider-crank", ("crank", "rod", "piston"), [*joints, sr.Prismatic("slide", "ground", "piston", axis="x")])
    found = topology(m)
    assert found.mobility == 1 and found.cuts == ("B",)
    m.add(sr.Body("load", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "piston", "load", axis="y"))
    assert topology(m).mobility == 2  # the rail is in no loop


def test_frames_count_in_the_drawing():
    """Axes of a joint placed by frames are in its frame: turned by a right angle about x, z becomes -y."""
    m = four_bar("yyy" + "y")
    turned = sr.Frame((0, 0, 0), sr.rotation_about("x", 1.5707963267948966))
    m._joints["C"] = sr.Revolute("C", "ground", "lever", axis="z", parent_frame=turned, child_frame=turned)
    assert topology(m).loops[0].planar
    m._joints["C"] = sr.Revolute("C", "ground", "lever", axis="y", parent_frame=turned, child_frame=turned)
    assert not topology(m).loops[0].planar


def test_bricard():
    found = topology(bricard())
    assert found.depth == 3 and found.rows == 5 and len(found.loops[0].joints) == 6
    assert not found.loops[0].planar and found.mobility == 0


def test_stewart_platform():
    """Five of six balls are cut: 15 equations; the platform has its six freedoms."""
    found = topology(stewart())
    assert all(loop.kind == "Ball" and len(loop.joints) == 6 for loop in found.loops)
    assert (len(found.loops), found.rows, found.depth, found.mobility) == (5, 15, 3, 6)


def test_prescribed_motion_counts_as_no_freedom():
    m = four_bar()
    m._joints["O"] = sr.Revolute("O", "ground", "crank", axis="y", motion="2*t")
    found = topology(m)
    assert found.mobility == 0 and found.cuts == ("B",)


@pytest.mark.parametrize(("width", "height"), [(30, 30), (100, 100)])
def test_mesh(width, height):
    """(w-1)(h-1) loops, none deeper than the farthest corner."""
    found = topology(mesh(width, height))
    assert len(found.loops) == (width - 1) * (height - 1)
    assert found.depth == width + height - 1
    assert found.rows == 5 * len(found.loops)


def test_loops_of_a_mesh_are_short():
    """A comb has loops of 4, 6, 8, … joints; a bushy tree does better."""
    size = 30
    comb = sum(2 * i + 2 for i in range(1, size)) * (size - 1)
    assert sum(len(loop.joints) for loop in topology(mesh(size, size)).loops) < 0.6 * comb


def test_mesh_of_mixed_joints():
    """With every third joint a ball, fewer equations than the shallowest tree would leave."""
    count = itertools.count()

    def kind(*names):
        return sr.Ball(*names) if next(count) % 3 == 0 else sr.Revolute(*names, axis="y")

    found = topology(mesh(60, 60, kind))
    balls = sum(loop.kind == "Ball" for loop in found.loops)
    assert balls > 0.5 * len(found.loops)
