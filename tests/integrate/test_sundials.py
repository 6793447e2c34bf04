"""IDA and CVODE beside our own integrators: the same problems, grids, projections and failures."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import sharnir as sr
from integrate.textbook import (
    ROBERTSON_END,
    ROBERTSON_START,
    VAN_DER_POL_END,
    VAN_DER_POL_START,
    blow_up,
    hanging_point,
    on_circle,
    oscillator,
    pendulum_points,
    plane_pendulum,
    robertson,
    spinning,
    spinning_quaternion,
    van_der_pol,
)
from sharnir.errors import MissingExtraError, ModelError
from sharnir.integrate import EXTERNAL_INTEGRATORS, integrate, integrator_named, textbook_problem

NAMES = list(EXTERNAL_INTEGRATORS)


@pytest.mark.parametrize("name", NAMES)
def test_missing_package_says_what_to_install(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "sksundae", None)
    with pytest.raises(MissingExtraError, match=r"pip install sharnir\[sundials\]"):
        integrate(textbook_problem(oscillator, 2), [1.0, 0.0], [0.0, 1.0], name)


@pytest.fixture(autouse=True)
def sksundae(request):
    if "missing_package" not in request.node.name:
        return pytest.importorskip("sksundae", reason="scikit-sundae is not installed (pip install sharnir[sundials])")
    return None


@pytest.mark.parametrize("name", NAMES)
def test_oscillator(name):
    t = np.linspace(0.0, 20.0, 77)
    solution = integrate(textbook_problem(oscillator, 2), [1.0, 0.0], t, name, 1e-9, 1e-9, dense=True)
    assert solution.success
    assert solution.message == "finished at t = 20"
    assert np.abs(solution.y[:, 0] - np.cos(t)).max() < 2e-6
    between = np.linspace(0.0, 20.0, 1001)
    assert np.abs(solution(between)[:, 0] - np.cos(between)).max() < 2e-6
    assert np.abs(solution(t) - solution.y).max() < 1e-12
    assert 100 < solution.stats["steps"] < solution.stats["evaluations"]


@pytest.mark.parametrize("name", NAMES)
def test_stiff(name):
    rober = integrate(textbook_problem(robertson, 3), ROBERTSON_START, [0.0, 1e11], name, 1e-7, [1e-14, 1e-18, 1e-14])
    assert rober.y[-1] == pytest.approx(ROBERTSON_END, rel=1e-3)
    vdpol = integrate(textbook_problem(van_der_pol, 2), VAN_DER_POL_START, [0.0, 2.0], name, 1e-8, 1e-8)
    assert vdpol.y[-1] == pytest.approx(VAN_DER_POL_END, rel=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_pendulum_with_projection(name):
    t = np.linspace(0.0, 30.0, 201)
    exact = pendulum_points(integrate(textbook_problem(plane_pendulum, 2), [1.0, 0.0], t, "dop853", 1e-13, 1e-13).y)
    problem = textbook_problem(hanging_point, 4, n_q=2, n_v=2, projection=on_circle)
    solution = integrate(problem, exact[0], t, name, 1e-8, 1e-8, dense=True)
    for y in (solution.y, solution(t)):
        assert np.abs(np.hypot(y[:, 0], y[:, 1]) - 1.0).max() < 1e-15
        assert np.abs(y[:, 0] * y[:, 2] + y[:, 1] * y[:, 3]).max() < 1e-14
        assert np.abs(y - exact).max() < 1e-4
    assert 0.0 < solution.stats["position_residual"] < 1e-5
    assert solution.stats["restarts"] > 0  # the history left the circle by five tolerances, and was begun anew


@pytest.mark.parametrize("name", NAMES)
def test_quaternions(name):
    t = np.linspace(0.0, 5.0, 31)
    solution = integrate(textbook_problem(spinning, 5, quaternions=[1]), [0.0, 1.0, 0.0, 0.0, 0.0], t, name, 1e-9, 1e-9)
    assert np.abs(np.linalg.norm(solution.y[:, 1:], axis=1) - 1.0).max() < 5e-16
    assert np.abs(solution.y[:, 1:] - spinning_quaternion(t)).max() < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_failures(name):
    singular = integrate(textbook_problem(blow_up, 1), [1.0], np.linspace(0.0, 2.0, 21), name)
    assert singular.status in ("step too small", "not finite")
    assert singular.stats["t_reached"] == pytest.approx(1.0, abs=1e-3)
    assert len(singular.t) in (10, 11)
    start = integrate(textbook_problem(oscillator, 2), [1.0, np.nan], [0.0, 1.0], name)
    assert start.status == "not finite"
    many = integrate(textbook_problem(oscillator, 2), [1.0, 0.0], np.arange(1000.0), name, max_evaluations=300)
    assert many.status == "too many evaluations"
    assert 0 < len(many.t) < 1000


@pytest.mark.parametrize("name", NAMES)
def test_settings(name):
    circle = textbook_problem(oscillator, 2)
    with pytest.raises(ModelError, match="control must be True"):
        integrate(circle, [1.0, 0.0], [0.0, 1.0], name, control=False)
    with pytest.raises(ModelError, match="1 to 5"):
        integrator_named(name, 6)
    with pytest.raises(ModelError, match="option 'rho' is unknown"):
        integrator_named(name, options={"rho": 0.5})
    assert integrate(circle, [1.0, 0.0], [0.0, 1.0], name, max_step=0.001).stats["steps"] >= 1000
    few = integrate(circle, [1.0, 0.0], [0.0, 1.0], name, 1e-5, 1e-5, order=1).stats["steps"]
    assert few > 3 * integrate(circle, [1.0, 0.0], [0.0, 1.0], name, 1e-5, 1e-5).stats["steps"]
    seen = []
    integrate(circle, [1.0, 0.0], [0.0, 100.0], name, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize("integrator", ["cvode", "ida"])
def test_breaks_in_time_and_switches_of_the_state(integrator):
    """Steps end at a pulse of time; what switches with the state is refused in words, what only bends is not."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=10, inertia=(1, 1, 1)))
    m.add(sr.Prismatic("P", "ground", "b", axis="x", torque="if((t > 5)*(t < 5.5), 100, 0)"))
    result = m.simulate(20, integrator=integrator)
    assert result["P.v"][-1] == pytest.approx(5.0, rel=1e-7) and result.stats["breaks"] == 2
    m.add(sr.JointForce("wall", "P", "-max(0, q - 30)"))
    assert m.simulate(20, integrator=integrator)["P.v"][-1] == pytest.approx(m.simulate(20)["P.v"][-1], rel=1e-5)
    m.add(sr.JointForce("F", "P", "if(q > 3, 1, 0)"))
    with pytest.raises(sr.ModelError, match=r"smooth\("):
        m.simulate(20, integrator=integrator)
