"""The processor: what it can do, text to object code, and object code to a function that can be called."""

import ctypes
import functools
import os
import sys
import threading
from collections.abc import Callable

import llvmlite.binding as llvm

from stiction.errors import InputError
from stiction.trace import guard
from stiction.trace.arithmetic import Target
from stiction.trace.compiler_lock import CompilerLock
from stiction.trace.sources import digest_of_module

MEMORY = ("malloc", "free")  # what kernels with large arrays call
FAST, FULL = 0, 2  # levels of LLVM's code generator: compiles about 4 times faster; code runs about 4 times faster
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
LOOK = 0.05  # s between looks at the keyboard while something is compiled
_lock = CompilerLock()


@functools.cache
def _initialize() -> None:
    # Without the scheduler after register allocation: half the compile time, no slower code.
    llvm.set_option("", "-disable-post-ra")
    # Fewer registers in long straight code: up to a tenth faster.
    llvm.set_option("", "-pre-RA-sched=list-burr")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
    for name in MEMORY:
        address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        llvm.add_symbol(f"stiction_{name}", address)


@functools.cache
def features() -> tuple[str, str, str]:
    """Triple, CPU name and feature string of the processor that we run on."""
    chosen = llvm.get_host_cpu_features()
    wide = chosen.get("avx512f", False)
    flat = chosen.flatten() + (",-prefer-256-bit" if wide else "")
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), flat


@functools.cache
def host(lanes: int = 0, bits: int = 64) -> Target:
    """This processor as a target; `lanes` 0 stands for what its registers hold."""
    chosen = llvm.get_host_cpu_features()
    x86 = features()[0].startswith(("x86_64", "i386", "i686"))
    width = 512 if chosen.get("avx512f") else 256 if chosen.get("avx") else 128
    fuses = not x86 or bool(chosen.get("fma") or chosen.get("avx512f"))
    return Target(lanes or width // bits, bits, fuses, x86)


@functools.cache
def signature() -> str:
    """The processor and LLVM: CPU, its features, version."""
    return "/".join((*features(), llvm_version()))


def toolchain(level: int) -> tuple:
    """All that machine code depends on besides its text; this file is what turns text into code."""
    return signature(), level, digest_of_module(__file__), guard.ENABLED


def llvm_version() -> str:
    """The version of LLVM."""
    return ".".join(map(str, llvm.llvm_version_info))


def highest_level() -> int:
    """The level of code generation that the environment variable STICTION_OPTIMIZATION allows: 2, or 0 where short runs
    of many unlike scenes spend their time compiling. Both give the same bits.
    """
    chosen = os.environ.get("STICTION_OPTIMIZATION", "2")
    if chosen not in ("0", "2"):
        raise InputError(f"the environment variable STICTION_OPTIMIZATION is {chosen!r}; allowed: 0, 2")
    return int(chosen)


@functools.cache
def _native(level: int) -> llvm.TargetMachine:
    _initialize()
    triple, cpu, flags = features()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=flags, opt=level, codemodel="jitdefault", jit=True)


def assemble(text: str, level: int = FULL, target: llvm.TargetMachine | None = None) -> bytes:
    """Object code of a module at a level of code generation; for this processor unless a target is given."""

    def work() -> bytes:
        machine = target or _native(level)
        module = llvm.parse_assembly(text)
        module.verify()  # a mistake in the text would end the process
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        return machine.emit_object(module)

    return watched(work)


def watched(work: Callable[[], bytes]) -> bytes:
    """What LLVM makes, one thing at a time. Ctrl-C is seen at once: what was begun then ends by itself."""
    found: list[bytes] = []
    failed: list[Exception] = []

    def held() -> None:
        try:
            with _lock:
                found.append(work())
        except Exception as error:
            failed.append(error)

    if threading.current_thread() is not threading.main_thread():
        held()
    else:
        worker = threading.Thread(target=held, daemon=True)
        worker.start()
        while worker.is_alive():
            worker.join(LOOK)
    if failed:
        raise failed[0]
    return found[0]


def link(code: bytes) -> Callable[[int, int, int, int, int], None]:
    """The kernel inside this object code, ready to be called; it releases the interpreter lock while it runs."""
    with _lock:
        _initialize()
        target = llvm.Target.from_triple(features()[0]).create_target_machine()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        function = SIGNATURE(engine.get_function_address("kernel"))
    function.owner = engine  # type: ignore[attr-defined]  # the code lives as long as the function
    return guard.checked(function, engine.get_global_value_address("outside")) if guard.ENABLED else function
