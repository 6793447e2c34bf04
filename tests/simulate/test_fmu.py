"""FMUs of FMI 2 and 3, run by fmpy, against the direct simulation."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError

pytest.importorskip("pythonfmu", reason="FMUs are written by pythonfmu (extra fmi)")
pytest.importorskip("pythonfmu3", reason="FMUs of FMI 3 are written by pythonfmu3 (extra fmi)")
fmpy = pytest.importorskip("fmpy", reason="FMUs are run by fmpy")


def driven_pendulum():
    m = sr.Model("driven pendulum", parameters={"damping": 0.1})
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 0, -1)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", q=0.3))
    m.add(sr.Input("torque", unit="N m"), sr.JointForce("motor", "O", "torque - damping*v"))
    m.add(sr.LowPass("felt", "O.q", time_constant=0.1), sr.Event("middle", "O.q", direction="falling"))
    return m


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_moves_as_the_model_does(version, tmp_path):
    m = driven_pendulum()
    path = m.export_fmu(tmp_path / "pendulum.fmu", outputs=["O.q", "O.v", "felt", "bob.position.x"], version=version)
    description = fmpy.read_model_description(path)
    assert description.fmiVersion == f"{version}.0" and description.coSimulation is not None
    kinds = {v.name: v.causality for v in description.modelVariables}
    assert kinds["torque"] == "input" and kinds["damping"] == "parameter" and kinds["bob.position.x"] == "output"
    times = np.arange(0, 2.0001, 0.05)
    pushed = np.array([(t, 3.0 * np.sin(2 * t)) for t in times], dtype=[("time", float), ("torque", float)])
    got = fmpy.simulate_fmu(
        str(path),
        stop_time=2.0,
        output_interval=0.05,
        input=pushed,
        start_values={"damping": 0.4},
        output=["O.q", "O.v", "felt", "bob.position.x"],
        validate=True,
    )
    m.parameters["damping"] = 0.4
    run, rows = m.stepper(), []
    for k, t in enumerate(times):
        if k:
            run.step(t, torque=3.0 * np.sin(2 * times[k - 1]))
        rows.append([run[name] for name in ("O.q", "O.v", "felt", "bob.position.x")])
    found = np.array([list(row)[1:] for row in got])
    assert found.shape == (41, 4) and np.abs(found - np.array(rows)).max() < 1e-9
    assert np.abs(found[:, 3] + np.sin(found[:, 0])).max() < 1e-9


def test_what_is_wrong_is_said(tmp_path):
    m = driven_pendulum()
    with pytest.raises(ModelError, match="must be 2 or 3"):
        m.export_fmu(tmp_path / "x.fmu", version=1)
    with pytest.raises(sr.ModelError, match=r"'tolerence' is not a setting of a stepper; settings are integrator, tolerance"):
        m.export_fmu(tmp_path / "x.fmu", tolerence=1e-6)
    with pytest.raises(ModelError, match="'felt' is not an Input; inputs are torque"):
        m.export_fmu(tmp_path / "x.fmu", inputs=["felt"])
    with pytest.raises(ModelError, match="has several components"):
        m.export_fmu(tmp_path / "x.fmu", outputs=["bob.position"])
    m.add(sr.Function("f", lambda x: x, ["O.q"]))
    with pytest.raises(ModelError, match="cannot be saved in a file"):
        m.export_fmu(tmp_path / "x.fmu")


@pytest.mark.parametrize("version", [2, 3])
def test_variables_say_what_they_are(version, tmp_path):
    """Units with their dimensions, descriptions, start values and ranges, as another program reads them."""
    m = driven_pendulum()
    m.parameter("k", 3.0, unit="N m/rad", description="stiffness of the hinge", range=(0, 10))
    m.parameter("c", 1.0, unit="N", range=(0, float("inf")))
    path = m.export_fmu(tmp_path / "told.fmu", outputs=["O.q", "bob.velocity.x", "O.reaction.fz", "felt"], version=version)
    description = fmpy.read_model_description(path, validate=True)
    told = {v.name: (v.unit, v.description, None if v.start is None else float(v.start)) for v in description.modelVariables}
    assert told["k"] == ("N m/rad", "stiffness of the hinge", 3.0)
    assert told["torque"] == ("N m", "Input 'torque'", 0.0)
    assert told["O.q"][:2] == ("rad", "coordinate of Revolute 'O'")
    assert told["bob.velocity.x"][:2] == ("m/s", "velocity x of Body 'bob'")
    assert told["O.reaction.fz"][:2] == ("N", "reaction fz of Revolute 'O'")
    assert told["felt"][1] == "LowPass 'felt'"
    ranges = {v.name: (v.min, v.max) for v in description.modelVariables}
    assert [float(x) for x in ranges["k"]] == [0.0, 10.0] and ranges["c"][1] is None and ranges["O.q"] == (None, None)
    units = {unit.name: unit.baseUnit for unit in description.unitDefinitions}
    assert {"rad", "m/s", "N", "N m", "N m/rad"} <= set(units)
    assert (units["N m"].kg, units["N m"].m, units["N m"].s) == (1, 2, -2)
