"""The animation: what the page holds, and what it shows in a browser."""

from __future__ import annotations

import base64
import json
import re
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import sharnir as sr
from app.animation.browser import CHROMIUM, Browser
from app.animation.motions import double_pendulum, tumbling_box
from sharnir.app.animation import page as animation
from sharnir.app.animation.page import MissingViewerError, animate, page_data
from sharnir.app.animation.poses import interpolated
from sharnir.errors import ModelError
from sharnir.results import Channel, Result, Scene, SceneItem

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")


def unpacked(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind)


def embedded(page: str) -> dict:
    return json.loads(re.search(r'id="sharnir-data">(.*?)</script>', page, re.S)[1])


class TestData:
    def test_holds_the_poses(self):
        result = double_pendulum(t_end=2.0, samples=41)
        data = page_data(result)
        assert [item["still"] for item in data["items"]] == [True, False, False]
        np.testing.assert_array_equal(unpacked(data["times"], "<f8"), result.t)
        lower = unpacked(data["poses"], "<f4").reshape(-1, 7)[-41:]
        np.testing.assert_allclose(lower[:, :3], result["lower.position"], atol=1e-6)
        np.testing.assert_allclose(lower[:, 3:], result["lower.rotation"], atol=1e-6)

    @pytest.mark.parametrize(("fps", "speed", "frames"), [(60, 1.0, 121), (30, 1.0, 61), (60, 4.0, 31), (60, 0.5, 241)])
    def test_is_thinned_out_to_the_frames_one_sees(self, fps, speed, frames):
        times = unpacked(page_data(double_pendulum(2.0, 2001), fps=fps, speed=speed)["times"], "<f8")
        assert len(times) == frames
        assert times[0] == 0.0
        assert times[-1] == 2.0

    def test_interpolates_on_the_sphere(self):
        rng = np.random.default_rng(3)
        t = np.sort(rng.random(20))
        rotations = Rotation.random(20, rng=rng)
        quaternions = np.roll(rotations.as_quat(), 1, axis=1) * rng.choice([-1, 1], (20, 1))
        times = np.linspace(t[0], t[-1], 77)
        found = interpolated(t, np.column_stack([np.outer(t, [1, 2, 3]), quaternions]), times)
        np.testing.assert_allclose(found[:, :3], np.outer(times, [1, 2, 3]), atol=1e-12)
        error = Rotation.from_quat(np.roll(found[:, 3:], -1, axis=1)).inv() * Slerp(t, rotations)(times)
        assert np.max(error.magnitude()) < 1e-7

    def test_many_bodies_get_fewer_frames(self):
        t = np.linspace(0.0, 60.0, 7201)
        position = np.outer(t, [1.0, 0.0, 0.0])
        rotation = np.tile([1.0, 0.0, 0.0, 0.0], (len(t), 1))
        channels = [Channel(f"b{k}.{n}", v) for k in range(100) for n, v in (("position", position), ("rotation", rotation))]
        data = page_data(Result(t, channels))
        assert len(data["poses"]) < 6e6
        assert len(unpacked(data["times"], "<f8")) > 1000

    def test_without_scene_draws_what_has_a_pose(self):
        result = double_pendulum(1.0, 11)
        bare = Result(result.t, [result.channel(name) for name in result.channels])
        assert [item["name"] for item in page_data(bare)["items"]] == ["upper", "lower"]

    def test_a_partial_result_plays_up_to_its_last_good_sample(self):
        t = np.linspace(0.0, 1.0, 11)
        position = np.outer(t, [1.0, 0.0, 0.0])
        position[8:] = np.nan
        rotation = np.tile([1.0, 0.0, 0.0, 0.0], (11, 1))
        result = Result(t, [Channel("b.position", position), Channel("b.rotation", rotation)], failure="it broke")
        data = page_data(result)
        assert unpacked(data["times"], "<f8")[-1] == t[7]
        assert np.all(np.isfinite(unpacked(data["poses"], "<f4")))

    def test_default_plots_are_joint_coordinates(self):
        angle, rate = page_data(double_pendulum(1.0, 101))["plots"]
        assert angle == {"quantity": "angle", "unit": "rad", "curves": ["shoulder.q", "elbow.q"], "shown": [True, True]}
        assert rate["curves"] == ["shoulder.v", "elbow.v"]  # offered, but not shown at first
        assert rate["shown"] == [False, False]
        assert page_data(double_pendulum(1.0, 101), plots=())["plots"] == []

    def test_of_a_pile_of_plots_the_first_are_shown(self):
        t = np.linspace(0.0, 1.0, 5)
        pile = [Channel(f"{unit}{k}.c", t, unit) for unit in ("m", "N", "J", "W", "Pa") for k in range(9)]
        pose = [Channel("b.position", np.zeros((5, 3)), "m"), Channel("b.rotation", np.tile([1.0, 0, 0, 0], (5, 1)))]
        plots = page_data(Result(t, [*pose, *pile]), plots=[channel.name for channel in pile])["plots"]
        assert [sum(panel["shown"]) for panel in plots] == [8, 8, 8, 8, 0]
        assert all(len(panel["curves"]) == 9 for panel in plots)

    def test_says_what_is_wrong(self, tmp_path):
        result = double_pendulum(1.0, 11)
        with pytest.raises(ModelError, match="nothing to draw"):
            animate(Result([0.0, 1.0]), tmp_path / "a.html")
        with pytest.raises(ModelError, match=r"speed = 0\.0 must be positive"):
            animate(result, tmp_path / "a.html", speed=0)
        with pytest.raises(ModelError, match="no body 'loewr' to trace; there are ground, upper, lower"):
            animate(result, tmp_path / "a.html", traces=["loewr"])
        with pytest.raises(ModelError, match="look = 'pink'"):
            animate(result, tmp_path / "a.html", look="pink")
        assert list(tmp_path.iterdir()) == []


