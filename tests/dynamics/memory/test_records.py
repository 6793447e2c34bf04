"""Where a record stands is said once, by its accessor; the accessors agree with the sections that assembly writes."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import zoo
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory import records
from sharnir.model.frames import rotation_matrix

ROOM = Path(records.__file__).parents[1]
BY_HAND = re.compile(r"tab\[L\.[TPW]_\w+\] \+ (?:\w+ \* (?:L\.\w+_SIZE|\d+\b)|\d+ \* \w+\b(?!\[))")


def test_addresses_by_hand_would_be_found():
    assert BY_HAND.search("b = tab[L.T_BODY] + i * L.T_BODY_SIZE")
    assert BY_HAND.search("b = tab[tab[L.T_MIMIC] + 2 * m]")
    assert not BY_HAND.search("M = shift(w, tab[L.W_METHOD] + 6 * tab[L.N_BODY] * n)")


def test_kernels_compute_no_addresses_of_records():
    """Sections of a method, and those that one file owns (P_METHOD, T_STOP, W_STOP), are that file's own business."""
    own = ("W_METHOD", "P_METHOD", "T_METHOD", "T_STOP", "W_STOP")
    found = [
        f"{path.relative_to(ROOM)}: {match[0]}"
        for path in sorted(ROOM.rglob("*.py"))
        if path.name != "records.py"
        for match in BY_HAND.finditer(path.read_text(encoding="utf-8"))
        if not any(f"L.{name}]" in match[0] for name in own)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("accessor", "section", "size"),
    [
        (records.body_record, L.T_BODY, L.T_BODY_SIZE),
        (records.body_params, L.P_BODY, L.P_BODY_SIZE),
        (records.body_work, L.W_BODY, L.W_BODY_SIZE),
        (records.frame_params, L.P_FRAME, L.P_FRAME_SIZE),
        (records.pose_work, L.W_POSE, L.W_POSE_SIZE),
        (records.freedom_record, L.T_FREEDOM, L.T_FREEDOM_SIZE),
        (records.axis_work, L.W_AXES, L.W_AXES_SIZE),
        (records.force_record, L.T_FORCE, L.T_FORCE_SIZE),
        (records.potential_record, L.T_POTENTIAL, L.T_POTENTIAL_SIZE),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_records_follow_each_other(accessor, section, size):
    s = zoo.system("forces")
    plain = inspect.unwrap(getattr(accessor, "py_func", accessor))
    assert [plain(s.table, k) for k in (0, 3)] == [s.table[section], s.table[section] + 3 * size]


def test_world_pose_is_where_the_body_is():
    s = zoo.system("tree 1")
    q, v = zoo.state(s, 1)
    body = s.bodies(q, v)[s.tree.bodies[2]]
    s.jacobian(s.tree.bodies[2], q)  # leaves the poses at q in the memory
    pose = records.world_pose(s, 2)
    assert pose.shape == (L.W_POSE_SIZE,)
    axes, origin = records.user_frame(s, 2)
    assert pose[9:12] + pose[:9].reshape(3, 3) @ origin == pytest.approx(body.position)
    assert pose[:9].reshape(3, 3) @ axes == pytest.approx(np.array(rotation_matrix(body.rotation)))
