"""The beam behind the small files in data/, and how they are written: `python sample_files.py` makes them anew.

Those of CalculiX are made by ccx itself from data/brick.inp (see the head of that file).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.io import mmwrite
from scipy.linalg import eigh
from scipy.sparse import tril

from sharnir.flexible import ALUMINIUM, FEModel, Material, Section, beam_frame

DATA = Path(__file__).parent / "data"
LABELS = (101, 102, 105)
BOUNDARY = (101, 105)
MODES = 2
WORDS = ("UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ")


def sample_beam():
    """Two elements with a kink, in mm, t, s as FE programs are used."""
    stuff = Material(ALUMINIUM.E * 1e-6, ALUMINIUM.nu, ALUMINIUM.density * 1e-12)
    nodes = [[0, 0, 0], [200, 30, 0], [400, 0, 50]]
    return beam_frame(nodes, [[101, 102], [102, 105]], Section.rectangle(20.0, 30.0), stuff, labels=LABELS, name="sample")


BEAM = sample_beam().scaled("mm-t-s")


def copied(folder: Path, *names: str, **changes: tuple[str, str]) -> Path:
    """Copies of data files, with text exchanged in some (key: the file's name with _ for .)."""
    for name in names:
        text = (DATA / name).read_text()
        old, new = changes.get(name.replace(".", "_"), ("", ""))
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1) if old else text)
    return folder / names[0]


def assert_same_body(model: FEModel, rtol: float = 1e-8) -> None:
    """The same nodes, and matrices that agree entry by entry in the order of the beam's freedoms."""
    assert model.labels.tolist() == list(LABELS)
    np.testing.assert_allclose(model.nodes, BEAM.nodes, rtol=1e-9)
    at = np.argsort(6 * model.freedoms[:, 0] + model.freedoms[:, 1])
    for ours, theirs in ((model.mass, BEAM.mass), (model.stiffness, BEAM.stiffness)):
        scale = np.sqrt(np.outer(theirs.diagonal(), theirs.diagonal()))
        assert np.abs((ours[at][:, at] - theirs).toarray() / scale).max() < rtol


def lower_entries(matrix):
    """(row, column, value) of the lower triangle."""
    entries = tril(matrix).tocoo()
    return sorted(zip(entries.coords[0].tolist(), entries.coords[1].tolist(), entries.data.tolist(), strict=True))


