"""The command line. Exit codes: 0 success, 1 model or file, 2 usage, 3 the run failed, 130 interrupted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from sharnir.app import terminal
from sharnir.app.run_options import (
    AllowOutside,
    Channels,
    Correction,
    EndTime,
    Formulation,
    Integrator,
    IntegratorOptions,
    Method,
    ModelPath,
    Order,
    OutputFiles,
    ParameterValues,
    Solver,
    Stabilization,
    Step,
    Tolerance,
    WrittenFile,
)
from sharnir.app.terminal import FAILED, INTERRUPTED, PROBLEM
from sharnir.errors import SharnirError, SimulationError

app = typer.Typer(
    name="sharnir",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with [bold]sharnir demo[/bold]. Each command has its own help: [bold]sharnir run --help[/bold].",
)


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        from sharnir import __version__

        print(f"sharnir {__version__}")
        raise typer.Exit


@app.callback()
def sharnir(
    version: Annotated[bool, typer.Option("--version", help="Show the version.", callback=show_version, is_eager=True)] = False,
) -> None:
    """Dynamics of mechanisms: describe bodies, joints and forces; get the motion, the forces and the pictures."""


@contextmanager
def exit_codes() -> Iterator[None]:
    """What goes wrong in a command becomes a message and an exit code, without a traceback."""
    try:
        yield
    except SimulationError as error:
        terminal.complain(str(error))
        raise typer.Exit(FAILED) from None
    except SharnirError as error:
        terminal.complain(str(error))
        raise typer.Exit(PROBLEM) from None
    except BrokenPipeError:
        raise  # the reader has seen enough; the framework ends quietly
    except OSError as error:
        terminal.complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        raise typer.Exit(PROBLEM) from None
    except KeyboardInterrupt:
        terminal.complain("interrupted")
        raise typer.Exit(INTERRUPTED) from None


@app.command()
def run(
    model: ModelPath,
    t_end: EndTime = None,
    step: Step = None,
    integrator: Integrator = None,
    tolerance: Tolerance = None,
    order: Order = None,
    option: IntegratorOptions = None,
    formulation: Formulation = None,
    method: Method = None,
    solver: Solver = None,
    correction: Correction = None,
    stabilization: Stabilization = None,
    output: OutputFiles = None,
    plot: Channels = None,
    file: WrittenFile = None,
    parameters: ParameterValues = None,
    allow_outside: AllowOutside = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing unless something is wrong.")] = False,
) -> None:
    """Run a model file, and say what was done and how good it is.

    Settings come from the file's [cyan]\\[simulation][/cyan] section; options go before them.

    [bold]Examples[/bold]

    \b
    sharnir run pendulum.toml
    sharnir run pendulum.toml --t-end 20 --output motion.csv --output motion.html
    sharnir run pendulum.toml --plot hinge.q --plot hinge.v
    sharnir run robot.urdf --t-end 2 -o robot.html
    sharnir run engine.toml --formulation absolute --integrator radau5
    sharnir run pendulum.toml --set l=0.6 --set m=2
    """
    from sharnir.app.running import RunOrder, run_model
    from sharnir.app.text_settings import correction_setting, option_settings, parameter_values, stabilization_setting

    given: dict[str, Any] = {
        "t_end": t_end,
        "step": step,
        "integrator": integrator,
        "tolerance": tolerance,
        "method": method,
        "order": order,
    }
    given |= {"formulation": formulation, "solver": solver, "options": option_settings(option)}
    given |= {"correction": correction_setting(correction), "stabilization": stabilization_setting(stabilization)}
    with exit_codes():
        order_given = RunOrder(model, given, output or [], plot or [], quiet, allow_outside, file, parameter_values(parameters))
        code = run_model(order_given)
        if code:
            raise typer.Exit(code)


@app.command()
def demo(
    name: Annotated[str | None, typer.Argument(help="Name of the demo; the first one by default.", show_default=False)] = None,
    all_names: Annotated[bool, typer.Option("--list", "-l", help="List the demos.")] = False,
    output_dir: Annotated[Path, typer.Option("--output-dir", "-d", help="Folder for the files.")] = Path(),
    model_file: Annotated[
        Path | None, typer.Option("--model", metavar="FILE", help="Also write the model as a model file (.toml) to edit.")
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the animation in the browser.")] = False,
) -> None:
    """Run a demo: writes NAME.html (an animation that plays offline in any browser) and NAME.png (a plot).

    [bold]Examples[/bold]

    \b
    sharnir demo
    sharnir demo --list
    sharnir demo robot-arm --output-dir pictures --open
    sharnir demo satellite --model satellite.toml && sharnir run satellite.toml
    """
    from sharnir.app.running import list_demos, run_demo

    with exit_codes():
        if all_names:
            list_demos()
        else:
            run_demo(name, output_dir, model_file, open_page)


@app.command()
def check(model: ModelPath, parameters: ParameterValues = None, allow_outside: AllowOutside = False) -> None:
    """Check a model file without running it: all problems at once, or a summary and the tree of bodies.

    The exit code is 1 if there are problems.

    [bold]Example[/bold]

    \b
    sharnir check pendulum.toml
    """
    from sharnir.app.running import check_model
    from sharnir.app.text_settings import parameter_values

    with exit_codes():
        check_model(model, allow_outside, parameter_values(parameters))


@app.command()
def equations(
    model: ModelPath,
    letters: Annotated[bool, typer.Option("--letters", help="Letters instead of the model's numbers.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="As LaTeX.")] = False,
    html: Annotated[bool, typer.Option("--html", help="As a page for the browser.")] = False,
    c: Annotated[bool, typer.Option("--c", help="As C99; --output also writes the header beside it.")] = False,
    cuda: Annotated[bool, typer.Option("--cuda", help="As CUDA C.")] = False,
    python: Annotated[bool, typer.Option("--python", help="As a Python module that needs only NumPy.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write them to a file.")] = None,
    parameters: ParameterValues = None,
    allow_outside: AllowOutside = False,
) -> None:
    """Print the equations of motion of a model as formulas, or as a program.

    [bold]Examples[/bold]

    \b
    sharnir equations pendulum.toml --letters
    sharnir equations pendulum.toml --letters --html -o pendulum.html
    sharnir equations pendulum.toml --letters --c -o pendulum.c
    """
    from sharnir.app.running import equations_text
    from sharnir.app.text_settings import parameter_values

    with exit_codes():
        asked = {"latex": latex, "html": html, "c": c, "cuda": cuda, "python": python}
        forms = [form for form, wanted in asked.items() if wanted]
        if len(forms) > 1:
            raise typer.BadParameter(f"give one of {', '.join(f'--{form}' for form in forms)}, not several")
        form = forms[0] if forms else "text"
        values = parameter_values(parameters)
        terminal.deliver(equations_text(model, letters, form, allow_outside, values), output)
        if c and output is not None:
            terminal.deliver(equations_text(model, letters, "header", allow_outside, values), output.with_suffix(".h"))


@app.command()
def studio(
    model: Annotated[
        Path | None,
        typer.Argument(metavar="[MODEL]", help="A model file to open; without one, an empty model.", show_default=False),
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Port on this machine; 0 for the first free one.")] = 0,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Build, run and watch a mechanism in the browser.

    The page is served on this machine only. Files are read and written in the folder of the model file, or in the present one.

    [bold]Examples[/bold]

    \b
    sharnir studio
    sharnir studio crane.toml
    sharnir studio --no-open --port 8700
    """
    from sharnir.app.studio.launch import start

    with exit_codes():
        start(model, port, open_page)


