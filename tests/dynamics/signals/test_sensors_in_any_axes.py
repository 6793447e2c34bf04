"""Sensors in any axes against the channels of the bodies, SciPy's rotations and differences."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sharnir as sr
from sharnir.errors import FormulaError, ModelError
from sharnir.model.files.model_file import run_from_text, text_of

FORMULATIONS = ("joint", "absolute")
SEQUENCES = ("zyx", "xyz", "yzx", "zxy", "zxz", "xyx", "yzy")


def moving_bodies(*signals):
    """A carrier that turns, a rod on it, and a top that tumbles."""
    m = sr.Model("bodies")
    m.add(
        sr.Body("carrier", mass=3, inertia=(0.4, 0.5, 0.6), position=(0.3, 0.1, 0), rotation=sr.rotation_about("z", 0.3)),
        sr.Body("rod", mass=1, inertia=(0.1, 0.12, 0.02), position=(1, 0.2, 0.1), rotation=sr.rotation_about("x", 0.5)),
        sr.Body("top", mass=2, inertia=(0.2, 0.3, 0.35), position=(0, 2, 0), angular_velocity=(1.0, 0.6, 2.0)),
    )
    m.add(sr.Revolute("O", "ground", "carrier", at=(0, 0, 0), axis="z", v=1.5))
    m.add(sr.Ball("B", "carrier", "rod", at=(0.6, 0, 0), v=(0.5, -0.7, 0.3)))
    m.add(*signals)
    return m


def axes(r, body):
    return Rotation.from_quat(r[f"{body}.rotation"][:, [1, 2, 3, 0]])


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_angles_of_all_kinds(formulation):
    found = [sr.Signal(f"{axes}{k}", "a", {"a": sr.Angle("top", k, axes=axes)}) for axes in SEQUENCES for k in (1, 2, 3)]
    found += [sr.Signal(f"rod{k}", "a", {"a": sr.Angle("rod", k, "carrier")}) for k in (1, 2, 3)]
    found += [sr.Signal("short", "top.pitch"), sr.Signal("turn", "top.roll_dot"), sr.Signal("push", "top.roll_ddot")]
    r = moving_bodies(*found).simulate(1.0, output=1e-3, tolerance=1e-10, formulation=formulation)
    top, carrier = axes(r, "top"), axes(r, "carrier")
    for sequence in SEQUENCES:
        exact = top.as_euler(sequence.upper())
        for k in (1, 2, 3):
            assert np.abs(np.sin((r[f"{sequence}{k}"] - exact[:, k - 1]) / 2))[5:].max() < 1e-6, (sequence, k)
    relative = (carrier.inv() * axes(r, "rod")).as_euler("ZYX")
    for k in (1, 2, 3):
        assert np.abs(r[f"rod{k}"] - relative[:, k - 1]).max() < 1e-9
    assert np.abs(r["short"] - r["zyx2"]).max() == 0.0
    roll = np.unwrap(r["zyx3"])
    assert np.abs(np.gradient(roll, r.t) - r["turn"])[2:-2].max() < 2e-4
    assert np.abs(np.gradient(r["turn"], r.t) - r["push"])[2:-2].max() < 2e-3
    assert r.unit("short") == "rad" and r.unit("turn") == "rad/s" and r.unit("push") == "rad/s²"


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_motion_seen_from_a_moving_body_in_axes_of_a_third(formulation):
    point, axis = (1.3, 0.25, -0.1), np.array([0.6, 0.0, 0.8])
    ends = {"body": "rod", "relative_to": "carrier", "axes_of": "top", "axis": axis}
    found = [
        sr.Signal("place", "x", {"x": sr.Position(at=point, **ends)}),
        sr.Signal("place_rate", "x_dot", {"x": sr.Position(at=point, **ends)}),
        sr.Signal("acceleration", "a", {"a": sr.Acceleration(at=point, **ends)}),
        sr.Signal("turning", "w", {"w": sr.AngularVelocity(**ends)}),
        sr.Signal("spin", "w", {"w": sr.AngularAcceleration(**ends)}),
        sr.Signal("own", "w", {"w": sr.AngularVelocity("rod", axis="y", axes_of="rod")}),
        sr.Signal("world", "rod.wy"),
        sr.Signal("world_rate", "rod.wy_dot"),
    ]
    r = moving_bodies(*found).simulate(1.0, output=1e-3, tolerance=1e-10, formulation=formulation)
    rod, top = axes(r, "rod"), axes(r, "top")
    local = rod[0].inv().apply(np.array(point) - r["rod.position"][0])
    arm = rod.apply(local)
    p = r["rod.position"] + arm
    w, wc = r["rod.angular_velocity"], r["carrier.angular_velocity"]
    al, alc = r["rod.angular_acceleration"], r["carrier.angular_acceleration"]
    v = r["rod.velocity"] + np.cross(w, arm)
    a = r["rod.acceleration"] + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
    d = p - r["carrier.position"]
    seen_v = v - r["carrier.velocity"] - np.cross(wc, d)
    seen_a = a - r["carrier.acceleration"] - np.cross(alc, d) - np.cross(wc, np.cross(wc, d)) - 2 * np.cross(wc, seen_v)
    direction = top.apply(axis)

    def component(x):
        return np.einsum("ij,ij->i", x, direction)

    assert np.abs(r["place"] - component(d)).max() < 1e-9
    assert np.abs(np.gradient(r["place"], r.t) - r["place_rate"])[2:-2].max() < 1e-4
    assert np.abs(r["acceleration"] - component(seen_a)).max() < 1e-7
    assert np.abs(r["turning"] - component(w - wc)).max() < 1e-9
    assert np.abs(r["spin"] - component(al - alc - np.cross(wc, w - wc))).max() < 1e-7
    drawn = rod[0].inv().apply([0, 1, 0])  # a direction of the drawing, fixed in the rod
    assert np.abs(r["own"] - np.einsum("ij,ij->i", w, rod.apply(drawn))).max() < 1e-9
    assert np.abs(r["world"] - w[:, 1]).max() < 1e-10 and np.abs(r["world_rate"] - al[:, 1]).max() < 1e-7
    assert r.unit("place") == "m" and r.unit("acceleration") == "m/s²" and r.unit("spin") == "rad/s²"


def test_units_of_simple_sensors():
    m = moving_bodies(
        sr.Signal("angle", "O.q"),
        sr.Signal("rate", "O.v"),
        sr.Signal("height", "rod.z_ddot"),
        sr.Signal("pull", "O.reaction.x"),
        sr.Signal("twist", "O.reaction.tz"),
        sr.Signal("energy_now", "energy.total"),
        sr.Signal("mixed", "O.q + 1"),
        sr.Signal("given", "O.q", unit="turns"),
    )
    r = m.simulate(0.01)
    units = [r.unit(name) for name in ("angle", "rate", "height", "pull", "twist", "energy_now", "mixed", "given")]
    assert units == ["rad", "rad/s", "m/s²", "N", "N m", "J", "", "turns"]


def test_sensors_in_files_forces_and_messages():
    m = moving_bodies(
        sr.Signal("lean", "a + 0.1*b", {"a": sr.Angle("rod", "roll"), "b": sr.AngularVelocity("rod", axis="x")}),
        sr.Signal("place", "x", {"x": sr.Position("rod", relative_to="carrier", origin=(0, 0, 0))}),
        sr.Signal("felt", "a", {"a": sr.Acceleration("rod", axes_of="rod")}),
    )
    m.add(sr.Torque("hold", "rod", ("-lean", 0, 0)), sr.Event("over", "lean > 0.2"))
    again, _ = run_from_text(text_of(m))
    assert again == m and text_of(again) == text_of(m)
    assert np.isfinite(m.simulate(0.1)["lean"]).all()
    with pytest.raises(ModelError, match="must be 1, 2, 3"):
        sr.Angle("rod", "yaw", axes="xyz")
    with pytest.raises(FormulaError, match="rate of an acceleration"):
        sr.Signal("s", "rod.wx_ddot")
    with pytest.raises(ModelError, match="'bar' is not a body"):
        m.add(sr.Signal("s", "bar.yaw"))
    with pytest.raises(ModelError, match="nothing moves"):
        sr.AngularVelocity("rod", relative_to="rod")
