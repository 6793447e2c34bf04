"""URDF import, checked against transforms that are computed here from the XML itself, with SciPy's rotations."""

import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Reference

from sharnir.errors import ModelFileError, ModelWarning
from sharnir.model import Box, Cylinder, Fixed, Free, Limits, Planar, Prismatic, Revolute, Sphere
from sharnir.model.files.model_file import run_from_text, text_of
from sharnir.model.placement import placements
from sharnir.model.urdf import load_urdf

ROBOTS = Path(__file__).parent / "robots"
NAMES = ("arm", "quadruped", "gripper")


def load(name, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return load_urdf(ROBOTS / f"{name}.urdf", **options)


def transform(element):
    """4×4 matrix of the <origin> below an element."""
    origin = element.find("origin")
    result = np.eye(4)
    if origin is not None:
        result[:3, 3] = [float(x) for x in origin.get("xyz", "0 0 0").split()]
        result[:3, :3] = Reference.from_euler("xyz", [float(x) for x in origin.get("rpy", "0 0 0").split()]).as_matrix()
    return result


def world_transforms(robot):
    """4×4 matrix of every link with all joints at zero."""
    children = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}

    def world(link):
        joint = children.get(link)
        return np.eye(4) if joint is None else world(joint.find("parent").get("link")) @ transform(joint)

    return {link.get("name"): world(link.get("name")) for link in robot.findall("link")}


@pytest.mark.parametrize("name", NAMES)
def test_frames_at_zero(name):
    expected = world_transforms(ElementTree.parse(ROBOTS / f"{name}.urdf").getroot())
    placed = placements(load(name))
    assert set(expected) == set(placed) - {"ground"}
    for link, T in expected.items():
        np.testing.assert_allclose(placed[link].position, T[:3, 3], atol=1e-14)
        np.testing.assert_allclose(placed[link].rotation_matrix, T[:3, :3], atol=1e-14)