class TestPage:
    def test_is_one_small_file_without_outside_addresses(self, tmp_path):
        page = double_pendulum(10.0, 2001).animate(tmp_path / "deep" / "pendulum.html")
        text = page.read_text(encoding="utf-8")
        assert len(text) < 1e6
        assert re.findall(r'(?:src|href)\s*=\s*"(?!data:)', text) == []
        assert set(re.findall(r"https?://[\w./-]+", text)) <= {"http://www.w3.org/1999/xhtml"}  # a name of XML, not an address
        assert "default-src 'none'" in text
        assert "Copyright © 2010-2026 three.js authors" in text
        assert "Permission is hereby granted" in text

    def test_names_cannot_break_the_page(self, tmp_path):
        name = '</script><b>"\u2028'
        t = np.array([0.0, 1.0])
        channels = [Channel(f"{name}.position", np.eye(2, 3)), Channel(f"{name}.rotation", np.tile([1.0, 0, 0, 0], (2, 1)))]
        page = animate(Result(t, channels, scene=Scene([SceneItem(name)])), tmp_path / "a.html", title=name)
        text = page.read_text(encoding="utf-8")
        assert embedded(text)["items"][0]["name"] == name
        assert "<title>&lt;/script&gt;" in text

    def test_a_package_without_its_viewer_says_how_to_get_it(self, tmp_path, monkeypatch):
        monkeypatch.setattr(animation, "files", lambda package: tmp_path)
        with pytest.raises(MissingViewerError, match="install it again with a network connection"):
            animate(double_pendulum(1.0, 11), tmp_path / "a.html")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("chromium"), size=(1000, 640))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory, browser):
    """The page of the double pendulum, opened at its start, paused."""
    result = double_pendulum()
    browser.open(animate(result, tmp_path_factory.mktemp("page") / "pendulum.html", look="light"), "#t=0")
    return result


def near(picture: np.ndarray, color: tuple[int, int, int], tolerance: int = 60) -> np.ndarray:
    """Where a picture has about a colour, below the title and above the plots."""
    return np.all(np.abs(picture[60:480] - np.array(color)) < tolerance, axis=2)


