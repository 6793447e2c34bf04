"""Mutated files: each is read, or refused in words. `python -m tests.fuzz.files --count 1000 [--seed 0] [--kind model]`."""

from __future__ import annotations

import argparse
import contextlib
import functools
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from sharnir.kernel import PLAIN

from . import TESTS
from .mutation import encoded, mutated_bytes, mutated_text, one_of

LONGEST = 60  # seconds after which a case hangs
DATA = TESTS / "flexible" / "data"


class Hang(BaseException):
    """A case that does not come to an end; no Exception, so that nothing swallows it."""


@contextlib.contextmanager
def alarm(seconds: int = LONGEST, cpu: bool = False) -> Iterator[None]:
    """Raise Hang if the block takes too long, by the clock or in CPU time; while kernels are compiled, which happens once, the
    clock starts anew."""
    which, sound = (signal.ITIMER_PROF, signal.SIGPROF) if cpu else (signal.ITIMER_REAL, signal.SIGALRM)

    def ring(_: int, frame: Any) -> None:
        while frame is not None:
            if "numba" in frame.f_code.co_filename or "llvmlite" in frame.f_code.co_filename:
                signal.setitimer(which, seconds)
                return
            frame = frame.f_back
        raise Hang(f"longer than {seconds} s")

    before = signal.signal(sound, ring)
    signal.setitimer(which, seconds)
    try:
        yield
    finally:
        signal.setitimer(which, 0)
        signal.signal(sound, before)


@functools.cache
def model_texts() -> tuple[str, ...]:
    """Model files of all kinds: demos, every joint and force, the examples of the tests."""
    import zoo
    from sharnir.app.demos import ALL_DEMOS
    from sharnir.errors import SharnirError
    from sharnir.model.files.model_file import text_of

    texts = [path.read_text(encoding="utf-8") for path in sorted((TESTS / "model" / "files").glob("*.toml"))]
    trees = [functools.partial(zoo.random_tree, seed, 4) for seed in range(4)]
    for make in (*(demo.model for demo in ALL_DEMOS.values()), *trees):
        with contextlib.suppress(SharnirError):  # Python code and reduced models do not stand in a text
            text = text_of(make())
            if len(text) < 30_000:
                texts.append(text)
    texts += [BEAM, SIGNALS]
    return tuple(texts)


BEAM = """
[bodies.beam]
type = "flexible-body"
reduced = {fe = {type = "straight-beam", start = [0, 0, 0], end = [1, 0, 0], elements = 4, section = {type = "round", \
radius = 0.01}}, interfaces = {root = 0, tip = 4}, modes = 2, damping = 0.01}

[joints.root]
type = "revolute"
parent = "ground"
child = "beam"
axis = "y"
motion = {file = "motion.csv", kind = "cubic"}
"""

SIGNALS = """
[parameters]
k = 3.0

[bodies.cart]
mass = 1.0
inertia = [1, 1, 1]

[joints.slide]
type = "prismatic"
parent = "ground"
child = "cart"
axis = "x"
torque = "-k*q + push"

[signals.push]
type = "signal"
formula = "if(t < 1, 2*sin(3*t), late)"

[signals.late]
type = "delay"
input = "slide.q"
time = 0.2

[signals.filter]
type = "low-pass"
input = "slide.v"
time_constant = 0.1

[signals.curve]
type = "lookup"
inputs = ["slide.q"]
table = {x = [0, 1, 2], y = [0, 1, 4]}

[events.hit]
when = "slide.q > 0.5"
actions = [{type = "rebound", variable = "slide", restitution = 0.5}, {type = "stop"}]

[simulation]
t_end = 0.1
"""


def read_model(rng: Generator, folder: Path) -> None:
    from sharnir.model.files.model_file import load_run

    path = folder / "model.toml"
    text = mutated_text(rng, one_of(rng, model_texts()))
    data = encoded(rng, text)
    path.write_bytes(mutated_bytes(rng, data) if rng.random() < 0.1 else data)
    (folder / "motion.csv").write_text("t,q\n0,0\n1,1\n2,4\n3,9\n")
    model, settings = load_run(path)
    from sharnir.app.text_settings import check_settings

    check_settings({"t_end": 0.01} | settings)
    if PLAIN or not has_formulas(model):  # a formula costs the compiler a second
        model.compile()


def has_formulas(model: Any) -> bool:
    """Whether something in the model would be given to the compiler."""
    from sharnir.model.links import element_formulas

    elements = (*model.joints.values(), *model.forces.values(), *model.constraints.values())
    return bool(model.signals or model.events or model.base_motion or any(element_formulas(e) for e in elements))


@functools.cache
def robot_texts() -> tuple[str, ...]:
    found = [path.read_text(encoding="utf-8") for path in sorted((TESTS / "model" / "urdf" / "robots").glob("*.urdf"))]
    return tuple(found)


def read_robot(rng: Generator, folder: Path) -> None:
    from sharnir.model.urdf import load_urdf

    path = folder / "robot.urdf"
    data = encoded(rng, mutated_text(rng, one_of(rng, robot_texts())))
    path.write_bytes(mutated_bytes(rng, data) if rng.random() < 0.2 else data)
    load_urdf(path, floating_base=bool(rng.integers(2))).compile()


