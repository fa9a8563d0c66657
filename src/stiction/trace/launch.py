"""Calling a kernel: addresses, threads, and one call per row where a program runs once for each of many robots."""

import ctypes
import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import numpy as np

Function = Callable[[Any, Any, Any, int, int], None]  # inputs, strides, outputs, first row, end
_shared_pool: list[ThreadPoolExecutor] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_shared_pool.clear)  # threads do not survive a fork


def _pool() -> ThreadPoolExecutor:
    if not _shared_pool:
        _shared_pool.append(ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="stiction"))
    return _shared_pool[0]


def share(parts: Sequence[Callable[[], None]]) -> None:
    """Do all parts, the first in this thread and the others beside it. Leaves only when all are done, Ctrl-C or not."""
    others = [_pool().submit(part) for part in parts[1:]]
    try:
        parts[0]()
    finally:
        wait(others)


def address(array: np.ndarray) -> int:
    """Where an array's numbers begin."""
    return array.ctypes.data


def words(numbers: Sequence[int]) -> Any:
    """64-bit words in a row, as kernels take addresses and strides."""
    return (ctypes.c_int64 * len(numbers))(*numbers)


class Desk:
    """Arrays for one run of a program, at addresses that stay: an array's address costs more than copying it.

    Attributes:
        inputs: where values are put.
        views: the same as memory, which refuses in little time what is no array of the right type and shape; None where
            an input is no vector.
    """

    def __init__(
        self, function: Function, inputs: Sequence[tuple[int, ...]], outputs: Sequence[tuple[int, ...]], dtype: np.dtype
    ) -> None:
        self.inputs, self.results = ([np.empty(shape, dtype) for shape in shapes] for shapes in (inputs, outputs))
        vectors = all(len(shape) == 1 for shape in inputs)
        self.views = [array.data for array in self.inputs] if vectors else None
        self._words = [words(list(map(address, arrays))) for arrays in (self.inputs, self.results)]
        self._strides = words([0] * len(inputs))
        sources, strides, targets = map(ctypes.addressof, (self._words[0], self._strides, self._words[1]))
        self.call = partial(function, sources, strides, targets, 0, 1)

    def run(self) -> tuple[np.ndarray, ...]:
        """Copies of the results."""
        self.call()
        return tuple([result.copy() for result in self.results])


def bound(
    function: Function,
    inputs: Sequence[np.ndarray],
    strides: Sequence[int],
    outputs: Sequence[np.ndarray],
    edges: Sequence[int],
) -> Callable[[], None]:
    """A kernel on arrays that stay where they are: a call costs one foreign call, and checks nothing.

    Whoever calls it keeps the arrays.
    """
    places, steps, targets = words(list(map(address, inputs))), words(strides), words(list(map(address, outputs)))
    parts = [partial(function, places, steps, targets, a, b) for a, b in itertools.pairwise(edges) if a < b]
    return parts[0] if len(parts) == 1 else partial(share, parts)


def edges_of(count: int, lanes: int, workers: int) -> list[int]:
    """Where threads share rows, in whole blocks of lanes."""
    return [min(count, (count * k // workers + lanes - 1) // lanes * lanes) for k in range(workers)] + [count]


def one_call(
    function: Function,
    places: Sequence[int],
    strides: Sequence[int],
    targets: Sequence[int],
    count: int,
    lanes: int,
    workers: int,
) -> None:
    """One call; threads share its rows in whole blocks of lanes."""
    inputs, steps, outputs = words(places), words(strides), words(targets)
    if workers <= 1:
        function(inputs, steps, outputs, 0, count)
        return
    pairs = itertools.pairwise(edges_of(count, lanes, workers))
    share([partial(function, inputs, steps, outputs, a, b) for a, b in pairs if a < b])


def each_row(
    function: Function, inputs: tuple, strides: Sequence[int], outputs: tuple, count: int, calls: int, workers: int
) -> None:
    """One call per row of the uniform inputs; threads share the calls.

    Inputs and outputs are pairs: addresses, and bytes from row to row.
    """
    index = np.arange(calls, dtype=np.uintp)[:, None]
    sources, targets = (
        np.array(first, np.uintp) + index * np.array(step, np.uintp) for first, step in (inputs, outputs)
    )
    steps = words(strides)

    def some(part: range) -> None:
        at, to = address(sources), address(targets)
        wide, deep = sources.strides[0], targets.strides[0]
        for k in part:
            function(at + k * wide, steps, to + k * deep, 0, count)

    share([partial(some, range(calls * k // workers, calls * (k + 1) // workers)) for k in range(workers)])
