"""Small files that the FE programs themselves wrote, from public repositories; data/README.md tells where each comes from."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from flexible.sample_files import DATA, copied
from sharnir.errors import ModelError
from sharnir.flexible import read_fe, reduce

ROTOR = {"stiffness": "K.mmf", "mass": "M.mmf", "nodes": "order.txt", "places": "nodes.txt"}


def test_beam_of_abaqus() -> None:
    """One element B33 of Abaqus, 3 m long, with two internal freedoms for the strain along it: against closed forms."""
    beam = read_fe(DATA / "abaqus_b33_STIF1.mtx")
    E, G, A, I, J, length, density = 100e6, 80e6, 0.25, 1.5e-4, 3e-4, 3.0, 100.0
    found = beam.check()
    assert found.free and len(beam.modal) == 2
    assert found.rigid.mass == pytest.approx(density * A * length, rel=1e-12)
    np.testing.assert_allclose(found.rigid.center, [length / 2, 0, 0], atol=1e-12)
    K = beam.stiffness.toarray()
    inside = np.flatnonzero(np.isin(beam.freedoms[:, 0], beam.modal))
    outside = np.setdiff1d(np.arange(beam.size), inside)
    K = K[np.ix_(outside, outside)] - K[np.ix_(outside, inside)] @ np.linalg.solve(
        K[np.ix_(inside, inside)], K[inside][:, outside]
    )
    at = {tuple(freedom): k for k, freedom in enumerate(beam.freedoms[outside].tolist())}
    expected = {
        ((0, 0), (1, 0)): -E * A / length,
        ((0, 1), (0, 1)): 12 * E * I / length**3,
        ((0, 1), (0, 5)): 6 * E * I / length**2,
        ((0, 2), (0, 4)): -6 * E * I / length**2,
        ((0, 3), (1, 3)): -G * J / length,
        ((0, 4), (1, 4)): 2 * E * I / length,
    }
    for (one, two), value in expected.items():
        assert K[at[one], at[two]] == pytest.approx(value, rel=1e-9)


def test_internal_nodes_that_move(tmp_path: Path) -> None:
    """The middle node of the sample, had Abaqus numbered it as an internal one."""
    path = copied(tmp_path, "sample_STIF1.mtx", "sample_MASS1.mtx", "sample.inp")
    for part in (path, tmp_path / "sample_MASS1.mtx"):
        part.write_text(part.read_text().replace("102,", "-1,"))
    with pytest.raises(ModelError, match="internal node of Abaqus that moves with the body"):
        read_fe(path)


def test_rotor_of_ansys(tmp_path: Path) -> None:
    """A rotor of 115 nodes, exported by Ansys (MMF) and Workbench (German table of nodes); the frequency is Exudyn's for it."""
    for key, name in ROTOR.items():
        (tmp_path / name).write_bytes(gzip.decompress((DATA / f"ansys_rotor_{key}.txt.gz").read_bytes()))
    rotor = read_fe(tmp_path / "K.mmf", mass=tmp_path / "M.mmf", mapping=tmp_path / "order.txt", mesh=tmp_path / "nodes.txt")
    assert rotor.size == 345 and rotor.check().free
    found = reduce(rotor, basis="free modes", modes=2).frequencies
    np.testing.assert_allclose(found, 104.63701055079783, rtol=1e-8)


@pytest.mark.parametrize(("name", "freedoms", "modes"), [("inboard", 32, 8), ("outboard", 46, 22)])
def test_superelements_of_nastran(name: str, freedoms: int, modes: int) -> None:
    """External superelements by NX Nastran (.asm, .pch, binary .op4) among the test data of pyyeti."""
    pyyeti = pytest.importorskip("pyyeti")
    path = Path(pyyeti.__file__).parent / "tests" / "nas2cam_extseout" / f"{name}.asm"
    if not path.is_file():
        pytest.skip("this pyyeti came without its test data")
    model = read_fe(path, units="in-lbf-s")
    assert model.size == freedoms and len(model.modal) == modes
    assert model.check().free and model.rigid_inertia().asymmetry < 1e-9
