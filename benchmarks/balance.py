"""What the balance of energy that every run keeps costs: CPU time of runs with it over that of the same runs without.

python benchmarks/balance.py
"""

from __future__ import annotations

import time

import numpy as np
from checks import Check, print_checks

import sharnir as sr
from sharnir.integrate import integrate

REPEAT = 9
LIMIT = 1.05


def chain(bodies: int, **options: object) -> sr.Model:
    """Links that swing; options go to the first joint."""
    m = sr.Model(f"{bodies} links")
    for i in range(bodies):
        m.add(sr.Body(f"b{i}", mass=1, inertia=(0.1, 0.1, 0.1), position=(i + 0.5, 0, 0)))
        more = options if i == 0 else {"damping": 0.1}
        m.add(sr.Revolute(f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}", at=(i, 0, 0), axis="y" if i % 2 else "z", **more))
    return m


def four_bar() -> sr.Model:
    """A loop with a driven crank."""
    m = sr.Model("driven four-bar")
    corners = np.array([(0, 0, 0), (0.3, 0, 1.0), (2.3, 0, 1.8), (2, 0, 0)])
    names = ["ground", "crank", "coupler", "rocker"]
    for k, name in enumerate(names[1:]):
        middle = 0.5 * (corners[k] + corners[k + 1])
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), position=tuple(middle)))
    for k in range(4):
        more = {"motion": "1.3 + 0.4*sin(3*t)"} if k == 0 else {"damping": 0.01}
        m.add(sr.Revolute(f"j{k}", names[k], names[(k + 1) % 4], at=tuple(corners[k]), axis="y", **more))
    m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.1, 0.1), position=(2.3, 0, 1.0)))
    m.add(sr.Revolute("swing", "coupler", "bob", at=(2.3, 0, 1.8), axis="y"))
    return m


MODELS = {
    "10 links with dampers": lambda: chain(10, damping=0.1),
    "10 links, the first driven": lambda: chain(10, motion="sin(2*t)"),
    "3 links, the first driven": lambda: chain(3, motion="sin(2*t)"),
    "driven four-bar with a bob": four_bar,
}


def ratio(model: sr.Model) -> float:
    """Least CPU time with the balance over that without, in turn."""
    system = model.compile()
    y, grid, least = system.y0, np.linspace(0.0, 20.0, 201), [np.inf, np.inf]
    for _ in range(REPEAT):
        for k in range(2):
            problem = system.problem(audited=k == 0)
            begun = time.process_time()
            integrate(problem, y, grid, "dop853")
            least[k] = min(least[k], time.process_time() - begun)
    return least[0] / least[1]


def main() -> None:
    """Print the table."""
    print_checks([Check("balance", f"{name}, with over without", ratio(make()), LIMIT) for name, make in MODELS.items()])


if __name__ == "__main__":
    main()
