"""Videos: frames that show the motion at the right times, files that other programs read, and what is missing told before."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sharnir as sr
from sharnir.app.animation import video
from sharnir.app.animation.headless_browser import browser_path

FFMPEG, FFPROBE = shutil.which("ffmpeg"), shutil.which("ffprobe")
drawn = pytest.mark.skipif(browser_path() is None, reason="Chromium is not installed (Debian: apt-get install chromium)")


def moving() -> sr.Result:
    """A red ball that goes from left to right in two seconds, before a blue one that stays."""
    t = np.linspace(0.0, 2.0, 21)
    m = sr.Model("slide", gravity=(0, 0, 0))
    m.add(sr.Body("ball", mass=1, shape=sr.Sphere(0.2, color="#ff0000")))
    m.add(sr.Prismatic("rail", "ground", "ball", axis="x", motion="t - 1"))
    result = m.simulate(2.0, step=0.1)
    assert len(result.t) == len(t)
    return result


def red_place(picture: Image.Image) -> float:
    """Where the red ball is, in parts of the width."""
    pixels = np.asarray(picture.convert("RGB"), int)
    red = (pixels[..., 0] > 120) & (pixels[..., 1] < 80) & (pixels[..., 2] < 80)
    assert red.sum() > 100, "the ball is not drawn"
    return float(np.nonzero(red)[1].mean()) / pixels.shape[1]


@pytest.mark.chromium
@drawn
def test_a_gif_shows_the_motion(tmp_path: Path) -> None:
    path = moving().animate(tmp_path / "slide.gif", fps=5, speed=2, size=(320, 240), plots=())
    with Image.open(path) as gif:
        assert gif.size == (320, 240) and gif.n_frames == 6
        places = []
        for k in range(gif.n_frames):
            gif.seek(k)
            assert gif.info["duration"] == 200
            places.append(red_place(gif))
    assert np.diff(places) == pytest.approx(np.full(5, (places[-1] - places[0]) / 5), rel=0.2)  # in perspective
    assert places[-1] - places[0] > 0.2


def test_small_things_keep_their_colours_in_a_gif(tmp_path: Path) -> None:
    """A shaded background, bodies of many shades, and a few pixels of other colours."""
    shade = np.linspace(200, 250, 640)[None, :] + np.linspace(-20, 5, 400)[:, None]
    picture = np.stack([shade - 4.0, shade, shade + 4.0], axis=2).astype(np.uint8)
    for k, color in enumerate([(240, 90, 10), (20, 140, 50), (20, 80, 200)]):
        picture[100:200, 20 + 200 * k : 180 + 200 * k] = np.linspace(0.2, 1.0, 160)[:, None] * np.array(color)
    colors = [(220, 40, 40), (40, 150, 60), (20, 110, 210), (230, 90, 10)]
    for k, color in enumerate(colors):
        picture[380:384, 600 + 8 * k : 604 + 8 * k] = color
    frame = io.BytesIO()
    Image.fromarray(picture).save(frame, format="PNG")
    video._write_gif(iter([frame.getvalue()]), tmp_path / "small.gif", 10.0)
    with Image.open(tmp_path / "small.gif") as gif:
        shown = np.asarray(gif.convert("RGB"), dtype=int)
    for k, color in enumerate(colors):
        assert np.abs(shown[382, 602 + 8 * k] - color).max() < 20
    assert np.abs(shown - picture).mean() < 5


@pytest.mark.chromium
@drawn
@pytest.mark.skipif(FFMPEG is None or FFPROBE is None, reason="ffmpeg is not installed (Debian: apt-get install ffmpeg)")
@pytest.mark.parametrize(("ending", "codec"), [("mp4", "h264"), ("webm", "vp9")])
def test_videos_are_read_by_others(tmp_path: Path, ending: str, codec: str) -> None:
    path = moving().animate(tmp_path / f"slide.{ending}", fps=10, speed=2, size=(320, 240), plots=())
    command = [str(FFPROBE), "-v", "error", "-count_frames", "-show_streams", "-of", "json", str(path)]
    (stream,) = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["streams"]
    assert (stream["codec_name"], stream["width"], stream["height"]) == (codec, 320, 240)
    assert stream["r_frame_rate"] == "10/1" and stream["nb_read_frames"] == "11"
    subprocess.run([str(FFMPEG), "-v", "error", "-i", str(path), str(tmp_path / "%02d.png")], check=True)
    first, last = (red_place(Image.open(tmp_path / f"{k:02d}.png")) for k in (1, 11))
    assert last - first > 0.2


def test_what_is_missing_is_told_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = moving()
    monkeypatch.setattr(video, "browser_path", lambda: None)
    with pytest.raises(sr.MissingProgramError, match=r"needs Chromium or Chrome, .* apt-get install chromium\), or write a page"):
        result.animate(tmp_path / "slide.gif")
    monkeypatch.setattr(video, "browser_path", lambda: "chromium")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(video, "import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    with pytest.raises(sr.MissingProgramError, match=r"ending .mp4 needs ffmpeg, .* sharnir\[video\], .* write a .gif"):
        result.animate(tmp_path / "slide.mp4")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("size", [(1281, 720), (0, 0), (640,), "large", (640.0, 480.0), (True, 2)])
def test_sizes_that_no_video_has(tmp_path: Path, size: object) -> None:
    with pytest.raises(sr.ModelError, match=r"animate: size = .* must be two even numbers"):
        moving().animate(tmp_path / "slide.gif", size=size)


def test_frames() -> None:
    assert video.frame_times(1.0, 2.0, 1.0, 30.0)[-1] == 2.0 and len(video.frame_times(1.0, 2.0, 1.0, 30.0)) == 31
    assert video.frame_times(0.0, 1.0, 1.0, 0.7) == [0.0, 1.0]
    assert video.frame_times(0.5, 0.5, 1.0, 30.0) == [0.5]
    with pytest.raises(sr.ModelError, match=r"has 300000 frames, at most 20000 are drawn; raise speed= \(now 0.1\)"):
        video.frame_times(0.0, 1000.0, 0.1, 30.0)


@pytest.mark.chromium
@drawn
def test_ffmpeg_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if FFMPEG is None:
        pytest.skip("ffmpeg is not installed (Debian: apt-get install ffmpeg)")
    monkeypatch.setitem(video.CODES, ".mp4", ["-c:v", "no_such_codec", "-f", "mp4"])
    with pytest.raises(sr.SharnirError, match=r"ffmpeg could not write the video: .*no_such_codec"):
        moving().animate(tmp_path / "slide.mp4", size=(320, 240), plots=())
    assert not [*tmp_path.glob("slide*")]
