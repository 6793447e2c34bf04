"""Flexible bodies in model files: reduced models beside the file, FE models described in it, and what may be wrong."""

import shutil
import tomllib
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError, ModelFileError
from sharnir.flexible import (
    Material,
    ModalDamping,
    Rayleigh,
    ReducedModel,
    RigidTie,
    Section,
    beam_frame,
    read_fe,
    reduce,
    straight_beam,
)
from sharnir.model.files.model_file import load_run, run_from_text, text_of
from sharnir.model.files.schema import schema

DATA = Path(__file__).parents[2] / "flexible" / "data"
BEAM = """
[bodies.beam]
type = "flexible-body"
frame_at = "root"
position = [0, 0, 1]

[bodies.beam.reduced]
interfaces = {root = 0, tip = 4}
modes = 2
damping = 0.01
fe = {type = "straight-beam", start = [0, 0, 0], end = [1, 0, 0], elements = 4, section = {type = "round", radius = 0.01}}

[joints.hinge]
type = "revolute"
parent = "ground"
child = "beam:root"
axis = "y"

[simulation]
t_end = 0.01
step = 0.005
"""


def reduced(**options):
    rod = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    return reduce(rod, interfaces={"root": 0, "tip": 4}, modes=2, **options)


def chain(count=3):
    m, link = sr.Model("chain"), reduced()
    before = "ground"
    for k in range(count):
        w = 1e-4 * np.arange(link.count) if k == 1 else None
        m.add(sr.FlexibleBody(f"link {k}", reduced=link, position=(k, 0, 0), color="tomato", w=w))
        m.add(sr.Revolute(f"j{k}", before, f"link {k}:root", at=(k, 0, 0), axis="y", v=0.5))
        before = f"link {k}:tip"
    m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1), position=(count, 0, 0)), sr.Fixed("weld", before, "bob"))
    m.add(sr.Spring("s", "ground", before, at_a=(count, 0, 1), stiffness=5.0))
    return m


def test_way_back_is_exact(tmp_path):
    m = chain()
    m.save(tmp_path / "chain.toml", {"t_end": 0.01})
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["chain.link_0.npz", "chain.toml"]  # equal bodies share a file
    again, settings = load_run(tmp_path / "chain.toml")
    assert again == m
    assert settings == {"t_end": 0.01}
    assert list(again.bodies) == list(m.bodies)
    assert again.bodies["link 1"].w == m.bodies["link 1"].w
    a, b = (one.simulate(0.004, step=0.002)["bob.position"] for one in (m, again))
    assert (a == b).all()


