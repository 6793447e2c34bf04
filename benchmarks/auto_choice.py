"""Is `auto` right? Its time beside the best of all methods, on the chains of figure 1 and on other trees."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from checks import Check, print_checks
from closed_trees import closed_chain, engine, ladder, platform, random_closed, tied_star, tied_tree
from loop_models import four_bar
from trees import branching_tree, chain, geared, humanoid, random_tree, star

from sharnir.app.bench import COMPILED_METHODS, step_times
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.dynamics.methods.method_choice import CANDIDATES
from sharnir.errors import ModelError

WITHIN = 1.1
DENSE = 150  # speeds up to which the slow methods take part
FEW = 30  # the same for Lagrange I with loops
ENGINE = tuple(name for name in COMPILED_METHODS if name != "symbolic")  # derived code has its own benchmark, symbolic.py


def cases(quick: bool) -> Iterator[tuple[str, str, Any]]:
    """(group, name, model)."""
    sizes = (1, 3, 10, 30) if quick else (1, 2, 3, 5, 8, 12, 20, 40, 80, 160)
    for freedoms in (1, 2, 3):
        for n in sizes:
            yield "chains of figure 1", f"chain {n}, {freedoms} freedoms", chain(n, freedoms)
        for n in (6, 24):
            yield "other trees", f"binary tree {n}, {freedoms} freedoms", branching_tree(n, freedoms)
            yield "other trees", f"star {n}, {freedoms} freedoms", star(n, freedoms)
            yield "other trees", f"hinged star {n}, {freedoms} freedoms", star(n, freedoms, hub_freedoms=1)
    yield "other trees", "humanoid", humanoid()
    for seed in range(4 if quick else 12):
        yield "random trees, not in the fit", f"random tree {seed}", random_tree(4 + 3 * seed, seed)
    for n in (2, 6, 20):
        yield "mimic joints", f"geared chain {n}", geared(n)
    yield from closed_cases(quick)


def closed_cases(quick: bool) -> Iterator[tuple[str, str, Any]]:
    """The same with loops, in sizes that are not in the fit."""
    for freedoms in (1, 2, 3):
        for n in (5,) if quick else (5, 10, 20):
            yield "loops", f"closed chain {n}, {freedoms} freedoms", closed_chain(n, freedoms, "distance")
            yield "loops", f"ladder {n}, {freedoms} freedoms", ladder(n, freedoms)
            yield "loops", f"tied star {n}, {freedoms} freedoms", tied_star(n, freedoms)
            yield "loops", f"tied tree {n}, {freedoms} freedoms", tied_tree(n, freedoms)
    for n in (2, 5):
        yield "loops", f"engine {n}", engine(n)
        yield "loops", f"four-bars {n}", four_bar(n)
    yield "loops", "platform 5", platform(5)
    for seed in range(4 if quick else 12):
        yield "random loops, not in the fit", f"random loops {seed}", random_closed(4 + 2 * seed, seed)


def solvable(model: Any) -> tuple[str, ...]:
    """Methods that can solve the model in reasonable time."""
    assembly = model.compile().assembly
    if assembly.elements:
        return CANDIDATES if assembly.coordinates.n_v <= FEW else CANDIDATES[:3]
    dense = assembly.coordinates.n_v <= DENSE
    names = []
    for name in ENGINE:
        try:
            ALL_METHODS[name].check(assembly)
        except ModelError:
            continue
        if dense or ALL_METHODS[name].order == 1:
            names.append(name)
    return tuple(names)


def run(quick: bool = False, only: str = "") -> list[Check]:
    """Worst ratio of auto's time to the best time, per group; `only`: groups with this word."""
    worst: dict[str, tuple[float, str]] = {}
    for group, name, model in cases(quick):
        if only not in group:
            continue
        chosen, names = model.compile().method, solvable(model)
        times = step_times(model, names, repeat=3 if quick else 9)
        best = min(times, key=lambda key: times[key])
        ratio = times[chosen] / times[best]
        print(f"{name}: auto = {chosen}, {ratio:.2f} × the best ({best})")
        worst[group] = max(worst.get(group, (0.0, "")), (ratio, "" if chosen == best else f"{name}: {chosen}, best {best}"))
    return [
        Check(f"auto, {group}", "worst time / best method's", ratio, WITHIN, note=note) for group, (ratio, note) in worst.items()
    ]


if __name__ == "__main__":
    print_checks(run("--quick" in sys.argv, "loops" if "--loops" in sys.argv else ""))
