"""Factorization and solution of G M⁻¹ Gᵀ for chains and meshes of bodies on ball joints, beside SuperLU and QDLDL."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

import numpy as np
from checks import Check, print_checks
from forward_dynamics import importable

from sharnir.dynamics.sparse.elimination_plan import Plan, plan_elimination
from sharnir.dynamics.sparse.solver import factorize_and_solve, factorize_sparse, solve_sparse
from sharnir.kernel import address, doubles, entry, ints

MILLISECONDS = {("chain", 1000): 0.25, ("mesh", 1024): 10.0, ("mesh", 10_000): 150.0}


@entry
def repeat_both(table, work, b, x, times):
    for _ in range(times):
        factorize_and_solve(ints(address(table)), 0, doubles(address(work)), 0, doubles(address(b)), doubles(address(x)))


@entry
def repeat_factorization(table, work, times):
    for _ in range(times):
        factorize_sparse(ints(address(table)), 0, doubles(address(work)), 0)


@entry
def repeat_solution(table, work, b, x, times):
    for _ in range(times):
        solve_sparse(ints(address(table)), 0, doubles(address(work)), 0, doubles(address(b)), doubles(address(x)))


def joints_of(kind: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Bodies of every joint (-1: ground) and positions of the bodies, a distance of 1 apart."""
    if kind == "chain":
        body = np.arange(n)
        return np.stack([body - 1, body], axis=1), np.stack([body, 0 * body, 0 * body], axis=1).astype(float)
    k = round(n**0.5)
    body = np.arange(k * k)
    right, lower = body[body % k < k - 1], body[: k * (k - 1)]
    pairs = [[[-1, 0]], np.stack([right, right + 1], axis=1), np.stack([lower, lower + k], axis=1)]
    return np.concatenate(pairs), np.stack([body % k, body // k, 0 * body], axis=1).astype(float)


def cross_matrices(r: np.ndarray) -> np.ndarray:
    """Matrices of r × …, one per row."""
    out = np.zeros((len(r), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[:, k, j], out[:, j, k] = r[:, i], -r[:, i]
    return out


def blocks_of(joints: np.ndarray, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of joints and their 3 × 3 blocks of G M⁻¹ Gᵀ; joints near the middle between bodies of mass 1."""
    random = np.random.default_rng(0)
    inverse_mass = np.diag([1.0, 1.0, 1.0, 12.0, 12.0, 24.0])
    point = position[joints].mean(axis=1) + 0.1 * random.standard_normal((len(joints), 3))
    ends = []  # element, body, ±(1, -r×)
    for side, sign in ((0, -1.0), (1, 1.0)):
        e = np.flatnonzero(joints[:, side] >= 0)
        arm = cross_matrices(point[e] - position[joints[e, side]])
        ends.append((e, joints[e, side], sign * np.concatenate([np.broadcast_to(np.eye(3), arm.shape), -arm], axis=2)))
    element, body, G = (np.concatenate(part) for part in zip(*ends, strict=True))
    by_body = np.argsort(body, kind="stable")
    element, body, G = element[by_body], body[by_body], G[by_body]
    pairs, blocks = [], []
    for offset in range(int(np.bincount(body).max())):  # every end with the one `offset` places later at the same body
        a = np.flatnonzero(body[: len(body) - offset] == body[offset:])
        b = a + offset
        later = np.where(element[a] >= element[b], a, b)
        earlier = a + b - later
        pairs.append(np.stack([element[later], element[earlier]], axis=1))
        blocks.append(G[later] @ inverse_mass @ G[earlier].transpose(0, 2, 1))
    return np.concatenate(pairs), np.concatenate(blocks)


def filled_work(plan: Plan, blocks: np.ndarray) -> np.ndarray:
    """The plan's work with the blocks added up in their places."""
    work = np.zeros(plan.work_size)
    np.add.at(work, plan.places[:, None] + np.arange(9), blocks.reshape(-1, 9))
    return work


def sparse_matrix(n: int, pairs: np.ndarray, blocks: np.ndarray) -> Any:
    """The same matrix for SciPy, both triangles."""
    from scipy.sparse import coo_matrix

    i, j = np.divmod(np.arange(9), 3)
    row, column = (3 * pairs[:, :1] + i).ravel(), (3 * pairs[:, 1:] + j).ravel()
    both = np.repeat(pairs[:, 0] != pairs[:, 1], 9)
    values = blocks.ravel()
    data = (np.concatenate([values, values[both]]), (np.concatenate([row, column[both]]), np.concatenate([column, row[both]])))
    return coo_matrix(data, shape=(3 * n, 3 * n)).tocsc()


def least_seconds(task: Callable[[], Any], repetitions: int) -> float:
    """Least CPU time of some runs."""
    best = np.inf
    for _ in range(repetitions):
        begin = process_time()
        task()
        best = min(best, process_time() - begin)
    return best


def peers(A: Any, b: np.ndarray) -> dict[str, Callable[[], np.ndarray]]:
    """Numerical factorization and solution by others; QDLDL keeps its order, SuperLU cannot."""
    from scipy.sparse import triu
    from scipy.sparse.linalg import splu

    options = {"SymmetricMode": True}
    tasks = {"SuperLU": lambda: splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options).solve(b)}
    if importable("qdldl"):
        import qdldl

        upper = triu(A, format="csc")
        solver = qdldl.Solver(upper, upper=True)

        def by_qdldl() -> np.ndarray:
            solver.update(upper, upper=True)
            return solver.solve(b)

        tasks["QDLDL"] = by_qdldl
    return tasks


def measure(kind: str, n: int, repetitions: int) -> tuple[float, dict[str, float]]:
    """Milliseconds of one factorization with solution, ours and the peers'; prints the parts."""
    joints, position = joints_of(kind, n)
    pairs, blocks = blocks_of(joints, position)
    begin = perf_counter()
    plan = plan_elimination(np.full(len(joints), 3), pairs)
    planned = perf_counter() - begin
    work, A = filled_work(plan, blocks), sparse_matrix(len(joints), pairs, blocks)
    b, x = np.random.default_rng(1).standard_normal(3 * len(joints)), np.empty(3 * len(joints))
    times = max(1, 20_000 // len(joints))
    repeat_both(plan.table, work, b, x, 1)
    residual = np.abs(A @ x - b).max()
    ours = [
        1e3 * least_seconds(task, repetitions) / times
        for task in (
            lambda: repeat_both(plan.table, work, b, x, times),
            lambda: repeat_factorization(plan.table, work, times),
            lambda: repeat_solution(plan.table, work, b, x, times),
        )
    ]
    others = {}
    for name, task in peers(A, b).items():
        assert np.abs(A @ task() - b).max() < 1e3 * residual + 1e-6
        others[name] = 1e3 * least_seconds(task, max(2, repetitions // 3))
    ratios = ", ".join(f"{name} {ms:.2f} ms ({ms / ours[0]:.1f} times ours)" for name, ms in others.items())
    parts = f"{ours[0]:.3f} ms (factorization {ours[1]:.3f}, solution {ours[2]:.3f})"
    print(f"{kind} of {n}: {parts}, plan {1e3 * planned:.0f} ms, residual {residual:.0e}; {ratios}", flush=True)
    return ours[0], others


def run(quick: bool = False) -> list[Check]:
    """Times against their targets, and the peers' times in units of ours."""
    sizes = {"chain": [100, 1000, 10_000, 100_000], "mesh": [100, 400, 1024, 2500, 10_000]}
    checks = []
    measure("mesh", 400, 1)  # compiles or loads what is needed, so that plans are timed without it
    for kind, all_sizes in sizes.items():
        used = [n for n in all_sizes if not quick or n <= 1024]
        times = {}
        for n in used:
            times[n], others = measure(kind, n, 3 if quick else 9)
            target = MILLISECONDS.get((kind, n))
            if target:
                checks.append(Check(f"{kind} of {n} bodies", "factorization and solution, ms", times[n], target))
                for name, ms in others.items():
                    checks.append(Check(f"{kind} of {n} bodies", f"time of {name} over ours", ms / times[n], 1.0, at_most=False))
        exponent = np.polyfit(np.log(used), np.log(list(times.values())), 1)[0]
        print(f"{kind}: exponent of time against N {exponent:.2f}")
    return checks


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="up to 1024 bodies, fewer repetitions")
    print_checks(run(arguments.parse_args().quick))
