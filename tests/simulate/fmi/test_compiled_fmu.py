"""FMUs with C inside, run by fmpy as co-simulation and as model exchange, against the direct simulation."""

import shutil
import subprocess
import zipfile

import numpy as np
import pytest

import mechanisms
import sharnir as sr
import zoo
from sharnir.simulate.fmi.compiled_fmu import c_compiler

fmpy = pytest.importorskip("fmpy", reason="FMUs are run by fmpy")
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc) on the search path")


def driven_pendulum():
    m = sr.Model("driven pendulum", parameters={"damping": 0.1})
    l = m.parameter("l", 1.0, unit="m", description="length", range=(0.1, 3))
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 0, -l)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", q=0.3))
    m.add(sr.Input("torque", unit="N m"), sr.JointForce("motor", "O", "torque - damping*v"))
    return m


def top():
    """Quaternions: a thrown body with another one in a ball joint."""
    m, rng = sr.Model("thrown"), np.random.default_rng(8)
    m.add(zoo.body(rng, "a"), zoo.body(rng, "b"))
    m.add(
        sr.Free("fly", "ground", "a", v=(1, 0, 3, 2, -1, 4)), sr.Ball("S", "a", "b", at=(0.4, 0.1, 0), v=(0, 1, -2), damping=0.05)
    )
    return m


def spring_loop():
    """A four-bar with a spring in the joint that closes it, whose coordinate is an unknown of its own."""
    m = sr.Model("spring loop")
    for name, at in (("a", (0, 0, 0)), ("b", (1, 0, 0)), ("c", (1, 0, 1))):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.2, 0, 0.3), position=at))
    m.add(sr.Revolute("A", "ground", "a", axis="y", at=(0, 0, 0), damping=0.1, v=1.0))
    m.add(sr.Revolute("B", "a", "b", axis="y", at=(1, 0, 0), damping=0.1))
    m.add(sr.Revolute("C", "b", "c", axis="y", at=(1, 0, 1), damping=0.1))
    m.add(sr.Revolute("D", "c", "ground", axis="y", at=(0.4, 0, 1.3), stiffness=20, damping=0.3))
    return m


MODELS = {"top": (top, 1.0), "slider-crank": (mechanisms.slider_crank, 1.0), "spring loop": (spring_loop, 1.0)}


def run(path, names, end, kind="CoSimulation", start=None, given=None):
    """Outputs of an FMU at 21 times."""
    found = fmpy.simulate_fmu(
        str(path),
        stop_time=end,
        output_interval=end / 20,
        start_values=start or {},
        input=given,
        output=names,
        fmi_type=kind,
        relative_tolerance=1e-10,
        validate=True,
        record_events=False,
    )
    return np.array([list(row)[1:] for row in found])


@pytest.mark.parametrize("name", MODELS)
def test_trees_and_loops_move_as_the_model_does(name, tmp_path):
    make, end = MODELS[name]
    m = make()
    names = [f"{body}.position.{axis}" for body in m.bodies for axis in "xz"] + [f"{list(m.bodies)[-1]}.velocity.x"]
    path = m.export_fmu(tmp_path / "model.fmu", outputs=names, compiled=True)
    found = run(path, names, end)
    result = m.simulate(end, step=end / 20, tolerance=1e-11)
    want = np.stack([result[x] for x in names], 1)
    assert np.abs(found - want).max() < 1e-7 * max(1.0, np.abs(want).max())
    exchanged = run(path, names, end, "ModelExchange")
    assert np.abs(exchanged - want).max() < 1e-5 * max(1.0, np.abs(want).max())


def test_inputs_and_other_values_of_parameters(tmp_path):
    m = driven_pendulum()
    names = ["O.q", "O.v", "bob.position.x", "bob.velocity.z"]
    path = m.export_fmu(tmp_path / "pendulum.fmu", outputs=names, compiled=True)
    times = np.arange(21) * 0.1
    pushed = np.array([(t, 3.0 * np.sin(2 * t)) for t in times], dtype=[("time", float), ("torque", float)])
    found = run(path, names, 2.0, start={"damping": 0.4, "l": 0.8}, given=pushed)
    stepper, rows = m.with_parameters(damping=0.4, l=0.8).stepper(tolerance=1e-11), []
    for k, t in enumerate(times):
        if k:
            stepper.step(t, torque=3.0 * np.sin(2 * times[k - 1]))
        rows.append([stepper[name] for name in names])
    assert np.abs(found - np.array(rows)).max() < 1e-8


