"""Forward and inverse dynamics undo each other; mass matrix and bias are what inverse dynamics is made of."""

from __future__ import annotations

import numpy as np
import pytest

import zoo


@pytest.mark.parametrize("name", [name for name in zoo.ZOO if name != "gears"])
def test_inverse_undoes_forward(name):
    s = zoo.system(name)
    q, v = zoo.state(s, 5)
    rng, t = np.random.default_rng(6), 0.8
    tau = rng.normal(size=s.n_v)
    vdot = s.accelerations(q, v, t, tau=tau)
    assert s.inverse_dynamics(q, v, vdot, t) == pytest.approx(tau, rel=1e-9, abs=1e-9)
    wanted = rng.normal(size=s.n_v)
    needed = s.inverse_dynamics(q, v, wanted, t)
    assert s.accelerations(q, v, t, tau=needed) == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", zoo.ZOO)
def test_inverse_dynamics_is_mass_matrix_and_bias(name):
    s = zoo.system(name, zoo.methods(name)[0])
    q, v = zoo.state(s, 7)
    t, vdot = 0.8, np.random.default_rng(8).normal(size=s.n_v)
    M, h = s.mass_matrix(q, t), s.bias(q, v, t)
    assert s.inverse_dynamics(q, v, vdot, t, elements=False) == pytest.approx(M @ vdot + h, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("name", zoo.ZOO)
def test_mass_matrix_three_ways(name):
    """Composite bodies, Bᵀ M B from the explicit matrices, and the Hessian of the kinetic energy (which is quadratic)."""
    s = zoo.system(name, zoo.methods(name)[0])
    q, _ = zoo.state(s, 9)
    t, n = 0.8, s.n_v
    M = s.mass_matrix(q, t)
    st = s.structure(q, np.zeros(n), t)
    rotors = np.diag([x for joint in s.model.joints.values() for x in joint.armature]) if name == "rotors" else 0.0
    assert pytest.approx(st.B.T @ st.M @ st.B + rotors, rel=1e-11, abs=1e-12) == M
    T0, unit = s.energy(q, np.zeros(n), t).kinetic, np.eye(n)
    T = [s.energy(q, e, t).kinetic for e in unit]
    H = np.array([[s.energy(q, a + b, t).kinetic - T[i] - T[j] + T0 for j, b in enumerate(unit)] for i, a in enumerate(unit)])
    assert pytest.approx(H, rel=1e-9, abs=1e-10) == M
    assert np.linalg.eigvalsh(M)[0] > 0
    assert (M == M.T).all()


def test_many_states_at_once():
    """A leading axis means many states for every question that has one answer per state."""
    s = zoo.system("tree 1")
    q, v = (np.array(x) for x in zip(*(zoo.state(s, k) for k in range(3)), strict=True))
    vdot = np.random.default_rng(1).normal(size=(3, s.n_v))
    for k in range(3):
        assert (s.inverse_dynamics(q, v, vdot)[k] == s.inverse_dynamics(q[k], v[k], vdot[k])).all()
        assert (s.bias(q, v)[k] == s.bias(q[k], v[k])).all()
        assert (s.mass_matrix(q)[k] == s.mass_matrix(q[k])).all()
    with pytest.raises(ValueError, match="one state"):
        s.energy(q, v)
    with pytest.raises(ValueError, match="leading axes"):
        s.inverse_dynamics(q, v, vdot[0])
