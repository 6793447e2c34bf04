"""CalculiX: files of its own making, and its eigenfrequencies from its matrices and from ours."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from flexible.boxes import box, frequencies
from sharnir.errors import ModelError, ModelWarning
from sharnir.flexible import Material, read_fe, solid

DATA = Path(__file__).parents[1] / "data"
# what ccx 2.20 prints for brick.inp with its own eigenvalue solver, Hz (three modes are free turns about the held node)
PRINTED = (0.2957364e6, 0.4775726e6)
CCX = shutil.which("ccx")
needs_ccx = pytest.mark.skipif(CCX is None, reason="ccx (CalculiX, Debian calculix-ccx) is not installed")
NAMES = {"tetra": "C3D4", "tetra10": "C3D10", "hexahedron20": "C3D20", "wedge15": "C3D15"}


def test_brick_of_ccx() -> None:
    model = read_fe(DATA / "brick.sti", units="mm-t-s")
    assert model.size == 33
    np.testing.assert_allclose(frequencies(model, 5)[3:] / (2 * np.pi), PRINTED, rtol=1e-6)
    assert len(model.nodes) == 12 and model.nodes.max() == pytest.approx(2e-3)
    assert model.labels[model.sets["FOOT"]].tolist() == [11, 12, 13, 14]
    assert model.check().resisted[:3] == ("shift x", "shift y", "shift z")
    # ten outer quadrilaterals
    assert len(model.faces) == 20
    assert np.all(model.freedoms_of(model.node(11)) == -1)


def test_mass_and_dof_name_the_job_too() -> None:
    for suffix in (".mas", ".dof"):
        assert read_fe(DATA / f"brick{suffix}", units="mm-t-s").size == 33


def test_forgotten_units_are_suspected() -> None:
    with pytest.warns(ModelWarning, match=r'1\.4e-08 kg in a body 2\.45 m long.* units="mm-t-s"'):
        read_fe(DATA / "brick.sti")


def job(folder: Path, kind: str, solver: str, size=(0.4, 0.1, 0.08), counts=(3, 1, 1)) -> Path:
    """A deck with a free-free bar; mesh and material as in `ours`."""
    points, cells = box(kind, counts, size)
    lines = ["*NODE, NSET=ALL"]
    lines += [f"{k + 1}, {x!r}, {y!r}, {z!r}" for k, (x, y, z) in enumerate(points.tolist())]
    lines += [f"*ELEMENT, TYPE={NAMES[kind]}, ELSET=BODY"]
    for k, cell in enumerate((cells[kind] + 1).tolist()):
        words = [str(word) for word in (k + 1, *cell)]
        lines += [", ".join(words[:11]) + ("," if len(words) > 11 else ""), *([", ".join(words[11:])] if len(words) > 11 else [])]
    lines += ["*MATERIAL, NAME=STUFF", "*ELASTIC", "7e10, 0.33", "*DENSITY", "2700."]
    lines += ["*SOLID SECTION, ELSET=BODY, MATERIAL=STUFF", "*STEP", f"*FREQUENCY{solver}", "12", "*END STEP", ""]
    path = folder / f"{kind}{len(solver)}.inp"
    path.write_text("\n".join(lines))
    done = subprocess.run([CCX, path.stem], cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert "Job finished" in done.stdout, done.stdout[-500:]
    return path


@needs_ccx
@pytest.mark.parametrize(("kind", "tolerance"), [("hexahedron20", 2e-6), ("tetra10", 2e-2), ("wedge15", 2e-2)])
def test_frequencies_of_ccx(kind: str, tolerance: float, tmp_path: Path) -> None:
    """What ccx prints = its matrices read here = our own (ccx integrates the mass of tetrahedra and wedges coarsely)."""
    printed = job(tmp_path, kind, "").with_suffix(".dat").read_text()
    rows = re.findall(r"^ +\d+ +(\S+) +\S+ +(\S+) +\S+$", printed.partition("P A R T I C I P A T I O N")[0], re.MULTILINE)
    theirs = np.sqrt(np.array([float(value) for value, _ in rows])[6:12])
    stored = read_fe(job(tmp_path, kind, ", SOLVER=MATRIXSTORAGE").with_suffix(".sti"))
    assert stored.check().free
    np.testing.assert_allclose(frequencies(stored, 12)[6:], theirs, rtol=2e-6)
    ours = solid(box(kind, (3, 1, 1), (0.4, 0.1, 0.08)), Material(7e10, 0.33, 2700.0))
    np.testing.assert_allclose(frequencies(ours, 12)[6:], theirs, rtol=tolerance)


@needs_ccx
@pytest.mark.parametrize("kind", ["tetra", "tetra10", "hexahedron20"])
def test_matrices_of_ccx(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stiffness entry by entry; mass too, once it is integrated with as few points as in ccx."""
    from dataclasses import replace

    from sharnir.flexible.finite_elements import solid_assembly

    element = solid_assembly.solid_element(kind)
    monkeypatch.setattr(solid_assembly, "solid_element", lambda _: replace(element, mass_rule=element.stiffness_rule))
    stored = read_fe(job(tmp_path, kind, ", SOLVER=MATRIXSTORAGE").with_suffix(".sti"))
    ours = solid(box(kind, (3, 1, 1), (0.4, 0.1, 0.08)), Material(7e10, 0.33, 2700.0))
    np.testing.assert_array_equal(stored.labels - 1, ours.labels)
    at = np.argsort(3 * stored.freedoms[:, 0] + stored.freedoms[:, 1])
    for a, b in ((stored.stiffness, ours.stiffness), (stored.mass, ours.mass)):
        assert np.abs(a[at][:, at] - b).max() < 1e-11 * np.abs(b).max()


