"""Instructions in LLVM's language on numbers of one width: what the emitter and the elementary functions write with."""

import itertools
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass

from stiction.trace import angle

LARGEST_FLOAT32 = 3.4028234663852886e38
SMALLEST_FLOAT32 = 1.1754943508222875e-38
MAGIC = 6755399441055744.0  # 1.5 · 2^52: adding it leaves the nearest whole number in the low bits


@dataclass(frozen=True)
class Target:
    """What the text is written for: lanes of this many bits; whether the CPU fuses product and sum, and is x86."""

    lanes: int
    bits: int = 64
    fuses: bool = True
    x86: bool = True


class Value:
    """A number or truth value in the emitted text. Its operators append instructions."""

    __slots__ = ("m", "name")

    def __init__(self, m: "Arithmetic", name: str) -> None:
        self.m, self.name = m, name

    def __add__(self, other: "Value") -> "Value":
        return self.m.binary("fadd", self, other)

    def __sub__(self, other: "Value") -> "Value":
        return self.m.binary("fsub", self, other)

    def __mul__(self, other: "Value") -> "Value":
        return self.m.binary("fmul", self, other)

    def __truediv__(self, other: "Value") -> "Value":
        return self.m.binary("fdiv", self, other)

    def __neg__(self) -> "Value":
        return self.m.instruction(f"fneg {self.m.real} {self.name}")

    def __abs__(self) -> "Value":
        return self.m.intrinsic("fabs", self)

    def __lt__(self, other: "Value") -> "Value":
        return self.m.compare("olt", self, other)

    def __le__(self, other: "Value") -> "Value":
        return self.m.compare("ole", self, other)

    def __gt__(self, other: "Value") -> "Value":
        return self.m.compare("ogt", self, other)

    def __and__(self, other: "Value") -> "Value":
        return self.m.instruction(f"and {self.m.mask} {self.name}, {other.name}")


class Whole:
    """Whole numbers of 64 bits in the emitted text, one per lane."""

    __slots__ = ("m", "value")

    def __init__(self, m: "Arithmetic", value: Value) -> None:
        self.m, self.value = m, value

    def _with(self, op: str, other: "Whole | int") -> "Whole":
        if isinstance(other, int):
            return Whole(self.m, self.m.whole(op, self.value, other))
        return Whole(self.m, self.m.instruction(f"{op} {self.m.integer} {self.value.name}, {other.value.name}"))

    def __add__(self, other: "Whole | int") -> "Whole":
        return self._with("add", other)

    def __mul__(self, other: "Whole | int") -> "Whole":
        return self._with("mul", other)

    def __and__(self, other: "Whole | int") -> "Whole":
        return self._with("and", other)

    def __xor__(self, other: "Whole | int") -> "Whole":
        return self._with("xor", other)

    def __lshift__(self, other: int) -> "Whole":
        return self._with("shl", other)

    def __rshift__(self, other: int) -> "Whole":
        return self._with("lshr", other)


