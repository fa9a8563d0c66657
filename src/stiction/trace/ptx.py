"""The same text for a GPU of NVIDIA: one robot per thread, and its language, PTX, by LLVM.

The kernel takes its arrays by themselves: varying inputs and lookup ports, for each of those its number of rows,
outputs, and the number of robots. Numbers of the robots lie slot by slot, (slots, robots), so that neighbouring threads
read neighbouring numbers. What is the same for all robots is computed once, on the processor, and handed over with the
call: there it takes no register, and no memory of any thread.

Operations are those of the processor's kernels, so that in float64 the bits are the same; only numbers below 2.2e-308,
which x86 processors are told to take for 0, stay what they are.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import llvmlite.binding as llvm

from stiction.errors import InputError
from stiction.trace.arithmetic import Arithmetic, Target, Value
from stiction.trace.array import VERSIONS
from stiction.trace.expression import Expr
from stiction.trace.llvm import Emitter, Slots, emit
from stiction.trace.places import Table
from stiction.trace.schedule import bodies, ordered

TRIPLE = "nvptx64-nvidia-cuda"
THREADS = 64  # of a block: a few thousand robots find more of the GPU than with 128, and many lose nothing
LARGEST = 256 * 1024  # bytes of memory of its own that one robot may take; there is room for 200 000 of them at a time
INLINED = 100_000  # LLVM's measure of a function above which it stays one
BY_VALUE = 3_584  # bytes that can be handed over with a call, beside addresses


def target(bits: int) -> Target:
    """A GPU as a target."""
    return Target(lanes=1, bits=bits, fuses=True, x86=False)


class CudaText(NamedTuple):
    """A program for GPUs.

    Attributes:
        kernel: the module for the GPU.
        shared: the module for the processor that computes what all robots share.
        numbers: how many that gives.
    """

    kernel: str
    shared: str
    numbers: int


def cuda_text(outputs: Sequence[Sequence[Expr]], inputs: Sequence[Slots], bits: int, host: Target) -> CudaText:
    """A program in LLVM's language for a GPU, and for the processor beside it."""
    emitter = CudaEmitter(outputs, inputs, target(bits))
    kernel = emitter.module()
    return CudaText(kernel, emit([emitter.shared], inputs, host), len(emitter.shared))


def by_value(count: int, bits: int) -> bool:
    """Whether so many shared numbers are handed over with a call; others are in the GPU's memory."""
    return count * bits // 8 <= BY_VALUE