FE_CASES: dict[str, tuple[str, dict[str, str]]] = {
    "brick.sti": ("calculix", {}),
    "sample_STIF1.mtx": ("abaqus", {"mesh": "sample.inp"}),
    "sample_stiff.mmf": ("ansys", {"mass": "sample_mass.mmf", "mapping": "sample.mapping", "mesh": "sample.node"}),
    "sample_stiff.matrix": ("ansys", {"mass": "sample_mass.matrix", "mapping": "sample.mapping", "mesh": "sample.cdb"}),
    "sample.op4": ("op4", {"mesh": "sample.bdf"}),
    "sample.pch": ("dmig", {"mesh": "sample.bdf"}),
    "super.asm": ("superelement", {}),
}


def read_fe_file(rng: Generator, folder: Path) -> None:
    from sharnir.flexible import read_fe, reduce

    name = one_of(rng, FE_CASES)
    form, others = FE_CASES[name]
    stem = name.partition(".")[0].partition("_")[0]
    used = [path for path in sorted(DATA.iterdir()) if path.name.startswith(stem) and path.stat().st_size < 300_000]
    for path in used:
        (folder / path.name).write_bytes(path.read_bytes())
    victim = folder / one_of(rng, [path.name for path in used])
    data = victim.read_bytes()
    text = data.decode("latin-1")
    victim.write_bytes(mutated_bytes(rng, data) if rng.random() < 0.4 else encoded(rng, mutated_text(rng, text)))
    options: dict[str, Any] = {key: folder / file for key, file in others.items()}
    model = read_fe(folder / name, format=form, **options)
    reduce(model, interfaces={"a": int(model.labels[0])}, modes=1)


@functools.cache
def result_bytes() -> tuple[bytes, ...]:
    """Result files, with and without their seal."""
    from sharnir.results import Channel, Result, Scene, SceneItem

    t = np.linspace(0.0, 1.0, 11)
    item = SceneItem("arm", shapes=[{"kind": "box", "size": (1, 2, 3)}])
    channels = [Channel("O.q", t**2, "rad"), Channel("arm.position", np.outer(t, [1, 2, 3]), "m"), Channel("n", np.arange(11))]
    result = Result(t, channels, title="arm", scene=Scene([item]), stats={"steps": 3}, events=[{"t": 0.5, "name": "hit"}])
    with tempfile.TemporaryDirectory() as folder:
        whole = result.save(Path(folder) / "a.h5").read_bytes()
    return whole, whole[:-20]


def read_result(rng: Generator, folder: Path) -> None:
    from sharnir.results import Result

    path = folder / "run.h5"
    path.write_bytes(mutated_bytes(rng, result_bytes()[int(rng.integers(2))]))
    result = Result.load(path)
    for name in result.channels:
        result[name].sum()
    result.save(folder / "again.csv")


@functools.cache
def reduced_bytes() -> bytes:
    from sharnir.flexible import Section, reduce, straight_beam

    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    with tempfile.TemporaryDirectory() as folder:
        return reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2).save(Path(folder) / "a.npz").read_bytes()


def read_reduced(rng: Generator, folder: Path) -> None:
    from sharnir.flexible import ReducedModel

    path = folder / "beam.npz"
    path.write_bytes(mutated_bytes(rng, reduced_bytes()))
    ReducedModel.load(path)


def read_table(rng: Generator, folder: Path) -> None:
    from sharnir.model import GridTable, Table

    path = folder / "table.csv"
    rows = "".join(f"{x},{y},{x * y}\n" for x in range(4) for y in range(4))
    path.write_bytes(encoded(rng, mutated_text(rng, "x,y,z\n" + rows)))
    if rng.integers(2):
        GridTable.from_csv(path, kind=one_of(rng, ("linear", "cubic"))).coefficients()
    else:
        columns = tuple(int(k) for k in rng.integers(-3, 4, size=2))
        Table.from_csv(path, columns=columns).coefficients()


KINDS: dict[str, tuple[float, Callable[[Generator, Path], None]]] = {  # share of the cases, what is done
    "model": (0.4, read_model),
    "robot": (0.2, read_robot),
    "fe": (0.15, read_fe_file),
    "result": (0.1, read_result),
    "reduced": (0.075, read_reduced),
    "table": (0.075, read_table),
}


def outcome(kind: str, seed: int) -> tuple[str, str]:
    """("fine" | "refused" | "raw" | "hang", what was said) of one case."""
    from sharnir.errors import SharnirError

    rng = default_rng((seed, list(KINDS).index(kind)))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with alarm():
                KINDS[kind][1](rng, Path(folder))
        except SharnirError as error:
            return "refused", str(error)
        except Hang as error:
            return "hang", "".join(traceback.format_exception(error)[-4:])
        except Exception as error:
            return "raw", "".join(traceback.format_exception(error)[-4:])
    return "fine", ""


def cases(count: int, seed: int = 0, kind: str | None = None) -> Iterator[tuple[str, int]]:
    """Kinds and seeds of so many cases; the first ones are the same for every count."""
    rng = default_rng(seed)
    names, shares = list(KINDS), [share for share, _ in KINDS.values()]
    for k in range(count):
        yield kind or names[int(rng.choice(len(names), p=shares))], seed + k


def main() -> int:
    """Run so many cases, and say what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=list(KINDS))
    given = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    model_texts()
    for kind, seed in cases(given.count, given.seed, given.kind):
        found, said = outcome(kind, seed)
        counts[kind, found] += 1
        if counts.total() % 100 == 0:
            sys.stderr.write(f"{counts.total()} of {given.count}\n")
        if found in ("raw", "hang"):
            sys.stdout.write(f"--- {kind} {seed}: {found}\n{said}\n")
    for (kind, found), number in sorted(counts.items()):
        sys.stdout.write(f"{kind:10}{found:10}{number:6}\n")
    return int(any(found in ("raw", "hang") for _, found in counts))


if __name__ == "__main__":
    raise SystemExit(main())