def copy_of_brick(folder: Path, **texts: str) -> Path:
    for suffix in ("inp", "sti", "mas", "dof"):
        (folder / f"brick.{suffix}").write_text(texts.get(suffix, (DATA / f"brick.{suffix}").read_text()))
    return folder / "brick.sti"


def test_wrong_files(tmp_path: Path) -> None:
    deck = (DATA / "brick.inp").read_text()
    sti, dof = (DATA / "brick.sti").read_text(), (DATA / "brick.dof").read_text()
    with pytest.raises(ModelError, match=r"brick\.mas: row or column 33 in a matrix of 32 rows"):
        read_fe(copy_of_brick(tmp_path, dof=dof.rsplit("34.3", 1)[0]))
    with pytest.raises(ModelError, match=r"1 nodes of the matrices are not in the node table: 34"):
        read_fe(copy_of_brick(tmp_path, inp=deck.replace("34,0,1,2\n", "").replace("2,21,22,23,24,31,32,33,34\n", "")))
    with pytest.raises(ModelError, match=r"is not node\.direction"):
        read_fe(copy_of_brick(tmp_path, dof=dof.replace("12.1", "12.0", 1)))
    with pytest.raises(ModelError, match="TRANSFORM rotates the freedoms"):
        read_fe(copy_of_brick(tmp_path, inp=deck.replace("*STEP", "*TRANSFORM,NSET=FOOT\n1,0,0,0,1,0\n*STEP")))
    with pytest.raises(ModelError, match=r"RIGID BODY introduces rotations of nodes.* tie the nodes with RigidTie"):
        read_fe(copy_of_brick(tmp_path, inp=deck.replace("*STEP", "*RIGID BODY, NSET=FOOT, REF NODE=99\n*STEP")))
    with pytest.raises(ModelError, match="is given 2 times"):
        read_fe(copy_of_brick(tmp_path, sti=sti + "1 1 3.0\n"))
    with pytest.raises(ModelError, match="number of columns changed from 3 to 2 at row 454"):
        read_fe(copy_of_brick(tmp_path, sti=sti + "1 1\n"))
    with pytest.raises(ModelError, match="not positive semi-definite"):
        read_fe(copy_of_brick(tmp_path, sti=sti.replace("-1.6826923076923e+04", "-9.6826923076923e+04")))
    path = copy_of_brick(tmp_path)
    path.with_suffix(".mas").unlink()
    with pytest.raises(ModelError, match=r"brick\.mas with the mass matrix is missing beside"):
        read_fe(path)
    with pytest.raises(ModelError, match="does not exist"):
        read_fe(tmp_path / "other.sti")


@needs_ccx
def test_shells_are_refused(tmp_path: Path) -> None:
    """CalculiX expands shells to solids with nodes that no deck has."""
    deck = (DATA / "brick.inp").read_text().replace("TYPE=C3D8", "TYPE=S4")
    deck = deck.replace("1,11,12,13,14,21,22,23,24\n2,21,22,23,24,31,32,33,34", "1,11,12,13,14")
    deck = deck.replace("*SOLID SECTION,ELSET=EALL,MATERIAL=STEEL", "*SHELL SECTION,ELSET=EALL,MATERIAL=STEEL\n0.1")
    (tmp_path / "plate.inp").write_text(deck)
    subprocess.run([CCX, "plate"], cwd=tmp_path, capture_output=True, timeout=600, check=False)
    with pytest.raises(ModelError, match="CalculiX expands beams and shells to solids"):
        read_fe(tmp_path / "plate.sti")