@pytest.mark.parametrize(("name", "mass"), [("arm", 21.05), ("quadruped", 9 + 4 * 1.8), ("gripper", 0.72)])
def test_mass_center_and_inertia_of_the_whole(name, mass):
    robot = ElementTree.parse(ROBOTS / f"{name}.urdf").getroot()
    worlds = world_transforms(robot)
    total, moment, J = 0.0, np.zeros(3), np.zeros((3, 3))
    for link in robot.findall("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        m = float(inertial.find("mass").get("value"))
        T = worlds[link.get("name")] @ transform(inertial)
        entry = {key: float(value) for key, value in inertial.find("inertia").attrib.items()}
        xx, yy, zz, xy, xz, yz = (entry.get("i" + pair, 0.0) for pair in ("xx", "yy", "zz", "xy", "xz", "yz"))
        local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        c = T[:3, 3]
        total, moment = total + m, moment + m * c
        J += T[:3, :3] @ local @ T[:3, :3].T + m * (c @ c * np.eye(3) - np.outer(c, c))
    assert total == pytest.approx(mass)

    model = load(name)
    placed = placements(model)
    ours_moment, ours_J = np.zeros(3), np.zeros((3, 3))
    for body in model.bodies.values():
        c, R = np.array(placed[body.name].point(body.com)), np.array(placed[body.name].rotation_matrix)
        ours_moment += body.mass * c
        ours_J += R @ np.array(body.inertia_matrix) @ R.T + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    assert sum(body.mass for body in model.bodies.values()) == pytest.approx(total)
    np.testing.assert_allclose(ours_moment, moment, atol=1e-13)
    np.testing.assert_allclose(ours_J, J, atol=1e-13)


def test_arm_joints():
    model = load("arm")
    assert model.name == "arm"
    kinds = [type(joint) for joint in model.joints.values()]
    assert kinds == [Fixed, Revolute, Revolute, Revolute, Revolute, Revolute, Prismatic]
    assert model.joints["pan"].limits == (Limits(-6.28, 6.28, 150, 3.15),)
    assert model.joints["roll"].limits == (Limits(effort=28, velocity=3.2),)
    assert model.joints["lift"].damping == (0.4,)
    np.testing.assert_allclose(model.joints["pitch"].axis, (0, 0.6, 0.8))
    assert model.joints["slide"].axis == (0, 0, 1)
    assert model.joints["pan"].child_frame is None
    assert model.joints["ground_to_base"].child == "base"


def test_arm_pictures():
    model = load("arm")
    steel = (0.5, 0.6, 0.7, 1.0)
    assert model.bodies["base"].shape == Cylinder(0.1, 0.1, "z", (0, 0, 0.05), steel)
    np.testing.assert_allclose(model.bodies["forearm"].shape.axis, (1, 0, 0), atol=1e-15)
    box = model.bodies["upper_arm"].shape
    assert isinstance(box, Box)
    np.testing.assert_allclose(box.rotation, Reference.from_euler("z", 0.2).as_matrix(), atol=1e-15)
    assert model.bodies["wrist2"].shape == Sphere(0.045, (0, 0.01, 0), steel)
    assert model.bodies["tool"].shape is None


def test_quadruped_floats():
    fixed, free = load("quadruped"), load("quadruped", floating_base=True)
    assert isinstance(fixed.joints["ground_to_trunk"], Fixed)
    assert isinstance(free.joints["ground_to_trunk"], Free)
    assert len(free.bodies) == len(free.joints) == 1 + 1 + 4 * 4
    assert free.bodies["rear_left_foot"].mass == 0
    assert free.bodies["trunk"].shapes[0].color == (1, 0, 0, 1)
    assert sum(joint.n_v for joint in free.joints.values()) == 6 + 12


def test_gripper_mimics_the_leader_directly():
    with pytest.warns(ModelWarning, match="'left_joint': friction = 0.2 is not used"):
        model = load_urdf(ROBOTS / "gripper.urdf")
    assert model.joints["right_joint"].mimic == ("left_joint", -1, 0.01)
    leader, multiplier, offset = model.joints["tip_joint"].mimic  # 3 (-q + 0.01) + 0.5
    assert (leader, multiplier) == ("left_joint", -3)
    assert offset == pytest.approx(0.53)
    assert list(model.joints)[1] == "left_joint"


@pytest.mark.parametrize("name", NAMES)
def test_imported_models_can_be_saved(name):
    model = load(name)
    assert run_from_text(text_of(model))[0] == model


def robot(*parts, name="r"):
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def joint(name, parent, child, kind="fixed", inside=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


A, B, C = ('<link name="a"/>', '<link name="b"/>', '<link name="c"/>')
HEAVY = '<link name="c"><inertial><mass value="1"/></inertial></link>'


def test_planar_floating_and_defaults():
    model = load_urdf(robot(A, B, HEAVY, joint("p", "a", "b", "planar", '<axis xyz="0 0 1"/>'), joint("f", "b", "c", "floating")))
    assert model.joints["p"] == Planar("p", "a", "b", axis="z", parent_frame=model.joints["p"].parent_frame)
    assert isinstance(model.joints["f"], Free)
    assert load_urdf(robot(A, HEAVY, joint("j", "a", "c", "continuous"))).joints["j"].axis == (1, 0, 0)
    assert load_urdf(robot(A), name="other").name == "other"
    assert load_urdf("\n <?xml version='1.0'?>" + robot(A)).name == "r"


def test_names_are_made_usable():
    text = robot('<link name="a.b"/><link name="ground"/>', joint("j.1", "ground", "a.b"))
    with pytest.warns(ModelWarning) as caught:
        model = load_urdf(text)
    assert list(model.bodies) == ["a_b", "ground_link"]
    assert model.joints["j_1"].parent == "ground_link"
    assert len(caught) == 3


def test_base_joint_finds_a_free_name():
    model = load_urdf(robot(A, B, joint("ground_to_a", "a", "b")))
    assert set(model.joints) == {"ground_to_a", "ground_to_a_"}


def link_with_inertia(*moments):
    entries = " ".join(f'i{axis}="{value}"' for axis, value in zip(("xx", "yy", "zz", "xy"), moments, strict=False))
    return f'<link name="a"><inertial><mass value="1"/><inertia {entries}/></inertial></link>'


@pytest.mark.parametrize("moments", [(0.0010, 0.0020, 0.00301), (1, 1, 5), (1e-6, 1e-6, 1e-6, 5e-6), (0, 0, 0, 2e-35)])
def test_inertias_that_no_body_has(moments):
    text = robot(link_with_inertia(*moments))
    with pytest.warns(ModelWarning, match="replaced by the nearest possible.*link 'a', principal moments .* → .* kg m²"):
        repaired = np.array(load_urdf(text).bodies["a"].inertia_matrix)
    given = np.diag([float(x) for x in moments[:3]])
    given[0, 1] = given[1, 0] = 0 if len(moments) < 4 else moments[3]
    low, middle, high = np.linalg.eigvalsh(repaired)
    assert low >= -1e-12 * high and high <= (low + middle) * (1 + 1e-9)

    def distance(J):  # of the second moments of mass
        return np.linalg.norm((0.5 * np.trace(J - given)) * np.eye(3) - (J - given))

    rng = np.random.default_rng(0)
    for _ in range(300):  # no other possible inertia is nearer
        x = rng.normal(size=(3, 4)) * rng.uniform(0, 2) * np.sqrt(np.abs(given).max())
        S = x @ x.T
        assert distance(np.trace(S) * np.eye(3) - S) >= distance(repaired) * (1 - 1e-9)
    with pytest.warns(ModelWarning, match="used as they are"):
        kept = load_urdf(text, inertia="keep")
    np.testing.assert_allclose(kept.bodies["a"].inertia_matrix, given)
    assert run_from_text(text_of(kept))[0] == kept
    with pytest.raises(ModelFileError, match=r"physical|negative"):
        load_urdf(text, inertia="error")


def test_what_some_published_files_contain():
    with pytest.warns(ModelWarning, match="child link does not exist were left out: 'j' to 'z'"):
        assert list(load_urdf(robot(A, B, joint("i", "a", "b"), joint("j", "a", "z"))).joints) == ["ground_to_a", "i"]
    with pytest.warns(ModelWarning, match="without a joint were left out: 'b'"):
        assert list(load_urdf(robot(A, B, C, joint("j", "a", "c"))).bodies) == ["a", "c"]
    limits = '<limit lower="2" upper="-1"/>'
    with pytest.warns(ModelWarning, match="wrong order were exchanged: joint 'j', 2 … -1"):
        assert load_urdf(robot(A, HEAVY, joint("j", "a", "c", "revolute", limits))).joints["j"].limits[0].lower == -1
    with pytest.warns(ModelWarning, match="move independently: 'j' of 'k'"):
        assert load_urdf(robot(A, HEAVY, joint("j", "a", "c", "revolute", '<mimic joint="k"/>'))).joints["j"].mimic is None
    boxes = "".join(f"<visual><geometry><box size='{size}'/></geometry></visual>" for size in ("1 0.0 2", "0e3 1 1", "1 2 3"))
    with pytest.warns(ModelWarning, match="without any size are not drawn: <box> of link 'a'; <box> of link 'a'"):
        assert load_urdf(robot(f'<link name="a">{boxes}</link>')).bodies["a"].shape.size == (1, 2, 3)


def test_what_other_loaders_overlook():
    """Leftovers of xacro, pictures of unknown kinds and negative efforts are told; one number scales a mesh along all axes."""
    text = robot(
        '<link name="a"><visual><geometry><cone/></geometry></visual><xacro:grey/></link>',
        '<link name="b"><inertial><mass value="1"/></inertial></link>',
        joint("j", "a", "b", "revolute", '<limit lower="0" upper="1" effort="-1" velocity="2"/>'),
    )
    with pytest.warns(ModelWarning) as caught:
        m = load_urdf(text)
    told = " ".join(str(warning.message) for warning in caught)
    assert "elements of xacro were left out" in told
    assert "<cone> of link 'a'" in told
    assert "joint 'j', effort = -1" in told
    assert m.joints["j"].limits[0] == Limits(0.0, 1.0, velocity=2.0)


def test_world_may_be_a_parent_that_is_not_defined():
    model = load_urdf(robot(HEAVY, joint("j", "world", "c", "revolute")))
    assert [(x.parent, x.child) for x in model.joints.values()] == [("ground", "world"), ("world", "c")]


def test_joints_that_move_nothing_are_held():
    finger = joint("finger", "c", "b", "revolute", '<origin xyz="0 0 1"/>')
    with pytest.warns(ModelWarning, match="move nothing with mass are held at zero.*: 'finger'"):
        model = load_urdf(robot(A, HEAVY, B, joint("j", "a", "c", "prismatic"), finger))
    assert model.joints["finger"] == Fixed("finger", "c", "b", parent_frame=model.joints["finger"].parent_frame)
    assert model.compile().n_v == 1
    # the leader of a joint that carries mass moves
    follower = joint("follower", "b", "c", "revolute", '<mimic joint="leader"/>')
    leader = joint("leader", "b", "d", "revolute")
    model = load_urdf(robot(A, B, '<link name="d"/>', HEAVY, joint("base", "a", "b", "fixed"), leader, follower))
    assert (model.joints["leader"].n_v, model.joints["follower"].mimic[0]) == (1, "leader")


BOMB = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (robot(), "no links"),
        (robot(A, B), r"2 root links \(a, b\)"),
        (robot(A, B, '<joint name="j" type="fixed"><child link="b"/></joint>'), "joint j: has no parent"),
        (robot(A, B, joint("j", "a", "b"), joint("k", "b", "a")), "no root link.*cycle"),
        (robot(A, B, C, joint("j", "b", "c"), joint("k", "c", "b")), "b, c form a cycle"),
        (robot(A, B, C, joint("j", "a", "c"), joint("k", "b", "c")), "already the child of joint 'j'"),
        (robot(A, A), "two links of this name"),
        (robot(A, B, joint("j", "a", "b"), joint("j", "a", "b")), "two joints of this name"),
        (robot("<link/>"), "has no name"),
        (robot(A, B, joint("j", "a", "b", "hinge")), "joint j: type 'hinge' is unknown; types are revolute"),
        (robot(A, B, joint("j", "a", "b", "revolute", '<axis xyz="0 0 0"/>')), "joint j: .*no direction"),
        (robot(A, B, joint("j", "a", "b", "revolute", '<axis xyz="0 1"/>')), "needs 3 numbers"),
        (robot(A, B, joint("j", "a", "b", "revolute", '<origin xyz="0 1 x"/>')), "must hold numbers"),
        (robot(A, B, joint("j", "a", "b", "revolute", '<mimic joint="j"/>')), "itself"),
        (
            robot(
                *(A, B, C),
                joint("j", "a", "b", "revolute", '<mimic joint="k"/>'),
                joint("k", "b", "c", "revolute", '<mimic joint="j"/>'),
            ),
            "cycle: j -> k -> j",
        ),
        (robot('<link name="a"><inertial><mass value="-1"/></inertial></link>'), "link a: .*negative"),
        (robot('<link name="a"><visual><geometry><sphere/></geometry></visual></link>'), "needs the attribute 'radius'"),
        (robot('<xacro:macro name="m"/>'), "xacro"),
        (robot(A, '<xacro:arm length="${2*l}"/>'), "xacro"),
        ("<mujoco/>", "begins with <mujoco>"),
        ("<robot>", "not valid XML"),
        (BOMB, "entities, which are not read"),
        ("<robot>" + "<a>" * 200 + "</a>" * 200 + "</robot>", "nested"),
    ],
)
def test_broken_descriptions(text, words):
    with pytest.raises(ModelFileError, match=words):
        load_urdf(text)


