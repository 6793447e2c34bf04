"""Studies on a GPU, with kernels run on this machine, against the same studies on processors."""

import sys
from functools import cache

import numpy as np
import pytest

import mechanisms
import sharnir as sr
from host_kernels import needs_compiler, stand_in
from sharnir.gpu.device_reductions import DEVICE_REDUCTIONS
from sharnir.studies.execution import gpu_execution
from sharnir.studies.reductions import REDUCTIONS

pytestmark = needs_compiler
OUTPUTS = {
    "max": "max(abs(O.v))",
    "min": "min(tip.position.z)",
    "span": "span(O.q)",
    "mean": "mean(O.q) - k",
    "rms": "rms(O.a)",
    "deviation": "deviation(P.q)",
    "initial": "initial(P.q) + min(k, 3)",
    "final": "final(tip.velocity.x)",
    "at": "at(O.q, 0.1*k)",
    "integral": "integral(k*O.q^2 + spin*t)",
    "time_of_max": "time_of_max(P.v)",
    "time_of_min": "time_of_min(tip.angular_velocity.y)",
    "first_time": "first_time(O.q > 0.32)",
    "duration": "duration(O.q > 0.32)",
}


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", stand_in())


@cache
def double_pendulum():
    """Masses, lengths, springs and starts that follow from parameters, a curve of torque, a sensor."""
    m = sr.Model("double pendulum", parameters={"l": 1.0, "k": 2.0, "w": 0.3, "rho": 2.0})
    m.add(
        sr.Body("arm", mass="0.5*l*rho", position=("l", 0, 0), inertia=(0.1, 0.1, 0.1)),
        sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="y", stiffness="k", damping=0.1, q="w"),
        sr.Body("tip", mass=1, position=("l", 0, -0.5), inertia=(0.1, 0.1, 0.1)),
        sr.Revolute("P", "arm", "tip", at=("l", 0, 0), axis="y"),
        sr.JointForce("brake", "P", sr.Table((-9, 0, 2, 9), (4, 0, -1, -3), "cubic", smooth=True)),
        sr.Signal("spin", "O.v + l*P.v"),
    )
    return m


RUNS = [
    {"l": 1.0, "k": 2.0, "w": 0.3, "P.v": 0.1},
    {"l": 1.2, "k": 5.0, "w": 0.1, "P.v": 0.2},
    {"l": 0.8, "k": 1.0, "w": 0.0, "P.v": -1},
]


def difference(study, **options):
    """Largest difference of outputs between a GPU and processors, relative to the largest of each output."""
    wanted, found = study.run(), study.run(executor="gpu", **options)
    assert not found.failures
    assert not wanted.failures
    assert found.warnings == wanted.warnings
    names = [output.name for output in study.outputs]
    return {name: np.abs(found[name] - wanted[name]).max() / (np.abs(wanted[name]).max() or 1.0) for name in names}


def test_every_reduction_with_fixed_steps():
    """A run by steps of equal length is the same to rounding, at every one of its outputs."""
    assert OUTPUTS.keys() == DEVICE_REDUCTIONS.keys() == REDUCTIONS.keys()
    steps = {f"at {k}": f"at(P.q, {0.05 * k})" for k in range(1, 8)}
    study = sr.Study(
        double_pendulum(), parameters=RUNS, outputs=OUTPUTS | steps, t_end=0.5, integrator="rk4", step=0.01, output=0.025
    )
    assert max(difference(study).values()) < 1e-12


def test_controlled_steps():
    study = sr.Study(double_pendulum(), parameters=RUNS, outputs=OUTPUTS, t_end=0.5, integrator="dopri5", tolerance=1e-9)
    found = difference(study)
    assert max(found.values()) < 1e-7
    assert found["final"] < 1e-9


def test_single_precision():
    study = sr.Study(double_pendulum(), parameters=RUNS, outputs=OUTPUTS, t_end=0.5, integrator="rk4", step=0.01)
    found = difference(study, precision="single")
    assert not np.isnan(list(found.values())).any()
    assert 1e-9 < max(found.values()) < 1e-4
    with pytest.raises(sr.ModelError, match="beyond single precision"):
        sr.Study(double_pendulum(), parameters=RUNS, outputs=OUTPUTS, t_end=0.5).run(executor="gpu", precision="single")