@needs_chromium
@pytest.mark.chromium
class TestBrowser:
    def test_asks_for_nothing_but_the_page(self, browser, pendulum):
        assert browser.errors == []
        assert [url.split("/")[-1].split("#")[0] for url in browser.requests] == ["pendulum.html"]

    def test_has_no_legend_without_flexible_bodies(self, browser, pendulum):
        assert browser.evaluate("sharnir.state().displacement") is None
        assert browser.evaluate("document.querySelector('.legend').hidden")
        assert browser.evaluate("document.querySelector('[data-do=colors]')") is None

    def test_shows_the_bodies_in_their_colours(self, browser, pendulum):
        browser.evaluate("sharnir.setTime(0)")
        picture = browser.picture()
        assert picture[60:480].std() > 10  # not blank
        assert near(picture, (47, 111, 222)).sum() > 500
        assert near(picture, (232, 89, 12)).sum() > 500

    def test_time_moves_the_picture(self, browser, pendulum):
        pictures = []
        for t in (0.0, 0.7, 1.9, 0.0):
            browser.evaluate(f"sharnir.setTime({t})")
            pictures.append(browser.picture()[60:480])
        changed = [np.any(np.abs(a - b) > 40, axis=2).mean() for a, b in pairwise(pictures)]
        assert min(changed) > 0.005
        assert np.any(np.abs(pictures[0] - pictures[-1]) > 40, axis=2).mean() < 1e-4

    def test_all_is_seen_in_a_window_of_another_size(self, browser, pendulum):
        """Until somebody turns or shifts the view."""
        width = """(() => {
          const camera = sharnir.viewer.stage.camera;
          camera.updateMatrixWorld();
          return Math.max(...sharnir.viewer.places.map(({ place }) => Math.abs(place.clone().project(camera).x)));
        })()"""
        narrow = {"width": 360, "height": 640, "deviceScaleFactor": 1, "mobile": False}
        try:
            browser.call("Emulation.setDeviceMetricsOverride", **narrow)
            browser.wait_for("sharnir.viewer.width === 360")
            assert 0.3 < browser.evaluate(width) < 0.9
            browser.evaluate("sharnir.viewer.stage.controls.dispatchEvent({ type: 'start' })")
            before = browser.evaluate("sharnir.viewer.stage.camera.position.toArray()")
        finally:
            browser.call("Emulation.clearDeviceMetricsOverride")
        browser.wait_for("sharnir.viewer.width === 1000")
        assert browser.evaluate("sharnir.viewer.stage.camera.position.toArray()") == before
        browser.evaluate("sharnir.viewer.view('best')")
        assert browser.evaluate(width) < 0.9

    def test_state_is_the_motion(self, browser, pendulum):
        for t in (0.0, 0.5, 1.2375, 4.0):
            browser.evaluate(f"sharnir.setTime({t})")
            state = browser.evaluate("sharnir.state()")
            assert state["time"] == t
            expected = [np.interp(t, pendulum.t, pendulum["lower.position"][:, k]) for k in range(3)]
            np.testing.assert_allclose(state["bodies"]["lower"]["position"], expected, atol=2e-3)  # between 60 frames in a second
            assert abs(np.linalg.norm(state["bodies"]["lower"]["rotation"]) - 1.0) < 1e-6

    def test_plays_pauses_and_obeys_keys(self, browser, pendulum):
        def key(name):
            browser.evaluate(f"window.dispatchEvent(new KeyboardEvent('keydown', {{key: {name!r}}}))")
            return browser.evaluate("sharnir.state()")

        browser.evaluate("sharnir.setTime(0)")
        assert key(" ")["playing"]
        browser.wait_for("sharnir.state().time > 0.0")
        state = key(" ")
        assert state["time"] > 0.0
        assert not state["playing"]
        assert key("End")["time"] == 4.0
        assert key("Home")["time"] == 0.0
        assert 0.0 < key("ArrowRight")["time"] < 0.05
        assert key("ArrowUp")["speed"] == 2
        assert key("ArrowDown")["speed"] == 1
        for name, option in (("l", "labels"), ("g", "grid"), ("a", "axes"), ("p", "plots"), ("c", "follow")):
            before = browser.evaluate(f"sharnir.state().options.{option}")
            assert key(name)["options"][option] is not before
            assert key(name)["options"][option] is before

    def test_look_labels_and_traces_change_the_picture(self, browser, pendulum):
        browser.evaluate("sharnir.setTime(1.9)")
        light = browser.picture()
        browser.evaluate("sharnir.act('look'), sharnir.viewer.render()")
        dark = browser.picture()
        assert light.mean() > 180 > 90 > dark.mean()
        browser.evaluate("sharnir.act('look'), sharnir.viewer.trace(2, true), sharnir.viewer.render()")
        assert browser.evaluate("sharnir.state().traces") == ["lower"]
        assert near(browser.picture(), (232, 89, 12)).sum() > 1.2 * near(light, (232, 89, 12)).sum()
        browser.evaluate("sharnir.viewer.trace(2, false), sharnir.act('labels'), sharnir.viewer.render()")
        shown = browser.evaluate("[...document.querySelectorAll('.label:not([hidden])')].map(e => e.textContent)")
        assert shown == ["upper", "lower"]
        browser.evaluate("sharnir.act('labels')")

    @pytest.mark.parametrize("view", ["best", "front", "side", "top"])
    def test_every_body_is_in_the_window(self, browser, pendulum, view):
        browser.evaluate(f"sharnir.viewer.view({view!r})")
        corners = browser.evaluate(
            "[0, 0.7, 1.4, 2.1, 2.8, 3.5].flatMap(t => { sharnir.setTime(t); const v = sharnir.viewer;"
            "return v.objects.map(o => o.localToWorld(o.userData.handle.clone()).project(v.stage.camera).toArray()); })"
        )
        assert np.all(np.abs(np.array(corners)) < 1.0)
        browser.evaluate("sharnir.viewer.view('best')")

    def test_adapts_to_a_narrow_window(self, browser, pendulum):
        sizes = "[sharnir.viewer.width, document.querySelector('canvas').clientWidth, document.documentElement.scrollWidth]"
        browser.call("Emulation.setDeviceMetricsOverride", width=400, height=640, deviceScaleFactor=1, mobile=False)
        browser.wait_for("sharnir.viewer.width === 400")
        assert browser.evaluate(sizes) == [400, 400, 400]
        browser.call("Emulation.setDeviceMetricsOverride", width=1000, height=640, deviceScaleFactor=1, mobile=False)
        browser.wait_for("sharnir.viewer.width === 1000")

    def test_shapes_springs_and_start_from_the_address(self, browser, tmp_path):
        result = tumbling_box()
        browser.open(animate(result, tmp_path / "box.html", plots=["box.angular_velocity"], look="light"), "#t=2.5")
        state = browser.evaluate("sharnir.state()")
        assert browser.errors == []
        assert state["time"] == 2.5
        assert not state["playing"]
        picture = browser.picture()
        assert near(picture, (47, 111, 222), 90).sum() > 3000
        expected = result["box.rotation"][250]
        assert abs(abs(np.dot(state["bodies"]["box"]["rotation"], expected)) - 1.0) < 1e-4
        names = browser.evaluate("[...document.querySelectorAll('figcaption b')].map(e => e.textContent)")
        assert names == ["box.angular_velocity.x", "box.angular_velocity.y", "box.angular_velocity.z"]

    def test_numbers_have_prefixes_and_curves_are_chosen(self, browser, tmp_path):
        """Rounding errors of forces are written with prefixes, a long legend wraps, and what is chosen appears."""
        t = np.linspace(0.0, 1.0, 50)
        forces = [Channel(f"joint number {k}.force", 3e-13 * np.sin(t + k), "N") for k in range(6)]
        pose = [Channel("b.position", np.zeros((50, 3)), "m"), Channel("b.rotation", np.tile([1.0, 0, 0, 0], (50, 1)))]
        result = Result(t, [*pose, *forces, Channel("b.work", 4e5 * t, "J"), Channel("b.area", 1e-5 * t, "m²")])
        names = [*(channel.name for channel in forces), "b.work", "b.area"]
        browser.open(animate(result, tmp_path / "b.html", plots=names), "#t=0.5")
        units = browser.evaluate("[...document.querySelectorAll('figcaption i')].map(e => e.textContent)")
        assert units == ["force [fN]", "energy [kJ]", "value [m²]"]
        caption = "document.querySelector('figcaption')"
        assert browser.evaluate(f"{caption}.scrollWidth <= {caption}.clientWidth && {caption}.clientHeight > 30")
        shown = browser.evaluate("[...document.querySelectorAll('figcaption output')].slice(-2).map(e => e.textContent)")
        assert shown[0] == "200.0"
        assert float(shown[1]) == pytest.approx(5e-6, rel=1e-3)
        box = "[...document.querySelectorAll('.menu[data-of=curves] input')]"
        assert browser.evaluate(f"{box}.length") == 8
        browser.evaluate(f"sharnir.act('curves'), {box}.slice(0, 7).forEach(e => e.click()), sharnir.viewer.render()")
        assert browser.evaluate("[...document.querySelectorAll('figcaption b')].map(e => e.textContent)") == ["b.area"]
        assert not browser.evaluate("document.querySelector('.menu[data-of=curves]').hidden")
        browser.evaluate(f"{box}.slice(7).forEach(e => e.click())")
        assert browser.evaluate("document.querySelector('.plots').hidden")
        assert browser.errors == []

    def test_rounding_errors_of_a_constant_are_not_spread_over_the_plot(self, browser, tmp_path):
        t = np.linspace(0.0, 1.0, 50)
        energy = np.where(t < 0.5, 0.18589999556541443, 0.18590001046657562)  # neighbours in single precision
        pose = [Channel("b.position", np.zeros((50, 3)), "m"), Channel("b.rotation", np.tile([1.0, 0, 0, 0], (50, 1)))]
        noise = Channel("b.noise", np.where(t < 0.9, -4.707e-13, 1e-12), "m")
        result = Result(t, [*pose, Channel("b.energy", energy, "J"), Channel("b.slope", 1.0 + 1e-5 * t, "m"), noise])
        browser.open(animate(result, tmp_path / "d.html", plots=["b.slope", "b.noise"]), "#t=0.1")
        shown = browser.evaluate("[...document.querySelectorAll('figcaption output')].map(e => e.textContent)")
        assert shown == ["1.000", "0.000"]
        browser.open(animate(result, tmp_path / "c.html", plots=["b.energy", "b.slope"], look="light"), "#t=0.1")
        rows = """(k => { const canvas = document.querySelectorAll('.plots canvas')[k], {width, height} = canvas, found = [];
          const data = canvas.getContext('2d').getImageData(width / 2, 0, width / 2 - 20, height).data;
          for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 100 && data[i + 2] - data[i] > 100)
            found.push(Math.floor(i / 4 / (width / 2 - 20)) / height);
          return [Math.min(...found), Math.max(...found)]; })"""
        low, high = browser.evaluate(f"{rows}(0)")
        assert 0.3 < low <= high < 0.7
        assert high - low < 0.1
        low, high = browser.evaluate(f"{rows}(1)")
        assert high - low > 0.3

    def test_axes_stand_in_the_corner_and_there_is_no_floor_without_weight(self, browser, tmp_path):
        m = sr.Model(gravity=(0, 0, 0))
        m.add(
            sr.Body("box", mass=1, shape=sr.Box((1, 1, 1), color="#888888")), sr.Prismatic("x", "ground", "box", axis="x", v=0.1)
        )
        browser.open(m.simulate(1.0, step=0.1).animate(tmp_path / "m.html", look="light", plots=()), "#t=0")
        assert browser.evaluate("sharnir.state().options.grid") is False
        picture = browser.picture()
        colourful = picture.max(axis=2) - picture.min(axis=2) > 100
        colourful[:60] = colourful[-70:] = False  # buttons, and the bar
        rows, columns = np.nonzero(colourful)
        assert len(rows) > 50
        assert columns.min() > 850
        assert rows.min() > 420
        browser.evaluate("sharnir.act('axes'), sharnir.viewer.render()")
        picture = browser.picture()[60:-70]
        assert not (picture.max(axis=2) - picture.min(axis=2) > 100).any()

    def test_the_picture_stays_with_a_mechanism_that_throws_something(self, browser, tmp_path):
        m = sr.Model()
        m.add(sr.Body("arm", mass=5, shape=sr.Rod((0, 0, 0), (1, 0, 0), 0.03)), sr.Body("stone", mass=1, shape=sr.Sphere(0.05)))
        m.add(sr.Revolute("pivot", "ground", "arm", at=(0, 0, 0), axis="y", v=2.0))
        m.add(sr.Free("flight", "ground", "stone", v=(30.0, 0, 30.0, 0, 0, 0)))
        browser.open(m.simulate(4.0, step=0.02).animate(tmp_path / "m.html", plots=()), "#t=0")
        place = "v.objects[1].localToWorld(v.center.clone().set(x, 0, 0)).project(v.stage.camera).toArray()"
        places = np.array(browser.evaluate(f"(v => [0, 1].map(x => {place}))(sharnir.viewer)"))
        assert np.hypot(*(places[1] - places[0])[:2]) > 0.3  # of 2, the width of the window
        assert np.abs(places[:, :2]).max() < 1.0
