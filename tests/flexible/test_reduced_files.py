"""Reduced models as files: exact way back, and damaged files found."""

import json
import pickle
import zipfile
from dataclasses import fields, replace

import numpy as np
import pytest

from sharnir.errors import ModelError
from sharnir.flexible import Material, Rayleigh, ReducedModel, RigidTie, Section, reduce, solid, straight_beam
from sharnir.flexible.reduced_files import HEADER


def beam(**options):
    rod = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    return reduce(rod, interfaces={"root": 0, "the tip": 4}, modes=2, **options)


def block():
    corners = np.array([[x, y, z] for x in (0, 1, 2, 3) for y in (0, 1) for z in (0, 1)], float)
    cells = [[4 * k, 4 * k + 2, 4 * k + 3, 4 * k + 1, 4 * k + 4, 4 * k + 6, 4 * k + 7, 4 * k + 5] for k in range(3)]
    fe = solid((corners, {"hexahedron": cells}), Material(1e9, 0.3, 1000)).with_ties(RigidTie([0, 1, 2, 3], label=100))
    return reduce(fe, interfaces={"face": 100}, modes=3, inertia="shifted")


MODELS = {
    "beam": beam,
    "damped": lambda: beam(damping=0.01),
    "braked": lambda: beam(damping=Rayleigh(1e-4, 0.5)),
    "stiffened": lambda: beam(stiffening="root"),
    "solid": block,
    "held": lambda: beam().fixed_at("root"),
    "free": lambda: reduce(straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01)), basis="free modes", modes=3),
}


def same(a, b):
    """Equal, bit by bit, in everything that is stored."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if hasattr(a, "__dataclass_fields__"):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("name", MODELS)
def test_way_back_is_exact(name, tmp_path):
    reduced = MODELS[name]()
    again = ReducedModel.load(reduced.save(tmp_path / "deep" / "body.npz"))
    assert same(reduced, again)
    assert again == reduced
    assert hash(again) == hash(reduced)
    assert str(again.report) == str(reduced.report)


def test_equality_is_that_of_numbers():
    one = beam()
    assert one == beam()
    assert one != beam(damping=0.01)
    assert one != replace(one, stiffness=one.stiffness * (1 + 1e-15))
    assert one != "beam"
    assert one.fixed_at("root") == one.fixed_at("root").fixed_at("root")


def test_suffix_and_missing_file(tmp_path):
    with pytest.raises(ModelError, match=r"saved as \.npz"):
        beam().save(tmp_path / "body.h5")
    with pytest.raises(ModelError, match="no such file"):
        ReducedModel.load(tmp_path / "none.npz")


def rewritten(path, **changes):
    """The file with arrays changed, or left out (None)."""
    with np.load(path) as archive:
        arrays = dict(archive) | changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


BROKEN = {
    "not a number": ({"shapes": np.full((5, 3, 8), np.nan)}, "'shapes' holds something other than numbers"),
    "wrong size": ({"stiffness": np.eye(7)}, "size"),
    "wrong size of moments": ({"moments.rr": np.zeros((3, 3, 4, 4))}, r"'moments.rr' has the size \(3, 3, 4, 4\)"),
    "missing": ({"nodes": None}, "the array 'nodes' is missing"),
    "rows outside": ({"lines": np.array([[0, 99]])}, "outside 0 … 4"),
    "not symmetric": ({"stiffness": np.triu(np.ones((8, 8)))}, "not symmetric"),
    "massless": ({"inertia.J_rr": np.zeros((3, 3))}, "mass 0 kg"),
    "text": ({"frequencies": np.array(["a"] * 8)}, "other than numbers"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_damaged_numbers_are_found(name, tmp_path):
    changes, message = BROKEN[name]
    path = rewritten(beam().save(tmp_path / "body.npz"), **changes)
    with pytest.raises(ModelError, match=message) as caught:
        ReducedModel.load(path)
    assert "body.npz is damaged" in str(caught.value)


def test_damaged_bytes_are_found(tmp_path):
    path = beam().save(tmp_path / "body.npz")
    content = path.read_bytes()
    for damaged in (content[: len(content) // 2], b"", b"no archive", content[:400] + b"\0" * 64 + content[464:]):
        path.write_bytes(damaged)
        with pytest.raises(ModelError, match="damaged"):
            ReducedModel.load(path)


def test_files_never_run_code(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("the file was executed",))

    path = tmp_path / "trap.npz"
    with zipfile.ZipFile(path, "w") as archive, archive.open(f"{HEADER}.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "|O", "fortran_order": False, "shape": (1,)})
        file.write(pickle.dumps(Trap()))
    with pytest.raises(ModelError, match="damaged"):
        ReducedModel.load(path)


def test_other_archives_and_newer_versions_are_refused(tmp_path):
    path = beam().save(tmp_path / "body.npz")
    with np.load(path) as archive:
        header = json.loads(archive[HEADER].tobytes())
    rewritten(path, header=np.frombuffer(json.dumps(header | {"version": 99}).encode(), np.uint8))
    with pytest.raises(ModelError, match="newer sharnir"):
        ReducedModel.load(path)
    np.savez(path, a=np.zeros(3))
    with pytest.raises(ModelError, match="is not a reduced model of sharnir"):
        ReducedModel.load(path)


def test_archives_that_unpack_to_too_much_or_of_another_age_are_refused(tmp_path):
    """A small file may say that it holds terabytes, or that it needs a newer unpacker."""
    import zipfile

    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=2)
    path = reduce(beam, interfaces={"root": 0}, modes=1).save(tmp_path / "beam.npz")
    whole = path.read_bytes()
    place = whole.rindex(b"PK\x01\x02")
    path.write_bytes(whole[: place + 6] + bytes([241]) + whole[place + 7 :])
    with pytest.raises(ModelError, match="is damaged"):
        ReducedModel.load(path)
    path.write_bytes(whole[: place + 24] + b"\xfe\xff\xff\xff" + whole[place + 28 :])
    with zipfile.ZipFile(path) as packed:
        assert sum(part.file_size for part in packed.infolist()) > 4e9
    with pytest.raises(ModelError, match="is damaged"):
        ReducedModel.load(path)
