"""Files: CSV text, HDF5 there and back, Parquet."""

from __future__ import annotations

import csv
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharnir.errors import MissingExtraError, ModelError
from sharnir.results import Channel, Result, Scene, SceneItem, SceneSpring

T = np.linspace(0.0, 1.0, 11) ** 1.5


@pytest.fixture
def result() -> Result:
    rng = np.random.default_rng(5)
    channels = [
        Channel("O.q", rng.normal(size=11), "rad"),
        Channel("slide.q", rng.normal(size=(11, 2)), ("m", "rad"), ("z", "angle")),
        Channel("arm/left.position", lambda: rng.normal(size=(11, 3)), "m", "xyz"),
        Channel("count", np.arange(11)),
        Channel("O.v", np.array([np.nan, np.inf, -0.0, 5e-324, *range(7)]), "rad/s"),
    ]
    scene = Scene(
        [SceneItem("ground"), SceneItem("arm/left", shapes=[{"kind": "box", "size": (1, 2, 3)}], lines=[((0, 0, 0), (1, 0, 0))])],
        [SceneSpring("s", "ground", "arm/left", (0, 0, 1), (1, 0, 0))],
        up="y",
    )
    stats = {
        "steps": 12,
        "residual": np.float64(1e-300),
        "history": np.array([[1.0, 2.0]]),
        "method": "articulated",
        "ok": True,
        "none": None,
    }
    events = [{"t": 0.1, "name": "hit"}]
    return Result(T, channels, title="crank é", scene=scene, stats=stats, events=events, failure="stopped")


def assert_same(a: Result, b: Result) -> None:
    assert a.channels == b.channels
    for name in ("t", *a.channels):
        assert a[name].dtype == b[name].dtype
        assert a[name].tobytes() == b[name].tobytes()
        assert a.unit(name) == b.unit(name)
    assert all(a.components(name) == b.components(name) for name in a.channels)
    assert (a.title, a.scene, a.failure, a.events) == (b.title, b.scene, b.failure, b.events)


class TestCsv:
    def test_holds_times_and_joint_coordinates(self, result, tmp_path):
        path = result.save(tmp_path / "deep" / "a.csv")
        with path.open(encoding="utf-8") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["t", "O.q", "slide.q.z", "slide.q.angle"]
        numbers = np.array(rows[1:], dtype=float)
        assert numbers[:, 0].tobytes() == result.t.tobytes()
        np.testing.assert_array_equal(numbers[:, 1], result["O.q"])
        np.testing.assert_array_equal(numbers[:, 2:], result["slide.q"])

    @given(values=st.lists(st.floats(allow_nan=False), min_size=1, max_size=20))
    def test_brings_every_double_back(self, values, tmp_path_factory):
        path = tmp_path_factory.mktemp("csv") / "a.csv"
        Result(np.arange(len(values)), [Channel("a.q", np.array(values, dtype=float))]).save(path)
        found = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)[:, 1]
        assert found.tobytes() == np.array(values, dtype=float).tobytes()

    def test_chosen_channels(self, result, tmp_path):
        text = result.save(tmp_path / "a.csv", channels=["O.v", "slide.q.angle"]).read_text(encoding="utf-8")
        assert text.splitlines()[0] == "t,O.v,slide.q.angle"

    def test_odd_names_are_quoted(self, tmp_path):
        path = Result([0.0], [Channel('a,"b".q', [1.0])]).save(tmp_path / "a.csv")
        with path.open(encoding="utf-8") as file:
            assert next(csv.reader(file)) == ["t", 'a,"b".q']


class TestHdf5:
    def test_there_and_back_is_exact(self, result, tmp_path):
        h5py = pytest.importorskip("h5py")
        path = result.save(tmp_path / "a.h5")
        again = Result.load(path)
        assert_same(result, again)
        assert again.stats.pop("history").tolist() == [[1.0, 2.0]]
        assert again.stats == {"steps": 12, "residual": 1e-300, "method": "articulated", "ok": True, "none": None}
        with h5py.File(path) as file:  # readable for others too
            assert file["channels/O.q"].shape == (11,)

    def test_an_empty_result(self, tmp_path):
        pytest.importorskip("h5py")
        assert_same(Result([]), Result.load(Result([]).save(tmp_path / "a.h5")))

    def test_chosen_channels(self, result, tmp_path):
        pytest.importorskip("h5py")
        again = Result.load(result.save(tmp_path / "a.h5", channels=["slide.q.angle", "O.q"]))
        assert again.channels == ("slide.q.angle", "O.q")
        assert again.unit("slide.q.angle") == "rad"

    def test_a_foreign_file_is_refused(self, tmp_path):
        h5py = pytest.importorskip("h5py")
        h5py.File(tmp_path / "a.h5", "w").close()
        with pytest.raises(ModelError, match=r"a\.h5 was not written by sharnir"):
            Result.load(tmp_path / "a.h5")


def test_parquet_holds_all_scalar_columns_with_units(result, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(result.save(tmp_path / "a.parquet"))
    columns = ["t", "O.q", "slide.q.z", "slide.q.angle", *(f"arm/left.position.{c}" for c in "xyz"), "count", "O.v"]
    assert table.column_names == columns
    assert table.schema.field("slide.q.angle").metadata == {b"unit": b"rad"}
    np.testing.assert_array_equal(table["slide.q.angle"].to_numpy(), result["slide.q.angle"])


@pytest.mark.parametrize(("suffix", "module", "extra"), [(".h5", "h5py", "hdf5"), (".parquet", "pyarrow", "parquet")])
def test_a_missing_package_is_named(result, tmp_path, monkeypatch, suffix, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"pip install sharnir\[{extra}\]"):
        result.save(tmp_path / f"a{suffix}")


def test_other_suffixes_are_refused(result, tmp_path):
    with pytest.raises(ModelError, match=r"a\.xlsx: the suffix must be one of \.csv, \.h5, \.hdf5, \.parquet"):
        result.save(tmp_path / "a.xlsx")
    with pytest.raises(ModelError, match=r"must be one of \.h5, \.hdf5"):
        Result.load(tmp_path / "a.csv")
