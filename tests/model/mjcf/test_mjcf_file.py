"""Loading MJCF: what becomes of limits, frictions, equalities, keyframes, contacts, meshes, and of what cannot be taken over."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import sharnir as sr
from model.mjcf.mujoco_models import BOXES, TREES, driven, link, one

LOOP = """<mujoco model="four-bar"><compiler angle="radian"/><option gravity="1 0 -9.81"/><worldbody>
  <body name="crank" pos="0 0 0"><joint name="O" axis="0 1 0" range="-1 1"/>
  <inertial pos="0 0 0.5" mass="1" diaginertia="1 1 1"/>
  <body name="coupler" pos="0 0 1"><joint name="P" axis="0 1 0"/>
  <inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/></body></body>
  <body name="rocker" pos="2 0 0"><joint name="R" axis="0 1 0"/><inertial pos="0 0 0.5" mass="1" diaginertia="1 1 1"/>
  <site name="top" pos="0 0 1"/></body></worldbody><equality>{0}</equality></mujoco>"""
GEARS = f"""<mujoco><worldbody><body><joint name="a" axis="0 0 1" frictionloss="0.5"/>{BOXES}</body>
  <body><joint name="b" axis="0 0 1"/>{BOXES}</body><body><joint name="c" axis="0 0 1"/>{BOXES}</body></worldbody>
  <equality><joint joint1="b" joint2="a" polycoef="0.1 2 0 0 0"/><joint joint1="c" joint2="a" polycoef="0.2 1 0.5 0 0"/>
  </equality></mujoco>"""


def quiet(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sr.ModelWarning)
        return sr.load_mjcf(*given, **options)


def refused(text, message, **options):
    with pytest.raises(sr.ModelError, match=message):
        quiet(text, **options)


@pytest.mark.parametrize("how", ["connect", "weld"])
def test_equalities_close_loops(how):
    """The four-bar keeps one freedom, as a weld none; the two places stay together while it moves."""
    anchor = 'body1="coupler" body2="rocker" anchor="2 0 0"'
    m = quiet(LOOP.format(f'<{how} name="Q" {anchor}/>'), stops=None)
    s = m.compile()
    assert isinstance(m.joints["Q"], sr.Ball if how == "connect" else sr.Fixed)
    assert s.freedoms == (1 if how == "connect" else 0)
    if how == "connect":
        r = m.simulate(0.3, output=0.1)
        assert abs(r["O.q"][-1]) > 1e-3
        np.testing.assert_allclose(r["O.q"] + r["P.q"], 0.0, atol=1e-8)  # a parallelogram: the coupler does not turn


def test_joints_that_follow_others():
    """A linear relation is a mimic joint, any other polynomial a constraint; both hold in a run."""
    m = quiet(GEARS)
    assert m.joints["b"].mimic == ("a", 2.0, 0.1)
    assert list(m.constraints) == ["joint_1"]
    r = m.simulate(0.2, output=0.1, tolerance=1e-8)
    np.testing.assert_allclose(r["b.q"], 0.1 + 2 * r["a.q"], atol=1e-9)
    np.testing.assert_allclose(r["c.q"], 0.2 + r["a.q"] + 0.5 * r["a.q"] ** 2, atol=1e-7)


def test_limits_and_friction():
    text = LOOP.format("").replace('range="-1 1"', 'range="-1 1" frictionloss="0.3" solreflimit="0.1 0.5"')
    m = quiet(text)
    assert (m.joints["O"].limits[0].lower, m.joints["O"].limits[0].upper) == (-1.0, 1.0)
    law = m.forces["O stop"].law
    s = m.compile()
    inertia = 1.0 / np.linalg.inv(s.mass_matrix(s.q0))[0, 0]
    assert law.stiffness == pytest.approx(inertia / (0.1 * 0.5) ** 2, rel=1e-9)
    assert law.damping == pytest.approx(2 * inertia / 0.1, rel=1e-9)
    assert "O friction" in m.forces
    bare = quiet(text, stops=None, friction_speed=None)
    assert not bare.forces
    harder = sr.HuntCrossley(1e5, damping=0.1)
    assert quiet(text, stops=harder).forces["O stop"].law == harder


def test_keyframes_are_states():
    text = TREES["flying"].replace("</mujoco>", "<keyframe>{0}</keyframe></mujoco>")
    q = "3 2 1 0 1 0 0 0.5 0 0 0 1 0 0 0"
    m = quiet(text.format(f'<key name="up" qpos="{q}" qvel="1 2 3 0 0 0 0.7 0 0 0 0 0 0"/>'), keyframe="up")
    s = m.compile()
    bird = s.bodies(s.q0, s.v0)["bird"]
    np.testing.assert_allclose(bird.position, [3, 2, 1], atol=1e-14)
    np.testing.assert_allclose(np.abs(bird.rotation), [0, 1, 0, 0], atol=1e-14)
    np.testing.assert_allclose(bird.velocity, [1, 2, 3], atol=1e-14)
    assert m.joints["flap"].q == (0.5,)
    assert m.joints["flap"].v == (0.7,)
    refused(text.format(f'<key name="up" qpos="{q}"/>'), "'down' does not exist; there are 'up'", keyframe="down")
    refused(text.format('<key name="up" qpos="1 2"/>'), "needs 15 numbers", keyframe=0)


def test_contacts_on_request():
    """A ball comes to rest on the floor, at its own radius."""
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="ball" pos="0 0 0.2"><freejoint/>
      <geom type="sphere" size="0.1" mass="1"/></body></worldbody></mujoco>"""
    m = quiet(text, contacts=sr.HuntCrossley(1e5, damping=5.0))
    assert list(m.forces) == ["ball 0 on plane 0"]
    r = m.simulate(1.5, output=0.5)
    assert r["ball.position"][-1][2] == pytest.approx(0.1 - (9.81 / 1e5) ** (2 / 3), abs=1e-5)
    with pytest.warns(sr.ModelWarning, match=r"contacts \(contacts=law takes those with planes\)"):
        sr.load_mjcf(text)


