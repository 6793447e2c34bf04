"""Settings of a run as text: options of the command line and the section [simulation] of a model file, with checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from sharnir.arguments import meant
from sharnir.errors import ModelError, ModelFileError

COMPILED = ("formulation", "method", "solver", "stabilization", "correction")


def compile_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Those settings of a run that `Model.compile` takes.

    >>> compile_settings({"t_end": 1.0, "solver": "sparse"})
    {'solver': 'sparse'}
    """
    return {name: settings[name] for name in COMPILED if settings.get(name) is not None}


def option_settings(given: list[str] | None) -> dict[str, float] | None:
    """Options of an integrator from NAME=NUMBER.

    >>> option_settings(["rho=0.5"])
    {'rho': 0.5}
    """
    return named_numbers(given, "rho=0.5", "--option") or None


def parameter_values(given: list[str] | None) -> dict[str, float]:
    """Values of parameters from NAME=NUMBER.

    >>> parameter_values(["l=0.6"])
    {'l': 0.6}
    """
    return named_numbers(given, "l=0.6", "--set")


def named_numbers(given: list[str] | None, example: str, option: str) -> dict[str, float]:
    """Numbers by name from NAME=NUMBER, for an option that may be repeated."""
    found = {}
    for text in given or ():
        name, _, value = text.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise typer.BadParameter(f"{text!r} must read NAME=NUMBER, such as {example}", param_hint=option) from None
    return found


def correction_setting(word: str | None) -> bool | str | None:
    """What `correction` means on the command line.

    >>> correction_setting("off")
    False
    """
    known = {None: None, "on": True, "off": False, "position": "position", "velocity": "velocity"}
    if word not in known:
        raise typer.BadParameter(f"{word!r} must be on, off, position or velocity", param_hint="--correction")
    return known[word]


def stabilization_setting(word: str | None) -> Any:
    """What `stabilization` means on the command line.

    >>> stabilization_setting("0.1, 0.7")
    (0.1, 0.7)
    """
    if word in (None, "on", "off"):
        return {None: None, "on": True, "off": False}[word]
    try:
        period, damping = (float(part) for part in str(word).split(","))
    except ValueError:
        message = f"{word!r} must be on, off, or a period and a damping ratio, such as 0.1,1"
        raise typer.BadParameter(message, param_hint="--stabilization") from None
    return period, damping


def known_words() -> dict[str, tuple[str, ...]]:
    """The words that settings of this kind can be."""
    from sharnir.dynamics.methods.all_methods import METHODS
    from sharnir.dynamics.model_compilation import FORMULATIONS
    from sharnir.dynamics.multipliers.solver_choice import ALL_SOLVERS
    from sharnir.integrate.choice import EXTERNAL_INTEGRATORS, Integrator

    integrators = ("auto", *Integrator.family.classes(), *EXTERNAL_INTEGRATORS)
    choices = {"method": ("auto", *METHODS), "formulation": FORMULATIONS, "solver": ("auto", *ALL_SOLVERS)}
    return {"integrator": integrators, **choices}


def value_checks(settings: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """Of settings that are more than words: what raises a ModelError if they are wrong."""
    from sharnir.dynamics.evaluation.stabilization import correction_switches, stabilization_gains
    from sharnir.integrate.choice import integrator_named

    name = settings.get("integrator") or "auto"
    return {
        "correction": lambda: correction_switches(settings["correction"]),
        "stabilization": lambda: stabilization_gains(settings["stabilization"]),
        "order": lambda: integrator_named(name, settings["order"]),
        "options": lambda: integrator_named(name, None, options=settings["options"]),
    }


def found_problems(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Settings with words that are not known or values that do not fit, each with a message."""
    problems = []
    for key, known in known_words().items():
        if settings.get(key) not in (None, *known):
            problems.append((key, f"{settings[key]!r} is unknown; choose one of {', '.join(known)}{meant(settings[key], known)}"))
    for key, check in value_checks(settings).items():
        if settings.get(key) is not None and not any(name == "integrator" for name, _ in problems):
            try:
                check()
            except ModelError as error:
                problems.append((key, str(error)))
    return problems


def check_settings(settings: dict[str, Any]) -> None:
    """Wrong settings on the command line, and a missing end, are wrong usage."""
    for key, message in found_problems(settings):
        raise typer.BadParameter(message, param_hint=f"--{key.removesuffix('s')}")
    if settings.get("t_end") is None:
        message = "the end time is missing; give --t-end 10, or write t_end = 10 below [simulation] in the file"
        raise typer.BadParameter(message, param_hint="--t-end")


def check_file_settings(path: Path, settings: dict[str, Any]) -> None:
    """Wrong values below [simulation] are problems of the file, all of them reported together."""
    problems = []
    for key in ("t_end", "step", "output", "max_step"):
        if settings.get(key) is not None and not settings[key] > 0:
            problems.append((f"simulation.{key}", f"= {settings[key]!r} must be a positive time in seconds"))
    if settings.get("tolerance") is not None and not 0 < settings["tolerance"] < 1:
        problems.append(("simulation.tolerance", f"= {settings['tolerance']!r} must lie between 0 and 1; 1e-8 is usual"))
    for key, message in found_problems(settings):
        problems.append((f"simulation.{key}", message if key not in known_words() else f"= {message}"))
    if problems:
        raise ModelFileError(problems, source=path.name)
