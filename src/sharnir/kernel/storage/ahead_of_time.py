"""All kernels as shared libraries, one for each level of processors, shipped with a wheel.

    python -m sharnir.kernel.storage.ahead_of_time [--machine arm64] [--level x86-64-v3 …] [--jobs 2]

Numba compiles each kernel into an object file (object_code.py), in a process that takes the level for its processor; the system's
C compiler links them. On Linux, libraries for the other family of processors can be made, too: with a C compiler for it.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

from sharnir.atomic_file import replacement
from sharnir.kernel.storage.cache import cache_folder, source_stamp
from sharnir.kernel.storage.inventory import Kernel, kernels
from sharnir.kernel.storage.library import FOLDER, HOUSE, LEVELS, SUFFIX, Level, content_digest, machine, source_digest
from sharnir.kernel.storage.object_code import object_code
from sharnir.kernel.storage.runtime_code import runtime_code
from sharnir.kernel.storage.warmup import GARBAGE


def object_file(kernel: Kernel, level: str) -> Path:
    """Where the object file of a kernel is kept: a compilation that was stopped goes on where it was."""
    file = Path(kernel.function.__code__.co_filename)
    return cache_folder() / "objects" / level / f"{kernel.name}.{source_stamp(file)}.{compiler_stamp()}.o"


@cache
def compiler_stamp() -> str:
    """Digest of what turns sources into object files: the compiler, signatures and wrappers."""
    here = Path(__file__).parent
    with_wrappers = (here / "object_code.py", here / "inventory.py", HOUSE / "kernel" / "signatures.py")
    digest = hashlib.blake2b(compiler().encode(), digest_size=8)
    for file in with_wrappers:
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def compiler() -> str:
    """The compiler and its version."""
    import llvmlite
    import numba

    return f"numba {numba.__version__}, llvmlite {llvmlite.__version__}"


def write_objects(level: str, share: int, of: int) -> None:
    """Object files of every `of`-th kernel from number `share` on, for the processors of NUMBA_CPU_NAME."""
    cpu, features = os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"]
    for kernel in kernels()[share::of]:
        path = object_file(kernel, level)
        if not path.exists():
            begun = time.perf_counter()
            code = object_code(kernel, cpu, features)
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacement(path) as new:
                new.write_bytes(code)
            sys.stdout.write(f"{time.perf_counter() - begun:6.1f} s {len(code) / 1024:7.0f} kB  {kernel.name}\n")
            sys.stdout.flush()
    if share == 0:
        with replacement(object_file(kernels()[0], level).parent / RUNTIME) as new:
            new.write_text(runtime_code(cpu, features), encoding="utf-8")


RUNTIME = "runtime.s"


def write_library(level: Level, family: str, folder: Path = FOLDER, jobs: int = 2) -> Path:
    """Compile all kernels for a level of a family of processors and link them; returns the library."""
    cpu, features = CPUS.get(level.name, (level.name, ""))
    environment = os.environ | {
        "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": features,
        "SHARNIR_LANES": str(level.lanes),
        "SHARNIR_COMPILE": "1",
        "PYTHONPATH": os.pathsep.join([str(HOUSE.parent), os.environ.get("PYTHONPATH", "")]),
    }
    start = START if family == machine() else AIM.format(triple=f"{GNU[family]}-unknown-linux-gnu") + START
    command = [sys.executable, "-c", start, "--machine", family, "--objects", level.name]
    running = [subprocess.Popen([*command, f"{k}/{jobs}"], env=environment) for k in range(jobs)]
    if sum(abs(process.wait()) for process in running):  # wait for all of them
        raise SystemExit(f"kernels for {level.name} could not be compiled")
    listed = subprocess.run([*command, "list"], env=environment, check=True, capture_output=True, text=True).stdout
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{level.name}{SUFFIX}"
    options = [] if sys.platform == "darwin" else ["-Wl,-z,defs,-s"]  # nothing may be missing; names of the inside are not kept
    linker = os.environ.get("CC", "cc" if family == machine() else f"{GNU[family]}-linux-gnu-gcc")
    subprocess.run([linker, "-shared", "-o", str(path), *listed.split("\n"), "-lm", *options], check=True)
    return path


CPUS = {"arm64": ("generic", "+neon")}  # what the compiler calls a level, where it has another name
GNU = {"x86_64": "x86_64", "arm64": "aarch64"}  # what compilers for Linux call a family of processors
START = "from sharnir.kernel.storage.ahead_of_time import main; main()"
# Numba asks for its target when the kernel room is imported, so that another one must be there before
AIM = """
import llvmlite.binding as llvm
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
llvm.get_process_triple = lambda: "{triple}"
"""


def main() -> None:
    """Compile the libraries of a family of processors into the package, and write down what they were made from."""
    parser = argparse.ArgumentParser(prog="python -m sharnir.kernel.storage.ahead_of_time", description=main.__doc__)
    parser.add_argument("--machine", choices=list(LEVELS), default=machine(), help="family of processors (here: %(default)s)")
    every = [level.name for levels in LEVELS.values() for level in levels]
    parser.add_argument("--level", nargs="*", choices=every, help="of that family; otherwise all of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that compile at once")
    parser.add_argument("--objects", nargs=2, help=argparse.SUPPRESS)  # level and share of the work, for those processes
    given = parser.parse_args()
    if given.objects:
        _objects(*given.objects)
        return
    if given.machine != machine() and not sys.platform.startswith("linux"):
        parser.error("kernels for another family of processors can be made on Linux only")
    chosen = [level for level in LEVELS[given.machine] if level.name in (given.level or every)]
    if len(chosen) < len(given.level or ()):
        parser.error(f"the levels of {given.machine} are {', '.join(level.name for level in LEVELS[given.machine])}")
    _write(chosen, given.machine, given.jobs)


def _objects(level: str, part: str) -> None:
    """What one of the processes that compile does: its share, or the list of all files."""
    if part == "list":
        files = [object_file(kernel, level) for kernel in kernels()]
        sys.stdout.write("\n".join(str(file) for file in (*files, files[0].parent / RUNTIME)))
    else:
        gc.set_threshold(GARBAGE)
        write_objects(level, *(int(x) for x in part.split("/")))


def _write(levels: list[Level], family: str, jobs: int) -> None:
    """Libraries of some levels in place of those that were there, and their record."""
    sources = source_digest()
    shutil.rmtree(FOLDER, ignore_errors=True)
    paths = [write_library(level, family, jobs=jobs) for level in levels]
    if source_digest() != sources:
        raise SystemExit("the sources of kernels have changed while they were compiled; start again")
    record = {
        "sources": sources,
        "compiler": compiler(),
        "machine": family,
        "libraries": {path.name: content_digest(path) for path in paths},
    }
    (FOLDER / "record.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for path in paths:
        sys.stdout.write(f"{path.name}: {path.stat().st_size / 2**20:.1f} MB\n")


if __name__ == "__main__":
    main()
