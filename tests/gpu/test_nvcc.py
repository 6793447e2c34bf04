"""Kernels as the compiler of CUDA sees them: they compile, and registers of long chains do not spill."""

import re
import shutil
import subprocess

import pytest

import mechanisms
import sharnir as sr
from host_kernels import chain
from sharnir.gpu.kernel_model import KernelModel
from sharnir.gpu.output_plan import OutputPlan
from sharnir.gpu.run_kernel import Kernel
from sharnir.studies.study_outputs import study_outputs

NVCC = shutil.which("nvcc")
pytestmark = pytest.mark.skipif(NVCC is None, reason="no nvcc on the search path")


def compiled(text, folder):
    """Registers and bytes of spills, as the assembler reports them."""
    (folder / "kernel.cu").write_text(text)
    command = [NVCC, "-arch=sm_90", "-std=c++14", "-DTHREADS=64", "-Xptxas", "-v", "-cubin", "-o", folder / "kernel.cubin"]
    done = subprocess.run([*command, folder / "kernel.cu"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    spills = sum(int(x) for x in re.findall(r"(\d+) bytes spill", done.stderr))
    return max(int(x) for x in re.findall(r"Used (\d+) registers", done.stderr)), spills


@pytest.mark.parametrize("single", [False, True])
def test_long_chain_does_not_spill(tmp_path, single):
    registers, spills = compiled(Kernel(KernelModel(chain(30, spring=False).compile()), single=single).text, tmp_path)
    assert spills == 0
    assert registers <= (80 if single else 160)


@pytest.mark.parametrize("fixed", [False, True])
def test_runs(tmp_path, fixed):
    """Closed loops with corrections, a table and a ball joint, in both precisions."""
    m = mechanisms.slider_crank()
    m.add(sr.JointForce("table", "O", sr.Table((-9, 0, 2, 9), (4, 0, -1, -3), "cubic", smooth=True)))
    m.add(sr.Body("ball", mass=1, inertia=(1, 2, 3)), sr.Ball("S", "ground", "ball", at=(0, 0, 0)))
    outputs = study_outputs({"y": "max(O.a) + at(S.v.x, 0.1)"}, None)
    plan = OutputPlan({output.name: output.node() for output in outputs}, set())
    model = KernelModel(m.compile(), (), plan.channels)
    for single in (False, True):
        compiled(Kernel(model, plan, single, fixed).text, tmp_path)
