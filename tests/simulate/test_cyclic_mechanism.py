"""The slider-crank of Gevorkian 2020: exact motion against equations by hand, approximate method for cyclic mechanisms."""

import warnings

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import RunWarning
from sharnir.flexible import Section, reduce, straight_beam
from sharnir.simulate.opened_loops import rigid_analogue
from simulate.slider_crank_by_hand import PERIOD, motion_by_hand, slider_crank

TIMES = np.linspace(0.0, 0.07, 71)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_exact_motion_and_drive_force_against_equations_by_hand(formulation):
    u, force = motion_by_hand(TIMES, elements=4)
    run = slider_crank().simulate(0.07, output=TIMES, tolerance=1e-11, formulation=formulation)
    assert run["rod:A3.displacement"][:, 1] == pytest.approx(u, abs=1e-9 * np.abs(u).max())
    assert run["S.drive"] == pytest.approx(force, abs=1e-9 * np.abs(force).max())


def test_many_elements_are_the_continuous_rod():
    """Errors of linear interpolation along the rod fall with the square of the length of elements; extrapolated they vanish."""
    u, force = motion_by_hand(TIMES)
    runs = [slider_crank(elements=n).simulate(0.07, output=TIMES, tolerance=1e-10) for n in (20, 40)]
    for channel, exact in (("rod:A3.displacement", u), ("S.drive", force)):
        coarse, fine = (run[channel] if run[channel].ndim == 1 else run[channel][:, 1] for run in runs)
        assert np.abs(fine - exact).max() < 0.3 * np.abs(coarse - exact).max()
        assert (4 * fine - coarse) / 3 == pytest.approx(exact, abs=2e-6 * np.abs(exact).max())


def test_mixed_problem_along_the_run():
    """The slider's acceleration is given here instead of its motion in the model: the same force at every moment."""
    run = slider_crank().simulate(0.07, output=0.007)
    free = slider_crank(motion=None).compile()
    problem = free.mixed_problem(["S"])
    for k in (0, 3, 7):
        known = {"S.q": run["S.q"][k], "rod.w.1": run["rod.w"][k, 0]} | {
            f"{name}.q": run[f"{name}.q"][k] for name in ("A2", "A3")
        }
        speeds = {"S.v": run["S.v"][k], "rod.xi.1": run["rod.xi"][k, 0]} | {f"{n}.v": run[f"{n}.v"][k] for n in ("A2", "A3")}
        q, v = [known[name] for name in free.coordinates], [speeds[name] for name in free.speeds]
        found = problem.solve(q, v, accelerations={"S": run["S.a"][k]})
        assert found.forces["S"] == pytest.approx(run["S.drive"][k], rel=1e-8)
        assert found.vdot[-1] == pytest.approx(run["rod.xidot"][k, 0], rel=1e-7)


def test_rigid_analogue():
    m = slider_crank()
    rigid = rigid_analogue(m)
    assert list(rigid.bodies) == list(m.bodies)
    assert rigid.bodies["rod"].mass == pytest.approx(m.bodies["rod"].mass)
    # a rod that hardly bends, its vibrations damped: the drive needs the same force
    stiff = slider_crank(young=2e14, damping=1.0).simulate(0.02, output=0.005, integrator="radau5")
    expected = rigid.kinematics(stiff.t)["S.drive"]
    assert stiff["S.drive"][1:] == pytest.approx(expected[1:], rel=1e-3)


def test_the_freed_rigid_tree_moves_as_the_mechanism():
    """Reactions of the rigid analogue on its own tree: the method is exact but for the spline between samples."""
    from sharnir.simulate.opened_loops import freed_model, joint_gap

    rigid = rigid_analogue(slider_crank())
    one = rigid.kinematics(np.linspace(0.0, PERIOD, 401))
    tree = freed_model(rigid, ("A4",), one).simulate(PERIOD, output=one.t, tolerance=1e-11)
    assert joint_gap(rigid, tree, "A4").max() < 1e-4
    assert tree["S.drive"] == pytest.approx(one["S.drive"], abs=1e-3 * np.abs(one["S.drive"]).max())


def test_a_stiff_damped_rod_bends_as_the_exact_method_says():
    """With vibrations damped, what is left is forced by the reactions; errors are as small as the displacements are."""
    found = []
    for young in (2e14, 2e16):
        run = sr.approximate_cycle(slider_crank(young, damping=1.0), PERIOD, PERIOD, output=PERIOD / 100, integrator="radau5")
        found.append(run.estimate)
        late = run.result.t > 0.002
        exact = run.exact["rod.w"][late, 0]
        assert run.result["rod.w"][late, 0] == pytest.approx(exact, abs=0.05 * np.abs(exact).max())
    assert found[1].gap["A4"] < 0.1 * found[0].gap["A4"]
    assert found[1].drives["S"] < 1e-2


def test_springs_that_hold_the_loop():
    """The published method drifts when displacements are large; springs in the freed joint make it exact in the limit."""
    errors = {}
    for hold in (None, 500.0, 4000.0):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            run = sr.approximate_cycle(slider_crank(), PERIOD, PERIOD, hold=hold, output=PERIOD / 100)
        errors[hold] = run.estimate
        exact = slider_crank().simulate(PERIOD, output=PERIOD / 100)
        off = np.abs(run.result["rod.w"] - exact["rod.w"]).max() / np.abs(exact["rod.w"]).max()
        doubted = any(issubclass(x.category, RunWarning) and "cannot be trusted" in str(x.message) for x in told)
        assert doubted == (off > 0.1) == ("cannot be trusted" in str(run.result.trust))
    assert errors[None].trusted_until < 0.8 * PERIOD
    assert errors[500.0].trusted_until == PERIOD
    assert errors[4000.0].relative < 0.1 * errors[500.0].relative
    assert errors[4000.0].relative < 0.02
    assert errors[4000.0].drives["S"] < 0.02


def test_wrong_questions():
    with pytest.raises(sr.ModelError, match="has no loops"):
        sr.approximate_cycle(slider_crank(cut=False), PERIOD, 1.0)
    with pytest.raises(sr.ModelError, match=r"not periodic: after 0.03 s body 'slider'"):
        sr.approximate_cycle(slider_crank(), 0.03, 1.0)
    with pytest.raises(sr.ModelError, match="period = -1"):
        sr.approximate_cycle(slider_crank(), -1, 1.0)
    with pytest.raises(sr.ModelError, match="samples = 3"):
        sr.approximate_cycle(slider_crank(), PERIOD, 1.0, samples=3)
    m = slider_crank(cut=False)
    m.add(sr.Distance("wire", "ground", "crank"))
    with pytest.raises(sr.ModelError, match="'wire' is a constraint"):
        sr.approximate_cycle(m, PERIOD, 1.0)
    rod = reduce(straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=2), interfaces={"a": 0, "b": 2}, modes=1)
    m = sr.Model()
    m.add(sr.FlexibleBody("rod", reduced=rod), sr.Revolute("O", "ground", "rod:a", axis="z"))
    m.add(sr.Prismatic("P", "ground", "rod:b", at=(1, 0, 0), axis="x"))
    with pytest.raises(sr.ModelError, match="joint 'P' slides"):
        sr.approximate_cycle(m, 1.0, 2.0, hold=10.0)
