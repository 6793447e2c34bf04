"""Loading SDF: poses in frames, joints of all kinds, loops, gearboxes, includes, inertias, and what cannot be taken over."""

import math
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import sharnir as sr
from sharnir.app.cli import app
from sharnir.model.placement import placements
from sharnir.model.robot_files import robot_model

INERTIAL = "<inertial><mass>{0}</mass><inertia><ixx>{1}</ixx><iyy>{1}</iyy><izz>{1}</izz></inertia></inertial>"
ARM = """<robot name="arm"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.02" izz="0.02" ixy="0.001" ixz="0" iyz="0.002"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0 0 0.15"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1" rpy="0 0 0.4"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="3"/><dynamics damping="0.1"/></joint>
  <joint name="elbow" type="prismatic"><parent link="upper"/><child link="fore"/><origin xyz="0 0.1 0.4" rpy="0.3 0 0"/>
    <axis xyz="1 1 0"/><limit lower="0" upper="1" effort="1" velocity="3"/></joint></robot>"""
SAME_ARM = """<sdf version="1.9"><model name="arm"><pose>0 0 3 0 0 0</pose>
  <joint name="hold" type="fixed"><parent>world</parent><child>base</child></joint>
  <link name="base"><inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial></link>
  <link name="upper"><pose relative_to="shoulder"/><inertial><pose>0 0 0.2 0.1 0.2 0.3</pose><mass>2</mass>
    <inertia><ixx>0.03</ixx><iyy>0.02</iyy><izz>0.02</izz><ixy>0.001</ixy><iyz>0.002</iyz></inertia></inertial></link>
  <link name="fore"><pose relative_to="elbow"/><inertial><pose>0 0 0.15 0 0 0</pose><mass>1</mass>
    <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.001</izz></inertia></inertial></link>
  <joint name="shoulder" type="revolute"><pose relative_to="base">0 0 0.1 0 0 0.4</pose><parent>base</parent><child>upper</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-2</lower><upper>2</upper><effort>50</effort><velocity>3</velocity></limit>
    <dynamics><damping>0.1</damping></dynamics></axis></joint>
  <joint name="elbow" type="prismatic"><pose relative_to="upper">0 0.1 0.4 0.3 0 0</pose><parent>upper</parent><child>fore</child>
    <axis><xyz>1 1 0</xyz><limit><lower>0</lower><upper>1</upper><effort>1</effort><velocity>3</velocity></limit></axis></joint>
  </model></sdf>"""
FOUR_BAR = """<sdf version="1.7"><model name="four-bar">
  <link name="crank"><pose>0 0 0.5 0 0 0</pose></link><link name="coupler"><pose>1 0 1 0 0 0</pose></link>
  <link name="rocker"><pose>2 0 0.5 0 0 0</pose></link>
  <joint name="O" type="revolute"><pose relative_to="__model__"/><parent>world</parent><child>crank</child>{0}</joint>
  <joint name="A" type="revolute"><pose>-1 0 0 0 0 0</pose><parent>crank</parent><child>coupler</child>{0}</joint>
  <joint name="B" type="ball"><pose>0 0 0.5 0 0 0</pose><parent>coupler</parent><child>rocker</child></joint>
  <joint name="Q" type="revolute"><pose>0 0 -0.5 0 0 0</pose><parent>world</parent><child>rocker</child>{0}</joint>
  </model></sdf>""".replace("{0}", "<axis><xyz>0 1 0</xyz></axis>")
GEARBOX = """<sdf version="1.7"><model name="gears">
  <link name="small"><pose>0 0 1 0 0 0</pose>{0}</link><link name="large"><pose>1 0 1 0 0 0</pose>{1}</link>
  <joint name="a" type="revolute"><parent>world</parent><child>small</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="b" type="revolute"><parent>world</parent><child>large</child><axis><xyz>0 0 {2}</xyz></axis></joint>
  <joint name="teeth" type="gearbox"><parent>small</parent><child>large</child><gearbox_ratio>3</gearbox_ratio>
  <gearbox_reference_body>world</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>
  </model></sdf>"""
PART = (
    '<sdf version="1.9"><model name="part"><pose>0 1 0 0 0 0</pose><link name="tip"><pose>0 0 1 0 0 0</pose></link></model></sdf>'
)


def quiet(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sr.ModelWarning)
        return sr.load_sdf(*given, **options)


