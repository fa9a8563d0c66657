"""Arrays and tables in LLVM's language: their memory, and indices in whole numbers.

An index is the same for all lanes. Where it is made of turns of counted loops, whole constants and columns of whole
constants, it is computed in whole numbers, and its range is known; elsewhere it is a number that is rounded down.
Outside its array it goes to the nearest place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from stiction.trace import guard
from stiction.trace.arithmetic import Value, hexadecimal
from stiction.trace.array import VERSIONS, memory_of
from stiction.trace.expression import Expr
from stiction.trace.schedule import bodies, ordered

if TYPE_CHECKING:
    from stiction.trace.functions import LoopBody
    from stiction.trace.llvm import Emitter

ANY = 2**53  # a bound of indices of which nothing is known
WHOLE = ("add", "sub", "mul")


class Whole(NamedTuple):
    """A whole number in the text, and between which numbers it is."""

    name: str
    least: int
    most: int


class Table(NamedTuple):
    """Numbers in a row: where they are, and for those of an input, where their slots are."""

    pointer: str
    slots: str = ""


class Places:
    """Writes what goes to memory and comes from it."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter, self.text = emitter, emitter.text
        self.scalar, self.vector, self.width = emitter.scalar, emitter.vector, emitter.width
        self.memory: dict[int, tuple[str, int]] = {}  # arrays by their numbers: pointer and length
        self.turns: dict[int, Whole] = {}  # rows of loops that are whole numbers, by node
        self.tables: dict[str, str] = {}  # constant tables by content
        self.filled: dict[tuple[int, ...], Table] = {}  # tables that are ready, by their nodes
        self.loaded, self.written = used(emitter.roots)  # arrays, by their numbers

    # Arrays.

    def begin(self, e: Expr) -> None:
        """Memory for an array, all 0 or a copy of an input; the same for every pass of a loop in which it is made."""
        number, length, source, blank = e.data
        if number not in self.loaded:
            return
        if source is not None and number not in self.written:  # the input itself
            port, first = source
            self.memory[number] = self.emitter.element(self.vector.real, self.emitter.buffers[port], first), length
            return
        if number not in self.memory:
            self.memory[number] = self.emitter.buffer(length), length
        pointer, size = self.memory[number][0], f"i64 {length * self.width}, i1 false"
        if blank:
            return
        if source is None:
            self.text.top["memset"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
            self.text.lines.append(f"  call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, {size})")
        else:
            port, first = source
            start = self.emitter.element(self.vector.real, self.emitter.buffers[port], first)
            self.text.top["memcpy"] = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
            self.text.lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {pointer}, ptr {start}, {size})")

    def load(self, e: Expr) -> Value:
        """One number of an array in all lanes."""
        return self.vector.instruction(f"load {self.vector.real}, ptr {self.place(e)}, align {self.width}")

    def store(self, e: Expr) -> Value:
        """Write one; what comes back is a version, and no number. What nobody reads is not written."""
        if memory_of(e.args[0]) not in self.loaded:
            return Value(self.vector, "undef")
        x = self.emitter.value(e.args[2], self.vector).name
        self.text.lines.append(f"  store {self.vector.real} {x}, ptr {self.place(e)}, align {self.width}")
        return Value(self.vector, "undef")

    def place(self, e: Expr) -> str:
        """Where a load or store goes."""
        pointer, length = self.memory[memory_of(e.args[0])]
        at = self.whole(e.args[1]) or self.rounded(e.args[1])
        self.check(e, e.args[1], length)
        if at.least < 0:
            low = self.scalar.instruction(f"icmp slt i64 {at.name}, 0").name
            at = at._replace(name=self.scalar.instruction(f"select i1 {low}, i64 0, i64 {at.name}").name)
        if at.most >= length:
            inside = self.scalar.instruction(f"icmp slt i64 {at.name}, {length}").name
            kept = self.scalar.instruction(f"select i1 {inside}, i64 {at.name}, i64 {length - 1}").name
            at = at._replace(name=kept)
        return self.emitter.element(self.vector.real, pointer, at.name)

    def check(self, e: Expr, index: Expr, length: int) -> None:
        """In checked kernels, note an index outside."""
        whole = self.whole(index)
        if not self.emitter.checks or (whole is not None and whole.least >= 0 and whole.most < length):
            return
        self.text.top["check"] = guard.CHECK
        source = e.graph.sources.get(e.index, "unknown place")
        name = self._constant(f'[{len(source.encode()) + 1} x i8] c"{source}\\00"')
        x = self.emitter.value(index, self.scalar).name
        if self.scalar.bits == 32:
            x = self.scalar.instruction(f"fpext float {x} to double").name
        self.text.lines.append(f"  call void @check(ptr {name}, double {x}, i64 {length})")

    # Whole numbers.

    def rounded(self, e: Expr) -> Whole:
        """A number as a whole one, 0 for what is negative, NaN or infinite."""
        return Whole(self.index(self.emitter.value(e, self.scalar)), 0, ANY)

    def index(self, x: Value) -> str:
        """The same of a value."""
        s = self.scalar
        safe = s.where((x > s.constant(0.0)) & (x < s.constant(2.0**62)), x, s.constant(0.0))
        return s.instruction(f"fptosi {self.emitter.number} {safe.name} to i64").name

    def whole(self, e: Expr) -> Whole | None:
        """An index as a whole number, where it is made of such."""
        if e.op == "const" and float(e.data).is_integer():
            return Whole(str(int(e.data)), int(e.data), int(e.data))
        if e.index in self.turns:
            return self.turns[e.index]
        if e.op == "lookup" and e.data is None and whole_numbers(e.args[1:]):
            return self._entry(e)
        if e.op not in WHOLE:
            return None
        a, b = (self.whole(x) for x in e.args)
        if a is None or b is None:
            return None
        ends = [_OPERATIONS[e.op](x, y) for x in (a.least, a.most) for y in (b.least, b.most)]
        return Whole(self.scalar.instruction(f"{e.op} i64 {a.name}, {b.name}").name, min(ends), max(ends))

    def _entry(self, e: Expr) -> Whole | None:
        """An entry of a table of whole numbers, at an index that is sure to be in it."""
        at, values = self.whole(e.args[0]), [int(x.data) for x in e.args[1:]]
        if at is None or at.least < 0 or at.most >= len(values):
            return None
        return Whole(self.emitter.read("i64", self._wholes(values), at.name).name, min(values), max(values))

    def most(self, e: Expr) -> None:
        """The largest whole number of all lanes."""
        at = self.index(self.emitter.largest(self.emitter.value(e.args[0], self.vector)))
        inside = self.scalar.instruction(f"icmp slt i64 {at}, {e.data}").name
        kept = self.scalar.instruction(f"select i1 {inside}, i64 {at}, i64 {e.data}").name
        self._turns(e, Whole(kept, 0, e.data))

    def count(self, e: Expr) -> Whole:
        """How often a loop turns."""
        return Whole(str(int(e.data)), 0, int(e.data)) if e.op == "const" else self.whole(e) or self.rounded(e)

    # Tables.

    def prepare(self, nodes: Sequence[Expr]) -> None:
        """Fill the tables of loops and lookups that are the same for all rows of a batch, before it begins."""
        for column in (column for e in nodes for column in tables_of(e)):
            if all(x.level == 0 for x in column) and not all(x.op == "const" for x in column):
                self.filled[tuple(x.index for x in column)] = self.table(column)

    def table(self, entries: Sequence[Expr]) -> Table:
        """Uniform values in a row: constants of the module, numbers of an input, or memory filled here."""
        number, count = self.emitter.number, len(entries)
        if all(e.op == "const" for e in entries):
            words = [f"{number} {hexadecimal(e.data, self.scalar.bits)}" for e in entries]
            return Table(self._constants(f"[{count} x {number}]", words))
        ready = self.filled.get(tuple(e.index for e in entries))
        if ready:
            return ready
        shared = self.emitter.shared_table(entries)
        if shared:
            return shared
        if in_one_input(entries):
            slots = self._wholes([e.data[1] for e in entries])
            return Table(self.emitter.bases[entries[0].data[0]], slots)
        name = self.text.fresh("table")
        self.text.entry.append(f"  {name} = alloca [{count} x {number}]")
        for k, e in enumerate(entries):
            where = self.emitter.element(number, name, k)
            self.text.lines.append(f"  store {number} {self.emitter.value(e, self.scalar).name}, ptr {where}")
        return Table(name)

    def _constants(self, kind: str, words: list[str]) -> str:
        return self._constant(f"{kind} [{', '.join(words)}]")

    def _constant(self, content: str) -> str:
        """The name of a constant of the module."""
        name = self.tables.setdefault(content, f"@table{len(self.tables)}")
        self.text.top[name] = f"{name} = private constant {content}"
        return name

    def _wholes(self, values: Sequence[int]) -> str:
        return self._constants(f"[{len(values)} x i64]", [f"i64 {x}" for x in values])

    def read(self, table: Table, at: str) -> Value:
        """One number of a table."""
        at = self.emitter.read("i64", table.slots, at).name if table.slots else at
        return self.emitter.read(self.emitter.number, table.pointer, at)

    def read_row(self, body: LoopBody, turn: str, count: Whole, columns: list[tuple[list[Expr], Table]]) -> None:
        """The row of this turn: of a counted loop the turn itself."""
        if not columns:
            self._turns(body.row[0], Whole(turn, 0, max(0, count.most - 1)))
            return
        for (column, table), r in zip(columns, body.row, strict=True):
            if whole_numbers(column):
                values = [int(e.data) for e in column]
                x = self.emitter.read("i64", self._wholes(values), turn).name
                self._turns(r, Whole(x, min(values), max(values)))
            else:
                self.emitter.names[r.index] = self.read(table, turn)

    def _turns(self, r: Expr, x: Whole) -> None:
        self.turns[r.index] = x
        self.emitter.names[r.index] = self.scalar.instruction(f"sitofp i64 {x.name} to {self.emitter.number}")