def test_all_problems_together():
    text = robot(
        '<link name="a"><inertial><mass value="-1"/></inertial></link><link name="b"/><link name="c"/>',
        joint("j", "a", "b", "hinge"),
        joint("k", "b", "c", "revolute", '<axis xyz="0 0 0"/>'),
    )
    with pytest.raises(ModelFileError) as caught:
        load_urdf(text)
    assert [path for path, _ in caught.value.problems] == ["link a", "joint j", "joint k"]


def test_entities_in_another_encoding_are_refused(tmp_path):
    path = tmp_path / "bomb.urdf"
    path.write_bytes(('<?xml version="1.0" encoding="utf-16"?>' + BOMB).encode("utf-16"))
    with pytest.raises(ModelFileError, match="entities"):
        load_urdf(path)


@pytest.mark.parametrize("before", [b" \r\n\t", b"<!-- a licence -->\n", b"<!-- two -- hyphens --><!---->"])
def test_blanks_and_comments_before_the_declaration(before, tmp_path):
    path = tmp_path / "blanks.urdf"
    path.write_bytes(before + b"<?xml version='1.0'?><!-- a -- b ---->" + robot(A).encode())
    assert list(load_urdf(path).bodies) == ["a"]


def test_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_urdf(tmp_path / "nothing.urdf")
