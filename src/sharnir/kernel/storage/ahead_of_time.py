"""All kernels as shared libraries, one for each level of processors: what a wheel brings along.

    python -m sharnir.kernel.storage.ahead_of_time [--level x86-64-v3 …] [--jobs 2]

Numba compiles each kernel in a process that takes the level for its processor. What comes out is an object file that needs the C
library and nothing of Numba or Python: kernels raise no exceptions, and entries take their arrays as addresses and shapes. The
system's C compiler links them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

from sharnir.atomic_file import replacement
from sharnir.kernel.signatures import EntrySignature
from sharnir.kernel.storage.cache import cache_folder, source_stamp
from sharnir.kernel.storage.inventory import Kernel, kernels, numba_signature
from sharnir.kernel.storage.library import FOLDER, HOUSE, LEVELS, SUFFIX, Level, machine, source_digest


def object_code(kernel: Kernel, cpu: str, features: str) -> bytes:
    """The kernel as an object file with one function that is seen from outside."""
    import llvmlite.binding as llvm
    import numba
    from numba.core import sigutils
    from numba.core.compiler_lock import global_compiler_lock

    from sharnir.kernel.compilation import BARE, PartCompiler, Whole

    entry = isinstance(kernel.signature, EntrySignature)
    signature = numba_signature(kernel.signature) if entry else kernel.signature
    arguments, _ = sigutils.normalize_signature(signature)
    dispatcher = numba.njit(**BARE, pipeline_class=PartCompiler)(kernel.function)
    with global_compiler_lock:
        dispatcher.compile(signature)
        compiled = dispatcher.overloads[arguments]
        library = Whole(compiled.library.codegen, kernel.name)
        module = library.create_ir_module(kernel.name)
        (_write_entry if entry else _write_call)(module, compiled, kernel)
        library.add_ir_module(module)
        library.add_linking_library(compiled.library)
        library.finalize()
        final = llvm.parse_assembly(str(library._final_module))
    for item in (*final.functions, *final.global_variables):
        if not item.is_declaration:
            item.linkage = "external" if item.name == kernel.name else "internal"
    target = llvm.Target.from_triple(llvm.get_process_triple())
    tm = target.create_target_machine(cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default")
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(final, llvm.create_pass_builder(tm, llvm.create_pipeline_tuning_options()))
    return tm.emit_object(final)


def _write_call(module: Any, compiled: Any, kernel: Kernel) -> None:
    """A C function that calls the compiled one; kernels raise nothing, so its status says nothing."""
    from llvmlite import ir

    context, descriptor = compiled.target_context, compiled.fndesc
    given = [context.get_value_type(x) for x in descriptor.argtypes]
    is_void = str(descriptor.restype) == "none"
    kind = ir.FunctionType(ir.VoidType() if is_void else context.get_value_type(descriptor.restype), given)
    function = ir.Function(module, kind, name=kernel.name)
    builder = ir.IRBuilder(function.append_basic_block())
    called = context.declare_function(module, descriptor)
    _, result = context.call_conv.call_function(builder, called, descriptor.restype, descriptor.argtypes, function.args)
    builder.ret_void() if is_void else builder.ret(result)


def _write_entry(module: Any, compiled: Any, kernel: Kernel) -> None:
    """A C function of one block of numbers: integers, floats, and for arrays address and shape (deferred.Entry packs it)."""
    from llvmlite import ir
    from numba import types

    context, descriptor = compiled.target_context, compiled.fndesc
    word, double = ir.IntType(64), ir.DoubleType()
    result_type = {None: ir.VoidType(), int: word, float: double, bool: word}[kernel.signature.result]
    function = ir.Function(module, ir.FunctionType(result_type, [word.as_pointer()]), name=kernel.name)
    builder = ir.IRBuilder(function.append_basic_block())
    places = iter(range(1 << 20))

    def item() -> Any:
        return builder.load(builder.gep(function.args[0], [ir.Constant(word, next(places))]), align=1)

    tuples: Any = types.BaseTuple

    def value(ty: Any) -> Any:
        if isinstance(ty, types.Array):
            return _array(context, builder, ty, item(), [item() for _ in range(ty.ndim)])
        if isinstance(ty, tuples):
            return context.make_tuple(builder, ty, [value(part) for part in tuple(ty)])
        if ty == types.float64:
            return builder.bitcast(item(), double)
        return builder.trunc(item(), ir.IntType(1)) if ty == types.boolean else item()

    values = [value(ty) for ty in descriptor.argtypes]
    called = context.declare_function(module, descriptor)
    _, result = context.call_conv.call_function(builder, called, descriptor.restype, descriptor.argtypes, values)
    if kernel.signature.result is None:
        builder.ret_void()
    else:
        builder.ret(builder.zext(result, word) if kernel.signature.result is bool else result)


def _array(context: Any, builder: Any, ty: Any, address: Any, shape: list[Any]) -> Any:
    """An array of Numba's on memory that somebody else owns."""
    from numba.core import cgutils, types

    made = context.make_array(ty)(context, builder)
    size = context.get_constant(types.intp, 8)
    count: Any = context.get_constant(types.intp, 1)
    strides: list[Any] = []
    for length in reversed(shape):
        strides.insert(0, builder.mul(count, size))
        count = builder.mul(count, length)
    made.data = builder.inttoptr(address, made.data.type)
    made.shape, made.strides = cgutils.pack_array(builder, shape), cgutils.pack_array(builder, strides)
    made.itemsize, made.nitems = size, count
    made.meminfo, made.parent = (cgutils.get_null_value(x.type) for x in (made.meminfo, made.parent))
    return made._getvalue()


