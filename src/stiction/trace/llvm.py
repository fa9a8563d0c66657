"""From a graph to LLVM's language, as text: `lanes` robots per instruction, loops kept, uniform values computed once.

The function that comes out is

    void kernel(const real* const* inputs, const int64* strides, real* const* outputs, int64 first, int64 last)

and treats rows first … last − 1 of the batch. `strides` holds, per input, the distance of two rows (0: the same row for
all; for a lookup port: its number of rows). Values that are the same for all lanes are computed as scalars before the
batch begins.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stiction.trace import elementary, guard
from stiction.trace.arithmetic import Arithmetic, Target, Text, Value
from stiction.trace.array import VERSIONS, memory_of
from stiction.trace.expression import Expr
from stiction.trace.lanes import moves
from stiction.trace.places import Places, Table, Whole, beside_tables, in_tables, tables_of
from stiction.trace.schedule import fusions, late, ordered

BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
ON_STACK = 65_536  # bytes that one array may take there
COMPARE = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}


@dataclass(frozen=True)
class Slots:
    """An input or output array as the kernel sees it: how many numbers per row, and what the rows are."""

    size: int
    role: str = "varying"  # "varying": a row per lane; "uniform": one row; "lookup": rows that `lookup` reads


def emit(outputs: Sequence[Sequence[Expr]], inputs: Sequence[Slots], target: Target) -> str:
    """The LLVM module, as text, that computes the outputs (a list of expressions per output array)."""
    return Emitter(outputs, inputs, target).module()


class Emitter:
    """Walks the graph once and writes the kernel."""

    def __init__(self, outputs: Sequence[Sequence[Expr]], inputs: Sequence[Slots], target: Target) -> None:
        self.outputs, self.inputs, self.target = outputs, inputs, target
        self.text = Text(target)
        self.checks = guard.ENABLED
        self.scalar = Arithmetic(self.text, 1, target.bits)
        self.vector = Arithmetic(self.text, target.lanes, target.bits)
        self.number = self.scalar.real
        self.width = target.lanes * target.bits // 8  # bytes of a lane value, and how buffers of them are aligned
        self.roots = [e for array in outputs for e in array]
        self.names: dict[int, Value] = {}  # scalar values, by node
        self.wide: dict[int, Value] = {}  # lane values, by node
        self.kept: dict[int, str] = {}  # where a uniform value that lanes use is stored
        self.wider: dict[int, Arithmetic] = {}  # 64-bit arithmetic beside 32-bit lanes
        self.widenings: dict[str, Value] = {}  # 32-bit values as 64-bit ones
        self.items: dict[int, list[Value]] = {}  # results of a loop, by its node
        self.bases: dict[int, str] = {}  # pointer to an input's first row
        self.buffers: dict[int, str] = {}  # pointer to the copy of an input's rows that the lanes work on
        self.borrowed: list[str] = []  # memory that is given back at the end
        self.places = Places(self)

    def module(self) -> str:
        nodes = ordered(self.roots)
        self.fused = fusions(nodes, self.roots)
        after = late(nodes)
        self.uniform = [e for e in nodes if not e.varying and e.index not in after]
        self.prologue(self.uniform)
        self.batch([e for e in nodes if e.varying or e.index in after])
        return "\n".join(
            [
                *self.text.top.values(),
                self.moves(),
                f"{self.head()} {{",
                "entry:",
                *self.text.entry,
                *self.text.lines,
                "}",
                '!0 = !{!"branch_weights", i32 100000, i32 1}',
                "",
            ]
        )

    # The parts of the kernel, in the order of the text.

    def head(self) -> str:
        arguments = "ptr noalias %inputs, ptr noalias %strides, ptr noalias %outputs, i64 %first, i64 %last"
        return f"define void @kernel({arguments}) alignstack(64) nounwind"

    def moves(self) -> str:
        return moves(self.number, self.target.lanes)

    def begin(self) -> None:
        """What comes first of all: where inputs are."""
        if self.target.x86:
            self.flush_denormals()
        for port in range(len(self.inputs)):
            self.bases[port] = self.read("ptr", "%inputs", port).name

    def shared_table(self, entries: Sequence[Expr]) -> Table | None:
        """Where numbers lie in a row that somebody else has put there, if that is so."""
        return None

    def rows_of(self, port: int) -> str:
        """How many rows a lookup port has."""
        return self.read("i64", "%strides", port).name

    def prologue(self, uniform: list[Expr]) -> None:
        self.begin()
        everything = self.reachable(ordered(self.roots))
        used = {a.index for e in everything for a in (*beside_tables(e), *in_tables(e))} | {e.index for e in self.roots}
        for e in uniform:
            if e.op != "input" or e.index in used:
                self.compute(e, self.scalar)

    def batch(self, varying: list[Expr]) -> None:
        used = {a.index for e in self.reachable(varying) for a in beside_tables(e)} | {e.index for e in self.roots}
        for e in self.uniform:
            if e.index in used and e.index in self.names and not e.boolean:
                self.keep(e.index)
        self.places.prepare(self.reachable(varying))
        self.rows(varying)
        self.text.lines.append("  ret void")

    def rows(self, varying: list[Expr]) -> None:
        """Some rows at a time, until all are done."""
        text, scalar = self.text, self.scalar
        targets = [self.read("ptr", "%outputs", k).name for k in range(len(self.outputs))]
        text.lines.append("  br label %block")
        start = text.block
        text.begin("block")
        row, at = text.fresh("row"), len(text.lines)
        text.lines.append("")
        self.fill_lanes(varying, row)
        self.compute_all(varying)
        for array, pointer in zip(self.outputs, targets, strict=True):
            result, size = self.result(array)
            rows = f"i64 {size}, i64 {row}, i64 %last, i64 {size}"
            text.lines.append(f"  call void @from_lanes(ptr {pointer}, ptr {result}, {rows})")
        following = scalar.instruction(f"add i64 {row}, {self.target.lanes}").name
        text.lines[at] = f"  {row} = phi i64 [ %first, %{start} ], [ {following}, %{text.block} ]"
        more = scalar.instruction(f"icmp slt i64 {following}, %last").name
        text.lines.append(f"  br i1 {more}, label %block, label %done")
        text.begin("done")
        for name in self.borrowed:
            text.top["free"] = "declare void @stiction_free(ptr)"
            text.lines.append(f"  call void @stiction_free(ptr {name})")
        if self.target.x86:
            text.lines.append("  call void @llvm.x86.sse.ldmxcsr(ptr %mode)")

    def compute_all(self, varying: list[Expr]) -> None:
        for e in varying:
            self.compute(e, self.vector if e.varying else self.scalar)

    def result(self, array: Sequence[Expr]) -> tuple[str, int]:
        """Where the numbers of an output lie, slot by slot, and how many: where an array lies, or in a buffer."""
        if len(array) == 1 and array[0].op in VERSIONS:
            return self.places.memory[memory_of(array[0])]
        result = self.buffer(len(array))
        for slot, e in enumerate(array):
            x, place = self.value(e, self.vector).name, self.element(self.vector.real, result, slot)
            self.text.lines.append(f"  store {self.vector.real} {x}, ptr {place}, align {self.width}")
        return result, len(array)

    def buffer(self, slots: int) -> str:
        """Memory for one block of rows, slot by slot, lanes side by side: on the stack, or borrowed if it is large."""
        name, size = self.text.fresh("lanes"), max(slots, 1) * self.width
        if size > ON_STACK:
            self.text.top["malloc"] = "declare ptr @stiction_malloc(i64)"
            self.text.entry += [
                f"  {name}.from = call ptr @stiction_malloc(i64 {size + 63})",
                f"  {name}.high = getelementptr i8, ptr {name}.from, i64 63",
                f"  {name} = call ptr @llvm.ptrmask.p0.i64(ptr {name}.high, i64 -64)",
            ]
            self.text.top["ptrmask"] = "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)"
            self.borrowed.append(f"{name}.from")
        else:
            self.text.entry.append(f"  {name} = alloca [{max(slots, 1)} x {self.vector.real}], align 64")
        return name

    def fill_lanes(self, varying: list[Expr], row: str) -> None:
        """Copy this block's rows of each input into a buffer; they are loaded from it where they are used."""
        for port in sorted({e.data[0] for e in varying if e.op == "input"}):
            slots = self.inputs[port].size
            self.buffers[port] = self.buffer(slots)
            rows = f"i64 {self.read('i64', '%strides', port).name}, i64 {row}, i64 %last, i64 {slots}"
            self.text.lines.append(f"  call void @to_lanes(ptr {self.bases[port]}, ptr {self.buffers[port]}, {rows})")

    def flush_denormals(self) -> None:
        """Treat denormals as zero while the kernel runs: they cost some CPUs a hundred times more than numbers do."""
        text = self.text
        for name in ("stmxcsr", "ldmxcsr"):
            text.top[name] = f"declare void @llvm.x86.sse.{name}(ptr)"
        text.entry += ["  %mode = alloca i32", "  %flush = alloca i32"]
        text.lines += [
            "  call void @llvm.x86.sse.stmxcsr(ptr %mode)",
            "  %mode0 = load i32, ptr %mode",
            "  %mode1 = or i32 %mode0, 32832",
        ]
        text.lines += ["  store i32 %mode1, ptr %flush", "  call void @llvm.x86.sse.ldmxcsr(ptr %flush)"]

    def reachable(self, nodes: list[Expr]) -> list[Expr]:
        found = list(nodes)
        for e in nodes:
            if e.op == "loop":
                body = e.data[0]
                found += self.reachable(ordered(body.ends, body.level))
        return found

    def element(self, kind: str, pointer: str, index: int | str) -> str:
        return self.scalar.instruction(f"getelementptr {kind}, ptr {pointer}, i64 {index}").name

    def read(self, kind: str, pointer: str, index: int | str) -> Value:
        return self.scalar.instruction(f"load {kind}, ptr {self.element(kind, pointer, index)}")

    def keep(self, index: int) -> None:
        """Store a uniform value; lanes load it where they need it instead of holding it in a register throughout."""
        slot = self.text.fresh("keep")
        self.text.entry.append(f"  {slot} = alloca {self.number}")
        self.text.lines.append(f"  store {self.number} {self.names[index].name}, ptr {slot}")
        self.kept[index] = slot

    def gather(self, parts: list[str]) -> Value:
        if len(parts) == 1:
            return Value(self.vector, parts[0])
        whole = Value(self.vector, "undef")
        for lane, part in enumerate(parts):
            whole = self.vector.instruction(
                f"insertelement {self.vector.real} {whole.name}, {self.number} {part}, i32 {lane}"
            )
        return whole

    def scatter(self, value: Value) -> list[str]:
        if self.target.lanes == 1:
            return [value.name]
        return [
            self.scalar.instruction(f"extractelement {self.vector.real} {value.name}, i32 {lane}").name
            for lane in range(self.target.lanes)
        ]

    # Nodes.

    def value(self, e: Expr, m: Arithmetic) -> Value:
        """The emitted value of a node in this width; a scalar is spread over the lanes where lanes need it."""
        if e.op == "const":
            return m.truth(e.data) if isinstance(e.data, bool) else m.constant(e.data)
        if m is self.scalar:
            return self.names[e.index]
        if e.index in self.wide:
            return self.wide[e.index]
        if e.boolean:
            return self.spread(self.names[e.index], "i1", self.vector.mask)
        if e.index in self.kept:
            loaded = self.scalar.instruction(f"load {self.number}, ptr {self.kept[e.index]}")
            return self.spread(loaded, self.number, self.vector.real)
        return self.spread(self.names[e.index], self.number, self.vector.real)

    def spread(self, x: Value, kind: str, wide: str) -> Value:
        if self.target.lanes == 1:
            return Value(self.vector, x.name)
        lanes = self.target.lanes
        first = self.scalar.instruction(f"insertelement {wide} undef, {kind} {x.name}, i32 0")
        return self.vector.instruction(
            f"shufflevector {wide} {first.name}, {wide} undef, <{lanes} x i32> zeroinitializer"
        )

    def compute(self, e: Expr, m: Arithmetic) -> None:
        """Write the instructions of one node, unless it needs none."""
        place = self.names if m is self.scalar else self.wide
        if e.op in ("const", "row", "carry", "entered", "left") or e.index in place or e.index in self.fused:
            return
        if e.op == "array":
            self.places.begin(e)
        elif e.op == "load":
            self.wide[e.index] = self.places.load(e)
        elif e.op == "store":
            self.wide[e.index] = self.places.store(e)
        elif e.op == "input":
            place[e.index] = self.load(e)
        elif e.op == "loop":
            self.loop(e)
        elif e.op == "item":
            self.wide[e.index] = self.items[e.args[0].index][e.data]
        elif e.op == "lookup":
            place[e.index] = self.lookup(e, m)
        elif e.op == "most":
            self.places.most(e)
        else:
            place[e.index] = self.operate(e, m)

    def load(self, e: Expr) -> Value:
        port, slot = e.data
        if e.varying:
            place = self.element(self.vector.real, self.buffers[port], slot)
            return self.vector.instruction(f"load {self.vector.real}, ptr {place}, align {self.width}")
        return self.read(self.number, self.bases[port], slot)

    def operate(self, e: Expr, m: Arithmetic) -> Value:
        if e.op in ("add", "sub"):
            for k, a in enumerate(e.args):
                if self.fused.get(a.index) == e.index:
                    return self.fused_sum(e, k, m)
        x = [self.value(a, m) for a in e.args]
        if e.op == "constant":
            return x[0]
        if e.op in BINARY:
            return m.binary(BINARY[e.op], *x)
        if e.op in COMPARE:
            return m.compare(COMPARE[e.op], *x)
        if e.op in elementary.FUNCTIONS:
            return self.elementary(e.op, x, m)
        if e.op in ("and", "or"):
            return m.instruction(f"{e.op} {m.mask} {x[0].name}, {x[1].name}")
        if e.op == "not":
            return m.instruction(f"xor {m.mask} {x[0].name}, {m.truth(True).name}")
        direct: dict[str, Callable[..., Value]] = {
            "neg": lambda a: -a,
            "abs": abs,
            "fma": m.fma,
            "where": m.where,
            "min": m.minimum,
            "max": m.maximum,
            "sign": m.sign,
        }
        direct |= {name: lambda a, name=name: m.intrinsic(name, a) for name in ("sqrt", "floor")}
        return direct[e.op](*x)

    def fused_sum(self, e: Expr, k: int, m: Arithmetic) -> Value:
        """a·b + c, c − a·b or a·b − c in one operation."""
        a, b = (self.value(x, m) for x in e.args[k].args)
        c = self.value(e.args[1 - k], m)
        if e.op == "add":
            return m.fma(a, b, c)
        return m.fma(-a, b, c) if k == 1 else m.fma(a, b, -c)

    def elementary(self, op: str, x: list[Value], m: Arithmetic) -> Value:
        return self.widened(lambda d, *y: elementary.FUNCTIONS[op](d, *y), x, m)

    def widened(self, function: Callable[..., Value], x: list[Value], m: Arithmetic) -> Value:
        """Apply a function of 64-bit numbers; 32-bit ones are widened before and rounded after."""
        if m.bits == 64:
            return function(m, *x)
        d = self.wider.setdefault(m.lanes, Arithmetic(self.text, m.lanes, 64))
        for a in x:
            if a.name not in self.widenings:
                self.widenings[a.name] = d.instruction(f"fpext {m.real} {a.name} to {d.real}")
        y = function(d, *(self.widenings[a.name] for a in x))
        return m.instruction(f"fptrunc {d.real} {y.name} to {m.real}")

    # Tables and loops.

    def lookup(self, e: Expr, m: Arithmetic) -> Value:
        at = self.places.whole(e.args[0]) if e.data is None and m is self.scalar else None
        if e.data is None and m is self.scalar:
            self.places.check(e, e.args[0], len(e.args) - 1)
        if at is not None and 0 <= at.least and at.most < len(e.args) - 1:
            return self.places.read(self.places.table(e.args[1:]), at.name)
        index = self.value(e.args[0], m)
        parts = self.scatter(index) if m is self.vector else [index.name]
        if e.data is None:
            table, column, width, count = self.places.table(e.args[1:]), 0, 1, str(len(e.args) - 1)
        else:
            port, column, width = e.data
            table, count = Table(self.bases[port]), self.rows_of(port)
        found = []
        for part in parts:
            x = Value(self.scalar, part)
            row = self.places.index(x)
            last = self.scalar.instruction(f"sub i64 {count}, 1").name
            inside = self.scalar.instruction(f"icmp slt i64 {row}, {last}").name
            row = self.scalar.instruction(f"select i1 {inside}, i64 {row}, i64 {last}").name
            huge = (x > self.scalar.constant(2.0**61)).name
            row = self.scalar.instruction(f"select i1 {huge}, i64 {last}, i64 {row}").name
            start = self.scalar.instruction(f"mul i64 {row}, {width}").name
            place = self.scalar.instruction(f"add i64 {start}, {column}").name
            found.append(self.places.read(table, place).name)
        return self.gather(found) if m is self.vector else Value(m, found[0])

    def loop(self, e: Expr) -> None:
        body, (entries, width, carried, counted, until_zero, skip, _) = e.data
        text, scalar, label = self.text, self.scalar, next(self.text.numbers)
        initial = [self.value(a, self.vector) for a in e.args[entries : entries + carried]]
        tables = [(list(column), self.places.table(column)) for column in tables_of(e)]
        turns = self.places.count(e.args[0]) if counted else Whole(str(entries // width), 0, entries // width)
        count = turns.name
        some = scalar.instruction(f"icmp sgt i64 {count}, 0").name
        if skip and until_zero is not None:
            some = scalar.instruction(f"and i1 {some}, {self.some_lane(initial[until_zero])}").name
        head, exit, before = f"loop{label}", f"end{label}", text.block
        text.lines.append(f"  br i1 {some}, label %{head}, label %{exit}")
        text.begin(head)
        turn, at = text.fresh("turn"), len(text.lines)
        text.lines.append("")
        carries = [text.fresh("carry") for _ in initial]
        self.wide.update({c.index: Value(self.vector, name) for c, name in zip(body.carry, carries, strict=True)})
        self.places.read_row(body, turn, turns, tables)
        inner = ordered(body.ends, body.level)
        self.fused |= fusions(inner, body.ends)
        for node in inner:
            self.compute(node, self.vector if node.varying else self.scalar)
        results = [self.value(r, self.vector) for r in body.results]
        following = scalar.instruction(f"add i64 {turn}, 1").name
        phis = [f"  {turn} = phi i64 [ 0, %{before} ], [ {following}, %{text.block} ]"]
        for name, x, y in zip(carries, initial, results, strict=True):
            phis.append(f"  {name} = phi {self.vector.real} [ {x.name}, %{before} ], [ {y.name}, %{text.block} ]")
        text.lines[at] = "\n".join(phis)
        more, last = scalar.instruction(f"icmp slt i64 {following}, {count}").name, text.block
        if until_zero is not None:
            more = scalar.instruction(f"and i1 {more}, {self.some_lane(results[until_zero])}").name
        text.lines.append(f"  br i1 {more}, label %{head}, label %{exit}")
        text.begin(exit)
        self.items[e.index] = [
            self.vector.instruction(f"phi {self.vector.real} [ {x.name}, %{before} ], [ {y.name}, %{last} ]")
            for x, y in zip(initial, results, strict=True)
        ]

    def largest(self, x: Value) -> Value:
        """The largest number of all lanes."""
        if self.target.lanes == 1:
            return Value(self.scalar, x.name)
        reduce = f"@llvm.vector.reduce.fmax.{self.vector.suffix}"
        self.text.top[reduce] = f"declare {self.number} {reduce}({self.vector.real})"
        return self.scalar.instruction(f"call {self.number} {reduce}({self.vector.real} {x.name})")

    def some_lane(self, x: Value) -> str:
        """Whether a number is not 0 in some lane."""
        nonzero = self.vector.compare("une", x, self.vector.constant(0.0))
        if self.target.lanes == 1:
            return nonzero.name
        reduce = f"@llvm.vector.reduce.or.v{self.target.lanes}i1"
        self.text.top[reduce] = f"declare i1 {reduce}({self.vector.mask})"
        return self.scalar.instruction(f"call i1 {reduce}({self.vector.mask} {nonzero.name})").name