def test_file_is_found_from_other_folders(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    chain(1).save(tmp_path / "a" / "chain.toml")
    monkeypatch.chdir(tmp_path)
    assert sr.Model.load("a/chain.toml") == chain(1)


def test_bodies_of_different_frames_have_files_of_their_own(tmp_path):
    m = sr.Model()
    m.add(sr.FlexibleBody("a/b", reduced=reduced(), frame_at="root"), sr.FlexibleBody("a b", reduced=reduced(), frame_at="tip"))
    m.save(tmp_path / "two.toml")
    assert len(list(tmp_path.glob("*.npz"))) == 2
    assert sr.Model.load(tmp_path / "two.toml") == m


def test_text_alone_cannot_hold_a_flexible_body():
    with pytest.raises(ModelError, match=r"use Model\.save"):
        text_of(chain(1))


def test_described_beam_is_the_one_of_python():
    m, settings = run_from_text(BEAM)
    assert m.bodies["beam"].reduced == reduced(damping=0.01).fixed_at("root")
    assert m.bodies["beam:tip"].position == (1.0, 0.0, 1.0)
    assert m.simulate(**settings)["beam:tip.position"].shape == (3, 3)


@pytest.mark.parametrize(
    ("fe", "direct"),
    [
        ('{type = "fe-file", path = "brick.sti", units = "mm-t-s"}', lambda: read_fe(DATA / "brick.sti", units="mm-t-s")),
        (
            '{type = "fe-file", path = "sample_STIF1.mtx", mass = "sample_MASS1.mtx", mesh = "sample.inp", units = "mm-t-s"}',
            lambda: read_fe(DATA / "sample_STIF1.mtx", mass=DATA / "sample_MASS1.mtx", mesh=DATA / "sample.inp", units="mm-t-s"),
        ),
    ],
)
def test_files_of_fe_programs(fe, direct, tmp_path):
    for path in DATA.iterdir():
        shutil.copy(path, tmp_path)
    model = direct()
    label = int(model.labels[-1])
    head = '[bodies.part]\ntype = "flexible-body"\nframe_at = "floating"\n[bodies.part.reduced]\nmodes = 2\n'
    text = f"{head}interfaces = {{a = {label}}}\nfe = {fe}\n"
    m, _ = run_from_text(text, folder=tmp_path)
    assert m.bodies["part"].reduced == reduce(model, interfaces={"a": label}, modes=2)


def test_ties_by_coordinates():
    fe = read_fe(DATA / "brick.sti", units="mm-t-s")
    x = float(fe.nodes[:, 0].max())
    text = f"""
[bodies.part]
type = "flexible-body"
frame_at = "floating"
[bodies.part.reduced]
modes = 2
interfaces = {{face = 9000}}
ties = [{{type = "rigid-tie", nodes = {{x = {x}}}, label = 9000}}]
fe = {{type = "fe-file", path = "brick.sti", units = "mm-t-s"}}
"""
    m, _ = run_from_text(text, folder=DATA)
    tied = fe.with_ties(RigidTie(fe.select(x=x), label=9000))
    assert m.bodies["part"].reduced == reduce(tied, interfaces={"face": 9000}, modes=2)


DAMPINGS = {
    "{stiffness = 1e-4}": Rayleigh(1e-4),
    '{stiffness = 1e-4, mass = 0.5, against = "foot"}': Rayleigh(1e-4, 0.5, "foot"),
    "{ratio = 0.02}": 0.02,
    '{ratio = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], at = "foot"}': ModalDamping((0.1, 0.2, 0.3, 0.4, 0.5, 0.6), "foot"),
}


@pytest.mark.parametrize("damping", DAMPINGS)
def test_frames_and_sections(damping):
    text = """
[bodies.mast]
type = "flexible-body"
frame_at = "floating"
[bodies.mast.reduced]
interfaces = {foot = 0, tip = 2}
basis = "static"
damping = DAMPING
[bodies.mast.reduced.fe]
type = "beam-frame"
nodes = [[0, 0, 0], [0, 0, 2], [1, 0, 2]]
elements = [[0, 1], [1, 2]]
section = {type = "moments", area = 1e-4, Iy = 1e-8, Iz = 2e-8, J = 2e-8}
material = {E = 70e9, nu = 0.33, density = 2700}
""".replace("DAMPING", damping)
    m, _ = run_from_text(text)
    assert m.bodies["mast"].mass == pytest.approx(2700 * 1e-4 * 3)
    mast, section = [(0, 0, 0), (0, 0, 2), (1, 0, 2)], Section(1e-4, 1e-8, 2e-8, 2e-8)
    fe = beam_frame(mast, [(0, 1), (1, 2)], section, Material(70e9, 0.33, 2700))
    assert m.bodies["mast"].reduced == reduce(fe, interfaces={"foot": 0, "tip": 2}, basis="static", damping=DAMPINGS[damping])
    jsonschema.Draft202012Validator(schema()).validate(tomllib.loads(text))


WRONG = [
    ("modes = 2", 'modes = "two"', "bodies.beam.reduced.modes: input should be a valid integer, not 'two'"),
    ("modes = 2", "mods = 2", "bodies.beam.reduced.mods: unknown key; did you mean 'modes'?"),
    ('"straight-beam"', '"straight-bean"', "bodies.beam.reduced.fe: unknown type 'straight-bean'; did you mean 'straight-beam'?"),
    ('type = "round", ', "", "bodies.beam.reduced.fe.section: needs a type: round, tube, rectangle, moments"),
    ("radius = 0.01", "radius = -1", "bodies.beam.reduced: Section.tube: inner = 0.0 must lie between 0 and radius = -1"),
    ("tip = 4", "tip = 9", "bodies.beam.reduced: 'beam' has no node 9; the nearest labels are 0, 1, 2, 3, 4"),
    (
        '"flexible-body"',
        '"flexible"',
        "bodies.beam: unknown type 'flexible'; did you mean 'flexible-body'?; types are body, flexible-body",
    ),
    ("position =", "mass = 3\nposition =", "bodies.beam.mass: unknown key"),
    ("end = [1, 0, 0], ", "", "bodies.beam.reduced.fe.end: is missing"),
    ('frame_at = "root"', 'frame_at = "rot"', "bodies.beam.frame_at: FlexibleBody 'beam': frame_at = 'rot' is not an interface"),
    ("damping = 0.01", "damping = -1", "bodies.beam.reduced.damping: damping = -1 must not be negative"),
    ('child = "beam:root"', 'child = "beam:rot"', "joints.hinge.child"),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
def test_problems_are_named(old, new, message):
    assert old in BEAM
    with pytest.raises(ModelFileError) as caught:
        run_from_text(BEAM.replace(old, new, 1))
    assert message in str(caught.value)
    assert len(caught.value.problems) == 1


def test_missing_and_damaged_side_files(tmp_path):
    m = chain(1)
    m.save(tmp_path / "m.toml")
    side = tmp_path / "m.link_0.npz"
    side.write_bytes(side.read_bytes()[:1000])
    with pytest.raises(ModelFileError, match=r"bodies\.link 0\.reduced: m\.link_0\.npz is damaged") as caught:
        sr.Model.load(tmp_path / "m.toml")
    assert len(caught.value.problems) == 1  # joints of the body are no problems of their own
    side.unlink()
    with pytest.raises(ModelFileError, match="no such file"):
        sr.Model.load(tmp_path / "m.toml")
    reduced().save(side)
    assert sr.Model.load(tmp_path / "m.toml").bodies["link 0"].reduced == ReducedModel.load(side).fixed_at("root")


def test_schema_knows_flexible_bodies(tmp_path):
    validator = jsonschema.Draft202012Validator(schema())
    validator.validate(tomllib.loads(BEAM))
    chain(1).save(tmp_path / "m.toml")
    validator.validate(tomllib.loads((tmp_path / "m.toml").read_text()))
    for old, new, _ in WRONG[:4]:
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(tomllib.loads(BEAM.replace(old, new, 1)))