def object_file(kernel: Kernel, level: str) -> Path:
    """Where the object file of a kernel is kept: a compilation that was stopped goes on where it was."""
    file = Path(kernel.function.__code__.co_filename)
    return cache_folder() / "objects" / level / f"{kernel.name}.{source_stamp(file)}.{compiler_stamp()}.o"


@cache
def compiler_stamp() -> str:
    """Digest of what turns sources into object files: the compiler, and the signatures and wrappers that are written here."""
    with_wrappers = (Path(__file__), Path(__file__).parent / "inventory.py", HOUSE / "kernel" / "signatures.py")
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
            new.write_bytes(_runtime(cpu, features))


RUNTIME = "runtime.o"


def _runtime(cpu: str, features: str) -> bytes:
    """What Numba's code calls when memory of its own is free; arrays of entries belong to Python, and never are."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly("define hidden void @NRT_MemInfo_call_dtor(i8* %memory) {\n  ret void\n}")
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(cpu=cpu, features=features, reloc="pic").emit_object(module)


def write_library(level: Level, folder: Path = FOLDER, jobs: int = 2) -> Path:
    """Compile all kernels for a level of processors and link them; returns the library."""
    cpu, features = CPUS.get(level.name, (level.name, ""))
    environment = os.environ | {
        "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": features,
        "SHARNIR_LANES": str(level.lanes),
        "SHARNIR_COMPILE": "1",
        "PYTHONPATH": os.pathsep.join([str(HOUSE.parent), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "sharnir.kernel.storage.ahead_of_time", "--objects", level.name]
    running = [subprocess.Popen([*command, f"{k}/{jobs}"], env=environment) for k in range(jobs)]
    if sum(abs(process.wait()) for process in running):  # wait for all of them
        raise SystemExit(f"kernels for {level.name} could not be compiled")
    listed = subprocess.run([*command, "list"], env=environment, check=True, capture_output=True, text=True).stdout
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{level.name}{SUFFIX}"
    options = [] if sys.platform == "darwin" else ["-Wl,-z,defs,-s"]  # nothing may be missing; names of the inside are not kept
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-o", str(path), *listed.split("\n"), "-lm", *options], check=True)
    return path


CPUS = {"arm64": ("generic", "+neon")}  # what the compiler calls a level, where it has another name


def main() -> None:
    """Compile the libraries of this machine's family of processors into the package, and write down what they were made from."""
    parser = argparse.ArgumentParser(prog="python -m sharnir.kernel.storage.ahead_of_time", description=main.__doc__)
    known = {level.name: level for level in LEVELS.get(machine(), ())}
    parser.add_argument("--level", nargs="*", choices=list(known), default=list(known))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that compile at once")
    parser.add_argument("--objects", nargs=2, help=argparse.SUPPRESS)  # level and share of the work, for those processes
    given = parser.parse_args()
    if given.objects:
        level, part = given.objects
        if part == "list":
            files = [object_file(kernel, level) for kernel in kernels()]
            sys.stdout.write("\n".join(str(file) for file in (*files, files[0].parent / RUNTIME)))
        else:
            write_objects(level, *(int(x) for x in part.split("/")))
        return
    sources = source_digest()
    paths = [write_library(known[name], jobs=given.jobs) for name in given.level]
    if source_digest() != sources:
        raise SystemExit("the sources of kernels have changed while they were compiled; start again")
    record = {
        "sources": sources,
        "compiler": compiler(),
        "libraries": {path.name: path.stat().st_size for path in paths},
    }
    (FOLDER / "record.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for path in paths:
        sys.stdout.write(f"{path.name}: {path.stat().st_size / 2**20:.1f} MB\n")


if __name__ == "__main__":
    main()
