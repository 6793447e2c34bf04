"""A demo: a model, the settings of its run, what to plot, and the finding in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharnir.model import Model
from sharnir.picture_file import write_picture
from sharnir.results import Result, Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Demo:
    """A model made for showing.

    Parameters
    ----------
    name : as the command line calls it.
    story : one sentence that says what to watch.
    model : function that makes the model.
    settings : of the run, as `Model.simulate` takes them; "t_end" is among them.
    plots : channels for the picture and for the curves below the animation.
    finding : function of the result that says what came out, with a number.
    traces : bodies whose paths are drawn.
    speed : seconds of motion in a second of watching.
    look : "light", "dark" or "auto".
    pins : whether joints are marked; bodies with shapes of their own look better without.
    scale : how many times larger deformations of flexible bodies are drawn.
    picture : function of the result that makes another figure than the curves alone.

    >>> stone = Demo("stone", "A stone falls.", lambda: Model("stone"), {"t_end": 1.0}, ("stone.position",), lambda result: "")
    >>> stone.model().name
    'stone'
    """

    name: str
    story: str
    model: Callable[[], Model]
    settings: dict[str, Any]
    plots: tuple[str, ...]
    finding: Callable[[Result], str]
    traces: tuple[str, ...] = ()
    speed: float = 1.0
    look: str = "auto"
    pins: bool = False
    scale: float = 1.0
    picture: Callable[[Result], Figure] | None = None

    def run(self) -> Result:
        """The result of the demo."""
        result: Result = self.model().simulate(**self.settings)
        if result.scene is not None and not self.pins:
            result.scene = without_pins(result.scene, set(result.flexible))
        return result

    def write_animation(self, result: Result, path: Path) -> Path:
        """Write the page that plays it; its path."""
        from sharnir.app.animation.page import animate

        return animate(result, path, speed=self.speed, plots=self.plots, traces=self.traces, look=self.look, scale=self.scale)

    def write_plot(self, result: Result, path: Path) -> Path:
        """Write the picture of the curves; its path."""
        if self.picture is None:
            result.plot(*self.plots, path=path)
        else:
            write_picture(self.picture(result), path, dpi=110)
        return path


def without_pins(scene: Scene, flexible: set[str] | None = None) -> Scene:
    """The scene without signs for joints and without a bare ground; `flexible` bodies are drawn by their nodes."""
    kept = {end for spring in scene.springs for end in (spring.a, spring.b)} | (flexible or set())
    items = [replace(item, pins=()) for item in scene.items if item.shapes or item.lines or item.name in kept]
    return replace(scene, items=tuple(items))
