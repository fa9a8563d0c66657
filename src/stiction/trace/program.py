"""A program: a scalar function with named inputs and outputs, traced and compiled when it is first run."""

import os
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any
from weakref import WeakSet

import numpy as np

from stiction.errors import InputError, TooLargeError, TraceError, too_large
from stiction.trace import cache, guard, launch, processor, ptx
from stiction.trace.arithmetic import Target
from stiction.trace.array import Array
from stiction.trace.expression import Expr, Graph
from stiction.trace.functions import LookupPort
from stiction.trace.llvm import Slots, emit
from stiction.trace.precision import tracing
from stiction.trace.rolled import rolled
from stiction.trace.schedule import bodies, operation_counts, ordered, work
from stiction.trace.sources import digest_of_module, sources

WORK = struct.Struct("<Q")  # stored before the code
GPU = struct.Struct("<QQ")  # shared numbers, and bytes of what computes them
LARGE = 6_000  # operations of a program from which on it is put into loops again
MOST_OPERATIONS = 120_000  # of a program: what is larger takes minutes to compile, and leaves the instruction cache
MOST_NODES = 400_000  # of a trace, those included that nothing uses
MOST_SLOTS = 1_000_000  # numbers of a row, in and out
WORTH_OPTIMIZING = 20_000  # rows of a call from which on a program that runs once is compiled well
WORTH_A_THREAD = 1_000_000  # operations below which handing them to another thread costs more than it saves
_programs: "WeakSet[Program]" = WeakSet()  # all that there are


def _unlock_all() -> None:
    """After a fork nobody is there who would: only the thread that forked goes on in the child."""
    for program in _programs:
        program._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_all)


@dataclass(frozen=True)
class Port:
    """A named array that goes into or comes out of a program.

    Attributes:
        name: what it is called in errors and dumps.
        shape: of one robot's value; () is a single number. One for `lookup` has shape (columns,).
        unit: of its numbers, for people.
        role: "varying" (one value per member of a batch), "uniform" (one value per call) or "lookup" (rows that
            `lookup` reads).

    Example:
        >>> from stiction.trace import Port
        >>> Port("q", (6,), "rad").role
        'varying'
    """

    name: str
    shape: tuple[int, ...] = ()
    unit: str = ""
    role: str = "varying"

    def __post_init__(self) -> None:
        if not isinstance(self.shape, tuple) or not all(isinstance(n, int) and n >= 0 for n in self.shape):
            raise InputError(
                f"port '{self.name}': shape is {self.shape!r}; allowed: a tuple of whole numbers, such as (3,) or ()"
            )
        if self.role not in ("varying", "uniform", "lookup"):
            raise InputError(f"port '{self.name}': role is {self.role!r}; allowed: 'varying', 'uniform', 'lookup'")

    @property
    def size(self) -> int:
        """How many numbers one value has."""
        return prod(self.shape)


@dataclass
class Kernel:
    """Machine code of a program for one number of lanes at one level of code generation."""

    function: Callable[[int, int, int, int, int], None]
    target: Target
    bytes: int
    seconds: float  # to trace and compile, or to load
    cached: bool  # whether nothing was compiled
    work: int  # operations per row, about; loops of unknown length count 100 times


@dataclass
class GpuCode:
    """A program for a GPU: its kernel in PTX, and the function of the processor that gives what all rows share."""

    ptx: bytes
    shared: launch.Function
    count: int  # numbers that all rows share
    by_value: bool  # whether these are handed over with the call


