"""MuJoCo on a GPU, MJX and MuJoCo Warp, on the chains of `gpu.py`: evaluations per second, where these packages are installed.

    pip install mujoco-mjx "jax[cuda13]" mujoco-warp
    python benchmarks/gpu.py

Each evaluates the forward dynamics of all states at once (`mjx.forward`, `mujoco_warp.forward`) in single precision, which is all
that MuJoCo Warp has; MJX in double precision as well. Before times count, accelerations must be those of the engine.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

REPEATS = 5
AGREES = {"single": 1e-2, "double": 1e-9}  # largest error of an acceleration relative to the largest
NEEDS = {"MJX": ("mujoco.mjx", "jax"), "MuJoCo Warp": ("mujoco_warp", "warp")}


def mujoco_model(links: list[tuple]) -> Any:
    """The chain in MuJoCo. Inertias are set behind its compiler, which refuses those that no real body has."""
    import mujoco

    text, end = "", ""
    for _, com, _, axis, offset in links:
        place, center, along = (" ".join(f"{x:.17g}" for x in row) for row in (offset, com, axis))
        text += f'<body pos="{place}"><inertial pos="{center}" mass="1" diaginertia="1 1 1"/><joint type="hinge" axis="{along}"/>'
        end += "</body>"
    option = '<option gravity="0 0 -9.81" integrator="Euler"><flag contact="disable"/></option>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{text}{end}</worldbody></mujoco>")
    for k, (mass, c, J, _, _) in enumerate(links, start=1):
        moments, axes = np.linalg.eigh(J - mass * (c @ c * np.eye(3) - np.outer(c, c)))
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        model.body_mass[k], model.body_inertia[k] = mass, moments
        mujoco.mju_mat2Quat(model.body_iquat[k], axes.ravel())
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def least_seconds(call: Callable[[], Any]) -> float:
    """The least of some calls that wait for their results."""
    call()
    best = np.inf
    for _ in range(REPEATS):
        begin = perf_counter()
        call()
        best = min(best, perf_counter() - begin)
    return best


def mjx(model: Any, q: np.ndarray, v: np.ndarray, single: bool) -> tuple[np.ndarray, float, str]:
    """Accelerations by MJX, seconds, and where it ran."""
    import jax
    import jax.numpy as jnp
    from mujoco import mjx as package

    jax.config.update("jax_enable_x64", not single)
    kind = jnp.float32 if single else jnp.float64
    put, data = package.put_model(model), package.make_data(model)

    def one(q: Any, v: Any) -> Any:
        return package.forward(put, data.replace(qpos=q, qvel=v)).qacc

    every, q, v = jax.jit(jax.vmap(one)), jnp.asarray(q, kind), jnp.asarray(v, kind)
    time = least_seconds(lambda: every(q, v).block_until_ready())
    return np.asarray(every(q, v), float), time, jax.devices()[0].platform


def warp(model: Any, q: np.ndarray, v: np.ndarray, single: bool) -> tuple[np.ndarray, float, str]:
    """Accelerations by MuJoCo Warp, seconds, and where it ran."""
    import mujoco
    import mujoco_warp as package
    import warp as wp

    put = package.put_model(model)
    data = package.put_data(model, mujoco.MjData(model), nworld=len(q))
    data.qpos.assign(q.astype(np.float32))
    data.qvel.assign(v.astype(np.float32))
    package.forward(put, data)
    call: Callable[[], None] = lambda: package.forward(put, data)  # noqa: E731 - one of two
    if wp.get_device().is_cuda:
        with wp.ScopedCapture() as capture:
            package.forward(put, data)
        call = lambda: wp.capture_launch(capture.graph)  # noqa: E731

    def launch() -> None:
        call()
        wp.synchronize()

    time = least_seconds(launch)
    return data.qacc.numpy().astype(float).reshape(len(q), -1), time, str(wp.get_device())


def measure_peers(links: list[tuple], wanted: Callable[[np.ndarray, np.ndarray], np.ndarray], states: int) -> None:
    """A line for each peer and precision, or why there is none. `wanted` : accelerations by the engine."""
    n = len(links)
    q, v = np.random.default_rng(0).uniform(-0.5, 0.5, (2, states, n))
    right = wanted(q[:100], v[:100])
    for name, run, single in (("MJX", mjx, True), ("MJX", mjx, False), ("MuJoCo Warp", warp, True)):
        precision = "single" if single else "double"
        label = f"{n} hinges, {precision}, {name}"
        missing = [package for package in NEEDS[name] if not installed(package)]
        if missing:
            print(f"{label:34}not measured: {', '.join(missing)} not installed")
            continue
        try:
            found, time, place = run(mujoco_model(links), q, v, single)
        except Exception as error:  # a peer that does not run here must not end the measurements of ours
            print(f"{label:34}not measured: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
            continue
        wrong = np.abs(found[:100] - right).max() / np.abs(right).max()
        said = f"{states / time:12.3g} evaluations/s" if wrong <= AGREES[precision] else "  another result:"
        print(f"{label:34}{said} on {place}, error {wrong:.1e}", flush=True)


def installed(package: str) -> bool:
    """Whether a package, or a package inside another one, can be imported."""
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False
