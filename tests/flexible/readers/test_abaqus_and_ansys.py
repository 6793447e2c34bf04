"""Abaqus and Ansys: one beam in every format gives one body."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.io import hb_write
from scipy.sparse import csc_matrix

from flexible.boxes import frequencies
from flexible.sample_files import BEAM, DATA, LABELS, assert_same_body, copied, sample_beam
from sharnir.errors import MissingExtraError, ModelError
from sharnir.flexible import read_fe


def test_abaqus() -> None:
    model = read_fe(DATA / "sample_STIF1.mtx", units="mm-t-s")
    assert_same_body(model)
    assert model.name == "sample"
    assert model.lines.tolist() == [[0, 1], [1, 2]]
    assert model.sets["ENDS"].tolist() == [0, 2]
    assert model.check().free


def test_abaqus_labels_and_boundary_conditions() -> None:
    """FORMAT=LABELS, and 1e36 on the diagonal of held freedoms."""
    held = read_fe(DATA / "held_STIF1.mtx", mesh=DATA / "sample.inp", units="mm-t-s")
    assert held.size == 12
    assert not held.check().free
    np.testing.assert_allclose(frequencies(held, 6), frequencies(BEAM.with_fixed([101]), 6), rtol=1e-8)


def test_abaqus_coordinate_format(tmp_path: Path) -> None:
    """FORMAT=COORDINATE: row, column, value of the full matrix; nodes in ascending order."""
    for kind, matrix in (("STIF", sample_beam().stiffness), ("MASS", sample_beam().mass)):
        entries = matrix.tocoo()
        rows = zip(*(part.tolist() for part in (*entries.coords, entries.data)), strict=True)
        (tmp_path / f"bar_{kind}1.mtx").write_text("".join(f"{i + 1} {j + 1}  {value:.15e}\n" for i, j, value in rows))
    assert_same_body(read_fe(tmp_path / "bar_STIF1.mtx", mesh=DATA / "sample.inp", units="mm-t-s"))


def test_abaqus_with_one_instance(tmp_path: Path) -> None:
    names = ("sample_STIF1.mtx", "sample_MASS1.mtx", "sample.inp")
    part = ("*Node, nset=ALL", "*Part, name=bar\n*Node, nset=ALL")
    path = copied(tmp_path, *names, sample_inp=part)
    deck = tmp_path / "sample.inp"
    deck.write_text(deck.read_text() + "*End Part\n*Assembly\n*Instance, name=bar-1, part=bar\n 0., 0., 1000.\n*End Instance\n")
    np.testing.assert_allclose(read_fe(path, units="mm-t-s").nodes, BEAM.nodes + (0, 0, 1.0), atol=1e-12)
    deck.write_text(deck.read_text() + "*Instance, name=bar-2, part=bar\n*End Instance\n")
    with pytest.raises(ModelError, match="2 instances use the same node numbers"):
        read_fe(path)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("sample_STIF1.mtx", ("101,1, 101,1,", "101,11, 101,11,"), "freedom 11 is neither a translation"),
        ("sample_STIF1.mtx", ("101,1, 101,1,", "101.5,1, 101,1,"), r"node or freedom 101\.5 is not a whole number"),
        ("sample.inp", ("105, 400.0, 0.0, 50.0\n", ""), "1 nodes of the matrices are not in the node table: 105"),
        ("sample.inp", ("1, 101, 102\n", "1, 101\n"), "of type B31 has 1 nodes instead of 2"),
    ],
)
def test_wrong_abaqus_files(name: str, change: tuple[str, str], message: str, tmp_path: Path) -> None:
    changes = {name.replace(".", "_"): change}
    path = copied(tmp_path, "sample_STIF1.mtx", "sample_MASS1.mtx", "sample.inp", **changes)
    with pytest.raises(ModelError, match=message):
        read_fe(path)


def test_abaqus_coordinate_format_and_missing_files(tmp_path: Path) -> None:
    (tmp_path / "x_STIF1.mtx").write_text("1 1 2.0\n")
    (tmp_path / "x_MASS1.mtx").write_text("1 1 2.0\n")
    with pytest.raises(ModelError, match="FORMAT=COORDINATE"):
        read_fe(tmp_path / "x_STIF1.mtx", mesh=DATA / "sample.inp")
    with pytest.raises(ModelError, match="no mass matrix beside"):
        read_fe(copied(tmp_path, "sample_STIF1.mtx"))
    with pytest.raises(ModelError, match=r"no deck sample\.inp with the nodes beside"):
        read_fe(copied(tmp_path, "sample_STIF1.mtx", "sample_MASS1.mtx"))


@pytest.mark.parametrize("suffix", ["mmf", "matrix"])
@pytest.mark.parametrize("nodes", ["sample.node", "sample.cdb"])
def test_ansys(suffix: str, nodes: str) -> None:
    model = read_fe(
        DATA / f"sample_stiff.{suffix}",
        mass=DATA / f"sample_mass.{suffix}",
        mapping=DATA / "sample.mapping",
        mesh=DATA / nodes,
        units="mm-t-s",
    )
    assert_same_body(model)
    # the second node's equations come first in the file
    assert model.freedoms[0].tolist() == [1, 0]


def test_ansys_tables_instead_of_files() -> None:
    labels = np.array(LABELS)
    order = np.r_[6:12, 0:6, 12:18]
    model = read_fe(
        DATA / "sample_stiff.mmf",
        mass=DATA / "sample_mass.mmf",
        mapping=np.stack([labels[order // 6], order % 6], axis=1),
        mesh=np.column_stack([labels, BEAM.nodes * 1000]),
        units="mm-t-s",
    )
    assert_same_body(model)


def test_ansys_exported_vector_and_table_of_workbench(tmp_path: Path) -> None:
    """The order of the nodes as a MatrixMarket vector; places with tabs and decimal commas under a head of words."""
    vector = tmp_path / "order.txt"
    vector.write_text("%%MatrixMarket matrix array integer general\n% Creator\n3 1\n102\n101\n105\n")
    table = tmp_path / "nodes.txt"
    lines = ["Node Number\tX Location (mm)\tY Location (mm)\tZ Location (mm)\t"]
    for label, place in zip(LABELS, sample_beam().nodes.tolist(), strict=True):
        lines.append("\t".join([str(label), *(f"{x:.6e}".replace(".", ",") for x in place), ""]))
    table.write_text("\n".join([*lines, ""]))
    options = {"mass": DATA / "sample_mass.mmf", "mesh": table, "units": "mm-t-s"}
    assert_same_body(read_fe(DATA / "sample_stiff.mmf", mapping=vector, **options))
    vector.write_text("%%MatrixMarket matrix array integer general\n2 1\n102\n101\n")
    with pytest.raises(ModelError, match="2 nodes do not make 18 equations"):
        read_fe(DATA / "sample_stiff.mmf", mapping=vector, **options)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("sample_stiff.matrix", ("RSA", "CSA"), "a matrix of type CSA"),
        ("sample_stiff.matrix", ("(1I14)", "(what)"), "the formats .* cannot be read"),
        ("sample.mapping", ("UX", "TEMP"), "is neither a translation nor a rotation"),
        ("sample.mapping", ("             1           102", "            99           102"), r"not numbered 1 … 18"),
        ("sample.node", ("  4.000000000000E+02", "  4.000000000000E+0x"), "is not a node with label, x, y, z"),
    ],
)
def test_wrong_ansys_files(name: str, change: tuple[str, str], message: str, tmp_path: Path) -> None:
    names = ("sample_stiff.matrix", "sample_mass.matrix", "sample.mapping", "sample.node")
    path = copied(tmp_path, *names, **{name.replace(".", "_"): change})
    with pytest.raises(ModelError, match=message):
        read_fe(path, mass=tmp_path / names[1], mapping=tmp_path / names[2], mesh=tmp_path / names[3])


def test_ansys_cut_off_and_rotated(tmp_path: Path) -> None:
    names = ("sample_stiff.matrix", "sample_mass.matrix", "sample.mapping", "sample.node")
    path = copied(tmp_path, *names)
    options = {"mass": tmp_path / names[1], "mapping": tmp_path / names[2], "mesh": tmp_path / names[3]}
    nodes = options["mesh"].read_text().splitlines()
    options["mesh"].write_text("\n".join([nodes[0] + f"{30.0:20.12E}", *nodes[1:]]))
    with pytest.raises(ModelError, match="node 101 is rotated by"):
        read_fe(path, **options)
    options["mesh"].write_text("\n".join(nodes))
    path.write_text("\n".join(path.read_text().splitlines()[:-9]))
    with pytest.raises(ModelError, match="the file is cut off"):
        read_fe(path, **options)
    with pytest.raises(ModelError, match=r"mapping is missing; give mapping= the node and component of every equation: .*HBMAT"):
        read_fe(path, mass=options["mass"], mesh=options["mesh"])
    with pytest.raises(ModelError, match=r"mass is missing; give mass= the mass matrix"):
        read_fe(path)
    with pytest.raises(ModelError, match="'colour' is not an argument; it takes mass"):
        read_fe(path, colour="red")


def test_harwell_boeing_of_scipy(tmp_path: Path) -> None:
    """hb_write says 25 characters and writes 24."""
    order = np.r_[6:12, 0:6, 12:18]
    for key, matrix in (("K", sample_beam().stiffness), ("M", sample_beam().mass)):
        hb_write(tmp_path / f"{key}.hb", csc_matrix(matrix[order][:, order]))
    options = {"mapping": DATA / "sample.mapping", "mesh": DATA / "sample.node", "units": "mm-t-s"}
    assert_same_body(read_fe(tmp_path / "K.hb", mass=tmp_path / "M.hb", **options))


def test_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyyeti", None)
    with pytest.raises(MissingExtraError, match=r"pip install sharnir\[nastran\]"):
        read_fe(DATA / "sample.pch")
    monkeypatch.setitem(sys.modules, "meshio", None)
    from sharnir.flexible import solid

    with pytest.raises(MissingExtraError, match=r"pip install sharnir\[fem\]"):
        solid(DATA / "brick.inp")


def test_unknown_formats() -> None:
    with pytest.raises(ModelError, match=r"the suffix \.msh is not known; .* A mesh without matrices is read by solid\(path\)"):
        read_fe("part.msh")
    with pytest.raises(ModelError, match="the format 'adams' is not known"):
        read_fe("part.mnf", format="adams")
    with pytest.raises(ModelError, match=r"read as calculix: 'mapping' is not an argument"):
        read_fe(DATA / "brick.sti", mapping="x")