class Text:
    """The lines of a module as they grow: globals, allocations at the entry, instructions."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.numbers = itertools.count()
        self.top: dict[str, str] = {}
        self.entry: list[str] = []
        self.lines: list[str] = []
        self.block = "entry"

    def fresh(self, prefix: str = "v") -> str:
        return f"%{prefix}{next(self.numbers)}"

    def begin(self, label: str) -> None:
        self.block = label
        self.lines.append(f"{label}:")


class Arithmetic:
    """Instructions on numbers of one width. It is what the elementary functions are written with."""

    def __init__(self, text: Text, lanes: int, bits: int) -> None:
        self.text, self.lanes, self.bits = text, lanes, bits
        scalar = "double" if bits == 64 else "float"
        self.real, self.integer, self.mask = (t if lanes == 1 else f"<{lanes} x {t}>" for t in (scalar, "i64", "i1"))
        self.suffix = f"f{bits}" if lanes == 1 else f"v{lanes}f{bits}"
        self.memo: dict[tuple, tuple] = {}

    def instruction(self, code: str, prefix: str = "v") -> Value:
        name = self.text.fresh(prefix)
        self.text.lines.append(f"  {name} = {code}")
        return Value(self, name)

    def literal(self, value: float, kind: str) -> str:
        scalar = kind.split(" x ")[-1].rstrip(">")
        word = str(int(value)) if scalar.startswith("i") else hexadecimal(value, self.bits)
        return word if self.lanes == 1 else "<" + ", ".join([f"{scalar} {word}"] * self.lanes) + ">"

    def constant(self, value: float) -> Value:
        return Value(self, self.literal(value, self.real))

    def truth(self, value: bool) -> Value:
        return Value(self, self.literal(value, self.mask))

    def binary(self, op: str, a: Value, b: Value) -> Value:
        return self.instruction(f"{op} {self.real} {a.name}, {b.name}")

    def compare(self, how: str, a: Value, b: Value) -> Value:
        return self.instruction(f"fcmp {how} {self.real} {a.name}, {b.name}")

    def intrinsic(self, name: str, *args: Value) -> Value:
        full = f"@llvm.{name}.{self.suffix}"
        self.text.top[full] = f"declare {self.real} {full}({', '.join([self.real] * len(args))})"
        return self.instruction(f"call {self.real} {full}({', '.join(f'{self.real} {a.name}' for a in args)})")

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        return self.intrinsic("fma", a, b, c) if self.text.target.fuses else a * b + c

    def where(self, condition: Value, a: Value, b: Value) -> Value:
        return self.instruction(f"select {self.mask} {condition.name}, {self.real} {a.name}, {self.real} {b.name}")

    def minimum(self, a: Value, b: Value) -> Value:
        return self.where(self.compare("uno", a, a), a, self.where(a < b, a, b))

    def maximum(self, a: Value, b: Value) -> Value:
        return self.where(self.compare("uno", a, a), a, self.where(a > b, a, b))

    def sign(self, x: Value) -> Value:
        zero = self.constant(0.0)
        return self.where(x > zero, self.constant(1.0), self.where(x < zero, self.constant(-1.0), x))

    # Bit operations for the elementary functions, on 64-bit numbers.

    def bits_of(self, x: Value) -> Value:
        return self.instruction(f"bitcast {self.real} {x.name} to {self.integer}")

    def from_bits(self, x: Value) -> Value:
        return self.instruction(f"bitcast {self.integer} {x.name} to {self.real}")

    def whole(self, op: str, a: Value, number: int) -> Value:
        return self.instruction(f"{op} {self.integer} {a.name}, {self.literal(number, self.integer)}")

    def word(self, x: Value) -> Whole:
        """The low 32 bits of a whole number from 0 to 2⁵¹."""
        return Whole(self, self.whole("and", self.bits_of(x + self.constant(2.0**52)), 0xFFFFFFFF))

    def real_of(self, x: Whole) -> Value:
        """A whole number below 2⁵² as a real one."""
        return self.from_bits(self.whole("or", x.value, 0x4330000000000000)) - self.constant(2.0**52)

    def rint(self, x: Value) -> Value:
        return (x + self.constant(MAGIC)) - self.constant(MAGIC)

    def bit(self, x: Value, place: int) -> Value:
        """Whether this bit of a whole number is set."""
        low = self.whole("and", self.bits_of(x + self.constant(MAGIC)), 1 << place)
        return self.instruction(f"icmp ne {self.integer} {low.name}, {self.literal(0, self.integer)}")

    def scale(self, x: Value, k: Value) -> Value:
        """The number x · 2^k for a whole number k, when x and the result are normal numbers."""
        shift = self.whole("shl", self.bits_of(k + self.constant(MAGIC)), 52)
        return self.from_bits(self.instruction(f"add {self.integer} {self.bits_of(x).name}, {shift.name}"))

    def exponent(self, x: Value) -> Value:
        """The exponent e of x = s · 2^e with 1 ≤ s < 2."""
        raw = self.whole("and", self.whole("lshr", self.bits_of(x), 52), 2047)
        return self.from_bits(self.whole("or", raw, 0x4330000000000000)) - self.constant(2.0**52 + 1023)

    def significand(self, x: Value) -> Value:
        """The significand s of x = s · 2^e with 1 ≤ s < 2."""
        return self.from_bits(self.whole("or", self.whole("and", self.bits_of(x), (1 << 52) - 1), 1023 << 52))

    def negative(self, x: Value) -> Value:
        """Whether the sign bit is set, −0 included."""
        return self.instruction(f"icmp slt {self.integer} {self.bits_of(x).name}, {self.literal(0, self.integer)}")

    def shared(self, function: Callable, x: Value) -> tuple:
        """The results of a function that several operations on the same value share."""
        key = (function, x.name)
        if key not in self.memo:
            self.memo[key] = function(self, x)
        return self.memo[key]

    def reduced(self, inside: Value, near: tuple[Value, Value], x: Value) -> tuple[Value, Value]:
        """Angle and quarter turns as `near` has them where `inside` holds; elsewhere those of huge angles, in a branch
        that is hardly ever taken.
        """
        text, label = self.text, next(self.text.numbers)
        fine = inside.name if self.lanes == 1 else self.all_lanes(inside).name
        slow, join, before = f"slow{label}", f"join{label}", text.block
        text.lines.append(f"  br i1 {fine}, label %{join}, label %{slow}, !prof !0")
        text.begin(slow)
        text.top["huge"] = angle.HUGE
        far = [
            self.instruction(f"call {self.real} {self._each_lane(part)}({self.real} {x.name})") for part in angle.PARTS
        ]
        right = [self.where(inside, y, z) for y, z in zip(near, far, strict=True)]
        text.lines.append(f"  br label %{join}")
        text.begin(join)
        r, turns = (
            self.instruction(f"phi {self.real} [ {y.name}, %{before} ], [ {z.name}, %{slow} ]")
            for y, z in zip(near, right, strict=True)
        )
        return r, turns

    def all_lanes(self, mask: Value) -> Value:
        full = f"@llvm.vector.reduce.and.v{self.lanes}i1"
        self.text.top[full] = f"declare i1 {full}({self.mask})"
        return self.instruction(f"call i1 {full}({self.mask} {mask.name})")

    def _each_lane(self, name: str) -> str:
        """A function of one number on each lane."""
        if self.lanes == 1:
            return f"@{name}"
        full = f"@{name}_{self.lanes}"
        self.text.top[full] = each_lane(full, name, self.real, self.lanes)
        return full

    def product(self, a: Value, b: Value) -> tuple[Value, Value]:
        """The product of two numbers, and what its rounding lost."""
        high = a * b
        if self.text.target.fuses:
            return high, self.fma(a, b, -high)
        (a1, a2), (b1, b2) = self._halves(a), self._halves(b)
        return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2

    def _halves(self, x: Value) -> tuple[Value, Value]:
        """A number as a sum of two with half of its bits, so that products of them are exact (Dekker 1971)."""
        grown = x * self.constant(2.0**27 + 1)
        top = grown - (grown - x)
        return top, x - top


def hexadecimal(value: float, bits: int) -> str:
    """A number as LLVM writes it, exactly; a 32-bit one is rounded first: to none that is infinite or 0."""
    if bits == 32:
        bounded = min(max(value, -LARGEST_FLOAT32), LARGEST_FLOAT32) if abs(value) < float("inf") else value
        bounded = math.copysign(SMALLEST_FLOAT32, value) if 0 < abs(value) < SMALLEST_FLOAT32 else bounded
        (value,) = struct.unpack("f", struct.pack("f", bounded))
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X}"


def each_lane(full: str, name: str, real: str, lanes: int) -> str:
    """A function that calls one of a single number once per lane."""
    lines, previous = [f"define internal {real} {full}({real} %x) noinline cold nounwind {{"], "undef"
    for lane in range(lanes):
        lines += [
            f"  %x{lane} = extractelement {real} %x, i32 {lane}",
            f"  %r{lane} = call double @{name}(double %x{lane})",
            f"  %s{lane} = insertelement {real} {previous}, double %r{lane}, i32 {lane}",
        ]
        previous = f"%s{lane}"
    return "\n".join([*lines, f"  ret {real} {previous}", "}"])
