"""Analyses that the studio offers as buttons: equilibrium, modes, linear equations."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from sharnir.app.animation.page import page_data
from sharnir.app.studio.examination import poses_of
from sharnir.dynamics.mobility.state_steps import moved
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.model import FlexibleBody
from sharnir.results import Result
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.model_scene import scene_of
from sharnir.simulate.channels.run_channels import RunChannels

FRAMES = 24  # pictures of one oscillation
AMPLITUDE = 0.15  # of a mode shape in a picture, its largest entry [m or rad]
PARTS = 3  # coordinates that are named with a mode
STILL = 1e-6  # acceleration [m/s²] below which a position is an equilibrium


def analysis(system: System, kind: str, **given: Any) -> dict[str, Any]:
    """The result of an analysis, with what the page draws of it.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, position=(0, 0, -1)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", q=1))
    >>> round(abs(analysis(m.compile(), "equilibrium")["coordinates"][0]["values"][0]), 6)
    0.0
    """
    known = {"equilibrium": equilibrium, "modes": modes, "linear": linear}
    if kind not in known:
        raise ModelError(f"analysis: {kind!r} is unknown; there are {', '.join(known)}")
    return known[kind](system, **given)


def full(system: System, q: np.ndarray) -> np.ndarray:
    """A state at rest with given coordinates."""
    y = system.y0.copy()
    y[: system.n_q] = q
    y[system.n_q : system.n_q + system.n_v] = 0.0
    return y


def equilibrium(system: System) -> dict[str, Any]:
    """Coordinates at rest under the loads, reactions of joints, and where the bodies are."""
    found = system.equilibrium()
    rows: dict[str, dict[str, Any]] = {}
    for key, numbers in found.coordinates.items():
        name, _, part = key.removesuffix(".q").partition(".q.")
        values = np.atleast_1d(np.asarray(numbers, float)).round(12).tolist()
        row = rows.setdefault(name, {"name": name, "values": [], "units": [], "parts": [], "settable": True})
        row["values"] += values
        row["parts"] += [part] * len(values)
        row["units"] += [unit_of(system, name, part)] * len(values)
        row["settable"] = name in system.model.joints
    reactions = [
        {"name": name, "force": float(np.linalg.norm(x[:3])), "torque": float(np.linalg.norm(x[3:6])), "values": x.tolist()}
        for name, x in ((name, np.asarray(x, float)) for name, x in found.reactions.items())
    ]
    y = full(system, np.asarray(found.q))
    answer = {
        "coordinates": list(rows.values()),
        "reactions": reactions,
        "stable": bool(found.stable),
        "residual": found.residual,
    }
    return answer | {"poses": poses_of(system, y)}


def unit_of(system: System, name: str, part: str) -> str:
    """Unit of a coordinate of a joint, or of one of its parts by name; quaternions have none."""
    joint = system.model.joints.get(name)
    if joint is None or part.startswith("q"):
        return ""
    if joint.coordinates != "angles":
        return "m"  # the position of a free body
    names = [str(word) for word in joint.freedom_names]
    return "m" if joint.freedoms[names.index(part) if part in names else 0].kind == "translation" else "rad"


def modes(system: System, most: int = 20, amplitude: float = AMPLITUDE) -> dict[str, Any]:
    """Frequencies, damping ratios and moving pictures of the shapes about the initial position."""
    found = system.modes()
    start = full(system, system.y0[: system.n_q])
    listed, swung = [], []
    flexible = any(isinstance(body, FlexibleBody) for body in system.model.bodies.values())
    for k in range(min(most, len(found))):
        shape = found.shapes[:, k]
        shape = np.real(shape * np.exp(-1j * np.angle(shape[np.argmax(np.abs(shape))])))
        swings = float(amplitude) * np.sin(2 * np.pi * np.arange(FRAMES) / FRAMES) / max(np.abs(shape).max(), 1e-300)
        states = [moved(system, start, s * shape) for s in swings]
        swung.append(np.array(states))
        frames = [poses_of(system, y) for y in states]
        value = complex(found.eigenvalues[k])
        largest = sorted(range(len(shape)), key=lambda i: -abs(shape[i]))[:PARTS]
        parts = [{"name": str(system.speeds[i]), "share": float(shape[i])} for i in largest if abs(shape[i]) > 0.05]
        entry = {"frequency": float(found.frequencies[k]), "damping": float(found.damping_ratios[k]), "frames": frames}
        listed.append(entry | {"eigenvalue": [value.real, value.imag], "parts": parts})
    shown = {"modes": listed, "count": len(found), "stable": found.stable, **quality(found.linearization)}
    return shown | {"view": view_of(system, swung) if swung and flexible else None}


def view_of(system: System, swung: list[np.ndarray]) -> dict[str, Any]:
    """All shapes of a mechanism with flexible bodies as one motion for the page: mode k swings from time k on."""
    t = np.concatenate([k + np.arange(len(y)) / len(y) for k, y in enumerate(swung)])
    states = np.ascontiguousarray(np.concatenate(swung))
    channels = RunChannels(Observer(system, np.zeros_like(t), states))  # drives stand still meanwhile
    return page_data(Result(t, channels, scene=scene_of(system), flexible=channels.flexible.shapes), plots=())


def quality(found: Any) -> dict[str, Any]:
    """Whether the linear equations hold for longer than a moment."""
    rest = float(np.abs(found.acceleration).max(initial=0.0))
    return {"steady": bool(found.steady), "at_rest": bool(rest < STILL), "acceleration": rest}


def linear(system: System) -> dict[str, Any]:
    """State equations about the initial position: A, B, C, feedthrough, their names, and the eigenvalues of A."""
    found = system.linearize()
    f, g = found.basis.shape[1], found.speed_basis.shape[1]
    coordinates = [*names_of(system, found.basis, "ξ", "q"), *names_of(system, found.speed_basis, "η", "v")]
    states = [*coordinates, *found.states]
    states += [f"z{k + 1}" for k in range(len(found.A) - len(states))]
    matrices = {name: np.asarray(getattr(found, name), float).tolist() for name in ("A", "B", "C", "feedthrough", "M", "D", "K")}
    values = sorted((complex(x) for x in np.asarray(found.eigenvalues)), key=lambda x: (round(abs(x), 9), x.imag))
    eigenvalues = [
        {"re": x.real, "im": x.imag, "frequency": abs(x) / (2 * math.pi), "damping": -x.real / abs(x) if x else 0.0}
        for x in values
    ]
    names = {"states": states[: len(found.A)], "inputs": list(found.inputs), "outputs": list(found.outputs)}
    about = {"coordinates": f, "speeds": g, "speed_names": [str(name) for name in system.speeds], "basis": found.basis.tolist()}
    return {**matrices, **names, **about, "eigenvalues": eigenvalues, **quality(found)}


def names_of(system: System, basis: np.ndarray, letter: str, key: str) -> list[str]:
    """Names of reduced coordinates: that of a speed where only one takes part, else a letter with a number."""
    names = []
    for k in range(basis.shape[1]):
        taking_part = np.flatnonzero(np.abs(basis[:, k]) > 1e-9 * np.abs(basis[:, k]).max(initial=0.0))
        speed = str(system.speeds[taking_part[0]]) if len(taking_part) == 1 else ""
        names.append(re.sub(r"\.v\b", f".{key}", speed) if speed else f"{letter}{k + 1}")
    return names
