"""Nested dissection of a net whose elements say where they are."""

import numpy as np

from large_mechanisms import mesh as net
from sharnir.dynamics.sparse.ordering import dissected_order
from sharnir.dynamics.sparse.supernodes import find_supernodes


def test_positions_suggest_straight_cuts():
    """In a net of rods whose joints say where they are, the order needs fewer operations."""
    joints = list(net(40).joints.values())
    on_body = {}
    for k, joint in enumerate(joints):
        for body in (joint.parent, joint.child):
            if str(body) != "ground":
                on_body.setdefault(str(body), []).append(k)
    pairs = {(max(a, b), min(a, b)) for listed in on_body.values() for a in listed for b in listed}
    e, f = np.array(sorted(pairs)).T.copy()
    position, sizes = np.array([joint.at for joint in joints], float), np.full(len(joints), 3)
    blind = find_supernodes(sizes, e, f, dissected_order(sizes, e, f))
    seeing = find_supernodes(sizes, e, f, dissected_order(sizes, e, f, position))
    assert sorted(seeing.order.tolist()) == list(range(len(joints)))
    assert seeing.cost < 0.9 * blind.cost
    assert seeing.largest < 0.8 * blind.largest
