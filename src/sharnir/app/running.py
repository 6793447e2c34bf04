"""The commands: run a model file, run a demo, check a model file, print its equations."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from sharnir.app import terminal
from sharnir.app.outputs import PICTURES, check_paths, size_text, write
from sharnir.app.report import model_rows, run_rows
from sharnir.app.terminal import FAILED, INTERRUPTED
from sharnir.app.text_settings import check_file_settings, check_settings, compile_settings
from sharnir.errors import ModelError, SimulationError
from sharnir.model import Model
from sharnir.results import Result


@dataclass(frozen=True)
class RunOrder:
    """What a user asks for: a file, settings that go before those in the file, files to write, channels to plot."""

    source: Path
    given: dict[str, Any]
    outputs: list[Path]
    channels: list[str]
    quiet: bool = False
    allow_outside: bool = False
    file: Path | None = None  # written while the run goes on
    parameters: Mapping[str, float] = field(default_factory=dict)  # other values than in the file


@contextmanager
def noted_warnings() -> Iterator[None]:
    """Warnings as messages, without places in the source code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if not issubclass(warning.category, DeprecationWarning):
            terminal.warn(str(warning.message))


def read_model(
    path: Path, allow_outside: bool = False, parameters: Mapping[str, float] | None = None
) -> tuple[Model, dict[str, Any]]:
    """A model and its settings from a model file or a robot description; `allow_outside`: it may name files outside its folder.

    `parameters` are values other than those in the file.
    """
    from sharnir.model.robot_files import ROBOTS, robot_model

    if path.suffix.lower() in ROBOTS:
        model, settings = robot_model(path), dict[str, Any]()
    else:
        from sharnir.model.files.model_file import load_run

        model, settings = load_run(path, allow_outside)
    if parameters:
        model.parameters.update(model.parameters.known(parameters, "--set"))
    return model, settings


def run_model(order: RunOrder) -> int:
    """Run a model file; the exit code."""
    try:
        check_paths([*order.outputs, *([] if order.file is None else [order.file])])
    except ModelError as error:
        raise typer.BadParameter(str(error), param_hint="--output") from None
    with noted_warnings():
        model, settings = read_model(order.source, order.allow_outside, order.parameters)
        check_file_settings(order.source, settings)
        given = {key: value for key, value in order.given.items() if value is not None}
        if "integrator" in given:  # order and options in the file are those of its own integrator
            settings = {key: value for key, value in settings.items() if key not in ("order", "options")}
        settings |= given
        check_settings(settings)
        result, failure = computed(model, settings, order.quiet, order.file)
    known = [name for name in order.channels if name in result]
    outputs = list(order.outputs)
    written = [] if order.file is None else [order.file]
    if known and not any(path.suffix.lower() in PICTURES for path in outputs):
        outputs.append(Path(order.source.stem + ".png"))
    for path in outputs:
        write(result, path, known)
    if not order.quiet:
        system = model.compile(**compile_settings(settings))
        terminal.heading(model.name, order.source.name)
        terminal.rows(model_rows(model, system) + run_rows(model, system, result, settings) + file_rows(written + outputs))
    return exit_code(result, failure, order.channels)


def computed(model: Model, settings: dict[str, Any], quiet: bool, file: Path | None = None) -> tuple[Result, str | None]:
    """The result of a run, and why it failed if it did and there is something to keep."""
    try:
        return model.simulate(**settings, progress=False if quiet else None, file=file), None
    except SimulationError as error:
        if error.result is None:
            raise
        return error.result, str(error)


def exit_code(result: Result, failure: str | None, channels: list[str]) -> int:
    """The code of a run whose results are written; says what was wrong."""
    if failure is not None:
        terminal.complain(failure.partition("; what was computed is in")[0])
        return FAILED
    if not result.complete:
        terminal.complain(str(result.failure))
        return INTERRUPTED
    for name in channels:
        if name not in result:
            try:
                result.channel(name)
            except KeyError as error:
                raise typer.BadParameter(str(error), param_hint="--plot") from None
    return 0


def file_rows(paths: list[Path]) -> list[tuple[str, str]]:
    """The files that were written."""
    return [("written", "\n".join(f"{path}  ({size_text(path)})" for path in paths))] if paths else []


def list_demos() -> None:
    """Names and stories."""
    from sharnir.app.demos import ALL_DEMOS

    width = max(map(len, ALL_DEMOS)) + 2
    for demo in ALL_DEMOS.values():
        terminal.say(f"[cyan]{demo.name:<{width}}[/cyan]{demo.story}")


def run_demo(name: str | None, folder: Path, model_file: Path | None, open_page: bool) -> None:
    """Run a demo, write animation and plot, and say how to look at them."""
    from sharnir.app.demos import ALL_DEMOS

    demo = ALL_DEMOS.get(name or next(iter(ALL_DEMOS)))
    if demo is None:
        raise typer.BadParameter(f"there is no demo {name!r}; there are {', '.join(ALL_DEMOS)}", param_hint="NAME")
    folder.mkdir(parents=True, exist_ok=True)
    page, picture = folder / f"{demo.name}.html", folder / f"{demo.name}.png"
    terminal.heading(demo.name, demo.story)
    model, written = demo.model(), [page, picture]
    if model_file is not None:
        model.save(model_file, demo.settings)
        written.append(model_file)
    result = demo.run()
    demo.write_plot(result, picture)
    demo.write_animation(result, page)
    system = model.compile(**compile_settings(demo.settings))
    rows = model_rows(model, system) + run_rows(model, system, result, demo.settings)
    terminal.rows([*rows, ("result", demo.finding(result)), *file_rows(written)])
    if open_page:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
    else:
        terminal.say(f"Open [bold]{page}[/bold] in a browser to see it move. More demos: [bold]sharnir demo --list[/bold]")


def check_model(path: Path, allow_outside: bool = False, parameters: Mapping[str, float] | None = None) -> None:
    """Report what is wrong with a model file, or what it contains."""
    with noted_warnings():
        model, settings = read_model(path, allow_outside, parameters)
        check_file_settings(path, settings)
        system = model.compile(**compile_settings(settings))
    terminal.heading(path.name, "fine")
    terminal.say()
    terminal.rows(model_rows(model, system))
    if settings:
        terminal.rows([("simulation", ", ".join(f"{key} = {value}" for key, value in settings.items()))])
    terminal.say()
    terminal.plain(system.tree.describe())


def equations_text(
    path: Path, letters: bool, form: str, allow_outside: bool = False, parameters: Mapping[str, float] | None = None
) -> str:
    """The equations of motion of a model file: "text", "latex", "html", "c", "header", "cuda" or "python"."""
    with noted_warnings():
        model, _ = read_model(path, allow_outside, parameters)
        found = model.equations(letters)
    if form in ("text", "latex", "html"):
        return {"text": found.__str__, "latex": found.latex, "html": found.html}[form]() + "\n"
    return {"c": found.c, "header": found.c_header, "cuda": found.cuda, "python": found.numpy}[form]()


def warm_up(everything: bool, jobs: int) -> None:
    """Compile kernels before they are needed, and say which."""
    import time

    from sharnir.kernel.storage.warmup import warm_up as compiled_kernels

    begun, number = time.perf_counter(), 0
    for name, number, count in compiled_kernels(everything, jobs):
        terminal.plain(f"{number:4d} of {count}  {name}")
    if number == 0:
        terminal.say("Nothing to do: kernels came compiled with this installation, or run as plain Python.")
    else:
        terminal.say(f"{number} kernels are ready ({time.perf_counter() - begun:.1f} s).")
