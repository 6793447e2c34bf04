"""Is `auto` right? Its time beside the best of all methods, on the chains of figure 1 and on other trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checks import Check, print_checks
from trees import branching_tree, chain, geared, humanoid, random_tree, star

from sharnir.app.bench import COMPILED_METHODS, step_times
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.errors import ModelError

WITHIN = 1.1
DENSE = 150  # speeds up to which the slow methods take part


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


def solvable(model: Any) -> tuple[str, ...]:
    """Methods that can solve the model in reasonable time."""
    assembly = model.compile().assembly
    dense = assembly.coordinates.n_v <= DENSE
    names = []
    for name in COMPILED_METHODS:
        try:
            ALL_METHODS[name].check(assembly)
        except ModelError:
            continue
        if dense or ALL_METHODS[name].order == 1:
            names.append(name)
    return tuple(names)


def run(quick: bool = False) -> list[Check]:
    """Worst ratio of auto's time to the best time, per group."""
    worst: dict[str, tuple[float, str]] = {}
    for group, name, model in cases(quick):
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
    print_checks(run())
