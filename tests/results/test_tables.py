"""Results as tables of NumPy and of other libraries."""

import numpy as np
import pytest

from sharnir.results import Channel, Result

T = np.array([0.0, 0.5, 1.0])


def run():
    ball, box = np.arange(9.0).reshape(3, 3), np.arange(9.0, 18.0).reshape(3, 3)
    channels = [Channel("hinge.q", T**2, "rad"), Channel("ball.position", ball, "m"), Channel("box.position", box, "m")]
    return Result(T, channels, title="two bodies")


def test_columns_are_scalars():
    found = run().to_dict()
    assert list(found)[:3] == ["t", "hinge.q", "ball.position.x"] and len(found) == 8
    assert all(values.shape == (3,) for values in found.values())
    assert list(run().to_dict("ball.position.y", "ball.position")) == [
        "t",
        "ball.position.y",
        "ball.position.x",
        "ball.position.z",
    ]


def test_structured_arrays(tmp_path):
    table = run().to_numpy()
    assert table.dtype.names == ("t", "hinge.q", "ball.position", "box.position")
    np.testing.assert_array_equal(table["ball.position"][1], [3, 4, 5])
    assert table[table["t"] > 0.4]["hinge.q"].tolist() == [0.25, 1.0]
    assert run().to_numpy("box.position.y").dtype.names == ("t", "box.position.y")
    np.save(tmp_path / "run.npy", table)
    np.testing.assert_array_equal(np.load(tmp_path / "run.npy"), table)


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = run().to_pandas()
    assert frame.index.name == "t" and frame.loc[0.5, "ball.position.z"] == 5.0
    assert frame.attrs["units"]["hinge.q"] == "rad" and frame.attrs["units"]["ball.position.x"] == "m"
    assert list(run().to_pandas("hinge.q").columns) == ["hinge.q"]
    np.testing.assert_array_equal(pandas.DataFrame(run().to_dict())["box.position.y"], [10, 13, 16])


def test_xarray():
    pytest.importorskip("xarray")
    data = run().to_xarray()
    assert data["ball.position"].attrs["units"] == "m" and data.attrs["title"] == "two bodies"
    assert data["ball.position"].dims == data["box.position"].dims
    assert float(data["box.position"].sel({data["box.position"].dims[1]: "y"}).sel(t=0.5)) == 13.0
    assert float(data["hinge.q"].interp(t=0.25)) == pytest.approx(0.125)
