"""`sharnir bench`: how fast this machine evaluates the equations of motion, by every method, in a few seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.python_entries import accelerate_states
from sharnir.dynamics.methods.all_methods import ALL_METHODS
from sharnir.dynamics.system import System
from sharnir.integrate import integrate
from sharnir.model import Ball, Body, Model, Revolute, Universal

if TYPE_CHECKING:
    from rich.console import Console

    from sharnir.integrate.setting_types import Method

COMPILED_METHODS: Any = tuple(name for name in ALL_METHODS if name != "extended")
SHORTEST = 4e-3  # CPU seconds of one timed piece: far above the clock's resolution, far below a scheduler's disturbance


def chain(n: int, freedoms: int = 1, length: float = 0.2) -> Model:
    """A chain of n equal links of full inertia, drawn along x; every joint has 1 (hinge), 2 (universal) or 3 (ball) freedoms.

    >>> chain(4, freedoms=3).compile().n_v
    12
    """
    model = Model(f"chain of {n} links, {freedoms} freedom{'' if freedoms == 1 else 's'} per joint")
    parent = model.ground
    for i in range(n):
        here = (i * length, 0.0, 0.0)
        com, inertia = (0.5 * length, 0.01, -0.02), (0.003, 0.005, 0.006, 1e-4, -2e-4, 3e-4)
        link = model.add(Body(f"link{i}", mass=1.0, com=com, inertia=inertia, position=here))
        if freedoms == 1:
            model.add(Revolute(f"joint{i}", parent, link, at=here, axis=((0, 1, 0), (0, 0, 1), (1, 0, 0))[i % 3]))
        elif freedoms == 2:
            model.add(Universal(f"joint{i}", parent, link, at=here, axis="y", axis2="z"))
        else:
            model.add(Ball(f"joint{i}", parent, link, at=here))
        parent = link
    return model


def pendulum() -> Model:
    """The planar pendulum of three rods (the literature): m = 1 kg, L = 1 m, the last rod 30° off the vertical, at rest.

    >>> pendulum().compile().q0.round(3).tolist()
    [0.0, 0.0, 0.524]
    """
    model = Model("three-link pendulum")
    parent = model.ground
    for i in range(3):
        here = (0.0, 0.0, -float(i))
        rod = model.add(Body(f"rod{i}", mass=1.0, com=(0.0, 0.0, -0.5), inertia=(1 / 12, 1 / 12, 1e-3), position=here))
        model.add(Revolute(f"hinge{i}", parent, rod, at=here, axis="-y", q=np.pi / 6 if i == 2 else 0.0))
        parent = rod
    return model


def random_states(system: System, count: int, seed: int = 0, size: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """States for timing: coordinates about `size` (rad, m) off the drawing, unit quaternions, speeds about `size` per second.

    >>> q, v = random_states(chain(2, freedoms=3).compile(), 5)
    >>> q.shape, v.shape, bool(np.isclose(np.linalg.norm(q[0, :4]), 1.0))
    ((5, 8), (5, 6), True)
    """
    random = np.random.default_rng(seed)
    q = system.q0 + size * random.standard_normal((count, system.n_q))
    for k in system.assembly.coordinates.quaternions:
        q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1)[:, None]
    return q, size * random.standard_normal((count, system.n_v))


def evaluation(system: System, q: np.ndarray, v: np.ndarray) -> Callable[[], None]:
    """A call that evaluates v̇ of every row, one after the other, inside compiled code: what a step loop pays.

    >>> system = chain(2).compile()
    >>> evaluation(system, *random_states(system, 3))()
    """
    f, t, y = system.problem().address, np.zeros(1), np.concatenate([system.y0, system.y0])
    vdot, drive, work = np.empty_like(v), np.zeros((0, 0)), system.work.copy()

    def call() -> None:
        accelerate_states(f, t, q, v, vdot, drive, system.table, system.params, work, y)

    return call


def minima(tasks: Mapping[str, Callable[[], Any]], repeat: int = 7, shortest: float = SHORTEST) -> dict[str, float]:
    """CPU seconds of one call of each task: the least of `repeat` pieces, taken in turns so that disturbances hit all alike.

    >>> sorted(minima({"nothing": lambda: None}, repeat=1, shortest=1e-5))
    ['nothing']
    """
    calls = {}
    for name, task in tasks.items():
        task()  # loads or compiles what is not there yet
        begin = process_time()
        task()
        calls[name] = max(1, int(shortest / max(process_time() - begin, 1e-7)))
    best = dict.fromkeys(tasks, np.inf)
    for _ in range(repeat):
        for name, task in tasks.items():
            begin = process_time()
            for _ in range(calls[name]):
                task()
            best[name] = min(best[name], (process_time() - begin) / calls[name])
    return best


def steps(system: System, count: int, step: float = 1e-3) -> Callable[[], Any]:
    """A call that makes `count` Runge–Kutta steps of order 4 (four evaluations each) from a state that swings gently.

    >>> steps(chain(2).compile(), 10)().status
    'finished'
    """
    q, v = random_states(system, 1, size=0.1)
    # with loops from the drawing: a random state would not satisfy them
    y0 = system.y0 if system.constrained else np.concatenate([q[0], v[0]])
    grid = np.array([0.0, count * step])
    return lambda: integrate(system.problem(), y0, grid, "rk4", step=step)


def step_times(
    model: Model, methods: Sequence[Method] = COMPILED_METHODS, repeat: int = 5, step: float = 1e-3
) -> dict[str, float]:
    """Seconds of one step by each method: in a real step loop the iterative ones find the matrix little changed, as they need.

    >>> sorted(step_times(chain(2), ("articulated", "composite"), repeat=1))
    ['articulated', 'composite']
    """
    systems = {name: model.compile(method=name) for name in methods}
    count = int(np.clip(5000 / max(1, *(s.n_v for s in systems.values())), 50, 1000))
    best = minima({name: steps(system, count, step) for name, system in systems.items()}, repeat)
    return {name: seconds / count for name, seconds in best.items()}


def run_benchmark(quick: bool = True, console: Console | None = None) -> dict[str, float]:
    """Measure methods, batches and a run, print them as tables, and return the numbers (seconds).

    With Pinocchio installed, its time for the same chain, measured in turns with ours, is shown beside it.
    `quick=False` takes longer chains and more repetitions. Comparisons at equal accuracy with other programs: `benchmarks/`.
    """
    from rich.console import Console

    console = console or Console()
    numbers: dict[str, float] = {}
    repeat = 4 if quick else 15
    with console.status("measuring …"):
        tables = [
            _methods_table((3, 10, 30) if quick else (1, 3, 10, 30, 100), repeat, numbers),
            _batch_table((7, 30, 100), repeat, numbers),
            _run_table(repeat, numbers),
        ]
    for table in tables:
        console.print(table)
    console.print("CPU time of one core, the least of several pieces taken in turns.", style="dim")
    return numbers


def _methods_table(sizes: tuple[int, ...], repeat: int, numbers: dict[str, float]) -> Any:
    """µs per step of every method on chains of one- and three-freedom joints."""
    from rich.table import Table

    table = Table(title="One Runge–Kutta step (4 evaluations of the accelerations), µs", title_justify="left")
    table.add_column("method", no_wrap=True)
    columns = {}
    for freedoms, word in ((1, "hinges"), (3, "balls")):
        for n in sizes:
            table.add_column(f"{n} {word}", justify="right")
            columns[freedoms, n] = step_times(chain(n, freedoms), repeat=repeat)
    for name in COMPILED_METHODS:
        times = {key: column[name] for key, column in columns.items()}
        numbers |= {f"{name}, {n} bodies, {freedoms} freedoms": t for (freedoms, n), t in times.items()}
        cells = [f"[bold]{1e6 * t:.1f}[/]" if t == min(columns[key].values()) else f"{1e6 * t:.1f}" for key, t in times.items()]
        table.add_row(name, *cells)
    return table


def _batch_table(sizes: tuple[int, ...], repeat: int, numbers: dict[str, float]) -> Any:
    """µs per state: one state after the other, a batch on one core, and Pinocchio where it is installed."""
    from rich.table import Table

    table = Table(title="Chain of hinges, µs per state on one core", title_justify="left")
    peer = find_spec("pinocchio") is not None
    for head in (
        "bodies",
        "in a step loop",
        "in a batch",
        "call from Python",
        *(["Pinocchio, call from Python"] if peer else []),
    ):
        table.add_column(head, justify="right")
    for n in sizes:
        system, rows = chain(n).compile(method="articulated"), 512
        tasks = _batch_tasks(system, *random_states(system, rows))
        if peer:
            tasks["Pinocchio"] = pinocchio_chain(n, *random_states(system, rows))
        times = {name: seconds / rows for name, seconds in minima(tasks, repeat).items()}
        numbers |= {f"{name}, {n} hinges": t for name, t in times.items()}
        table.add_row(str(n), *(f"{1e6 * t:.2f}" for t in times.values()))
    return table


def _batch_tasks(system: System, q: np.ndarray, v: np.ndarray) -> dict[str, Callable[[], Any]]:
    """All rows one by one inside compiled code, as a batch, and call by call from Python."""

    def batch() -> Any:
        return system.accelerations(q, v, threads=1)

    def calls() -> Any:
        return [system.accelerations(x, y) for x, y in zip(q, v, strict=True)]

    return {"single": evaluation(system, q, v), "batch": batch, "call": calls}


def pinocchio_chain(n: int, q: np.ndarray, v: np.ndarray) -> Callable[[], Any]:
    """A call that evaluates every row by Pinocchio's aba on the chain of n hinges, call by call."""
    pin: Any = import_module("pinocchio")
    peer, source = pin.Model(), chain(n)
    for i, (body, joint) in enumerate(zip(source.bodies.values(), source.joints.values(), strict=True)):
        kind = getattr(pin, f"JointModelR{'YZX'[i % 3]}")()
        offset = np.array([0.2, 0.0, 0.0]) if i else np.zeros(3)
        number = peer.addJoint(i, kind, pin.SE3(np.eye(3), offset), joint.name)
        peer.appendBodyToJoint(
            number, pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia_matrix)), pin.SE3.Identity()
        )
    data, tau = peer.createData(), np.zeros(n)

    def call() -> None:
        for x, y in zip(q, v, strict=True):
            pin.aba(peer, data, x, y, tau)

    return call


def _run_table(repeat: int, numbers: dict[str, float]) -> Any:
    """A whole run: the three-link pendulum for 100 s."""
    from rich.table import Table

    system = pendulum().compile()
    y0, grid = np.concatenate([system.q0, system.v0]), np.linspace(0.0, 100.0, 10_001)
    best = minima({"run": lambda: integrate(system.problem(), y0, grid, "dop853", 1e-10, 1e-10)}, repeat)["run"]
    numbers["three-link pendulum, 100 s"] = best
    table = Table(title="A run of 100 s, step control at 1e-10, 10 001 outputs, ms", title_justify="left", show_header=False)
    table.add_row("three-link pendulum", f"{1e3 * best:.1f}")
    return table