def model_of(parts, version="1.9", name="m"):
    return f'<sdf version="{version}"><model name="{name}">{parts}</model></sdf>'


def place_of(model, body):
    return np.array(placements(model)[body].position)


def joint_of(text, version="1.9", **options):
    """The joint of a model with a turned child."""
    links = '<link name="a"/><link name="b"><pose>1 2 3 0 0 1.5707963267948966</pose></link>'
    return quiet(model_of(links + text, version), **options).joints["j"]


def test_same_robot_in_both_formats():
    """An arm in URDF and in SDF: frames of joints, inertias with turned axes, limits, damping, forces."""
    a, b = sr.load_urdf(ARM), quiet(SAME_ARM)
    one, two = a.compile(), b.compile()
    q, v = [0.7, 0.3], [1.2, -0.8]
    np.testing.assert_allclose(two.mass_matrix(q), one.mass_matrix(q), rtol=1e-12)
    np.testing.assert_allclose(two.bias(q, v), one.bias(q, v), rtol=1e-12)
    assert b.joints["shoulder"].limits == a.joints["shoulder"].limits
    assert b.joints["shoulder"].damping == (0.1,)
    np.testing.assert_allclose(place_of(b, "fore"), place_of(a, "fore") + [0, 0, 3], atol=1e-12)


def test_poses_in_frames():
    """Frames in frames, attached to links, in degrees and as quaternions, in any order; a model placed by a frame inside."""
    parts = """<frame name="f" attached_to="a"><pose relative_to="g" degrees="true">1 0 0 0 0 90</pose></frame>
      <frame name="g"><pose rotation_format="quat_xyzw">0 0 2 0 0 0.7071067811865476 0.7071067811865476</pose></frame>
      <link name="b"><pose relative_to="f">1 0 0 0 0 0</pose></link><link name="a"><pose>5 0 0 0 0 0</pose></link>
      <joint name="j" type="fixed"><parent>f</parent><child>b</child></joint>
      <model name="hand" placement_frame="palm"><pose relative_to="b">0 0 1 0 0 0</pose>
        <link name="palm"><pose>0.3 0 0 0 0 1.5707963267948966</pose></link>
        <link name="thumb"><pose relative_to="palm">0 0.1 0 0 0 0</pose></link></model>"""
    m = quiet(model_of(parts))
    np.testing.assert_allclose(place_of(m, "b"), [-1, 1, 2], atol=1e-12)  # g turns by 90°, f by 90° more
    np.testing.assert_allclose(place_of(m, "hand_palm"), [-1, 1, 3], atol=1e-12)
    np.testing.assert_allclose(place_of(m, "hand_thumb"), [-1, 0.9, 3], atol=1e-12)
    assert m.joints["j"].parent == "a"
    assert [joint.name for joint in m.joints.values() if isinstance(joint, sr.Free)] == [
        "ground_to_a",
        "ground_to_hand_palm",
        "ground_to_hand_thumb",
    ]


@pytest.mark.parametrize(
    ("version", "attribute", "inside", "axis"),
    [
        ("1.9", "", "", (1, 0, 0)),
        ("1.9", 'expressed_in="__model__"', "", (0, -1, 0)),
        ("1.9", 'expressed_in="a"', "", (0, -1, 0)),
        ("1.6", "", "<use_parent_model_frame>1</use_parent_model_frame>", (0, -1, 0)),
        ("1.4", "", "", (0, -1, 0)),
    ],
)
def test_axes(version, attribute, inside, axis):
    """In the joint's frame, in a named one, in the model's as old versions have it; the child is turned by 90° about z."""
    axis_of_file = f"<axis><xyz {attribute}>2 0 0</xyz>{inside}</axis>"
    text = f'<joint name="j" type="revolute"><parent>a</parent><child>b</child>{axis_of_file}</joint>'
    np.testing.assert_allclose(joint_of(text, version).axis, axis, atol=1e-12)