def test_shapes_and_colours_are_drawn(tmp_path):
    text = one(
        link(inside='<geom size="0.1" material="red"/><geom type="capsule" size="0.1 0.2" rgba="0 1 0 1"/>')
        + '<body><geom type="box" size="1 1 1" group="3"/><geom type="mesh" mesh="gone" density="0"/></body>',
        '<asset><material name="red" rgba="1 0 0 1"/><mesh name="gone" file="gone.stl"/></asset>',
    )
    path = tmp_path / "robot.xml"
    path.write_text(text)
    with pytest.warns(sr.ModelWarning, match="meshes that cannot be read are not drawn"):
        m = sr.load_mjcf(path)
    shapes = m.bodies["link"].shapes
    assert [type(shape).__name__ for shape in shapes] == ["Sphere", "Cylinder", "Sphere", "Sphere"]
    assert tuple(shapes[0].color) == pytest.approx((1, 0, 0))
    assert not m.bodies["body_3"].shapes


def test_all_that_is_left_out_is_in_one_warning():
    text = one(
        link('unknown="7"') + "<plugin/><flexcomp/>",
        '<option density="1.2"/><strange><thing/><thing/></strange>',
        '<sensor><gyro site="s"/></sensor><actuator><muscle joint="j"/><adhesion body="link"/></actuator>'
        '<tendon><spatial><site site="s"/></spatial></tendon>',
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sr.load_mjcf(text)
    assert len(caught) == 1
    words = (
        "<plugin>",
        "<flexcomp>",
        "surrounding fluid",
        "2 thing",
        "1 gyro",
        "muscle actuators",
        "adhesion actuators",
        "<spatial>",
    )
    for what in words:
        assert what in str(caught[0].message)


def test_a_loaded_model_is_saved_and_loaded_again(tmp_path):
    """Inputs, formulas of actuators, tendons and springs survive the model file."""
    m = quiet(driven("position of a tendon"), keyframe="up")
    path = tmp_path / "model.toml"
    m.save(path)
    again = sr.Model.load(path)
    one, other = m.compile(), again.compile()
    np.testing.assert_allclose(one.accelerations(one.q0, one.v0), other.accelerations(other.q0, other.v0), rtol=1e-12)


def test_the_command_line_runs_and_converts(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(TREES["angles"])
    run = [sys.executable, "-m", "sharnir"]
    found = subprocess.run([*run, "run", str(path), "--t-end", "0.01", "-q"], capture_output=True, text=True, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    found = subprocess.run([*run, "mjcf", str(path), "-o", "robot.toml"], capture_output=True, text=True, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert list(sr.Model.load(tmp_path / "robot.toml").joints) == ["base x", "j"]


HOSTILE = {
    "entities": ('<!DOCTYPE m [<!ENTITY a "b">]><mujoco>&a;</mujoco>', "document type"),
    "not XML": ("<mujoco><", "not valid XML"),
    "another root": ("<robot/>", "begins with <robot>"),
    "no bodies": ("<mujoco><worldbody/></mujoco>", "has no bodies"),
    "nested": ("<mujoco>" + "<a>" * 150 + "</a>" * 150 + "</mujoco>", "nested"),
    "copies": (one('<replicate count="1000000000"><body/></replicate>'), "count = 1000000000"),
    "no number": (one(link('pos="a b c"')), "must hold numbers"),
    "not a number": (one(link('pos="nan 0 0"')), "must hold finite numbers"),
    "too few": (one(link('pos="1 2"')), "needs 3 numbers"),
    "zero axis": (one(link(joint='<joint axis="0 0 0"/>')), "axis .* must not be zero"),
    "zero quaternion": (one(link('quat="0 0 0 0"')), "quat .* must not be zero"),
    "unknown class": (one(link(joint='<joint class="x"/>')), "class 'x', which is not defined"),
    "unknown joint": (one(link(), rest='<actuator><motor joint="x"/></actuator>'), "joint 'x' does not exist"),
    "unknown body": (one(link(), rest='<equality><connect body1="x" anchor="0 0 0"/></equality>'), "body 'x' does not exist"),
    "unknown type": (one(link(joint='<joint type="screw"/>')), "type 'screw'"),
    "unknown geom": (one(link(inside='<geom type="egg" size="1"/>')), "'egg'"),
    "free inside": (one(link(joint="<freejoint/>")), "must have no other joint"),
    "include of text": ('<mujoco><include file="a.xml"/></mujoco>', "given as text has no folder"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_no_file_should_have_is_refused_in_words(name):
    refused(*HOSTILE[name])


def test_includes_stay_in_the_folder_and_end(tmp_path):
    (tmp_path / "outside.xml").write_text("<mujoco/>")
    home = tmp_path / "robot"
    home.mkdir()
    path = home / "robot.xml"
    path.write_text('<mujoco><include file="../outside.xml"/></mujoco>')
    refused(path, "lies outside the folder of robot.xml")
    path.write_text('<mujoco><include file="robot.xml"/></mujoco>')
    refused(path, "includes itself")
    path.write_text('<mujoco><include file="gone.xml"/></mujoco>')
    with pytest.raises(sr.FileError, match=r"gone\.xml"):
        quiet(path)
