"""Random mechanisms, each run in two ways and audited: `python -m tests.fuzz --count 10000 [--seed 0] [--kind loop] [--jobs 2]`.

Two runs of a case differ in formulation, integrator, solver or order of the elements. Where they differ by more than LIMIT, runs
with finer tolerances find the motion to which each way converges: ways with different limits, and runs that are farther from
their limit than their tolerance and the mechanism's sensitivity explain, are silent errors unless one of the runs warned.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

import sharnir as sr
from sharnir.dynamics.straight_line import quicker_functions
from sharnir.errors import SharnirError, SimulationError
from sharnir.simulate.simulation import DEFAULT_TOLERANCE

from .cases import KINDS, Case
from .files import Hang, alarm

OUTPUTS = 40
LIMIT = 1e-4  # of the extent of the motion: what two runs with default settings may differ by
PAIRS = ((1e-10, 1e-12), (1e-9, 1e-10))  # tolerances of the runs that show where a way converges to
LONG = {"max_evaluations": 500_000}
STANDS_STILL = 1e-8  # of a mechanism's size: the extent of a motion that is rounding
NUDGE = 1e-9
ARM = 0.1  # m
SECONDS = 60  # of CPU time
EARLY = 200  # evaluations before a run goes over to derived code
FIXED_ORDER = ("loop", "life", "flexible")  # open speeds follow from the order; elements that `shuffled` does not know


@dataclass(frozen=True)
class Verdict:
    """What became of a case: its class, and words that say more."""

    kind: str
    what: str
    words: str = ""


# ---- two ways ---------------------------------------------------------------------------------------------------------------


def other_way(rng: Generator, kind: str) -> dict[str, Any]:
    """Settings of the second run."""
    ways: list[dict[str, Any]] = [
        {"formulation": "absolute"},
        {"integrator": "dopri5", "tolerance": 1e-9},
        {"integrator": "radau5", "tolerance": 1e-8},
        {"integrator": "abm", "tolerance": 1e-9},
    ]
    if kind in ("loop", "singular", "constraint"):
        ways += [{"solver": "sparse"}, {"solver": "null-space"}, {"formulation": "absolute", "solver": "sparse"}]
    return ways[int(rng.integers(len(ways)))]


def shuffled(model: sr.Model, rng: Generator) -> sr.Model:
    """The same model with its elements in another order; signals, constraints and events keep theirs."""
    other = model.copy()
    for part in ("_bodies", "_joints", "_forces"):
        named = list(getattr(model, part).items())
        setattr(other, part, dict(named[k] for k in rng.permutation(len(named))))
    return other


def nudged(model: sr.Model) -> sr.Model:
    """The same model with masses and gravity changed by NUDGE: what tells chaos from errors."""
    other = model.copy()
    other.gravity = tuple((1.0 + NUDGE) * g for g in model.gravity)
    for k, (name, body) in enumerate(model._bodies.items()):
        if isinstance(body, sr.Body) and body.name != "ground":
            other._bodies[name] = replace(body, mass=(1.0 + NUDGE * (1 + k % 2)) * body.mass)
    return other


def motion(model: sr.Model, case: Case, **options: Any) -> tuple[np.ndarray, list[str]]:
    """What is compared (places of all bodies), and what the run says against itself."""
    with warnings.catch_warnings(record=True) as caught, goes_over(case.early):
        warnings.simplefilter("always")
        result = model.simulate(case.t_end, output=case.t_end / OUTPUTS, **(case.options | options))
    said = [str(w.message) for w in caught if issubclass(w.category, (sr.ModelWarning, RuntimeWarning))]
    names = sorted(name for name in model.bodies if name != "ground")
    if case.channels:
        found = np.column_stack([result[name] for name in case.channels])
    elif case.relative:
        places = np.stack([result[f"{name}.position"] for name in names], axis=1)
        found = (places[:, 1:] - places[:, :1]).reshape(len(places), -1)
    else:
        found = np.hstack([corners(result, name) for name in names])
    return found, said + list(result.trust.doubts)


@contextmanager
def goes_over(early: bool) -> Iterator[None]:
    """Runs that may go over to derived code do so after EARLY evaluations."""
    usual = quicker_functions.evaluations_before
    if early:
        quicker_functions.evaluations_before = lambda system: None if usual(system) is None else EARLY
    try:
        yield
    finally:
        quicker_functions.evaluations_before = usual


def corners(result: sr.Result, name: str) -> np.ndarray:
    """Places of a body's origin, and of points at ARM from it along its x and y axes."""
    place, (w, x, y, z) = result[f"{name}.position"], result[f"{name}.rotation"].T
    along_x = np.column_stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    along_y = np.column_stack([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])
    return np.hstack([place, place + ARM * along_x, place + ARM * along_y])


