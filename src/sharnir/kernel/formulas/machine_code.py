"""LLVM code as functions in the memory of this process.

llvmlite is imported when the first code is made: most models need none, and it takes as long as NumPy.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sharnir.kernel.storage.derived_code import digest_of, store, stored


class MachineCode:
    """One module of LLVM code, optimized for this processor; `address` is that of its function `name`.

    effort : 3, or less for code without loops, of which the compiler would make little more in ten times the time: 1, 0.
    passes : False for code of which nothing can be made.

    >>> code = MachineCode("define double @f(double %x) { %y = fadd double %x, %x ret double %y }", "f")
    >>> import ctypes
    >>> ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code.address)(1.5)
    3.0
    """

    def __init__(self, text: str, name: str = "formula", effort: int = 3, passes: bool = True) -> None:
        import llvmlite.binding as llvm

        module = optimized(text, effort) if passes else llvm.parse_assembly(text)
        self._engine: Any = llvm.create_mcjit_compiler(module, _machine(effort))
        self._engine.finalize_object()
        self.address = self.address_of(name)

    def address_of(self, name: str) -> int:
        """Where one of its functions stands."""
        return int(self._engine.get_function_address(name))


class ObjectCode:
    """Functions and memory of an object file, in the memory of this process; every instance has memory of its own.

    >>> code = ObjectCode(kept_object_file("define double @f(double %x) { %y = fadd double %x, %x ret double %y }", 1))
    >>> import ctypes
    >>> ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code.address_of("f"))(1.5)
    3.0
    """

    def __init__(self, object_file: bytes) -> None:
        self._engine = loaded(object_file)

    def address_of(self, name: str) -> int:
        """Where one of its functions stands."""
        return int(self._engine.get_function_address(name))

    def memory_of(self, name: str, kind: Any, count: int) -> Any:
        """A global array as one of ctypes."""
        return (kind * count).from_address(int(self._engine.get_global_value_address(name)))


def optimized(text: str, effort: int) -> Any:
    """The module of a text; code that is straight already is translated as it stands (effort below 2)."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(text)
    if effort > 1:
        passes = _builder(3)
        passes.getModulePassManager().run(module, passes)
    return module


def kept_object_file(text: str, effort: int) -> bytes:
    """The object file of a text: from the disk, or made and left there."""
    import llvmlite

    name = digest_of(text, f"{llvmlite.__version__} {effort}", *_processor())
    found = stored(name)
    if found is None:
        found = bytes(_machine(effort).emit_object(optimized(text, effort)))
        store(name, found)
    return found


def loaded(object_file: bytes) -> Any:
    """An engine with the functions of an object file."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(object_file))
    engine.finalize_object()
    return engine


def _machine(effort: int = 3) -> Any:
    """This processor with all that it can do; an engine keeps the one that it gets."""
    import llvmlite.binding as llvm

    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=_processor()[0], features=_processor()[1], opt=effort, codemodel="jitdefault", jit=True
    )


@cache
def _processor() -> tuple[str, str]:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def _builder(level: int) -> Any:
    import llvmlite.binding as llvm

    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = True
    _processor()
    return llvm.create_pass_builder(_machine(), options)
