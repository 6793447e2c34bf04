"""The motion of a result as one HTML file that plays in any browser, offline.

The page is viewer/page.html with the bundled viewer (made at build time by hatch_build.py) and the data inside: poses as
base64 float32, thinned out to the frames one can see. The viewer interpolates between them. Shapes of flexible bodies travel
once, elastic coordinates with each frame; the viewer deforms and colours the bodies.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sharnir.app.animation import video
from sharnir.app.animation.deformation import Deformation, displacement_data
from sharnir.app.animation.kept_together import kept_together
from sharnir.app.animation.packed_meshes import take_out_meshes
from sharnir.app.animation.packing import packed
from sharnir.app.animation.poses import Frames, item_poses
from sharnir.arguments import choice, fail, file_path, number, sequence, shown
from sharnir.atomic_file import write_text
from sharnir.errors import ModelError, SharnirError
from sharnir.notebook import InlinePage
from sharnir.results import Result, Scene, SceneItem
from sharnir.results.figure import axis_label, panels_by_unit

ENDINGS = (".html", ".htm")
LOOKS = ("auto", "light", "dark")
PLOT_SAMPLES = 1200
DEFAULT_CURVES, OFFERED_CURVES = 4, 24
MOST_PANELS, MOST_CURVES = 4, 8  # of those asked for, what is shown at first
LOW, HIGH = 480, 600  # of a page in a notebook, without and with plots; lower ones hide them [pixels]


class MissingViewerError(SharnirError, ImportError):
    """The package was built without its 3D viewer.

    >>> print(MissingViewerError())
    this sharnir was built without its 3D viewer, as npm could not be reached;
    install it again with a network connection (pip install --no-cache-dir --force-reinstall --no-deps …),
    or run "python hatch_build.py" in its source tree
    """

    def __init__(self) -> None:
        super().__init__(
            "this sharnir was built without its 3D viewer, as npm could not be reached;\n"
            "install it again with a network connection (pip install --no-cache-dir --force-reinstall --no-deps …),\n"
            'or run "python hatch_build.py" in its source tree'
        )


def animate(
    result: Result,
    path: str | os.PathLike[str],
    *,
    fps: float | None = None,
    speed: float = 1.0,
    title: str | None = None,
    plots: Iterable[str] | None = None,
    traces: Iterable[str] = (),
    look: str = "auto",
    autoplay: bool = True,
    scale: float = 1.0,
    size: tuple[int, int] = (1280, 720),
) -> Path:
    """Write a page that plays the motion, or a video of it; the path of the file.

    Parameters
    ----------
    result : with a scene, or with channels "<name>.position" and "<name>.rotation".
    path : the file to write: .html for a page; .mp4, .webm or .gif for a video.
    fps : frames for each second of watching, at the most; None takes 60 for a page, 30 for a video, 20 for a GIF.
    speed : seconds of motion in a second of watching.
    title : heading of the page; None takes the result's.
    plots : channels drawn below the picture; None chooses some joint coordinates, () none.
    traces : names of bodies whose paths are shown from the start.
    look : "light", "dark", or "auto" as the reader's system has it.
    autoplay : whether it plays as soon as it is opened.
    scale : how many times larger deformations of flexible bodies are drawn; the page can change it.
    size : width and height of a video [pixels].

    >>> import tempfile
    >>> from sharnir.results import Channel
    >>> t = np.linspace(0.0, 1.0, 11)
    >>> path, turn = np.outer(t, [1.0, 0.0, 0.0]), np.tile([1.0, 0.0, 0.0, 0.0], (11, 1))
    >>> ball = [Channel("ball.position", path, "m"), Channel("ball.rotation", turn)]
    >>> animate(Result(t, ball, title="ball"), tempfile.mkdtemp() + "/ball.html").name
    'ball.html'
    """
    choice(look, LOOKS, "animate", "look")
    path = file_path(path, "animate")
    ending = path.suffix.lower()
    if ending not in (*ENDINGS, *video.ENDINGS):
        remedy = f"give it the ending {', '.join(ENDINGS)} for a page, or {', '.join(video.ENDINGS)} for a video"
        fail("animate", "path", f"= {shown(str(path))} names neither a page nor a video; {remedy}")
    rate = number(video.USUAL.get(ending, 60.0) if fps is None else fps, "animate", "fps", above=0)
    speed, scale = (number(x, "animate", name, above=0) for name, x in (("speed", speed), ("scale", scale)))
    size = video.checked_size(size)
    if ending in video.ENDINGS:
        video.check_programs(ending)
    if not (title is None or isinstance(title, str)):
        fail("animate", "title", f"= {shown(title)} must be text")
    if plots is not None:
        plots = sequence(plots, "animate", "plots", "a list of channels")
    traces = (traces,) if isinstance(traces, str) else sequence(traces, "animate", "traces", "a list of bodies")
    data = page_data(result, fps=rate, speed=speed, plots=plots, scale=scale)
    heading = result.title if title is None else title
    data |= {"title": heading, "traces": checked_traces(data, traces), "look": look, "autoplay": bool(autoplay)}
    text = page(heading or "sharnir", data)
    if ending in video.ENDINGS:
        video.write_video(text, path, video.frame_times(float(result.t[0]), float(result.t[-1]), speed, rate), rate, size)
    else:
        write_text(path, text)
    return path


def inline(result: Result, **options: Any) -> InlinePage:
    """The page for a notebook; options as those of `animate`."""
    with TemporaryDirectory() as folder:
        text = animate(result, Path(folder) / "page.html", **options).read_text(encoding="utf-8")
    return InlinePage(text, LOW if options.get("plots") == () else HIGH)


def page(heading: str, data: dict[str, Any]) -> str:
    """The text of the page."""
    folder = files("sharnir.app") / "viewer"
    bundle = folder / "bundle.js"
    if not bundle.is_file():
        raise MissingViewerError
    # a "<" inside JSON could end the script element; JSON may write it as an escape
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    head, _, tail = (folder / "page.html").read_text(encoding="utf-8").replace("@TITLE@", escape(heading)).partition("@DATA@")
    before, _, after = tail.partition("@BUNDLE@")
    return "".join([head, text, before, bundle.read_text(encoding="utf-8").replace("</script", "<\\/script"), after])


def page_data(
    result: Result, fps: float = 60.0, speed: float = 1.0, plots: Iterable[str] | None = None, scale: float = 1.0
) -> dict[str, Any]:
    """What the viewer reads: items, times, poses, elastic coordinates, curves, events.

    >>> from sharnir.results import Channel
    >>> ball = [Channel("ball.position", np.zeros((2, 3)), "m"), Channel("ball.rotation", np.tile([1.0, 0, 0, 0], (2, 1)))]
    >>> page_data(Result([0.0, 1.0], ball))["items"][0]["name"]
    'ball'
    """
    scene = result.scene if result.scene is not None else scene_of_channels(result)
    if not scene.items:
        raise ModelError("animate: the result has nothing to draw; it needs channels '<name>.position' and '<name>.rotation'")
    if len(result.t) == 0:
        raise ModelError("animate: the result has no samples")
    poses = [item_poses(result, item.name) for item in scene.items]
    bodies = {item.name: Deformation.of(result, item.name) for item in scene.items if item.name in result.flexible}
    frames = Frames(result.t, poses, [body.w for body in bodies.values()], fps / speed)
    pairs = zip(scene.to_dict()["items"], poses, strict=True)
    items = [record | {"still": _stands_still(result, record["name"], p), "elastic": None} for record, p in pairs]
    for item in items:
        if item["name"] in bodies:
            item["elastic"] = bodies[item["name"]].record(frames)
    return {
        "items": items,
        "meshes": take_out_meshes(items),
        "displacement": displacement_of(scene, bodies, frames, scale),
        "springs": scene.to_dict()["springs"],
        "up": scene.up,
        "floor": scene.floor,
        "speed": speed,
        "times": packed(frames.times, "<f8"),
        "poses": packed(np.concatenate([frames.poses(p).ravel() for p in poses]), "<f4"),
        "events": [
            {"t": float(e["t"]), "name": str(e.get("name", "event"))} for e in result.events if isinstance(e, dict) and "t" in e
        ],
    } | curves(result, plots)


def displacement_of(scene: Scene, bodies: dict[str, Deformation], frames: Frames, scale: float) -> dict[str, Any] | None:
    """What the page needs for all flexible bodies together."""
    data = displacement_data(list(bodies.values()), frames, scale)
    if data is not None:
        marks = [(body, node, row) for body, x in bodies.items() for node, row in x.shape.marks.items()]
        data["together"] = kept_together(scene, marks)
    return data


def curves(result: Result, names: Iterable[str] | None) -> dict[str, Any]:
    """The small plots: panels by unit, which of their curves are shown at first, and their values at common times."""
    if names is None:
        q, v = ([c for name in result.channels if name.endswith(end) for c in result.components(name)] for end in (".q", ".v"))
        panels = panels_by_unit(result, [*q, *v][:OFFERED_CURVES])
        first = set(q[:DEFAULT_CURVES])
    else:
        panels = panels_by_unit(result, list(names))
        first = {name for panel in list(panels.values())[:MOST_PANELS] for name in panel[:MOST_CURVES]}
    finite = np.isfinite(result.t)
    for curve in (c for panel in panels.values() for c in panel):
        finite &= np.isfinite(result[curve])
    t = result.t[finite]
    if not panels or len(t) == 0:
        return {"plots": []}
    samples = t if len(t) <= PLOT_SAMPLES else np.linspace(t[0], t[-1], PLOT_SAMPLES)
    values = [np.interp(samples, t, result[curve][finite]) for panel in panels.values() for curve in panel]
    return {
        "plots": [
            {
                "quantity": axis_label("", panel) if not unit else axis_label(unit, panel).removesuffix(f" [{unit}]"),
                "unit": unit,
                "curves": panel,
                "shown": [name in first for name in panel],
            }
            for unit, panel in panels.items()
        ],
        "plot_times": packed(samples, "<f8"),
        "plot_values": packed(np.concatenate(values), "<f4"),
    }


def scene_of_channels(result: Result) -> Scene:
    """A ball for everything that has a position and a rotation."""
    names = [name.removesuffix(".position") for name in result.channels if name.endswith(".position")]
    return Scene(tuple(SceneItem(name) for name in names if f"{name}.rotation" in result))


def checked_traces(data: dict[str, Any], traces: Iterable[str]) -> list[str]:
    """The names, if the scene has them all."""
    known = [item["name"] for item in data["items"]]
    chosen = [traces] if isinstance(traces, str) else list(traces)
    for name in chosen:
        if not isinstance(name, str) or name not in known:
            raise ModelError(f"animate: there is no body {shown(name)} to trace; there are {', '.join(known)}", field="traces")
    return chosen


def _stands_still(result: Result, name: str, poses: np.ndarray) -> bool:
    """Whether an item never moves; in the picture of one moment, whether it has no position of its own, such as the ground."""
    return len(poses) == 1 and (len(result.t) > 1 or f"{name}.position" not in result)
