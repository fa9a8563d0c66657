"""A GPU made of the processor: kernels are those for GPUs, thread by thread, and CuPy's arrays are NumPy's.

It shows that the text for GPUs computes what the processor's computes, and that simulations live with arrays of another
place. What it cannot show, the machine that is missing, is behind the marker `gpu`.
"""

import ctypes
import functools
import re
import types

import llvmlite.binding as llvm
import numpy as np

from stiction.trace import processor, ptx
from stiction.trace.device import Cuda
from stiction.trace.program import GpuCode

THREAD = """
@thread = global i32 0
define i32 @read_tid() {
  %k = load i32, ptr @thread
  ret i32 %k
}
define i32 @read_ctaid() {
  ret i32 0
}
define i32 @read_ntid() {
  ret i32 1
}
define void @go_to(i32 %k) {
  store i32 %k, ptr @thread
  ret void
}
"""


@functools.cache
def gpu():
    """Whether there is a GPU of NVIDIA, with CuPy."""
    try:
        import cupy

        return cupy.cuda.runtime.getDeviceCount() > 0
    except Exception:  # no package, no driver, no GPU
        return False


class Placed(np.ndarray):
    """An array that says it is on a GPU."""

    __cuda_array_interface__ = {"version": 3}

    def __array_function__(self, function, kinds, given, options):
        made = super().__array_function__(function, kinds, given, options)
        return made.view(Placed) if isinstance(made, np.ndarray) else made


def placed(x, *more, **options):
    assert isinstance(x, (Placed, np.ndarray)) or np.isscalar(x)
    return np.array(x, *more, **options).view(Placed)


def as_cupy():
    def fetched(x):
        assert isinstance(x, Placed)
        return np.array(x)

    device = types.SimpleNamespace(compute_capability="90", id=0)
    driver = types.SimpleNamespace(CUDADriverError=MemoryError)
    return types.SimpleNamespace(
        ndarray=Placed,
        array=placed,
        asarray=lambda x: x if isinstance(x, Placed) else placed(x),
        asnumpy=fetched,
        cuda=types.SimpleNamespace(Device=lambda: device, driver=driver),
    )


def threads_of(program):
    """The kernel for GPUs as a function of CuPy's kind, run thread by thread on the processor."""
    made = program.cuda_text()
    text = made.kernel.replace("define ptx_kernel void", "define void")
    text = re.sub(r"ptr byval\(\[\d+ x \w+\]\) align 8 %shared", "ptr %shared", text)
    for name in ("tid", "ctaid", "ntid"):
        text = text.replace(f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()", "")
        text = text.replace(f"@llvm.nvvm.read.ptx.sreg.{name}.x()", f"@read_{name}()")
    processor._initialize()
    machine = llvm.Target.from_triple(processor.features()[0]).create_target_machine(
        cpu=processor.features()[1], features=processor.features()[2], opt=0, codemodel="jitdefault", jit=True
    )
    module = llvm.parse_assembly(text + THREAD)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    go_to = ctypes.CFUNCTYPE(None, ctypes.c_int32)(engine.get_function_address("go_to"))

    def launch(blocks, threads, arguments):
        kinds = [ctypes.c_void_p if isinstance(x, np.ndarray) else ctypes.c_int64 for x in arguments]
        kernel = ctypes.CFUNCTYPE(None, *kinds)(engine.get_function_address("kernel"))
        given = [x.ctypes.data if isinstance(x, np.ndarray) else int(x) for x in arguments]
        for k in range(blocks[0] * threads[0]):
            go_to(k)
            kernel(*given)

    helper = processor.link(processor.assemble(made.shared))
    code = GpuCode(b"", helper, made.numbers, ptx.by_value(made.numbers, program.dtype.itemsize * 8))
    launch.engine = engine
    return code, launch


def imitate(monkeypatch):
    """Let device="cuda" be the processor."""
    made = {}

    def begin(self, dtype="float64"):
        self.dtype, self.cupy, self.capability = np.dtype(dtype), as_cupy(), 90

    def loaded(self, program):
        if id(program) not in made:
            made[id(program)] = threads_of(program), program
        return made[id(program)][0]

    monkeypatch.setattr(Cuda, "__init__", begin)
    monkeypatch.setattr(Cuda, "_loaded", loaded)


def only_texts(monkeypatch):
    """Let device="cuda" compute nothing, and compile nothing."""
    imitate(monkeypatch)
    monkeypatch.setattr(Cuda, "prepare", lambda self, program, batch: None)
    monkeypatch.setattr(Cuda, "bind", lambda self, program, arrays, results, threads: lambda: None)
