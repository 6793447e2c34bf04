"""The result of a run: named channels over time, events, statistics, and the way to plots, files and animations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from sharnir.arguments import file_path, number, sequence, with_advice
from sharnir.errors import ModelError
from sharnir.face import upward
from sharnir.notebook import InlinePage, card
from sharnir.results.channel import Channel
from sharnir.results.flexible_shapes import FlexibleShapes
from sharnir.results.named_channels import NamedChannels
from sharnir.results.node_motion import NodeMotion
from sharnir.results.scene import Scene
from sharnir.results.tables import columns, data_frame, dataset, structured
from sharnir.results.trust import Trust, trust_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from xarray import Dataset


@dataclass(frozen=True)
class Energy:
    """Energies over time in joules.

    >>> Energy(np.array([1.0, 2.0]), np.array([3.0, 2.0]), np.array([4.0, 4.0])).total
    array([4., 4.])
    """

    kinetic: np.ndarray
    potential: np.ndarray
    total: np.ndarray


class Result(NamedChannels):
    """Named channels over time. A failed run has one as well, up to the time it reached.

    Parameters
    ----------
    t : times (nt,), not decreasing.
    channels : `Channel` objects, each with nt rows; or a mapping from names to them, which may create them on demand.
    title : what was computed, usually the model's name.
    scene : what `animate` draws, or a function without arguments that gives it (called once, on first use).
    stats : numbers about the run (steps, evaluations, residuals, …).
    events : dicts with at least "t" and "name", in order of time.
    failure : why the run stopped early; None if it did not.
    flexible : nodes and shapes of flexible bodies by name.
    sensitivities : a function of a channel, a parameter and a tolerance that gives the derivative over time.

    >>> t = np.linspace(0.0, 1.0, 5)
    >>> result = Result(t, [Channel("pendulum.q", 0.1 * np.cos(3.0 * t), "rad")], title="pendulum")
    >>> result["pendulum.q"][0], result.unit("pendulum.q"), result.channels
    (np.float64(0.1), 'rad', ('pendulum.q',))
    """

    def __init__(
        self,
        t: np.ndarray,
        channels: Iterable[Channel] | Mapping[str, Channel] = (),
        *,
        title: str = "",
        scene: Scene | Callable[[], Scene] | None = None,
        stats: dict[str, Any] | None = None,
        events: Iterable[Any] = (),
        failure: str | None = None,
        flexible: Mapping[str, FlexibleShapes] | None = None,
        sensitivities: Callable[[str, str, float], np.ndarray] | None = None,
    ) -> None:
        super().__init__(t, channels, flexible or {})
        self._sensitivities = sensitivities
        self.title, self.failure = title, failure
        self._scene = scene
        self.stats: dict[str, Any] = dict(stats or {})
        self.events: list[Any] = list(events)

    @property
    def scene(self) -> Scene | None:
        """What `animate` draws."""
        if callable(self._scene):
            self._scene = self._scene()
        return self._scene

    @scene.setter
    def scene(self, scene: Scene | None) -> None:
        self._scene = scene

    @property
    def complete(self) -> bool:
        """Whether the run reached its end."""
        return self.failure is None

    @property
    def energy(self) -> Energy:
        """Kinetic, potential and total energy (channels "energy.kinetic" and so on).

        >>> parts = [Channel(f"energy.{key}", [x]) for key, x in (("kinetic", 1.0), ("potential", 2.0), ("total", 3.0))]
        >>> Result([0.0], parts).energy.total
        array([3.])
        """
        return Energy(self["energy.kinetic"], self["energy.potential"], self["energy.total"])

    def sensitivity(self, channel: str, by: str, tolerance: float = 1e-10) -> np.ndarray:
        """How a channel changes with a parameter of the model, or with an initial coordinate or speed, at every time of output.

        The equations of variation are integrated beside the motion, with exact derivatives; `tolerance` is the relative one.

        >>> import sharnir as sr
        >>> m = sr.Model(parameters={"v0": 3.0})
        >>> _ = m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", v="v0"))
        >>> m.simulate(2.0, step=1.0).sensitivity("x.q", "v0").round(9)
        array([0., 1., 2.])
        """
        if self._sensitivities is None:
            raise ModelError(f"sensitivity of {channel!r}: this result has only numbers; run the model again")
        if channel not in self:
            self._find(channel)
        if not (isinstance(tolerance, float) and 0.0 < tolerance < 1.0):
            raise ModelError(f"sensitivity: tolerance = {tolerance!r} must lie between 0 and 1; 1e-10 is usual")
        return self._sensitivities(channel, by, tolerance)

    def node(self, body: str, which: int | str) -> NodeMotion:
        """A node of a flexible body: displacement in the body, motion in the world.

        which : the node's number in the FE model, or the name of an interface. The same quantities are channels,
        "<body>:<node>.displacement" and so on.

        >>> from sharnir.results.flexible_shapes import FlexibleShapes
        >>> bar = FlexibleShapes("bar", np.eye(2, 3), np.array([10, 20]), np.ones((2, 3, 1)), None, {}, np.zeros((0, 6, 1)))
        >>> result = Result([0.0, 1.0], [Channel("bar.w", [[0.0], [0.5]])], flexible={"bar": bar})
        >>> result.node("bar", 20).displacement[1], result["bar:20.displacement.z"]
        (array([0.5, 0.5, 0.5]), array([0. , 0.5]))
        """
        return NodeMotion(self, self.shapes_of(body), which)

    def displacements(self, body: str, t: float) -> np.ndarray:
        """(n, 3) displacements of all nodes of a flexible body in its axes, at the output nearest to time t [m].

        Rows are those of `result.flexible[body].nodes` and `.labels`.

        >>> from sharnir.results.flexible_shapes import FlexibleShapes
        >>> bar = FlexibleShapes("bar", np.eye(2, 3), np.array([10, 20]), np.ones((2, 3, 1)), None, {}, np.zeros((0, 6, 1)))
        >>> Result([0.0, 1.0], [Channel("bar.w", [[0.0], [0.5]])], flexible={"bar": bar}).displacements("bar", 1.0)[0]
        array([0.5, 0.5, 0.5])
        """
        at = number(t, "Result.displacements", "t")
        return self.shapes_of(body).displacements(self[f"{body}.w"][int(np.argmin(np.abs(self.t - at)))])

    @property
    def trust(self) -> Trust:
        """The checks of the run: `good`, what is `known`, and `doubts` with their remedies.

        >>> Result([0.0], stats={"energy_residual": 1e-9, "energy_moved": 2.0, "energy_allowed": 1e-6}).trust.good
        True
        """
        return trust_of(self.stats)

    def report(self) -> str:
        """What was computed, how, and whether it can be trusted, in a few lines.

        >>> print(Result([0.0, 2.0], title="pendulum", stats={"integrator": "dop853", "steps": 40, "rejected": 2}).report())
        pendulum: 0 … 2 s, 2 outputs
        run: dop853, 40 steps, 2 rejected
        trust: good (5 % of steps rejected)
        """
        span = f"{self.t[0]:g} … {self.t[-1]:g} s, {len(self.t)} outputs" if len(self.t) else "nothing computed"
        lines = [f"{self.title or 'a run'}: {span}" + ("" if self.complete else f"; stopped early: {self.failure}")]
        counts = [f"{self.stats[key]} {key}" for key in ("steps", "rejected", "evaluations", "events") if key in self.stats]
        if counts:
            lines.append(f"run: {', '.join([str(self.stats.get('integrator', 'not integrated')), *counts])}")
        if self.stats.get("engine_evaluations"):
            lines.append(f"near singular positions: {self.stats['engine_evaluations']} evaluations by the engine")
        return "\n".join([*lines, f"trust: {self.trust}"])

    # -- going on ---------------------------------------------------------------------------------------------------

    def to_dict(self, *names: str) -> dict[str, np.ndarray]:
        """Times and scalar channels (all, or the named ones) as a dict of arrays; vectors as their components.

        >>> list(Result([0.0], [Channel("a.q", [1.0]), Channel("b.position", [[1.0, 2.0, 3.0]])]).to_dict())
        ['t', 'a.q', 'b.position.x', 'b.position.y', 'b.position.z']
        """
        return {"t": self.t} | columns(self, names)

    def to_numpy(self, *names: str) -> np.ndarray:
        """A structured array of NumPy with a row for each time and a field for each channel, vectors as one field.

        >>> table = Result([0.0, 0.1], [Channel("a.q", [1.0, 2.0]), Channel("b.position", np.zeros((2, 3)))]).to_numpy()
        >>> table["a.q"][-1].item(), table["b.position"].shape
        (2.0, (2, 3))
        """
        return structured(self, names)

    def to_pandas(self, *names: str) -> DataFrame:
        """A pandas DataFrame with the times as index and one column for each scalar; `attrs["units"]` has the units.

        >>> Result([0.0, 0.1], [Channel("a.q", [1.0, 2.0], "rad")]).to_pandas().loc[0.1, "a.q"].item()
        2.0
        """
        return data_frame(self, names)

    def to_xarray(self, *names: str) -> Dataset:
        """An xarray Dataset over "t": vectors keep their components as a dimension, units are attributes.

        >>> Result([0.0, 0.1], [Channel("a.q", [1.0, 2.0], "rad")]).to_xarray()["a.q"].attrs["units"]
        'rad'
        """
        found: Dataset = dataset(self, names)
        return found

    @with_advice
    def plot(self, *names: str, path: str | os.PathLike[str] | None = None, show: bool = False) -> Figure:
        """A Matplotlib figure of channels over time, one panel for each unit.

        Without names it shows the joint coordinates. `path` writes it to a file (.png, .svg, .pdf), `show` opens a window.

        >>> figure = Result([0.0, 1.0], [Channel("a.q", [1.0, 2.0], "rad")]).plot("a.q")
        >>> figure.axes[0].get_ylabel()
        'angle [rad]'
        """
        from sharnir.results.figure import draw

        return draw(self, names, path=path, show=show)

    @overload
    def animate(
        self,
        path: None = None,
        *,
        fps: float | None = None,
        speed: float = 1.0,
        title: str | None = None,
        plots: Iterable[str] | None = None,
        traces: Iterable[str] = (),
        look: Literal["auto", "light", "dark"] = "auto",
        scale: float = 1.0,
    ) -> InlinePage: ...

    @overload
    def animate(
        self,
        path: str | os.PathLike[str],
        *,
        fps: float | None = None,
        speed: float = 1.0,
        title: str | None = None,
        plots: Iterable[str] | None = None,
        traces: Iterable[str] = (),
        look: Literal["auto", "light", "dark"] = "auto",
        scale: float = 1.0,
        size: tuple[int, int] = (1280, 720),
    ) -> Path: ...

    @with_advice
    def animate(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        fps: float | None = None,
        speed: float = 1.0,
        title: str | None = None,
        plots: Iterable[str] | None = None,
        traces: Iterable[str] = (),
        look: Literal["auto", "light", "dark"] = "auto",
        scale: float = 1.0,
        size: tuple[int, int] = (1280, 720),
    ) -> Path | InlinePage:
        """Write one HTML file that plays the motion in any browser, offline, or a video of it; the path of the file.

        Without a path the page shows itself in a notebook. A path with the ending .mp4, .webm or .gif makes a video of `size`
        pixels; this needs Chromium or Chrome on the machine, and for .mp4 and .webm ffmpeg (`pip install sharnir[video]`).

        speed : seconds of motion in a second of watching.   plots : channels in the plot strip; default: joint coordinates.
        traces : bodies that leave a line.   look : "light", "dark" or "auto".   scale : factor by which deformations are
            enlarged.

        >>> import tempfile
        >>> still = [Channel("box.position", [[0.0, 0.0, 0.0]] * 2, "m"), Channel("box.rotation", [[1.0, 0.0, 0.0, 0.0]] * 2)]
        >>> Result([0.0, 1.0], still).animate(tempfile.mkdtemp() + "/box.html").name
        'box.html'
        """
        options = {"fps": fps, "speed": speed, "title": title, "plots": plots, "traces": traces, "look": look, "scale": scale}
        page: Any = upward("sharnir.app.animation.page", "animate" if path is not None else "inline")
        found: Path | InlinePage = page(self, **options) if path is None else page(self, path, size=size, **options)
        return found

    @with_advice
    def save(self, path: str | os.PathLike[str], channels: Iterable[str] | None = None) -> Path:
        """Write to a file, by its suffix: .csv, .h5 or .parquet; the path of the file.

        .csv holds the joint coordinates as text with 17 digits, the others hold all channels, unless `channels` chooses.

        >>> import tempfile
        >>> file = Result([0.0, 0.1], [Channel("a.q", [1.0, 2.0])]).save(tempfile.mkdtemp() + "/a.csv")
        >>> file.read_text().splitlines()
        ['t,a.q', '0,1', '0.10000000000000001,2']
        """
        chosen = None if channels is None else list(sequence(channels, "Result.save", "channels", "a list of names"))
        found: Path = upward("sharnir.results.storage", "write")(self, file_path(path, "Result.save"), chosen)
        return found

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """The result that was saved as .h5, digit for digit.

        >>> import tempfile
        >>> file = Result([0.0, 0.1], [Channel("a.q", [1.0, 2.0])]).save(tempfile.mkdtemp() + "/a.h5")
        >>> Result.load(file)["a.q"]
        array([1., 2.])
        """
        found: Result = upward("sharnir.results.storage", "read")(file_path(path, "Result.load"))
        return found

    def __getstate__(self) -> dict[str, Any]:
        # a function that computes a channel may not survive the way to another process, its numbers do
        kept = [Channel(name, self[name], self.unit(name), self._channels[name].labels or None) for name in self.channels]
        return (
            self.__dict__
            | {"_nodes": {}, "_channels": {channel.name: channel for channel in kept}, "_scene": self.scene}
            | {"_sensitivities": None}
        )

    def _repr_html_(self) -> str:
        channels = ((name, self._channels[name].unit, len(self.components(name))) for name in self.channels)
        events = ((f"{event['t']:.6g}", event.get("name", "")) for event in self.events if "t" in event)
        tables = (
            (f"{len(self.channels)} channels", ("name", "unit", "components"), channels),
            (f"{len(self.events)} events", ("t [s]", "name"), events),
        )
        heading, _, text = self.report().partition("\n")
        return card(heading, text, tables)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} … {self.t[-1]:g} s, " if len(self.t) else ""
        state = "" if self.complete else f", stopped early: {self.failure}"
        names = ", ".join(self.channels[:5]) + (", …" if len(self.channels) > 5 else "")
        stats = ", ".join(f"{key} {_short(value)}" for key, value in self.stats.items() if isinstance(value, str | int | float))
        return (
            f"Result of {self.title or 'a run'!r}: {span}{len(self.t)} samples{state}\n"
            f"  {len(self.channels)} channels: {names}\n"
            f"  {stats[:110] + ('…' if len(stats) > 110 else '') if stats else 'no statistics'}; {len(self.events)} events"
        )


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