class Program:
    """A scalar function as machine code, for one robot or a batch of them.

    Args:
        name: what it computes.
        function: takes one value per input port (a number, or lists of numbers nested like the port's shape) and
            returns one value per output port, as a tuple.
        inputs: ports that go in.
        outputs: ports that come out.
        key: anything whose `repr` determines what `function` does, given the package's sources. With it a stored kernel
            is found without tracing; without it the traced text is the key.
        dtype: "float64" or "float32".
        setup: whether it runs once per simulation: then it is compiled fast rather than well, unless for many rows.

    Example:
        >>> from stiction.trace import Port, Program, sin
        >>> wave = Program("wave", lambda t, a: (a * sin(t),), [Port("t", (), "s"), Port("a")], [Port("x")])
        >>> float(wave(0.5, 2.0)[0]).hex() == float(2 * 0.479425538604203).hex()
        True
        >>> wave([0.0, 0.5, 1.0], 2.0)[0].shape
        (3,)
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., tuple],
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        key: object = None,
        dtype: str = "float64",
        setup: bool = False,
    ) -> None:
        if dtype not in ("float64", "float32"):
            raise InputError(f"program '{name}': dtype is {dtype!r}; allowed: 'float64', 'float32'")
        slots = sum(p.size for p in inputs if p.role == "varying") + sum(p.size for p in outputs)
        if slots > MOST_SLOTS:
            raise InputError(
                f"program '{name}': it has {slots} varying numbers per row; allowed: {MOST_SLOTS}. "
                "Give long inputs the role 'lookup' or 'uniform'"
            )
        self.name, self.function, self.key = name, function, key
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.dtype = np.dtype(dtype)
        self._ranks = [len(port.shape) for port in self.inputs]
        self.setup = setup
        self._kernels: dict[tuple[int, int], Kernel] = {}  # by lanes and level
        self.loaded: dict[int, Any] = {}  # what GPUs have, by their numbers
        self._lock = threading.Lock()
        _programs.add(self)
        self._desks = threading.local()
        self._traced: list[list[Expr]] | None = None

    # Looking inside.

    def trace(self) -> list[list[Expr]]:
        """The outputs as expressions, one flat list per port."""
        if self._traced is None:
            graph = Graph(MOST_NODES)
            arguments = [_input(graph, k, port) for k, port in enumerate(self.inputs)]
            with tracing(self.dtype.itemsize * 8):
                results = self.function(*arguments)
            if not isinstance(results, tuple) or len(results) != len(self.outputs):
                raise TraceError(
                    f"program '{self.name}' must return a tuple of {len(self.outputs)} values, one per output port"
                )
            self._traced = [
                _flatten(graph, value, port, self.name) for value, port in zip(results, self.outputs, strict=True)
            ]
            if len(graph.nodes) > LARGE and sum(self.operations.values()) > LARGE and not guard.ENABLED:
                self._traced = rolled(self._traced)
                if sum(self.operations.values()) > MOST_OPERATIONS:
                    self._traced = None
                    raise TooLargeError(too_large(MOST_OPERATIONS))
        return self._traced

    @property
    def _roots(self) -> list[Expr]:
        return [e for array in self.trace() for e in array]

    @property
    def operations(self) -> dict[str, int]:
        """How many of each operation one run does, loop bodies counted once."""
        return operation_counts(self._roots)

    def dump(self) -> str:
        """The traced program as text, one operation a line."""
        nodes = ordered(self._roots)
        lines = [f"program {self.name}"]
        lines += [f"  in  {p.name}{list(p.shape)} [{p.unit or '1'}] {p.role}" for p in self.inputs]
        lines += [f"  {_line(e, self.inputs)}" for e in nodes if e.op not in ("const", "input")]
        for e, inner in bodies(nodes):
            lines.append(f"  body of %{e.index}")
            lines += [f"    {_line(n, self.inputs)}" for n in inner if n.op != "const"]
            lines.append(f"    next {', '.join(_name(r, self.inputs) for r in e.data[0].results)}")
            lines += [f"    leaves {_name(r, self.inputs)}" for r in e.data[0].effects]
        for port, array in zip(self.outputs, self.trace(), strict=True):
            values = ", ".join(_name(e, self.inputs) for e in array)
            lines.append(f"  out {port.name}{list(port.shape)} [{port.unit or '1'}] = {values}")
        return "\n".join(lines)

    # Compiling.

    def text(self, target: Target) -> str:
        """The program in LLVM's language for a target."""
        return emit(self.trace(), self._slots, target)

    @property
    def _slots(self) -> list[Slots]:
        return [Slots(p.size, p.role) for p in self.inputs]

    def kernel(self, lanes: int = 0, rows: int = 1) -> Kernel:
        """Machine code for this number of lanes (0: as many as the registers hold), from the cache if it can be; `rows`
        are those that it is for.
        """
        if lanes not in (0, 1, 2, 4, 8, 16):
            raise InputError(
                f"{self.name}: lanes is {lanes!r}; allowed: 1, 2, 4, 8, 16, or 0 for what the processor holds"
            )
        target = processor.host(lanes, self.dtype.itemsize * 8)
        fast = self.setup and rows < WORTH_OPTIMIZING
        level = min(processor.FAST if fast else processor.FULL, processor.highest_level())
        with self._lock:
            if (target.lanes, level) not in self._kernels:
                self._kernels[target.lanes, level] = self._build(target, level)
            return self._kernels[target.lanes, level]

    def _build(self, target: Target, level: int) -> Kernel:
        began = time.perf_counter()

        def compile(text: str) -> bytes:
            return WORK.pack(work(self._roots)) + processor.assemble(text, level)

        toolchain = processor.toolchain(level)
        stored = self._stored_under(target, *toolchain)
        entry, missing = cache.compiled("kernel", stored, toolchain, lambda: self.text(target), compile)
        code = entry[WORK.size :]
        function = processor.link(code)
        self._traced = None  # graphs are large; whoever wants to look inside traces again
        seconds, (operations,) = time.perf_counter() - began, WORK.unpack(entry[: WORK.size])
        return Kernel(function, target, len(code), seconds, not missing, operations)

    def _stored_under(self, *toolchain: object) -> str | None:
        """The name of its code in the cache, for a toolchain; None where only its trace tells what it does."""
        if self.key is None:
            return None
        return cache.key(sources(), self.name, self.inputs, self.outputs, self.key, *toolchain)

    def on_gpu(self, capability: int) -> GpuCode:
        """The program for GPUs of NVIDIA of a compute capability (90 for 9.0), from the cache if it can be."""
        bits = self.dtype.itemsize * 8

        def compile(text: ptx.CudaText) -> bytes:
            code = processor.watched(lambda: ptx.assembled(text.kernel, capability))
            helper = processor.assemble(text.shared)
            return GPU.pack(text.numbers, len(helper)) + helper + code

        toolchain = (capability, bits, digest_of_module(ptx.__file__), *processor.toolchain(processor.FULL))
        entry, _ = cache.compiled("ptx", self._stored_under(*toolchain), toolchain, self.cuda_text, compile)
        self._traced = None
        count, size = GPU.unpack(entry[: GPU.size])
        helper, code = entry[GPU.size :][:size], entry[GPU.size :][size:]
        return GpuCode(code, processor.link(helper), count, ptx.by_value(count, bits))

    def cuda_text(self) -> ptx.CudaText:
        """The program in LLVM's language for a GPU, and for the processor beside it."""
        bits = self.dtype.itemsize * 8
        return ptx.cuda_text(self.trace(), self._slots, bits, processor.host(1, bits))

    # Running.

    def __call__(self, *values: Any, threads: int | None = 1) -> tuple[np.ndarray, ...]:
        """Run on arrays of shape (..., *port.shape), broadcast over their leading axes.

        Uniform ports may have leading axes too: then the program runs once for each of their rows, and the results have
        these axes first, followed by those of the varying ports. A lookup port takes its rows as its one leading axis.

        Args:
            values: one array per input port.
            threads: how many threads share the work; None for as many as there are cores.
        """
        desk = getattr(self._desks, "desk", None)
        if desk is not None and desk.views is not None:
            try:
                for view, value in zip(desk.views, values, strict=True):
                    view[:] = value
                return desk.run()
            except (TypeError, ValueError):
                pass  # not all are single vectors in arrays: the long way
        if len(values) != len(self.inputs):
            names = ", ".join(p.name for p in self.inputs)
            raise InputError(f"{self.name} takes {len(self.inputs)} values ({names}); {len(values)} were given")
        arrays = [self._array(value, port) for value, port in zip(values, self.inputs, strict=True)]
        if [array.ndim for array in arrays] == self._ranks:
            return self._single(arrays)
        outer, inner = self._leading(arrays, "uniform"), self._leading(arrays, "varying")
        results = tuple([np.empty((*outer, *inner, *port.shape), self.dtype) for port in self.outputs])
        self.run(arrays, results, outer, inner, threads)
        return results

    def _single(self, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """One run without leading axes, on this thread's desk."""
        desk = getattr(self._desks, "desk", None)
        if desk is None:
            desk = self._desks.desk = self.desk()
        for place, array in zip(desk.inputs, arrays, strict=True):
            place[...] = array
        return desk.run()

    def desk(self) -> launch.Desk:
        """Arrays for single runs; for one thread."""
        inputs, outputs = ([port.shape for port in ports] for ports in (self.inputs, self.outputs))
        return launch.Desk(self.kernel(1).function, inputs, outputs, self.dtype)

    def _array(self, value: Any, port: Port) -> np.ndarray:
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "iufb":
                raise ValueError
            array = np.ascontiguousarray(array, self.dtype) if array.ndim else array.astype(self.dtype)
        except (TypeError, ValueError):
            raise InputError(
                f"{self.name}: {port.name} must be real numbers of shape (..., {_shape(port)}); "
                f"got {type(value).__name__}"
            ) from None
        extra = array.ndim - len(port.shape)
        if extra < 0 or array.shape[extra:] != port.shape:
            raise InputError(f"{self.name}: {port.name} has shape {np.shape(value)}; allowed: (..., {_shape(port)})")
        if port.role == "lookup" and (extra != 1 or not len(array)):
            raise InputError(
                f"{self.name}: {port.name} has shape {array.shape}; "
                f"allowed: (rows, {_shape(port)}) with at least one row"
            )
        return array

    def _leading(self, arrays: Sequence[np.ndarray], role: str) -> tuple[int, ...]:
        """The common leading axes of all inputs of a role."""
        common: tuple[int, ...] = ()
        for array, port in zip(arrays, self.inputs, strict=True):
            leading = array.shape[: array.ndim - len(port.shape)]
            if port.role == role and leading and leading != common:
                try:
                    common = np.broadcast_shapes(common, leading) if common else leading
                except ValueError:
                    raise InputError(
                        f"{self.name}: {port.name} has leading axes {leading}, which do not fit {common}"
                    ) from None
        return common

    def run(
        self,
        arrays: Sequence[np.ndarray],
        results: Sequence[np.ndarray],
        outer: tuple[int, ...],
        inner: tuple[int, ...],
        threads: int | None = 1,
    ) -> None:
        """Run on prepared arrays into prepared results. A result may be the array of a varying input."""
        for result, port in zip(results, self.outputs, strict=True):
            shape = (*outer, *inner, *port.shape)
            if result.shape != shape or result.dtype != self.dtype or not result.flags.c_contiguous:
                raise InputError(
                    f"{self.name}: the result for {port.name} must be a contiguous {self.dtype} array of shape {shape}"
                )
        count, calls = prod(inner), prod(outer)
        if not count or not calls:
            return
        rows, strides, steps = [], [], []
        for array, port in zip(arrays, self.inputs, strict=True):
            leading = array.ndim - len(port.shape)
            wanted = outer if port.role == "uniform" else inner
            if leading and port.role != "lookup" and array.shape[:leading] != wanted:
                array = np.broadcast_to(array, (*wanted, *port.shape))
            rows.append(np.ascontiguousarray(array, self.dtype))
            strides.append(len(array) if port.role == "lookup" else port.size if leading else 0)
            steps.append(port.size * self.dtype.itemsize if leading and port.role == "uniform" else 0)
        places, targets = [launch.address(r) for r in rows], [launch.address(r) for r in results]
        kernel = self.kernel(1 if count == 1 else 0, count * calls)
        workers = _workers(kernel, count * calls, threads)
        if calls > 1:
            jumps = [count * port.size * self.dtype.itemsize for port in self.outputs]
            launch.each_row(kernel.function, (places, steps), strides, (targets, jumps), count, calls, workers)
        else:
            launch.one_call(kernel.function, places, strides, targets, count, kernel.target.lanes, workers)

    def bind(
        self, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray], threads: int | None = 1
    ) -> Callable[[], None]:
        """The program on these arrays, to be called many times: one row of the varying ports each.

        The caller keeps the arrays. All must be contiguous and of the program's type, those of varying ports with one
        leading axis. A result may be the array of a varying input.
        """
        count = next(len(x) for x, port in zip(arrays, self.inputs, strict=True) if port.role == "varying")
        ports = [*self.inputs, *self.outputs]
        for array, port in zip([*arrays, *results], ports, strict=True):
            lead = (count,) if port.role == "varying" else (len(array),) if port.role == "lookup" else ()
            if array.shape != (*lead, *port.shape) or array.dtype != self.dtype or not array.flags.c_contiguous:
                shape = (*lead, *port.shape)
                raise InputError(
                    f"{self.name}: the array of {port.name} must be contiguous, {self.dtype} and of shape {shape}"
                )
        strides = [
            len(array) if port.role == "lookup" else port.size if port.role == "varying" else 0
            for array, port in zip(arrays, self.inputs, strict=True)
        ]
        kernel = self.kernel(1 if count == 1 else 0, count)
        edges = launch.edges_of(count, kernel.target.lanes, _workers(kernel, count, threads))
        return launch.bound(kernel.function, arrays, strides, results, edges)


