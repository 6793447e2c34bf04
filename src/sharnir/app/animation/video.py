"""The page of an animation as a video: a browser without a window draws every frame, ffmpeg or Pillow joins them."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from sharnir.app.animation.headless_browser import HeadlessBrowser, browser_path
from sharnir.arguments import fail
from sharnir.atomic_file import replacement
from sharnir.errors import MissingProgramError, ModelError, SharnirError
from sharnir.progress import progress_bar

ENDINGS = (".mp4", ".webm", ".gif")
USUAL = {".mp4": 30.0, ".webm": 30.0, ".gif": 20.0}  # frames for each second of watching
MOST_FRAMES = 20_000
CODES = {  # what ffmpeg is told of the result
    ".mp4": ["-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"],
    ".webm": ["-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-pix_fmt", "yuv420p", "-f", "webm"],
}
# what only a person can use is not in the video
BARE = """document.querySelectorAll('.tools, .bar, .menu, .help').forEach((part) => (part.style.display = 'none'));
dispatchEvent(new Event('resize'))"""


def frame_times(start: float, end: float, speed: float, fps: float) -> list[float]:
    """Times of the motion for each frame; the last one shows the end.

    >>> frame_times(0.0, 1.0, speed=2.0, fps=4.0)
    [0.0, 0.5, 1.0]
    """
    count = (end - start) / speed * fps
    if count > MOST_FRAMES:
        remedy = f"raise speed= (now {speed:g}), or lower fps= (now {fps:g})"
        fail("animate", "speed", f": a video of this motion has {count:.0f} frames, at most {MOST_FRAMES} are drawn; {remedy}")
    times = [start + k * speed / fps for k in range(int(count * (1.0 + 1e-12)) + 1)]
    return times if end - times[-1] <= 1e-9 * (end - start) else [*times, end]


def check_programs(ending: str) -> None:
    """Raise an error that tells what to install if something is missing."""
    if browser_path() is None:
        remedy = "install it (Debian: apt-get install chromium), or write a page with the ending .html and record it"
        raise MissingProgramError("Chromium or Chrome, which draws the frames", remedy, "a video")
    if ending != ".gif":
        ffmpeg_path(ending)


def ffmpeg_path(ending: str) -> str:
    """Where ffmpeg is: on this machine, or in a Python package."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        return str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        remedy = "pip install sharnir[video], install ffmpeg itself, or write a .gif, which needs neither"
        raise MissingProgramError("ffmpeg", remedy, f"a video with the ending {ending}") from None


def write_video(page: str, path: Path, times: list[float], fps: float, size: tuple[int, int]) -> None:
    """Draw the text of a page at these times, and write the frames as a video by the ending of the path."""
    ending = path.suffix.lower()
    check_programs(ending)
    with TemporaryDirectory(prefix="sharnir_") as folder, progress_bar(None, "video") as show:
        source = Path(folder) / "page.html"
        source.write_text(page, encoding="utf-8")
        with HeadlessBrowser(Path(folder) / "profile", size) as browser:
            browser.open(source, "#paused")
            browser.evaluate(BARE)

            def frames() -> Iterator[bytes]:
                for k, t in enumerate(times):
                    browser.evaluate(f"sharnir.setTime({t!r})")
                    yield browser.screenshot()
                    if show is not None:
                        show((k + 1) / len(times))

            with replacement(path) as new:
                if ending == ".gif":
                    _write_gif(frames(), new, fps)
                else:
                    _write_by_ffmpeg(frames(), new, fps, ending)


def _write_gif(frames: Iterator[bytes], path: Path, fps: float) -> None:
    """By Pillow; a frame of a GIF lasts whole hundredths of a second."""
    from PIL import Image

    # an octree keeps the colours of small things; a median cut spends most of its 256 colours on the background
    octree, plain = Image.Quantize.FASTOCTREE, Image.Dither.NONE
    pictures = (Image.open(io.BytesIO(frame)).convert("RGB").quantize(method=octree, dither=plain) for frame in frames)
    last = max(2, round(100.0 / fps))
    next(pictures).save(path, format="GIF", save_all=True, append_images=pictures, duration=10 * last, loop=0)


def _write_by_ffmpeg(frames: Iterator[bytes], path: Path, fps: float, ending: str) -> None:
    command = [ffmpeg_path(ending), "-y", "-loglevel", "error", "-f", "image2pipe", "-c:v", "png", "-framerate", f"{fps:g}"]
    with TemporaryFile() as said:
        process = subprocess.Popen(
            [*command, "-i", "-", *CODES[ending], os.fspath(path)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said
        )
        assert process.stdin is not None
        try:
            for frame in frames:
                process.stdin.write(frame)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it says why below
        except BaseException:
            process.kill()
            raise
        finally:
            status = process.wait()
        said.seek(0)
        reason = said.read().decode("utf-8", "replace").strip()
    if status:
        raise SharnirError(f"{path.name}: ffmpeg could not write the video: {reason[-500:] or f'it ended with status {status}'}")


def checked_size(size: object) -> tuple[int, int]:
    """Width and height that every video can have: even numbers.

    >>> checked_size((1281, 720))
    Traceback (most recent call last):
    sharnir.errors.ModelError: animate: size = (1281, 720) must be two even numbers of pixels, such as (1280, 720)
    """
    if (
        isinstance(size, (tuple, list))
        and len(size) == 2
        and all(isinstance(x, int) and not isinstance(x, bool) and 64 <= x <= 8192 and x % 2 == 0 for x in size)
    ):
        return size[0], size[1]
    raise ModelError(f"animate: size = {size!r} must be two even numbers of pixels, such as (1280, 720)", field="size")
