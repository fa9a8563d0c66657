"""Machine code for processors that we do not have."""

import llvmlite.binding as llvm
import pytest

import stiction
from stiction.robot.ports import GRAVITY
from stiction.robot.programs import shared_programs
from stiction.trace.arithmetic import Target
from stiction.trace.processor import assemble

TARGETS = {
    "aarch64-unknown-linux-gnu": ("neoverse-n1", Target(2, 64, True, False)),
    "arm64-apple-macosx14.0": ("apple-m1", Target(2, 64, True, False)),
    "x86_64-pc-windows-msvc": ("haswell", Target(4, 64, True, True)),
    "x86_64-unknown-linux-gnu": ("x86-64", Target(2, 64, False, True)),  # SSE2, no fused operations
    "x86_64-apple-macosx12.0": ("skylake-avx512", Target(16, 32, True, True)),
}


@pytest.mark.parametrize("triple", TARGETS)
def test_code_is_generated(triple):
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    robot = stiction.library.two_link()
    robot.forward_dynamics([0.1, 0.2], [0, 0], [0, 0], gravity=GRAVITY)
    program = next(p for p in shared_programs.values() if p.name == "forward_dynamics")
    cpu, target = TARGETS[triple]
    code = assemble(program.text(target), target=llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=2))
    assert len(code) > 2000
    magic = {"linux": b"\x7fELF", "macosx": b"\xcf\xfa\xed\xfe", "windows": b"\x64\x86"}
    assert code.startswith(next(mark for name, mark in magic.items() if name in triple))
