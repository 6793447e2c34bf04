"""Flexible bodies in the animation: what the page holds, and what it shows in a browser."""

from __future__ import annotations

import base64

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import sharnir as sr
from app.animation.browser import CHROMIUM, Browser
from app.animation.motions import double_pendulum, flexible, waving_beam
from sharnir.app.animation.color_map import COLORS
from sharnir.app.animation.page import animate, page_data
from sharnir.errors import ModelError
from sharnir.flexible import Section, reduce, straight_beam
from sharnir.results import Channel, Result, Scene, SceneItem

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")


def unpacked(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind)


def item_of(data: dict, name: str) -> dict:
    return next(item for item in data["items"] if item["name"] == name)


def largest(result: Result) -> float:
    """The largest displacement of any node of any body at any sample, in double precision."""
    return max(
        float(np.linalg.norm(np.einsum("nch,th->tnc", body.shapes, result[f"{name}.w"]), axis=2).max())
        for name, body in result.flexible.items()
        if f"{name}.w" in result
    )


class TestData:
    def test_shapes_travel_once_and_coordinates_with_each_frame(self):
        result = waving_beam(samples=41)
        data = page_data(result)
        record, body = item_of(data, "beam")["elastic"], result.flexible["beam"]
        frames = len(unpacked(data["times"], "<f8"))
        w = unpacked(record["w"], "<f4").reshape(frames, record["count"])
        nodes = unpacked(record["nodes"], "<f4").reshape(-1, 3)
        shapes = unpacked(record["shapes"], "<f4").reshape(record["count"], -1, 3)
        np.testing.assert_allclose(nodes, body.nodes, atol=1e-7)
        for k in (0, 17, 40):
            np.testing.assert_allclose(np.tensordot(w[k], shapes, axes=1), body.displacements(result["beam.w"][k]), atol=1e-8)

    def test_shapes_that_take_no_part_are_left_out(self):
        result = waving_beam(samples=41)
        used = np.abs(result["beam.w"]).max(axis=0) > 0
        record = item_of(page_data(result), "beam")["elastic"]
        assert record["count"] < result.flexible["beam"].shapes.shape[2]
        assert record["count"] <= used.sum()

    def test_the_range_is_that_of_the_whole_run(self):
        result = waving_beam(t_end=20.0, samples=4001)  # the page keeps 1201 of these
        found = page_data(result)["displacement"]
        assert found["ranges"]["magnitude"] == pytest.approx([0.0, largest(result)], rel=1e-6)
        assert found["ranges"]["x"][0] < 0 < found["ranges"]["x"][1]
        assert found["colors"] == list(COLORS)
        assert found["scale"] == 1.0

    def test_frames_are_interpolated(self):
        result = waving_beam(t_end=2.0, samples=2001)
        data = page_data(result)
        times = unpacked(data["times"], "<f8")
        record = item_of(data, "cube")["elastic"]
        assert len(times) == 121
        np.testing.assert_allclose(unpacked(record["w"], "<f4"), 0.1 * np.sin(3 * times), atol=1e-6)

    def test_a_body_without_coordinates_stands_undeformed(self):
        plate = flexible("plate", np.eye(3), np.ones((3, 3, 2)), faces=[[0, 1, 2]])
        data = page_data(Result([0.0, 1.0], scene=Scene([SceneItem("plate")]), flexible={"plate": plate}))
        assert data["items"][0]["elastic"]["count"] == 0
        assert data["displacement"]["ranges"]["magnitude"] == [0.0, 0.0]

    def test_elastic_coordinates_alone_are_enough(self):
        """A file may hold no other channels; poses of interfaces would need that of the body."""
        whole = waving_beam(samples=21)
        channels = [Channel("beam.w", whole["beam.w"])]
        data = page_data(Result(whole.t, channels, scene=whole.scene, flexible=whole.flexible))
        assert item_of(data, "beam:tip")["still"]
        assert item_of(data, "beam")["elastic"] == item_of(page_data(whole), "beam")["elastic"]

    def test_samples_that_are_not_finite_are_left_out(self):
        t, w = np.linspace(0, 1, 11), np.linspace(0, 1, 11)[:, None]
        w[8:] = np.nan
        plate = flexible("plate", np.eye(3), np.ones((3, 3, 1)), faces=[[0, 1, 2]])
        data = page_data(Result(t, [Channel("plate.w", w)], scene=Scene([SceneItem("plate")]), flexible={"plate": plate}))
        assert unpacked(data["times"], "<f8")[-1] == t[7]
        assert data["displacement"]["ranges"]["x"] == pytest.approx([0.0, 0.7])

    def test_rigid_bodies_need_none_of_it(self):
        assert page_data(double_pendulum(1.0, 11))["displacement"] is None

    def test_pages_stay_small(self, tmp_path):
        """10⁴ nodes, 20 shapes, 500 frames: 2.4 MB of shapes as text of 3.2 MB, and 0.8 MB of everything else."""
        random = np.random.default_rng(1)
        body = flexible("body", random.normal(size=(10_000, 3)), random.normal(size=(10_000, 3, 20)))
        t = np.linspace(0, 8, 500)
        channels = [Channel("body.w", random.normal(size=(500, 20)))]
        result = Result(t, channels, scene=Scene([SceneItem("body")]), flexible={"body": body})
        assert animate(result, tmp_path / "a.html").stat().st_size < 4.3e6

    def test_says_what_is_wrong(self, tmp_path):
        with pytest.raises(ModelError, match=r"scale = -1\.0 must be positive"):
            animate(waving_beam(samples=5), tmp_path / "a.html", scale=-1)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("chromium"), size=(1000, 640))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def beam(tmp_path_factory, browser):
    """The page of the waving beam, opened at its start, paused."""
    result = waving_beam()
    browser.open(result.animate(tmp_path_factory.mktemp("page") / "beam.html", look="light", scale=4), "#t=0")
    return result


