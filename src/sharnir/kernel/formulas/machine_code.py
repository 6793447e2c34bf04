"""LLVM code as functions in the memory of this process.

llvmlite is imported when the first code is made: most models need none, and it takes as long as NumPy.
"""

from __future__ import annotations

from functools import cache
from typing import Any


class MachineCode:
    """One module of LLVM code, optimized for this processor; `address` is that of its function `name`.

    effort : 3, or less for long code without loops, of which the compiler would make little more in ten times the time: 1, 0.

    >>> import ctypes
    >>> code = MachineCode("define double @f(double %x) { %y = fadd double %x, %x ret double %y }", "f")
    >>> ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(code.address)(1.5)
    3.0
    """

    def __init__(self, text: str, name: str = "formula", effort: int = 3) -> None:
        import llvmlite.binding as llvm

        module = llvm.parse_assembly(text)
        passes = _builder(3 if effort > 1 else 1)
        passes.getModulePassManager().run(module, passes)
        self._engine: Any = llvm.create_mcjit_compiler(module, _machine(effort))
        self._engine.finalize_object()
        self.address = self.address_of(name)

    def address_of(self, name: str) -> int:
        """Where one of its functions stands."""
        return int(self._engine.get_function_address(name))


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
    options.loop_vectorization = level > 1
    _processor()
    return llvm.create_pass_builder(_machine(), options)
