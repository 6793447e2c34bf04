"""Rows of hinges and slides, which are listed together, are what they would be one by one; so are their frames."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.memory import coordinates, engine_frames
from sharnir.dynamics.memory.memory_builder import Blocks, aligned, nothing
from sharnir.model.placement import placements
from sharnir.topology import build_tree


def mixed(base: bool) -> sr.Model:
    """Hinges and slides, some declared from the far side, with rotors and states, between joints of other kinds; branches."""
    m = sr.Model("mixed", base_motion=sr.BaseMotion(z="0.1*sin(t)") if base else None)
    turned = sr.Frame((0.1, 0, 0), ((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    bodies = [m.ground]
    for i in range(12):
        bodies.append(
            m.add(sr.Body(f"b{i}", mass=1 + i, com=(0.1, 0, 0.01 * i), inertia=(1, 2, 2.5), position=(0.2 * i, 0, 0.1)))
        )
    place = [{"at": (0.2 * i, 0.01, 0.1)} for i in range(12)]
    m.add(sr.Revolute("j0", bodies[0], bodies[1], axis="y", q=0.1, v=2.0, **place[0]))
    m.add(sr.Revolute("j1", bodies[2], bodies[1], axis=(1, 1, 0), armature=0.3, **place[1]))  # from the far side
    m.add(sr.Prismatic("j2", bodies[2], bodies[3], axis="-x", damping=2.0, **place[2]))
    m.add(sr.Ball("j3", bodies[3], bodies[4], **place[3]))
    m.add(sr.Prismatic("j4", bodies[5], bodies[4], axis="z", v=-1.0, **place[4]))
    m.add(sr.Revolute("j5", bodies[3], bodies[6], axis="z"))  # at the child's own place, from a branch
    m.add(sr.Revolute("j6", bodies[6], bodies[7], axis="x", motion="t", **place[6]))
    m.add(sr.Revolute("j7", bodies[7], bodies[8], axis="x", **place[7]))
    m.add(sr.Screw("j8", bodies[8], bodies[9], axis="z", pitch=0.01, **place[8]))
    m.add(sr.Revolute("j9", bodies[9], bodies[10], axis="y", child_frame=turned))
    m.add(sr.Fixed("j10", bodies[1], bodies[11], **place[10]))
    m.add(sr.Revolute("j11", bodies[11], bodies[12], axis="y", q=-0.2, **place[11]))
    return m


def listed(model: sr.Model):
    tree, placed = build_tree(model), placements(model)
    return coordinates.list_coordinates(model, tree, placed), engine_frames.place_bodies(model, tree, placed)


@pytest.mark.parametrize("base", [False, True], ids=["ground at rest", "moving ground"])
def test_hinges_together_and_one_by_one(base, monkeypatch):
    model = mixed(base)
    together, where = listed(model)
    for room in (coordinates, engine_frames):
        monkeypatch.setattr(room, "is_hinge", lambda joint: False)
    alone, there = listed(model)
    for field in dataclasses.fields(together):
        one, other = getattr(together, field.name), getattr(alone, field.name)
        assert one == other, field.name
        if isinstance(one, dict):
            assert list(one) == list(other), field.name
    for field in dataclasses.fields(where):
        one, other = getattr(where, field.name), getattr(there, field.name)
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other, field.name


def test_reserved_memory_is_zero_and_in_place():
    blocks = Blocks()
    blocks.append("work", None, np.ones(3))
    at = blocks.append("work", None, nothing(20))
    behind = blocks.append("work", None, [7.0])
    blocks.append("params", None, [0.0])
    _, _, work = blocks.finish()
    assert work[at : at + 20].tolist() == [0.0] * 20 and work[behind] == 7.0 and work[:3].tolist() == [1.0] * 3
    assert work.ctypes.data % 64 == 0 and work.flags.writeable and behind >= at + 20
    assert aligned([np.ones(1), nothing(0), nothing(1)]).tolist() == [1.0, 0.0]