def test_kinds_of_joints():
    """Types, ranges without bounds, springs of both axes, pitches of both ways to write threads, rotors."""

    def kind(name, inside="", xyz="<xyz>0 0 1</xyz>", **options):
        text = f'<joint name="j" type="{name}"><parent>a</parent><child>b</child><axis>{xyz}{inside}</axis>{{0}}</joint>'
        return lambda more="": joint_of(text.replace("{0}", more), **options)

    assert isinstance(kind("continuous", "<limit><lower>0</lower><upper>1</upper></limit>")(), sr.Revolute)
    assert kind("continuous", "<limit><lower>0</lower><upper>1</upper></limit>")().limits is None
    assert kind("revolute", "<limit><lower>-1e16</lower><upper>2</upper><effort>-1</effort></limit>")().limits[0] == sr.Limits(
        upper=2.0
    )
    assert isinstance(kind("prismatic")(), sr.Prismatic)
    assert isinstance(kind("ball")(), sr.Ball)
    assert isinstance(kind("fixed")(), sr.Fixed)
    assert kind("screw")("<screw_thread_pitch>0.01</screw_thread_pitch>").pitch == pytest.approx(0.01 / (2 * math.pi), rel=1e-15)
    assert kind("screw")("<thread_pitch>200</thread_pitch>").pitch == pytest.approx(-0.005, rel=1e-15)
    second = "<axis2><xyz>0 1 0</xyz><dynamics><damping>2</damping><spring_stiffness>3</spring_stiffness></dynamics></axis2>"
    for name in ("universal", "revolute2"):
        j = kind(name)(second)
        assert (j.axis2, j.damping, j.stiffness) == ((0.0, 1.0, 0.0), (0.0, 2.0), (0.0, 3.0))
    geared = "<drake:rotor_inertia>0.001</drake:rotor_inertia><drake:gear_ratio>10</drake:gear_ratio>"
    assert kind("revolute")(geared).armature == pytest.approx((0.1,))
    j = kind("revolute", "<dynamics><spring_stiffness>5</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>")()
    assert (j.stiffness, j.rest) == ((5.0,), (0.2,))


def test_loops_close():
    """A four-bar whose last joint is a ball: one freedom, and the joint stays closed while it moves."""
    m = quiet(FOUR_BAR)
    assert m.compile().freedoms == 1
    m.replace("O", v=1.0)
    r = m.simulate(0.3, output=0.1)
    assert r["O.q"][-1] > 0.25
    np.testing.assert_allclose(r["O.q"] + r["A.q"], 0.0, atol=1e-8)  # a parallelogram: the coupler does not turn


@pytest.mark.parametrize("sense", [1, -1])
def test_gearboxes(sense):
    """θ₂ = -ratio θ₁ about the directions of the gearbox, whatever the sense of the joints."""
    m = quiet(GEARBOX.format(INERTIAL.format(1, 0.1), INERTIAL.format(1, 0.9), sense))
    s = m.compile()
    assert s.freedoms == 1
    m.replace("a", torque=1.0)
    r = m.simulate(0.2, output=0.1, tolerance=1e-9)
    np.testing.assert_allclose(r["b.q"], -3.0 * sense * r["a.q"], atol=1e-9)
    np.testing.assert_allclose(r["a.q"], 0.5 * r.t**2 / (0.1 + 9 * 0.9), rtol=1e-6)


def test_mimic_joints():
    """follower = multiplier (leader - reference) + offset."""
    turn = '<joint name="{0}" type="revolute"><parent>world</parent><child>{1}</child><axis><xyz>0 0 1</xyz>{2}</axis></joint>'
    mimic = '<mimic joint="x"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>'
    m = quiet(model_of('<link name="a"/><link name="b"/>' + turn.format("y", "b", mimic) + turn.format("x", "a", "")))
    assert m.joints["y"].mimic == ("x", 2.0, pytest.approx(0.3))


