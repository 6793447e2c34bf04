"""Channels and results: looking up, lazy values, errors with hints."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from sharnir.errors import ModelError, SharnirError
from sharnir.results import Channel, Result, UnknownChannelError

T = np.linspace(0.0, 2.0, 21)


def make_result(**options) -> Result:
    channels = [
        Channel("O.q", np.sin(T), "rad"),
        Channel("O.v", np.cos(T), "rad/s"),
        Channel("slide.q", np.column_stack([T, 2 * T]), ("m", "rad"), ("z", "angle")),
        Channel("rod.position", np.column_stack([T, T**2, T**3]), "m"),
        Channel("O.reaction", np.ones((21, 6)), ("N",) * 3 + ("N m",) * 3),
        Channel("energy.kinetic", np.full(21, 1.0), "J"),
        Channel("energy.potential", np.full(21, 2.0), "J"),
        Channel("energy.total", np.full(21, 3.0), "J"),
    ]
    return Result(T, channels, title="slider-crank", **options)


class TestLookUp:
    def test_whole_channels_and_components(self):
        result = make_result()
        np.testing.assert_array_equal(result["O.q"], np.sin(T))
        np.testing.assert_array_equal(result["slide.q.angle"], 2 * T)
        np.testing.assert_array_equal(result["rod.position.z"], T**3)
        np.testing.assert_array_equal(result["t"], T)
        assert result["slide.q"].shape == (21, 2)
        assert "slide.q.z" in result
        assert "slide.q.w" not in result
        assert list(result) == list(result.channels)

    def test_units(self):
        result = make_result()
        assert result.unit("O.v") == "rad/s"
        assert result.unit("slide.q") == ("m", "rad")
        assert result.unit("slide.q.angle") == "rad"
        assert result.unit("rod.position") == result.unit("rod.position.x") == "m"
        assert result.unit("O.reaction.ty") == "N m"
        assert result.unit("t") == "s"

    @pytest.mark.parametrize(
        ("wrong", "right"),
        [("O.Q", "O.q"), ("rod.pos", "rod.position"), ("slide.q.angel", "slide.q.angle"), ("energy.kinetc", "energy.kinetic")],
    )
    def test_unknown_names_get_a_hint(self, wrong, right):
        with pytest.raises(KeyError, match=f"no channel '{wrong}'; did you mean .*'{right}'") as caught:
            make_result()[wrong]
        assert isinstance(caught.value, SharnirError)
        assert right in caught.value.suggestions
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)

    def test_far_from_any_name_lists_some(self):
        with pytest.raises(UnknownChannelError, match=r"there are O\.q, O\.v, slide\.q"):
            make_result()["###"]

    def test_energy(self):
        energy = make_result().energy
        np.testing.assert_array_equal(energy.kinetic + energy.potential, energy.total)

    def test_to_dict(self):
        assert list(make_result().to_dict("O.q", "slide.q.z")) == ["t", "O.q", "slide.q.z"]
        assert len(make_result().to_dict()) == 17


class TestLazyChannels:
    def test_are_computed_once_and_only_when_asked(self):
        calls = []

        def compute():
            calls.append(1)
            return np.ones((21, 3))

        result = Result(T, [Channel("a.position", compute, "m", "xyz"), Channel("a.velocity", lambda: 1 / 0, "m/s")])
        assert result.channels == ("a.position", "a.velocity")
        assert result.unit("a.position.x") == "m"
        assert "a.position.x" in result
        assert calls == []
        np.testing.assert_array_equal(result["a.position.y"], 1.0)
        result["a.position"]
        assert calls == [1]

    def test_an_unknown_name_computes_nothing(self):
        result = Result(T, [Channel("a.position", lambda: 1 / 0, "m")])
        with pytest.raises(UnknownChannelError, match=r"did you mean 'a\.position'"):
            result["a.positon"]

    def test_wrong_length_is_named(self):
        result = Result(T, [Channel("a.q", lambda: np.ones(20))])
        with pytest.raises(ModelError, match=r"'a\.q' has 20 rows, but there are 21 times"):
            result["a.q"]

    def test_survive_pickling(self):
        result = Result(T, [Channel("a.q", lambda: np.cos(T), "rad")], stats={"steps": 3}, events=[{"t": 1.0, "name": "hit"}])
        again = pickle.loads(pickle.dumps(result))
        np.testing.assert_array_equal(again["a.q"], np.cos(T))
        assert again.stats == {"steps": 3}
        assert again.events == result.events


class TestChecks:
    def test_values_cannot_be_changed_by_accident(self):
        values = np.zeros(21)
        result = Result(T, [Channel("a.q", values)])
        with pytest.raises(ValueError, match="read-only"):
            result["a.q"][0] = 1.0
        values[0] = 1.0  # the owner still may

    @pytest.mark.parametrize(
        ("channel", "message"),
        [
            (lambda: Channel("a.q", np.ones((21, 2)), "m", ("x",)), "1 labels for 2 components"),
            (lambda: Channel("a.q", np.ones((21, 2)), ("m", "rad", "s")), "3 units for 2 components"),
            (lambda: Channel("a.q", np.ones((21, 2, 2))), "one or two axes"),
            (lambda: Channel("a.q", np.array(["a"])), "real numbers"),
        ],
    )
    def test_labels_units_and_numbers_fit(self, channel, message):
        with pytest.raises(ModelError, match=message):
            channel()

    def test_names_are_unique(self):
        with pytest.raises(ModelError, match=r"'a\.q' is given twice"):
            Result(T, [Channel("a.q", T), Channel("a.q", T)])


class TestText:
    def test_repr_says_what_was_computed_in_three_lines(self):
        lines = repr(make_result(stats={"integrator": "dormand-prince", "steps": 120, "energy drift": 1.23456e-9})).splitlines()
        assert len(lines) == 3
        assert lines[0] == "Result of 'slider-crank': t = 0 … 2 s, 21 samples"
        assert lines[1].startswith("  8 channels: O.q, O.v, slide.q, rod.position, O.reaction, …")
        assert lines[2] == "  integrator dormand-prince, steps 120, energy drift 1.23e-09; 0 events"

    def test_a_failed_run_says_so_and_works_alike(self):
        result = make_result(failure="step size fell below 1e-12 s")
        assert not result.complete
        assert "stopped early: step size fell below 1e-12 s" in repr(result)
        assert result["O.q"].shape == (21,)
        assert result.plot("O.q").axes

    def test_an_empty_result_has_a_repr(self):
        assert "0 samples" in repr(Result([]))