def turned(case: Case) -> float:
    """The largest angle by which a body turns, many times round perhaps: what the tolerance of its rotation is relative to."""
    if case.channels or case.relative:
        return 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = case.model.simulate(case.t_end, output=case.t_end / OUTPUTS, **case.options)
    rates = np.stack([result[f"{name}.angular_velocity"] for name in case.model.bodies if name != "ground"])
    angles = np.cumsum(0.5 * (rates[:, 1:] + rates[:, :-1]) * np.diff(result.t)[:, None], axis=1)
    return float(np.linalg.norm(angles, axis=2).max(initial=0.0))


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference of two motions; infinite if one of them is shorter."""
    return float(np.abs(a - b).max()) if a.shape == b.shape else np.inf


@dataclass(frozen=True)
class Convergence:
    """A way of running a case: what it found, where it goes with finer tolerances, and how far tolerances reach."""

    found: np.ndarray
    limit: np.ndarray
    error: float  # of the run
    expected: float  # error that the tolerance explains
    spread: float  # of the finer runs: how well the limit is known
    tolerance: float  # of the finest run


def convergence(model: sr.Model, case: Case, found: np.ndarray, way: dict[str, Any]) -> Convergence:
    """Where one way of running converges to; near singular positions the finest tolerance may be out of reach."""
    for fine, finer in PAIRS:
        try:
            near, limit = (motion(model, case, **(way | {"tolerance": x, "options": LONG}))[0] for x in (fine, finer))
        except SimulationError:
            if (fine, finer) == PAIRS[-1]:
                raise
            continue
        spread = distance(near, limit)
        expected = 100.0 * spread * way.get("tolerance", DEFAULT_TOLERANCE) / fine
        return Convergence(found, limit, distance(found, limit), expected, spread, finer)
    raise AssertionError("there is a last pair")


def compare(case: Case, second: sr.Model, way: dict[str, Any]) -> tuple[str, str]:
    """Class of a case, and words."""
    first, doubts = motion(case.model, case)
    other, more = motion(second, case, **way)
    extent = np.ptp(first, axis=0).max() + STANDS_STILL * (np.abs(first).max() or 1.0)
    apart = distance(first, other) / extent
    said = next(iter(doubts + more), "")
    if apart <= LIMIT:
        return ("doubtful", said) if said else ("agree", "")
    if said:
        return "warned", said
    one, two = convergence(case.model, case, first, {}), convergence(second, case, other, way)
    gain = distance(motion(nudged(case.model), case, tolerance=one.tolerance, options=LONG)[0], one.limit) / (NUDGE * extent)
    if not gain * DEFAULT_TOLERANCE < LIMIT:
        return "chaos", f"apart {apart:.2g}; a relative change of {NUDGE} is multiplied by {gain:.2g}"
    size = max(extent, ARM * turned(case))
    sensitive = [100.0 * gain * x.get("tolerance", DEFAULT_TOLERANCE) for x in ({}, way)]  # errors that are multiplied on the way
    if not max(one.spread, two.spread) <= max(LIMIT, *sensitive) * size:
        worst = one.spread / extent, two.spread / extent
        return (
            "silent",
            f"{way}: apart {apart:.2g} of {extent:.3g}, finer runs {worst[0]:.2g} and {worst[1]:.2g}, gain {gain:.2g}",
        )
    between = distance(one.limit, two.limit) / size
    if between > max(LIMIT, *sensitive):
        return "silent", f"{way}: limits are {between:.2g} of {size:.3g} apart"
    allowed = 10.0 * LIMIT * size
    for name, run, share in (("the default", one, sensitive[0]), (str(way), two, sensitive[1])):
        if run.error > max(allowed, run.expected, share * extent):
            return "silent", f"{name}: error {run.error / extent:.2g} of {extent:.3g}, finer runs {run.spread / extent:.2g}"
    return "agree", f"apart {apart:.2g}"


def verdict(kind: str, seed: int) -> Verdict:
    """Make the case of a seed, run it in two ways, and compare."""
    rng = default_rng([seed, list(KINDS).index(kind)])
    try:
        with alarm(SECONDS, cpu=True):
            case = KINDS[kind](rng)
            way = other_way(rng, kind) if case.way is None else case.way
            # speeds that a loop with several freedoms leaves open follow from which joint is cut, that is from the order
            shuffles = case.way is None and kind not in FIXED_ORDER
            second = shuffled(case.model, rng) if rng.random() < 0.5 and shuffles else case.other or case.model
            return Verdict(kind, *compare(case, second, way))
    except SharnirError as error:
        return Verdict(kind, "refused", str(error).splitlines()[0])
    except Hang:
        return Verdict(kind, "hang", f"longer than {SECONDS} s")
    except Exception:
        return Verdict(kind, "raw", traceback.format_exc().strip().splitlines()[-1])


CLASSES = ("agree", "doubtful", "warned", "refused", "chaos", "silent", "raw", "hang")
BAD = ("silent", "raw", "hang")


def main() -> int:
    """Run many cases and count what became of them; returns how many were silent, raw or hanging."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--kind", choices=list(KINDS), help="one kind only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--all", action="store_true", help="print every case that does not agree")
    given = parser.parse_args()
    kinds = [given.kind] if given.kind else list(KINDS)
    cases = [(kinds[k % len(kinds)], given.seed + k // len(kinds)) for k in range(given.count)]
    counts: Counter[tuple[str, str]] = Counter()
    begun = time.perf_counter()
    with ProcessPoolExecutor(given.jobs) as pool:
        for (kind, seed), found in zip(cases, pool.map(verdict, *zip(*cases, strict=True), chunksize=4), strict=True):
            counts[kind, found.what] += 1
            if found.what in BAD or (given.all and found.what != "agree"):
                sys.stdout.write(f"{kind} {seed}: {found.what}: {found.words}\n")
                sys.stdout.flush()
    sys.stdout.write(f"\n{'kind':12s}" + "".join(f"{name:>9s}" for name in CLASSES) + "\n")
    for kind in kinds:
        sys.stdout.write(f"{kind:12s}" + "".join(f"{counts[kind, name]:9d}" for name in CLASSES) + "\n")
    total = Counter[str]()
    for (_, what), count in counts.items():
        total[what] += count
    sys.stdout.write(f"{'together':12s}" + "".join(f"{total[name]:9d}" for name in CLASSES) + "\n")
    sys.stdout.write(f"{given.count} mechanisms in {time.perf_counter() - begun:.0f} s\n")
    return sum(total[name] for name in BAD)


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