def used(roots: Sequence[Expr]) -> tuple[set[int], set[int]]:
    """The arrays that a program reads, or gives back as they are, and those that it writes."""
    nodes = ordered(roots)
    everything = [*nodes, *(e for _, inner in bodies(nodes) for e in inner)]
    read, written = ({memory_of(e.args[0]) for e in everything if e.op == op} for op in ("load", "store"))
    return read | {memory_of(e) for e in roots if e.op in VERSIONS}, written


def tables_of(e: Expr) -> list[Sequence[Expr]]:
    """The columns of the table of a loop, or the table of a lookup."""
    if e.op == "loop" and not e.data[1].counted:
        shape = e.data[1]
        return [e.args[k : shape.entries : shape.width] for k in range(shape.width)]
    return [e.args[1:]] if e.op == "lookup" and e.data is None else []


def beside_tables(e: Expr) -> Sequence[Expr]:
    """What a node takes itself, its table aside; of a loop what it begins with."""
    if e.op == "lookup" and e.data is None:
        return e.args[:1]
    if e.op == "loop":
        shape = e.data[1]
        return e.args[(0 if shape.counted else shape.entries) : shape.entries + shape.carried]
    return e.args


def in_tables(e: Expr) -> list[Expr]:
    """What the table of a node has to be filled with."""
    return [x for column in tables_of(e) if not in_one_input(column) for x in column]


def in_one_input(entries: Sequence[Expr]) -> bool:
    """Whether these are numbers of one uniform input."""
    return all(e.op == "input" and not e.varying and e.data[0] == entries[0].data[0] for e in entries)


def whole_numbers(column: Sequence[Expr]) -> bool:
    """Whether these are whole numbers that are known."""
    return all(e.op == "const" and float(e.data).is_integer() for e in column)


_OPERATIONS = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}