@app.command()
def study(
    file: Annotated[Path, typer.Argument(metavar="STUDY", help="A study file (.toml).", show_default=False)],
    store: Annotated[
        Path | None, typer.Option("--store", metavar="FILE", help="Write finished runs to FILE at once, before the file's own.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the store: finished runs are not repeated.")] = False,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write a page (.html) with plots of the study.")
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write a table (.csv, .parquet) or a picture (.png, .svg, .pdf)."),
    ] = None,
    executor: Annotated[
        str | None, typer.Option(help="threads, processes, or the address of a scheduler of Dask, such as tcp://node:8786.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Threads or processes; default: one for each processor.", min=1)] = None,
    allow_outside: AllowOutside = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing unless something is wrong.")] = False,
) -> None:
    """Make many runs of a model as a study file says: parameters, outputs, design, where it runs.

    [bold]Examples[/bold]

    \b
    sharnir study damper.toml --page damper.html
    sharnir study damper.toml --store damper.db --executor processes
    sharnir study damper.toml --store damper.db --resume -o damper.csv
    """
    from sharnir.app.study_command import StudyOrder, run_study

    with exit_codes():
        order = StudyOrder(file, store, resume, page, output or [], executor, workers, allow_outside, quiet)
        code = run_study(order)
        if code:
            raise typer.Exit(code)