def check_threads(threads: Any) -> None:
    """Refuse what is no number of threads."""
    if threads is not None and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1):
        raise InputError(f"threads is {threads!r}; allowed: a whole number of at least 1, or None for all cores")


def _workers(kernel: Kernel, count: int, threads: int | None) -> int:
    """How many threads this many rows are worth."""
    check_threads(threads)
    most = (os.cpu_count() or 1) if threads is None else threads
    return min(most, max(1, count * kernel.work // WORTH_A_THREAD))


def _shape(port: Port) -> str:
    return ", ".join(map(str, port.shape))


def _input(graph: Graph, number: int, port: Port) -> Any:
    if port.role == "lookup":
        return LookupPort(graph, number, port.size)
    flat: list[Any] = [graph.input(number, slot, port.role == "varying") for slot in range(port.size)]
    for length in reversed(port.shape[1:]):
        flat = [flat[k : k + length] for k in range(0, len(flat), length)]
    return flat if port.shape else flat[0]


def _flatten(graph: Graph, value: Any, port: Port, program: str) -> list[Expr]:
    if isinstance(value, Array):
        if value.length != port.size:
            raise TraceError(
                f"program '{program}': output '{port.name}' is an array of {value.length}; allowed: {port.size}"
            )
        return [value.version]
    level = [value]
    for length in port.shape:
        for part in level:
            if not hasattr(part, "__len__") or len(part) != length:
                raise TraceError(f"program '{program}': output '{port.name}' is not of the declared shape {port.shape}")
        level = [x for part in level for x in part]
    flat = [graph.wrap(x) for x in level]
    if any(e.boolean or e.level for e in flat):
        raise TraceError(
            f"program '{program}': output '{port.name}' holds a condition or a value from inside a loop; return numbers"
        )
    return flat


def _name(e: Expr, ports: Sequence[Port]) -> str:
    if e.op == "const":
        return f"{e.data:.17g}"
    if e.op == "input":
        port, slot = e.data
        return f"{ports[port].name}[{slot}]" if ports[port].shape else ports[port].name
    return f"%{e.index}"


def _line(e: Expr, ports: Sequence[Port]) -> str:
    mark = "" if e.varying else "  (uniform)"
    if e.op == "array":
        return f"%{e.index} = array {e.data[0]} of {e.data[1]}{mark}"
    shown = e.op in ("item", "left") or (e.op == "lookup" and e.data)
    note = f" {e.data}" if shown else f" {e.data[1]}" if e.op in ("row", "carry", "loop", "entered") else ""
    return f"%{e.index} = {e.op}{note} {', '.join(_name(a, ports) for a in e.args)}{mark}"
