"""Positions as declared, velocities and accelerations as differences of positions: the whole recursion, φ and ψ among it."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
import zoo
from agree.by_hand import body_poses, coordinates_of, quaternion_matrix
from sharnir.dynamics.evaluation.python_entries import evaluate_rates
from sharnir.dynamics.memory import layout as L

STENCIL = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60.0  # first derivative, sixth order
STYLES = [(kind, style) for kind in sr.ALL_JOINTS for style in ("at", "origin", "frames", "far")]
STYLES = [(kind, style) for kind, style in STYLES if style != "far" or kind not in (sr.Ball, sr.Free)]


def moved(s, q, v, h):
    """Coordinates after a small motion with constant speeds v: first order, quaternions put back on the sphere."""
    rate = np.zeros(s.n_q)
    evaluate_rates(q, np.ascontiguousarray(v, float), rate, s.table, s.params)
    new = q + h * rate
    for k in s.assembly.coordinates.quaternions:
        new[k : k + 4] /= np.linalg.norm(new[k : k + 4])
    return new


def compare_poses(s, q, v, t):
    X, found = body_poses(s.model, coordinates_of(s, q, t), t), s.bodies(q, v, t)
    for name in s.model.bodies:
        assert found[name].position == pytest.approx(X[name][:3, 3], abs=1e-13)
        assert quaternion_matrix(found[name].rotation) == pytest.approx(X[name][:3, :3], abs=1e-13)


@pytest.mark.parametrize("name", zoo.ZOO)
def test_positions(name):
    s = zoo.system(name, zoo.methods(name)[0])
    for seed in (1, 2):
        compare_poses(s, *zoo.state(s, seed), t=0.3 * seed)


@pytest.mark.parametrize(("kind", "style"), STYLES)
def test_positions_however_declared(kind, style):
    s = zoo.one_joint(kind, style).compile(method="articulated")
    compare_poses(s, *zoo.state(s, 3), t=0.0)


def test_positions_by_frames_from_the_far_side():
    rng = np.random.default_rng(2)
    m = sr.Model()
    m.add(
        zoo.by_frames(zoo.body(rng, "arm")),
        zoo.body(rng, "hand"),
        zoo.joint(sr.Revolute, rng, "shoulder", "ground", "arm", at=(0, 0, 0)),
    )
    m.add(zoo.joint(sr.FreedomSequence, rng, "wrist", "hand", "arm", **zoo.place("frames", rng)))
    s = m.compile()
    compare_poses(s, *zoo.state(s, 3), t=0.0)


@pytest.mark.parametrize("first", ["at", "frames"])
def test_frames_that_do_not_meet_are_refused(first):
    """Where two joints would place one body, the second must fit."""
    rng = np.random.default_rng(2)
    m = sr.Model()
    m.add(zoo.by_frames(zoo.body(rng, "arm")), zoo.body(rng, "hand"))
    m.add(
        zoo.joint(
            sr.Revolute,
            rng,
            "shoulder",
            *(("ground", "arm") if first == "frames" else ("arm", "ground")),
            **zoo.place("frames", rng),
        )
    )
    m.add(zoo.joint(sr.Revolute, rng, "wrist", "hand", "arm", **zoo.place("frames", rng)))
    with pytest.raises(sr.ModelError, match=r"frames .* do not meet"):
        m.compile()


@pytest.mark.parametrize("name", zoo.ZOO)
def test_structure(name):
    """S T = 1, and velocities are B q̇ + φ with φ from the recursion φ_i = C_i φ_p + φ_i^r, φ^r = v^r at q̇ = 0."""
    s = zoo.system(name, zoo.methods(name)[0])
    q, v = zoo.state(s, 4)
    t, n = 0.6, s.assembly.count

    def velocities(speeds):
        st = s.structure(q, speeds, t)
        rows = s.work[s.table[L.W_BODY] :][: n * L.W_BODY_SIZE].reshape(n, -1)
        return st, rows[:, L.VEL : L.VEL + 6].ravel().copy()

    st, vel = velocities(v)
    _, phi = velocities(np.zeros(s.n_v))
    assert pytest.approx(np.eye(6 * n), abs=1e-12) == st.S @ st.T
    assert vel == pytest.approx(st.B @ v + phi, abs=1e-11)
    if not (s.table[L.N_MOTION]):
        assert not phi.any()


@pytest.mark.parametrize("name", zoo.ZOO)
def test_velocities_and_accelerations_along_the_motion(name):
    """Channels of a run against differences of its positions, every body, prescribed joints and a moving base included."""
    h, mid = 5e-4, 0.3
    times = mid + h * np.arange(-3, 4)
    m = zoo.model(name)
    result = m.simulate(times[-1], output=times, tolerance=1e-13, method=zoo.methods(name)[0])
    rows = slice(-7, None)
    for body in m.bodies:
        v, w = result[f"{body}.velocity"][rows], result[f"{body}.angular_velocity"][rows]
        scale = 1 + np.abs(v).max() + np.abs(w).max() ** 2
        assert STENCIL @ result[f"{body}.position"][rows] / h == pytest.approx(v[3], abs=1e-8 * scale)
        R = np.array([quaternion_matrix(e) for e in result[f"{body}.rotation"][rows]])
        spin = np.einsum("k,kij->ij", STENCIL, R) / h @ R[3].T
        assert np.array([spin[2, 1], spin[0, 2], spin[1, 0]]) == pytest.approx(w[3], abs=1e-8 * scale)
        a, alpha = result[f"{body}.acceleration"][rows][3], result[f"{body}.angular_acceleration"][rows][3]
        scale = 1 + np.abs(a).max() + np.abs(alpha).max()
        assert STENCIL @ v / h == pytest.approx(a, abs=1e-7 * scale)
        assert STENCIL @ w / h == pytest.approx(alpha, abs=1e-7 * scale)


@pytest.mark.parametrize("name", ["tree 0", "tree 3", "floating", "prescribed", "moving base", "humanoid"])
def test_jacobian(name):
    """Columns are the velocities that unit speeds make, and differences of positions."""
    s = zoo.system(name)
    q, _ = zoo.state(s, 6)
    t, h, point = 0.4, 1e-5, np.array([0.3, -0.2, 0.5])
    for body in list(s.model.bodies)[-3:]:
        J = s.jacobian(body, q, point, t)
        for k, e in enumerate(np.eye(s.n_v)):
            ends = [body_poses(s.model, coordinates_of(s, moved(s, q, e, x), t), t)[body] for x in (-2 * h, -h, h, 2 * h)]
            slope = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h)
            assert J[:3, k] == pytest.approx(slope[:3, :3] @ point + slope[:3, 3], abs=1e-9)
            spin = slope[:3, :3] @ ends[1][:3, :3].T
            assert J[3:, k] == pytest.approx((spin[2, 1], spin[0, 2], spin[1, 0]), abs=1e-4)
    assert not s.jacobian("ground", q).any()


@pytest.mark.parametrize(("shift", "turn"), [(0.0, 0.0), (1e-6, 0.0), (0.0, 1e-6)])
def test_frames_meet_to_more_than_a_drawing_shows(shift, turn):
    """The arm is placed by its shoulder, the hand where it is drawn; the wrist between them misses by a micrometre or so."""
    m = sr.Model()
    m.add(sr.Body("arm", mass=1, inertia=(1, 1, 1)), sr.Body("hand", mass=1, inertia=(1, 1, 1), position=(0, 0, 2)))
    m.add(sr.Revolute("shoulder", "ground", "arm", axis="z", parent_frame=sr.Frame((0, 0, 1)), child_frame=sr.Frame()))
    off = sr.Frame((shift, 0, -1), (np.cos(turn / 2), 0, np.sin(turn / 2), 0))
    m.add(sr.Revolute("wrist", "hand", "arm", axis="z", parent_frame=off, child_frame=sr.Frame()))
    if shift == turn == 0.0:
        assert m.compile().n_v == 2
    else:
        with pytest.raises(sr.ModelError, match=r"'wrist': its frames .* do not meet"):
            m.compile()