@app.command()
def bench(
    full: Annotated[bool, typer.Option("--full", help="Measure longer, on more and larger models.")] = False,
) -> None:
    """Measure the speed of this installation on this machine.

    [bold]Example[/bold]

    \b
    sharnir bench
    """
    from sharnir.face import upward

    with exit_codes():
        upward("sharnir.app.bench", "run_benchmark")(quick=not full)


@app.command()
def warmup(
    everything: Annotated[bool, typer.Option("--all", help="All kernels, not only those that most runs need.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", help="Processes at once; 0: one for each processor.")] = 0,
) -> None:
    """Compile kernels now, so that no later run on this machine has to wait for them.

    [bold]Examples[/bold]

    \b
    sharnir warmup
    sharnir warmup --all
    """
    from sharnir.app.running import warm_up

    with exit_codes():
        warm_up(everything, jobs)


@app.command()
def schema(
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it to a file.")] = None,
    study_files: Annotated[bool, typer.Option("--study", help="That of study files.")] = False,
) -> None:
    """Print the JSON schema of model files, for editors that check and complete TOML.

    [bold]Example[/bold]

    \b
    sharnir schema -o model.schema.json
    """
    import json

    from sharnir.model.files.schema import schema as model_schema
    from sharnir.studies.study_file import schema as study_schema

    with exit_codes():
        text = json.dumps(study_schema() if study_files else model_schema(), indent=1, ensure_ascii=False) + "\n"
        terminal.deliver(text, output)


@app.command()
def urdf(
    robot: Annotated[Path, typer.Argument(metavar="ROBOT", help="A robot description (.urdf).", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The model file; printed by default.")
    ] = None,
    floating_base: Annotated[bool, typer.Option("--floating-base", help="Let the root link move freely.")] = False,
) -> None:
    """Convert a robot description (URDF) to a model file.

    [bold]Examples[/bold]

    \b
    sharnir urdf robot.urdf -o robot.toml
    sharnir urdf quadruped.urdf --floating-base -o quadruped.toml
    """
    from sharnir.app.running import noted_warnings
    from sharnir.model.files.model_file import text_of
    from sharnir.model.urdf import load_urdf

    with exit_codes():
        with noted_warnings():
            text = text_of(load_urdf(robot, floating_base=floating_base))
        terminal.deliver(text, output)


@app.command()
def mjcf(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model of MuJoCo (.xml).", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The model file; printed by default.")
    ] = None,
    keyframe: Annotated[str | None, typer.Option("--keyframe", help="The keyframe from which it starts.")] = None,
) -> None:
    """Convert a model of MuJoCo (MJCF) to a model file.

    [bold]Examples[/bold]

    \b
    sharnir mjcf robot.xml -o robot.toml
    sharnir mjcf quadruped.xml --keyframe home -o quadruped.toml
    """
    from sharnir.app.running import noted_warnings
    from sharnir.model.files.model_file import text_of
    from sharnir.model.mjcf import load_mjcf

    with exit_codes():
        with noted_warnings():
            text = text_of(load_mjcf(model, keyframe=keyframe))
        terminal.deliver(text, output)


@app.command()
def sdf(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model or world of Gazebo or Drake (.sdf).", show_default=False)
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The model file; printed by default.")
    ] = None,
    fixed_base: Annotated[bool, typer.Option("--fixed-base", help="Fix models that no joint holds to the ground.")] = False,
) -> None:
    """Convert a model of Gazebo or Drake (SDF) to a model file.

    [bold]Examples[/bold]

    \b
    sharnir sdf model.sdf -o model.toml
    sharnir sdf arm.sdf --fixed-base -o arm.toml
    """
    from sharnir.app.running import noted_warnings
    from sharnir.model.files.model_file import text_of
    from sharnir.model.sdf import load_sdf

    with exit_codes():
        with noted_warnings():
            text = text_of(load_sdf(model, floating_base=not fixed_base))
        terminal.deliver(text, output)


def main(arguments: list[str] | None = None) -> Any:
    """Entry point of the command `sharnir`."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show µ shows ? instead of an error
    return app(arguments)
