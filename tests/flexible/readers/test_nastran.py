"""Nastran: OP4, DMIG and external superelements give the body that they were made from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from flexible.boxes import frequencies
from flexible.sample_files import BEAM, DATA, LABELS, assert_same_body, reduced, sample_beam
from sharnir.errors import ModelError
from sharnir.flexible import read_fe


def pyyeti() -> None:
    with np.printoptions():  # pyyeti changes how NumPy prints
        pytest.importorskip("pyyeti.nastran", reason="pyyeti (extra nastran) reads Nastran's files")


def test_reading_leaves_numpy_as_it_was() -> None:
    """In a fresh process, as pyyeti changes NumPy when it is first imported."""
    pyyeti()
    code = (
        "import sys, numpy as np; from sharnir.flexible import read_fe; before = np.get_printoptions();"
        " read_fe(sys.argv[1], units='mm-t-s'); print(np.get_printoptions() == before)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(DATA / "sample.pch")], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_nastran_op4() -> None:
    pyyeti()
    assert_same_body(read_fe(DATA / "sample.op4", mesh=DATA / "sample.bdf", units="mm-t-s"))
    with pytest.raises(ModelError, match="no stiffness matrix KXX; it has kgg, mgg; give stiffness="):
        read_fe(DATA / "sample.op4", mesh=DATA / "sample.bdf", stiffness="KXX")


@pytest.mark.parametrize("mesh", [None, DATA / "sample.bdf"])
def test_nastran_dmig(mesh: Path | None) -> None:
    pyyeti()
    assert_same_body(read_fe(DATA / "sample.pch", mesh=mesh, units="mm-t-s"), rtol=1e-7)


def test_nastran_grids_with_axes_of_their_own(tmp_path: Path) -> None:
    """Matrices in the axes of GRIDs (field CD) are turned to basic axes."""
    pyyeti()
    from pyyeti import nastran

    axes = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])  # rows: own x, y, z in basic axes
    turn = np.eye(18)
    turn[6:9, 6:9] = turn[9:12, 9:12] = axes
    K, M = (turn @ matrix.toarray() @ turn.T for matrix in (sample_beam().stiffness, sample_beam().mass))
    nastran.op4.write(str(tmp_path / "own.op4"), {"kgg": K, "mgg": M}, binary=False)
    lines = ["CORD2R,5,0,0.,0.,0.,1.,0.,0.", ",0.,1.,0."]
    nodes = sample_beam().nodes.tolist()
    lines += [f"GRID,{label},0,{x},{y},{z},{5 if label == 102 else 0}" for label, (x, y, z) in zip(LABELS, nodes, strict=True)]
    (tmp_path / "own.bdf").write_text("\n".join([*lines, ""]))
    assert_same_body(read_fe(tmp_path / "own.op4", mesh=tmp_path / "own.bdf", units="mm-t-s"))


def test_nastran_superelement() -> None:
    """Interface nodes and modal coordinates: frequencies of the reduced matrices, rigid inertia of the whole beam."""
    pyyeti()
    model = read_fe(DATA / "super.asm", units="mm-t-s")
    assert model.size == 14
    assert model.labels.tolist() == [101, 105, 9001, 9002]
    assert model.labels[model.modal].tolist() == [9001, 9002]
    assert model.check().free
    mass, stiffness = reduced(sample_beam())
    from scipy.linalg import eigvalsh

    expected = np.sqrt(eigvalsh(stiffness, mass)[6:])
    np.testing.assert_allclose(frequencies(model, 14)[6:], expected, rtol=1e-7)
    found, whole = model.rigid_inertia(), BEAM.rigid_inertia()
    assert found.mass == pytest.approx(whole.mass, rel=1e-10)
    np.testing.assert_allclose(found.center, whole.center, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.inertia, whole.inertia, rtol=1e-8, atol=1e-12)
    assert np.diff(model.node_motion().indptr).reshape(-1, 6)[model.modal].sum() == 0


def test_superelement_written_by_nastran() -> None:
    """A superelement of Nastran's own making, which pyyeti brings along; one interface node has one freedom only."""
    pyyeti()
    import pyyeti as package

    path = Path(package.__file__).parent / "tests" / "nas2cam_extseout" / "reduced_bset_notall6.asm"
    if not path.is_file():
        pytest.skip("this pyyeti came without its test data")
    model = read_fe(path, units="in-lbf-s")
    assert model.size == 29 and len(model.modal) == 10
    assert model.labels[:4].tolist() == [373, 411, 441, 475]
    np.testing.assert_array_equal(model.freedoms_of(model.node(475)) >= 0, [False, True, False, False, False, False])
    found = model.check()
    assert found.free
    assert found.rigid.asymmetry < 1e-9


def test_superelement_with_matrices_in_the_punch_file(tmp_path: Path) -> None:
    """EXTSEOUT with DMIGPCH: no OP4 file, DMIG entries with GRIDs and SPOINTs."""
    pyyeti()
    import pandas as pd
    from pyyeti import nastran

    mass, stiffness = reduced(sample_beam())
    rows = [(label, k) for label in (101, 105) for k in range(1, 7)] + [(9001, 0), (9002, 0)]
    index = pd.MultiIndex.from_tuples(rows, names=["id", "dof"])
    (tmp_path / "super.asm").write_text((DATA / "super.asm").read_text())
    with pytest.raises(ModelError, match=r"super\.pch with the EXTRN entry is missing beside"):
        read_fe(tmp_path / "super.asm")
    (tmp_path / "super.pch").write_text("BEGIN SUPER\n")
    with pytest.raises(ModelError, match=r"neither super\.op4 beside it nor DMIG entries in super\.pch"):
        read_fe(tmp_path / "super.asm")
    with (tmp_path / "super.pch").open("w") as stream:
        tables = {"KAAX": stiffness, "MAAX": mass}
        nastran.wtdmig(stream, {name: pd.DataFrame(part, index=index, columns=index) for name, part in tables.items()})
    model, other = (read_fe(folder / "super.asm", units="mm-t-s") for folder in (tmp_path, DATA))
    np.testing.assert_allclose(frequencies(model, 14)[6:], frequencies(other, 14)[6:], rtol=1e-6)
    assert model.labels.tolist() == other.labels.tolist()
    (tmp_path / "super.op4").write_text("no matrices")
    with pytest.raises(ModelError, match=r"super\.op4: "):
        read_fe(tmp_path / "super.asm")


def test_superelement_is_the_body_it_came_from() -> None:
    """Reduced here, or in the FE program and then here: the same frequencies and the same coupling to rigid motion."""
    pyyeti()
    from sharnir.flexible import reduce

    whole = reduce(BEAM, {"a": 101, "b": 105}, modes=2)
    again = reduce(read_fe(DATA / "super.asm", units="mm-t-s"), {"a": 101, "b": 105}, modes=2)
    np.testing.assert_allclose(again.frequencies, whole.frequencies, rtol=1e-6)
    zero = np.zeros(len(whole.frequencies))
    one, two = whole.inertia.matrix(zero), again.inertia.matrix(zero)
    np.testing.assert_allclose(two[:6, :6], one[:6, :6], rtol=1e-7, atol=1e-9)
    # shapes may differ in sign
    np.testing.assert_allclose(np.abs(two), np.abs(one), rtol=1e-4, atol=1e-6)