def test_includes(tmp_path, monkeypatch):
    """By the names of folders beside the file, with another name and place; merged; static; those that are not there are told."""
    for name, text in {
        "part/model.config": '<model><sdf version="1.5">old.sdf</sdf><sdf version="1.10">new.sdf</sdf></model>',
        "part/old.sdf": "<sdf version='1.5'><model name='old'><link name='old'/></model></sdf>",
        "part/new.sdf": PART,
        "world.sdf": """<sdf version="1.9"><world name="w"><gravity>0 0 -1.6</gravity>
          <include><uri>model://part</uri><name>left</name><pose>2 0 0 0 0 0</pose></include>
          <include><uri>model://part</uri><static>true</static></include>
          <include><uri>model://sun</uri></include>
          <joint name="j" type="fixed"><parent>part::tip</parent><child>left::tip</child></joint></world></sdf>""",
        "merged.sdf": model_of('<include merge="true"><uri>part/new.sdf</uri></include><frame name="f" attached_to="tip"/>'),
        "ring/model.sdf": model_of("<include><uri>model://ring</uri></include>"),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    with pytest.warns(sr.ModelWarning, match="not there .* model://sun") as caught:
        m = sr.load_sdf(tmp_path / "world.sdf")
    assert len(caught) == 1
    assert m.name == "w"
    assert m.gravity == (0.0, 0.0, -1.6)
    np.testing.assert_allclose(place_of(m, "left_tip"), [2, 0, 1], atol=1e-15)
    np.testing.assert_allclose(place_of(m, "part_tip"), [0, 1, 1], atol=1e-15)
    assert isinstance(m.joints["ground_to_part_tip"], sr.Fixed)
    assert (m.joints["j"].parent, m.joints["j"].child) == ("part_tip", "left_tip")
    merged = quiet(tmp_path / "merged.sdf")
    assert list(merged.bodies) == ["tip"]
    with pytest.raises(sr.ModelError, match="includes itself"):
        quiet(tmp_path / "ring/model.sdf")
    include = model_of("<include><uri>model://elsewhere/new.sdf</uri></include>")
    with pytest.raises(sr.ModelError, match=r"has no links; what is included .*elsewhere"):
        quiet(include)
    assert list(quiet(include, packages={"elsewhere": tmp_path / "part"}).bodies) == ["part_tip"]
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(tmp_path))
    assert list(quiet(include.replace("elsewhere", "part")).bodies) == ["part_tip"]


