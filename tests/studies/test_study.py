"""A study: closed forms, failures with their reasons, what is refused, and the same bits wherever runs are made."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sharnir as sr
from sharnir.studies.study import Study
from studies.falling_stones import OUTPUTS, G, fails_sometimes, stone, study


def test_closed_forms_and_units():
    result = study(parameters={"h": [1.0, 2.0], "rail.v": [0.0, 1.0], "g": 8.0}).run()
    np.testing.assert_allclose(result["end"], result["h"] + 0.5 * result["rail.v"] - 0.5 * 8.0 * 0.25, atol=1e-14)
    np.testing.assert_allclose(result["speed"], np.abs(result["rail.v"] - 4.0), rtol=1e-12)
    units = {"h": "m", "rail.v": "m/s", "g": "m/s^2", "end": "m", "speed": "m/s"}
    assert (result.units, result.varied, result.complete) == (units, ("h", "rail.v"), True)


def test_a_name_of_a_channel_is_the_channel_although_it_is_varied():
    result = study(parameters={"rail.v": [0.0, 1.0]}, outputs={"last": "final(rail.v)"}).run()
    np.testing.assert_allclose(result["last"], np.array([0.0, 1.0]) - 0.5 * G, rtol=1e-12)


def test_failed_runs_are_recorded_and_stop_nothing():
    result = study(parameters={"g": [9.0, -1.0, 10.0, 200.0, 11.0], "mass": [2.0]}).run()
    assert np.isfinite(result["end"]).tolist() == [True, False, True, False, True]
    assert sorted(result.failures) == [1, 3]
    assert "value = -1.0 is outside its range 0.0 … 100.0 m/s^2" in result.failures[1]
    assert result.statistics("end").count == 3
    assert "5 of 5 runs, 2 failed" in result.report()


def test_what_a_function_raises_is_the_reason():
    result = study(outputs={"end": fails_sometimes, "speed": "max(rail.v)"}).run()
    assert result.failures == {23: "ValueError: too high"}
    assert np.isnan(result["speed"][23])
    assert result["end"][0] == pytest.approx(1.0 + 0.25 - 0.125 * G)


@pytest.mark.parametrize("block", [1, 7, 24])
@pytest.mark.parametrize("settings", [{}, {"integrator": "rk4"}, {"integrator": "radau5"}], ids=str)
def test_blocks_do_not_change_a_bit(block, settings):
    parameters = {"rail.v": np.linspace(0, 1, 23)} if settings else {"h": np.linspace(1, 3, 23), "mass": 3.0}
    given = {"parameters": parameters, "outputs": OUTPUTS | {"energy": "final(energy.total)"}, **settings}
    whole, parted = study(**given).run(), study(**given).run(block=block, workers=1)
    for name in whole.outputs:
        np.testing.assert_array_equal(whole[name], parted[name])


def test_each_run_is_that_of_the_model_alone():
    result = study().run()
    for k in (0, 11, 23):
        run = stone().simulate(0.5, step=0.125, parameters={"h": result["h"][k]}, initial=sr.Initial(v={"rail": 0.5}))
        assert result["end"][k] == run["rail.q"][-1]


def test_any_executor_of_the_standard_library():
    with ThreadPoolExecutor(2) as pool:
        threads = study().run(executor=pool, block=5)
    np.testing.assert_array_equal(threads["end"], study().run()["end"])


def test_mechanisms_whose_motion_is_given_are_run_one_by_one():
    m = sr.Model("driven", parameters={"A": 1.0})
    m.add(sr.Body("slide", mass=2), sr.Prismatic("rail", "ground", "slide", axis="x", motion="A*sin(t)"))
    found = sr.Study(m, parameters={"A": [1.0, 2.0]}, outputs={"x": "final(rail.q)"}, t_end=1.0, step=0.1).run()
    np.testing.assert_allclose(found["x"], np.array([1.0, 2.0]) * np.sin(1.0), rtol=1e-12)


def test_events_end_runs_early_and_are_no_failures():
    m = stone()
    m.add(sr.Event("landed", "rail.q", direction="falling", actions=[sr.Stop()]))
    found = sr.Study(m, parameters={"h": [0.5, 1.0]}, outputs={"t": "final(t)"}, t_end=2.0, step=0.1).run()
    np.testing.assert_allclose(found["t"], np.sqrt(2 * np.array([0.5, 1.0]) / G), rtol=1e-9)


def test_statistics_are_those_of_numpy():
    result = study(parameters={"h": sr.Normal(2.0, 0.3)}, runs=100, seed=5).run()
    x, s = result["end"], result.statistics("end")
    assert (s.mean, s.deviation, s.error) == pytest.approx((x.mean(), x.std(ddof=1), x.std(ddof=1) / 10.0))
    np.testing.assert_allclose(result.quantiles("end", [0.1, 0.5]), np.quantile(x, [0.1, 0.5]))
    converged = result.convergence("end")
    assert converged.runs.tolist() == [2, 4, 8, 16, 32, 64, 100]
    assert (converged.mean[2], converged.error[-1]) == pytest.approx((x[:8].mean(), s.error))
    assert result.main_effects("end")["h"].share > 0.9


def test_runs_without_a_number_are_told():
    nan = float("nan")
    result = sr.StudyResult.of({"k": [1, 2, 3, 4]}, {"y": [1.0, nan, 3.0, float("inf")], "z": [nan] * 4, "x": [1.0] * 4})
    _, y, z, x = result.report().splitlines()
    assert y == "y: mean 2, deviation 1.41421, from 1 to 3; no number in 2 runs"
    assert z == "z: no number in any of 4 runs"
    assert x == "x: mean 1, deviation 0, from 1 to 1"


def test_tables_and_figures(tmp_path):
    result = study().run()
    frame = result.to_pandas()
    assert (frame["end"].to_numpy() == result["end"]).all()
    assert (frame.attrs["units"]["end"], frame.index.name) == ("m", "run")
    assert len(result.plot(path=tmp_path / "study.png").axes) == 2
    with pytest.raises(sr.UnknownChannelError, match="no channel 'ends'; did you mean 'end'"):
        result["ends"]


def test_runs_before_an_error_of_the_progress_function_are_kept():
    def broken(done):
        raise ZeroDivisionError("mine")

    with pytest.raises(sr.SimulationError, match="the progress function raised ZeroDivisionError") as caught:
        study().run(block=8, progress=broken)
    assert caught.value.result.finished.sum() == 8


def test_progress_is_told():
    told = []
    study().run(block=8, progress=told.append)
    assert told == [8 / 24, 16 / 24, 1.0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"parameters": {"hight": [1]}},
            r"parameters\['hight'\] is neither a parameter nor an initial value of the model; there are g, h, mass, rail.q",
        ),
        ({"outputs": {"h": "final(rail.q)"}}, r"outputs\['h'\] has the name of a parameter"),
        ({"tolerances": 1e-8}, "tolerances is not a setting of the runs of a study"),
        ({"t_end": -1.0}, "t_end = -1.0 must be positive"),
        ({"integrator": "euler9"}, "euler9"),
        ({"step": -1.0}, "step"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_run(given, said):
    with pytest.raises(sr.ModelError, match=f"(?s){said}"):
        study(**given)


def test_executors_that_are_none():
    for executor in ("cluster", 3):
        with pytest.raises(sr.ModelError, match="must be None, 'processes', 'gpu', an Executor, or a client of Dask"):
            study().run(executor=executor)
    with pytest.raises(sr.ModelError, match="define functions at the top of a module"):
        study(outputs={"y": lambda result: 1.0}).run(executor="processes")


def test_the_digest_tells_studies_apart():
    same = study().digest
    assert study().digest == same
    others = [{"t_end": 0.6}, {"outputs": {"end": "final(rail.q)"}}, {"step": 0.25}, {"parameters": {"h": [1.0]}}]
    assert len({study(**other).digest for other in others} | {same}) == 5
    heavier = stone()
    heavier.parameters["mass"] = 3.0
    assert Study(heavier, parameters={"h": [1.0]}, outputs=OUTPUTS, t_end=0.5).digest != same


def test_settings_of_single_runs_go_with_initial_values():
    given = {"parameters": {"h": [1.0, 2.0], "rail.v": [0.0, 0.5]}}
    together = study(**given).run()
    alone = study(**given, initial=sr.Initial()).run()
    np.testing.assert_allclose(alone["end"], together["end"], rtol=1e-13)
    changed = study(**given, changes={0.25: {"g": 0.0}}).run()
    expected = together["h"] + 0.5 * together["rail.v"] - 0.5 * G * 0.25**2 - G * 0.25**2
    np.testing.assert_allclose(changed["end"], expected, rtol=1e-12)
