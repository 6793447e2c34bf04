"""Files of the studio: inside one folder, with their comments, and never half written."""

import tomllib

import pytest

import sharnir as sr
from sharnir.app.demos import ALL_DEMOS
from sharnir.app.studio.python_script import script
from sharnir.app.studio.workspace import Workspace, file_text, updated_text
from sharnir.model.files.model_file import run_from_text, text_of

TEXT = """# a pendulum
[model]
name = "pendulum" # its name

[bodies.bob] # heavy
mass = 1.0   # kg
position = [0, 0, -1]

[joints.O]
type = "revolute"
parent = "ground"
child = "bob"
at = [0, 0, 0]
axis = "y"
"""


def test_comments_survive_edits(tmp_path):
    (tmp_path / "p.toml").write_text(TEXT)
    space = Workspace(tmp_path)
    document = space.open("p.toml")["document"]
    document["bodies"]["bob"]["mass"] = 2.5
    document["joints"]["O"]["q"] = 0.1
    document["bodies"]["other"] = {"mass": 1}
    space.save("p.toml", document)
    text = (tmp_path / "p.toml").read_text()
    assert "# a pendulum" in text and "# heavy" in text and "# kg" in text and "# its name" in text
    assert tomllib.loads(text) == document


def test_elements_that_are_deleted_leave_the_file(tmp_path):
    document = tomllib.loads(TEXT)
    del document["joints"]
    assert tomllib.loads(updated_text(TEXT, document)) == document


@pytest.mark.parametrize("name", ["../x.toml", "/etc/passwd", "a/../../x.toml", "", "x\0.toml", "x" * 600])
def test_paths_outside_are_refused(tmp_path, name):
    space = Workspace(tmp_path / "in")
    (tmp_path / "in").mkdir()
    with pytest.raises(sr.errors.FileError):
        space.open(name)
    with pytest.raises(sr.errors.FileError):
        space.save(name, {})
    assert list(tmp_path.rglob("*.toml")) == []


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    inside, secret = tmp_path / "in", tmp_path / "secret.toml"
    inside.mkdir()
    secret.write_text(TEXT)
    (inside / "link.toml").symlink_to(secret)
    with pytest.raises(sr.errors.FileError):
        Workspace(inside).open("link.toml")


def test_edits_that_were_not_saved_come_back(tmp_path):
    (tmp_path / "p.toml").write_text(TEXT)
    space = Workspace(tmp_path)
    edited = space.open("p.toml")["document"] | {"parameters": {"k": 1.0}}
    space.autosave("p.toml", edited)
    assert space.open("p.toml")["unsaved"] == edited
    space.save("p.toml", edited)
    assert space.open("p.toml")["unsaved"] is None
    space.autosave("", edited)
    assert space.recovered() == edited
    space.forget("")
    assert space.recovered() is None


@pytest.mark.parametrize("name", ["car", "engine", "deployment", "stewart", "cable"])
def test_files_and_scripts_give_the_model_of_a_demo(name):
    demo = ALL_DEMOS[name]
    model = demo.model()
    document = tomllib.loads(text_of(model, demo.settings))
    assert run_from_text(file_text(document))[0] == model
    names: dict = {}
    exec(script(document).split("result =")[0], names)
    assert names["m"] == model


NAMED = """[bodies.arm]
mass = 1
shape = {type = "mesh", file = "meshes/a.obj"}

[bodies.beam]
type = "flexible-body"
reduced = "../beam.npz" # above

[bodies.plate]
type = "flexible-body"
reduced = {fe = {type = "fe-file", path = "k.op4", mesh = "k.bdf", mass = "MAA", stiffness = "KAA"}, interfaces = {a = 1}}

[joints.O]
type = "prismatic"
parent = "ground"
child = "arm"
motion = {file = "drive.csv", columns = [0, 1]}
"""


def test_names_of_files_begin_at_the_folder_of_the_studio_and_in_a_file_at_its_own(tmp_path):
    (tmp_path / "robot").mkdir()
    (tmp_path / "robot" / "arm.toml").write_text(NAMED)
    space = Workspace(tmp_path)
    document = space.open("robot/arm.toml")["document"]
    assert document["bodies"]["arm"]["shape"]["file"] == "robot/meshes/a.obj"
    assert document["bodies"]["beam"]["reduced"] == "beam.npz"
    assert document["joints"]["O"]["motion"] == {"file": "robot/drive.csv", "columns": [0, 1]}
    fe = document["bodies"]["plate"]["reduced"]["fe"]
    assert [fe[key] for key in ("path", "mesh", "mass", "stiffness")] == ["robot/k.op4", "robot/k.bdf", "MAA", "KAA"]
    space.save("robot/arm.toml", document)
    assert (tmp_path / "robot" / "arm.toml").read_text() == NAMED
    space.save("copy.toml", document)
    assert tomllib.loads((tmp_path / "copy.toml").read_text()) == document


def test_files_are_listed_some_folders_deep_and_hidden_ones_are_not(tmp_path):
    for name in ("a.toml", "arm/b.urdf", "arm/meshes/visual/c.stl", "x/y/z/w/d.stl", ".hidden/e.toml", "f.docx", "drive.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = {entry["name"] for entry in Workspace(tmp_path).files()}
    assert found == {"a.toml", "arm/b.urdf", "arm/meshes/visual/c.stl", "drive.csv"}


def test_a_file_that_somebody_else_has_written_is_not_replaced(tmp_path):
    (tmp_path / "p.toml").write_text(TEXT)
    space = Workspace(tmp_path)
    opened = space.open("p.toml")
    first = space.save("p.toml", opened["document"] | {"parameters": {"k": 1.0}}, opened["changed"])
    assert space.save("p.toml", opened["document"], opened["changed"]) == {"conflict": True}  # another page has saved
    assert "k = 1.0" in (tmp_path / "p.toml").read_text()
    assert "conflict" not in space.save("p.toml", opened["document"], first["changed"])
    assert space.save("p.toml", {}, 0) == {"conflict": True} and (tmp_path / "p.toml").read_text().startswith("# a pendulum")
    assert space.save("new.toml", opened["document"], 0)["name"] == "new.toml"
    assert space.save("p.toml", {"model": {"name": "x"}})["name"] == "p.toml"  # without a question, as before
