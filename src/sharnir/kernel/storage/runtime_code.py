"""What a library of kernels has beside them: assembly of the little that their code asks for and the system lacks."""

from __future__ import annotations

# functions of the C library that have come in new versions, with the number of their arguments; linkers take the newest
NEWER = {"exp": 1, "log": 1, "pow": 2, "hypot": 2}


def runtime_code(cpu: str, features: str) -> str:
    """For Numba's code, what it calls when memory of its own is free: arrays of entries belong to Python, and never are.

    On Linux also functions of the C library in their first versions, which compute the same: old systems have no others.
    """
    import llvmlite.binding as llvm

    triple = llvm.get_process_triple()
    text = "define hidden void @NRT_MemInfo_call_dtor(ptr %memory) {\n  ret void\n}\n"
    names = ""
    if "linux" in triple:
        text += "".join(_call_of_first(name, count) for name, count in NEWER.items())
        version = "GLIBC_2.17" if triple.startswith("aarch64") else "GLIBC_2.2.5"
        names = "".join(f"\t.symver first_{name},{name}@{version}\n" for name in NEWER)
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, reloc="pic")
    return machine.emit_assembly(llvm.parse_assembly(text)) + names


def _call_of_first(name: str, count: int) -> str:
    """The function as one of the library's own."""
    kinds, values = ", ".join(["double"] * count), ", ".join(f"double %{k}" for k in range(count))
    return f"""
declare double @first_{name}({kinds})
define hidden double @{name}({kinds}) {{
  %result = tail call double @first_{name}({values})
  ret double %result
}}
"""