@pytest.mark.parametrize("settings", [{"integrator": "rk4", "step": 0.005}, {"tolerance": 1e-7}])
def test_closed_loop_stays_closed(settings):
    """Corrections of positions and speeds after each step are those of the engine."""
    m = mechanisms.slider_crank()
    outputs = {"end": "final(O.q)", "peak": "max(abs(O.v))", "a": "rms(O.a)"}
    study = sr.Study(m, parameters={"O.v": [0.0, 1.0, 2.0]}, outputs=outputs, t_end=0.3, **settings)
    assert max(difference(study).values()) < (1e-12 if "step" in settings else 1e-6)


def test_controller_with_states():
    """An integrator in a loop with a motor: its state goes with those of the mechanism."""
    m = sr.Model("servo", parameters={"gain": 4.0})
    m.add(sr.Body("arm", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.3, 0, 0)), sr.Revolute("O", "ground", "arm", axis="y"))
    m.add(sr.Signal("error", "0.5 - O.q"), sr.Integral("lag", "gain*error"), sr.JointForce("motor", "O", "8*lag - 0.5*v"))
    outputs = {"end": "final(O.q)", "lag": "max(lag)"}
    study = sr.Study(m, parameters={"gain": [4.0, 9.0]}, outputs=outputs, t_end=0.5, integrator="rk4", step=0.005)
    assert max(difference(study).values()) < 1e-12


def test_quaternions():
    m = sr.Model("top")
    m.add(sr.Body("top", mass=2, inertia=(0.1, 0.2, 0.3), com=(0, 0, 0.2)), sr.Ball("O", "ground", "top", at=(0, 0, 0)))
    starts = [{"O.v.x": 0.3, "O.v.z": 20.0}, {"O.v.x": 1.0, "O.v.z": 5.0}]
    outputs = {"w": "final(O.q.w)", "x": "max(O.v.x)"}
    study = sr.Study(m, parameters=starts, outputs=outputs, t_end=0.2, integrator="rk4", step=0.004)
    assert max(difference(study).values()) < 1e-12


def test_singular_positions_are_left_to_processors():
    """All bars in line: the kernel gives up, and the run is made by the engine."""
    m = mechanisms.four_bar()
    crank = next(iter(m.joints))
    outputs = {"end": f"final({crank}.q)"}
    study = sr.Study(m, parameters={f"{crank}.v": [-1.0, -0.5]}, outputs=outputs, t_end=2.0, tolerance=1e-6)
    assert np.array_equal(study.run(executor="gpu")["end"], study.run()["end"])


def bouncing():
    """A ball on a spring that only pushes: a simple contact."""
    m = sr.Model("ball", parameters={"k": 1e4})
    m.add(
        sr.Body("ball", mass=1),
        sr.Prismatic("z", "ground", "ball", axis="z", q=0.1),
        sr.JointForce("floor", "z", "max(0, -k*q - 5*v*(q < 0))"),
    )
    return m


def test_simple_contact():
    outputs = {"end": "final(z.q)", "deep": "min(z.q)"}
    study = sr.Study(bouncing(), parameters={"k": [1e4, 2e4]}, outputs=outputs, t_end=0.5, integrator="dopri5", tolerance=1e-8)
    assert max(difference(study).values()) < 1e-5
    fixed = sr.Study(bouncing(), parameters={"k": [1e4]}, outputs=outputs, t_end=0.5, integrator="rk4", step=0.001)
    with pytest.raises(sr.ModelError, match="jump or bend with the state"):
        fixed.run(executor="gpu")


def test_failed_runs_have_their_reasons():
    m = sr.Model("wall", gravity=(0, 0, 0), parameters={"a": 0.0})
    m.add(
        sr.Body("car", mass=1), sr.Prismatic("x", "ground", "car", axis="x", v=1.0), sr.JointForce("f", "x", "a*sqrt(0.5 - a*q)")
    )
    study = sr.Study(m, parameters={"a": [0.0, 1.0]}, outputs={"end": "final(x.q)"}, t_end=1.0, tolerance=1e-6)
    found, wanted = study.run(executor="gpu"), study.run()
    assert found.failures == wanted.failures
    assert list(found.failures) == [1]
    assert found["end"][0] == pytest.approx(1.0)
    assert np.isnan(found["end"][1])


