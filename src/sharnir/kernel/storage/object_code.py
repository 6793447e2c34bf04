"""A kernel as an object file that needs the C library and nothing of Numba or Python, for the processors of Numba's target.

Kernels raise no exceptions, and entries take their arrays as addresses and shapes.
"""

from __future__ import annotations

from typing import Any

from sharnir.kernel.signatures import EntrySignature
from sharnir.kernel.storage.inventory import Kernel, numba_signature


def object_code(kernel: Kernel, cpu: str, features: str) -> bytes:
    """The kernel as an object file with one function that is seen from outside."""
    import llvmlite.binding as llvm
    import numba
    from numba.core import sigutils
    from numba.core.compiler_lock import global_compiler_lock

    from sharnir.kernel.compilation import BARE, PartCompiler, Whole

    class Unloaded(Whole):
        """Code that is written into a file and runs in no process."""

        def _finalize_final_module(self) -> None:
            self._verify_declare_only_symbols()
            self._finalized = True

    entry = isinstance(kernel.signature, EntrySignature)
    signature = numba_signature(kernel.signature) if entry else kernel.signature
    arguments, _ = sigutils.normalize_signature(signature)
    dispatcher = numba.njit(**BARE, pipeline_class=PartCompiler)(kernel.function)
    with global_compiler_lock:
        dispatcher.compile(signature)
        compiled = dispatcher.overloads[arguments]
        library = Unloaded(compiled.library.codegen, kernel.name)
        module = library.create_ir_module(kernel.name)
        (_write_entry if entry else _write_call)(module, compiled, kernel)
        library.add_ir_module(module)
        library.add_linking_library(compiled.library)
        library.finalize()
    final = library._final_module
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