class CudaEmitter(Emitter):
    """Writes a kernel of which each thread does one row."""

    def __init__(self, outputs: Sequence[Sequence[Expr]], inputs: Sequence[Slots], target: Target) -> None:
        super().__init__(outputs, inputs, target)
        self.checks = False
        self.own = 0  # bytes of memory of its own that a row takes
        self.shared: list[Expr] = []  # numbers that the processor computes, in the order in which they come
        self.runs: dict[tuple[int, ...], Table] = {}  # those that lie in a row

    def head(self) -> str:
        inputs = [
            f"ptr addrspace(1) {'' if slots.role == 'varying' else 'noalias readonly '}%in{k}"
            for k, slots in enumerate(self.inputs)
            if slots.role != "uniform"
        ]
        counts = [f"i64 %rows{k}" for k, slots in enumerate(self.inputs) if slots.role == "lookup"]
        outputs = [f"ptr addrspace(1) %out{k}" for k in range(len(self.outputs))]
        shared = f"ptr byval([{max(1, len(self.shared))} x {self.number}]) align 8 %shared"
        if not by_value(len(self.shared), self.target.bits):
            shared = "ptr addrspace(1) noalias readonly %far"
            self.text.entry.insert(0, "  %shared = addrspacecast ptr addrspace(1) %far to ptr")
        arguments = ", ".join([*inputs, *counts, *outputs, shared, "i64 %last"])
        return f'define ptx_kernel void @kernel({arguments}) "nvvm.maxntid"="{THREADS}"'

    def prologue(self, uniform: list[Expr]) -> None:
        self.begin()
        self.known = {e.index for e in uniform}

    def value(self, e: Expr, m: Arithmetic) -> Value:
        if e.index not in self.known or e.op == "const":
            return super().value(e, m)
        if e.index not in self.names:
            number = e.graph.where(e, e.graph.constant(1.0), e.graph.constant(0.0)) if e.boolean else e
            name = f"%shared{e.index}"
            self.text.entry += [
                f"  {name}.at = getelementptr {self.number}, ptr %shared, i64 {len(self.shared)}",
                f"  {name} = load {self.number}, ptr {name}.at",
            ]
            self.shared.append(number)
            if e.boolean:
                self.text.entry.append(f"  {name}.holds = fcmp une {self.number} {name}, 0.0")
                name = f"{name}.holds"
            self.names[e.index] = Value(self.scalar, name)
        return Value(m, self.names[e.index].name)

    def shared_table(self, entries: Sequence[Expr]) -> Table | None:
        if not all(e.op == "const" or e.index in self.known for e in entries):
            return None
        key = tuple(e.index for e in entries)
        if key not in self.runs:
            name = self.text.fresh("run")
            self.text.entry.append(f"  {name} = getelementptr {self.number}, ptr %shared, i64 {len(self.shared)}")
            self.shared += entries
            self.runs[key] = Table(name)
        return self.runs[key]

    def moves(self) -> str:
        return "\n".join(_move(name, self.number) for name in ("to_lanes", "from_lanes"))

    def begin(self) -> None:
        text = self.text
        for name in ("tid", "ctaid", "ntid"):
            text.top[name] = f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()"
            text.lines.append(f"  %{name} = call i32 @llvm.nvvm.read.ptx.sreg.{name}.x()")
        text.lines += [
            "  %before = mul i32 %ctaid, %ntid",
            "  %thread = add i32 %before, %tid",
            "  %row = zext i32 %thread to i64",
            "  %mine = icmp slt i64 %row, %last",
            "  br i1 %mine, label %block, label %done",
        ]
        text.begin("block")
        for port, slots in enumerate(self.inputs):
            if slots.role != "uniform":
                self.bases[port] = self.generic(f"%in{port}")

    def generic(self, pointer: str) -> str:
        return self.scalar.instruction(f"addrspacecast ptr addrspace(1) {pointer} to ptr").name

    def rows_of(self, port: int) -> str:
        return f"%rows{port}"

    def rows(self, varying: list[Expr]) -> None:
        text = self.text
        self.fill_lanes(varying, "%row")
        self.compute_all(varying)
        for k, array in enumerate(self.outputs):
            pointer = self.generic(f"%out{k}")
            if len(array) == 1 and array[0].op in VERSIONS:
                result, size = self.result(array)
                rows = f"i64 %last, i64 %row, i64 %last, i64 {size}"
                text.lines.append(f"  call void @from_lanes(ptr {pointer}, ptr {result}, {rows})")
                continue
            for slot, e in enumerate(array):
                x, place = self.value(e, self.vector).name, self.slot(pointer, slot)
                text.lines.append(f"  store {self.number} {x}, ptr {place}")
        text.lines.append("  br label %done")
        text.begin("done")

    def slot(self, pointer: str, slot: int) -> str:
        """Where a number of this row is."""
        before = self.scalar.instruction(f"mul i64 %last, {slot}").name
        return self.element(self.number, pointer, self.scalar.instruction(f"add i64 {before}, %row").name)

    def fill_lanes(self, varying: list[Expr], row: str) -> None:
        """Only where arrays are copies of inputs; other numbers are loaded where they are used."""
        nodes = ordered(self.roots)
        everything = [*nodes, *(e for _, inner in bodies(nodes) for e in inner)]
        for port in sorted({e.data[2][0] for e in everything if e.op == "array" and e.data[2] is not None}):
            size = self.inputs[port].size
            self.buffers[port] = self.buffer(size)
            rows = f"i64 %last, i64 {row}, i64 %last, i64 {size}"
            self.text.lines.append(f"  call void @to_lanes(ptr {self.bases[port]}, ptr {self.buffers[port]}, {rows})")

    def load(self, e: Expr) -> Value:
        port, slot = e.data
        return self.scalar.instruction(f"load {self.number}, ptr {self.slot(self.bases[port], slot)}")

    def buffer(self, slots: int) -> str:
        name = self.text.fresh("lanes")
        self.text.entry.append(f"  {name} = alloca [{max(slots, 1)} x {self.number}], align 64")
        self.own += slots * self.width
        if self.own > LARGEST:
            raise InputError(
                f"on a GPU a robot may take {LARGEST // 1024} kB of memory for itself, and this scene takes more; take "
                "fewer contacts or joints, or device='cpu'"
            )
        return name


def _move(name: str, number: str) -> str:
    """A row of a batch that lies slot by slot to a buffer, or back."""
    source, goal = ("%far", "%near") if name == "to_lanes" else ("%near", "%far")
    return f"""
define internal void @{name}(ptr %batch, ptr %buffer, i64 %stride, i64 %row, i64 %last, i64 %slots) {{
start:
  %some = icmp sgt i64 %slots, 0
  br i1 %some, label %slot, label %done
slot:
  %s = phi i64 [ 0, %start ], [ %next, %slot ]
  %before = mul i64 %s, %stride
  %place = add i64 %before, %row
  %far = getelementptr {number}, ptr %batch, i64 %place
  %near = getelementptr {number}, ptr %buffer, i64 %s
  %x = load {number}, ptr {source}
  store {number} %x, ptr {goal}
  %next = add i64 %s, 1
  %more = icmp slt i64 %next, %slots
  br i1 %more, label %slot, label %done
done:
  ret void
}}"""


@functools.cache
def _machine(capability: int, level: int) -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=f"sm_{capability}", opt=level)


def assembled(text: str, capability: int, level: int = 3) -> bytes:
    """PTX of a module for GPUs of a compute capability, 90 for 9.0; at level 0 as it comes, in a tenth of the time."""
    machine = _machine(capability, level)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    module.verify()
    if not level:
        return machine.emit_assembly(module).encode() + b"\0"
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.inlining_threshold = INLINED
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module).encode() + b"\0"