def test_a_loop_closes_at_other_lengths(tmp_path):
    """Parameters that change a loop: the start is brought onto the constraints."""
    m = sr.Model("crank", gravity=(0, 0, -9.81))
    r = m.parameter("r", 0.15, unit="m")
    m.add(sr.Body("crank", mass=0.4, inertia=(1e-3, 1e-3, 1e-3), com=(r / 2, 0, 0)))
    m.add(sr.Body("rod", mass=0.2, inertia=(2e-3, 2e-3, 2e-3), com=(0.175, 0, 0), position=(r, 0, 0)))
    m.add(sr.Body("slider", mass=0.1, inertia=(1e-3, 1e-3, 1e-3), position=(r + 0.35, 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", q=0.4, v=5, damping=0.01))
    m.add(
        sr.Revolute("A", "crank", "rod", at=(r, 0, 0), axis="y"), sr.Revolute("B", "rod", "slider", at=(r + 0.35, 0, 0), axis="y")
    )
    m.add(sr.Prismatic("slide", "ground", "slider", axis="x", damping=0.2))
    path = m.export_fmu(tmp_path / "crank.fmu", outputs=["slider.position.x", "rod.position.z"], compiled=True)
    other = m.with_parameters(r=0.2)
    system = other.compile()
    states = {name: float(x) for name, x in zip(system.assembly.coordinates.q_names, system.q0, strict=True)}
    states |= {name: float(x) for name, x in zip(system.assembly.coordinates.v_names, system.v0, strict=True)}
    known = {v.name for v in fmpy.read_model_description(path).modelVariables}
    start = {"r": 0.2} | {name: x for name, x in states.items() if name in known}
    found = run(path, ["slider.position.x", "rod.position.z"], 0.5, start=start)
    result = other.simulate(0.5, step=0.025, tolerance=1e-11)
    want = np.stack([result["slider.position.x"], result["rod.position.z"]], 1)
    assert np.abs(found - want).max() < 1e-7


def test_the_description_and_the_parts(tmp_path):
    path = driven_pendulum().export_fmu(tmp_path / "2 arms.fmu", compiled=True)
    description = fmpy.read_model_description(path, validate=True)
    assert description.coSimulation is not None and description.modelExchange is not None
    by_name = {v.name: v for v in description.modelVariables}
    assert (by_name["l"].causality, by_name["l"].variability, by_name["l"].unit) == ("parameter", "tunable", "m")
    assert (by_name["l"].description, float(by_name["l"].max), float(by_name["l"].start)) == ("length", 3.0, 1.0)
    assert by_name["O.q"].causality == "output" and by_name["O.q"].unit == "rad" and by_name["torque"].unit == "N m"
    assert by_name["O.q"].description == "coordinate of Revolute 'O'" and by_name["torque"].description == "Input 'torque'"
    assert by_name["der(O.v)"].derivative is by_name["O.v"]
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        library = next(name for name in names if name.startswith("binaries/"))
        assert {"sources/model.c", "sources/fmi2.c", "sources/integration.c"} <= set(names)
        assert b"Py_" not in archive.read(library)
        archive.extractall(tmp_path / "parts")
    command = [c_compiler(), "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-c"]
    subprocess.run([*command, str(tmp_path / "parts/sources/fmi2.c"), "-o", str(tmp_path / "again.o")], check=True)


def test_states_are_saved_and_restored(tmp_path):
    path = driven_pendulum().export_fmu(tmp_path / "pendulum.fmu", compiled=True)
    description = fmpy.read_model_description(path)
    folder = fmpy.extract(str(path))
    fmu = fmpy.instantiate_fmu(folder, description, "CoSimulation")
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 0.3)
    state = fmu.getFMUState()
    fmu.doStep(0.3, 0.2)
    first = fmu.getReal([0, 1])
    bytes_of = fmu.serializeFMUState(state)
    fmu.setFMUState(fmu.deserializeFMUState(bytes_of))
    fmu.doStep(0.3, 0.2)
    assert fmu.getReal([0, 1]) == first
    fmu.terminate()
    fmu.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)


def test_what_is_wrong_is_said(tmp_path, monkeypatch):
    m = driven_pendulum()
    with pytest.raises(sr.ModelError, match="compiled=True is for FMI 2"):
        m.export_fmu(tmp_path / "x.fmu", version=3, compiled=True)
    with pytest.raises(sr.ModelError, match=r"'bob\.speed' is not known with compiled=True"):
        m.export_fmu(tmp_path / "x.fmu", outputs=["bob.speed"], compiled=True)
    with_filter = driven_pendulum()
    with_filter.add(sr.LowPass("felt", "O.q", time_constant=0.1))
    with pytest.raises(sr.ModelError, match="supports Input signals only, and 'felt' is a LowPass"):
        with_filter.export_fmu(tmp_path / "x.fmu", compiled=True)
    with_event = driven_pendulum()
    with_event.add(sr.Event("middle", "O.q"))
    with pytest.raises(sr.ModelError, match="does not support events, such as 'middle'"):
        with_event.export_fmu(tmp_path / "x.fmu", compiled=True)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(sr.ModelError, match="needs a C compiler, and 'no-such-compiler' is not on the search path"):
        m.export_fmu(tmp_path / "x.fmu", compiled=True)
    assert list(tmp_path.iterdir()) == []