def test_a_kernel_that_disagrees_is_noticed(monkeypatch):
    study = sr.Study(double_pendulum(), parameters=RUNS, outputs={"end": "final(O.q)"}, t_end=0.1, integrator="rk4", step=0.01)
    plain = gpu_execution.GpuRuns.outcome

    def wrong(self, rows):
        values, finished = plain(self, rows)
        return values * (1.0 + 1e-6), finished

    monkeypatch.setattr(gpu_execution.GpuRuns, "outcome", wrong)
    found = study.run(executor="gpu")
    assert set(found.warnings) == {0, 2}
    assert "on the GPU and" in found.warnings[0]


def test_store_goes_on_where_it_was(tmp_path):
    """A study begun on a GPU may end on processors; single precision has a store of its own."""
    study = sr.Study(double_pendulum(), parameters=RUNS, outputs={"end": "final(O.q)"}, t_end=0.1, integrator="rk4", step=0.01)
    first = study.run(executor="gpu", store=tmp_path / "s.db", block=2)
    again = study.run(store=tmp_path / "s.db", resume=True)
    assert np.array_equal(first["end"], again["end"])
    with pytest.raises(sr.ModelError, match="another study"):
        study.run(executor="gpu", precision="single", store=tmp_path / "s.db", resume=True)


def peak(result):
    return float(result["O.q"].max())


@pytest.mark.parametrize(
    ("outputs", "settings", "said"),
    [
        ({"y": peak}, {}, "function in Python"),
        ({"y": "max(O.q - mean(O.q))"}, {}, "itself reduced over time"),
        ({"y": "max(energy.total)"}, {}, "channel 'energy.total' is not among those"),
        ({"y": "max(O.q)"}, {"integrator": "radau5"}, "'radau5' is not available on a GPU"),
        ({"y": "max(O.q)"}, {"changes": {0.1: {"k": 3.0}}}, "changes: runs on a GPU do not have it"),
    ],
)
def test_what_a_gpu_does_not_do(outputs, settings, said):
    study = sr.Study(double_pendulum(), parameters=RUNS, outputs=outputs, t_end=0.5, **settings)
    with pytest.raises(sr.ModelError, match=said):
        study.run(executor="gpu")


def test_models_that_a_gpu_does_not_run():
    late = bouncing()
    late.add(sr.JointForce("later", "z", "2*step(t - 0.25)"))
    with pytest.raises(sr.ModelError, match=r"jumps or bends at t = 0.25 s"):
        sr.Study(late, parameters={"k": [1e4]}, outputs={"y": "final(z.q)"}, t_end=0.5).run(executor="gpu")
    ending = bouncing()
    ending.add(sr.Event("end", "z.q + 0.001", actions=[sr.Stop()]))
    with pytest.raises(sr.ModelError, match="on a GPU there are no events"):
        sr.Study(ending, parameters={"k": [1e4]}, outputs={"y": "final(z.q)"}, t_end=0.5).run(executor="gpu")
    turned = sr.Model("turned", parameters={"a": 0.5})
    turned.add(sr.Body("b", mass=1, inertia=(1, 2, 3), position=(1, 0, 0)))
    turned.add(sr.Revolute("O", "ground", "b", at=(0, 0, 0), axis=("a", 0.0, 1.0)))
    with pytest.raises(sr.ModelError, match="directions or distances"):
        sr.Study(turned, parameters={"a": [0.1, 0.2]}, outputs={"y": "final(O.q)"}, t_end=0.1).run(executor="gpu")


def test_wrong_precision():
    study = sr.Study(double_pendulum(), parameters=RUNS, outputs={"y": "max(O.q)"}, t_end=0.1)
    with pytest.raises(sr.ModelError, match="precision"):
        study.run(precision="single")