def freedom(row):
    return LABELS[row // 6], row % 6 + 1


def write_abaqus(folder, model):
    deck = ["*Heading", "*Node, nset=ALL"]
    deck += [f"{label}, {x!r}, {y!r}, {z!r}" for label, (x, y, z) in zip(LABELS, model.nodes.tolist(), strict=True)]
    deck += ["*Element, type=B31", "1, 101, 102", "2, 102, 105", "*Nset, nset=ENDS", "101, 105", ""]
    (folder / "sample.inp").write_text("\n".join(deck))
    for kind, matrix in (("STIF", model.stiffness), ("MASS", model.mass)):
        rows = [(*freedom(i), *freedom(j), value) for i, j, value in lower_entries(matrix)]
        text = "".join(f"{a},{b}, {c},{d}, {value:.15e}\n" for a, b, c, d, value in rows)
        (folder / f"sample_{kind}1.mtx").write_text(text)
        # the labels format, of a beam that boundary conditions hold at its first node
        huge = [(a, b, c, d, 1e36 if kind == "STIF" and a == 101 and (a, b) == (c, d) else value) for a, b, c, d, value in rows]
        text = "".join(f"{a:10d} {b:3d} {c:10d} {d:3d}   {value:.15e}\n" for a, b, c, d, value in huge)
        (folder / f"held_{kind}1.mtx").write_text(text)


def harwell_boeing(matrix, title):
    """Text of a symmetric matrix as HBMAT writes it: one number per line, D exponents."""
    lower = tril(matrix).tocsc()
    lower.sort_indices()
    pointers = [f"{k + 1:14d}" for k in lower.indptr.tolist()]
    indices = [f"{k + 1:14d}" for k in lower.indices.tolist()]
    values = [f"{value:25.15E}".replace("E", "D") for value in lower.data.tolist()]
    total = len(pointers) + len(indices) + len(values)
    n = matrix.shape[0]
    head = [
        f"{title:<72}{'KEY':<8}",
        f"{total:14d}{len(pointers):14d}{len(indices):14d}{len(values):14d}{0:14d}",
        f"{'RSA':<14}{n:14d}{n:14d}{lower.nnz:14d}{0:14d}",
        f"{'(1I14)':<16}{'(1I14)':<16}{'(1D25.15)':<20}{'(1D25.15)':<20}",
    ]
    return "\n".join([*head, *pointers, *indices, *values, ""])


def write_ansys(folder, model):
    # equations in the order of a solver, not of the nodes
    order = np.r_[6:12, 0:6, 12:18]
    for kind, matrix in (("stiff", model.stiffness), ("mass", model.mass)):
        mixed = matrix[order][:, order]
        mmwrite(folder / f"sample_{kind}.mmf", tril(mixed), symmetry="symmetric", precision=16)
        (folder / f"sample_{kind}.mmf.mtx").rename(folder / f"sample_{kind}.mmf")
        (folder / f"sample_{kind}.matrix").write_text(harwell_boeing(mixed, f"sample {kind}"))
    lines = [f"{'Matrix Eqn':>14}{'Node':>14}{'DOF':>14}"]
    lines += [f"{k + 1:14d}{freedom(row)[0]:14d}{WORDS[row % 6]:>14}" for k, row in enumerate(order.tolist())]
    (folder / "sample.mapping").write_text("\n".join([*lines, ""]))
    lines = []
    for label, place in zip(LABELS, model.nodes.tolist(), strict=True):
        lines.append(f"{label:9d}" + "".join(f"{x:20.12E}" for x in place))
    (folder / "sample.node").write_text("\n".join([*lines, ""]))
    block = ["/PREP7", "NBLOCK,6,SOLID,       105,         3", "(3i9,6e21.13e3)"]
    block += [
        f"{label:9d}{0:9d}{0:9d}" + "".join(f"{x:20.13E}".replace("E+", "E+0").replace("E-", "E-0").rjust(21) for x in place)
        for label, place in zip(LABELS, model.nodes.tolist(), strict=True)
    ]
    (folder / "sample.cdb").write_text("\n".join([*block, "N,R5.3,LOC,       -1,", "FINISH", ""]))


def reduced(model):
    """Craig–Bampton of the sample by plain linear algebra: interface freedoms of both ends, then modal coordinates."""
    K, M = model.stiffness.toarray(), model.mass.toarray()
    held, inner = np.r_[0:6, 12:18], np.arange(6, 12)
    static = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, held)])
    _, modes = eigh(K[np.ix_(inner, inner)], M[np.ix_(inner, inner)])
    T = np.zeros((18, 12 + MODES))
    T[held, np.arange(12)] = 1.0
    T[np.ix_(inner, np.arange(12))] = static
    T[np.ix_(inner, 12 + np.arange(MODES))] = modes[:, :MODES]
    return T.T @ M @ T, T.T @ K @ T


def write_nastran(folder, model):
    import pandas as pd
    from pyyeti import nastran

    K, M = model.stiffness.toarray(), model.mass.toarray()
    nastran.op4.write(str(folder / "sample.op4"), {"kgg": K, "mgg": M}, binary=False, digits=16)
    with (folder / "sample.bdf").open("w") as stream:
        nastran.wtgrids(stream, np.array(LABELS), xyz=model.nodes)
    index = pd.MultiIndex.from_tuples([freedom(row) for row in range(18)], names=["id", "dof"])
    with (folder / "sample.pch").open("w") as stream:
        nastran.wtgrids(stream, np.array(LABELS), xyz=model.nodes)
        nastran.wtdmig(
            stream, {name: pd.DataFrame(part, index=index, columns=index) for name, part in (("kaax", K), ("maax", M))}
        )
    mass, stiffness = reduced(model)
    grids = [[label, 0, *model.nodes[LABELS.index(label)]] for label in BOUNDARY]
    uset = nastran.addgrid(None, list(BOUNDARY), "b", 0, [row[2:] for row in grids], 0)
    uset = pd.concat([uset, nastran.make_uset(dof=[[9001 + k, 0] for k in range(MODES)], nasset="q")])
    names = ["kaa", "maa"]
    nastran.wtextseout(
        str(folder / "super"), se=100, bset=np.arange(12), uset=uset, spoint1=9001, namelist=names, kaa=stiffness, maa=mass
    )


def write_all(folder=DATA):
    """All files but those of CalculiX."""
    model = sample_beam()
    folder.mkdir(exist_ok=True)
    write_abaqus(folder, model)
    write_ansys(folder, model)
    write_nastran(folder, model)


if __name__ == "__main__":
    write_all()