def test_inertias():
    """SDF's defaults; what no real body has is repaired; by the density of collision shapes."""
    m = quiet(model_of('<link name="a"/>'))
    assert (m.bodies["a"].mass, m.bodies["a"].inertia[:3]) == (1.0, (1.0, 1.0, 1.0))
    wrong = '<link name="a"><inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia></inertial></link>'
    with pytest.warns(sr.ModelWarning, match="principal moments 1, 1, 3 → 1.5, 1.5, 3"):
        sr.load_sdf(model_of(wrong))
    assert quiet(model_of(wrong), inertia="keep").bodies["a"].inertia[:3] == (1.0, 1.0, 3.0)
    with pytest.raises(sr.ModelError, match="inertia"):
        quiet(model_of(wrong), inertia="error")
    shapes = """<link name="a"><inertial auto="true"><density>10</density></inertial>
      <collision name="c"><pose>1 0 0 0 0 0.5</pose><geometry><box><size>1 2 3</size></box></geometry></collision>
      <collision name="d"><density>20</density><pose>0 2 0 0.3 0.2 0.1</pose>
      <geometry><cylinder><radius>0.5</radius><length>2</length></cylinder></geometry></collision></link>"""
    a = quiet(model_of(shapes)).bodies["a"]
    box = sr.Body("box", density=10, shape=sr.Box((1, 2, 3), (1, 0, 0), sr.rotation_rpy(0, 0, 0.5)))
    axis = tuple(row[2] for row in sr.rotation_rpy(0.3, 0.2, 0.1))
    rod = sr.Body("rod", density=20, shape=sr.Cylinder(0.5, 2, axis, (0, 2, 0)))
    both = [box, rod]
    mass = sum(body.mass for body in both)
    com = sum(body.mass * np.array(body.com) for body in both) / mass
    J = np.zeros((3, 3))
    for body in both:
        r = np.array(body.com) - com
        J += np.array(body.inertia_matrix) + body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    np.testing.assert_allclose(a.mass, mass, rtol=1e-13)
    np.testing.assert_allclose(a.com, com, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(a.inertia_matrix, J, rtol=1e-11, atol=1e-11)
    cone = """<link name="a"><inertial auto="true"><mass>5</mass></inertial>
      <collision name="c"><geometry><cone><radius>2</radius><length>3</length></cone></geometry></collision></link>"""
    a = quiet(model_of(cone)).bodies["a"]
    assert (a.mass, a.com) == (pytest.approx(5.0), (0.0, 0.0, pytest.approx(-0.75)))
    # the textbook's moment about the base, 3/20 m r² + 1/10 m h², less Steiner's term
    assert a.inertia[0] == pytest.approx(5 * (0.15 * 4 + 0.1 * 9 - 0.75**2), rel=1e-12)


def test_pictures_and_weights():
    """Visuals with colours; a link without gravity keeps its place."""
    text = """<link name="a"><gravity>false</gravity><inertial><pose>0.1 0 0 0 0 0</pose></inertial>
      <visual name="v"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
      <material><diffuse>1 0.5 0 1</diffuse></material></visual>
      <visual name="w"><geometry><capsule><radius>0.1</radius><length>1</length></capsule></geometry></visual>
      <visual name="u"><geometry><sphere><radius>2</radius></sphere></geometry></visual></link>"""
    m = quiet(model_of(text))
    box, *capsule, sphere = m.bodies["a"].shapes
    assert (box.size, box.center, box.color) == ((1.0, 2.0, 3.0), (0.0, 0.0, 1.0), (1.0, 0.5, 0.0))
    assert len(capsule) == 3
    assert sphere.radius == 2.0
    r = m.simulate(1.0, output=0.5)
    np.testing.assert_allclose(r["a.position"], 0.0, atol=1e-12)


def test_stops_friction_and_bases():
    joint = """<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz>
      <limit><lower>-1</lower><upper>1</upper></limit><dynamics><friction>0.5</friction></dynamics></axis></joint>"""
    text = model_of('<link name="a"/><link name="b"/>' + joint)
    with pytest.warns(sr.ModelWarning, match="friction_speed= takes it"):
        sr.load_sdf(text)
    m = quiet(text, stops=sr.HuntCrossley(1e4, damping=0.1), friction_speed=0.01, floating_base=False, name="mine")
    assert m.name == "mine"
    assert list(m.forces) == ["j friction", "j stop"]
    assert isinstance(m.joints["ground_to_a"], sr.Fixed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot name='a'/>", "begins with <robot>; an SDF file begins with <sdf>"),
        ("<sdf version='x'/>", "which is not a version"),
        (model_of(""), "has no links"),
        (model_of("<link/>"), "has no name"),
        (model_of('<link name="a"/><link name="a"/>'), "two elements 'a'"),
        (model_of('<link name="a"><pose relative_to="b"/></link>'), r"no link, joint, frame or model 'b'; there are a"),
        (model_of('<link name="a"><pose>1 2 3</pose></link>'), "needs 6 numbers"),
        (model_of('<link name="a"><pose relative_to="a"/></link>'), "link 'a' is placed relative to itself"),
        (
            model_of(
                '<link name="a"/><frame name="f" attached_to="f"/><joint name="j" type="fixed"><parent>f</parent><child>a</child>'
                "</joint>"
            ),
            "frame 'f' is attached to itself",
        ),
        (model_of('<link name="a"/><joint name="j" type="wheel"><parent>world</parent><child>a</child></joint>'), "type 'wheel'"),
        (model_of('<link name="a"/><joint name="j" type="ball"><parent>a</parent><child>a</child></joint>'), "with itself"),
        (model_of('<link name="a"/><joint name="j" type="ball"><child>a</child></joint>'), "has no <parent>"),
        (model_of('<link name="a"><inertial><mass>-1</mass></inertial></link>'), "must not be negative"),
        (model_of('<link name="a"><inertial><mass>one</mass></inertial></link>'), "must be a number"),
        (model_of('<link name="a"><inertial><inertia><ixx>1e400</ixx></inertia></inertial></link>'), "must hold finite numbers"),
        (model_of('<link name="a"><inertial auto="true"/></link>'), "needs a <collision> with a volume"),
    ],
)
def test_errors(text, message):
    with pytest.raises(sr.ModelFileError, match=message):
        quiet(text)


@pytest.mark.parametrize("options", [{"floating_base": 1}, {"stops": 3}, {"friction_speed": 0}, {"inertia": "mend"}, {"name": 5}])
def test_bad_arguments(options):
    with pytest.raises(sr.ModelError):
        quiet(PART, **options)


def test_files_by_their_content(tmp_path):
    """Runs and the studio take .sdf and .world, and `sharnir sdf` writes a model file."""
    path = tmp_path / "arm.sdf"
    path.write_text("<!-- a licence --><?xml version='1.0'?><!-- a -- b -->" + SAME_ARM)
    assert list(robot_model(path).joints) == ["hold", "shoulder", "elbow"]
    done = CliRunner().invoke(app, ["sdf", str(path), "-o", str(tmp_path / "arm.toml")])
    assert done.exit_code == 0, done.output
    assert list(sr.Model.load(tmp_path / "arm.toml").joints) == ["hold", "shoulder", "elbow"]
