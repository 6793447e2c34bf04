"""Mechanisms with loops that the tests of this folder share."""

from __future__ import annotations

import itertools

import sharnir as sr


def mechanism(name, bodies, joints):
    m = sr.Model(name)
    m.add(*(sr.Body(body, mass=1, inertia=(1, 1, 1)) for body in bodies), *joints)
    return m


def four_bar(axes="yyyy"):
    ends = ("ground", "crank"), ("crank", "rod"), ("rod", "lever"), ("ground", "lever")
    joints = [sr.Revolute(name, *pair, axis=axis) for name, pair, axis in zip("OABC", ends, axes, strict=True)]
    return mechanism("four-bar", ("crank", "rod", "lever"), joints)


def bricard():
    """Six hinges in a ring, neighbours at right angles: no freedom by any count, and yet it moves."""
    names = ["ground", *(f"link{k}" for k in range(1, 6)), "ground"]
    joints = [sr.Revolute(f"H{k}", *names[k : k + 2], axis="xyzxyz"[k]) for k in range(6)]
    return mechanism("Bricard", names[1:-1], joints)


def stewart():
    joints, bodies = [], ["platform"]
    for k in range(6):
        bodies += [f"cylinder{k}", f"rod{k}"]
        joints += [
            sr.Universal(f"U{k}", "ground", f"cylinder{k}", axis="x", axis2="y"),
            sr.Prismatic(f"P{k}", f"cylinder{k}", f"rod{k}", axis="z", torque="sin(t)"),
            sr.Ball(f"S{k}", f"rod{k}", "platform"),
        ]
    return mechanism("Stewart platform", bodies, joints)


def mesh(width, height, kind=lambda *names: sr.Revolute(*names, axis="y")):
    """Bodies in a rectangle, each joined with its right and lower neighbour; the first one hangs on the ground."""
    m = sr.Model("mesh")
    body = sr.Body("shared", mass=1, inertia=(1, 1, 1))
    places = list(itertools.product(range(height), range(width)))
    for i, j in places:
        m._bodies[f"b{i},{j}"] = body
    m._joints["hook"] = kind("hook", "ground", "b0,0")
    for i, j in places:
        for name, other in ((f"right{i},{j}", (i, j + 1)), (f"down{i},{j}", (i + 1, j))):
            if other[0] < height and other[1] < width:
                m._joints[name] = kind(name, f"b{i},{j}", f"b{other[0]},{other[1]}")
    return m
