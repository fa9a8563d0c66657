"""Arrays and tables in LLVM's language: their memory, and indices in whole numbers.

An index is the same for all lanes. Where it is made of turns of counted loops, whole constants and columns of whole
constants, it is computed in whole numbers, and its range is known; elsewhere it is a number that is rounded down.
Outside its array it goes to the nearest place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from stiction.trace.arithmetic import Value, hexadecimal
from stiction.trace.array import memory_of
from stiction.trace.expression import Expr

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


class Places:
    """Writes what goes to memory and comes from it."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter, self.text = emitter, emitter.text
        self.scalar, self.vector, self.width = emitter.scalar, emitter.vector, emitter.width
        self.memory: dict[int, tuple[str, int]] = {}  # arrays by their numbers: pointer and length
        self.turns: dict[int, Whole] = {}  # rows of loops that are whole numbers, by node
        self.tables: dict[str, str] = {}  # constant tables by content

    # Arrays.

    def begin(self, e: Expr) -> None:
        """Memory for an array, all 0 or a copy of an input; the same for every pass of a loop in which it is made."""
        number, length, source = e.data
        if number not in self.memory:
            self.memory[number] = self.emitter.buffer(length), length
        pointer, size = self.memory[number][0], f"i64 {length * self.width}, i1 false"
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
        """Write one; what comes back is a version, and no number."""
        x = self.emitter.value(e.args[2], self.vector).name
        self.text.lines.append(f"  store {self.vector.real} {x}, ptr {self.place(e)}, align {self.width}")
        return Value(self.vector, "undef")

    def place(self, e: Expr) -> str:
        """Where a load or store goes."""
        pointer, length = self.memory[memory_of(e.args[0])]
        at = self.whole(e.args[1]) or self.rounded(e.args[1])
        if at.least < 0:
            low = self.scalar.instruction(f"icmp slt i64 {at.name}, 0").name
            at = at._replace(name=self.scalar.instruction(f"select i1 {low}, i64 0, i64 {at.name}").name)
        if at.most >= length:
            inside = self.scalar.instruction(f"icmp slt i64 {at.name}, {length}").name
            kept = self.scalar.instruction(f"select i1 {inside}, i64 {at.name}, i64 {length - 1}").name
            at = at._replace(name=kept)
        return self.emitter.element(self.vector.real, pointer, at.name)

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
        if e.op not in WHOLE:
            return None
        a, b = (self.whole(x) for x in e.args)
        if a is None or b is None:
            return None
        ends = [_OPERATIONS[e.op](x, y) for x in (a.least, a.most) for y in (b.least, b.most)]
        return Whole(self.scalar.instruction(f"{e.op} i64 {a.name}, {b.name}").name, min(ends), max(ends))

    def count(self, e: Expr) -> Whole:
        """How often a loop turns."""
        return Whole(str(int(e.data)), 0, int(e.data)) if e.op == "const" else self.whole(e) or self.rounded(e)

    # Tables.

    def column(self, entries: Sequence[Expr]) -> str:
        """A pointer to these uniform values in a row: a constant of the module, or memory filled here."""
        kind, number = f"[{len(entries)} x {self.emitter.number}]", self.emitter.number
        if all(e.op == "const" for e in entries):
            return self._constants(kind, [f"{number} {hexadecimal(e.data, self.scalar.bits)}" for e in entries])
        name = self.text.fresh("table")
        self.text.entry.append(f"  {name} = alloca {kind}")
        for k, e in enumerate(entries):
            where = self.emitter.element(number, name, k)
            self.text.lines.append(f"  store {number} {self.emitter.value(e, self.scalar).name}, ptr {where}")
        return name

    def _constants(self, kind: str, words: list[str]) -> str:
        content = f"{kind} [{', '.join(words)}]"
        name = self.tables.setdefault(content, f"@table{len(self.tables)}")
        self.text.top[name] = f"{name} = private constant {content}"
        return name

    def columns(self, entries: Sequence[Expr], width: int) -> list[tuple[str, list[Expr]]]:
        """The tables of a loop, one per column, with what is in them; filled before the loop begins."""
        found = []
        for k in range(width):
            column = list(entries[k::width])
            if all(e.op == "const" and float(e.data).is_integer() for e in column):
                words = [f"i64 {int(e.data)}" for e in column]
                found.append((self._constants(f"[{len(column)} x i64]", words), column))
            else:
                found.append((self.column(column), column))
        return found

    def read_row(self, body: LoopBody, turn: str, count: Whole, tables: list[tuple[str, list[Expr]]]) -> None:
        """The row of this turn: of a counted loop the turn itself."""
        names, number = self.emitter.names, self.emitter.number
        if not tables:
            self._turns(body.row[0], Whole(turn, 0, max(0, count.most - 1)))
        for (pointer, column), r in zip(tables, body.row, strict=bool(tables)):
            if all(e.op == "const" and float(e.data).is_integer() for e in column):
                values = [int(e.data) for e in column]
                x = self.emitter.read("i64", pointer, turn).name
                self._turns(r, Whole(x, min(values), max(values)))
            else:
                names[r.index] = self.emitter.read(number, pointer, turn)

    def _turns(self, r: Expr, x: Whole) -> None:
        self.turns[r.index] = x
        self.emitter.names[r.index] = self.scalar.instruction(f"sitofp i64 {x.name} to {self.emitter.number}")


_OPERATIONS = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}
