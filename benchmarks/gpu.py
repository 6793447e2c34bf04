"""Throughput of kernels for a GPU: chains of hinges, against straight-line code of CasADi and the vector batch of processors.

    python benchmarks/gpu.py [--probe FOLDER] [--static | --count]

--count : operations that an evaluation executes (gpu_operations.py); needs a C++ compiler and no GPU.   --static : registers,
spills and instructions, as `nvcc` reports them; needs no GPU.   --probe : a folder with `generate.py N OUT`, which writes forward
dynamics of a chain of N hinges as `fd(q, v, tau, vdot)` of CUDA C, and `bench.cu`, which measures it; the chains here are then
the same. Without these options a GPU is measured, and the script prints what it finds, at the end with the ratios to the probe
and to the vector batch of all processors. MJX and MuJoCo Warp are measured where they are
installed (gpu_peers.py). Programs of the probe are compiled beside each other while ours are measured.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from gpu_operations import Operations, of_ours, of_probe
from gpu_peers import measure_peers

import sharnir as sr
from sharnir.gpu.device import THREADS, Device, number_type
from sharnir.gpu.kernel_model import KernelModel
from sharnir.gpu.output_plan import OutputPlan
from sharnir.gpu.run_kernel import Kernel
from sharnir.symbolic.nodes import Call, Name

SIZES = (7, 30)
STATES = 2**20
STEPS, STEP = 100, 1e-3
REPEATS = 10
PATIENCE = 240  # seconds for the compiler to end with a program of the probe
ASKED = {7: 1.5, 30: 3.0}  # times as fast as the probe
BATCH = 20.0  # times as fast as the vector batch of 16 processors
FOUND: dict[tuple[int, bool, str], tuple[float, float]] = {}  # (hinges, single, what): evaluations, steps per second
NVCC = ("nvcc", "-O3", "-arch=sm_90", "-std=c++14", f"-DTHREADS={THREADS}", "-Xptxas", "-v")


def random_links(n: int) -> list[tuple]:
    """Mass, centre, inertia about the joint, axis, and place of the joint in the body before."""
    rng, found = np.random.default_rng(1), []
    for _ in range(n):
        m, c, a, axis = rng.uniform(0.5, 2), rng.uniform(-0.2, 0.2, 3), rng.uniform(-0.2, 0.2, (3, 3)), rng.normal(size=3)
        J = a @ a.T + 0.02 * np.eye(3) + m * (c @ c * np.eye(3) - np.outer(c, c))
        found.append((m, c, J, axis / np.linalg.norm(axis), rng.uniform(-0.5, 0.5, 3)))
    return found


def chain(links: list[tuple]) -> sr.Model:
    """The chain as a model."""
    m, at, above = sr.Model("chain", gravity=(0, 0, -9.81)), np.zeros(3), "ground"
    for k, (mass, c, J, axis, offset) in enumerate(links):
        at = at + offset
        I = J - mass * (c @ c * np.eye(3) - np.outer(c, c))
        own = {"mass": mass, "inertia": I[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], "position": tuple(at), "com": tuple(c)}
        m.add(sr.Body(f"b{k}", any_inertia=True, **own))
        m.add(sr.Revolute(f"h{k}", above, f"b{k}", at=tuple(at), axis=tuple(axis)))
        above = f"b{k}"
    return m


def kernels(model: sr.Model, single: bool, rolled: bool) -> tuple[Kernel, Kernel]:
    """Rates of states, and runs by fixed steps of which the last coordinate is kept."""
    system = model.compile()
    last = system.coordinates[-1]
    plan = OutputPlan({"end": Call("final", (Name(last),))}, set())
    return (
        Kernel(KernelModel(system), single=single, rolled=rolled),
        Kernel(KernelModel(system, (), plan.channels), plan, single, True, rolled),
    )


# what the compiler says


def report(source: Path, more: tuple[str, ...] = ()) -> dict[str, tuple[int, int, int, dict[str, int]]]:
    """Of every kernel in a file: registers, bytes of stack and of spills, instructions by kind where `nvdisasm` is there."""
    binary = source.with_suffix(".cubin")
    done = subprocess.run([*NVCC, *more, "-cubin", "-o", binary, source], capture_output=True, text=True, check=True)
    counts = instructions(binary)
    found = {}
    for part in re.split(r"Compiling entry function ", done.stderr)[1:]:
        name = re.findall(r"'(\w+)'", part)[0]
        stack = int(re.findall(r"Used \d+ registers.*?(?:(\d+) bytes cumulative stack|$)", part, re.S)[0] or 0)
        spills = sum(int(x) for x in re.findall(r"(\d+) bytes spill", part))
        found[name] = int(re.findall(r"Used (\d+) registers", part)[0]), stack, spills, counts.get(name, {})
    return found


def instructions(binary: Path) -> dict[str, dict[str, int]]:
    """Instructions in the code of each kernel: all, arithmetic, and accesses to the memory of a thread."""
    if shutil.which("nvdisasm") is None:
        return {}
    text = subprocess.run(["nvdisasm", "-c", binary], capture_output=True, text=True, check=True).stdout
    found = {}
    for part in re.split(r"\.section\s+\.text\.", text)[1:]:
        pattern = r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]+)"
        count = Counter(re.findall(pattern, part, re.M))
        arithmetic = sum(count[name] for name in ("DFMA", "DMUL", "DADD", "FFMA", "FMUL", "FADD", "MUFU"))
        found[part.split(",")[0].strip()] = {
            "all": sum(count.values()),
            "arithmetic": arithmetic,
            "local": count["LDL"] + count["STL"],
        }
    return found


def static(folder: Path, probe: Path | None) -> None:
    """A table of registers, stack, spills and instructions."""
    print(f"{'':34}{'registers':>10}{'stack':>8}{'spills':>8}   instructions")
    for n in SIZES:
        for single in (False, True):
            label = f"{n} hinges, {'single' if single else 'double'}"
            if probe is not None:
                (folder / "probe.cu").write_text(probe_source(n, folder, probe))
                show(f"{label}, probe", report(folder / "probe.cu", ("-DF32",) if single else ("-DF64",)))
            for rolled in (False, True):
                for kernel in kernels(chain(links_of(n, probe)), single, rolled):
                    (folder / "own.cu").write_text(kernel.text)
                    show(f"{label}, {'loops' if rolled else 'straight'}", report(folder / "own.cu"))


def count(folder: Path, probe: Path | None) -> None:
    """Operations of one evaluation, and how many times as many the probe executes."""
    print(f"{'':24}{'additions':>10}{'products':>10}{'fused':>7}{'quotients':>10}{'functions':>10}{'all':>8}   probe / this")
    for n in SIZES:
        rows: dict[str, Operations] = {}
        if probe is not None:
            probe_source(n, folder, probe)
            rows["probe"] = of_probe(folder / f"chain{n}.cuh", n, folder)
        for rolled in (False, True):
            states, _ = kernels(chain(links_of(n, probe)), False, rolled)
            rows["loops" if rolled else "straight"] = of_ours(states.text, n, folder)
        for name, row in rows.items():
            ratio = f"{rows['probe'].all / row.all:15.2f}" if "probe" in rows else ""
            numbers = "".join(f"{x:{width}}" for x, width in zip(row, (10, 10, 7, 10, 10), strict=True))
            print(f"{f'{n} hinges, {name}':24}{numbers}{row.all:8}{ratio}", flush=True)


def show(label: str, found: dict[str, Any]) -> None:
    for name, (registers, stack, spills, count) in found.items():
        kind = "evaluation" if "eval" in name or name == "states" else "RK4 step"
        said = ", ".join(f"{key} {value}" for key, value in count.items())
        print(f"{label + ': ' + kind:34}{registers:10}{stack:8}{spills:8}   {said}")


# the probe


def probe_module(probe: Path) -> Any:
    spec = importlib.util.spec_from_file_location("generate", probe / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def links_of(n: int, probe: Path | None) -> list[tuple]:
    """Those of the probe where it is there."""
    return random_links(n) if probe is None else probe_module(probe).chain(n)


def probe_source(n: int, folder: Path, probe: Path) -> str:
    """The program that measures the probe."""
    header = folder / f"chain{n}.cuh"
    subprocess.run([sys.executable, probe / "generate.py", str(n), header], check=True, capture_output=True)
    return f'#define MODEL "{header}"\n' + (probe / "bench.cu").read_text()


def compile_probe(n: int, single: bool, folder: Path, probe: Path) -> tuple[Path, subprocess.Popen]:
    """The program that measures the probe, and the compiler at work on it."""
    source = folder / f"probe{n}{'s' if single else 'd'}.cu"
    source.write_text(probe_source(n, folder, probe))
    command = ["nvcc", "-O3", "-arch=native", f"-DF{32 if single else 64}", "-o", source.with_suffix(""), source]
    return source.with_suffix(""), subprocess.Popen(command, stdout=subprocess.DEVNULL)


def measure_probe(n: int, single: bool, program: Path, compiler: subprocess.Popen) -> None:
    """What the probe prints about itself; without an end of the compilation in sight, that."""
    label = f"{n} hinges, {'single' if single else 'double'}, probe"
    try:
        failed = compiler.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        compiler.kill()
        failed = 1
    if failed:
        print(f"{label:34}not measured: nvcc has not compiled it within {PATIENCE} s")
        return
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(f"{label}: {said}", end="")
    evaluations, steps = (re.findall(rf"([0-9.e+]+) {word}/s", said) for word in ("evaluations", "steps"))
    FOUND[n, single, "probe"] = max(map(float, evaluations)), max(map(float, steps))


# on a GPU


def seconds(cupy: Any, launch: Any) -> float:
    """The least of some launches, by the clock of the GPU."""
    best = np.inf
    for _ in range(REPEATS):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        launch()
        end.record()
        end.synchronize()
        best = min(best, 1e-3 * cupy.cuda.get_elapsed_time(begin, end))
    return best


def measure_own(n: int, single: bool, rolled: bool, probe: Path | None) -> None:
    """Evaluations and steps per second, and the largest error of accelerations against the engine."""
    device, kind = Device(), number_type(single)
    cupy, model = device.cupy, chain(links_of(n, probe))
    states, runs = kernels(model, single, rolled)
    system = model.compile()
    y = np.random.default_rng(0).uniform(-0.5, 0.5, (2 * n, STATES)).astype(kind)
    start, none, out, end = (
        cupy.asarray(y),
        cupy.zeros(1, kind),
        cupy.empty_like(cupy.asarray(y)),
        cupy.empty((2 * n, STATES), kind),
    )
    launch = device.compiled(states.text, "states")
    time = seconds(cupy, lambda: launch(STATES, kind(0), start, none, out))
    wanted = system.accelerations(y[:n, :100].T.astype(float), y[n:, :100].T.astype(float))
    error = np.abs(cupy.asnumpy(out[n:, :100]).T - wanted).max() / np.abs(wanted).max()
    grid, least, results = cupy.asarray([0.0, STEPS * STEP]), cupy.ones(2 * n, kind), cupy.empty((1, STATES))
    status = cupy.empty(STATES, np.int32)
    run = device.compiled(runs.text, "runs")
    scalars = np.int32(2), np.float64(STEP), np.float64(1e9), np.float64(1e-8)
    steps = seconds(cupy, lambda: run(STATES, start, none, grid, *scalars, least, least, results, end, status))
    assert not cupy.asnumpy(status).any(), "runs have failed"
    label = f"{n} hinges, {'single' if single else 'double'}, {'loops' if rolled else 'straight'}"
    FOUND[n, single, "loops" if rolled else "straight"] = STATES / time, STATES * STEPS / steps
    print(f"{label:34}{STATES / time:12.3g} evaluations/s{STATES * STEPS / steps:12.3g} RK4 steps/s   error {error:.1e}")


def measure_processors(n: int, probe: Path | None) -> None:
    """The vector batch of all processors."""
    model, count = chain(links_of(n, probe)), 4096
    rng = np.random.default_rng(0)
    q, v = rng.uniform(-0.5, 0.5, (2, count, n))
    system = model.compile()
    system.accelerations(q, v)
    begin = perf_counter()
    system.accelerations(q, v)
    evaluation = count / (perf_counter() - begin)
    settings = {"integrator": "rk4", "step": STEP, "output": STEPS * STEP}
    sr.simulate_many(system, STEPS * STEP, q=q[:16], v=v[:16], **settings)
    begin = perf_counter()
    sr.simulate_many(system, STEPS * STEP, q=q, v=v, **settings)
    steps = count * STEPS / (perf_counter() - begin)
    FOUND[n, False, "processors"] = evaluation, steps
    label = f"{n} hinges, {os.cpu_count()} processors"
    print(f"{label:34}{evaluation:12.3g} evaluations/s{steps:12.3g} RK4 steps/s")


def ratios() -> None:
    """Our best code over the probe, and over the vector batch."""
    print("\nratios of evaluations and of RK4 steps")
    for n in SIZES:
        for single in (False, True):
            own = [FOUND[key] for key in FOUND if key[:2] == (n, single) and key[2] in ("straight", "loops")]
            best = [max(rate) for rate in zip(*own, strict=True)]
            label = f"{n} hinges, {'single' if single else 'double'}"
            for what, key, asked in (("probe", (n, single, "probe"), ASKED[n]), ("processors", (n, False, "processors"), BATCH)):
                if key in FOUND:
                    said = ", ".join(f"{a / b:.3g}" for a, b in zip(best, FOUND[key], strict=True))
                    print(f"{label + ', ours / ' + what:40}{said}   (asked: {asked:g})")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--probe", type=Path)
    parser.add_argument("--static", action="store_true")
    parser.add_argument("--count", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.static or given.count:
            (static if given.static else count)(folder, given.probe)
            return
        Device()  # without a GPU it says so, before anything else is measured
        kinds = [(n, single) for n in SIZES for single in (False, True)]
        for n in SIZES:
            measure_processors(n, given.probe)
        programs = {} if given.probe is None else {kind: compile_probe(*kind, folder, given.probe) for kind in kinds}
        for n, single in kinds:
            for rolled in (False, True):
                measure_own(n, single, rolled, given.probe)
        for kind, program in programs.items():
            measure_probe(*kind, *program)
        ratios()
        for n in SIZES:
            links = links_of(n, given.probe)
            measure_peers(links, chain(links).compile().accelerations, STATES // 16)


if __name__ == "__main__":
    main()
