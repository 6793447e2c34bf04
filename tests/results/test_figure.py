"""Plots: panels, labels, units, files."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.image import imread

from sharnir.errors import ModelError
from sharnir.results import Channel, Result

T = np.linspace(0.0, 2.0, 201)


@pytest.fixture
def result() -> Result:
    channels = [
        Channel("O.q", np.sin(T), "rad"),
        Channel("A.q", np.cos(T), "rad"),
        Channel("slide.q", np.column_stack([T, 2 * T]), ("m", "rad"), ("z", "angle")),
        Channel("O.v", 3 * T, "rad/s"),
        Channel("spring.length", T, "m"),
    ]
    return Result(T, channels, title="slider-crank", events=[{"t": 1.0, "name": "hit"}])


def test_one_panel_for_each_unit(result):
    figure = result.plot("O.q", "O.v", "slide.q")
    assert [axes.get_ylabel() for axes in figure.axes] == ["angle [rad]", "angular velocity [rad/s]", "position [m]"]
    names = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in figure.axes]
    assert names == [["O.q", "slide.q.angle"], ["O.v"], ["slide.q.z"]]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    assert figure.axes[0].get_title(loc="left") == "slider-crank"


def test_curves_are_the_channels(result):
    line = result.plot("O.v").axes[0].lines[0]
    np.testing.assert_array_equal(line.get_xdata(), T)
    np.testing.assert_array_equal(line.get_ydata(), 3 * T)


def test_without_names_shows_the_joint_coordinates(result):
    assert [len(axes.get_legend().get_texts()) for axes in result.plot().axes] == [3, 1]


def test_a_length_is_called_so(result):
    assert result.plot("spring.length").axes[0].get_ylabel() == "length [m]"


def test_writes_a_picture(result, tmp_path):
    path = tmp_path / "plot.png"
    result.plot("O.q", "A.q", path=path)
    picture = imread(path)
    assert picture.shape[1] > 800
    assert picture[..., :3].std() > 0.05


def test_shows_itself_in_a_notebook(result):
    assert result.plot("O.q")._repr_png_().startswith(b"\x89PNG")


def test_leaves_the_users_settings_alone(result):
    import matplotlib

    before = dict(matplotlib.rcParams)
    result.plot()
    assert dict(matplotlib.rcParams) == before


def test_nothing_to_plot_is_an_error():
    with pytest.raises(ModelError, match="no channels to plot"):
        Result(T).plot()
