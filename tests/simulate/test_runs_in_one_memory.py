"""Runs with events that follow each other in one memory: each equals the same run of a model of its own, to the last bit."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import SimulationError
from sharnir.simulate.runs_in_one_memory import OneMemory

RUNS = 5


def machine(seed, q=0.0, parameters=None, changes=False):
    """A chain of hinges with springs, stops, kicks, ticks, switched forces and other things that happen; numbers are formulas."""
    rng = np.random.default_rng(seed)
    m = sr.Model(f"machine {seed}", gravity=tuple(rng.normal(size=3) * 5), parameters={"a": 1.0, "e": 0.6, "k": 8.0, "p": 0.0})
    count = int(rng.integers(1, 4))
    for i in range(count):
        at = (0.4 * i, 0, 0)
        m.add(sr.Body(f"b{i}", mass="a", inertia=("0.1*a",) * 3, position=(0.4 * i + 0.2, 0, 0)))
        last = i == count - 1
        given = {"q": q, "torque": "-k*q - 0.1*v + p"} if last else {"damping": "0.1*a"}
        m.add(sr.Revolute(f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}", at=at, axis="xyz"[rng.integers(1, 3)], **given))
    end = f"j{count - 1}"
    m.add(sr.Event("stop", f"{end}.q > {rng.uniform(0.2, 0.5):.3f}*a", sr.Rebound(end, "e")))
    m.add(sr.Event("kick", every=round(rng.uniform(0.1, 0.2), 3), actions=sr.SetSpeed(end, f"{end}.v + 0.3*e")))
    m.add(sr.Event("push", f"{end}.v < -0.2", (sr.SetParameter("p", "p + 0.1*k"), sr.Disable("kick")), times=3))
    m.add(sr.Event("seen", f"{end}.q"))
    if rng.random() < 0.5:
        m.add(sr.Sampled("u", lambda t, v: -0.2 * v, inputs=(f"{end}.v",), period=0.07), sr.JointForce("act", end, "u"))
    if rng.random() < 0.5:
        m.add(sr.PID("pid", f"-{end}.q", kp="k/4", kd=0.1), sr.JointForce("held", end, "if(v > 0.1*a, pid, 0)"))
    if rng.random() < 0.3:
        m.add(sr.Event("late", f"{end}.q < -0.6*a", sr.Stop("turned back")))
    if rng.random() < 0.3:
        m.add(sr.Delay("past", f"{end}.q", 0.05), sr.JointForce("echo", end, "-past"))
    if changes:
        m.add(
            sr.Event(
                "lock", f"{end}.q > 0.15", (sr.Lock("j0"), *[sr.Disable(x) for x in ("stop", "kick", "push") if count == 1])
            ),
            sr.Event("free", f"{end}.q < -0.35", sr.Release(end)),
        )
    if parameters:
        m.parameters.update(parameters)
    return m, end


def same(one, other):
    """Everything that two results say is the same."""
    assert one.events == other.events
    assert one.failure == other.failure
    assert (one.t == other.t).all()
    for name in other.channels:
        assert np.array_equal(one[name], other[name], equal_nan=True), name
    ignored = {"seconds", "warnings", "functions_seen"}
    assert {k: v for k, v in one.stats.items() if k not in ignored} == {k: v for k, v in other.stats.items() if k not in ignored}


@pytest.mark.filterwarnings("ignore:Event 'free'.*already holds at the start")
@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("varied", [("a",), ("e", "k"), ("a", "e", "k", "p")], ids="+".join)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.sample(12)
def test_every_run_equals_the_run_of_its_own_model(seed, varied, changes):
    rng = np.random.default_rng(1000 + seed)
    m, end = machine(seed, changes=changes)
    q = rng.uniform(-0.3, 0.3, RUNS)
    rows = {name: m.parameters[name] * rng.uniform(0.8, 1.2, RUNS) + (name == "p") * 0.1 for name in varied}
    runs = sr.simulate_many(m, 0.6, q={f"{end}.q": q}, parameters=rows, output=0.05)
    for i, run in enumerate(runs):
        own, _ = machine(seed, q[i], {name: values[i] for name, values in rows.items()}, changes)
        if run.failure:
            with pytest.raises(SimulationError) as caught:
                own.simulate(0.6, output=0.05)
            assert run.failure in str(caught.value)
        else:
            same(run, own.simulate(0.6, output=0.05))


def test_the_memory_is_used_again(monkeypatch):
    """Without delays and changes of structure, one memory is made: with values of parameters a second, for those refilled."""
    made = []
    first = OneMemory.first
    monkeypatch.setattr(OneMemory, "first", lambda self, *args: made.append(1) or first(self, *args))
    m, end = machine(3)
    assert "past" not in m.signals
    sr.simulate_many(m, 0.2, q={f"{end}.q": np.linspace(-0.2, 0.2, RUNS)}, output=0.05)
    assert len(made) == 1
    sr.simulate_many(m, 0.2, parameters={"a": np.linspace(0.9, 1.1, RUNS), "k": np.linspace(7, 9, RUNS)}, output=0.05)
    assert len(made) == 3