def colors_of(picture: np.ndarray) -> set[int]:
    """Which colours of the map (by number) a picture of the 3D view holds, up to their shading."""
    view = picture[60:560, 210:].reshape(-1, 3).astype(float)
    view = view[view.max(axis=1) - view.min(axis=1) > 60]  # grey is not of the map
    hues = view / np.linalg.norm(view, axis=1, keepdims=True)
    table = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in COLORS], float)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    nearest = np.argmax(hues @ table.T, axis=1)
    return {int(k) for k in np.flatnonzero(np.bincount(nearest, minlength=len(COLORS)) > 30)}


@needs_chromium
@pytest.mark.chromium
class TestBrowser:
    def test_the_scale_is_the_one_given(self, browser, beam):
        assert browser.evaluate("sharnir.state().displacement.scale") == 4
        browser.evaluate("sharnir.viewer.deformation.setScale(1), sharnir.viewer.render()")

    def test_nodes_are_where_the_reduced_model_has_them(self, browser, beam):
        assert browser.errors == []
        for k in (0, 13, 77):
            browser.evaluate(f"sharnir.setTime({beam.t[k]})")
            found = browser.evaluate("sharnir.viewer.deformation.bodies.map(b => [b.name, [...b.place], [...b.value]])")
            for name, place, value in found:
                body = beam.flexible[name]
                u = body.displacements(beam[f"{name}.w"][k]) if f"{name}.w" in beam else 0.0 * body.nodes
                np.testing.assert_allclose(np.reshape(place, (-1, 3)), body.nodes + u, atol=2e-7)
                np.testing.assert_allclose(value, np.linalg.norm(u, axis=1), atol=2e-7)

    def test_marks_lie_on_the_nodes(self, browser, beam):
        browser.evaluate(f"sharnir.setTime({beam.t[30]})")
        tip = browser.evaluate("sharnir.state().bodies['beam:tip'].position")
        np.testing.assert_allclose(tip, beam["beam:tip.position"][30], atol=1e-6)
        browser.evaluate("sharnir.viewer.deformation.setScale(3), sharnir.viewer.render()")
        drawn = browser.evaluate("sharnir.state().bodies['beam:tip'].position")
        browser.evaluate("sharnir.viewer.deformation.setScale(1), sharnir.viewer.render()")
        w, x, y, z = beam["beam.rotation"][30]
        turn = Rotation.from_quat([x, y, z, w])
        straight = turn.apply(beam.flexible["beam"].nodes[8])
        np.testing.assert_allclose(drawn, straight + 3 * (np.array(tip) - straight), atol=1e-6)

    def test_the_legend_ends_at_the_largest_displacement(self, browser, beam):
        state = browser.evaluate("sharnir.state().displacement")
        assert state["range"] == pytest.approx([0.0, largest(beam)], rel=1e-6)
        ticks = browser.evaluate("[...document.querySelectorAll('.ticks span')].map(e => Number(e.textContent))")
        assert max(ticks) == pytest.approx(largest(beam), abs=1e-3)
        assert min(ticks) == 0.0
        assert len(ticks) >= 4
        assert browser.evaluate("document.querySelector('.legend .unit').textContent") == "[m]"

    def test_components_have_ranges_of_their_own(self, browser, beam):
        browser.evaluate(f"sharnir.setTime({beam.t[13]}), sharnir.act('component'), sharnir.viewer.render()")
        state = browser.evaluate("sharnir.state().displacement")
        values = browser.evaluate("[...sharnir.viewer.deformation.bodies[0].value]")
        u = beam.flexible["beam"].displacements(beam["beam.w"][13])
        assert state["component"] == "x"
        np.testing.assert_allclose(values, u[:, 0], atol=2e-7)
        assert "−" in browser.evaluate("document.querySelector('.ticks').textContent")
        browser.evaluate("sharnir.viewer.deformation.setComponent('magnitude')")

    def test_deformations_are_drawn_larger_but_coloured_by_their_true_size(self, browser, beam):
        browser.evaluate(f"sharnir.setTime({beam.t[13]})")
        before = browser.evaluate("[...sharnir.viewer.deformation.bodies[0].value]")
        browser.evaluate("window.dispatchEvent(new KeyboardEvent('keydown', {key: ']'})), sharnir.viewer.render()")
        state = browser.evaluate("sharnir.state().displacement")
        place = browser.evaluate("[...sharnir.viewer.deformation.bodies[0].place]")
        body = beam.flexible["beam"]
        np.testing.assert_allclose(np.reshape(place, (-1, 3)), body.nodes + 2 * body.displacements(beam["beam.w"][13]), atol=4e-7)
        assert state["scale"] == 2
        assert browser.evaluate("document.querySelector('.times').value") == "2"
        assert "× 2" in browser.evaluate("document.querySelector('.clock').textContent")
        assert browser.evaluate("[...sharnir.viewer.deformation.bodies[0].value]") == before
        browser.evaluate("sharnir.act('smaller'), sharnir.viewer.render()")

    def test_the_picture_has_the_colours_and_can_do_without(self, browser, beam):
        browser.evaluate(f"sharnir.setTime({beam.t[int(np.argmax(np.abs(beam['cube.w'])))]})")
        coloured = colors_of(browser.picture())
        assert len(coloured) >= 10
        browser.evaluate("window.dispatchEvent(new KeyboardEvent('keydown', {key: 'e'})), sharnir.viewer.render()")
        assert len(colors_of(browser.picture())) < 8
        assert browser.evaluate("document.querySelector('.legend').hidden")
        browser.evaluate("sharnir.act('colors'), sharnir.viewer.render()")

    def test_ghosts_appear(self, browser, beam):
        browser.evaluate(f"sharnir.setTime({beam.t[13]})")
        plain = browser.picture()
        browser.evaluate("window.dispatchEvent(new KeyboardEvent('keydown', {key: 'u'})), sharnir.viewer.render()")
        assert browser.evaluate("sharnir.state().displacement.ghost")
        assert np.any(np.abs(browser.picture() - plain) > 15, axis=2).sum() > 300
        browser.evaluate("sharnir.act('ghost'), sharnir.viewer.render()")

    def test_a_saved_picture_has_the_legend(self, browser, beam, tmp_path):
        from io import BytesIO

        from PIL import Image

        text = browser.evaluate("sharnir.viewer.picture().toDataURL('image/png')")
        saved = np.asarray(Image.open(BytesIO(base64.b64decode(text.split(",")[1]))).convert("RGB"), dtype=int)
        strip = saved[:, 22:38].reshape(-1, 3)
        for color in (COLORS[0], COLORS[8], COLORS[-1]):
            wanted = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
            assert np.abs(strip - wanted).sum(axis=1).min() < 12

    @pytest.mark.parametrize("loop", [False, True])
    def test_enlarged_deformations_keep_parts_together(self, browser, tmp_path, loop):
        """Joints at nodes of a flexible body stay closed in the picture, in a chain with true shifts, in a loop with less."""
        straight = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=10)
        beam = reduce(straight, interfaces={"a": 0, "b": 10}, modes=2, damping=0.02)
        m = sr.Model()
        m.add(sr.FlexibleBody("beam", reduced=beam, position=(0, 0, 0.3)), sr.Body("left", mass=1, inertia=(1, 1, 1)))
        m.add(sr.Body("right", mass=1, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0.3)))
        m.add(sr.Revolute("O", "ground", "left", at=(0, 0, 0), axis="y", motion="0.2*t" if loop else "0"))
        m.add(sr.Revolute("A", "left", "beam:a", at=(0, 0, 0.3), axis="y", motion=None if loop else "0"))
        m.add(sr.Revolute("B", "beam:b", "right", at=(1, 0, 0.3), axis="y"))
        if loop:
            m.add(sr.Revolute("C", "ground", "right", at=(1, 0, -0.2), axis="y"))
        result = m.simulate(0.2, step=0.002, integrator="radau5")
        t, scale = 0.1, 200.0
        browser.open(result.animate(tmp_path / "m.html", scale=scale), f"#t={t}")
        drawn = browser.evaluate("sharnir.state().bodies")
        place = {name: np.array(drawn[name]["position"]) for name in drawn}
        k = int(np.searchsorted(result.t, t - 1e-9))
        true = {name: result[f"{name}.position"][k] for name in ("left", "right", "beam:a", "beam:b", "beam")}
        np.testing.assert_allclose(place["right"], place["beam:b"], atol=1e-6)  # the origin of this body is the joint's point
        arm = place["beam:a"] - place["left"]
        np.testing.assert_allclose(arm, true["beam:a"] - true["left"], atol=1e-6)
        np.testing.assert_allclose(place["left"], 0.0, atol=1e-6)
        if loop:
            np.testing.assert_allclose(place["right"], true["right"], atol=1e-6)  # held by the ground
        else:
            w, x, y, z = result["beam.rotation"][k]
            u = Rotation.from_quat([x, y, z, w]).apply(result["beam:b.displacement"][k] - result["beam:a.displacement"][k])
            assert np.linalg.norm(u) > 1e-4
            np.testing.assert_allclose(place["right"], true["right"] + (scale - 1.0) * u, atol=1e-5)
        assert browser.errors == []
