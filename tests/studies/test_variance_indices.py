"""Sobol indices and main effects against closed forms."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.studies.variance_indices import main_effect, sobol_indices
from studies.falling_stones import study

PI4 = np.pi**4
V1, V2, V13 = 0.5 * (1 + 0.1 * PI4 / 5) ** 2, 49 / 8, 0.01 * PI4**2 * (1 / 18 - 1 / 50)
V = V1 + V2 + V13  # Ishigami and Homma, 1990, with a = 7, b = 0.1
FIRST, TOTAL = np.array([V1, V2, 0.0]) / V, np.array([V1 + V13, V2, V13]) / V


def ishigami(kind, runs):
    m = sr.Model("Ishigami", parameters={"x1": 0.0, "x2": 0.0, "x3": 0.0})
    m.add(sr.Body("stone", mass=1), sr.Prismatic("rail", "ground", "stone", axis="x"))
    law = sr.Uniform(-np.pi, np.pi)
    return sr.Study(
        m,
        parameters={"x1": law, "x2": law, "x3": law},
        outputs={"y": "sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1) + 0*final(rail.q)"},
        t_end=0.1,
        output=0.1,
        integrator="rk4",
        step=0.1,
        design=kind,
        runs=runs,
    )


def test_the_indices_of_ishigami():
    result = ishigami("saltelli", 256).run()
    assert len(result) == 256 * 5
    assert result.statistics("y").mean == pytest.approx(3.5, abs=0.1)
    found = result.sobol_indices("y")
    np.testing.assert_allclose(list(found.total.values()), TOTAL, atol=0.06)
    np.testing.assert_allclose(list(found.first.values()), FIRST, atol=0.15)
    for name, exact in zip(found.first, FIRST, strict=True):
        low, high = found.first_interval[name]
        assert low - 0.05 < exact < high + 0.05
    for name, exact in zip(found.total, TOTAL, strict=True):
        low, high = found.total_interval[name]
        assert low - 0.02 < exact < high + 0.02
        assert 0.0 < high - low < 0.5


def test_many_points_give_the_closed_form():
    from sharnir.studies.design import unit_points

    x = np.pi * (2 * unit_points("saltelli", 2**15, 3, 0) - 1)
    y = np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])
    found = sobol_indices(y, 2**15, ("x1", "x2", "x3"), 2)
    np.testing.assert_allclose(list(found.first.values()), FIRST, atol=3e-3)
    np.testing.assert_allclose(list(found.total.values()), TOTAL, atol=3e-3)
    for k, exact in enumerate(FIRST):
        assert main_effect(x[:, k], y, 32).share == pytest.approx(exact, abs=0.02)


def test_points_with_a_failed_run_are_left_out():
    from sharnir.studies.design import unit_points

    u = unit_points("saltelli", 512, 2, 1)
    y = 3 * u[:, 0] + u[:, 1]
    whole = sobol_indices(y, 512, ("a", "b"), 2)
    y[700] = np.nan
    found = sobol_indices(y, 512, ("a", "b"), 2)
    assert (whole.count, found.count) == (512, 511)
    assert found.first["a"] == pytest.approx(0.9, abs=0.02)


def test_chance_alone_explains_nothing():
    rng = np.random.default_rng(0)
    shares = [main_effect(rng.random(500), rng.random(500), 10).share for _ in range(50)]
    assert np.mean(shares) < 0.01


def test_indices_need_their_design():
    with pytest.raises(sr.ModelError, match="design='saltelli', and this study has 'grid'"):
        study().run().sobol_indices("end")
